"""Instances without a gateway: a run reports the same with and without the fast path."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gevent
import pytest
from support.daemons import Daemon
from support.examples import examples
from support.loads import assert_adds_up, linear, load
from support.waiting import GUARD_S, stays
from support.without_memories import Recorder, difference

from tsvc.engine import local
from tsvc.engine.fast_path import RunFastPath
from tsvc.engine.instance import Instance
from tsvc.engine.local import LocalInstance
from tsvc.engine.run import Run

Params = dict[str, Any]
INSTANCES = 40
VARS = {
    "number": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}},
    "dice": {"$random": {"min": 1, "max": 6}},
    "begun": "{time()}",
    "list": [1, 2, {"a": "{$r->{idx}}"}],
}


def evaluate(expression: str, *tests: Params, **more: Any) -> Params:
    return {
        "type": "eval",
        "expression": expression,
        **({"tests": [*tests]} if tests else {}),
        **more,
    }


def branch(expression: str, on_true: str) -> Params:
    return {"type": "branch", "expression": expression, "on_true": on_true}


def wait(seconds: Any) -> Params:
    return {"type": "wait", "arguments": {"seconds": seconds}}


def halt(seconds: Any = 300, **more: Any) -> Params:
    return {"type": "halt", "arguments": {"seconds": seconds, **more}}


def say(verdict: str, text: str) -> Params:
    return {"type": verdict, "arguments": {"text": text}}


ODD = "$r->{idx} % 3 == 1"
END = evaluate("1", label="end")


@pytest.fixture
def tsvc(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path, max_steps=2000)
    yield made
    made.stop()


@pytest.fixture
def instances(monkeypatch: pytest.MonkeyPatch) -> list[LocalInstance]:
    """The instances that have begun on the fast path."""
    found: list[LocalInstance] = []
    made = LocalInstance.__init__

    def keep(one: LocalInstance, *given: Any) -> None:
        made(one, *given)
        found.append(one)

    monkeypatch.setattr(LocalInstance, "__init__", keep)
    return found


def told(tsvc: Daemon, recorder: Recorder, *operations: Params, **params: Any) -> Params:
    """Run the operations; return what the run reports."""
    result = tsvc.run(*operations, run_id="r", seed=7, **params)
    assert_adds_up(result)
    found = recorder.told("r", result)
    found["groups"] = [
        {name: one[name] for name in ("state", "op", "cause", "count", "values", "instance_id")}
        for one in result["failures"]
    ]
    for one in (*found["instances"], found["first"]):
        one.pop("reason_t", None)
        one["vars"].pop("begun", None)
    text = json.dumps(found)
    return dict(json.loads(text))


def both_ways(tsvc: Daemon, recorder: Recorder, *operations: Params, **params: Any) -> Params:
    """Assert that a run reports the same with and without the fast path; return the report."""
    given = {"vars": VARS, "distribution": load(INSTANCES, 1), **params}
    plain = told(tsvc, recorder, *operations, track=0, **given)
    assert recorder.replayed == 0
    fast = told(tsvc, recorder, *operations, track=1, **given)
    assert difference(fast, plain) is None
    return plain


CASES: dict[str, tuple[list[Params], int]] = {
    "evaluates": ([evaluate("$v->{a} = $v->{number} + $v->{dice}")], INSTANCES - 1),
    "random numbers": ([evaluate("$v->{a} = rand(100) . '/' . int(rand(9))")], INSTANCES - 1),
    "random numbers of a distribution": (
        [evaluate("$v->{a} = exponential(100) . '/' . normal(5, $v->{dice} + 1)")],
        INSTANCES - 1,
    ),
    "reads what never came": ([evaluate("$v->{a} = $i->{a}{b} . 'none'")], INSTANCES - 1),
    "looks at what it has": (
        [evaluate("$v->{list}[2]{a} + 1", {"kpath": "result", "value": "{$r->{idx} + 1}"})],
        INSTANCES - 1,
    ),
    "a test that fails in some": (
        [evaluate(ODD, {"kpath": "result", "value": ""}), evaluate("$v->{after} = 1")],
        26,
    ),
    "a test that aborts in some": (
        [
            evaluate(ODD, {"kpath": "result", "value": "", "abort_on_fail": 1}),
            say("pass", "after"),
        ],
        26,
    ),
    "an error in some": ([evaluate("$v->{a} = 5"), evaluate("1 / ($r->{idx} % 3)")], 26),
    "variables that can't be made in some": ([evaluate("1")], 26),
    "fails in some, behind a wait": (
        [wait(0.001), branch(f"!({ODD})", "end"), say("fail", "n {$r->{idx}}"), END],
        26,
    ),
    "aborts in some": (
        [branch(f"!({ODD})", "end"), say("abort", "no"), END],
        26,
    ),
    "waits for nothing": ([wait(0), wait("{0}"), evaluate("$v->{a} = 1")], INSTANCES - 1),
    "a wait that is none in some": ([wait("{$r->{idx} % 3 == 1 ? -1 : 0.001}")], 26),
    "waits in a loop": (
        [
            evaluate("$v->{n} += 1", label="again"),
            wait("{rand(0.001)}"),
            branch("$v->{n} < 4", "again"),
            say("log", "{$v->{n}}"),
        ],
        INSTANCES - 1,
    ),
    "many steps in some": (
        [evaluate("$v->{n} += 1", label="again"), branch(f"{ODD} && $v->{{n}} < 150", "again")],
        26,
    ),
    "too many steps in some": (
        [evaluate("$v->{n} += 1", label="again"), branch(f"{ODD}", "again")],
        26,
    ),
    "a halt that nobody ends in some": (
        [branch(f"!({ODD})", "end"), halt(0.001), END],
        26,
    ),
    "large in some": ([evaluate(f"$v->{{a}} = {ODD} ? 'x' x 2000000 : 1"), wait(0.001)], 26),
}


@pytest.mark.parametrize("name", CASES)
def test_both_ways_say_the_same(tsvc: Daemon, recorder: Recorder, name: str) -> None:
    operations, most = CASES[name]
    params: Params = {}
    if "variables" in name:
        params["vars"] = {"a": "{1 / ($r->{idx} % 3)}"}
    both_ways(tsvc, recorder, *operations, **params)
    assert most - 1 <= recorder.replayed <= most


def program(chance: random.Random) -> list[Params]:
    """Return random operations; some of them behave differently in some instances."""
    some = f"$r->{{idx}} % {chance.randint(2, 5)} == {chance.randint(0, 1)}"
    kinds: list[Callable[[], Params]] = [
        lambda: evaluate(f"$v->{{x{chance.randint(0, 2)}}} += {chance.randint(1, 9)}"),
        lambda: evaluate("$v->{x1} = int(rand(10))"),
        lambda: evaluate("$v->{x0} + 0", {"kpath": "v.x0", "value": chance.randint(0, 9)}),
        lambda: evaluate("push @{$v->{list}}, $v->{dice}"),
        lambda: evaluate(f"{some} ? 1 / 0 : 1"),
        lambda: branch(some, f"l{chance.randint(6, 9)}"),
        lambda: wait(chance.choice([0, 0.0005, f"{{{some} ? 'x' : 0}}"])),
        lambda: halt(chance.choice([0, 0.0005])),
        lambda: say("log", "{$v->{x0} // 'none'}"),
        lambda: say("pass", "{$v->{x1} // 'none'}"),
        lambda: say("fail", "{$v->{dice}}"),
        lambda: say("abort", "so"),
    ]
    weights = [9, 5, 2, 4, 1, 9, 5, 1, 3, 3, 1, 1]
    chosen = chance.choices(kinds, weights, k=10)
    return [{**make(), "label": f"l{at}"} for at, make in enumerate(chosen)]


def test_what_takes_long_is_ordinary(
    tsvc: Daemon, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "SLICE_S", -1)  # every evaluation counts as long
    long = f"{ODD} ? join('', map {{ $_ * 2 }} 1 .. 3000) : 1"
    both_ways(tsvc, recorder, evaluate(long), evaluate("$v->{b} = 2"), vars={})
    assert 25 <= recorder.replayed <= 26


@pytest.mark.parametrize("seed", range(4))
def test_random_definitions(tsvc: Daemon, recorder: Recorder, seed: int) -> None:
    chance = random.Random(seed)
    seen = 0
    for _ in range(examples(10)):
        both_ways(tsvc, recorder, *program(chance), distribution=load(12, 1))
        seen += recorder.replayed > 0
        recorder.replayed = 0
    assert seen > 0


@pytest.mark.parametrize(
    "operation",
    [
        evaluate("$v->{a} = time()"),
        evaluate("$v->{a} = $r->{time}"),
        evaluate("$v->{a} = gmtime"),
        evaluate("$g->{a} += 1"),
        evaluate("1", {"kpath": "g.a", "value": 1}),
        evaluate("keys(%$i)"),
        evaluate("1", {"kpath": "v.begun", "type": "timestamp"}),
    ],
)
def test_what_looks_at_more_than_itself_is_ordinary(
    tsvc: Daemon, instances: list[LocalInstance], operation: Params
) -> None:
    problems = tsvc.problems(operation, vars=VARS)
    assert problems == {}
    tsvc.run(operation, vars=VARS, distribution=load(5, 1))
    assert instances == []


# -- what ends or steers a run ------------------------------------------------------------------


def running(tsvc: Daemon, run_id: str) -> Run:
    return tsvc.service.runs[run_id]


def in_progress(tsvc: Daemon, run_id: str, count: int) -> None:
    tsvc.until(lambda: running(tsvc, run_id).counters.in_progress == count)


def test_what_waits_has_a_place_and_no_greenlet(
    tsvc: Daemon, instances: list[LocalInstance]
) -> None:
    run_id = tsvc.execute(wait(300), distribution=load(1000, 50))
    in_progress(tsvc, run_id, 50)
    pool = running(tsvc, run_id).starter.pool
    assert (len(pool), pool.births, len(instances)) == (50, 1, 49)
    stays(lambda: running(tsvc, run_id).counters.started == 50, 0.05)
    result = tsvc.call("CancelTest", run_id=run_id)
    assert_adds_up(result)
    assert result["counts"]["cancelled"] == result["counts"]["started"] == 50
    assert len(pool) == 0


def test_after_a_cancel_nothing_begins(tsvc: Daemon, instances: list[LocalInstance]) -> None:
    """The cancel arrives while the starting greenlet lets others run."""
    run_id = tsvc.execute(wait(300), distribution=load(100_000, 50_000))
    tsvc.until(lambda: len(instances) > 500)
    run = running(tsvc, run_id)
    result = tsvc.call("CancelTest", run_id=run_id)
    assert_adds_up(result)
    assert result["counts"]["cancelled"] == result["counts"]["started"] == len(instances) + 1
    assert run.instances == {}


def test_a_rate_a_pause_and_a_change_hold(tsvc: Daemon, instances: list[LocalInstance]) -> None:
    run_id = tsvc.execute(wait(0.01), distribution=linear(60, 20, 200))
    tsvc.until(lambda: len(instances) > 5)
    tsvc.call("PauseTest", run_id=run_id, paused=True)
    seen = len(instances)
    stays(lambda: len(instances) == seen, 0.05)
    tsvc.call("PauseTest", run_id=run_id, paused=False)
    result = tsvc.finish(run_id)
    assert_adds_up(result)
    assert result["counts"]["passed"] == 60
    assert len(instances) == 59


def test_halted_ones_are_listed_and_resumed(tsvc: Daemon, instances: list[LocalInstance]) -> None:
    operations = [halt(comment="{'look at ' . $r->{idx}}"), evaluate("$v->{a} = 1"), wait(300)]
    run_id = tsvc.execute(*operations, distribution=load(3, 3))
    in_progress(tsvc, run_id, 3)
    result = tsvc.call("QueryTest", run_id=run_id)
    assert result["counts"]["halted"] == 3
    assert [(one["idx"], one["op"], one["comment"]) for one in result["halted"]] == [
        (idx, 0, f"look at {idx}") for idx in range(3)
    ]
    assert all(290 < one["seconds_left"] <= 300 for one in result["halted"])
    assert tsvc.call("ResumeInstance", run_id=run_id, instance_id="2") == {"resumed": 1}
    again = tsvc.refusal("ResumeInstance", run_id=run_id, instance_id="2")
    assert again["data"]["kind"] == "instance.not_halted"
    tsvc.until(lambda: instances[-1].position == 2)
    counts = tsvc.call("CancelTest", run_id=run_id)["counts"]
    assert (counts["cancelled"], counts["halted"], len(instances)) == (3, 0, 2)


def test_a_cancel_of_one_that_was_just_resumed(
    tsvc: Daemon, instances: list[LocalInstance]
) -> None:
    run_id = tsvc.execute(halt(), say("fail", "on"), wait(300), distribution=load(2, 2))
    in_progress(tsvc, run_id, 2)
    run = running(tsvc, run_id)
    assert instances[0].resume()
    run.throw(instances[0], gevent.GreenletExit)
    tsvc.until(lambda: 1 not in run.instances or isinstance(run.instances[1], Instance))
    counts = tsvc.call("CancelTest", run_id=run_id)["counts"]
    assert counts["finished"] == 2


def test_a_halt_that_nobody_ends(
    tsvc: Daemon, recorder: Recorder, fast_paths: list[RunFastPath]
) -> None:
    both_ways(tsvc, recorder, halt(0.002), distribution=load(4, 4))
    assert (fast_paths[0].begun, fast_paths[1].begun, fast_paths[1].fell_back) == (0, 3, 3)


def test_work_that_is_long_lets_others_run(
    tsvc: Daemon, instances: list[LocalInstance], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others run after long work, not only after a number of starts."""
    monkeypatch.setattr("tsvc.engine.give_way._BURST_S", -1.0)  # any work counts as long
    turns = 0

    def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            gevent.sleep(0)

    beside = gevent.spawn(others)
    result = tsvc.run(evaluate("1"), distribution=load(200, 10))
    beside.kill()
    assert result["counts"]["passed"] == 200
    assert len(instances) == 199 <= turns


def test_one_that_fails_in_the_middle_had_its_waits(tsvc: Daemon) -> None:
    """The ordinary instance does not wait again for the waits of the fast path."""
    operations = [wait(0.05), say("fail", "no")]
    clock = tsvc.service.clock
    began = clock.now()
    result = tsvc.run(*operations, distribution=load(2, 2))
    assert result["counts"]["failed"] == 2
    slow = [one["duration"] for one in result["slowest"]]
    assert all(one >= 0.05 for one in slow)
    assert clock.now() - began < GUARD_S
