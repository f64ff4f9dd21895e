"""The detail of an instance is of one moment, even if other greenlets ran while it was built."""

import pytest
from support.scripted_scp import CONTINUE

from tsvc import turns
from tsvc.engine.result.result import detail

# A log that is so long that other greenlets run while it is read.
LONG = {
    "type": "eval",
    "expression": "1",
    "tests": [{"kpath": "x", "type": "exists", "value": 0}] * 200,
}
LAST = {"type": "abort", "arguments": {"text": "over"}}


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


@pytest.mark.parametrize(
    ("last", "expected"),
    [(LAST, ("aborted", "over")), ({"type": "pass"}, ("passed", ""))],
    ids=["aborted", "passed"],
)
def test_an_instance_that_ends_while_it_is_read(tsvc, last, expected):
    run_id = tsvc.execute(LONG, {"type": "halt"}, last)
    run = tsvc.service.runs[run_id]
    tsvc.until(lambda: run.first is not None and run.first.state.value == "halted")
    instance = run.first
    turned = []

    def turn():
        if not turned:
            turned.append(instance.resume())
            tsvc.until(run.completed.is_set)

    with turns.given(turn):
        found = detail(run, instance)
    assert turned == [True], "it ended meanwhile"
    assert (found["state"], found["reason"]) == expected
    assert "time_finish" in found
    assert len([one for one in found["check_log"] if one["level"] == "abort"]) == (
        expected[0] == "aborted"
    )
    assert detail(run, instance) is found
