"""Reads the SQLite archive of a daemon for a run in progress, without using the daemon."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from support.waiting import GUARD_S, until


def archived_starts(folder: Path, run_id: str) -> int:
    """Return the number of starts in the latest snapshot of a run; 0 before the first snapshot.

    `folder`: the folder of the daemon's configuration.
    """
    path = folder / "state" / "archive.sqlite"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=GUARD_S)) as archive:
        row = archive.execute(
            "SELECT summary FROM tsvc_results WHERE run_id = ? ORDER BY id DESC", (run_id,)
        ).fetchone()
    counts = json.loads(row[0]).get("counts", {}) if row else {}
    return int(counts.get("started", 0))


def until_archived(folder: Path, run_id: str, started: int) -> None:
    """Wait until the archive has a snapshot of a run with at least `started` starts."""
    until(
        lambda: archived_starts(folder, run_id) >= started,
        what=lambda: archived_starts(folder, run_id),
    )
