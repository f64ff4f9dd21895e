"""Lists of AVPs in definitions: AVPs to send, encoded early, and expected AVPs.

AVPs without expressions are encoded once for all instances of a run. Expected AVPs are looked up
by name at their level, in any order; the order of AVPs with the same name is ignored, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

from tsvc import turns
from tsvc.errors import LocalProtocolError, Problem
from tsvc.expr import Template
from tsvc.expr.environment import Environment
from tsvc.expr.values import Undefined
from tsvc.gateways.gateway import Gateway
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.matching import match_arguments
from tsvc.matching.arguments import assign, differences
from tsvc.matching.outcome import Check
from tsvc.memo import Memo
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.operation import MOST_HINTED, Scope
from tsvc.protocols.diameter.dictionary import Dictionary, standard
from tsvc.protocols.diameter.tree import MEMBERS, Tree, definition_of, encode_avp
from tsvc.schema import fields
from tsvc.words import did_you_mean

SESSION_ID, SESSION_ID_AUTO = "Session-Id", "Session-Id_auto"
_PSEUDO = frozenset({SESSION_ID_AUTO})
_AVP_RULE = "an object with name and value"
_MOST_DICTIONARIES = 16  # a gateway has one


class Item:
    """One AVP to send. `name` as given, "" if the AVP is given by code."""

    __slots__ = ("_encoded", "_path", "_template", "_tree", "name")

    def __init__(
        self, name: str, tree: Any, template: Template | None, path: str, *, is_kept: bool = False
    ) -> None:
        self.name = name
        self._tree = tree
        self._template = template
        self._path = path
        # Octets of an AVP that is the same in all instances, by the gateway's dictionary.
        self._encoded: Memo[Dictionary, bytes] | None = None
        if is_kept:
            anew = partial(_octets, tree, path)
            self._encoded = Memo("AVPs without expressions", _MOST_DICTIONARIES, anew)

    def tree(self, env: Environment) -> Any:
        """Return the AVP with its expressions evaluated."""
        return self._tree if self._template is None else self._template.render(env)

    def encode(self, env: Environment, dictionary: Dictionary) -> bytes:
        """Return its octets, b"" if its value is null. Errors: LocalProtocolError."""
        if self._template is not None:
            return encode_avp(self._template.render(env), dictionary, self._path)
        if self._encoded is not None:
            return self._encoded[dictionary]
        return _octets(self._tree, self._path, dictionary)


def _octets(tree: Any, path: str, dictionary: Dictionary) -> bytes:
    return encode_avp(tree, dictionary, path)


class AvpPlan:
    """A list of AVPs to send, compiled."""

    __slots__ = ("_items", "_path", "_template", "given")

    def __init__(self, given: Any, path: str, scope: Scope) -> None:
        self._path = path
        self._template: Template | None = None
        self._items: list[Item] = []
        self.given: list[Any] = []  # AVPs with expressions
        if isinstance(given, list) and all(map(_has_plain_name, given)):
            for position, avp in enumerate(given):
                here = f"{path}[{position}]"
                template = scope.template_to_send(avp, here)
                is_constant = template.is_constant
                item = (
                    Item(_name(avp), scope.constant(template), None, here, is_kept=True)
                    if is_constant
                    else Item(_name(avp), None, template, here)
                )
                self._items.append(item)
                if not is_constant:
                    self.given.append(avp)
        elif given is not None:
            # The list itself or the name of an AVP is an expression: all is rendered at run time.
            self._template = scope.template_to_send(given, path)

    @property
    def is_listed(self) -> bool:
        """True if it is known before any evaluation which AVPs it has."""
        return self._template is None

    def items(self, env: Environment) -> Sequence[Item]:
        """Return the AVPs in the order given. Errors: LocalProtocolError."""
        if self._template is None:
            return self._items
        avps = self._template.render(env)
        if not isinstance(avps, list) or not all(isinstance(avp, dict) for avp in avps):
            raise LocalProtocolError("must be a list of AVPs", path=self._path)
        return [
            Item(_name(avp), avp, None, f"{self._path}[{position}]")
            for position, avp in enumerate(avps)
        ]

    def encode(self, env: Environment, dictionary: Dictionary) -> bytes:
        """Return the octets of all AVPs. Errors: LocalProtocolError."""
        return b"".join([item.encode(env, dictionary) for item in self.items(env)])


def _name(avp: Any) -> str:
    name = avp.get("name")
    return name if isinstance(name, str) else ""


def _has_plain_name(avp: Any) -> bool:
    turns.walked()
    name = avp.get("name") if isinstance(avp, Mapping) else None
    return isinstance(avp, Mapping) and not (isinstance(name, str) and name.startswith("{"))


class DiameterMembers(ArgumentMembers):
    """Members of Diameter arguments; a comment may be among them."""

    free_names = frozenset({"comment"})


class SentAvp(DiameterMembers):
    """An AVP of a definition, and the AVPs in it. The gateway's dictionary defines the meaning of
    names and values: avp_problems().
    """

    name = fields.String(help="of the dictionary, or Session-Id_auto")
    code = fields.Integer(0, 0xFFFFFFFF)
    vendor_id = fields.Integer(0, 0xFFFFFFFF)
    value = fields.Anything(help="a group's is a list of AVPs; null: not sent")
    value_name = fields.String(help="name of an enumeration, for want of value")
    value_hex = fields.String(help="the octets, whatever the type")
    mandatory = fields.Boolean(help="the M bit, else as the dictionary says")
    protected = fields.Boolean(help="the P bit")
    reserved = fields.Integer(0, 31, help="other bits")
    vendor_specific = fields.Boolean(help="the V bit, else as its vendor says")

    def known_names(self) -> list[str]:
        """Return all members that an AVP may have, in trees too."""
        return sorted(MEMBERS)

    def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Refuse an AVP without name and code; check the AVPs in it."""
        name, code = given.get("name"), given.get("code")
        if name is None and code is None:
            scope.refuse(path, "an AVP needs a name or a code")
        value = given.get("value")
        for position, inner in enumerate(value if isinstance(value, list) else ()):
            place = f"{path}.value[{position}]"
            if isinstance(inner, Mapping):
                self.check(inner, place, scope)
            elif not isinstance(inner, str):
                scope.refuse(place, f"must be {_AVP_RULE}")
        super().check_declared(given, path, scope)


