"""CancelTest while the archive accepts nothing: the answer is the complete result."""

import contextlib
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from support.daemons import running
from support.waiting import until

pytestmark = pytest.mark.e2e

DEADLINE_S = 4.0  # of the archive; twice that, for the ends of two runs, is more than the grace
GRACE_S = 0.5
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]


def test_a_cancelled_run_is_complete_however_slow_the_archive_is(tmp_path: Path) -> None:
    config = f"[engine]\ncancel_grace_s = {GRACE_S}\n[results]\ndeadline_s = {DEADLINE_S}\n"
    with running(tmp_path, config) as daemon:
        names = [f"run {number}" for number in range(3)]
        for name in names:
            assert daemon.result("ExecuteTest", {"run_id": name, "operations": HALT}) == "ok"
        (file,) = tmp_path.rglob("*.sqlite")
        found: dict[str, Any] = {}

        def cancel(name: str) -> None:
            found[name] = daemon.result("CancelTest", {"run_id": name})

        threads = [threading.Thread(target=cancel, args=(name,)) for name in names]
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("begin exclusive")
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            other.execute("rollback")
        for name in names:
            result = found[name]
            assert (result["completed"], result["cancelled"]) == (1, 1), result
            assert result["verdict"] == "cancelled"
            assert result["counts"]["cancelled"] == result["counts"]["started"] == 1
        assert daemon.result("QueryAllTests")["tests"] == []
        listed = until(lambda: daemon.result("ListResults")["results"])
        assert {one["run_id"] for one in listed} == set(names)
