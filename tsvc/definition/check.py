"""Checks that the names of members are declared. The service checks the values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tsvc.matching.comparisons import TYPES as TEST_TYPES
from tsvc.matching.tests import COMMON
from tsvc.operations.operation import INBOUND, OUTBOUND, OperationType
from tsvc.words import did_you_mean, member_path

Description = Mapping[str, Any]
_NOTES = ("comment", "name", "description")
_FREE = "x_"


class WrongMember(TypeError):
    """A member is not declared, or is missing; the text begins with its path."""


def check_entry(type_: OperationType, entry: Mapping[str, Any], place: str) -> None:
    """Check the names in an entry. Errors: WrongMember."""
    described = type_.describe()
    check_members(described["attributes"], entry, place)
    arguments = described["arguments"]
    if arguments is not None and "arguments" in described["attributes"]:
        judge = _Arguments(
            extra=("raw_hex",) if type_.family == OUTBOUND else (),
            is_negatable=type_.family == INBOUND,
            is_free=type_.are_names_free,
        )
        judge.check([arguments], entry.get("arguments"), member_path(place, "arguments"))
    tests = entry.get("tests")
    for position, test in enumerate(tests if isinstance(tests, list) else ()):
        _check_test(test, member_path(member_path(place, "tests"), position))


def check_members(
    described: Mapping[str, Description],
    given: Mapping[str, Any],
    place: str,
    open_prefixes: Iterable[str] = (),
) -> None:
    """Check the names of an object that a schema describes, and of the objects in it.

    Errors: WrongMember.
    """
    free = (_FREE, *open_prefixes)
    for name, value in given.items():
        here = member_path(place, name)
        if name in described:
            _check_below(described[name], value, here)
        elif name not in _NOTES and not name.startswith(free):
            raise _unknown(here, name, described)
    for name, member in described.items():
        if member.get("required") and name not in given:
            raise WrongMember(f"{member_path(place, name)}: is required")


def _check_below(described: Description, value: Any, place: str) -> None:
    if isinstance(value, Mapping) and "members" in described:
        check_members(described["members"], value, place)
    elif isinstance(value, list) and "items" in described:
        for position, item in enumerate(value):
            _check_below(described["items"], item, member_path(place, position))


def _check_test(test: Any, place: str) -> None:
    name = test.get("type", "string") if isinstance(test, Mapping) else None
    if name not in TEST_TYPES:
        return  # the service reports it
    known = (*COMMON, *TEST_TYPES[name].members)
    for member in test:
        if member not in known and member not in _NOTES and not member.startswith(_FREE):
            raise _unknown(member_path(place, member), member, known)


def _unknown(place: str, name: str, known: Iterable[str]) -> WrongMember:
    return WrongMember(f"{place}: unknown member{did_you_mean(name, known)}")


class _Arguments:
    """Checks the names below `arguments` of a type."""

    def __init__(self, *, extra: tuple[str, ...], is_negatable: bool, is_free: bool) -> None:
        self._extra = extra
        self._is_negatable = is_negatable
        self._is_free = is_free

    def check(self, described: list[Description], value: Any, place: str) -> None:
        """Check a value by descriptions, one of which must fit: those of variants differ."""
        described = [one for each in described for one in _variants(each)]
        if isinstance(value, list):
            items = [one["items"] for one in described if "items" in one]
            for position, item in enumerate(value):
                if items:
                    self.check(items, item, member_path(place, position))
            return
        structures = [one for one in described if "members" in one]
        is_open = any(one["type"] == "open" for one in structures)
        if isinstance(value, Mapping) and structures and not is_open:
            self._check_structure(structures, value, place)

    def _check_structure(
        self, structures: list[Description], given: Mapping[str, Any], place: str
    ) -> None:
        known: dict[str, list[Description]] = {}
        for structure in structures:
            for key, member in _keys(structure):
                known.setdefault(self._folded(key), []).append(member)
        known.update((self._folded(name), []) for name in self._extra)
        for name, value in given.items():
            bare = name.removeprefix("!") if self._is_negatable else name
            if bare.startswith("_"):
                continue
            here = member_path(place, name)
            below = known.get(self._folded(bare))
            if below is None:
                raise _unknown(here, bare, [key for one in structures for key, _ in _keys(one)])
            if below:
                self.check(below, value, here)

    def _folded(self, name: str) -> str:
        return name.replace("-", "").lower() if self._is_free else name


def _variants(described: Description) -> Iterator[Description]:
    if described["type"] == "by variant":
        yield from described["choices"]
    else:
        yield described


def _keys(structure: Description) -> Iterator[tuple[str, Description]]:
    """Yield each name that a member may have, with its description; other forms are leaves."""
    for name, member in structure["members"].items():
        for key in member.get("keys", [name]):
            yield key, member if key == name else {"type": "any"}
    for key in structure.get("shorthands", ()):
        yield key, {"type": "any"}
