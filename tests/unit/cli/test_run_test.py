"""run_test: the published options become params of ExecuteTest, without a service."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tsvc.cli.run_definition import main

PASSING = {"operations": [{"type": "pass"}]}
LINEAR = {"type": "linear", "total": 9, "backlog": 3, "cps": 10}


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    """A function that returns the result of a command line, and its params or None if refused."""

    def ask(*arguments: str, definition: dict[str, Any] = PASSING) -> Any:
        file = tmp_path / "test.json"
        file.write_text(json.dumps(definition), "utf-8")
        # Nothing listens on port 1: the request is printed and not sent.
        result = CliRunner().invoke(main, [str(file), "--port", "1", "--echo", *arguments])
        echoed = result.stdout.removeprefix(f"[START {file}]\n")
        return result, json.loads(echoed) if echoed else None

    return ask


def test_the_published_defaults(asked: Any) -> None:
    result, params = asked()
    assert result.exit_code == 5, "nobody is there"
    assert params == {**PASSING, "ssp_ac": "camel3", "scp": {"dpc": 4114, "dssn": 106}}


def test_empty_parts_of_a_global_title_are_not_given(asked: Any) -> None:
    empty = [part for name in ("digits", "noa", "np", "tt") for part in (f"--dgt_{name}", "")]
    _, params = asked(*empty, "--no-dpc")
    assert params["scp"] == {"dssn": 106}
    _, params = asked("--dgt_digits", "064", "--dgt_noa", "0", "--dgt_np", "1", "--dgt_tt", "")
    assert params["scp"] == {
        "dpc": 4114,
        "dssn": 106,
        "dgt_digits": "064",
        "dgt_noa": 0,
        "dgt_np": 1,
    }


def test_a_part_that_is_no_integer_is_a_usage_error(asked: Any) -> None:
    result, params = asked("--dgt_noa", "four")
    assert (result.exit_code, params) == (2, None)
    assert "four" in result.output


def test_a_ramp_beside_a_backlog_alone_is_taken_and_noted(asked: Any) -> None:
    result, params = asked("--backlog", "3", "--total", "9", "--ramp", "2")
    assert params["distribution"] == {"type": "load", "total": 9, "backlog": 3}
    assert "--ramp changes a rate" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "definition"),
    [
        (["--cps", "10", "--total", "9", "--backlog", "3"], PASSING),
        (["--backlog", "3"], {**PASSING, "distribution": LINEAR}),
    ],
)
def test_a_ramp_of_a_rate_begins_at_zero(
    asked: Any, arguments: list[str], definition: dict[str, Any]
) -> None:
    result, params = asked(*arguments, "--ramp", "2", definition=definition)
    cps = {"target": 10, "initial": 0, "ramp_s": 2}
    assert params["distribution"] == {**LINEAR, "cps": cps}
    assert "note" not in result.stderr


@pytest.mark.parametrize("option", ["--ramp", "--total"])
def test_they_need_a_rate_or_a_backlog(asked: Any, option: str) -> None:
    result, params = asked(option, "5")
    assert (result.exit_code, params) == (2, None)
    assert "--cps or --backlog" in result.output
