"""However an instance ends, the SCP keeps no dialogue of it."""

import pytest
from support.scripted_scp import CONTINUE, INITIAL_DP, operation, sends
from support.waiting import until

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
