"""Hubs and spokes that record received messages, and workers as processes."""

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.lines import Lines
from support.waiting import until
from tsvc.cluster.link import Hub, HubKeys, Spoke, SpokeKeys

_WORKER = Path(__file__).with_name("cluster_worker.py")


class NotedHub(Hub):
    """A hub; `seen` has the events it received, in their order."""

    def __init__(
        self, listen: str = "127.0.0.1:0", lost_after_s: float = 30, keys: HubKeys | None = None
    ) -> None:
        self.seen: list[tuple[str, str, Any]] = []
        super().__init__(
            listen,
            on_message=lambda peer, kind, body: self.seen.append((peer, kind, body)),
            on_join=lambda peer, facts: self.seen.append((peer, "joined", facts)),
            on_lost=lambda peer, why: self.seen.append((peer, "lost", why)),
            lost_after_s=lost_after_s,
            keys=keys,
        )

    def of(self, peer: str, kind: str) -> list[Any]:
        """Return the messages of a kind from one peer; "joined" and "lost" are kinds, too."""
        return [body for name, one, body in self.seen if (name, one) == (peer, kind)]

    def wait_for(self, peer: str, kind: str) -> Any:
        """Wait for the first message of a kind and return it."""
        return until(lambda: self.of(peer, kind), what=lambda: self.seen)[0]


class NotedSpoke(Spoke):
    """A spoke in this process; `seen` has its events, `echoes` its echoes."""

    def __init__(
        self,
        coordinator: str,
        name: str = "w1",
        keys: SpokeKeys | None = None,
        facts: Mapping[str, object] | None = None,
    ) -> None:
        self.seen: list[tuple[str, Any]] = []
        self.echoes: list[tuple[float, float, float]] = []
        super().__init__(
            coordinator,
            name,
            on_message=lambda kind, body: self.seen.append((kind, body)),
            on_lost=lambda why: self.seen.append(("lost", why)),
            on_echo=lambda *moments: self.echoes.append(moments),
            keys=keys,
            facts=facts or {},
        )

    def of(self, kind: str) -> list[Any]:
        """Return the messages of a kind that have come; "lost" is a kind, too."""
        return [body for one, body in self.seen if one == kind]

    def wait_for(self, kind: str) -> Any:
        """Wait for the first message of a kind and return it."""
        return until(lambda: self.of(kind), what=lambda: self.seen)[0]


class WorkerProcess(Lines):
    """A worker that has joined; it echoes messages, and ends when its link is lost."""

    def __init__(self, folder: Path, coordinator: str, name: str) -> None:
        super().__init__([sys.executable, str(_WORKER), coordinator, name], folder / "worker.log")
        self.pid = int(self.read())

    def said(self) -> Any:
        """Return [kind, body] of the next message, or ["lost", why]. Blocks: until it has come."""
        return json.loads(self.read())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal. Blocks: for SIGSTOP until the process has stopped."""
        os.kill(self.pid, number)
        if number == signal.SIGSTOP:
            until(lambda: self._state() == "T")

    def _state(self) -> str:
        stat = Path(f"/proc/{self.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0]
