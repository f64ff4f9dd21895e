"""tsvc/definition/__init__.pyi: the types of definitions and operations for editors and mypy.

Equal shapes share one TypedDict. A value that is not an object may be an expression, so a text.
"""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tsvc.definition import build
from tsvc.definition.build import python_name
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.matching.comparisons import TYPES as TEST_TYPES
from tsvc.operations.operation import OperationType, catalogue
from tsvc.schema.describe import describe_members

Description = Mapping[str, Any]
_WIDTH = 99
_ANY_LABEL = "<label>"
_ANY_NAME = "<method>"

_HEAD = '''\
# ruff: noqa
# fmt: off
"""What definitions and operations take: made by `make docs`; change the declarations."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict, TypeVar

from tsvc.definition.build import Definition, Entry, WrongMember, operation, unchecked

S = str | int | float | None
I = int | str | None
N = float | str | None
B = bool | int | str | None
A_contra = TypeVar("A_contra", contravariant=True)'''


def text() -> str:
    """Return the whole file, ending with a newline."""
    stub = _Stub()
    definition = stub.definition()
    operations = stub.operations()
    parts = [_HEAD, *stub.shapes(), *stub.callables(), *operations, definition, stub.names()]
    return "\n".join(parts) + "\n"


class _Stub:
    """The TypedDicts and the classes of functions, each made when it is first needed."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[tuple[str, str], ...], str] = {}
        self._callables: dict[str, str] = {}
        self._taken: set[str] = set()
        self._names = [*build.__all__]  # the names for `__all__`

    # -- declarations -------------------------------------------------------------------------

    def shapes(self) -> Iterator[str]:
        """Yield the TypedDicts; one may refer to another that is declared later."""
        for members, name in self._shapes.items():
            listed = ", ".join(f'"{key}": {type_}' for key, type_ in members)
            yield _wrapped(f"{name} = TypedDict(", f'"{name}", {{{listed}}}, total=False)')

    def callables(self) -> Iterator[str]:
        """Yield the classes of functions that take the same attributes."""
        for body, name in self._callables.items():
            base = "Protocol[A_contra]" if "A_contra" in body else "Protocol"
            yield f"class {name}({base}):\n{body}"

    def definition(self) -> str:
        """Return the function `definition`."""
        members = describe_members(TestParameters(exclude=["run_id", "operations"]))
        listed = "".join(
            f", {name}: {self._member(member, name)} = ..." for name, member in members.items()
        )
        gateways = "gateways: Mapping[str, str | None] | None = ..."
        notes = ", comment: object = ..., name: str = ..., description: object = ..."
        first = f"operations: Iterable[Mapping[str, Any]], *, {gateways}"
        return _wrapped("def definition(", f"{first}{listed}{notes}) -> Definition: ...")

    def operations(self) -> Iterator[str]:
        """Yield the names of the types, and the classes of types with the same first words."""
        tree: dict[str, Any] = {}
        for type_ in catalogue():
            place = tree
            *words, last = type_.name.split(".")
            for word in words:
                place = place.setdefault(word, {})
            place[last] = type_
        lines: list[str] = []
        for word, below in tree.items():
            name = python_name(word)
            lines.append(f"{name}: {self._place(below, (word,), lines)}")
            self._names.append(name)
        return iter(lines)

    def names(self) -> str:
        """Return `__all__`; call it after operations()."""
        listed = ", ".join(json.dumps(name) for name in sorted(self._names))
        return _wrapped("__all__ = [", f"{listed}]")

    def _place(self, below: Any, words: tuple[str, ...], lines: list[str]) -> str:
        """Return the type of the attribute with these words; append its class to `lines`."""
        if isinstance(below, OperationType):
            return self._function(below)
        of_label = below.get(_ANY_LABEL)
        name = self._free("_" + "_".join(python_name(word.strip("<>")) for word in words))
        body = []
        # Without a label, a family has the same types as with one; its own declarations win.
        members = {**(of_label or {}), **{k: v for k, v in below.items() if k != _ANY_LABEL}}
        for word, inner in members.items():
            if word == _ANY_NAME:
                body.append(
                    f"    def __getattr__(self, name: str) -> {self._function(inner)}: ..."
                )
            else:
                found = self._place(inner, (*words, word), lines)
                body.append(f"    {python_name(word)}: {found}")
        if of_label is not None:
            body.append(f"    def __call__(self, label: str) -> {name}: ...")
        lines.append("\n".join([f"class {name}:", *body]))
        return name

    # -- functions ----------------------------------------------------------------------------

    def _function(self, type_: OperationType) -> str:
        described = type_.describe()
        last = _camel(type_.name.split(".")[-1])
        attributes = dict(described["attributes"])
        del attributes["type"]
        arguments = attributes.pop("arguments", None)
        listed = [""] * 2
        for name, member in attributes.items():
            is_required = bool(member.get("required"))
            default = "" if is_required else " = ..."
            listed[not is_required] += f", {name}: {self._attribute(name, member)}{default}"
        first = ""
        if arguments is not None:
            first = ", arguments: A_contra" + ("" if arguments.get("required") else " = ...")
        notes = ", comment: object = ..., name: object = ..., description: object = ..."
        call = f"self{first}, *{listed[0]}{listed[1]}{notes}) -> Entry: ..."
        body = _wrapped("    def __call__(", call)
        if body not in self._callables:
            self._callables[body] = self._free(f"_{_camel(type_.family)}")
        name = self._callables[body]
        if arguments is None:
            return name
        return f"{name}[{self._arguments(described['arguments'], last)}]"

    def _attribute(self, name: str, member: Description) -> str:
        if name == "tests":
            return f"Sequence[{self._test()}]"
        return self._member(member, name)

    def _test(self) -> str:
        members: dict[str, str] = {"kpath": "str", "abort_on_fail": "B"}
        members["type"] = _literal(TEST_TYPES)
        for type_ in TEST_TYPES.values():
            members |= dict.fromkeys(type_.members, "Any")
        members |= dict.fromkeys(("comment", "name", "description"), "Any")
        return self._shape(members, "Test")

    def _member(self, member: Description, name: str) -> str:
        """Return the type of a member that a schema describes."""
        found = self._of_member(member, name)
        return f"{found} | None" if member.get("nullable") and "None" not in found else found

    def _of_member(self, member: Description, name: str) -> str:
        if "choices" in member and member["type"] == "string":
            return _literal(member["choices"]) + (" | str" if member.get("expression") else "")
        match member["type"]:
            case "string" | "digits":
                return "str"
            case "integer":
                return "int | str"
            case "number":
                return "float | str"
            case "boolean":
                return "bool | int | str"
            case "array" if name == "workers":
                return "str | int | Sequence[str]"
            case "array":
                return f"Sequence[{self._member(member['items'], name)}]"
            case "object" if "members" in member:
                below = {key: self._member(one, key) for key, one in member["members"].items()}
                return self._shape(below, _camel(name))
            case "object":
                return "float | str | Mapping[str, Any]" if name == "cps" else "Mapping[str, Any]"
        return "Any"

    # -- arguments ----------------------------------------------------------------------------

    def _arguments(self, described: Description | None, name: str) -> str:
        if described is None or not described.get("members", described.get("choices")):
            return "dict[str, Any]"
        if described["type"] == "open":
            return "Mapping[str, Any]"
        structures = described.get("choices", [described])
        members: dict[str, str] = {}
        for structure in structures:
            for key, type_ in self._keys(structure).items():
                members[key] = _either(members.get(key), type_)
        return self._shape({**members, "raw_hex": "S"}, f"{name}Arguments")

    def _template(self, described: Description, name: str) -> str:
        """Return the type of a value any part of which may be an expression."""
        match described["type"]:
            case "by variant":
                return self._by_variant(described, name)
            case "sequence" | "choice":
                return self._shape(self._keys(described), name)
            case "array" if "items" in described:
                return f"Sequence[{self._template(described['items'], name)}]"
            case "integer" | "enumerated" | "error":
                return "I"
            case "number":
                return "N"
            case "boolean" | "null":
                return "B"
            case "open" | "object":
                return "Mapping[str, Any]"
            case "any" | "array":
                return "Any"
        return "S"

    def _by_variant(self, described: Description, name: str) -> str:
        choices = described["choices"]
        if all(one["type"] in ("sequence", "choice") for one in choices):
            merged: dict[str, str] = {}
            for one in choices:
                for key, type_ in self._keys(one).items():
                    merged[key] = _either(merged.get(key), type_)
            return self._shape(merged, name)
        found = dict.fromkeys(self._template(one, name) for one in choices)
        return " | ".join(found)

    def _keys(self, described: Description) -> dict[str, str]:
        """Return the type of each name that a member of a structure may have."""
        found: dict[str, str] = {}
        for name, member in described["members"].items():
            is_list = member["type"] == "array"
            for key in member.get("keys", [name]):
                if key == name:
                    found[key] = self._template(member, _camel(name))
                else:
                    found[key] = "Any" if is_list else "S"
        found |= {key: "Any" for key in described.get("shorthands", ()) if key not in found}
        return found

    def _shape(self, members: Mapping[str, str], name: str) -> str:
        """Return the name of the TypedDict of these members; an existing one is used again."""
        shape = tuple(members.items())
        if shape not in self._shapes:
            self._shapes[shape] = self._free(name)
        return self._shapes[shape]

    def _free(self, name: str) -> str:
        """Return a name that is not taken yet."""
        number, found = 1, name
        while found in self._taken:
            number += 1
            found = f"{name}{number}"
        self._taken.add(found)
        return found


def _literal(values: Iterable[str]) -> str:
    return f"Literal[{', '.join(json.dumps(value) for value in values)}]"


def _either(first: str | None, second: str) -> str:
    alternatives = [*(first or second).split(" | "), *second.split(" | ")]
    return " | ".join(dict.fromkeys(alternatives))


def _camel(name: str) -> str:
    words = name.replace("<", "").replace(">", "").replace("-", "_").replace(".", "_").split("_")
    return "".join(f"{word[0].upper()}{word[1:]}" for word in words if word)


def _wrapped(head: str, rest: str) -> str:
    """Return a long line as lines, broken only after commas."""
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    glued = re.sub(r"(?<!,) ", "\0", rest)
    lines = textwrap.wrap(
        glued,
        _WIDTH,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")
