"""The duration of QueryTest, on new connections, while another client's run loads the daemon.

    python tests/bench/bench_rpc.py [--seconds N] [--share 80]

Cases: an idle daemon; a linear run of no-ops whose rate is adjusted until the process uses that
share of one processor; the same with calls over loopback; a load that wants the whole processor.
The requests ask for three runs: a halted run of another client, a run that only the archive has,
and the run that makes the load. All figures include the machine's own noise: compare them with the
idle case. Text goes to stderr, JSON to stdout.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from measures import expect
from support.daemons import FLOW, DaemonProcess, configure, example, launch

NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
LOOPBACK = f'[scp]\nflows = ["{FLOW}"]\n[application.LAB]\nmodule = "sigtran"\n'
PAUSE_S = 0.01  # between two requests
TARGET_P99_MS = 20.0
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_s(daemon: DaemonProcess) -> float:
    """Return the processor time that the daemon has used."""
    stat = Path(f"/proc/{daemon.process.pid}/stat").read_text()
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * _TICK_S


def share_over(daemon: DaemonProcess, seconds: float) -> float:
    """Return the share of one processor that the daemon uses. Blocks: that long."""
    before, began = cpu_s(daemon), time.monotonic()
    time.sleep(seconds)
    return (cpu_s(daemon) - before) / (time.monotonic() - began)


def steer(daemon: DaemonProcess, run_id: str, cps: float, share: float, steps: int) -> float:
    """Change the rate of a run until the process takes that share; return the rate."""
    for _ in range(steps):
        daemon.result("RateTest", {"run_id": run_id, "cps": cps})
        time.sleep(0.5)
        found = share_over(daemon, 1.5)
        if abs(found - share) < 0.03:
            break
        cps = max(cps * min(max(share / found, 0.3), 1.6), 10.0)
    return round(cps, 1)


def ask(daemon: DaemonProcess, run_id: str, seconds: float) -> dict[str, float]:
    """Return the durations of QueryTest during that time, in ms."""
    took: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        daemon.result("QueryTest", {"run_id": run_id})
        took.append((time.perf_counter() - began) * 1000)
        time.sleep(PAUSE_S)
    took.sort()
    percentiles = {f"p{p:g}_ms": took[int(len(took) * p / 100)] for p in (50, 90, 99)}
    found = {"requests": len(took), **percentiles, "max_ms": took[-1]}
    return {name: round(value, 2) for name, value in found.items()}


def measure(daemon: DaemonProcess, load: str | None, seconds: float) -> dict[str, Any]:
    before, began = cpu_s(daemon), time.monotonic()
    found: dict[str, Any] = {"halted_run": ask(daemon, "halted", seconds)}
    found["archived_run"] = ask(daemon, "archived", seconds)
    if load is not None:
        found["loading_run"] = ask(daemon, load, seconds)
    found["share"] = round((cpu_s(daemon) - before) / (time.monotonic() - began), 3)
    return found


def linear(
    daemon: DaemonProcess, definition: dict[str, Any], cps: float, given: argparse.Namespace
) -> dict[str, Any]:
    distribution = {"type": "linear", "total": 10**9, "backlog": 20_000, "cps": cps}
    run = {**definition, "run_id": "linear", "distribution": distribution}
    begun = daemon.result("ExecuteTest", run)
    expect(begun == "ok", begun)
    found_cps = steer(daemon, "linear", cps, given.share / 100, given.steps)
    found = {"cps": found_cps, **measure(daemon, "linear", given.seconds)}
    daemon.result("CancelTest", {"run_id": "linear"})
    return found


def full(daemon: DaemonProcess, seconds: float) -> dict[str, Any]:
    distribution = {"type": "load", "total": 10**9, "backlog": 50_000}
    run = {"run_id": "full", "operations": NOOP, "distribution": distribution}
    begun = daemon.result("ExecuteTest", run)
    expect(begun == "ok", begun)
    found = measure(daemon, "full", seconds)
    daemon.result("CancelTest", {"run_id": "full"})
    return found


def show(name: str, case: dict[str, Any]) -> None:
    for whose in _WHOSE:
        if whose in case:
            rate = f", {case['cps']:g}/s" if "cps" in case else ""
            print(
                f"{name:>6}, {whose}: cpu {case['share']:.0%}{rate}, {case[whose]}",
                file=sys.stderr,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--share", type=float, default=80, help="percent of one processor")
    parser.add_argument("--steps", type=int, default=12, help="corrections of the rate at most")
    given = parser.parse_args()
    cases: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        daemon = launch(folder, configure(folder, LOOPBACK))
        try:
            halted = {"run_id": "halted", "operations": HALT}
            begun = daemon.result("ExecuteTest", halted)
            expect(begun == "ok", begun)
            # The result is collected, so that only the archive has it.
            daemon.run({"run_id": "archived", "operations": NOOP})
            cases["idle"] = measure(daemon, None, given.seconds)
            cases["no-ops"] = linear(daemon, {"operations": NOOP}, 20_000, given)
            call = example("extension_dialing")
            cases["calls"] = linear(daemon, call, 1500, given)
            cases["full"] = full(daemon, given.seconds)
        finally:
            daemon.kill()
    for name, case in cases.items():
        show(name, case)
    at_share = [cases[name][whose] for name in ("no-ops", "calls") for whose in _WHOSE]
    found = {
        "python": platform.python_version(),
        "load_average": os.getloadavg()[0],
        "seconds": given.seconds,
        "cases": cases,
        "target_p99_ms": TARGET_P99_MS,
        "is_reached": all(one["p99_ms"] <= TARGET_P99_MS for one in at_share),
    }
    print(json.dumps(found, indent=2))


_WHOSE = ("halted_run", "archived_run", "loading_run")

if __name__ == "__main__":
    main()
