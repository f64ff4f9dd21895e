"""The engine: the step limit, unexpected events, and that nothing follows an end."""

import pytest

from tsvc.flow.call import (
    Answered,
    AskUssd,
    Busy,
    CallFacts,
    Charge,
    Collect,
    EndUssd,
    Finished,
    Furnish,
    Furnished,
    NoAnswer,
    NoDigits,
    Pause,
    PauseOver,
    Play,
    Played,
    Release,
    RouteSelectFailure,
    SayUssd,
    Terminate,
    Used,
    UssdInput,
    UssdShown,
)
from tsvc.flow.call import (
    EnteredDigits as Digits,
)
from tsvc.flow.engine import ANSWERS, STEP_LIMIT, FlowEnd, FlowRun, UnexpectedEvent
from tsvc.flow.flow import Flow, Operation, PathStep
from tsvc.flow.node import Node

EVENTS = [
    Played(),
    Digits("1"),
    NoDigits(),
    Answered(),
    Busy(),
    NoAnswer(),
    RouteSelectFailure(),
    PauseOver(),
]
ACTIONS = [Play(None), Collect(None, 1, 2), Terminate("1"), Pause(2.5)]
FITTING = {
    Play: {Played},
    Collect: {Digits, NoDigits},
    Terminate: {Answered, Busy, NoAnswer, RouteSelectFailure},
    Pause: {PauseOver},
}


class Yielding(Node):
    """Yields one action, then takes exit 0; notes whether it was closed or continued."""

    layouts = (("Next",),)

    def __init__(self, action, log):
        self.action = action
        self.log = log

    @classmethod
    def build(cls, config, site):
        raise NotImplementedError

    def run(self, call: CallFacts):
        try:
            event = yield self.action
            self.log.append(event)
        except GeneratorExit:
            self.log.append("closed")
            raise
        return 0


def run_of(action, call, next_id=None):
    log = []
    operation = Operation(
        1, "Y", Yielding(action, log), (next_id,), None, PathStep(1, "Y"), (PathStep(1, "Y", 0),)
    )
    return FlowRun(Flow("f", (), {1: operation}, 1), call), log


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: type(action).__name__)
def test_every_action_takes_its_events_and_no_other(flows, action, event):
    run, log = run_of(action, flows.call())
    assert run.start() is action
    if type(event) not in FITTING[type(action)]:
        with pytest.raises(UnexpectedEvent, match=f"no answer to {type(action).__name__}"):
            run.resume(event)
        assert not run.is_over
        assert log == []
    elif event == Answered():
        assert run.resume(event) == Finished()
        assert log == ["closed"]
    else:
        assert run.resume(event) == Release(31)
        assert log == [event]


def test_table_names_every_waiting_action():
    assert set(ANSWERS) == {Play, Collect, Terminate, Charge, Furnish, AskUssd, SayUssd, Pause}


def test_start_comes_first_and_once(flows):
    run, _ = run_of(Pause(1), flows.call())
    with pytest.raises(UnexpectedEvent, match="before start"):
        run.resume(PauseOver())
    run.start()
    with pytest.raises(UnexpectedEvent, match="started already"):
        run.start()


def test_stop_closes_the_node_and_is_idempotent(flows):
    run, log = run_of(Pause(1), flows.call())
    run.start()
    run.stop("abandoned")
    run.stop("resource failure")
    assert log == ["closed"]
    assert run.stop_reason == "abandoned"
    assert run.resume(PauseOver()) == Finished()
    assert log == ["closed"]


def test_stop_before_start(flows):
    run, _ = run_of(Pause(1), flows.call())
    run.stop("abandoned")
    assert run.outcome is FlowEnd.STOPPED
    assert run.path == []


def test_stop_after_the_end_changes_nothing(flows):
    run, _ = run_of(Release(17), flows.call())
    run.start()
    run.stop("abandoned")
    assert (run.outcome, run.stop_reason) == (FlowEnd.RELEASED, None)


@pytest.mark.parametrize(
    ("action", "outcome"),
    [(Release(17), FlowEnd.RELEASED), (Terminate("1", None, False), FlowEnd.CONNECTED)],
)
def test_last_actions_close_the_node(flows, action, outcome):
    run, log = run_of(action, flows.call())
    assert run.start() is action
    assert (run.is_over, run.outcome) == (True, outcome)
    assert log == ["closed"]
    assert run.action is action


def test_a_loop_without_any_action_meets_the_step_limit(flows):
    run = flows.run({"operations": [{"id": 1, "type": "Start", "exits": [1]}]})
    assert run.start() == Release(31)
    assert run.outcome is FlowEnd.STEP_LIMIT
    assert run.outcome == "step limit"
    assert len(run.path) == STEP_LIMIT == 1000


def test_a_loop_with_actions_meets_the_step_limit(flows):
    run, log = run_of(Pause(1), flows.call(), next_id=1)
    action = run.start()
    resumed = 0
    while not run.is_over:
        action = run.resume(PauseOver())
        resumed += 1
    assert (action, run.outcome, resumed) == (Release(31), FlowEnd.STEP_LIMIT, STEP_LIMIT)
    assert len(log) == STEP_LIMIT


def test_action_is_the_one_that_waits(flows):
    run = flows.run(flows.extension())
    assert run.action is None
    prompt = run.start()
    assert run.action is prompt


def test_every_sample_can_be_walked_to_an_end(flows):
    first_answers = {Play: Played(), Collect: Digits("100"), Terminate: Busy()}
    first_answers |= {Charge: Used(), Furnish: Furnished()}
    first_answers |= {AskUssd: UssdInput("1234"), SayUssd: UssdShown()}
    for name in flows.example_names():
        run = flows.run(flows.example(name))
        action = run.start()
        while not run.is_over:
            action = run.resume(first_answers[type(action)])
        assert isinstance(action, Release | Terminate | EndUssd), name


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        ([Digits("100"), Busy(17)], 17),
        ([NoDigits(), NoDigits(), NoDigits()], 28),
        ([Digits("300")], 1),
    ],
)
def test_main_sample_tells_exits_apart_by_cause(flows, events, cause):
    run = flows.run(flows.example("extension_dialing.json"))
    assert flows.walk(run, *events)[-1] == Release(cause)
