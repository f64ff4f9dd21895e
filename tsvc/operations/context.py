"""The context of an instance: what it shares with its run, and the sessions that it has opened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, TypeVar, cast

from tsvc.gateways.gateway import Gateway
from tsvc.values import dataclass

Came = TypeVar("Came")
G = TypeVar("G", bound=Gateway)


@dataclass(frozen=True)
class RunContext:
    """The params and gateways that all instances of a run share. Made once per run."""

    params: Mapping[str, Any]
    gateways: Mapping[str, Gateway]
    ports: Mapping[str, Any] = field(default_factory=dict)  # members of `$r`: Service.ports()

    def gateway(self, class_: type[G], selection: str) -> G:
        """Return the gateway of a selection that an operation needs. It is of its kind's class,
        or of an external class with the same methods.
        """
        return cast(G, self.gateways[selection])


class Session(Generic[Came]):
    """A session that operations open and an instance holds to its end: a dialogue, open requests.

    `Came`: the type of a received message, which depends on the kind.

    At its end the instance first reads the messages that no operation took, then makes the
    session count later messages, then closes it.
    """

    __slots__ = ()

    name: str

    @property
    def is_open(self) -> bool:
        """True if it still holds something: a dialogue, an address, a pending request."""
        raise NotImplementedError

    @property
    def may_hear(self) -> bool:
        """True if a message may still come to it, an unrequested one included."""
        return self.is_open

    def leftovers(self) -> Sequence[Came]:
        """Return, and forget, the received messages that no operation took."""
        raise NotImplementedError

    def describe(self, inbound: Came) -> str:
        """Return a description of a received message, for people."""
        raise NotImplementedError

    def unsent(self) -> str | None:
        """Return the name of a part that waited for a next message and was never sent, or None."""
        return None

    def tell_late(self, tell: Callable[[], None]) -> None:
        """Call `tell` for each message that comes from now on, if the session can identify it.

        Such a message may come long after the instance: keep no reference to the instance for it.
        `tell` is not called if the opener of the session accepts no messages any more.
        """

    def close(self) -> str | None:
        """End the session as a peer expects; return how, None if there was nothing to end."""
        raise NotImplementedError

    def abort(self) -> None:
        """End the session immediately: the run was cancelled."""
        raise NotImplementedError
