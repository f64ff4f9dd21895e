"""ApplyCharging: portions of a budget, and an exit for each way in which charging ends."""

import pytest

from tsvc.flow.call import (
    Busy,
    Charge,
    ChargingFailed,
    Ended,
    NoAnswer,
    Release,
    RouteSelectFailure,
    Used,
)

CONFIG = "flow.operations.2.config."
MINUTES = {"grant_seconds": 60, "budget_seconds": 150}
USUAL = Charge(60, ring_seconds=15)


@pytest.fixture
def started(flows):
    def start(**config):
        run = flows.run(flows.document("ApplyCharging", {**MINUTES, **config}))
        return run, run.start()

    return start


def test_portions_until_the_budget_is_used_up(flows, started):
    run, first = started()
    actions = [first, *(run.resume(Used(seconds)) for seconds in (60, 120, 150))]
    assert actions == [USUAL, USUAL, Charge(30, ring_seconds=15), Release(1)]
    assert run.call.buffers == {"user.charged_seconds": "150"}


def test_a_budget_of_one_grant(started):
    run, first = started(budget_seconds=60)
    assert first == USUAL
    assert run.resume(Used()) == Release(1)


def test_a_budget_below_a_grant(started):
    assert started(budget_seconds=7)[1] == Charge(7, ring_seconds=15)


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize(
    ("event", "cause"),
    [
        (Ended(20), 2),
        (Ended(), 2),
        (Busy(17), 3),
        (NoAnswer(), 3),
        (RouteSelectFailure(), 3),
        (ChargingFailed("taskRefused"), 4),
    ],
)
def test_each_end_has_its_exit_at_any_grant(started, at, event, cause):
    run, _ = started()
    for _ in range(at):
        run.resume(Used())
    assert run.resume(event) == Release(cause)


def test_the_seconds_reported_last_are_kept(started):
    run, _ = started(buffer="user.talked")
    run.resume(Used(60))
    run.resume(Ended())
    assert run.call.buffers == {"user.talked": "60"}


def test_the_last_grant_alone_releases_and_warns(started):
    run, first = started(at_end="release", tone=True)
    last = [run.resume(Used()) for _ in range(2)][-1]
    assert (first.releases, first.warns) == (False, False)
    assert (last.seconds, last.releases, last.warns) == (30, True, True)


def test_every_grant_says_who_pays_and_where_to(started):
    _, first = started(
        party="called",
        destination="4329100",
        timeout_seconds=40,
        inap_characteristics_hex="0AFF",
    )
    assert first == Charge(60, 2, False, False, "0aff", "4329100", 40)


def test_ring_time_is_clamped_with_a_warning(flows):
    document = flows.document("ApplyCharging", {**MINUTES, "timeout_seconds": 999})
    assert flows.problems(document) == [
        (
            CONFIG + "timeout_seconds",
            "999 s is longer than this site allows; 300 s is used",
            "warning",
        )
    ]


def test_a_budget_has_at_most_a_thousand_grants(flows):
    config = {"grant_seconds": 2, "budget_seconds": 2001}
    assert flows.problems(flows.document("ApplyCharging", config)) == [
        (CONFIG + "budget_seconds", "must be at most 2000: 1000 grants of 2 s", "error")
    ]
    assert (
        flows.problems(flows.document("ApplyCharging", {**config, "budget_seconds": 2000})) == []
    )
