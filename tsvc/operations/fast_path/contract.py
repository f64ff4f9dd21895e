"""The interfaces between the engine and the kinds of gateway for instances on the fast path."""

from collections.abc import Callable, Container, Mapping
from typing import Any, Protocol

from tsvc.clock import Clock
from tsvc.errors import ExpressionError, LocalProtocolError
from tsvc.expr.environment import Environment
from tsvc.gateways.gateway import Gateway
from tsvc.operations.context import RunContext, Session

# Called once an ordinary instance is live: delivers a message or event that has come meanwhile.
Pending = Callable[[], object]

# Errors that mean: this instance is executed the ordinary way.
NOT_RECORDABLE = (ValueError, ExpressionError, LocalProtocolError)


class Replayed(Protocol):
    """An instance on the fast path, as the engine sees it. Times are monotonic: Clock.now().

    pending: called once the ordinary instance is live; None: the instance has not fallen back.
    """

    idx: int
    planned_at: float
    started_at: float
    finished_at: float
    pending: list[Pending] | None

    @property
    def position(self) -> int:
        """Index of the operation that waits."""

    def fall_back(self, then: Pending | None = None) -> None:
        """Create the ordinary instance, which continues; `then` is called once it is live.

        Never switches.
        """

    def past(self) -> "AnyReplay":
        """Return the past of an instance that is over."""

    def forget(self) -> None:
        """Release the dialogues: the ordinary instance has ended before it became live."""

    def carriers_spoke(self) -> bool:
        """Return True if a link has kept messages of its own since the instance began."""


class Recorded(Protocol):
    """The members of an ordinary instance that are read in order to record it."""

    idx: int
    planned_at: float
    started_at: float
    dialogues: list[Session[Any]]

    @property
    def messages(self) -> list[Any] | None:
        """The messages kept; None if no messages are kept."""


class AnyReplay(Protocol):
    """The past of an instance: replayed to an ordinary instance as if its peers acted.

    on_live:      called where the past ends and the instance is live, before messages that came
                  later are delivered.
    note_latency: called for each wait for a peer: index of the operation, whose wait, seconds.
    position:     returns the index of the operation that the instance performs.
    received:     the contents that operations have taken, with their indexes; the engine sets it
                  if expressions read it.
    """

    clock: Clock
    on_live: Callable[[], None]
    note_latency: Callable[[int, str, float], None]
    position: Callable[[], int]
    received: Any
    is_live: bool

    def forget(self) -> None:
        """Release the callbacks."""

    def leave_past(self) -> float:
        """Switch to the real time; return how long ago the past ended, in seconds."""

    def gateways(self, real: Mapping[str, Gateway]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""


class Host(Protocol):
    """The run, as the fast path sees it.

    note_late: counts a message that came when its instance was over. Keep only this function, not
               the host.
    """

    clock: Clock
    context: RunContext
    keeps_messages: bool
    note_late: Callable[[], None]

    def sequence(self, name: str) -> Callable[[int], str] | None:
        """Return a function that makes the digits of a variable from the index of an instance.

        None if the variable is no sequence of digits, or if another variable is more than a
        constant.
        """

    def variables(self, idx: int, started_at: float) -> Environment:
        """Return the environment of the expressions of an instance. Errors: ExpressionFailed."""

    def precompute(
        self,
        idx: int,
        started_at: float,
        local: Container[int],
        meet: Callable[[int, Environment], None],
    ) -> None:
        """Perform the `local` operations of an instance, which meet no peer, in their order; call
        meet(position, variables) for each other operation. Never switches.

        Errors: ExpressionFailed, ValueError if an ordinary instance has to perform them.
        """

    def wall_at(self, moment: float) -> float:
        """Return the wall time of a moment."""

    def note_latency(self, idx: int, position: int, name: str, seconds: float) -> None:
        """Count a wait for a peer of an instance."""

    def finished(self, instance: Any) -> None:
        """Count an instance that has passed on the fast path."""

    def fall_back(self, instance: Any, replay: Any, why: str) -> None:
        """Start the ordinary instance in place of an instance that falls back. Never switches."""

    def replay(self, replay: Any, idx: int, planned_at: float) -> Recorded | None:
        """Return an instance made from a past that is over; the instance is not counted.

        None if the instance did not pass. Never switches.
        """
