"""Plans whose starts a peer records, to check the rate in the result.

The peer is an HTTP server in a separate process, which records when each instance sent its
request.

The peer sees a start later than it was made, and at the latest when the instance was over. So the
time of each start has two bounds, and so has every value computed from them. The bounds are close
on an idle machine and wide on a busy machine.
"""

import bisect
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

from support.daemons import DaemonProcess, configure, launch
from support.waiting import GUARD_S, until
from support.witness import PATIENT_HTTP

PEER = """
import asyncio, json, sys, time
stamps = {}
async def serve(reader, writer):
    try:
        while request := await reader.readuntil(b"\\r\\n\\r\\n"):
            stamps[int(request.split()[1][1:])] = time.time()
            writer.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
    except asyncio.IncompleteReadError:
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    while question := (await asyncio.to_thread(sys.stdin.readline)).strip():
        if question == "silent":
            print(time.time() - max(stamps.values()), flush=True)
        else:
            print(json.dumps(stamps), flush=True)
            stamps.clear()
asyncio.run(main())
"""
REST = '[application.R]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:{port}"\n' + PATIENT_HTTP
ASK = [
    {"type": "rest.SendRequest", "arguments": {"path": "{'/' . $r->{idx}}", "method": "GET"}},
    {"type": "rest.ExpectResponse"},
]
WINDOW_S = 0.1  # of `peak`
EPSILON_S = 0.002  # of two readings of one clock, and of rounded numbers

Range = tuple[float, float]


class Peer:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._line())

    def stamps(self) -> dict[int, float]:
        """Return when each instance has sent its request since the last call, by index; forget
        these."""
        return {int(idx): at for idx, at in json.loads(self._answer("stamps")).items()}

    def silent_s(self) -> float:
        """Return the time since the last request, in seconds."""
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
    """A daemon and the peer that it sends requests to."""

    daemon: DaemonProcess
    peer: Peer

    def until_started(self, run_id: str, count: int) -> None:
        """Wait until `count` instances have started."""
        query = {"run_id": run_id}
        until(lambda: self.daemon.result("QueryTest", query)["counts"]["started"] >= count)

    def play(self, distribution: dict[str, Any], meddle: "Meddle") -> "Played":
        """Run a plan to its end, and check everything that holds for any plan.

        `meddle` acts in the middle of the run. It returns the least and the greatest time for
        which the plan stood still, in seconds.
        """
        self.peer.stamps()
        run_id = uuid.uuid4().hex
        given = {"type": "linear", "backlog": 3000, **distribution}
        run = {"run_id": run_id, "operations": ASK, "distribution": given}
        assert self.daemon.result("ExecuteTest", run) == "ok"
        try:
            paused_s = meddle(self, run_id)
            result = self.daemon.result("QueryTest", {"run_id": run_id, "wait_s": GUARD_S})
        finally:
            with contextlib.suppress(ProcessLookupError):
                self.daemon.signal(signal.SIGCONT)
        assert result["completed"] == 1
        played = Played(result, self.peer.stamps(), paused_s)
        rate, counts = result["rate"], result["counts"]
        assert counts["started"] == counts["passed"], result["failures"]
        assert counts["started"] == rate["started"] == len(played.stamps), rate
        assert rate["planned"] == len(played.stamps) + rate["never_started"] == given["total"], (
            rate
        )
        played.check_rate()
        played.check_peak()
        return played


Meddle = Callable[[Pair, str], Range]


class Played:
    """A result, and the times at which each instance sent its request."""

    def __init__(self, result: dict[str, Any], stamps: dict[int, float], paused_s: Range) -> None:
        self.rate: dict[str, Any] = result["rate"]
        self.stamps = stamps
        self.paused_s = paused_s
        begin = result["time_start"]
        self.begun = begin[0] + begin[1] / 1e6
        took = {int(one["instance_id"]): one["duration"] for one in result["slowest"]}
        usual = min(took.values())  # all other instances were at least as fast as the slowest ones
        self.starts: dict[int, Range] = {
            idx: (at - took.get(idx, usual) - EPSILON_S, at + EPSILON_S)
            for idx, at in stamps.items()
        }

    def check_rate(self) -> None:
        """Check `achieved` and `asked` against the last start, which can't be before its plan."""
        earliest = max(early for early, _ in self.starts.values()) - self.begun
        latest = max(late for _, late in self.starts.values()) - self.begun
        least_s, most_s = self.paused_s
        plan_s = (self.rate["planned"] - 1) / self.rate["asked"]
        took_s = (len(self.stamps) - 1) / self.rate["achieved"]
        rounding_s = 0.001 * took_s
        assert earliest - most_s <= took_s + rounding_s, (earliest, took_s, self.rate)
        assert took_s - rounding_s <= max(plan_s, latest - least_s), self.rate
        late_s = self.rate["lateness_ms"]["max"] / 1000
        assert earliest <= plan_s + most_s + late_s + rounding_s, self.rate
        if not self.rate["never_started"]:
            assert plan_s + least_s <= latest + rounding_s, "no start is made before its plan"

    def check_peak(self) -> None:
        """Check `peak` against the least and the greatest possible number in one window."""
        count = round(self.rate["peak"] * WINDOW_S)
        assert most_within(list(self.starts.values())) <= count, self.rate
        assert count <= most_touching(list(self.starts.values())), self.rate

    def check_lateness(self, planned: Callable[[int], float], late_s: float = 0.005) -> None:
        """Check the highest lateness and the number of late starts.

        `planned`: returns the planned time of the nth start, in seconds of the run.
        """
        late = [
            (early - self.begun - planned(idx), at - self.begun - planned(idx))
            for idx, (early, at) in self.starts.items()
        ]
        assert min(at for _, at in late) >= 0, "a start that came before its plan"
        most_s = self.rate["lateness_ms"]["max"] / 1000
        rounding_s = 0.01 * most_s  # rounding by the histogram
        assert max(early for early, _ in late) <= most_s + rounding_s, self.rate
        assert most_s - rounding_s <= max(at for _, at in late), self.rate
        least = sum(early > late_s for early, _ in late)
        assert least <= self.rate["late"] <= sum(at > late_s for _, at in late), self.rate

    def sees_peak_within(self, catch_up: float) -> None:
        """Check that the peak is at most `catch_up` times the requested rate."""
        bound = self.rate["asked_peak"] * catch_up * 1.05 + 2 / WINDOW_S
        assert self.rate["peak"] <= bound, self.rate


@contextlib.contextmanager
def stamping_pair(folder: Path) -> Iterator[Pair]:
    """Run both while a block runs."""
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


def most_within(ranges: list[Range]) -> int:
    """Return the greatest number of these ranges that lie completely in one window."""
    most = 0
    for begin in {begin for begin, _ in ranges}:
        inside = sum(begin <= early and late < begin + WINDOW_S for early, late in ranges)
        most = max(most, inside)
    return most


def most_touching(ranges: list[Range]) -> int:
    """Return the greatest number of these ranges that overlap one window."""
    begins = sorted(early for early, _ in ranges)
    ends = sorted(late for _, late in ranges)
    # A window begins where a range ends: a later window would lose this range, and get no others
    # until the next end.
    return max(
        bisect.bisect_left(begins, end + WINDOW_S) - bisect.bisect_left(ends, end) for end in ends
    )
