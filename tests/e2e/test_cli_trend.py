"""tsvc trend over runs that an archive holds."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, ROOT

from tsvc.cli.embedded import PrivateDaemon, clean_environment

pytestmark = pytest.mark.e2e

COUNTS = (4, 8, 6, 12)


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDaemon]:
    """Loads called `many`, one for each of COUNTS, the last fails; and another run."""
    with PrivateDaemon() as found:
        client = found.client()
        for total in COUNTS:
            kind = "fail" if total == COUNTS[-1] else "pass"
            distribution = {"type": "load", "total": total, "backlog": 2}
            operations = [{"type": kind, "arguments": {"text": "x"}}]
            definition = {"name": "many", "distribution": distribution, "operations": operations}
            client.execute(definition, wait=True)
        client.execute({"name": "other", "operations": operations}, wait=True)
        yield found


def trend(daemon: PrivateDaemon, *arguments: object) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", "trend", *map(str, arguments)],
        env={**clean_environment(), "TSVC_PORT": str(daemon.port)},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )


def test_the_numbers_from_the_oldest_run_to_the_latest(daemon: PrivateDaemon) -> None:
    found = trend(daemon, "many")
    assert found.returncode == 0, found.stderr
    head, *rows = found.stdout.partition("\n\n")[0].splitlines()
    assert head.split()[:5] == ["result", "began", "verdict", "passed", "failed"]
    cells = [row.split() for row in rows]
    assert [row[2:5] for row in cells] == [
        ["pass", "4", "0"],
        ["pass", "8", "0"],
        ["pass", "6", "0"],
        ["fail", "0", "12"],
    ]
    assert [row[0] for row in cells] == ["1", "2", "3", "4"]
    changes = found.stdout.partition("\n\n")[2].splitlines()
    assert changes[0].split(maxsplit=2) == ["passed", "▅█▆▁", "0, before 6 (-100.0 %)"]
    assert changes[1].split(maxsplit=2) == ["failed", "▁▁▁█", "12, before 0"]
    assert changes[2].split() == ["achieved_cps", changes[2].split()[1], *changes[2].split()[2:]]


def test_which_and_how_many(daemon: PrivateDaemon) -> None:
    arguments = ("many", "--metric", "started", "--metric", "asked_cps")
    wrong = trend(daemon, *arguments)
    assert wrong.returncode == 2
    assert 'did you mean "achieved_cps"?' in wrong.stderr
    found = trend(daemon, "many", "--metric", "started", "--limit", 2, "--json")
    rows = json.loads(found.stdout)
    assert [row["started"] for row in rows] == list(COUNTS[-2:])
    assert {"result_id", "time_start", "verdict", "started"} == set(rows[0])


def test_nothing_of_that_name(daemon: PrivateDaemon) -> None:
    found = trend(daemon, "nobody")
    assert (found.returncode, found.stdout) == (1, "")
    assert "no completed run of a definition named 'nobody'; it has many, other" in found.stderr
