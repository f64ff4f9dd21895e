"""Calls of which one in so many deviates: the cost of the normal and of the deviating calls.

    python tests/bench/bench_deviations.py [--calls N] [--rounds N]

Over M3UA/TCP, the call of calls.py, each from another number; the SCP (deviating_peer.py) is a
separate process that counts its messages, and the tester's counts have to agree with them. Rounds
alternate between no deviation, one in 1,000, one in 10, and the first and the last of these with
`track: 0`; JSON to stdout: microseconds of CPU of the tester per call, and per deviating call.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from calls import CALLERS, FLOW, NUMBERED
from measures import cpu_s, expect, spread
from support.daemons import DaemonProcess, configure, launch
from support.ports import free_port

BACKLOG = 200
SILENCE_S = 2  # the wait for a message that never comes
GUARD_S = 900
OPERATIONS = [
    {**entry, "seconds": SILENCE_S} if "_from_scp." in entry["type"] else entry
    for entry in NUMBERED
]
# One call in so many deviates; the second value is `track`.
ROUND = {
    "none": (0, 1),
    "one_in_1000": (1000, 1),
    "one_in_10": (10, 1),
    "none_0": (0, 0),
    "one_in_10_0": (10, 0),
}


@dataclass
class Bed:
    """A tester and the SCP that it calls."""

    tester: DaemonProcess
    peer: "subprocess.Popen[str]"

    def deviate(self, one_in: int) -> dict[str, int]:
        """Make one call in so many deviate from now on; return what the SCP has done until now."""
        assert self.peer.stdin is not None
        assert self.peer.stdout is not None
        print(one_in, file=self.peer.stdin, flush=True)
        found: dict[str, int] = json.loads(self.peer.stdout.readline())
        return found

    def play(self, calls: int, one_in: int, **more: Any) -> tuple[dict[str, Any], float]:
        """Return the result of a run, whose counts must be the SCP's, and the CPU seconds."""
        self.deviate(one_in)
        before = cpu_s(self.tester.process.pid)
        load = {"type": "load", "total": calls, "backlog": BACKLOG}
        run = {"operations": OPERATIONS, "vars": CALLERS, "ssp_ac": "camel2", **more}
        begun = self.tester.result("ExecuteTest", {**run, "run_id": "r", "distribution": load})
        expect(begun == "ok", begun)
        result: dict[str, Any] = {"completed": 0}
        while not result["completed"]:
            result = self.tester.result("QueryTest", {"run_id": "r", "wait_s": 30})
        used = cpu_s(self.tester.process.pid) - before
        expect(_is_as_told(result, self.deviate(0), calls), result["counts"])
        return result, used


def _is_as_told(result: dict[str, Any], peer: dict[str, int], calls: int) -> bool:
    """Return True if the result of a run agrees with the counts of the SCP."""
    counts = result["counts"]
    aborted = peer["aborted"] + peer["silent"]
    wanted = {
        "started": peer["calls"],
        "failed": peer["other_digits"],
        "aborted": aborted,
        "passed": calls - aborted - peer["other_digits"],
    }
    groups = sorted(one["count"] for one in result["failures"])
    kinds = sorted(peer[name] for name in ("other_digits", "aborted", "silent"))
    return {name: counts[name] for name in wanted} == wanted and groups == [
        one for one in kinds if one
    ]


@contextmanager
def bed(folder: Path) -> Iterator[Bed]:
    """Run both for the duration of a block."""
    port = free_port()
    flow = folder / "flow.json"
    flow.write_text(json.dumps(FLOW))
    table = f'[scp]\nflows = ["{flow}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'
    configure(folder / "scp", table)
    (folder / "scp" / "state").mkdir()
    link = f'connections = [{{ name = "scp", type = "m3ua", remote_port = {port} }}]\n'
    tester = (
        '[application.LAB]\nmodule = "sigtran"\nopc = 1\n'
        f"default_scp = {{ dpc = 2, dssn = 146 }}\n{link}"
    )
    script = Path(__file__).with_name("deviating_peer.py")
    peer = subprocess.Popen(
        [sys.executable, str(script), str(folder / "scp" / "tsvc.toml")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert peer.stdout is not None
        expect(peer.stdout.readline() == "\n", "no SCP")
        made = launch(folder / "tester", configure(folder / "tester", tester))
        try:
            made.until_up()
            yield Bed(made, peer)
        finally:
            made.kill()
    finally:
        peer.kill()
        peer.communicate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--long", type=int, default=0, help="calls of one more run, 1 in 1,000")
    options = parser.parse_args()
    calls = options.calls
    costs: dict[str, list[float]] = {name: [] for name in (*ROUND, "deviating", "deviating_0")}
    with tempfile.TemporaryDirectory() as text, bed(Path(text)) as made:
        made.play(calls // 5, 0)
        for _ in range(options.rounds):
            each = {
                name: made.play(calls, one_in, track=track)[1] / calls * 1e6
                for name, (one_in, track) in ROUND.items()
            }
            each["deviating"] = each["none"] + (each["one_in_10"] - each["none"]) * 10
            each["deviating_0"] = each["none_0"] + (each["one_in_10_0"] - each["none_0"]) * 10
            for name, cost in each.items():
                costs[name].append(cost)
        found: dict[str, Any] = {name: spread(some, 1) for name, some in costs.items()}
        if options.long:
            result, seconds = made.play(options.long, 1000)
            found["long"] = {
                "calls": options.long,
                "cpu_us": round(seconds / options.long * 1e6, 1),
                "seconds": round(result["duration"], 1),
                "counts": {
                    name: result["counts"][name] for name in ("passed", "failed", "aborted")
                },
            }
    for name, told in found.items():
        print(f"{name:>12}: {json.dumps(told)}", file=sys.stderr)
    json.dump({"calls": calls, "rounds": options.rounds, **found}, sys.stdout)


if __name__ == "__main__":
    main()
