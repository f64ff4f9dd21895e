"""Cases in which a result could be misleading."""

import gevent
import pytest
from support.scripted_scp import (
    INITIAL_DP,
    evaluate,
    expect,
    operation,
    reason,
    sends,
)
from support.waiting import idle, until

from tsvc.protocols.tcap.dialogue import Dialogue

CONNECT = operation("Connect", {"destinationRoutingAddress_digits": "4329100"})
GIVEN = {"destinationRoutingAddress_digits": "4329100"}
THREE = {"type": "load", "total": 3, "backlog": 1}


@pytest.mark.parametrize(("more", "seen"), [({}, "111"), ({"arguments_not_used": 1}, "000")])
def test_what_is_remembered_does_not_show(daemon, more, seen):
    tsvc = daemon(sends("end", CONNECT))
    note = "$g->{seen} .= defined($i->{Connect}) ? 1 : 0"
    result = tsvc.run(
        INITIAL_DP, expect("Connect", arguments=GIVEN, **more), evaluate(note), distribution=THREE
    )
    assert result["globals"] == {"seen": seen}


@pytest.mark.parametrize(
    "kpath",
    [
        "\\i.Connect.destinationRoutingAddress_digits",
        "{ 'i' . '.Connect.destinationRoutingAddress_digits' }",
    ],
)
def test_a_kpath_may_hide_what_it_reads(daemon, kpath):
    tsvc = daemon(sends("end", CONNECT))
    look = evaluate("1", tests=[{"kpath": kpath, "value": "4329100"}])
    result = tsvc.run(INITIAL_DP, expect("Connect", arguments=GIVEN), look, distribution=THREE)
    assert result["counts"]["passed"] == 3


@pytest.mark.parametrize("primitive", ["continue", "end"])
@pytest.mark.parametrize("queues", [[CONNECT], []])
def test_a_dialogue_portion_that_cannot_be_read(daemon, monkeypatch, primitive, queues):
    monkeypatch.setattr(Dialogue, "_accepting_pdu", lambda self, info: bytes.fromhex("6b020500"))
    tsvc = daemon(sends(primitive, *queues))
    steps = [expect("Connect", tcap_ac=None)] if queues else []
    result = tsvc.run(INITIAL_DP, *steps)
    assert result["first_call_summary"]["state"] == "aborted"
    assert "EXTERNAL" in reason(result)


def test_the_wait_belongs_to_what_came(daemon):
    asked = []
    tsvc = daemon(lambda *message: asked.append(message))
    run_id = tsvc.execute(INITIAL_DP, expect("Continue", optional=1), expect("Connect"))
    until(lambda: asked)
    idle()  # the instance waits by now
    gevent.sleep(0.05)
    sends("end", CONNECT)(*asked[0])
    tsvc.service.scp.node._flush()
    result = tsvc.finish(run_id)
    (only,) = result["operations"]
    assert (only["op"], only["name"], only["count"]) == (2, "Connect", 1)
    assert only["max_ms"] > 40


@pytest.mark.parametrize("given", [{"oDisconnect": None}, {"!oDisconnect": 1}, {"oAnswer": 0}])
def test_an_event_that_must_not_be_armed(daemon, given):
    tsvc = daemon(
        sends(
            "continue", operation("RequestReportBCSMEvent", {"oAnswer": 1, "oDisconnectLeg2": 1})
        )
    )
    result = tsvc.run(INITIAL_DP, expect("RequestReportBCSMEvent", arguments=given))
    assert result["verdict"] == "fail"


@pytest.mark.parametrize("value", [{"x": [], "y": "{ $v->{n} }"}, [[], "{ $v->{n} }"]])
def test_a_var_that_is_partly_an_expression_is_the_instances_own(daemon, value):
    tsvc = daemon()
    place = "$v->{a}{x}" if isinstance(value, dict) else "$v->{a}[0]"
    step = evaluate(f"push @{{{place}}}, 1; $g->{{seen}} .= scalar(@{{{place}}})")
    result = tsvc.run(step, vars={"n": 1, "a": value}, distribution=THREE)
    assert result["globals"] == {"seen": "111"}
