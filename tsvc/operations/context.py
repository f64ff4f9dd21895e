"""What an instance has beside its variables: the run it is of, and the sessions it has opened."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from tsvc.gateways.gateway import Gateway
from tsvc.values import dataclass

Came = TypeVar("Came")
G = TypeVar("G", bound=Gateway)


@dataclass(frozen=True)
class RunContext:
    """What all instances of a run share: params and gateways. Made once per run."""

    params: Mapping[str, Any]
    gateways: Mapping[str, Gateway]

    def gateway(self, class_: type[G], selection: str) -> G:
        """Return the gateway of a selection that was needed: of its kind's class, or what stands
        in for it, a class from outside with the same calls.
        """
        return cast(G, self.gateways[selection])


class Session(Generic[Came]):
    """What operations open and an instance holds to its end: a dialogue, requests on their way.

    `Came`: what comes of it, as its kind has it.

    In this order the instance asks for what came and nobody took, has it count what comes from
    then on, and closes it.
    """

    __slots__ = ()

    name: str

    @property
    def is_open(self) -> bool:
        """Whether it still has something: a dialogue, an address, a request on its way."""
        raise NotImplementedError

    @property
    def may_hear(self) -> bool:
        """Whether a message may still come to it, one that nobody asked for included."""
        return self.is_open

    def leftovers(self) -> Sequence[Came]:
        """Take what came and no operation took."""
        raise NotImplementedError

    def describe(self, inbound: Came) -> str:
        """Say what came, for people."""
        raise NotImplementedError

    def unsent(self) -> str | None:
        """Name what an operation prepared for a next message that never left; None: nothing."""
        return None

    def tell_late(self, tell: Callable[[], None]) -> None:
        """Call `tell` for each message that comes from now on, where one can be told from others.

        It may come long after the instance: keep nothing of the instance for it. Nothing is told
        where what opened it takes nothing any more.
        """

    def close(self) -> str | None:
        """End it as a peer expects; return how, None if there was nothing to end."""
        raise NotImplementedError

    def abort(self) -> None:
        """End it at once: the run was cancelled."""
        raise NotImplementedError
