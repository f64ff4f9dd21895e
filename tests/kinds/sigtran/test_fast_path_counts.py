"""A long run in which one call in ONE_IN deviates: its counts are those of the peer.

TSVC_CALLS is the number of calls; `make test-full` runs a million.
"""

import os
from pathlib import Path

import pytest
from bench.bench_deviations import bed

pytestmark = pytest.mark.e2e

CALLS = int(os.environ.get("TSVC_CALLS", "4000"))
ONE_IN = min(max(CALLS // 100, 10), 1000)


def test_counts_are_those_of_the_peer(tmp_path: Path) -> None:
    """play() compares all counts; of four deviations one passes, one fails and two abort."""
    with bed(tmp_path) as made:
        result, _ = made.play(CALLS, ONE_IN)
    counts, deviated = result["counts"], CALLS // ONE_IN
    assert counts["finished"] == CALLS
    assert deviated // 4 <= counts["failed"] <= deviated // 4 + 1
    assert deviated // 2 <= counts["aborted"] <= deviated // 2 + 1
