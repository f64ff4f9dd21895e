"""What a result says of its rate is what the peer's own time stamps say: after a stop of the
tester's process, too.
"""

import os
import signal
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from support.stamps import Pair, Played, stamping_pair
from support.waiting import until

pytestmark = pytest.mark.e2e

STOP_S = float(os.environ.get("TSVC_STOP_S", "3"))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with stamping_pair(tmp_path_factory.mktemp("daemon")) as made:
        yield made


def stop(pair: Pair, run_id: str) -> float:
    """Stop the tester's process in the middle: its plan goes on without it.

    The stop lasts that long as the peer sees it, who reads a moment later what was sent before.
    """
    pair.until_started(run_id, 100)
    pair.daemon.signal(signal.SIGSTOP)
    time.sleep(STOP_S)
    until(lambda: pair.peer.silent_s() >= STOP_S)
    pair.daemon.signal(signal.SIGCONT)
    return 0.0


def gap_of(played: Played) -> float:
    """Return the longest silence that the peer saw, s."""
    assert played.rate["limited_by"] == "generator", "it says itself that it stood still"
    gap = max(later - at for at, later in pairwise(played.stamps))
    assert gap >= STOP_S
    return gap


def test_the_peers_time_stamps_agree(pair: Pair) -> None:
    """A hundred before it; then those of the stop and as many again until it is caught up."""
    plan = {"total": 100 + int(400 * STOP_S), "cps": {"target": 200, "catch_up": 2}}
    played = pair.play(plan, stop)
    rate = played.rate
    assert rate["never_started"] == 0
    played.sees_peak_within(2)
    assert rate["lateness_ms"]["max"] == pytest.approx(gap_of(played) * 1000, rel=0.1)
    assert rate["late"] == pytest.approx(STOP_S * 200 * 2, rel=0.15)


def test_what_is_never_caught_up(pair: Pair) -> None:
    plan = {"total": 200 + int(200 * STOP_S), "cps": {"target": 200, "catch_up": 0}}
    played = pair.play(plan, stop)
    gap_of(played)
    assert played.rate["never_started"] > 0
    played.sees_peak_within(1)
    assert played.rate["never_started"] == pytest.approx(STOP_S * 200, rel=0.1)