class ExpectedAvp(SentAvp):
    """An AVP that is expected: `!name` means that the value must be different."""


def avps_of(schema: type[SentAvp]) -> fields.List:
    """Return the member for a list of AVPs."""
    return fields.List(fields.Nested(schema, rule=_AVP_RULE), rule="a list of AVPs")


# -- checks by the gateway's dictionary -----------------------------------------------------------


def check_avps(scope: Scope, *lists: tuple[str, Any, bool]) -> None:
    """Check lists of AVPs with the gateway's dictionary. lists: (path, list, is it expected)."""

    def check(gateway: Gateway) -> list[Problem]:
        dictionary = cast(DiameterGateway, gateway).dictionary
        return [
            problem
            for path, given, are_expected in lists
            for problem in avp_problems(given, dictionary, path, are_expected=are_expected)
        ]

    scope.check_gateway("diameter", check)


def avp_problems(
    given: Any, dictionary: Dictionary, path: str, *, are_expected: bool = False
) -> list[Problem]:
    """Return the errors that a dictionary finds in AVPs of a definition: names and values that are
    known without an instance. `path` is that of the list.
    """
    judge = _Judge(dictionary, are_expected=are_expected)
    judge.look(given, path)
    return judge.problems


class _Judge:
    def __init__(self, dictionary: Dictionary, *, are_expected: bool) -> None:
        self._dictionary = dictionary
        self._are_expected = are_expected
        self.problems: list[Problem] = []

    def look(self, given: Any, path: str) -> None:
        for position, avp in enumerate(given if isinstance(given, list) else ()):
            if isinstance(avp, Mapping) and _is_plain(avp.get("name")):
                self._look_at(avp, f"{path}[{position}]")

    def _look_at(self, avp: Mapping[str, Any], place: str) -> None:
        name, value = avp.get("name"), avp.get("value")
        given = dict(avp)
        if name is not None and self._are_expected:
            given["name"] = str(name).removeprefix("!")
        if name in _PSEUDO or (name is None and "code" not in avp):
            return
        try:
            definition = definition_of(given, self._dictionary)
        except LocalProtocolError as error:
            self._refuse(f"{place}.name", error.text, str(given["name"]))
            return
        if isinstance(value, list) and (definition.type.is_grouped or self._are_expected):
            self.look(value, f"{place}.value")
            return
        try:
            if not self._are_expected:
                if all(map(_is_plain, given.values())):
                    encode_avp(given, self._dictionary, "")
            elif _is_plain(named := avp.get("value", avp.get("value_name"))):
                definition.number(named)
        except ValueError as error:
            self._refuse(f"{place}.value", str(error))
        except LocalProtocolError as error:
            self._refuse(f"{place}.value", error.text)

    def _refuse(self, path: str, text: str, name: str = "") -> None:
        is_hinted = name and len(self.problems) < MOST_HINTED  # it takes long
        hint = did_you_mean(name, self._dictionary.like(name)) if is_hinted else ""
        self.problems.append(Problem(path, text + hint))


