"""The peers of the kinds of gateways, found like the kinds: tests/kinds/<kind>/peer.py.

Each such module has a class `Peer` with everything that tests for all kinds need. That is a real
peer, a configuration and operations that ask it, and an application for definitions that are
checked and never run. A new kind adds only a folder here.
"""

import importlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Protocol

import pytest

from tsvc.kind import kinds

Members = dict[str, Any]
Address = tuple[str, int]

TOKENS = [str(number) for number in range(1, 10)]
NOBODY: Members = {"remote_host": "127.0.0.1", "remote_port": 9}  # the discard port


@dataclass(frozen=True)
class Texts:
    """Patterns of the reasons for which instances abort."""

    deadline: str
    cut: str
    garbage: str
    lost: str
    exhausted: str = ""  # empty: the kind has no pool that can be exhausted


class Peer(Protocol):
    """One kind, its real peer and a definition that asks the peer.

    Tokens are "1" to "9". An answer contains the requested token, and the operations check it if
    the protocol has a place for it.
    """

    is_reversed: ClassVar[bool]
    """True if the peer connects to the gateway."""

    texts: ClassVar[Texts]

    params: ClassVar[Mapping[str, Any]]
    """Params of ExecuteTest."""

    application: ClassVar[tuple[str, Members] | None]
    """Name and members of an application without a peer, for definitions that are compiled and
    never run; None: every service of these tests already has one."""

    def run(self) -> AbstractContextManager[Address]:
        """Run the peer while a block runs; for a reversed kind, answer_at() runs the connecting
        peer."""

    def answer_at(self, port: int) -> AbstractContextManager[None]:
        """Run the peer that connects to this port; only for a reversed kind."""

    def members(self, port: int, seconds: float) -> Members:
        """Return the configuration: peer (or gateway) at this port, deadlines, two connections."""

    def operations(self, token: str, seconds: float) -> list[Members]:
        """Return operations that send one request."""


def kinds_with_peers() -> list[str]:
    """Return the kinds that must have a peer.

    These are all kinds of the source tree. A kind from outside is included if its package has a
    folder `kinds` on the path, with `<kind>/peer.py` in it.
    """
    return [
        name
        for name, kind in kinds().items()
        if kind.package.startswith("tsvc.kinds.") or find_spec(f"kinds.{name}") is not None
    ]


def peer_of(kind: str) -> Peer:
    """Return the peer of a kind; without one, the test fails."""
    module = f"kinds.{kind}.peer"
    try:
        found: Peer = importlib.import_module(module).Peer()
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        pytest.fail(f"kind {kind} has no tests/kinds/{kind}/peer.py", pytrace=False)
    return found


def every_application() -> dict[str, tuple[str, Members]]:
    """Return {name: (kind, members)} with an application of every kind, without peers."""
    found = {kind: peer_of(kind).application for kind in kinds_with_peers()}
    return {one[0]: (kind, one[1]) for kind, one in found.items() if one is not None}
