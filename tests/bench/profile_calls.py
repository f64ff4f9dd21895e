"""Where the CPU time of an INAP call goes, by layer: a sampling profile of this process.

    python tests/bench/profile_calls.py [--calls N] [--backlog N] [--functions N] [--load LOAD]

The call is that of calls.py, or one of data_calls.py, over the loopback, tester and SCP in one
process. At each kernel tick, a timer of CPU time (SIGPROF) records the running function, and its
nearest caller in our code or in gevent: time in the standard library belongs to that caller. The
collector's callbacks measure its runs. The nearest package that belongs to one side only
determines the side. It prints JSON: shares per layer, side and function, microseconds per call.
"""

# ruff: noqa: E402 - the daemon is monkey-patched, so this is too
from gevent import monkey

monkey.patch_all()

import argparse
import gc
import json
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from calls import CALL, FLOW
from data_calls import CALLS_WITH_DATA, FLOWS, OTHERS, Load
from measures import expect
from support.daemons import Daemon

INTERVAL_S = 0.001  # the kernel rounds it up to its tick
LOADS = {**CALLS_WITH_DATA, **OTHERS}
# The side to which a package's frames belong; both sides call the other packages.
SIDES = {
    "scp": "scp",
    "flow": "scp",
    "kinds": "tester",
    "operations": "tester",
    "engine": "tester",
}


class Sampler:
    """Counts the running function at each tick of CPU time."""

    def __init__(self) -> None:
        self.layers: Counter[str] = Counter()
        self.functions: Counter[str] = Counter()
        self.sides: Counter[str] = Counter()
        self.functions_of_scp: Counter[str] = Counter()
        self.collector_s = 0.0
        self._collects_since = 0.0

    def __enter__(self) -> "Sampler":
        gc.callbacks.append(self._on_collector)
        signal.signal(signal.SIGPROF, self._on_sample)
        signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        gc.callbacks.remove(self._on_collector)

    def _on_collector(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._collects_since = time.process_time()
        else:
            self.collector_s += time.process_time() - self._collects_since

    def _on_sample(self, _: int, frame: FrameType | None) -> None:
        side = side_of(frame)
        self.sides[side] += 1
        while frame is not None:
            layer = layer_of(frame.f_globals.get("__name__", ""))
            if layer is not None:
                self.layers[layer] += 1
                name = f"{layer}: {frame.f_code.co_qualname}"
                self.functions[name] += 1
                if side == "scp":
                    self.functions_of_scp[name] += 1
                return
            frame = frame.f_back
        self.layers["other"] += 1


def side_of(frame: FrameType | None) -> str:
    """Return the side of a frame: that of the nearest caller that belongs to one side only."""
    while frame is not None:
        package, _, rest = frame.f_globals.get("__name__", "").partition(".")
        side = SIDES.get(rest.partition(".")[0]) if package == "tsvc" else None
        if side is not None:
            return side
        frame = frame.f_back
    return "neither"


def layer_of(module: str) -> str | None:
    """Return the package of the table for a module: each protocol is separate."""
    package, _, rest = module.partition(".")
    if package == "gevent":
        return "gevent"
    if package != "tsvc":
        return None
    parts = rest.split(".")
    return "/".join(parts[:2]) if parts[0] == "protocols" else parts[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--backlog", type=int, default=200)
    parser.add_argument("--functions", type=int, default=15)
    parser.add_argument("--load", default="", choices=sorted(LOADS), help="one of data_calls.py")
    parser.add_argument("--track", type=int, default=1)
    given = parser.parse_args()
    load = LOADS[given.load] if given.load else Load(CALL, {"ssp_ac": "camel2"})
    with tempfile.TemporaryDirectory() as name:
        flows = []
        for number, flow in enumerate((FLOW, *FLOWS)):
            flows.append(Path(name) / f"flow{number}.json")
            flows[-1].write_text(json.dumps(flow))
        service = Daemon(Path(name), flows=tuple(flows))

        def play(calls: int, first: int) -> None:
            distribution = {"type": "load", "total": calls, "backlog": given.backlog}
            run: dict[str, Any] = {**load.definition(first), "distribution": distribution}
            result = service.run(*run.pop("operations"), track=given.track, **run)
            expect(result["counts"]["passed"] == calls, result["counts"])

        play(2_000, 0)
        begun = time.process_time()
        with Sampler() as sampler:
            play(given.calls, 2_000)
        each = (time.process_time() - begun) / given.calls * 1e6
        service.stop()
    samples = sampler.layers.total()
    found = {
        "calls": given.calls,
        "cpu_us": round(each, 1),
        "samples": samples,
        "collector_us": round(sampler.collector_s / given.calls * 1e6, 1),
        "layers_us": {
            name: round(count / samples * each, 1) for name, count in sampler.layers.most_common()
        },
        "sides_us": {
            name: round(count / samples * each, 1) for name, count in sampler.sides.most_common()
        },
        "functions_us": {
            name: round(count / samples * each, 1)
            for name, count in sampler.functions.most_common(given.functions)
        },
        "functions_of_scp_us": {
            name: round(count / samples * each, 1)
            for name, count in sampler.functions_of_scp.most_common(given.functions)
        },
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
