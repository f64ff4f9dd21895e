"""Random schedules, and random stops of the tester: planned starts follow the plan, as seen by a
peer.

A schedule has stages of constant rates and of ramps, also from 0. The tester's process is stopped
a few times for 5 to 80 ms, as on a busy machine. No start comes before its plan; none is lost;
none is later than the result reports, and the number of late starts is right.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.stamps import Pair, Range, stamping_pair

pytestmark = pytest.mark.e2e

SCHEDULES = int(os.environ.get("TSVC_SCHEDULES", "200"))
EACH = 10  # in one test


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with stamping_pair(tmp_path_factory.mktemp("daemon")) as made:
        yield made


@dataclass(frozen=True)
class Segment:
    """A part of a schedule in which the rate changes linearly from one value to another."""

    seconds: float
    first: float
    last: float

    def starts_by(self, seconds: float) -> float:
        """Return how many starts are planned in its first seconds."""
        slope = (self.last - self.first) / self.seconds
        return self.first * seconds + slope * seconds * seconds / 2


def drawn(chance: random.Random) -> tuple[dict[str, Any], list[Segment]]:
    """Return a random rate as a definition has it, and its segments."""
    if chance.random() < 0.3:
        first = chance.choice([0, 0, chance.randint(1, 100)])
        last, seconds = chance.randint(20, 300), round(chance.uniform(0.2, 1.5), 2)
        cps = {"initial": first, "target": last, "ramp_s": seconds}
        return cps, [Segment(seconds, first, last), Segment(1000.0, last, last)]
    stages: list[dict[str, float]] = []
    segments: list[Segment] = []
    rate = 0.0
    for _ in range(chance.randint(1, 4)):
        target, seconds = chance.randint(5, 300), round(chance.uniform(0.2, 0.8), 2)
        stage: dict[str, float] = {"target": target, "seconds": seconds}
        if chance.random() < 0.5:
            stage["ramp_s"] = ramp = round(seconds * chance.choice([0.3, 0.7, 1.0]), 3)
            segments.append(Segment(ramp, rate, target))
            seconds -= ramp
        if seconds > 1e-9:
            segments.append(Segment(seconds, target, target))
        stages.append(stage)
        rate = target
    return {"stages": stages}, segments


def moments_of(segments: list[Segment], count: int) -> list[float]:
    """Return when the first starts are planned: start n is planned when n starts are due."""
    moments: list[float] = []
    begins = done = 0.0
    for segment in segments:
        whole = segment.starts_by(segment.seconds)
        while len(moments) < count and len(moments) - done <= whole + 1e-9:
            low, high = 0.0, segment.seconds
            for _ in range(60):
                middle = (low + high) / 2
                if segment.starts_by(middle) < len(moments) - done:
                    low = middle
                else:
                    high = middle
            moments.append(begins + high)
        begins += segment.seconds
        done += whole
    return moments


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(SCHEDULES // EACH))
def test_planned_starts_are_on_the_plan_whatever_stops_the_tester(pair: Pair, seed: int) -> None:
    for number in range(EACH):
        chance = random.Random(f"{seed} {number}")
        cps, segments = drawn(chance)
        planned = sum(segment.starts_by(segment.seconds) for segment in segments)
        total = max(min(int(planned), chance.randint(20, 150)), 1)
        moments = moments_of(segments, total)
        stops = [(chance.uniform(0.05, 0.4), chance.uniform(0.005, 0.08)) for _ in range(4)]

        def stop(pair: Pair, run_id: str, stops: Any = stops) -> Range:
            for pause_s, stop_s in stops:
                time.sleep(pause_s)
                pair.daemon.signal(signal.SIGSTOP)
                time.sleep(stop_s)
                pair.daemon.signal(signal.SIGCONT)
            return 0.0, 0.0

        played = pair.play({"total": total, "cps": {**cps, "catch_up": 2}}, stop)
        assert played.rate["never_started"] == 0, (cps, total)
        played.check_lateness(moments.__getitem__)
