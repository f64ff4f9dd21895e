"""python -m tests.bench (make bench): every benchmark, one after the other; one table at the end.

Each part is a separate process, so that no part warms up or slows down another. bench.json gets
the machine, every figure with its median, lowest and highest, and the table. With --markdown the
table goes to stdout as in docs/performance.md, and the plots of docs/performance/ are drawn again;
--only runs some parts. --quick ends within two minutes: one round of few calls for each part, of
as many parts as there is time for. It names the parts that it left out.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.charts import draw_growth
from bench.measures import ROOT, Others, machine
from bench.table import as_markdown, as_text, lines_of, ratios_of

GUARD_S = 1800
QUICK_S = 105.0  # all parts of a quick run begin and end within this time
ENDING_S = 5.0  # for a stopped part, to stop its child processes
PLOTS = ROOT / "docs" / "performance"


@dataclass(frozen=True, slots=True)
class Part:
    """A script of this folder, with its arguments for a full and for a quick run."""

    name: str
    script: str
    full: str = ""
    quick: str | None = ""  # None: not part of a quick run


PARTS = (
    Part("codec", "bench_codec.py"),
    Part(
        "calls",
        "bench_calls.py",
        "--calls 20000 --rounds 5",
        "--calls 1500 --rounds 1 --sipp-rates 8000",
    ),
    Part(
        "data",
        "bench_data.py",
        "--calls 10000 --rounds 5",
        "--calls 1500 --rounds 1 --only extensions_8,ussd,ordinary",
    ),
    Part("deviations", "bench_deviations.py", "--calls 20000 --rounds 3", None),
    Part(
        "instances",
        "bench_instances.py",
        quick="--instances 5000 --waiting 5000 --million 20000",
    ),
    Part(
        "schedule",
        "bench_schedule.py",
        "--seconds 20 --rates 1000,5000",
        "--seconds 2 --rates 5000 --rates-only",
    ),
    Part("diameter", "bench_diameter.py", quick="--calls 1200 --rounds 1"),
    Part("rest", "bench_rest.py", quick="--requests 800 --rounds 1"),
    Part("together", "bench_together.py", quick=None),
    Part("rpc", "bench_rpc.py", "--seconds 10", "--seconds 1 --steps 2"),
    Part(
        "five_gateways",
        "bench_five_gateways.py",
        "--setting sqlite",
        None,
    ),
    Part("start", "bench_start.py", "--rounds 9", "--rounds 1"),
    Part("cluster", "bench_cluster.py", quick=None),
    Part("db", "bench_db.py", quick=None),
    Part("expressions", "bench_expressions.py", "--seconds 5", None),
    Part("profile", "profile_calls.py", "--calls 60000", None),
    Part("growth", "bench_growth.py", quick=None),
)


def measure(part: Part, words: str, seconds: float) -> dict[str, Any]:
    """Return the output of a part within so many seconds, or the error."""
    command = [sys.executable, str(Path(__file__).with_name(part.script)), *words.split()]
    # The package of this checkout, even if another one is installed.
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    begun = time.monotonic()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,  # so that its child processes can be ended with it
    )
    try:
        told, wrong = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        stop(process)
        return {"failed": f"no end after {seconds:.0f} s"}
    except BaseException:
        stop(process)
        raise
    took = round(time.monotonic() - begun, 1)
    if process.returncode:
        return {"failed": wrong[-2000:], "took_s": took}
    found: dict[str, Any] = json.loads(told)
    return {**found, "took_s": took}


def stop(process: "subprocess.Popen[str]") -> None:
    """End a part and its child processes."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=ENDING_S)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two minutes at most; proves nothing")
    parser.add_argument("--markdown", action="store_true", help="print Markdown, draw the plots")
    parser.add_argument("--only", default="", help="parts, with commas")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench.json")
    given = parser.parse_args()
    known = [part.name for part in PARTS]
    wanted = given.only.split(",") if given.only else known
    if unknown := set(wanted) - set(known):
        parser.error(f"no part {', '.join(sorted(unknown))}; parts are {', '.join(known)}")
    result: dict[str, Any] = {
        "machine": machine(),
        "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "is_quick": given.quick,
        "left_out": [],
        "parts": {},
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    others = Others()
    begun = time.monotonic()
    for part in PARTS:
        if part.name not in wanted:
            continue
        words = part.quick if given.quick else part.full
        left = QUICK_S - (time.monotonic() - begun) if given.quick else GUARD_S
        if words is None or left < ENDING_S:
            result["left_out"].append(part.name)
            continue
        print(f"{part.name} …", file=sys.stderr, flush=True)
        found = measure(part, words, left)
        if given.quick and "took_s" not in found:
            result["left_out"].append(part.name)
            continue
        if "failed" in found:
            print(f"{part.name} failed:\n{found['failed']}", file=sys.stderr)
        result["parts"][part.name] = found
        result["others_share"] = round(others.share(), 3)
        result["load_average_end"] = [round(one, 2) for one in os.getloadavg()]
        result["ratios"] = [line.to_json() for line in ratios_of(result["parts"])]
        result["lines"] = [line.to_json() for line in lines_of(result["parts"])]
        # After each part, so that its figures are kept whatever happens later.
        given.out.write_text(json.dumps(result, indent=1) + "\n")
    print((as_markdown if given.markdown else as_text)(result))
    if given.markdown and not given.quick and "failed" not in result["parts"].get("growth", {}):
        draw_growth(result["parts"].get("growth", {}), PLOTS)
    return int(any("failed" in found for found in result["parts"].values()))


if __name__ == "__main__":
    sys.exit(main())
