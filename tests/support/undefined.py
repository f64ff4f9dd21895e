"""An expression without a value in what an operation sends: `SOURCE`, checked for each kind."""

from collections.abc import Callable
from typing import Any

SOURCE = "{$v->{h}{missing}}"
VARS = {"h": {"there": 1}}


def aborts_if_strict(run: Callable[..., Any], path: str, operation: Any, **params: Any) -> None:
    """Check that nothing is sent under `strict`: the abort names the place and the expression."""
    result = run(operation, vars=VARS, strict=1, **params)
    assert result["counts"]["aborted"] == 1, result["first_call_summary"]
    last = result["first_call_summary"]["check_log"][-1]
    assert last["text"] == f"operations[0].arguments.{path}: {SOURCE} is undefined"
    assert result["counts"]["undefined_sent"] == 0


def is_counted(result: Any, path: str) -> None:
    """Check the result of a run without `strict`: it counts the value and mentions it."""
    assert result["counts"]["undefined_sent"] == 1
    texts = [
        one["text"]
        for one in result["first_call_summary"]["check_log"]
        if one["level"].lower() == "info" and one["text"].startswith("undefined")
    ]
    assert texts == [
        f"undefined, left out or sent empty: operations[0].arguments.{path}: {SOURCE}"
    ]
