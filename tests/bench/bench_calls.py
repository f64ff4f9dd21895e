"""INAP calls per second: over the loopback, over M3UA/TCP between two processes, beside SIPp.

    python tests/bench/bench_calls.py [--calls N] [--rounds N] [--sipp-rates N,N]

The call is that of calls.py: five messages, six components, everything checked, each from another
number. Rounds alternate between the three. SIPp (Debian's sip-tester) runs its built-in UAC
against its UAS over UDP, seven messages a call, at some rates, of which the best counts; without
SIPp this part is left out. A readable line goes to stderr, JSON to stdout: medians, the lowest and
the highest of the rounds, and CPU microseconds (user and system) per call of each process, because
machines are noisy.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import beside_sipp
from calls import CALLERS, FLOW, NUMBERED
from measures import cpu_s, expect, spread
from support.daemons import DaemonProcess, configure, launch
from support.ports import free_port

BACKLOG = 500  # calls at once: enough for both processes to be at work at the same time
GUARD_S = 120


def play(
    tester: DaemonProcess, others: list[DaemonProcess], calls: int, run_id: str
) -> dict[str, float]:
    """Run calls as fast as possible; return calls a second and CPU microseconds a call."""
    processes = [daemon.process.pid for daemon in (tester, *others)]
    before = [cpu_s(one) for one in processes]
    result = tester.run(
        {"operations": NUMBERED, "vars": CALLERS, "ssp_ac": "camel2"},
        run_id=run_id,
        distribution={"type": "load", "total": calls, "backlog": BACKLOG},
    )
    used = [cpu_s(one) - start for one, start in zip(processes, before, strict=True)]
    expect(result["counts"]["passed"] == calls, result["counts"])
    found = {"calls_per_s": calls / result["duration"], "cpu_us": used[0] / calls * 1e6}
    if others:
        found["scp_cpu_us"] = used[1] / calls * 1e6
    return found


def sipp(rates: list[int]) -> dict[str, float]:
    """Return the figures of SIPp at its best rate, if possible with all its calls completed."""
    played = [beside_sipp.calls(rate, 4) for rate in rates]
    return max(played, key=lambda one: (not one["missing"], one["calls_per_s"]))


def summary(rounds: list[dict[str, float]]) -> dict[str, Any]:
    """Return the spread of each figure."""
    return {name: spread((one[name] for one in rounds), 1) for name in rounds[0]}


def up(daemon: DaemonProcess) -> None:
    deadline = time.monotonic() + GUARD_S
    while daemon.result("DescribeService")["gateways"][0]["state"] != "up":
        expect(time.monotonic() < deadline, "a link that does not come up")
        time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sipp-rates", default="12000,14000")
    options = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        flow = folder / "flow.json"
        flow.write_text(json.dumps(FLOW))
        tables = {
            "alone": f'[scp]\nflows = ["{flow}"]\n[application.LOOP]\nmodule = "sigtran"\n',
            "scp": f'[scp]\nflows = ["{flow}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n',
            "tester": (
                '[application.LAB]\nmodule = "sigtran"\nopc = 1\n'
                "default_scp = { dpc = 2, dssn = 146 }\n"
                f'connections = [{{ name = "scp", type = "m3ua", remote_port = {port} }}]\n'
            ),
        }
        daemons = {}
        for name, table in tables.items():
            (folder / name).mkdir()
            daemons[name] = launch(folder / name, configure(folder / name, table))
        up(daemons["tester"])
        rounds: dict[str, list[dict[str, float]]] = {"loopback": [], "m3ua_tcp": []}
        if shutil.which("sipp"):
            rounds["sipp"] = []
        try:
            play(daemons["alone"], [], options.calls // 10, "warm")
            play(daemons["tester"], [daemons["scp"]], options.calls // 10, "warm")
            for number in range(options.rounds):
                run_id = f"round {number}"
                rounds["loopback"].append(play(daemons["alone"], [], options.calls, run_id))
                pair = play(daemons["tester"], [daemons["scp"]], options.calls, run_id)
                rounds["m3ua_tcp"].append(pair)
                if "sipp" in rounds:
                    rounds["sipp"].append(sipp(list(map(int, options.sipp_rates.split(",")))))
        finally:
            for daemon in daemons.values():
                daemon.kill()
    found: dict[str, Any] = {name: summary(each) for name, each in rounds.items()}
    if "sipp" in found:
        ours, theirs = (found[name]["calls_per_s"]["median"] for name in ("m3ua_tcp", "sipp"))
        found["ratio_to_sipp"] = round(ours / theirs, 3)
    for name in rounds:
        print(f"{name:>9}: {json.dumps(found[name])}", file=sys.stderr)
    json.dump({"calls": options.calls, "rounds": options.rounds, **found}, sys.stdout)


if __name__ == "__main__":
    main()
