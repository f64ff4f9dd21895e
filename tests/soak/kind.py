"""A soak's use of a kind of gateway: tests/kinds/<kind>/soak.py, found by the registry."""

import importlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from support.kind_peers import kinds_with_peers

Operation = dict[str, Any]
Trouble = Callable[[random.Random], None]

# Requests ask for tokens in turn; each answer contains the token, and operations check it.
TOKEN = "{$v->{token}}"
VARS = {"token": "{1 + $r->{idx} % 9}"}


class Peer(Protocol):
    """The peer of a gateway of the tester."""

    troubles: Mapping[str, Trouble]
    """Troubles for the peer during runs; afterwards it is as before."""

    where: Mapping[str, object]
    """The address of the peer for the gateway: members for the table of the application."""

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class SoakKind:
    """One kind. A module has it as SOAK."""

    held: tuple[str, ...]
    """Counters of what its gateway holds for clients: 0 if there is no client."""

    start: Callable[[Path], Peer] | None = None
    """Start a peer; None: the world has it already, and the rest is not used."""

    table: str = ""
    """Of the application; `change` in it is what a reload changes, so that it is restarted."""

    asks: list[list[Operation]] = field(default_factory=list)
    """Requests to its peer; the first list has one operation."""

    is_ready: Callable[[dict[str, int]], bool] = lambda counters: True
    """True if a gateway with these counters, which is up, has its peers."""


def soak_kinds() -> dict[str, SoakKind]:
    """Return the soak of each kind. Errors: KeyError for a kind without a soak.py."""
    found = {}
    for name in kinds_with_peers():
        module = f"kinds.{name}.soak"
        if find_spec(module) is None:
            raise KeyError(f"kind {name} has no tests/kinds/{name}/soak.py")
        found[name] = importlib.import_module(module).SOAK
    return found