def _is_plain(value: Any) -> bool:
    """Return True if a value of a definition contains nothing to evaluate."""
    return not isinstance(value, list) and not (isinstance(value, str) and set(value) & set("{\\"))


# -- expected ---------------------------------------------------------------------------------


def match_avps(expected: Any, got: Sequence[Tree], check: Check) -> bool:
    """Compare expected AVPs with received ones; one entry for each value that is given.

    A leading `!` of a name: the value must be different. null: the AVP must be absent. No value:
    the AVP must be present.
    """
    if not isinstance(expected, list) or not all(isinstance(avp, Mapping) for avp in expected):
        check.entry(False, "avps must be a list of AVPs", expected, None)
        return False
    nameless = [avp["name"] for avp in expected if isinstance(avp.get("name"), Undefined)]
    if nameless:
        check.entry(False, f"name of an AVP: {nameless[0]}", None, None)
        return False
    left, right = _paired(expected, got)
    return match_arguments(left, right, check)


def _paired(
    expected: Sequence[Mapping[str, Any]], got: Sequence[Tree]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both sides as objects of values by name; the second AVP of a name is name[1]."""
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    seen: dict[str, int] = {}
    for avp, found in zip(expected, _partners(expected, got), strict=True):
        given = _given(avp)
        name = given.removeprefix("!")
        number = seen[name] = seen.get(name, -1) + 1
        label = f"{name}[{number}]" if number else name
        for key, value, other, other_name in _members(avp, label, found):
            left["!" + key if given.startswith("!") else key] = value
            if found is not None:
                right[key] = other
                if other_name is not None:
                    right[f"{key}_name"] = other_name
    return left, right


def _members(
    avp: Mapping[str, Any], label: str, found: Tree | None
) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield (key, expected, received, name of received value) for members of an expected AVP."""
    got = found or {}
    if avp.get("value_hex") is not None:
        yield f"{label}_hex", str(avp["value_hex"]).replace(" ", "").lower(), _hex(got), None
    for flag in ("mandatory", "protected"):
        if flag in avp:
            yield f"{label}.{flag}", int(bool(avp[flag])), int(bool(got.get(flag))), None
    value = avp.get("value", avp.get("value_name"))
    if "value" not in avp and "value_name" not in avp:
        if "value_hex" not in avp:
            yield f"{label} (exists)", True, found is not None, None
    elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        inner = got.get("value")
        left, right = _paired(value, inner if isinstance(inner, list) else [])
        yield label, left, right, None
    else:
        shown = got.get("value", got.get("value_hex"))
        yield label, value, shown, got.get("value_name")


def _hex(got: Tree) -> Any:
    return got.get("value_hex")


def _given(avp: Mapping[str, Any]) -> str:
    return str(avp.get("name") or f"AVP {avp.get('code')}")


def _partners(expected: Sequence[Mapping[str, Any]], got: Sequence[Tree]) -> list[Tree | None]:
    """Return the received AVP that each expected one is compared with: among those of its name the
    one that matches completely, otherwise the one that differs least."""
    suits = [_suits(avp, got) for avp in expected]
    found = [at for some in suits for at in some]
    if len(set(found)) == len(found) and all(len(some) < 2 for some in suits):
        return [got[some[0]] if some else None for some in suits]

    def may_be(position: int, at: int) -> bool:
        return at in suits[position]

    def differ(position: int, at: int) -> int:
        return differences(*_paired([expected[position]], [got[at]]))

    partners = assign(len(expected), len(got), may_be, differ)
    return [None if at is None else got[at] for at in partners]


def _suits(avp: Mapping[str, Any], got: Sequence[Tree]) -> list[int]:
    """Return the positions of the received AVPs that an expected AVP may mean."""
    if avp.get("name") is None:
        code, vendor = str(avp.get("code")), int(avp.get("vendor_id") or 0)
        return [
            at for at, one in enumerate(got) if str(one["code"]) == code and _vendor(one) == vendor
        ]
    name = _given(avp).removeprefix("!")
    known = standard().avp(name)
    wanted = (known.name if known else name).lower()
    return [at for at, one in enumerate(got) if one["name"].lower() == wanted]


def _vendor(tree: Tree) -> int:
    vendor: int = tree.get("vendor_id") or 0
    return vendor
