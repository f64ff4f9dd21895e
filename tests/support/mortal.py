"""Peers of each kind that can be killed and started again on their port: silent, or answering."""

import contextlib
import importlib
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import pytest

from support.ports import free_port

Operations = list[dict[str, Any]]

# How long a silent peer does not answer: longer than any test takes.
NEVER_S = 600


@dataclass
class Mortal:
    """A peer.

    `gateway`: the application that talks to it; `held`: the counter of waiting instances. `wait`:
    operations that never end with a silent peer; `quick`: operations that an answering peer
    completes. `reason`: the reason of an instance that waited when the peer died.
    """

    folder: Path
    port: int = field(default_factory=free_port)
    life: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    gateway: ClassVar[str] = "PEER"
    held: ClassVar[str] = "in_use"
    reason: ClassVar[str]
    wait: ClassVar[Operations]
    quick: ClassVar[Operations]

    def __post_init__(self) -> None:
        self.prepare()

    def prepare(self) -> None:
        """Prepare the peer once, before the first start."""

    @property
    def table(self) -> str:
        """The table of the application."""
        raise NotImplementedError

    def start(self, *, is_silent: bool) -> None:
        raise NotImplementedError

    def kill(self) -> None:
        """Kill the peer."""
        self.life.close()


def mortal_of(kind: str, folder: Path) -> Mortal:
    """Return the peer of a kind: class Peer of tests/kinds/<kind>/mortal.py.

    Without this module the test fails.
    """
    module = f"kinds.{kind}.mortal"
    if find_spec(module) is None:
        pytest.fail(f"kind {kind} has no tests/kinds/{kind}/mortal.py", pytrace=False)
    made: Mortal = importlib.import_module(module).Peer(folder)
    return made
