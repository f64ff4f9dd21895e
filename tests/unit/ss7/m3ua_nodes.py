"""SIGTRAN networks over real TCP in one process, for tests that connect some of them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tsvc.clock import SYSTEM_CLOCK, Clock
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.links import LinkConfig, NodeConfig
from tsvc.ss7.network import SigtranNetwork

HANG_GUARD_S = 60.0


class Node:
    """A network, and the messages that it has received."""

    def __init__(
        self, opc: int, links: list[LinkConfig], clock: Clock = SYSTEM_CLOCK, **node: object
    ) -> None:
        self.got: list[tuple[bytes, Address, Address, object]] = []
        self.returned: list[tuple[bytes, int]] = []
        self.lost: list[str] = []
        self.network = SigtranNetwork(
            NodeConfig(opc, **node),
            links,
            clock,
            lambda *message: self.got.append(message),
            lambda octets, cause, *_: self.returned.append((octets, cause)),
            lambda link, reason: self.lost.append(reason),
        )

    def send(self, octets: bytes, called: Address, route: object = None, tid: int = 0) -> "Call":
        call = Call(tid, route)
        calling = Address(ri=1, ssn=8)
        self.network.transmit(Outgoing(octets, called, calling, route, call))
        return call

    def octets(self) -> list[bytes]:
        return [octets for octets, *_ in self.got]


class Call:
    """The part of a dialogue that a network uses."""

    def __init__(self, tid: int, route: object) -> None:
        self.otid = bytes((0, 0, 0, tid))
        self.route = route


@pytest.fixture
def make() -> Iterator[Callable[..., Node]]:
    """A function that makes and starts nodes with a point code and links.

    The nodes are killed after the test.
    """
    made: list[Node] = []

    def make(opc: int, *links: LinkConfig, **node: object) -> Node:
        made.append(Node(opc, list(links), **node))
        made[-1].network.start()
        return made[-1]

    yield make
    for node in made:
        node.network.kill()


def listening(name: str = "port", port: int = 0, role: Role = Role.SGP, **more) -> LinkConfig:
    return LinkConfig(name, "listen", role, "127.0.0.1", port, **more)


def connecting(name: str, port: int, role: Role = Role.ASP, **more) -> LinkConfig:
    return LinkConfig(name, "connect", role, "127.0.0.1", port, **more)


def is_up(node: Node, links: int = 1) -> Callable[[], bool]:
    return lambda: node.network.counters["links_active"] == links


def link_of(node: Node) -> Any:
    """Return the only live link of a node of one connection."""
    ((link,),) = [connection.live for connection in node.network._connections.values()]
    return link


def to(pc: int) -> Address:
    return Address(ri=1, ssn=146, pc=pc)
