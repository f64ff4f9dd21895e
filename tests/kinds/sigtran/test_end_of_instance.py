"""However an instance ends, the SCP keeps no dialogue of it."""

import time

import pytest
from support.scripted_scp import CONTINUE, INITIAL_DP, operation, sends
from support.waiting import until

from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.messages import MessageType, encode

EVENTS = {"bcsmEvents": [{"eventTypeBCSM": 7, "monitorMode": 1}]}
ENDS = {
    "abort": [{"type": "abort", "arguments": {"text": "enough"}}],
    "wait": [{"type": "wait", "arguments": {"seconds": 0.3}}],
    "expression": [{"type": "eval", "expression": "1/0"}],
    "waits and aborts": [
        {"type": "wait", "arguments": {"seconds": 0.2}},
        {"type": "abort", "arguments": {"text": "enough"}},
    ],
    "expects another": [{"type": "inap.ssp_from_scp.ReleaseCall", "seconds": 5}],
    "expects nothing that comes": [
        {"type": "inap.ssp_from_scp.Connect", "seconds": 0.3, "optional": 1}
    ],
}
ANSWERS = {
    "Continue": CONTINUE,
    "two": sends("continue", operation("RequestReportBCSMEvent", EVENTS), operation("Continue")),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("answer", ANSWERS)
def test_nothing_stays_open_at_the_scp(daemon, answer, end):
    tsvc = daemon(ANSWERS[answer])
    load = {"type": "load", "total": 20, "backlog": 20}
    result = tsvc.run(INITIAL_DP, *ENDS[end], ssp_ac="camel2", distribution=load)
    assert result["counts"]["finished"] == 20
    until(lambda: not tsvc.scp.endpoint.dialogues)
    assert not tsvc.gateway_of("sigtran").endpoint.dialogues


def test_what_came_and_was_not_taken_is_outstanding(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(INITIAL_DP, ENDS["waits and aborts"][0], ssp_ac="camel2")
    assert result["dialogues_closed"] == {"TC-U-ABORT": 1}
    until(lambda: tsvc.scp.kinds[-1:] == ["U-ABORT"])


def test_an_empty_lock_key_is_refused(daemon):
    tsvc = daemon(CONTINUE)
    for key in ("{$v->{nobody}}", "{''}", "{undef}"):
        refusal = tsvc.refusal(
            "ExecuteTest", run_id="r", operations=[{"type": "pass"}], locks=[{"key": key}]
        )
        assert (refusal["code"], refusal["data"]["kind"]) == (2003, "lock.expression")
        assert "locks[0].key" in refusal["message"]


# -- what comes when the operations are over --------------------------------------------------

PATIENT = {"linger_ms": 400}


def after(seconds, reaction):
    """Return a reaction: Continue now, and the given reaction after a time."""

    def react(scp, dialogue, indication):
        CONTINUE(scp, dialogue, indication)
        scp.later(seconds, reaction, dialogue, indication)

    return react


EXTRA = sends("continue", operation("Continue"))
TAKE_ONE = {"type": "inap.ssp_from_scp.Continue"}


@pytest.mark.parametrize("seconds", [0.0, 0.002, 0.05])
@pytest.mark.parametrize("distribution", [None, {"type": "load", "total": 6, "backlog": 3}])
def test_what_comes_while_it_lingers_is_unexpected(daemon, seconds, distribution):
    tsvc = daemon(after(seconds, EXTRA))
    more = {} if distribution is None else {"distribution": distribution}
    result = tsvc.run(INITIAL_DP, TAKE_ONE, ssp_ac="camel2", **PATIENT, **more)
    assert result["counts"]["aborted"] == result["counts"]["finished"]
    assert result["counts"]["late_messages"] == 0
    reason = result["first_call_summary"]["reason"]
    assert reason == "unexpected Continue at the end of the instance"


def test_the_first_instance_lingers_for_a_while(daemon):
    tsvc = daemon(after(0.002, EXTRA))
    assert tsvc.run(INITIAL_DP, TAKE_ONE, ssp_ac="camel2")["verdict"] == "abort"


def remembering(tsvc):
    """Return a daemon that knows for a while which dialogues are over, as every real one does."""
    tsvc.gateway.endpoint._quarantine_s = 30.0
    return tsvc


def raw(type_, dialogue):
    """Return a message in a dialogue that may be over, as if it had been on its way."""
    octets = encode(type_, otid=dialogue.otid, dtid=dialogue.remote_tid)
    return Outgoing(octets, dialogue.remote_address, dialogue.local_address, dialogue.route)


def test_what_comes_later_is_counted_and_changes_nothing(daemon):
    earlier = []

    def crosses(scp, dialogue, indication):
        """Answer this call, and once more the call before it, which is over by now."""
        CONTINUE(scp, dialogue, indication)
        scp.endpoint._outgoing += [raw(MessageType.CONTINUE, one) for one in earlier]
        earlier[:] = [dialogue]

    tsvc = remembering(daemon(crosses))
    call = {"ssp_ac": "camel2", "linger_ms": 0}
    load = {"type": "load", "total": 20, "backlog": 1}
    result = tsvc.run(INITIAL_DP, TAKE_ONE, distribution=load, **call)
    assert (result["verdict"], result["counts"]["passed"]) == ("pass", 20)
    assert result["counts"]["late_messages"] == 19
    problem = next(one for one in result["problems"] if one["path"] == "counts.late_messages")
    assert problem["text"].startswith("19 ")
    # The message for the last instance comes when its run is over: no other run counts it.
    result = tsvc.run(INITIAL_DP, TAKE_ONE, **call)
    assert (result["verdict"], result["counts"]["late_messages"]) == ("pass", 0)


def test_lingering_is_no_part_of_the_duration(daemon):
    tsvc = daemon(CONTINUE)
    began = time.monotonic()
    result = tsvc.run(INITIAL_DP, TAKE_ONE, ssp_ac="camel2", **PATIENT)
    took_ms = 1000 * (time.monotonic() - began)
    assert result["verdict"] == "pass"
    assert result["latency"]["service"]["max_ms"] < took_ms - PATIENT["linger_ms"] / 2


def test_nothing_is_waited_for_when_nothing_is_open(daemon):
    tsvc = daemon(sends("end", operation("Continue")))
    result = tsvc.run(INITIAL_DP, TAKE_ONE, ssp_ac="camel2", linger_ms=50_000)
    assert result["verdict"] == "pass"


def test_a_message_after_the_end_aborts_by_name(daemon):
    """The SCP sends in a dialogue that it has ended, as a faulty SCP does."""

    def ends_twice(scp, dialogue, indication):
        sends("end", operation("Continue"))(scp, dialogue, indication)
        scp.endpoint._outgoing.append(raw(MessageType.CONTINUE, dialogue))

    tsvc = remembering(daemon(ends_twice))
    wait = {"type": "wait", "arguments": {"seconds": 0.05}}
    result = tsvc.run(INITIAL_DP, TAKE_ONE, wait, ssp_ac="camel2")
    assert result["verdict"] == "abort"
    reason = result["first_call_summary"]["reason"]
    assert reason == "unexpected CONTINUE after the end of the dialogue at the end of the instance"
