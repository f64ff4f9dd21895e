"""Entries and definitions: their names are looked up in the declarations, and checked."""

import json
import keyword
from collections.abc import Iterable, Mapping
from typing import Any

from tsvc.definition.check import WrongMember, check_entry, check_members
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.operations.names import find, unknown
from tsvc.operations.operation import OPERATION_TYPES, OperationType, families, type_of
from tsvc.schema.describe import describe_members
from tsvc.values import dataclass
from tsvc.words import did_you_mean

# The names of the package other than the types of operations.
__all__ = ["Definition", "Entry", "WrongMember", "definition", "operation", "unchecked"]


class Entry(dict[str, Any]):
    """One of `operations`."""


class Definition(dict[str, Any]):
    """A definition: the params of ExecuteTest without `run_id`."""

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of it in plain dicts and lists."""
        return {name: _plain(value) for name, value in self.items()}

    def to_json(self, indent: int | None = 2) -> str:
        """Return the text of a definition file. Errors: TypeError if a value has no JSON form."""
        return json.dumps(self, ensure_ascii=False, indent=indent)


class _Absent:
    """The default of `arguments`, which no caller passes."""


_ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Operation:
    """A type of operation with its name; a call makes an entry."""

    name: str
    type: OperationType

    def __call__(self, arguments: Any = _ABSENT, **attributes: Any) -> Entry:
        """Return an entry. Errors: WrongMember, with the path."""
        given = {} if isinstance(arguments, _Absent) else {"arguments": arguments}
        entry = Entry({"type": self.name, **attributes, **given})
        check_entry(self.type, entry, self.name)
        return entry


@dataclass(frozen=True, slots=True)
class Namespace:
    """Types with the same first words; an attribute is a type, or the next word of a name."""

    words: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        depth = len(self.words)
        nexts = self._next_words()
        words = [*self.words, nexts.get(name, name)]
        whole = ".".join(words)
        type_ = type_of(whole) if depth or name in nexts else None
        if type_ is not None:
            return Operation(whole, type_)
        if name in nexts or (not depth and f"{name}." in _prefixes()):
            return Namespace(tuple(words))
        raise AttributeError(f"no type of operation is named {whole}{did_you_mean(name, nexts)}")

    def __dir__(self) -> list[str]:
        """Return the names of attributes, without those that come from a label or a statement."""
        families = () if self.words else (prefix.rstrip(".") for prefix in _prefixes())
        return sorted({*self._next_words(), *families})

    def _next_words(self) -> dict[str, str]:
        """Return the words that may follow, by their names in Python."""
        depth = len(self.words)
        known = (name.split(".") for name in OPERATION_TYPES.names())
        return {
            python_name(words[depth]): words[depth]
            for words in known
            if tuple(words[:depth]) == self.words and len(words) > depth
        }

    def __call__(self, label: str) -> "Namespace":
        """Return the types of a label: `db("crm").Query` is the type db.crm.Query."""
        if f"{'.'.join(self.words)}." not in _prefixes():
            raise TypeError(f"{'.'.join(self.words)} has no labels")
        return Namespace((*self.words, label))


def python_name(word: str) -> str:
    """Return a word of a type's name as a valid Python name: pass_, MT_ForwardSM."""
    name = word.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _prefixes() -> set[str]:
    return {family.prefix for family in families()}


def operation(name: str) -> Operation:
    """Return the type of operation with a name, in any spelling, such as one from outside.

    Errors: WrongMember.
    """
    type_ = find(name)
    if type_ is None:
        raise WrongMember(unknown(name))
    return Operation(name, type_)


def unchecked(value: Any) -> Any:
    """Return a value as Any, so that mypy does not check it.

    Use it for `unchecked({"!cause": 31})`, or for an expression in place of an object. Names in it
    are still looked up when the entry is made.
    """
    return value


def definition(
    operations: Iterable[Mapping[str, Any]],
    *,
    gateways: Mapping[str, str | None] | None = None,
    **members: Any,
) -> Definition:
    """Return a definition. Entries may be plain dicts, which are checked as well.

    gateways: members that select the gateway of a label, such as {"db_crm": "CRM"}.
    Errors: WrongMember, with the path.
    """
    whole = Definition(operations=list(operations), **{**members, **(gateways or {})})
    schema = TestParameters(exclude=["run_id"])
    check_members(describe_members(schema), whole, "", schema.open_prefixes)
    for position, entry in enumerate(whole["operations"]):
        place = f"operations[{position}]"
        name = entry.get("type") if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            raise WrongMember(f"{place}: an entry is an object with a type")
        type_ = find(name)
        if type_ is None:
            raise WrongMember(f"{place}.type: {unknown(name)}")
        check_entry(type_, entry, place)
    return whole


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
