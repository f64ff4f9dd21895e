"""A message that comes between a request and its response is held until it is expected."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kinds.together.testbed import BOTH, PATIENT, VARS, World
from support.scripted_scp import CONTINUE, INITIAL_DP, ScriptedScp

SENT, EXPECTED = BOTH
CAME = {"type": "inap.ssp_from_scp.Continue"}
A_MOMENT = {"type": "wait", "arguments": {"seconds": 0.1}}


@pytest.fixture
def run(tmp_path: Path) -> Any:
    world = World(tmp_path, ScriptedScp(CONTINUE), **PATIENT)
    yield lambda *operations: world.run(*operations, ssp_ac="camel2", vars=VARS)
    world.stop()


Run = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    "operations",
    [
        (SENT, INITIAL_DP, A_MOMENT, EXPECTED, CAME),
        (INITIAL_DP, SENT, A_MOMENT, EXPECTED, CAME),
        (SENT, INITIAL_DP, A_MOMENT, CAME, EXPECTED),
    ],
)
def test_whatever_came_first_is_taken_by_who_expects_it(run: Run, operations: Any) -> None:
    result = run(*operations)
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_what_nobody_expects_aborts_at_the_end(run: Run) -> None:
    result = run(SENT, INITIAL_DP, A_MOMENT, EXPECTED)
    assert result["verdict"] == "abort"
    assert "unexpected Continue" in result["first_call_summary"]["reason"]
