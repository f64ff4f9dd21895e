"""UssdAsk, UssdSay, UssdEnd: texts with buffers, entries, and what USSD flows can't contain."""

import pytest

from tsvc.flow.call import (
    AskUssd,
    EndUssd,
    Release,
    SayUssd,
    UssdFailed,
    UssdInput,
    UssdShown,
)
from tsvc.flow.engine import FlowEnd

ENDS = {"10": "good", "11": "bad"}


@pytest.fixture
def session(flows):
    """A function that returns a run; each exit of its tested operation leads to an UssdEnd."""

    def make(type_, config, **facts):
        exits = [] if type_ == "UssdEnd" else [10, 11]
        document = flows.document(type_, config, exits)
        for key in map(str, exits):
            end = {"id": int(key), "type": "UssdEnd", "config": {"text": ENDS[key]}, "exits": []}
            document["operations"][key] = end
        return flows.run(document, **facts)

    return make


@pytest.mark.parametrize("text", ["1234", ""])
def test_an_entry_is_kept(flows, session, text):
    run = session("UssdAsk", {"text": "Enter PIN", "buffer": "user.pin"})
    assert flows.walk(run, UssdInput(text)) == [AskUssd("Enter PIN"), EndUssd("good")]
    assert run.call.buffers == {"user.pin": text}
    assert run.outcome is FlowEnd.RELEASED


def test_nobody_answers(flows, session):
    run = session("UssdAsk", {"text": "Enter PIN"})
    assert flows.walk(run, UssdFailed("no answer"))[-1] == EndUssd("bad")
    assert run.call.buffers == {}


@pytest.mark.parametrize(("event", "text"), [(UssdShown(), "good"), (UssdFailed(), "bad")])
def test_a_text_is_shown(flows, session, event, text):
    run = session("UssdSay", {"text": "Wait"})
    assert flows.walk(run, event) == [SayUssd("Wait"), EndUssd(text)]


def test_buffers_stand_in_braces(session):
    config = {"text": "{user.a}{user.b} of {system.network_calling_party}, {not} {user.c}!"}
    run = session("UssdEnd", config, calling="6421", buffers={"user.a": "x", "user.c": "{user.a}"})
    assert run.start() == EndUssd("x of 6421, {not} {user.a}!")


def test_what_began_the_session_is_a_buffer(session):
    assert session("UssdEnd", {"text": "{system.ussd_string}"}, ussd_string="*1#").start() == (
        EndUssd("*1#")
    )


def test_an_end_without_a_text(session):
    assert session("UssdEnd", {}).start() == EndUssd(None)


def test_a_null_exit(flows):
    run = flows.run(flows.document("UssdSay", {"text": "Wait"}, [None, None]))
    assert flows.walk(run, UssdShown())[-1] == Release(31)


@pytest.mark.parametrize("text", ["x" * 182, "ж" * 80, "x" * 182 + "{user.more}"])
def test_the_longest_texts(flows, text):
    assert flows.problems(flows.document("UssdEnd", {"text": text}, [])) == []


def test_a_flow_serves_calls_or_sessions(flows):
    document = flows.document("UssdSay", {"text": "Wait"}, [10, 10])
    document["triggers"] = [{"called_prefix": "1"}, {"calling_prefix": "1"}, {"default": True}]
    assert flows.problems(document) == [
        (
            "flow.triggers",
            "called_prefix chooses flows of calls; this one serves USSD sessions",
            "error",
        ),
        (
            "flow.operations.10.type",
            "ReleaseCall serves calls; the flow serves USSD sessions",
            "error",
        ),
    ]
