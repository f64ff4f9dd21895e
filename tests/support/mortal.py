"""Peers of each kind that can be killed and come back on their port: silent first, then well."""

import contextlib
import importlib
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import pytest

from support.ports import free_port

Operations = list[dict[str, Any]]

# How long a silent peer says nothing: longer than any test takes.
NEVER_S = 600


@dataclass
class Mortal:
    """A peer. `gateway`: the application that talks to it; `held`: the counter of who waits.

    `wait`: operations that a silent peer never lets end; `quick`: those that a well one answers.
    `reason`: what an instance says that waited when it died.
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
        """Do what is to be done once, before the first start."""

    @property
    def table(self) -> str:
        """The application's table."""
        raise NotImplementedError

    def start(self, *, is_silent: bool) -> None:
        raise NotImplementedError

    def kill(self) -> None:
        """End it at once."""
        self.life.close()


def mortal_of(kind: str, folder: Path) -> Mortal:
    """Return the peer of a kind, class Peer of tests/kinds/<kind>/mortal.py; the test fails
    without one."""
    module = f"kinds.{kind}.mortal"
    if find_spec(module) is None:
        pytest.fail(f"kind {kind} has no tests/kinds/{kind}/mortal.py", pytrace=False)
    made: Mortal = importlib.import_module(module).Peer(folder)
    return made
