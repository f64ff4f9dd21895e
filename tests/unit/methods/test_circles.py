"""Refused requests are freed at once: their errors are in no reference cycle.

Cycles wait for a full collection, which does not come during runs and requests. One wrong
definition of a mebibyte after the other would stay in memory (see collector.py).
"""

import gc
import json
from collections.abc import Callable
from typing import Any

import pytest
from refusals import golden
from support.scripted_scp import INITIAL_DP, evaluate

MOST = 60  # objects in reference cycles that an answer may leave, of the server and of the refusal
INVALID_REQUEST = 1000
LONG = 400  # number of times that each list is repeated; more elements may not leave more


@pytest.fixture(autouse=True)
def small_heap() -> None:
    """Freeze all present objects, so that collections only see those of the test.

    The process may hold the objects of a whole suite; they stay frozen (as in tests/conftest.py).
    """
    gc.collect()
    gc.freeze()


def is_readable(case: dict[str, Any]) -> bool:
    """Return True if a recorded case reaches ValidateTest."""
    refusal = case["refusal"]
    return isinstance(refusal, list) or refusal["code"] != INVALID_REQUEST


def left_by(tsvc: Any, definition: Any) -> int:
    """Return the number of objects in cycles that a second ValidateTest of a definition leaves."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "ValidateTest", "params": definition}
    octets = json.dumps(request).encode()
    is_read = json.loads(tsvc.dispatcher.dispatch(octets))["id"] == 1
    assert is_read, "ValidateTest has seen it"
    return left_of(lambda: tsvc.dispatcher.dispatch(octets))


def left_of(use: Callable[[], object]) -> int:
    """Return the number of objects in reference cycles that a call leaves."""
    gc.collect()
    gc.disable()
    try:
        use()
        return gc.collect()
    finally:
        gc.enable()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("path", golden.files("definitions"), ids=lambda path: path.stem)
def test_a_refusal_leaves_no_circles(path, daemon):
    tsvc = daemon()
    cases = [one for one in golden.read(path) if is_readable(one)]
    left = {one["name"]: left_by(tsvc, one["definition"]) for one in cases}
    assert {name: count for name, count in left.items() if count > MOST} == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"serviceKey": 1, "extensions": [[[]] for _ in range(LONG)]},
        {"serviceKey": ["x"] * LONG},
        {"serviceKey": 1, "callingPartyNumber": {"digits": [[1]] * LONG}},
    ],
    ids=["list", "number", "party"],
)
def test_neither_do_wrong_arguments(wrong, daemon):
    operation = {"type": "inap.ssp_to_scp.InitialDP", "arguments": wrong}
    assert left_by(daemon(), {"operations": [operation]}) <= MOST


ENDS_EARLY = {
    "expression": [evaluate("1 / 0")],
    "failing": [INITIAL_DP, {"type": "fail"}],
    "in a dialogue": [INITIAL_DP, evaluate("1 / 0")],
}


def load(total: int) -> dict[str, Any]:
    return {"distribution": {"type": "load", "total": total, "backlog": 10}}


@pytest.mark.parametrize("name", ENDS_EARLY)
def test_an_instance_that_ends_early_leaves_none(name, daemon):
    tsvc = daemon()
    operations = ENDS_EARLY[name]
    result = tsvc.run(*operations, **load(20))
    assert result["verdict"] != "pass", result
    few = left_of(lambda: tsvc.run(*operations, **load(20)))
    more = left_of(lambda: tsvc.run(*operations, **load(220)))
    assert more - few <= 200, "at most one object an instance"
