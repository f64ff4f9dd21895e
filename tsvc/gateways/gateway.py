"""What a gateway is: a named application instance of the daemon, written in the blocking style.

Its class stands in the part `gateway` of a kind (tsvc.kind) and is registered under its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from typing import Any, ClassVar, TypeVar

from tsvc.clock import Clock
from tsvc.errors import Problem
from tsvc.kind import parts
from tsvc.registry import Registry
from tsvc.schema.table import Table
from tsvc.values import dataclass

S = TypeVar("S")


class GatewayState(Enum):
    """Where a gateway is in its life."""

    DOWN = "down"
    CONNECTING = "connecting"
    UP = "up"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True)
class GatewayStatus:
    """What DescribeService and `tsvc status` show of a gateway.

    `counters` only rise while the gateway lives, but for those that `levels` names: how many there
    are of something now.
    """

    name: str
    kind: str
    state: GatewayState
    detail: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)
    levels: frozenset[str] = frozenset()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "kind": self.kind,
            "state": self.state.value,
            "detail": self.detail,
            "counters": dict(self.counters),
            "levels": [name for name in self.counters if name in self.levels],
        }


@dataclass(frozen=True, slots=True)
class GatewayContext:
    """What the daemon gives every gateway: time, chance, and what else runs in it, by class."""

    clock: Clock
    random: Callable[[], float]
    services: tuple[object, ...] = ()

    def service(self, class_: type[S]) -> S | None:
        """Return what runs in this daemon of a class that a kind knows, None if nothing does."""
        return next((one for one in self.services if isinstance(one, class_)), None)


class Gateway:
    """A gateway. `config` is what Config.load() made of the application's table.

    A subclass says of which class its `config` is.
    """

    kind: ClassVar[str]
    Config: ClassVar[type[Table]]
    config: object

    def __init__(self, name: str, config: object, context: GatewayContext) -> None:
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

    def alone(self) -> str | None:
        """Return why two processes can't have this gateway side by side, None if they can."""
        return None

    def relay(self) -> str | None:
        """Return the folder by which other processes of this machine use it once it is started;
        None: they can't.
        """
        return None

    def listens(self) -> bool:
        """Whether peers connect to it: then no address of its own helps."""
        return False

    def problems(self, params: Mapping[str, Any]) -> list[Problem]:
        """Return what is wrong with the params of a run that would use this gateway."""
        return []

    def status(self) -> GatewayStatus:
        """Say how it is; never blocks."""
        raise NotImplementedError


GATEWAYS: Registry[type[Gateway]] = Registry("gateway", near=parts("gateway"))


def gateway(kind: str) -> Callable[[type[Gateway]], type[Gateway]]:
    """Register the gateway class of a kind."""

    def register(class_: type[Gateway]) -> type[Gateway]:
        class_.kind = kind
        return GATEWAYS.register(kind, class_)

    return register
