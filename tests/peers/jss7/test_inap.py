"""INAP CS-1 over jSS7's TCAP, which has no INAP above it: dialogue portion, components and
transactions are jSS7's, the few arguments are our own octets."""

import pytest
from peers.jss7.bridge import JavaObject
from peers.jss7.stack import NOISE, raw_invoke
from peers.jss7.testbed import HALT, IDP, Link, assert_passed, failed, got, reason
from support.daemons import Params

pytestmark = pytest.mark.e2e

CS1 = [0, 4, 0, 1, 1, 1, 0, 0]
CS1_TO: Params = {"ssp_ac": "cs1", "scp": {"dpc": 2, "dssn": 106}}
CONNECT, RELEASE_CALL = 20, 22


def take_begin(scp: Link) -> JavaObject:
    """Take the InitialDP of a call; return its dialogue."""
    begin = scp.java.take("onTCBegin", past=NOISE).args[0]
    assert begin.getApplicationContextName().getOid() == CS1
    (invoke,) = begin.getComponents()
    assert invoke.getOperationCode().getLocalOperationCode() == 0
    found: JavaObject = begin.getDialog()
    return found


def answer(scp: Link, dialog: JavaObject, kind: str, context: list[int] | None) -> None:
    """Send the queued components in a message of this kind; it accepts `context`, if not None."""
    factory = scp.tcap.getDialogPrimitiveFactory()
    message = getattr(factory, f"create{kind}")(dialog)
    if context is not None:
        message.setApplicationContextName(factory.createApplicationContextName(context))
    if kind == "End":
        message.setTermination("Basic")
    dialog.send(message)


def test_a_call_is_released(scp: Link) -> None:
    run = scp.start(IDP, got("ReleaseCall", {"initialCallSegment_cause": 17}), **CS1_TO)
    dialog = take_begin(scp)
    raw_invoke(scp.tcap, dialog, RELEASE_CALL, bytes.fromhex("04028091"))
    answer(scp, dialog, "End", CS1)
    assert_passed(scp.finish(run))


def test_a_call_is_connected_and_ended(scp: Link) -> None:
    connect = got("Connect", {"destinationRoutingAddress_digits": "1234"}, last_component=0)
    run = scp.start(IDP, connect, {"type": "tcap.ssp_from_scp.End"}, **CS1_TO)
    dialog = take_begin(scp)
    raw_invoke(scp.tcap, dialog, CONNECT, bytes.fromhex("3008a006040403902143"))
    answer(scp, dialog, "Continue", CS1)
    answer(scp, dialog, "End", None)
    assert_passed(scp.finish(run))


def test_no_context_is_accepted(scp: Link) -> None:
    """docs/adr/0023: if the BEGIN named a context, the first answer needs an AARE."""
    run = scp.start(IDP, got("ReleaseCall"), **CS1_TO)
    dialog = take_begin(scp)
    raw_invoke(scp.tcap, dialog, RELEASE_CALL, bytes.fromhex("04028091"))
    answer(scp, dialog, "End", None)
    result = scp.finish(run)
    assert (result["verdict"], reason(result)) == (
        "abort",
        "expected ReleaseCall, got TC-P-ABORT abnormalDialogue"
        " (no dialogue portion where an accepting AARE is due)",
    )


def test_another_context_is_accepted(scp: Link) -> None:
    run = scp.start(IDP, got("ReleaseCall"), **CS1_TO)
    dialog = take_begin(scp)
    raw_invoke(scp.tcap, dialog, RELEASE_CALL, bytes.fromhex("04028091"))
    answer(scp, dialog, "End", [0, 4, 0, 0, 1, 0, 50, 1])
    result = scp.finish(run)
    assert result["verdict"] == "fail"
    assert failed(result) == ["tcap_ac of the AARE"]


def test_the_scp_has_forgotten_the_dialogue(scp: Link) -> None:
    report: Params = {
        "type": "inap.ssp_to_scp.EventReportBCSM",
        "arguments": {"eventTypeBCSM": "oAnswer"},
    }
    # A report that comes before jSS7 has forgotten the dialogue is accepted.
    run = scp.start(IDP, got("Connect"), HALT, report, got("ReleaseCall"), **CS1_TO)
    dialog = take_begin(scp)
    raw_invoke(scp.tcap, dialog, CONNECT, bytes.fromhex("3008a006040403902143"))
    answer(scp, dialog, "Continue", CS1)
    dialog.release()
    scp.resume(run)
    result = scp.finish(run)
    assert (result["verdict"], reason(result)) == (
        "abort",
        "expected ReleaseCall, got TC-P-ABORT unrecognizedTransactionID",
    )
