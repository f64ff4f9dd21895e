"""How well linear runs keep their plan, as the daemon reports it, and the causes if they don't.

    python tests/bench/bench_schedule.py [--seconds N] [--rates 100,1000,5000]

A daemon in a separate process makes no-op instances at each rate; then come the cases in which a
rate can't be kept, each with the expected `limited_by`: a backlog too small, a busy loop in the
same daemon, an SCP that answers too slowly. Then SIPp, if it is installed, makes calls at the same
rates, judged by the timestamps of its own message trace. A readable line goes to stderr, JSON to
stdout.

SIPp states no plan, so its grid is assumed to begin with its first start; SIPp may be early on it.
`off_grid_ms` are the percentiles of the distance in both directions. Our lateness is from the
plan.
"""

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import beside_sipp
from measures import expect
from support.daemons import FLOW, DaemonProcess, configure, launch
from support.loads import prompted

NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
WAIT = [{"type": "wait", "arguments": {"seconds": 0.1}}]
BUSY = [
    {"type": "eval", "label": "again", "expression": "$v->{n} += 1"},
    {"type": "branch", "expression": "$v->{n} < 40000", "on_true": "again"},
]
SLOW_SCP = prompted(0.3)
LOOPBACK = f'[scp]\nflows = ["{FLOW}"]\n[application.LAB]\nmodule = "sigtran"\n'


def play(daemon: DaemonProcess, operations: Any, **distribution: Any) -> dict[str, Any]:
    """Return the rate and generator figures of one linear run."""
    run = {"operations": operations, "distribution": {"type": "linear", **distribution}}
    result = daemon.run(run, ssp_ac="camel2", run_id="bench")
    rate, generator = result["rate"], result["generator"]
    off = None
    if rate["achieved"] is not None:
        off = round((rate["achieved"] / rate["asked"] - 1) * 100, 3)
    return {**rate, "off_percent": off, **generator}


def show(name: str, case: dict[str, Any]) -> None:
    lateness = case["lateness_ms"]
    print(
        f"{name:>14}: asked {case['asked']:g}/s, achieved {case['achieved']}"
        f" ({case['off_percent']:+} %), late {case['late']}/{case['started']},"
        f" lateness p50 {lateness['p50']} p99 {lateness['p99']} max {lateness['max']} ms,"
        f" cpu {case['cpu']}, limited by {case['limited_by']}",
        file=sys.stderr,
    )


def limited(daemon: DaemonProcess) -> dict[str, dict[str, Any]]:
    """Return the runs that can't keep their rate, by the expected cause."""
    found = {"backlog": play(daemon, WAIT, total=4000, backlog=20, cps=400, max_seconds=4)}
    loop = {"type": "load", "total": 100_000, "backlog": 8}
    busy = {"run_id": "busy", "operations": BUSY, "distribution": loop}
    begun = daemon.result("ExecuteTest", busy)
    expect(begun == "ok", begun)
    found["generator"] = play(daemon, NOOP, total=2000, backlog=1000, cps=500)
    daemon.result("CancelTest", {"run_id": "busy"})
    found["sut"] = play(daemon, SLOW_SCP, total=4000, backlog=50, cps=400, max_seconds=4)
    return found


def of_sipp(cps: int, seconds: int) -> dict[str, Any]:
    """Return the distance of SIPp's starts from a grid of that rate, and the achieved rate."""
    starts = beside_sipp.starts(cps, seconds)
    grid = [starts[0] + number / cps for number in range(len(starts))]
    off = sorted(abs(a - b) * 1000 for a, b in zip(starts, grid, strict=True))
    achieved = (len(starts) - 1) / (starts[-1] - starts[0])
    percentiles = {f"p{p}": off[int(len(off) * p / 100)] for p in (50, 99)} | {"max": off[-1]}
    return {
        "started": len(starts),
        "achieved": round(achieved, 3),
        "off_percent": round((achieved / cps - 1) * 100, 3),
        "off_grid_ms": {name: round(value, 3) for name, value in percentiles.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rates", default="100,1000,5000")
    parser.add_argument("--rates-only", action="store_true", help="nothing about blame")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        daemon = launch(folder, configure(folder, LOOPBACK))
        try:
            rates = {}
            for cps in map(int, given.rates.split(",")):
                total = cps * given.seconds
                rates[cps] = play(daemon, NOOP, total=total, backlog=10_000, cps=cps)
                show(f"{cps}/s", rates[cps])
            limits = {} if given.rates_only else limited(daemon)
            for blamed, case in limits.items():
                show(blamed, case)
        finally:
            daemon.kill()
    sipp: dict[int, Any] = {}
    if shutil.which("sipp"):
        sipp = {cps: of_sipp(cps, given.seconds) for cps in rates}
        for cps, case in sipp.items():
            print(f"{'SIPp':>14}: asked {cps}/s, {case}", file=sys.stderr)
    found = {
        "python": platform.python_version(),
        "load_average": os.getloadavg()[0],
        "seconds": given.seconds,
        "rates": rates,
        "limited": limits,
        "sipp": sipp,
        "blamed_right": all(case["limited_by"] == name for name, case in limits.items()),
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
