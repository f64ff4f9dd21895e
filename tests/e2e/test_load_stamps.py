"""The rates in a result agree with the peer's own time stamps: for any plan, and through a pause,
a RateTest and a stop of the tester's process."""

import os
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from support.stamps import (
    EPSILON_S,
    Meddle,
    Pair,
    Played,
    Range,
    most_touching,
    most_within,
    stamping_pair,
)
from support.waiting import until

pytestmark = pytest.mark.e2e

STOP_S = float(os.environ.get("TSVC_STOP_S", "3"))
CPS = 200
LATE_S = 0.005  # by default


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with stamping_pair(tmp_path_factory.mktemp("daemon")) as made:
        yield made


def nothing(pair: Pair, run_id: str) -> Range:
    return 0.0, 0.0


def pause(pair: Pair, run_id: str) -> Range:
    """Pause for a second; return the least and the greatest possible length of the pause in s."""
    pair.until_started(run_id, 10)
    asked_at = time.monotonic()
    pair.daemon.result("PauseTest", {"run_id": run_id, "paused": 1})
    paused_at = time.monotonic()
    time.sleep(1.0)
    resumed_at = time.monotonic()
    pair.daemon.result("PauseTest", {"run_id": run_id, "paused": 0})
    return resumed_at - paused_at, time.monotonic() - asked_at


def change(pair: Pair, run_id: str) -> Range:
    pair.until_started(run_id, 10)
    pair.daemon.result("RateTest", {"run_id": run_id, "cps": 250})
    return 0.0, 0.0


def stop(pair: Pair, run_id: str) -> Range:
    """Stop the tester's process in the middle; its plan continues meanwhile.

    The peer measures the length of the stop. It may read, a moment later, octets sent before the
    stop.
    """
    pair.until_started(run_id, 100)
    pair.daemon.signal(signal.SIGSTOP)
    until(lambda: pair.peer.silent_s() >= STOP_S)
    pair.daemon.signal(signal.SIGCONT)
    return 0.0, 0.0


ATTEMPTS = 5
STAGES = {"stages": [{"target": 60, "seconds": 1}, {"target": 300, "seconds": 5}]}
CASES: dict[str, tuple[dict[str, Any], Meddle]] = {
    "constant": ({"total": 500, "cps": 250}, nothing),
    "ramp": ({"total": 500, "cps": {"initial": 20, "target": 300, "ramp_s": 2}}, nothing),
    "stages": ({"total": 500, "cps": STAGES}, nothing),
    # These last long enough to be changed while they are in progress.
    "a pause": ({"total": 200, "cps": 25}, pause),
    "RateTest": ({"total": 500, "cps": 25}, change),
}


@pytest.mark.parametrize("case", CASES)
def test_the_peers_time_stamps_agree(pair: Pair, case: str) -> None:
    played = pair.play(*CASES[case])
    assert played.rate["never_started"] == 0
    played.sees_peak_within(2)
    if case == "constant":
        played.check_lateness(lambda idx: idx / 250, LATE_S)


def stopped(pair: Pair, distribution: dict[str, Any]) -> tuple[Played, float, float]:
    """Return a run with a stop of the tester in its middle; and, in seconds of the run, the begin
    and end of the peer's silence. A run that was over before the stop is repeated."""
    for _ in range(ATTEMPTS):
        played = pair.play(distribution, stop)
        stamps = sorted(at - played.begun for at in played.stamps.values())
        begin, end = max(pairwise(stamps), key=lambda pair: pair[1] - pair[0])
        if end - begin >= STOP_S:
            # None if all was caught up, so that the rate was achieved.
            assert played.rate["limited_by"] in (None, "generator")
            return played, begin, end
    raise AssertionError(f"no stop in the middle of {ATTEMPTS} runs")


def woken_at(played: Played, end: float) -> float:
    """Return the earliest time at which the tester continued, in seconds of the run. `end`: when
    the peer received a message again."""
    after = [early for early, late in played.starts.values() if late - played.begun >= end - 1e-9]
    return min(after) - played.begun


def test_a_stop_is_caught_up(pair: Pair) -> None:
    """A hundred starts before the stop; then those of the stop, and as many again to catch up."""
    total = 100 + int(2 * CPS * STOP_S)
    distribution = {"total": total, "cps": {"target": CPS, "catch_up": 2}}
    played, begin, end = stopped(pair, distribution)
    assert played.rate["never_started"] == 0
    played.sees_peak_within(2)
    played.check_lateness(lambda idx: idx / CPS, LATE_S)
    planned = min(total, int(CPS * woken_at(played, end))) - int(CPS * begin)
    assert played.rate["late"] >= planned - CPS * LATE_S - 2, "all that were planned in the stop"


def test_what_is_never_caught_up(pair: Pair) -> None:
    total = 200 + int(CPS * STOP_S)
    distribution = {"total": total, "cps": {"target": CPS, "catch_up": 0}}
    played, begin, end = stopped(pair, distribution)
    played.sees_peak_within(1)
    played.check_lateness(lambda idx: idx / CPS, LATE_S)
    missing = [idx for idx in range(total) if idx not in played.starts]
    assert len(missing) == played.rate["never_started"] > 0
    assert played.rate["limited_by"] == "generator", "it says itself that it stood still"
    until_s = woken_at(played, end) - LATE_S - EPSILON_S
    planned = [idx for idx in range(total) if begin < idx / CPS < until_s]
    assert len(set(planned) - set(missing)) <= 1, "all that were planned in the stop"
    # No start is given up before it is late: the next start is made after that.
    for idx in missing:
        following = [late for other, (_, late) in played.starts.items() if other > idx]
        assert not following or min(following) - played.begun >= idx / CPS + LATE_S


def test_what_is_in_one_window() -> None:
    exact = [(at, at) for at in (0.0, 0.05, 0.099, 0.1, 0.3)]
    assert most_within(exact) == most_touching(exact) == 3
    assert most_within([(0.0, 0.06), (0.05, 0.09), (0.08, 0.11)]) == 2
    assert most_touching([(0.0, 0.06), (0.05, 0.09), (0.15, 0.2)]) == 3
