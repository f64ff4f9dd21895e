"""CPU of instances that meet several gateways or dialogues, on the tester's side.

    python tests/bench/bench_together.py [--instances N] [--rounds N]

The SCP is in this process, on a loopback, so its CPU counts too; the fake OCS and nginx run in
separate processes. Each round runs every definition with `track: 1` and with `track: 0`. These
are the call of calls.py between two Credit-Control-Requests of one session, the same with a REST
request in the middle of the call. The others are two calls one after the other, and two that
alternate. It prints JSON: microseconds of CPU per instance, all rounds.
"""

# ruff: noqa: E402 - the daemon is monkey-patched, so this is too
from gevent import monkey

monkey.patch_all()

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import bench_diameter
import bench_rest
from calls import CALLERS, FLOW, NUMBERED
from measures import expect, spread
from support.daemons import Daemon
from support.nginx import running_nginx

BACKLOG = 64


def of_session(kind: int, number: int) -> dict[str, Any]:
    """Return the Credit-Control-Request of the Diameter benchmark as a request of a session."""
    given = {"CC-Request-Type": kind, "CC-Request-Number": number}
    avps = [
        {**one, "value": given.get(one["name"], one["value"])}
        for one in bench_diameter.ENTRY["arguments"]["avps"]
    ]
    return {
        **bench_diameter.ENTRY,
        "arguments": {**bench_diameter.ENTRY["arguments"], "avps": avps},
    }


def in_dialogue(name: str) -> list[dict[str, Any]]:
    """Return the call in a dialogue with a name."""
    return [{**one, "dialogue": name} for one in NUMBERED]


FIRST, LAST = of_session(1, 0), of_session(3, 1)
AT = next(at for at, one in enumerate(NUMBERED) if one["type"].endswith("EventReportBCSM"))
DEFINITIONS: dict[str, list[dict[str, Any]]] = {
    "session_and_call": [FIRST, *NUMBERED, LAST],
    "rest_in_it": [FIRST, *NUMBERED[:AT], *bench_rest.IN_ONE, *NUMBERED[AT:], LAST],
    "two_calls": in_dialogue("A") + in_dialogue("B"),
    "crossed_calls": [
        one for pair in zip(in_dialogue("A"), in_dialogue("B"), strict=True) for one in pair
    ],
}
VARS = {**CALLERS, **bench_rest.VARS}


def cpu_us(daemon: Daemon, operations: list[dict[str, Any]], count: int, track: int) -> float:
    """Return the microseconds of CPU of one instance of a run."""
    load = {"type": "load", "total": count, "backlog": BACKLOG}
    begun = time.process_time()
    result = daemon.run(*operations, vars=VARS, ssp_ac="camel2", track=track, distribution=load)
    cpu = time.process_time() - begun
    expect(result["counts"]["passed"] == count, result["counts"])
    return cpu / count * 1e6


def measure(count: int, rounds: int) -> dict[str, Any]:
    """Return the spreads of all definitions."""
    found: dict[str, dict[str, list[float]]] = {
        name: {"track_1": [], "track_0": []} for name in DEFINITIONS
    }
    with (
        tempfile.TemporaryDirectory() as text,
        bench_diameter.server() as port,
        running_nginx(Path(text) / "nginx", bench_rest.LOCATIONS) as nginx,
    ):
        folder = Path(text)
        flow = folder / "flow.json"
        flow.write_text(json.dumps(FLOW))
        (folder / "daemon").mkdir()
        diameter = {
            "remote_host": "127.0.0.1",
            "remote_port": port,
            "origin_host": bench_diameter.HOST,
        }
        rest = {"base_uri": f"http://127.0.0.1:{nginx.http}", "num_client_connections": BACKLOG}
        daemon = Daemon(
            folder / "daemon",
            {
                "LOOP": ("sigtran", {}),
                "DIA": ("diameter", diameter),
                "REST": ("rest", rest),
            },
            flows=(flow,),
        )
        daemon.until_up()
        for number in range(rounds + 1):
            for name, operations in DEFINITIONS.items():
                for track in (1, 0):
                    cost = cpu_us(daemon, operations, count, track)
                    if number:  # the first round warms up
                        found[name][f"track_{track}"].append(cost)
        daemon.stop()
    return {
        name: {track: spread(costs, 1) for track, costs in each.items()}
        for name, each in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    found = measure(given.instances, given.rounds)
    print(json.dumps(found), file=sys.stderr)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
