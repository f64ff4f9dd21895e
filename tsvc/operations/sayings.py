"""What operations say of themselves when a definition is compiled: may others follow an instance.

An instance can be followed if what it does depends on nothing but its variables and what it
receives. So these may say that they go the usual way:

* sending an invocation of class 2 or 4, or a result: its arguments may be expressions, all else
  that the entry says is the same in all. (Answers to classes 1 and 3 depend on when their timer
  ran out.) Sending an error with constant arguments.
* expecting an invocation: arguments, attributes and tests the same in all, no test that looks at
  the clock, not `optional`.
* sending or expecting the end of the dialogue.
* what meets nobody (`eval`, `branch`, `log`, `pass`, `fail`, `abort`, `wait`, `halt`), if it does
  not look at the clock.
* a Diameter request and its answer, if no check may look at the Session-Id: AVPs may have
  expressions, but for those that steer the request.
* a REST request and its response, if no check may look at all of the header: arguments may have
  expressions.

Those of several kinds may be mixed, and several dialogues: see together.py. An expression may
read what came, `$i`, if it is certain what: one that puts texts, numbers, variables and members
of `$i` together, perhaps to set a variable. What all octets of a message say is the same in all
instances that follow one, and a value without members can't be changed in one of them for another.

The same in all is what has no expression, or only such that reckon with variables that `vars`
makes constants; then no other expression may do more than reckon, so that nothing sets them.

What says nothing makes the whole definition one whose instances all go the ordinary way.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from tsvc import turns
from tsvc.expr.environment import Environment
from tsvc.expr.template import is_expression

# Makes an argument, as octets: variables of the instance, and what the kind adds to them (of
# SIGTRAN the variant of the dialogue).
Make = Callable[[Environment, Any], bytes | None]

_LEAD = "operations["
# Reckoning with variables: no call, no assignment, no step up or down.
_RECKONING = re.compile(r"\{(?:[\s\d.*()]|\+(?!\+)|-(?!-)|\$v->\{\w+\})*\}", re.ASCII)
# Texts and variables, one after the other; or variables in texts, nothing that might belong to
# them behind.
PIECE = r"""(?:'[^'\\]*'|\$v->\{\w+\}|"(?:[^"\\$@{}]|\$v->\{\w+\}(?![-\[{]))*")"""
PUT_TOGETHER = re.compile(rf"\{{\s*{PIECE}(?:\s*\.\s*{PIECE})*\s*\}}", re.ASCII)
_NONE: Mapping[str, Any] = {}
_MOST_RECKONED = 1000  # characters; longer ones are not looked through in one go
_CLOCK = re.compile(r"\b(?:time|gmtime|localtime|timestamp)\b")  # $r->{time}, and a test, too
_ALL_VARIABLES = re.compile(r"\$\s*+(?:\{\s*+)?v\b(?!->\{\w+\})", re.ASCII)
_NAMES = re.compile(r"\$v->\{(\w+)\}", re.ASCII)
_VARIABLE = re.compile(r"\{\s*\$v->\{(\w+)\}\s*\}", re.ASCII)

Lookup = tuple[str, ...]  # below $i
_KEY = r"\{(?:\w+|'[^'\\]*')\}"
_PATH = rf"\$i->{_KEY}(?:(?:->)?{_KEY})+"
_CERTAIN = re.compile(
    rf"\{{?\s*(?:\$v->\{{\w+\}}\s*=(?![=~>])\s*)?(?:{PIECE}|{_PATH}|[\s\d.*()]|\+(?!\+)|-(?!-))*\}}?",
    re.ASCII,
)
_PATHS = re.compile(_PATH, re.ASCII)
_KEYS = re.compile(r"\{(?:(\w+)|'([^'\\]*)')\}", re.ASCII)
_LONGEST = 1000  # characters; longer ones are not looked through in one go


class ArgumentMaker(NamedTuple):
    """An argument with expressions. `variable`: of `$v`, if it is the one expression in it."""

    make: Make
    variable: str | None


