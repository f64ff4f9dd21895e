"""A gateway: a named application instance of the daemon, written in the blocking style.

Its class is in the module `gateway` of a kind (tsvc.kind) and is registered under the kind's name.
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
    """The states of a gateway."""

    DOWN = "down"
    CONNECTING = "connecting"
    UP = "up"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True)
class GatewayStatus:
    """The data of a gateway that DescribeService and `tsvc status` show.

    `counters` only rise while the gateway lives, except those that `levels` names: the current
    number of something.
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
    """The environment of a gateway: a clock, random numbers, the daemon's services by class."""

    clock: Clock
    random: Callable[[], float]
    services: tuple[object, ...] = ()
    takes_free_ports: bool = False  # gateways listen on any free port, not on the configured one

    def service(self, class_: type[S]) -> S | None:
        """Return the daemon's service of a class that a kind knows, None if there is none."""
        return next((one for one in self.services if isinstance(one, class_)), None)


class Gateway:
    """A gateway. `config` is the result of Config.load() for the application's table.

    A subclass declares the class of its `config`.
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
        """Refuse new work, wait for work up to grace_s, close properly. Blocks up to grace_s."""
        raise NotImplementedError

    def kill(self) -> None:
        """Close at once; never raises, in any state."""
        raise NotImplementedError

    def alone(self) -> str | None:
        """Return why two processes can't have this gateway at the same time, None if they can."""
        return None

    def relay(self) -> str | None:
        """Return the folder by which other processes of this machine use the gateway once it is
        started; None if they can't.
        """
        return None

    def listens(self) -> bool:
        """Return True if peers connect to it: then an address of its own does not help."""
        return False

    def own_port(self) -> int:
        """Return the port that peers connect to, 0 if there is none."""
        return 0

    def problems(self, params: Mapping[str, Any]) -> list[Problem]:
        """Return the problems of the params of a run that would use this gateway."""
        return []

    def status(self) -> GatewayStatus:
        """Return the status; never blocks."""
        raise NotImplementedError


GATEWAYS: Registry[type[Gateway]] = Registry("gateway", near=parts("gateway"))


def gateway(kind: str) -> Callable[[type[Gateway]], type[Gateway]]:
    """Register the gateway class of a kind."""

    def register(class_: type[Gateway]) -> type[Gateway]:
        class_.kind = kind
        return GATEWAYS.register(kind, class_)

    return register
