"""The peers of the kinds of gateways, found as the kinds are: tests/kinds/<kind>/peer.py.

Each such module has a class `Peer`, all that tests for every kind have to know of one: a real
peer to talk to, a configuration and operations that ask it for something, and a table for
definitions that are checked and never run. Who adds a kind adds a folder here, nothing else.
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
    """Patterns of the reasons with which instances abort."""

    deadline: str
    cut: str
    garbage: str
    lost: str
    exhausted: str = ""  # no pool, nothing to exhaust


class Peer(Protocol):
    """One kind, its real peer and a definition that asks it for something.

    Tokens are "1" to "9"; an answer tells the token that was asked for, and the operations check
    it, as far as the protocol has a place for that.
    """

    is_reversed: ClassVar[bool]
    """The peer connects to the gateway."""

    texts: ClassVar[Texts]

    params: ClassVar[Mapping[str, Any]]
    """Of ExecuteTest."""

    application: ClassVar[tuple[str, Members] | None]
    """Name and members of an instance to which nobody answers, for definitions that are compiled
    and never run; None: every service of these tests has one already."""

    def run(self) -> AbstractContextManager[Address]:
        """Run the peer for the length of a block; of a reversed kind, the peer that connects
        comes with answer_at()."""

    def answer_at(self, port: int) -> AbstractContextManager[None]:
        """Run the peer that connects to this port; only a reversed kind has this."""

    def members(self, port: int, seconds: float) -> Members:
        """Return the configuration: the peer (or we) at this port, deadlines, two connections."""

    def operations(self, token: str, seconds: float) -> list[Members]:
        """Return operations that ask once."""


def kinds_with_peers() -> list[str]:
    """Return the kinds of the tree, each of which must have a peer, and those from outside whose
    package brings a folder `kinds` on the path, with `<kind>/peer.py` in it."""
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
    """Return {name: (kind, members)} with an instance of every kind, which nobody answers."""
    found = {kind: peer_of(kind).application for kind in kinds_with_peers()}
    return {one[0]: (kind, one[1]) for kind, one in found.items() if one is not None}
