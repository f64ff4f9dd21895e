"""python -m tests.bench (make bench): every benchmark, one after the other; one table at the end.

Each part is a process of its own, so that none warms or burdens another. bench.json gets the
machine, every figure with its median, lowest and highest, and the table. With --markdown the
table goes to stdout as docs/performance.md shows it, and the plots of docs/performance/ are
drawn anew; --quick takes about a minute and proves nothing; --only runs some parts.
"""

import argparse
import json
import os
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
PLOTS = ROOT / "docs" / "performance"


@dataclass(frozen=True, slots=True)
class Part:
    """One script of this folder, what it is told, and what for a quick look."""

    name: str
    script: str
    full: str = ""
    quick: str = ""


PARTS = (
    Part("codec", "bench_codec.py"),
    Part(
        "calls",
        "bench_calls.py",
        "--calls 20000 --rounds 5",
        "--calls 2000 --rounds 1 --sipp-rates 12000",
    ),
    Part(
        "instances",
        "bench_instances.py",
        quick="--instances 10000 --waiting 5000 --million 50000",
    ),
    Part(
        "schedule",
        "bench_schedule.py",
        "--seconds 20 --rates 1000,5000",
        "--seconds 2 --rates 5000 --rates-only",
    ),
    Part("diameter", "bench_diameter.py", quick="--calls 1200 --rounds 3"),
    Part("rest", "bench_rest.py", quick="--requests 800 --rounds 3"),
    Part("rpc", "bench_rpc.py", "--seconds 10", "--seconds 1 --steps 2"),
    Part(
        "five_gateways",
        "bench_five_gateways.py",
        "--setting sqlite",
        "--setting sqlite --seconds 3",
    ),
    Part("start", "bench_start.py", "--rounds 9", "--rounds 2"),
    Part("db", "bench_db.py", quick="--statements 1000"),
    Part("expressions", "bench_expressions.py", "--seconds 5", "--seconds 1"),
    Part("profile", "profile_calls.py", "--calls 60000", "--calls 4000"),
    Part(
        "growth",
        "bench_growth.py",
        quick="--most-open 100 --most-noops 3000 --most-calls 1000 --rounds 1",
    ),
)


def measure(part: Part, is_quick: bool) -> dict[str, Any]:
    """Return what a part printed, or what went wrong."""
    words = (part.quick if is_quick else part.full).split()
    command = [sys.executable, str(Path(__file__).with_name(part.script)), *words]
    # The package of this checkout, whatever is installed.
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    begun = time.monotonic()
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=GUARD_S,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"no end after {GUARD_S} s"}
    took = round(time.monotonic() - begun, 1)
    if done.returncode:
        return {"failed": done.stderr[-2000:], "took_s": took}
    found: dict[str, Any] = json.loads(done.stdout)
    return {**found, "took_s": took}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="about a minute; proves nothing")
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
        "parts": {},
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    others = Others()
    for part in PARTS:
        if part.name not in wanted:
            continue
        print(f"{part.name} …", file=sys.stderr, flush=True)
        found = measure(part, given.quick)
        if "failed" in found:
            print(f"{part.name} failed:\n{found['failed']}", file=sys.stderr)
        result["parts"][part.name] = found
        result["others_share"] = round(others.share(), 3)
        result["load_average_end"] = [round(one, 2) for one in os.getloadavg()]
        result["ratios"] = [line.to_json() for line in ratios_of(result["parts"])]
        result["lines"] = [line.to_json() for line in lines_of(result["parts"])]
        # After each part: what was measured is there whatever comes later.
        given.out.write_text(json.dumps(result, indent=1) + "\n")
    print((as_markdown if given.markdown else as_text)(result))
    if given.markdown and not given.quick and "failed" not in result["parts"].get("growth", {}):
        draw_growth(result["parts"].get("growth", {}), PLOTS)
    return int(any("failed" in found for found in result["parts"].values()))


if __name__ == "__main__":
    sys.exit(main())
