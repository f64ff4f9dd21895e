"""Limits that a browser measures: first value, a long trace, hours of a run, a large archive."""

import contextlib
import json
import sqlite3
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.table import Line
from gui.browsers import GuiProcess, daemon_options, gui
from gui.journeys import STATIC, Host, require_browser
from support.daemons import ROOT, DaemonProcess, launch, prepare
from support.ports import free_port

from tsvc.cli.definition_file import read_definition

GUARD_S = 900.0
CALLS = 2510  # with four messages each: more than are kept
ARCHIVE_OCTETS = 1 << 30
ROW_OCTETS = 40_000
KEEP = "[results]\nkeep_runs = 10000000\n"


@contextlib.contextmanager
def stage(local: str = "") -> Iterator[tuple[DaemonProcess, Path, int]]:
    require_browser()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        folder, port = Path(name), free_port()
        prepare(folder, local, "", port)
        daemon = launch(folder, port)
        try:
            yield daemon, folder, port
        finally:
            daemon.kill()


def measured(name: str, port: int, folder: Path, **given: Any) -> dict[str, Any]:
    """Return the measurements of a script."""
    with gui(folder / "gui", STATIC, *daemon_options({"local": port})) as made:
        return noted(made, name, **given)


def noted(made: GuiProcess, name: str, **given: Any) -> dict[str, Any]:
    facts = {"enter": made.addresses[-1], "base": made.base, **given}
    with Host() as host:  # a browser that has done nothing yet
        lines = host.play("bars.mjs", name, facts, guard_s=GUARD_S)
    pairs = (line.partition(": ") for line in lines)
    return {name: json.loads(value) for name, _, value in pairs if value[:1] in "[0123456789"}


def line(work: str, bound: str, value: float, unit: str, is_met: bool) -> Line:
    return Line(work, f"≤ {bound} {unit}".strip(), f"{value:.4g} {unit}".strip(), is_met)


def first_value() -> list[Line]:
    """Return how long a browser waits for the first number of a run."""
    with stage() as (daemon, folder, port):
        pace = {"type": "linear", "total": 10**6, "backlog": 100, "cps": 50}
        params = {"run_id": "live", "operations": [{"type": "pass"}], "distribution": pace}
        assert daemon.result("ExecuteTest", params) == "ok"
        found = statistics.median(measured("first_value", port, folder)["first_value_ms"])
    return [line("first value of a run, median of 5", "1500", found, "ms", found <= 1500)]


def trace() -> list[Line]:
    """Return how fast a trace of ten thousand messages opens and scrolls."""
    with stage() as (daemon, folder, port):
        params = read_definition(ROOT / "etc/examples/guide/loop.json")
        params["vars"]["wanted"] = CALLS
        params |= {"run_id": "long", "trace_messages": 1}
        assert daemon.result("ExecuteTest", params) == "ok"
        result = daemon.result("QueryTest", {"run_id": "long", "collect": 0, "wait_s": 60})
        assert result["verdict"] == "pass", result["first_call_summary"]["reason"]
        found = measured("trace", port, folder, run="long")
    opens, p95, rows = found["open_ms"], found["scroll_p95_ms"], found["rows"]
    chosen, searched = found["chosen_ms"], found["searched_ms"]
    times = f"first portion {found['first_ms']:.0f} ms, {found['parts']} in all"
    return [
        line(
            f"a trace of {found['messages']} messages opens ({times})",
            "1000",
            opens,
            "ms",
            opens <= 1000,
        ),
        line("scrolled through it as it comes, frame p95", "32", p95, "ms", p95 <= 32),
        line(
            "scrolled through it once more, frame p95",
            "32",
            found["again_p95_ms"],
            "ms",
            found["again_p95_ms"] <= 32,
        ),
        line("rows in the page at most", "120", rows, "", rows <= 120),
        line(
            "a message chosen in its middle, octets shown, median of 5",
            "1000",
            chosen,
            "ms",
            chosen <= 1000,
        ),
        line(
            "a text searched in all of it, none read before",
            "5000",
            searched,
            "ms",
            searched <= 5000,
        ),
    ]


def heap() -> list[Line]:
    """Return how the heap of a tab grows in eight hours of a run."""
    with stage() as (_, folder, port):
        hours = measured("heap", port, folder)["heap_mib"]
    grown = max(hours) - hours[0]
    shown = " ".join(f"{one:.0f}" for one in hours)
    return [line(f"heap of a tab over 8 h ({shown} MiB)", "20", grown, "MiB", grown <= 20)]


def history() -> list[Line]:
    """Return how long the history needs for a gibibyte of archive."""
    with stage(KEEP) as (daemon, folder, port):
        # The text is in the definition and in the result, and can't be compressed: 40 kB per run.
        written = {"text": Random(1).randbytes(ROW_OCTETS // 2).hex()}
        params = {"operations": [{"type": "log", "arguments": written}, {"type": "fail"}]}
        params |= {"run_id": "the first", "name": "of the archive", "trace_level": 3}
        assert daemon.result("ExecuteTest", params) == "ok"
        daemon.result("QueryTest", {"run_id": "the first", "wait_s": 30})
        assert daemon.stop() == 0
        rows = fill(folder)
        daemon = launch(folder, port)
        try:
            found = measured("history", port, folder)
        finally:
            daemon.kill()
    page, asked = (statistics.median(found[name]) for name in ("history_ms", "asked_ms"))
    worst = max(found["history_ms"])
    times = f"{asked:.0f} ms of it ListResults; worst {worst:.0f}"
    work = f"history, 1 GiB, {rows} runs, median ({times})"
    return [line(work, "300", page, "ms", page <= 300)]


def fill(folder: Path) -> int:
    """Copy the only result of an archive until it has a gibibyte; return the number of results."""
    (file,) = [one for one in folder.rglob("*") if one.is_file() and is_sqlite(one)]
    with contextlib.closing(sqlite3.connect(file)) as archive:
        (table,) = archive.execute(
            "select name from sqlite_master where type = 'table' and name like '%results%'"
        ).fetchone()
        names = [row[1] for row in archive.execute(f"pragma table_info({table})")]
        copied = [name for name in names if name not in ("id", "run_id", "words", "summary")]
        own = ", ".join(copied)
        sql = f"""
            insert into {table} (run_id, words, summary, {own})
            select run_id || ' ' || printf('%06d', ?1), words || ' ' || printf('%06d', ?1)
                || case ?1 % 50 when 0 then ' busy' else '' end, summary, {own}
            from {table} where id = 1"""
        number = 1
        while file.stat().st_size < ARCHIVE_OCTETS:
            archive.executemany(sql, [(number + one,) for one in range(500)])
            archive.commit()
            archive.execute("pragma wal_checkpoint(truncate)")
            number += 500
    return number


def is_sqlite(file: Path) -> bool:
    return file.read_bytes()[:15] == b"SQLite format 3"
