"""What a result says of its rate is what the peer's own time stamps say: of any plan, through a
pause and a RateTest. test_load_stops.py stops the tester's process.
"""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.stamps import Meddle, Pair, most_in_a_window, stamping_pair

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with stamping_pair(tmp_path_factory.mktemp("daemon")) as made:
        yield made


def nothing(pair: Pair, run_id: str) -> float:
    return 0.0


def pause(pair: Pair, run_id: str) -> float:
    """Pause for a second; returns how long the plan stood still, about, s."""
    pair.until_started(run_id, 100)
    pair.daemon.result("PauseTest", {"run_id": run_id, "paused": 1})
    began = time.monotonic()
    time.sleep(1.0)
    pair.daemon.result("PauseTest", {"run_id": run_id, "paused": 0})
    return time.monotonic() - began


def change(pair: Pair, run_id: str) -> float:
    pair.until_started(run_id, 100)
    pair.daemon.result("RateTest", {"run_id": run_id, "cps": 150})
    return 0.0


STAGES = {"stages": [{"target": 60, "seconds": 1}, {"target": 300, "seconds": 5}]}
CASES: dict[str, tuple[dict[str, Any], Meddle]] = {
    "constant": ({"total": 500, "cps": 250}, nothing),
    "ramp": ({"total": 500, "cps": {"initial": 20, "target": 300, "ramp_s": 2}}, nothing),
    "stages": ({"total": 500, "cps": STAGES}, nothing),
    "a pause": ({"total": 500, "cps": 250}, pause),
    "RateTest": ({"total": 500, "cps": 300}, change),
}


@pytest.mark.parametrize("case", CASES)
def test_the_peers_time_stamps_agree(pair: Pair, case: str) -> None:
    played = pair.play(*CASES[case])
    rate, stamps = played.rate, played.stamps
    assert rate["never_started"] == 0
    played.sees_peak_within(2)
    # Where a busy machine made the last starts late, the tester says by how much.
    span = stamps[-1] - stamps[0] - played.paused_s
    late_s = rate["lateness_ms"]["max"] / 1000
    assert span == pytest.approx((len(stamps) - 1) / rate["asked"], rel=0.06, abs=late_s + 0.1)


def test_the_peer_counts_windows_rightly() -> None:
    assert most_in_a_window([0.0, 0.05, 0.099, 0.1, 0.3]) == 3
    assert most_in_a_window([]) == 0
