"""CPU of loads in which each instance has its own data, compared with SIPp and with `track: 0`.

    python tests/bench/bench_data.py [--calls N] [--rounds N] [--rate N] [--only LOAD,LOAD]

The loads are those of data_calls.py. Each round runs them with `track: 1` and with `track: 0`. It
runs the calls twice: over the loopback, with tester and SCP in one process, and over M3UA/TCP,
where only the tester's process counts. SIPp (Debian's sip-tester) makes as many calls with an
injection file, with another caller in each line. Server and OCS are separate processes. Every
instance has to pass. The share of replayed instances is printed, because a load that was not
replayed meets no line of the table. Each round has new callers. The daemons stay the same, so that
what an SCP learned from one load must not spoil another load. Each round has a line on stderr;
JSON goes to stdout: CPU microseconds (user and system) per instance, medians, the lowest and the
highest of the rounds.
"""

# ruff: noqa: E402 - what the Diameter and REST benchmarks share is monkey-patched, so this is too
from gevent import monkey

monkey.patch_all()

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import bench_diameter
import bench_rest
import beside_sipp
from calls import CALLERS, FLOW, NUMBERED
from data_calls import CALLS_WITH_DATA, FLOWS, OTHERS, Load
from measures import cpu_s, expect, spread
from support.daemons import DaemonProcess, configure, launch
from support.nginx import running_nginx
from support.ports import free_port

BACKLOG = 100
ORDINARY = "ordinary"  # the call of calls.py, which elsewhere is compared with SIPp
SLOWER = 0.8  # the factor of the rate for another attempt of SIPp
TRIES = 4
Figures = dict[str, float]


@contextmanager
def beds(folder: Path) -> Iterator[tuple[DaemonProcess, DaemonProcess]]:
    """Run a daemon with all gateways, and one that calls an SCP elsewhere; yield both."""
    port = free_port()
    paths = []
    for number, flow in enumerate((FLOW, *FLOWS)):
        path = folder / f"flow{number}.json"
        path.write_text(json.dumps(flow))
        paths.append(str(path))
    flows = f"flows = {json.dumps(paths)}\n"
    with ExitStack() as stack:
        nginx = stack.enter_context(running_nginx(folder / "nginx", bench_rest.LOCATIONS))
        ocs = stack.enter_context(bench_diameter.server())
        tables = {
            "scp": f'[scp]\n{flows}listen = ["m3ua+tcp://127.0.0.1:{port}"]\n',
            "alone": (
                f'[scp]\n{flows}[application.LOOP]\nmodule = "sigtran"\n'
                f'[application.OCS]\nmodule = "diameter"\nremote_host = "127.0.0.1"\n'
                f'remote_port = {ocs}\norigin_host = "{bench_diameter.HOST}"\n'
                f'[application.WEB]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:{nginx.http}"\n'
                f"num_client_connections = {bench_rest.GREENLETS}\n"
            ),
            "tester": (
                '[application.LAB]\nmodule = "sigtran"\nopc = 1\n'
                "default_scp = { dpc = 2, dssn = 146 }\n"
                f'connections = [{{ name = "scp", type = "m3ua", remote_port = {port} }}]\n'
            ),
        }
        made = {}
        for name, table in tables.items():
            made[name] = launch(folder / name, configure(folder / name, table))
            stack.callback(made[name].kill)
        for name in ("alone", "tester"):
            made[name].until_up()
        yield made["alone"], made["tester"]


def play(
    daemon: DaemonProcess, load: Load, calls: int, first: int, track: int, backlog: int = BACKLOG
) -> Figures:
    """Run instances with callers from a number on; return CPU and the replayed share."""
    pid = daemon.process.pid
    before = cpu_s(pid)
    result = daemon.run(
        load.definition(first),
        track=track,
        distribution={"type": "load", "total": calls, "backlog": backlog},
    )
    used = cpu_s(pid) - before
    counts, replayed = result["counts"], result["fast_path"]
    expect(counts["passed"] == calls, (counts, result["failures"][:2]))
    expect(track or not replayed["instances"], replayed)
    whole = replayed["instances"] - replayed["fell_back"]
    return {"cpu_us": used / calls * 1e6, "replayed": whole / calls}


def sipp(load: Load, calls: int, first: int, rate: int) -> Figures:
    """Return the CPU time of SIPp's two sides for as many calls, all of which must be completed.

    Retransmissions would count as SIPp's work, so it tries again at a lower rate.
    """
    lines = None if load.lines is None else [load.lines(first + one) for one in range(calls)]
    for _ in range(TRIES):
        found = beside_sipp.calls_with(rate, calls, lines)
        if not found["missing"]:
            break
        rate = int(rate * SLOWER)
    expect(not found["missing"], found)
    return {name: found[name] for name in ("cpu_us", "uas_cpu_us", "retransmissions")}


class Measured:
    """The figures of all rounds, by load, side and figure."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, dict[str, list[float]]]] = {}

    def add(self, load: str, side: str, figures: Figures) -> None:
        """Add the figures of a round."""
        for name, value in figures.items():
            place = self._found.setdefault(load, {}).setdefault(side, {})
            place.setdefault(name, []).append(value)

    def spreads(self) -> dict[str, Any]:
        """Return the medians, the lowest and the highest figures."""
        return {
            load: {
                side: {
                    name: spread(values, 3 if name == "replayed" else 1)
                    for name, values in figures.items()
                }
                for side, figures in sides.items()
            }
            for load, sides in self._found.items()
        }


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return the spreads of all loads."""
    wanted = set(filter(None, options.only.split(",")))
    ordinary = Load(NUMBERED, {"ssp_ac": "camel2", "vars": CALLERS}, is_data=False)
    loads = {**CALLS_WITH_DATA, **OTHERS, ORDINARY: ordinary}
    expect(wanted <= set(loads), f"loads are {', '.join(loads)}")
    has_sipp = shutil.which("sipp") is not None
    measured = Measured()
    with beds(folder) as (alone, tester):
        for number in range(options.rounds + 1):
            # The first round warms up.
            calls = options.calls if number else max(options.calls // 10, 3 * BACKLOG)
            first = number * options.calls
            for name, load in loads.items():
                if wanted and name not in wanted:
                    continue
                found = round_of(name, load, (alone, tester), calls, first)
                if has_sipp and number and (load.lines or name == ORDINARY):
                    found["sipp"] = sipp(load, calls, first, options.rate)
                if number:
                    print(f"{number} {name}: {json.dumps(found)}", file=sys.stderr, flush=True)
                    for side, figures in found.items():
                        measured.add(name, side, figures)
    return measured.spreads()


def round_of(
    name: str, load: Load, daemons: tuple[DaemonProcess, DaemonProcess], calls: int, first: int
) -> dict[str, Figures]:
    """Return the figures of one round of a load, by tool and way."""
    alone, tester = daemons
    backlog = bench_rest.GREENLETS if name == "rest" else BACKLOG
    if name == ORDINARY:
        return {"alone_0": play(alone, load, calls, first, 0)}
    found = {}
    for track in (1, 0):
        found[f"alone_{track}"] = play(alone, load, calls, first, track, backlog)
        if load.lines is not None:
            found[f"m3ua_{track}"] = play(tester, load, calls, first, track)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rate", type=int, default=10_000, help="SIPp's calls a second")
    parser.add_argument("--only", default="", help="loads, with commas")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        loads = measure(options, Path(text))
    json.dump({"calls": options.calls, "rounds": options.rounds, "loads": loads}, sys.stdout)


if __name__ == "__main__":
    main()
