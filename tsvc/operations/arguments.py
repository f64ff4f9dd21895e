"""The arguments of operations, declared with the fields of every other member.

    class Arguments(ArgumentMembers):
        word = fields.String(1, required=True, help="what is asked for")
        parameters = fields.Object(rule="an object of values by name", help="what goes with it")
        status = fields.String(help="expected: OK or NO")

Arguments are values that are sent, values that are expected, and expressions for either, which
become values only when the operation is executed. So arguments are checked but not loaded: check()
reports all problems of the written arguments, compile() renders them as given.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from marshmallow import ValidationError

from tsvc import turns
from tsvc.expr.template import is_expression
from tsvc.expr.values import to_text
from tsvc.operations.operation import Scope
from tsvc.schema import fields
from tsvc.schema.fields import List, Member, Members, Nested, Object
from tsvc.schema.style import Mistake, Style, Takes, bounds

_NOUNS = {
    "string": "a text",
    "hex": "octets in hex",
    "digits": "digits",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true, false, 0 or 1",
    "object": "an object",
    "array": "a list",
    "table": "an object",
}


class ArgumentStyle(Style):
    """The wording of problems with arguments: they name the rule, never the given value."""

    table_type = "sequence"

    def rule(self, takes: Takes) -> str:
        """Return the accepted values, as the end of a sentence."""
        return takes.rule or f"{_NOUNS[takes.type]} {bounds(takes)}".strip()

    def words(self, kind: Mistake, takes: Takes, value: object) -> str:
        """Return the message about a mistake."""
        if takes.says:
            return takes.says
        if kind is Mistake.MISSING:
            return self.missing
        if takes.choices:
            return f"is none of {', '.join(map(str, takes.choices))}"
        return f"must be {self.rule(takes)}"


class Text(fields.String):
    """A text, or a number as its digits."""

    def read(self, value: Any) -> str:
        """Return the text."""
        if isinstance(value, list | dict):
            raise self.refusal(Mistake.TYPE, value)
        return to_text(value)


class Hex(Text):
    """Octets in hex."""

    type = "hex"

    def read(self, value: Any) -> Any:
        """Return the octets."""
        try:
            return bytes.fromhex(super().read(value))
        except ValueError:
            raise self.refusal(Mistake.TYPE, value) from None


class ArgumentMembers(Members):
    """Members of `arguments`, and of an object below; each must be declared, and null is absence.

    These are checked: that a required member is present; the shape of objects and lists; and a
    value whose field has a `rule`, `says` or choices. Any other value is accepted: the operation
    makes a text, a number or a truth value of it when it is executed, or compares it. A text that
    is an expression is accepted. Instead of an object or a list any text is accepted; if it is no
    expression, the execution finds that out.
    """

    style = ArgumentStyle()
    free_names = frozenset()
    open_prefixes: ClassVar[tuple[str, ...]] = ("_",)
    has_hints: ClassVar[bool] = True  # whether the problem of an unknown member has a hint
    is_negatable: ClassVar[bool] = False  # whether `!name` may stand for any name

    @classmethod
    def check(cls, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Report all problems of an object at `path`."""
        schema = cls.shared()
        known = schema.known_names()
        for name in turns.over(given):
            bare = name.removeprefix("!") if cls.is_negatable else name
            is_free = bare in cls.free_names or bare.startswith(cls.open_prefixes)
            if bare not in known and not is_free:
                hint = scope.hint_of_argument(bare, known) if cls.has_hints else ""
                scope.refuse(f"{path}.{name}", schema.style.unknown + hint)
        schema.check_declared(given, path, scope)

    def known_names(self) -> Iterable[str]:
        """Return the names that members may have."""
        return [field.data_key or name for name, field in self.load_fields.items()]

    def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Report the problems of the members that are declared.

        A subclass adds checks that no single field can make.
        """
        for attribute, field in self.load_fields.items():
            assert isinstance(field, Member)
            name = field.data_key or attribute
            if given.get(name) is not None or field.required:
                self._check(field, given.get(name), f"{path}.{name}", scope)

    def is_judged(self, field: Member) -> bool:
        """Return True if a value must fit its field as given, without a conversion."""
        takes = field.takes
        return bool(takes.rule or takes.says or takes.choices)

    def _check(self, field: Member, value: Any, path: str, scope: Scope) -> None:
        turns.walked()
        is_structure = isinstance(field, Nested | List | Object)
        may_be_expression = getattr(field, "may_be_expression", True)
        if may_be_expression and (is_expression(value) or (is_structure and type(value) is str)):
            return
        below = field.schema if isinstance(field, Nested) else None
        if isinstance(below, ArgumentMembers) and isinstance(value, Mapping):
            below.check(value, path, scope)
            return
        if isinstance(field.inner_field, Member) and isinstance(value, list):
            for position, item in enumerate(value):
                self._check(field.inner_field, item, f"{path}[{position}]", scope)
            return
        try:
            if value is None and field.required:
                raise field.refusal(Mistake.MISSING, None)
            if isinstance(field, Nested | List):
                raise field.refusal(Mistake.TYPE, value)
            if self.is_judged(field):
                field.read(value)
        except ValidationError as error:
            scope.refuse(path, str(error.messages[0]))
