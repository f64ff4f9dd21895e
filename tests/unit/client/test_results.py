"""Results as values: how an assertion's message and a debugger show them."""

from tsvc.client.results import read_run

FAILED = {
    "idx": "0",
    "state": "failed",
    "reason": "operations[1]: a check failed",
    "check_log": [
        {"t": 0.1, "op": 0, "type": "inap", "level": "pass", "text": "Received Connect"},
        {
            "t": 0.2,
            "op": 1,
            "type": "inap.ssp_from_scp.Connect",
            "level": "fail",
            "text": "destinationRoutingAddress_digits",
            "expected": "4329100",
            "got": "4329101",
        },
        {"t": 0.2, "op": 1, "type": "tcap", "level": "abort", "text": "nothing came"},
    ],
    "messages": [{}, {}],
    "ladder": "SSP --- SCP",
}
RUN = {
    "run_id": "r",
    "completed": 1,
    "state": "completed",
    "verdict": "fail",
    "counts": {"started": 2, "passed": 1},
    "problems": [{"path": "params.x", "text": "is new", "severity": "warning"}],
}


def test_a_result_says_what_did_not_pass() -> None:
    result = read_run({**RUN, "first_call_summary": FAILED})
    assert str(result).splitlines() == [
        "run r: fail, 1 of 2 passed",
        "  warning params.x: is new",
        "instance 0: failed, operations[1]: a check failed",
        "  operations[1] inap.ssp_from_scp.Connect: destinationRoutingAddress_digits",
        "      expected '4329100'",
        "      got      '4329101'",
        "  operations[1] tcap: nothing came",
        "SSP --- SCP",
    ]


def test_the_first_instance_that_did_not_pass_is_shown() -> None:
    passed = {**FAILED, "state": "passed", "reason": "", "check_log": []}
    result = read_run(
        {**RUN, "first_call_summary": passed, "first_fails": [{**FAILED, "idx": "7"}]}
    )
    assert "instance 7: failed" in str(result)
    assert "instance 0" not in str(result)


def test_a_result_without_instances() -> None:
    assert str(read_run({})) == "run : , 0 of 0 passed"


def test_representations_are_short() -> None:
    result = read_run({**RUN, "first_call_summary": FAILED})
    assert len(repr(result)) < 120
    assert repr(result.first_call) == "Instance(idx='0', state='failed', checks: 3, messages: 2)"
