"""The variables that an expression sees (Environment) and the state of one evaluation (Frame)."""

from collections.abc import Callable, Iterator, Sequence
from sys import getsizeof
from typing import Protocol

from tsvc.errors import ExpressionFailed
from tsvc.expr.values import Value, to_text
from tsvc.values import dataclass

STEPS_MAX = 100_000
OCTETS_MAX = 16 * 1024 * 1024
TICK_STEPS = 1_000
# Shorter texts are not counted one by one: the limit on steps bounds them well enough.
SMALL_TEXT = 64
PIECE = 1 << 15  # characters worked on in one go, at some nanoseconds each


@dataclass(slots=True)
class Environment:
    """The variables of one Test Instance, and the outside functions that its expressions may use.

    v, i, g, r: the dicts behind $v, $i, $g and $r; expressions change them in place.
    random:     next number of the instance's own sequence, 0.0 <= n < 1.0.
    now:        seconds since the epoch, for `time`.
    tick:       called each 1,000 steps of a long evaluation, and when `made` reaches `look_at`;
                may yield the processor, may raise.
    made:       octets of memory that evaluations have made, roughly; most are free again.
    look_at:    the value of `made` at which tick is called; tick must set it higher.
    undefined:  called with the path and the source of an expression in what is sent that has no
                value; may raise.
    """

    v: dict[str, Value]
    i: dict[str, Value]
    g: dict[str, Value]
    r: dict[str, Value]
    random: Callable[[], float]
    now: Callable[[], float]
    tick: Callable[[], None] | None = None
    made: int = 0
    look_at: int = 0
    undefined: Callable[[str, str], None] | None = None

    def make(self, octets: int) -> None:
        """Count memory about to be made."""
        self.made += octets
        if self.made >= self.look_at and self.tick is not None:
            self.tick()


class Groups(Protocol):
    """The part of a regular expression match that outlives it."""

    def group(self, index: int, /) -> str | None:
        """Return the text of a group, None if it took no part."""

    def groups(self) -> Sequence[str | None]:
        """Return the texts of all groups from 1."""


class Frame:
    """One evaluation: the environment, `my` variables, captures, and the two budgets."""

    __slots__ = ("check_at", "env", "g", "i", "match", "octets", "r", "slots", "steps", "v")

    def __init__(self, env: Environment, slot_count: int) -> None:
        self.env = env
        self.v = env.v
        self.i = env.i
        self.g = env.g
        self.r = env.r
        self.slots: list[Value] = [None] * slot_count
        self.match: Groups | None = None
        self.steps = 0
        self.octets = 0
        self.check_at = TICK_STEPS

    def step(self, count: int) -> None:
        """Count steps; raise ExpressionFailed over the limit, call tick now and then."""
        self.steps += count
        if self.steps >= self.check_at:
            self._check()

    def _check(self) -> None:
        if self.steps > STEPS_MAX:
            raise ExpressionFailed(f"the expression takes more than {STEPS_MAX} steps")
        self.check_at = self.steps - self.steps % TICK_STEPS + TICK_STEPS
        self.env.made += TICK_STEPS * SMALL_TEXT
        if self.env.tick is not None:
            self.env.tick()

    def use(self, octets: int) -> None:
        """Count memory about to be made, and the time to make it."""
        self.octets += octets
        if self.octets > OCTETS_MAX:
            raise ExpressionFailed(f"the expression uses more than {OCTETS_MAX >> 20} MiB")
        self.env.make(octets)
        self.step(octets >> 10)

    def count_text(self, text: str) -> str:
        """Count a text just made, and return it."""
        if len(text) > SMALL_TEXT:
            self.use(getsizeof(text))
        return text

    def count_list(self, items: list[Value]) -> list[Value]:
        """Count a list just made, and return it."""
        self.step(len(items))
        return items

    def scan(self, text: str) -> None:
        """Count the time to read through a text: a step for each 64 octets."""
        if len(text) > SMALL_TEXT:
            self.step(getsizeof(text) >> 6)

    def pause(self) -> None:
        """Yield in the middle of work that is already counted."""
        if self.env.tick is not None:
            self.env.tick()

    def pieces(self, text: str) -> Iterator[str]:
        """Yield a text in pieces, between which others may run."""
        for at in range(0, len(text), PIECE):
            if at:
                self.pause()
            yield text[at : at + PIECE]

    def texts(self, values: list[Value], between: str = "") -> list[str]:
        """Return values as texts that are about to be joined; the joined text is counted."""
        found: list[str] = []
        octets = len(between) * len(values)
        for at in range(0, len(values), PIECE >> 3):
            if at:
                self.pause()
            found += [to_text(value) for value in values[at : at + (PIECE >> 3)]]
        octets += sum(map(len, found))
        if octets > SMALL_TEXT:
            self.use(octets)
        return found
