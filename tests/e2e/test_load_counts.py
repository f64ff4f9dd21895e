"""Counts add up, whatever a run does and whatever happens to it (hypothesis)."""

import os
from collections.abc import Iterator
from typing import Any

import gevent
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.daemons import Daemon

EXAMPLES = int(os.environ.get("TSVC_EXAMPLES", "60"))
NOBODY_ANSWERS = [
    {"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 1}},
    {"type": "inap.ssp_from_scp.Connect", "seconds": 0.02},
]
OPERATIONS: list[dict[str, Any]] = [
    {"type": "pass"},
    {"type": "fail"},
    {"type": "abort"},
    {"type": "wait", "arguments": {"seconds": 0.005}},
    {"type": "wait", "arguments": {"seconds": 60}},
    {"type": "halt", "arguments": {"seconds": 0.01}},
    {"type": "eval", "expression": "$v->{n} = rand()"},
    {"type": "eval", "expression": "1 / ($r->{idx} % 3)"},
    {"type": "branch", "expression": "rand() < 0.5", "on_true": "end"},
    *NOBODY_ANSWERS,
]
definitions = st.lists(st.sampled_from(OPERATIONS), min_size=1, max_size=4).map(
    lambda chosen: [*chosen, {"type": "pass", "label": "end"}]
)
rates = st.one_of(
    st.integers(1, 5000),
    st.builds(
        lambda target, initial, ramp_s, burst: {
            "target": target,
            "initial": initial,
            "ramp_s": ramp_s,
            "burst": burst,
        },
        st.integers(1, 5000),
        st.integers(0, 1000),
        st.floats(0, 0.2),
        st.integers(1, 50),
    ),
    st.lists(
        st.builds(
            lambda target, seconds: {"target": target, "seconds": seconds},
            st.integers(0, 3000),
            st.floats(0.001, 0.05),
        ),
        max_size=3,
    ).map(lambda stages: {"stages": [*stages, {"target": 1000, "seconds": 1}]}),
)
bounds = {"total": st.integers(1, 120), "backlog": st.integers(1, 60)}
longest = st.floats(0.001, 0.15)
distributions = st.one_of(
    st.just({"type": "single"}),
    st.fixed_dictionaries({"type": st.just("load"), **bounds, "max_seconds": longest}),
    st.fixed_dictionaries(
        {"type": st.just("linear"), **bounds, "cps": rates, "max_seconds": longest}
    ),
)
segments = st.integers(1, 4).flatmap(
    lambda of: st.builds(lambda index: {"index": index, "of": of}, st.integers(0, of - 1))
)
doings = st.lists(
    st.one_of(
        st.tuples(st.just("RateTest"), st.builds(lambda cps: {"cps": cps}, rates)),
        st.tuples(st.just("PauseTest"), st.booleans().map(lambda paused: {"paused": paused})),
        st.tuples(st.just("QueryTest"), st.just({})),
    ),
    max_size=4,
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    service = Daemon(tmp_path_factory.mktemp("state"), cancel_grace_s=60.0)
    yield service
    service.stop()


def assert_adds_up(result: dict[str, Any]) -> None:
    counts, rate, buckets = result["counts"], result["rate"], result["buckets"]
    ended = [counts[name] for name in ("passed", "failed", "aborted", "cancelled")]
    assert counts["finished"] == sum(ended)
    assert counts["started"] == counts["finished"] + counts["in_progress"]
    assert 0 <= counts["halted"] <= counts["in_progress"]
    assert min(*counts.values(), rate["never_started"], rate["late"], rate["on_time"]) >= 0
    assert counts["planned"] == rate["planned"] == rate["started"] + rate["never_started"]
    assert counts["started"] == rate["started"] == rate["on_time"] + rate["late"]
    assert counts["started"] == sum(bucket["num_calls_started"] for bucket in buckets)
    assert counts["finished"] == sum(bucket["num_calls_finished"] for bucket in buckets)
    assert counts["failed"] == sum(bucket["failed"] for bucket in buckets)
    assert counts["aborted"] == sum(bucket["aborted"] for bucket in buckets)
    for kind in ("response", "service"):
        assert result["latency"][kind]["count"] == counts["finished"]


def assert_verdict(result: dict[str, Any], *, was_cancelled: bool) -> None:
    counts = result["counts"]
    if was_cancelled:
        expected = "cancelled"
    elif counts["aborted"]:
        expected = "abort"
    else:
        # A run in which nothing passed is no pass, even without any instance; nor is a run at a
        # rate that made less than half of its starts.
        is_lost = 2 * counts["started"] < counts["planned"]
        expected = "fail" if counts["failed"] or not counts["passed"] or is_lost else "pass"
    assert result["verdict"] == expected
    groups = result["failures"]
    failed = ("failed", "aborted", "failed_then_cancelled")
    assert sum(group["count"] for group in groups) == sum(counts[name] for name in failed)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(definitions, distributions, st.none() | segments, doings, st.floats(0, 0.1), st.booleans())
@example([{"type": "pass"}], {"type": "single"}, {"index": 1, "of": 2}, [], 0.0, True)
@example(
    [{"type": "wait", "arguments": {"seconds": 60}}],
    {"type": "linear", "total": 120, "backlog": 1, "cps": 5000, "max_seconds": 0.1},
    None,
    [("PauseTest", {"paused": True}), ("RateTest", {"cps": 1})],
    0.05,
    True,
)
def test_counts_add_up(
    service: Daemon,
    operations: list[dict[str, Any]],
    distribution: dict[str, Any],
    segment: dict[str, int] | None,
    doings: list[tuple[str, dict[str, Any]]],
    wait_s: float,
    is_cancelled: bool,
) -> None:
    more = {} if segment is None else {"segment": segment}
    run_id = service.execute(*operations, distribution=distribution, **more)
    has_collected = False
    for method, params in doings:
        gevent.sleep(wait_s / 4)
        response = service.ask(method, run_id=run_id, **params)
        if method == "QueryTest":
            assert_adds_up(response["result"])
            has_collected = response["result"]["completed"] == 1
    gevent.sleep(wait_s)
    endless = {"type": "wait", "arguments": {"seconds": 60}} in operations
    was_cancelled = False
    if (is_cancelled or endless) and not has_collected:
        response = service.ask("CancelTest", run_id=run_id)
        has_collected = "error" in response
        if not has_collected:
            was_cancelled = bool(response["result"]["cancelled"])
            assert_adds_up(response["result"])
            assert response["result"]["completed"] == 1
    result = service.finish(run_id)
    assert_adds_up(result)
    assert_verdict(result, was_cancelled=was_cancelled)
    assert result["counts"]["in_progress"] == 0
    assert result["leaks"] == []
    gateway = service.call("DescribeService")["gateways"][0]
    assert gateway["counters"]["dialogues"] == 0
