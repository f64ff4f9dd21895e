"""What a gateway is: a named application instance of the daemon, written in the blocking style.

Its class stands in the part `gateway` of a kind (tsvc.kind) and is registered under its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Protocol

from tsvc.clock import Clock
from tsvc.errors import Problem
from tsvc.flow.flow import Flow
from tsvc.kind import parts
from tsvc.registry import Registry
from tsvc.schema.table import Table
from tsvc.scp.service import ScpService


class GatewayState(Enum):
    """Where a gateway is in its life."""

    DOWN = "down"
    CONNECTING = "connecting"
    UP = "up"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True)
class GatewayStatus:
    """What DescribeService and `tsvc status` show of a gateway."""

    name: str
    kind: str
    state: GatewayState
    detail: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "kind": self.kind,
            "state": self.state.value,
            "detail": self.detail,
            "counters": dict(self.counters),
        }


class Scp(Protocol):
    """A running SCP of this process, as a gateway and the runs that use it see it."""

    def receive(self, octets: bytes, called: Any, calling: Any, route: Any) -> None:
        """Take one message; the answers go to `route.send(outgoing, scp)`. Never raises."""

    def stop(self) -> None:
        """End all calls properly."""


@dataclass(frozen=True, slots=True)
class GatewayContext:
    """What the daemon gives every gateway: time, chance, and the embedded SCP if there is one.

    `scp_service()` returns the running SCP; `private_scp(flow)` makes one that runs only a flow.
    """

    clock: Clock
    random: Callable[[], float]
    scp_service: Callable[[], Scp | None] = lambda: None
    private_scp: Callable[[Flow], ScpService] | None = None


class Gateway:
    """A gateway. `config` is what Config.load() made of the application's table."""

    kind: ClassVar[str]
    Config: ClassVar[type[Table]]

    def __init__(self, name: str, config: Any, context: GatewayContext) -> None:
        self.name = name
        self.config = config
        self.context = context

    def start(self) -> None:
        """Begin to connect, in the background; starting twice changes nothing.

        Errors: GatewayError if it can never work (an address can't be bound).
        """
        raise NotImplementedError

    def stop(self, grace_s: float) -> None:
        """Take no new work, let work end for grace_s, close properly. Blocks up to grace_s."""
        raise NotImplementedError

    def kill(self) -> None:
        """Close at once; never raises, whatever the state."""
        raise NotImplementedError

    def problems(self, params: Mapping[str, Any]) -> list[Problem]:
        """Return what is wrong with the params of a run that would use this gateway."""
        return []

    def status(self) -> GatewayStatus:
        """Say how it is; never blocks."""
        raise NotImplementedError


GATEWAYS: Registry[type[Gateway]] = Registry("gateway", parts("gateway"))


def gateway(kind: str) -> Callable[[type[Gateway]], type[Gateway]]:
    """Register the gateway class of a kind."""

    def register(class_: type[Gateway]) -> type[Gateway]:
        class_.kind = kind
        return GATEWAYS.register(kind, class_)

    return register
