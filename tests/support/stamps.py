"""Plans whose starts a peer writes down, to be held against what the result says of its rate: an
HTTP server in a process of its own, which notes when each request came.
"""

import contextlib
import json
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.daemons import DaemonProcess, configure, launch
from support.waiting import until

PEER = """
import asyncio, json, sys, time
stamps = []
async def serve(reader, writer):
    try:
        while await reader.readuntil(b"\\r\\n\\r\\n"):
            stamps.append(time.monotonic())
            writer.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
    except asyncio.IncompleteReadError:
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    while question := (await asyncio.to_thread(sys.stdin.readline)).strip():
        if question == "silent":
            print(time.monotonic() - stamps[-1], flush=True)
        else:
            print(json.dumps(stamps), flush=True)
            stamps.clear()
asyncio.run(main())
"""
REST = '[application.R]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:{port}"\n'
ASK = [
    {"type": "rest.SendRequest", "arguments": {"path": "/", "method": "GET"}},
    {"type": "rest.ExpectResponse"},
]
WINDOW_S = 0.1  # of `peak`


class Peer:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._line())

    def stamps(self) -> list[float]:
        """Return when the requests since the last time came, s, and forget them."""
        return list(json.loads(self._answer("stamps")))

    def silent_s(self) -> float:
        """Return how long ago the last request came, s."""
        return float(self._answer("silent"))

    def _answer(self, question: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        return self._line()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@dataclass(frozen=True)
class Pair:
    """A daemon and the peer that it asks."""

    daemon: DaemonProcess
    peer: Peer

    def until_started(self, run_id: str, count: int) -> None:
        """Wait until so many instances have started."""
        query = {"run_id": run_id}
        until(lambda: self.daemon.result("QueryTest", query)["counts"]["started"] >= count)

    def play(self, distribution: dict[str, Any], meddle: "Meddle") -> "Played":
        """Play a plan to its end. `meddle` does something in the middle, and returns how long the
        plan stood still by that, about, s. What holds for any plan is asserted here."""
        self.peer.stamps()
        run_id = uuid.uuid4().hex
        given = {"type": "linear", "backlog": 1000, **distribution}
        run = {"run_id": run_id, "operations": ASK, "distribution": given}
        assert self.daemon.result("ExecuteTest", run) == "ok"
        try:
            paused_s = meddle(self, run_id)
            result = self.daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
        finally:
            with contextlib.suppress(ProcessLookupError):
                self.daemon.signal(signal.SIGCONT)
        stamps = self.peer.stamps()
        rate, counts = result["rate"], result["counts"]
        assert counts["started"] == counts["passed"], result["failures"]
        assert counts["started"] == rate["started"] == len(stamps), rate
        assert rate["planned"] == len(stamps) + rate["never_started"] == given["total"], rate
        # The ways of a request to the peer and its reading take what a busy machine lets them.
        seen = (len(stamps) - 1) / (stamps[-1] - stamps[0] - paused_s)
        assert rate["achieved"] == pytest.approx(seen, rel=0.06), rate
        peak = most_in_a_window(stamps) / WINDOW_S
        assert rate["peak"] == pytest.approx(peak, rel=0.3, abs=40), rate
        return Played(rate, stamps, paused_s)


Meddle = Callable[[Pair, str], float]


@dataclass(frozen=True)
class Played:
    """What a result says of its rate; when requests came, and how long the plan stood still, s."""

    rate: dict[str, Any]
    stamps: list[float]
    paused_s: float

    def sees_peak_within(self, catch_up: float) -> None:
        """See that the peak is no more than so many times what was asked."""
        bound = self.rate["asked_peak"] * catch_up * 1.05 + 2 / WINDOW_S
        assert self.rate["peak"] <= bound, self.rate


@contextlib.contextmanager
def stamping_pair(folder: Path) -> Iterator[Pair]:
    """Run both for the length of a block."""
    peer = Peer()
    try:
        daemon = launch(folder, configure(folder, REST.format(port=peer.port)))
        try:
            daemon.until_up(["R"])
            yield Pair(daemon, peer)
        finally:
            daemon.kill()
    finally:
        peer.process.kill()
        peer.process.wait()


def most_in_a_window(stamps: list[float]) -> int:
    """Return the most that came in any WINDOW_S."""
    most = first = 0
    for position, at in enumerate(stamps):
        while at - stamps[first] >= WINDOW_S:
            first += 1
        most = max(most, position - first + 1)
    return most
