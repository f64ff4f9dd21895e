"""jSS7 as an SCP that makes an error on command: verdict, reason, and the messages jSS7 gets."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from peers.jss7.stack import Cap, JavaObject
from peers.jss7.testbed import HALT, IDP, Link, failed, got, reason
from support.waiting import until

pytestmark = pytest.mark.e2e

CONNECT, RELEASE_CALL, ATI = 20, 22, 71
Behaviour = Callable[[Cap, JavaObject, JavaObject], None]


@dataclass(frozen=True)
class Wrong:
    """The SCP answers InitialDP by `does`; the outcome at the tester, which expects a Connect."""

    does: Behaviour
    verdict: str
    text: str  # of the failed check, or of the reason
    seen: tuple[str, ...] = ()  # the events of jSS7 afterwards
    expected: tuple[str, ...] = ("Connect",)  # by the tester
    messages: int = 1  # that the tester gets from jSS7


def error(code: int) -> Behaviour:
    """Return a function that answers with an error without a parameter."""

    def does(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
        message = cap.make_error.createCAPErrorMessageParameterless(code)
        dialog.sendErrorComponent(request.getInvokeId(), message)
        dialog.close(False)

    return does


def reject(kind: str, name: str) -> Behaviour:
    """Return a function that rejects the InitialDP."""

    def does(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
        dialog.sendRejectComponent(request.getInvokeId(), cap.problem(kind, name))
        dialog.close(False)

    return does


def invokes(*invokes: tuple[int, str, int]) -> Behaviour:
    """Return a function that invokes: (code, argument in hex, invoke id or 0 for a new one)."""

    def does(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
        for code, octets, id in invokes:
            cap.raw_invoke(dialog, code, bytes.fromhex(octets), id)
        dialog.send()

    return does


def aborts(name: str) -> Behaviour:
    """Return a function that aborts with a reason of CAP."""
    return lambda cap, dialog, request: dialog.abort(name)


def octets(make: Callable[[bytes], bytes]) -> Behaviour:
    """Return a function that sends octets without jSS7's TCAP; `make` gets our transaction id."""

    def does(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
        ours = int(dialog.getRemoteDialogId()).to_bytes(4)
        cap.node.send_octets(make(ours), cap.ssn, cap.remote_ssn)

    return does


def p_abort(cause: int) -> Behaviour:
    """Return a function that aborts as the transaction sublayer (Q.773: destination id, cause)."""
    return octets(lambda ours: b"\x67\x09\x49\x04" + ours + bytes([0x4A, 1, cause]))


def result_of_the_initial_dp(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    """InitialDP is of class 2: it has errors and no result."""
    tcap = dialog.getTcapDialog()
    result = cap.tcap.getComponentPrimitiveFactory().createTCResultLastRequest()
    result.setInvokeId(request.getInvokeId())
    tcap.sendComponent(result)
    dialog.send()


def is_silent(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    """Send nothing at all."""


def connects_before_it_arms(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    cap.connect(dialog, "4329100")
    dialog.addRequestReportBCSMEventRequest(cap.events({("oAnswer", 2): "interrupted"}), None)
    dialog.send()


def connects_twice(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    for _ in range(2):
        cap.connect(dialog, "4329100")
        dialog.send()


def abort_by_tcap(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    """Send a U-ABORT without a dialogue portion."""
    tcap = dialog.getTcapDialog()
    tcap.send(cap.tcap.getDialogPrimitiveFactory().createUAbort(tcap))


def ends(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    dialog.close(False)


def goes_on(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    dialog.send()


def connects_elsewhere(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    cap.connect(dialog, "4329999")
    dialog.send()


def continues(cap: Cap, dialog: JavaObject, request: JavaObject) -> None:
    dialog.addContinueRequest()
    dialog.send()


GOT = "expected Connect, got"
SILENCE = "expected Connect, nothing came within 0.5 s"
ABORTED = ("onDialogUserAbort",)
# Two octets of BCD, one of them a filler: a Connect to it is well-formed.
RIGHT = "300aa0080406839014010100"
ERRORS = {
    "missingCustomerRecord": 6,
    "missingParameter": 7,
    "parameterOutOfRange": 8,
    "unexpectedComponentSequence": 14,
    "unexpectedDataValue": 15,
    "unexpectedParameter": 16,
}
P_CAUSES = (  # Q.773, by their numbers from 0
    "unrecognizedMessageType",
    "unrecognizedTransactionID",
    "badlyFormattedTransactionPortion",
    "incorrectTransactionPortion",
    "resourceLimitation",
)
NOBODY = bytes.fromhex("7fffff01")  # an id of no transaction
PROBLEMS = (
    "LinkedResponseUnexpected",
    "UnexpectedLinkedOperation",
    "DuplicateInvokeID",
    "UnrecognizedOperation",
    "MistypedParameter",
    "ResourceLimitation",
    "InitiatingRelease",
)
REASONS = (
    "no_reason_given",
    "application_timer_expired",
    "not_allowed_procedures",
    "abnormal_processing",
    "congestion",
    "invalid_reference",
    "missing_reference",
    "overlapping_dialogue",
)
CASES = {
    **{
        f"error {name}": Wrong(error(code), "abort", f"{GOT} InitialDPError {name}")
        for name, code in ERRORS.items()
    },
    **{
        f"reject {name}": Wrong(
            reject("Invoke", name),
            "abort",
            f"{GOT} Reject: invoke problem {name[0].lower()}{name[1:]}",
        )
        for name in PROBLEMS
    },
    "reject of any component": Wrong(
        reject("General", "MistypedComponent"),
        "abort",
        f"{GOT} Reject: general problem mistypedComponent",
    ),
    **{
        f"abort {name}": Wrong(
            aborts(name),
            "abort",
            f"{GOT} TC-U-ABORT (ABRT, source dialogue service user, CAP {name.replace('_', '-')})",
        )
        for name in REASONS
    },
    # docs/adr/0023: if a context was named, an ABORT has a dialogue portion.
    "abort without a dialogue portion": Wrong(
        abort_by_tcap, "abort", f"{GOT} TC-P-ABORT abnormalDialogue (no dialogue portion)"
    ),
    **{
        f"P-ABORT {name}": Wrong(p_abort(cause), "abort", f"{GOT} TC-P-ABORT {name}")
        for cause, name in enumerate(P_CAUSES)
    },
    "reject of a component that is badly structured": Wrong(
        reject("General", "BadlyStructuredComponent"),
        "abort",
        f"{GOT} Reject: general problem badlyStructuredComponent",
    ),
    "an error nobody knows": Wrong(
        error(99),
        "abort",
        f"{GOT} InitialDPError 99",
    ),
    "an error of another operation": Wrong(  # etcFailed
        error(3), "abort", f"{GOT} InitialDPError eTCFailed"
    ),
    "a result of what has none": Wrong(
        result_of_the_initial_dp,
        "abort",
        f"{GOT} rejected here: return result problem returnResultUnexpected",
    ),
    "silence": Wrong(is_silent, "abort", SILENCE, messages=0),
    "an END to a dialogue of nobody": Wrong(
        octets(lambda ours: b"\x64\x06\x49\x04" + NOBODY),
        "abort",
        SILENCE,
    ),
    # Its length exceeds its octets: no id in it is reliable, so the message is discarded.
    "half an END": Wrong(
        octets(lambda ours: b"\x64\x20\x49\x04" + ours + b"\x6c\x18\xa1"),
        "abort",
        SILENCE,
    ),
    "an END with half its components": Wrong(
        octets(lambda ours: b"\x64\x09\x49\x04" + ours + b"\x6c\x18\xa1"),
        "abort",
        f"{GOT} TC-P-ABORT badlyFormattedTransactionPortion"
        " (unreadable message: at octet 8: length 24 runs 23 octets past the end)",
    ),
    "the wrong order": Wrong(
        connects_before_it_arms,
        "abort",
        "expected RequestReportBCSMEvent, got Connect",
        expected=("RequestReportBCSMEvent", "Connect"),
    ),
    "a Connect twice": Wrong(
        connects_twice,
        "abort",
        "unexpected Connect at the end of the instance",
        ABORTED,
        messages=2,
    ),
    "an END": Wrong(ends, "abort", f"{GOT} TC-END"),
    "nothing in a CONTINUE": Wrong(goes_on, "abort", SILENCE),
    "another operation": Wrong(continues, "abort", f"{GOT} Continue", ABORTED),
    "another number": Wrong(
        connects_elsewhere, "fail", "destinationRoutingAddress_digits differs"
    ),
    "an INTEGER": Wrong(
        invokes((CONNECT, "020105", 0)), "fail", "malformed argument: tag 2 where 30 is due"
    ),
    "no argument": Wrong(
        invokes((CONNECT, "", 0)),
        "fail",
        "malformed argument: nothing where an argument is due",
    ),
    "no number": Wrong(
        invokes((CONNECT, "3000", 0)),
        "fail",
        "malformed argument: destinationRoutingAddress: mandatory member is missing",
    ),
    "two numbers": Wrong(
        invokes((CONNECT, "3012a01004068390210143f504068390219943f5", 0)),
        "fail",
        "malformed argument: destinationRoutingAddress: 2 elements, not 1..1",
    ),
    "an operation nobody knows": Wrong(
        invokes((99, "", 0)), "abort", f"{GOT} operation 99", ABORTED
    ),
    "an operation of MAP": Wrong(
        invokes((ATI, "3000", 0)), "abort", f"{GOT} operation 71", ABORTED
    ),
    # docs/adr/0023: two invokes with the same id in a message are rejected.
    "an id twice": Wrong(
        invokes((CONNECT, RIGHT, 5), (CONNECT, RIGHT, 5)),
        "abort",
        "unexpected rejected here: invoke problem duplicateInvokeID at the end of the instance",
        ("onRejectComponent", "onDialogDelimiter", "onDialogUserAbort"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_scp_does_wrong(scp: Link, case: str) -> None:
    wrong = CASES[case]
    number = {"destinationRoutingAddress_digits": "4329100"}
    # If the instance must not end before jSS7 has sent everything, it halts until then.
    halts = wrong.text == SILENCE or wrong.messages > 1
    seconds = 0.5 if wrong.text == SILENCE else 60
    expected = [
        got(name, number if name == "Connect" else None, seconds=seconds)
        for name in wrong.expected
    ]
    received = scp.received()
    run = scp.start(IDP, *[HALT] * halts, *expected, ssp_ac="camel2")
    dialog, request = scp.cap.take_begin("InitialDP")
    wrong.does(scp.cap, dialog, request)
    if halts:
        until(lambda: scp.received() >= received + wrong.messages, what=scp.tester.gateways)
        scp.resume(run)
    result = scp.finish(run)
    assert result["verdict"] == wrong.verdict
    assert wrong.text in [reason(result), *failed(result)]
    for name in wrong.seen:
        assert scp.cap.next().name == name
