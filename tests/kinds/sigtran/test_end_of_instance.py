"""However an instance ends, the SCP keeps no dialogue of it."""

from types import SimpleNamespace

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
    """React now, and once more after a time."""

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
    """Return a message in a dialogue that may be over: as one that was on its way."""
    octets = encode(type_, otid=dialogue.otid, dtid=dialogue.remote_tid)
    return Outgoing(octets, dialogue.remote_address, dialogue.local_address, dialogue.route)


def test_what_comes_later_is_counted_and_changes_nothing(daemon):
    def crosses(scp, dialogue, indication):
        CONTINUE(scp, dialogue, indication)
        message = raw(MessageType.CONTINUE, dialogue)
        send = lambda *_: scp.endpoint._outgoing.append(message)  # noqa: E731
        scp.later(0.05, send, SimpleNamespace(state=None), indication)

    tsvc = remembering(daemon(crosses))
    run_id = tsvc.execute(
        INITIAL_DP,
        TAKE_ONE,
        ssp_ac="camel2",
        linger_ms=0,
        distribution={"type": "linear", "total": 20, "backlog": 20, "cps": 60},
    )
    result = tsvc.finish(run_id)
    assert (result["verdict"], result["counts"]["passed"]) == ("pass", 20)
    late = result["counts"]["late_messages"]
    assert 0 < late < 20, "those of the last instances came when the run was over"
    problem = next(one for one in result["problems"] if one["path"] == "counts.late_messages")
    assert problem["text"].startswith(f"{late} ")


def test_lingering_is_no_part_of_the_duration(daemon):
    result = daemon(CONTINUE).run(INITIAL_DP, TAKE_ONE, ssp_ac="camel2", **PATIENT)
    assert result["verdict"] == "pass"
    assert result["latency"]["service"]["max_ms"] < 300


def test_nothing_is_waited_for_when_nothing_is_open(daemon):
    tsvc = daemon(sends("end", operation("Continue")))
    result = tsvc.run(INITIAL_DP, TAKE_ONE, ssp_ac="camel2", linger_ms=50_000)
    assert result["verdict"] == "pass"


def test_a_message_after_the_end_aborts_by_name(daemon):
    """The SCP's dialogue is over, and yet it sends: as one that has lost its own count."""

    def ends_twice(scp, dialogue, indication):
        sends("end", operation("Continue"))(scp, dialogue, indication)
        scp.endpoint._outgoing.append(raw(MessageType.CONTINUE, dialogue))

    tsvc = remembering(daemon(ends_twice))
    wait = {"type": "wait", "arguments": {"seconds": 0.05}}
    result = tsvc.run(INITIAL_DP, TAKE_ONE, wait, ssp_ac="camel2")
    assert result["verdict"] == "abort"
    reason = result["first_call_summary"]["reason"]
    assert reason == "unexpected CONTINUE after the end of the dialogue at the end of the instance"
