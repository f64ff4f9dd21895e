"""jSS7 as an SSP that makes an error on command: the answers of the embedded SCP."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from peers.jss7.bridge import JavaObject
from peers.jss7.calls import begin, released, until_prompted
from peers.jss7.stack import Cap

pytestmark = pytest.mark.e2e

INITIAL_DP, CONNECT, REPORT, ATI = 0, 20, 24, 71
RESOURCE_FAILED, NO_FLOW = 38, 31  # causes of release, the defaults of [scp]
Behaviour = Callable[[Cap, JavaObject, JavaObject], None]  # SSP, dialogue, prompt


def error(make: str, *args: object) -> Behaviour:
    """Return a function that answers the prompt with an error."""

    def does(ssp: Cap, dialog: JavaObject, prompt: JavaObject) -> None:
        made = getattr(ssp.make_error, f"createCAPErrorMessage{make}")(*args)
        dialog.sendErrorComponent(prompt.getInvokeId(), made)

    return does


def invokes(code: int, octets: str = "") -> Behaviour:
    """Return a function that invokes an operation, with its argument in hex."""
    return lambda ssp, dialog, prompt: ssp.raw_invoke(dialog, code, bytes.fromhex(octets))


def rejects(problem: str) -> Behaviour:
    """Return a function that rejects the prompt."""

    def does(ssp: Cap, dialog: JavaObject, prompt: JavaObject) -> None:
        dialog.sendRejectComponent(prompt.getInvokeId(), ssp.problem("Invoke", problem))

    return does


def reports_what_is_not_armed(ssp: Cap, dialog: JavaObject, prompt: JavaObject) -> None:
    specific = ssp.make.createODisconnectSpecificInfo(ssp.cause(16))
    ssp.report(dialog, "oDisconnect", 2, specific, "request")


@dataclass(frozen=True)
class Wrong:
    """The SSP's reaction to the prompt, and how the SCP ends the call."""

    does: Behaviour
    cause: int = 0  # of the release
    kind: str = ""  # of the problem of the Reject, and its name
    problem: str = ""


CASES = {
    # Whatever error the resource reports, the caller is released.
    **{
        f"error {code}": Wrong(error("Parameterless", code), RESOURCE_FAILED)
        for code in (7, 8, 13, 14, 15, 16)
    },
    "systemFailure": Wrong(error("SystemFailure", "resourceStatusFailure"), RESOURCE_FAILED),
    "taskRefused": Wrong(error("TaskRefused", "congestion"), RESOURCE_FAILED),
    **{
        f"rejects by {problem}": Wrong(rejects(problem), RESOURCE_FAILED)
        for problem in ("ResourceLimitation", "MistypedParameter", "UnrecognizedOperation")
    },
    # The parameter of both errors is mandatory: docs/adr/0023.
    "systemFailure without its parameter": Wrong(
        error("Parameterless", 11), kind="ReturnError", problem="MistypedParameter"
    ),
    "taskRefused without its parameter": Wrong(
        error("Parameterless", 12), kind="ReturnError", problem="MistypedParameter"
    ),
    "an error nobody knows": Wrong(
        error("Parameterless", 99), kind="ReturnError", problem="UnrecognizedError"
    ),
    # etcFailed is an error of another operation
    "an error of another operation": Wrong(
        error("Parameterless", 3), kind="ReturnError", problem="UnexpectedError"
    ),
    "an operation nobody knows": Wrong(
        invokes(99), kind="Invoke", problem="UnrecognizedOperation"
    ),
    "an operation of MAP": Wrong(
        invokes(ATI, "3000"), kind="Invoke", problem="UnrecognizedOperation"
    ),
    "an operation of the SCP": Wrong(
        invokes(CONNECT, "3000"), kind="Invoke", problem="UnrecognizedOperation"
    ),
    "a report of nothing": Wrong(
        invokes(REPORT, "3000"), kind="Invoke", problem="MistypedParameter"
    ),
    "an InitialDP that is none": Wrong(
        invokes(INITIAL_DP, "020105"), kind="Invoke", problem="MistypedParameter"
    ),
    "a report of what is not armed": Wrong(reports_what_is_not_armed),
}


@pytest.mark.sampled(15)
@pytest.mark.parametrize("phase", [2, 4])
@pytest.mark.parametrize("case", CASES)
def test_the_ssp_does_wrong(ssp: Cap, case: str, phase: int) -> None:
    wrong = CASES[case]
    dialog = begin(ssp, phase)
    prompt = until_prompted(ssp, dialog)
    wrong.does(ssp, dialog, prompt)
    dialog.send()
    if wrong.cause:
        ssp.take("DisconnectForwardConnectionRequest")
        released(ssp, wrong.cause)
    elif wrong.problem:
        event = ssp.next()
        assert event.name == "onRejectComponent", event
        problem = event.args[2]
        assert problem.getType() == wrong.kind
        assert getattr(problem, f"get{wrong.kind}ProblemType")() == wrong.problem
        ssp.take("DialogClose")
    else:
        ssp.take("DialogUserAbort")


def test_a_second_initial_dp_is_an_error(ssp: Cap) -> None:
    dialog = begin(ssp, 2)
    until_prompted(ssp, dialog)
    ssp.initial_dp(dialog, 45, "0800432900")
    dialog.send()
    event = ssp.next()
    assert event.name == "onErrorComponent", event
    assert event.args[2].getErrorCode() == 14  # unexpectedComponentSequence
    ssp.take("DialogClose")


def test_a_call_that_no_flow_wants_is_released(ssp: Cap) -> None:
    begin(ssp, 2, 4711, "0900432900")
    ssp.take("DialogAccept")
    released(ssp, NO_FLOW)


def test_a_new_call_goes_on_after_an_abort(ssp: Cap) -> None:
    dialog = begin(ssp, 2)
    until_prompted(ssp, dialog)
    dialog.abort("congestion")
    until_prompted(ssp, begin(ssp, 2))