class Sayings:
    """Of one definition; `given`: its `vars`."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.made: dict[int, list[ArgumentMaker]] = {}  # arguments that differ, by operation
        # What expressions read of what came.
        self.lookups: frozenset[Lookup] = frozenset()
        self._said: dict[int, str] = {}  # by operation: which kind is to follow it
        # Those that are the same in all instances are plain to see only if all are.
        are_plain = all(_is_plain(value) for value in turns.over(given.values()))
        self._plain = given if are_plain else _NONE
        self._constants: set[str] = set()  # names of those that are read
        self._does_more = False
        self._alone: set[int] = set()  # operations that meet nobody
        self._between: set[int] = set()  # those that may stand between others
        self._named: set[str] = set()  # variables that these name, so all that they may set

    def usual(
        self, kind: str, path: str, entry: Mapping[str, Any], *made: tuple[Any, Make]
    ) -> None:
        """Say it of the operation at a path, unless its attributes differ from one to the next.

        `kind`: that has a track of it. `made`: arguments with expressions, which may differ and
        are in the entry no more, as given, with what makes octets of them; in the order in which
        the operation evaluates them, each of them once.
        """
        tests = entry.get("tests") or ()
        if (
            entry.get("optional")
            or not self._is_same(entry)
            or any(one.get("type") == "timestamp" for one in tests)
        ):
            return
        number = _number(path)
        self._said[number] = kind
        for given, make in made:
            if not self._is_same(given):
                maker = ArgumentMaker(make, _variable_of(given))
                self.made.setdefault(number, []).append(maker)

    def alone(self, path: str, entry: Mapping[str, Any], *, waits: bool = False) -> None:
        """Say of the operation at a path that it meets nobody: what it does depends on the
        variables of its instance and on nothing else, unless it may look at the clock.

        `waits`: it takes its time. One that does not may stand between those of a kind, unless it
        may look at all variables: what came is one of them.
        """
        if _has(entry, _CLOCK):
            return
        number = _number(path)
        self._alone.add(number)
        if not (waits or entry.get("tests") or _has(entry, _ALL_VARIABLES)):
            self._between.add(number)
            self._named |= _names(entry)

    def meet_nobody(self, operations: int) -> bool:
        """Return whether all of so many operations have said that."""
        return len(self._alone) == operations

    def makers(self) -> list[tuple[int, ArgumentMaker]]:
        """Return those of all operations in their order, with the operation's number."""
        return [(number, one) for number in sorted(self.made) for one in self.made[number]]

    def cover(self, kind: str, operations: int) -> bool:
        """Return whether all of so many operations have said so, and are of one kind."""
        are_constant = not (self._constants and self._does_more)
        are_all = len(self._said) == operations and set(self._said.values()) == {kind}
        return are_all and are_constant

    def reckoning(self, kinds: Collection[str], operations: int) -> frozenset[int] | None:
        """Return the operations of so many that meet nobody, if all others are of these kinds, and
        each of these has some; None if that can't be.

        A variable that they name is not constant.
        """
        are_all = len(self._said) + len(self._between) == operations
        if not are_all or self.kinds != set(kinds):
            return None
        are_constant = not (self._constants & self._named or (self._constants and self._does_more))
        return frozenset(self._between) if are_constant else None

    @property
    def kinds(self) -> frozenset[str]:
        """Whose operations go the usual way."""
        return frozenset(self._said.values())

    def kind_of(self, number: int) -> str | None:
        """Return which kind is to follow an operation, None of one that meets nobody."""
        return self._said.get(number)

    def _is_same(self, value: Any) -> bool:
        """Return whether a value is the same in all instances."""
        turns.walked()
        if isinstance(value, Mapping):
            return all(map(self._is_same, value.values()))
        if isinstance(value, list):
            return all(map(self._is_same, value))
        if not is_expression(value):
            return True
        if len(value) > _MOST_RECKONED or not _RECKONING.fullmatch(value):
            is_short = len(value) <= _MOST_RECKONED
            self._does_more |= not (is_short and PUT_TOGETHER.fullmatch(value))
            return False
        names = _NAMES.findall(value)
        if not all(map(self._is_constant, names)):
            return False
        self._constants.update(names)
        return True

    def _is_constant(self, name: str) -> bool:
        return name in self._plain and not isinstance(self._plain[name], Mapping)


def _names(entry: Any) -> set[str]:
    """Return the variables that the texts in an entry name."""
    found: list[str] = []
    _collect(entry, found, is_any=True)
    return {name for text in found for name in _NAMES.findall(text)}


def _number(path: str) -> int:
    return int(path.removeprefix(_LEAD).removesuffix("]"))


def _has(value: Any, pattern: re.Pattern[str]) -> bool:
    """Return whether one of the texts in a value has a match, as far as that is certain."""
    turns.walked()
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list):
        return any(_has(one, pattern) for one in value)
    if not isinstance(value, str):
        return False
    return len(value) > _MOST_RECKONED or pattern.search(value) is not None


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return value.keys() == {"$sequence"} and not _has_expression(value)
    return isinstance(value, str | int | float) and not is_expression(value)


def _has_expression(value: Any) -> bool:
    found: list[str] = []
    _collect(value, found)
    return bool(found)


def _variable_of(value: Any) -> str | None:
    """Return the variable that is the only expression in a value."""
    found: list[str] = []
    _collect(value, found)
    match = _VARIABLE.fullmatch(found[0]) if len(found) == 1 else None
    return None if match is None else match.group(1)


def _collect(value: Any, found: list[str], *, is_any: bool = False) -> None:
    """Add the expressions in a value; `is_any`: all texts."""
    turns.walked()
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list):
        for one in value:
            _collect(one, found, is_any=is_any)
    elif is_expression(value) or (is_any and isinstance(value, str)):
        found.append(value)


# -- what expressions read of what came ----------------------------------------------------------


def lookups_of(text: str) -> list[Lookup] | None:
    """Return what an expression reads of `$i`, None where that is not certain."""
    if len(text) > _LONGEST or "__INBOUND" in text or not _CERTAIN.fullmatch(text):
        return None
    return [
        tuple(word or quoted for word, quoted in _KEYS.findall(path))
        for path in _PATHS.findall(text)
    ]


def heard(
    log: Iterable[tuple[int, Mapping[str, Any]]], lookups: Collection[Lookup]
) -> dict[int, Mapping[str, Any]]:
    """Return what came, by the operation that has taken it.

    Errors: ValueError if something is read that has members.
    """
    found: dict[int, Mapping[str, Any]] = {}
    for position, received in log:
        if position in found:
            raise ValueError("an operation that takes something twice")
        found[position] = received
        for path in lookups:
            value: Any = received
            for name in path:
                value = value.get(name) if isinstance(value, Mapping) else None
            if isinstance(value, Mapping | list):
                raise ValueError("what is read has members")
    return found
