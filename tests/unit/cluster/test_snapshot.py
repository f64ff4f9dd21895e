"""Snapshots of many players: the sum is what a single player would have counted."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.cluster.snapshot import KEPT, SUMS, Ledger, Merge, Snapshot
from tsvc.engine.load.counters import MOST_GROUPS, Counters, FailureGroups, InstanceState
from tsvc.engine.load.histogram import Histogram

STATES = (InstanceState.PASSED, InstanceState.FAILED, InstanceState.ABORTED)


class Player:
    """Counts instances as a run does."""

    def __init__(self) -> None:
        self.counters = Counters()
        self.service, self.response, self.lateness = Histogram(), Histogram(), Histogram()
        self.operations: dict[tuple[int, str], Histogram] = {}
        self.failures = FailureGroups()
        self.ledger = Ledger(self.counters, self.histograms, self.operations)
        self.first: float | None = None
        self.last: float | None = None

    def histograms(self) -> dict[str, Histogram]:
        return {"service": self.service, "response": self.response, "lateness": self.lateness}

    def start(self, seconds: float) -> None:
        self.counters.start(seconds)
        self.lateness.add(seconds % 0.01)
        self.first = seconds if self.first is None else self.first
        self.last = seconds

    def finish(self, state: InstanceState, seconds: float, duration_s: float, idx: int) -> None:
        self.counters.finish(state, seconds, duration_s)
        self.service.add(duration_s)
        self.response.add(2 * duration_s)
        self.operations.setdefault((idx % 3, "wait"), Histogram()).add(duration_s / 2)
        if state is not InstanceState.PASSED:
            self.failures.add(state, idx % 3, f"cause {idx % 5}", idx, seconds, idx)

    def snapshot(self, seconds: float) -> Snapshot:
        told = {
            "seconds": seconds,
            "counts": self.counters.as_dict(self.counters.started),
            "sums": {**dict.fromkeys(SUMS, self.counters.started), "warm_up_finished": 0},
            "moments": {"first_start": self.first, "last_start": self.last},
            "closings": {"end": self.counters.passed},
        }
        return self.ledger.take(told, json.dumps(self.failures.as_list()))


def durations(series: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(bucket.values()) for bucket in series]


moves = st.lists(
    st.tuples(
        st.integers(0, 3),  # index of the player
        st.sampled_from(["start", "finish", "snapshot", "long"]),
        st.floats(0, 3),  # seconds since the last move
        st.floats(0, 30),  # the duration of an instance
    ),
    max_size=120,
)


@settings(max_examples=examples(200), deadline=None)
@given(moves, st.randoms(use_true_random=False))
def test_the_sum_is_what_one_would_have_counted(moves: Any, random: Any) -> None:
    whole = Player()
    players = {f"w{at}": Player() for at in range(4)}
    merge = Merge(players)
    sent: list[tuple[str, Snapshot]] = []
    now = 0.0
    for idx, (who, what, step, duration) in enumerate(moves):
        now += 1000 * step if what == "long" else step
        name = f"w{who}"
        player = players[name]
        if what == "start":
            player.start(now)
            whole.start(now)
        elif what == "finish" and player.counters.in_progress:
            state = random.choice(STATES)
            player.finish(state, now, duration, idx)
            whole.finish(state, now, duration, idx)
        elif what == "snapshot":
            sent.append((name, player.snapshot(now)))
    sent += [(name, player.snapshot(now)) for name, player in players.items()]
    arrived = random.sample(sent, len(sent))
    lost = [sent_ for sent_ in arrived if random.random() < 0.3 and sent_[1]["n"] > 0]
    for name, snapshot in arrived:
        if (name, snapshot) in lost:
            continue
        for number in merge.take(name, snapshot):
            again = players[name].ledger.again(number)
            if again is not None:
                merge.take(name, again)
                merge.take(name, again)
    for name, player in players.items():  # the last snapshots, if lost, are also requested again
        for number in range(merge.players[name].last_n + 1, player.snapshot(now)["n"]):
            found = player.ledger.again(number)
            assert found is not None or number < len(sent) - KEPT
            if found is not None:
                merge.take(name, found)
    counters = merge.counters
    planned = merge.planned()
    assert counters.as_dict(planned) == {**whole.counters.as_dict(planned), "lost": 0}
    for name in ("service", "response", "lateness"):
        assert getattr(merge, name).summary("") == getattr(whole, name).summary("")
    assert {key: one.summary("") for key, one in merge.operations.items()} == {
        key: one.summary("") for key, one in whole.operations.items()
    }
    # The series of the sum may be coarser: as coarse as that of the player that ran longest.
    ours, theirs = counters.buckets(), whole.counters.buckets()
    if counters.bucket_s == whole.counters.bucket_s:
        assert durations(ours) == durations(theirs)[: len(ours)]
    else:
        assert sum(one["num_calls_finished"] for one in ours) == whole.counters.finished
    expected = {(g["state"], g["op"], g["cause"]): g["count"] for g in whole.failures.as_list()}
    assert {(g["state"], g["op"], g["cause"]): g["count"] for g in merge.failures()} == expected
    assert merge.sum("late") == whole.counters.started
    assert merge.moment("first_start") == whole.first
    assert merge.moment("last_start") == whole.last
    assert merge.closings() == {"end": whole.counters.passed}


def test_what_a_lost_player_had_in_progress_is_lost() -> None:
    players = {"w1": Player(), "w2": Player()}
    merge = Merge(players)
    for player in players.values():
        for at in range(5):
            player.start(at / 10)
        player.finish(InstanceState.PASSED, 0.5, 0.1, 0)
    for name, player in players.items():
        merge.take(name, player.snapshot(1.0))
    merge.lose("w2")
    counts = merge.counters.as_dict(10)
    assert (counts["lost"], counts["in_progress"]) == (4, 4)
    assert counts["started"] == counts["finished"] + counts["in_progress"] + counts["lost"]
    players["w1"].finish(InstanceState.FAILED, 1.1, 0.1, 1)
    merge.take("w1", players["w1"].snapshot(2.0))
    assert merge.counters.as_dict(10)["lost"] == 4


def test_durations_that_do_not_add_up_are_told() -> None:
    player = Player()
    merge = Merge(["w1"])
    player.start(0.1)
    player.finish(InstanceState.PASSED, 0.2, 0.1, 0)
    snapshot = player.snapshot(1.0)
    snapshot["counts"]["finished"] = 2
    with pytest.raises(ValueError, match="snapshot 0 of w1: 1 durations of 2 instances"):
        merge.take("w1", snapshot)


def test_causes_beyond_the_bound_are_one_of_each_state() -> None:
    merge = Merge(["w1", "w2"])
    for name in merge.players:
        player = Player()
        for idx in range(MOST_GROUPS):
            player.start(0.1)
            player.counters.finish(InstanceState.FAILED, 0.2, 0.1)
            player.service.add(0.1)
            player.failures.add(InstanceState.FAILED, 0, f"{name} {idx}", idx, 0.2)
        merge.take(name, player.snapshot(1.0))
    groups = merge.failures()
    assert len(groups) == MOST_GROUPS + 1
    assert sum(group["count"] for group in groups) == 2 * MOST_GROUPS
    assert groups[-1]["cause"] == "other causes"


@pytest.mark.parametrize("told_at", [8, 9, 1799])
def test_the_series_of_a_long_run_is_told_once(told_at: int) -> None:
    """The buckets double in length between two snapshots."""
    player = Player()
    merge = Merge(["w1"])
    for second in (*range(10), 1798, 1799, 1800, 1803, 5000):
        player.start(second)
        player.finish(InstanceState.PASSED, second, 0.1, 0)
        if second == told_at:
            merge.take("w1", player.snapshot(second))
    merge.take("w1", player.snapshot(5001))
    assert durations(merge.counters.buckets()) == durations(player.counters.buckets())
