"""Decides which operations of a definition may be on the fast path, and why others may not.

An instance can be replayed if its actions depend only on its variables and on what it receives. So
operations declare, when a definition is compiled, that they may be replayed:

* operations that send: their arguments may have expressions; the rest of the entry must be the
  same in all instances.
* operations that expect: expected values may have expressions, if the kind can make octets of
  them; the rest must be the same in all instances.
* operations that meet no peer (`eval`, `branch`, `log`, `pass`, `fail`, `abort`, `wait`, `halt`).

The trees of the expressions tell what they read (`Expression.uses`). No expression may read the
clock or `$g`. `$i` may be read by constant paths: the content of a message is the same in all
instances that replay it. A value is the same in all instances if it has no expression, or one that
only reads constants of `vars`, which nothing sets.

An operation that declares nothing makes all instances of the definition ordinary.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tsvc import turns
from tsvc.errors import ExpressionSyntaxError
from tsvc.expr.expression import Uses, compile_expression
from tsvc.expr.kpath import compile_kpath
from tsvc.expr.template import is_expression
from tsvc.operations.fast_path.slots import Expressions, SlotSource
from tsvc.values import dataclass

Lookup = tuple[str, ...]  # below $i

_LEAD = "operations["


@dataclass(frozen=True, slots=True)
class Argument:
    """A value of an entry with expressions: a sent argument, or an expected value.

    encode: encode(value without expressions, what the kind adds) -> octets; None or NOT_RECORDABLE
            if there are none.
    what:   what the kind has to know about the value.
    """

    given: Any
    encode: Callable[[Any, Any], bytes | None]
    is_expected: bool = False
    what: Any = None

    def source(self, position: int, added: Any) -> SlotSource:
        """Return the source of its slot. Errors: ValueError if it has no expressions."""
        expressions = Expressions(self.given, is_expected=self.is_expected)
        encode = self.encode
        return SlotSource(
            position,
            expressions,
            lambda values: encode(expressions.given_with(values), added),
            self.is_expected,
        )


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason why an operation can't be on the fast path; -1: the definition as a whole."""

    operation: int
    why: str


class Eligibility:
    """The declarations of the operations of one definition; `given`: its `vars`."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        # Arguments with expressions, by operation: sent ones, and expected ones.
        self.sent: dict[int, list[Argument]] = {}
        self.expected: dict[int, list[Argument]] = {}
        self.lookups: frozenset[Lookup] = frozenset()  # paths of $i that expressions read
        self.reasons: list[Reason] = []  # why not; complete after finish()
        self.local: set[int] = set()  # operations that meet no peer
        self.between: set[int] = set()  # those of them that take no time and test nothing
        self._kinds: dict[int, str] = {}  # by operation
        self._why: dict[int, str] = {}
        self.are_sequences = False  # all `vars` but constants are sequences of digits
        self._vars = given
        # Values of an operation that must be the same in all instances.
        self._same: list[tuple[int, Any]] = []

    # -- for operations ------------------------------------------------------------------------

    def allow(
        self,
        kind: str,
        path: str,
        entry: Mapping[str, Any],
        *,
        sent: Iterable[Argument] = (),
        expected: Iterable[Argument] = (),
    ) -> None:
        """Declare that the operation at a path may be replayed.

        entry: the entry without `sent` and `expected`: it must be the same in all instances.
        """
        number = _number(path)
        if entry.get("optional"):
            self._why[number] = "it is optional"
            return
        if any(one.get("type") == "timestamp" for one in entry.get("tests") or () if one):
            self._why[number] = "a test looks at the clock"
            return
        self._kinds[number] = kind
        self._same.append((number, entry))
        for arguments, found in ((sent, self.sent), (expected, self.expected)):
            for one in arguments:
                if _has_expression(one.given):
                    found.setdefault(number, []).append(one)

    def allow_local(
        self, path: str, entry: Mapping[str, Any], *, takes_time: bool = False
    ) -> None:
        """Declare that the operation at a path meets no peer.

        takes_time: it waits; then it can't be between operations that meet peers.
        """
        number = _number(path)
        reason = next(filter(None, map(_reason_of_test, entry.get("tests") or ())), "")
        if reason:
            self._why[number] = reason
            return
        self.local.add(number)
        if not (takes_time or entry.get("tests")):
            self.between.add(number)

    def refuse(self, path: str, why: str) -> None:
        """Declare why the operation at a path can't be replayed."""
        self._why.setdefault(_number(path), why)

    # -- for the run ---------------------------------------------------------------------------

    def finish(self, types: Sequence[str], noted: Iterable[tuple[str, Uses]]) -> None:
        """Decide, by the `types` of all operations and the path and uses of each expression."""
        sets = {
            name for _, uses in noted for root, name in uses.sets | uses.changed if root == "v"
        }
        any_set = any("v" in uses.sets_any | uses.whole for _, uses in noted)
        self.are_sequences = all(
            is_sequence(value) or (isinstance(value, str | int) and not is_expression(value))
            for value in turns.over(self._vars.values())
        )
        lookups: set[Lookup] = set()
        why = self._why
        for path, uses in turns.over(noted):
            number = _number(path) if path.startswith(_LEAD) else -1
            reason = _reason(uses)
            if reason and number < 0:
                # Variables are made once, when an instance starts: they may read the clock.
                if "g" in uses.roots:
                    why.setdefault(-1, f"{path}: {reason}")
            elif reason:
                why.setdefault(number, reason)
            lookups |= uses.inbound
        for number, entry in self._same:
            named = _names(entry)
            if (
                named is None
                or (named and any_set)
                or named & sets
                or not all(_is_plain(self._vars.get(name)) for name in named)
            ):
                why.setdefault(number, "a part of it that is not an argument differs")
        for number, type_ in turns.over(enumerate(types)):
            if number not in self._kinds and number not in self.local:
                why.setdefault(number, f"{type_} can't be replayed")
        self._same.clear()
        self.lookups = frozenset(lookups)
        self.reasons = [Reason(number, text) for number, text in sorted(why.items())]

    @property
    def is_local(self) -> bool:
        """True if no operation meets a peer, and all of them may be replayed."""
        return not self._kinds and not self.reasons

    def sent_by(self, kind: str) -> dict[int, list[Argument]]:
        """Return the arguments with expressions that operations of a kind send."""
        return {at: found for at, found in self.sent.items() if self._kinds.get(at) == kind}

    def expected_by(self, kind: str) -> dict[int, list[Argument]]:
        """Return the values with expressions that operations of a kind expect."""
        return {at: found for at, found in self.expected.items() if self._kinds.get(at) == kind}

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of operations that may be replayed."""
        return frozenset(self._kinds.values())

    def kind_of(self, number: int) -> str | None:
        """Return the kind of an operation, None for one that meets no peer."""
        return self._kinds.get(number)

    def why_not(self) -> list[Reason]:
        """Return why instances that meet peers can't be replayed; empty if they can."""
        return [
            *self.reasons,
            *(
                Reason(number, "it takes time, or tests, between messages")
                for number in sorted(self.local - self.between)
                if self._kinds
            ),
        ]


