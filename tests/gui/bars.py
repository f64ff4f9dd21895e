"""python -m gui.bars [names] (make bench-gui): measures the limits of the web GUI; prints a table.

The exit status is 1 if a limit is exceeded. build/bench-gui.json gets the machine and the lines.
"""

import argparse
import contextlib
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.measures import machine
from bench.table import Line
from gui.browsers import daemon_options, gui
from gui.relay import Relay
from support.daemons import ROOT, running
from support.waiting import until

from gui import bars_browser, bars_viewers
from tsvc.gui.topics import PERIOD_S

STATIC = ROOT / "tsvc" / "gui" / "static"
KIB = 1024
QUIET_S = 10.0
# As esbuild writes them: import{a}from"./x.js" and import"./x.js", not import("./x.js").
IMPORTED = re.compile(r'\b(?:from|import)\s*"\./([\w-]+\.js)"')


def loaded(name: str) -> set[str]:
    """Return a script and all scripts that it imports at once."""
    found, left = set(), [name]
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += IMPORTED.findall((STATIC / one).read_text("utf-8"))
    return found


def packed_kib(names: set[str]) -> float:
    return sum((STATIC / f"{name}.gz").stat().st_size for name in names) / KIB


def sizes() -> list[Line]:
    """Return the compressed sizes of the first load and of the editor.

    The first load is everything that a browser gets before it shows something: the page, its style
    and scripts, the scripts of the Overview, which is shown first, and the worker that listens.
    """
    page = (STATIC / "index.html").read_text("utf-8")
    named = re.findall(r"/static/([\w-]+\.(?:js|css))", page)
    (overview,), (worker,) = STATIC.glob("overview-*.js"), STATIC.glob("worker-*.js")
    begun = [name for name in named if name.endswith(".js")] + [overview.name, worker.name]
    scripts = {one for name in begun for one in loaded(name)}
    first = packed_kib(scripts | set(named)) + len(page) / KIB
    (editor,) = STATIC.glob("editor-*.js")
    later = packed_kib(loaded(editor.name) - scripts)
    return [
        Line(
            "first load, packed",
            "≤ 300 KiB; aim 100",
            f"{first:.1f} KiB",
            first <= 300,
            aim=first <= 100,
        ),
        Line(
            "editor, packed, beside the first load", "≤ 150 KiB", f"{later:.1f} KiB", later <= 150
        ),
    ]


def quiet() -> list[Line]:
    """Return how often a daemon is asked when nobody watches. Blocks: for QUIET_S and a start."""
    topic = {"daemon": "local"}
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as life:
        daemon = life.enter_context(running(Path(name) / "daemon"))
        relay = Relay(daemon.port)
        life.callback(relay.close)
        made = life.enter_context(
            gui(Path(name) / "gui", STATIC, *daemon_options({"local": relay.port}))
        )
        with made.enter().feed() as stream:
            stream.look(topic)
            stream.wait(topic, up=True)
        until(lambda: relay.is_quiet(2 * PERIOD_S))
        looked, begun = len(relay.requests), time.monotonic()
        until(lambda: time.monotonic() - begun > QUIET_S)
        asked = len(relay.requests) - looked
    return [
        Line(
            f"calls in {QUIET_S:.0f} s after the last viewer has left",
            "0",
            f"{asked}, {looked} before",
            asked == 0 and looked > 0,
        )
    ]


BARS: dict[str, Callable[[], list[Line]]] = {
    "sizes": sizes,
    "quiet": quiet,
    "first": bars_browser.first_value,
    "trace": bars_browser.trace,
    "heap": bars_browser.heap,
    "history": bars_browser.history,
    "viewers": bars_viewers.viewers,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BARS)}; all without")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench-gui.json")
    given = parser.parse_args()
    if unknown := set(given.names) - set(BARS):
        parser.error(f"no bar {', '.join(sorted(unknown))}; bars are {', '.join(BARS)}")
    lines = [line for name in given.names or BARS for line in BARS[name]()]
    for line in lines:
        print(f"{line.work:<64} {line.reach:<20} {line.measured:<12} {line.met}")
    found = {"machine": machine(), "lines": [line.to_json() for line in lines]}
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(found, indent=1) + "\n")
    return int(not all(line.is_met for line in lines))


if __name__ == "__main__":
    sys.exit(main())