def _reason(uses: Uses) -> str:
    """Return why an expression keeps an instance off the fast path, "" if it does not."""
    if uses.clock:
        return "an expression reads the clock"
    if "g" in uses.roots:
        return "an expression reads or sets $g"
    if "i" in uses.whole:
        return "an expression reads $i otherwise than by a constant path"
    if "v" in uses.whole and "v" in uses.roots:
        return "an expression reads all of $v, where what came is too"
    return ""


def _reason_of_test(test: Any) -> str:
    """Return why a test of variables keeps an instance off the fast path, "" if it does not."""
    kpath = test.get("kpath") if isinstance(test, Mapping) else None
    if not isinstance(kpath, str) or is_expression(kpath):
        return "a test whose kpath is computed"
    if test.get("type") == "timestamp":
        return "a test looks at the clock"
    try:
        names = compile_kpath(kpath).names
    except ExpressionSyntaxError:
        return "a test whose kpath is wrong"
    if names[:1] == ("r",) and names[1:2] not in (("idx",), ("run_id",), ("seed",)):
        return "a test looks at the clock"
    if names[:1] in ((), ("g",), ("i",), ("__INBOUND",)) or names[:2] == ("v", "__INBOUND"):
        return "a test looks at $g, or at what came"
    return ""


def _number(path: str) -> int:
    return int(path.removeprefix(_LEAD).partition("]")[0])


def is_sequence(value: Any) -> bool:
    """Return True if a value of `vars` is a sequence of numbers with so many digits each."""
    options = value.get("$sequence") if isinstance(value, dict) else None
    return isinstance(options, dict) and bool(options.get("width"))


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not is_expression(value)


def _has_expression(value: Any) -> bool:
    turns.walked()
    if isinstance(value, Mapping):
        return any(map(_has_expression, value.values()))
    if isinstance(value, list):
        return any(map(_has_expression, value))
    return is_expression(value)


def _names(value: Any) -> set[str] | None:
    """Return the variables of $v that the expressions in a value read; None if the expressions do
    anything else."""
    turns.walked()
    if isinstance(value, Mapping | list):
        found: set[str] = set()
        for item in value.values() if isinstance(value, Mapping) else value:
            names = _names(item)
            if names is None:
                return None
            found |= names
        return found
    if not is_expression(value):
        return set()
    try:
        uses = compile_expression(value[1:-1]).uses
    except ExpressionSyntaxError:
        return None
    if uses.calls or uses.sets or uses.roots - {"v"} or uses.whole:
        return None
    return {name for _, name in uses.named}
