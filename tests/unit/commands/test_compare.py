"""tsvc compare: the results in two files side by side."""

import json

from click.testing import CliRunner
from support.result_files import files as files
from support.result_files import slower
from support.run_results import FAIL, PASS, instance, run

from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.commands.compare import command


def ask(*arguments):
    return CliRunner().invoke(command, [str(one) for one in arguments])


def test_what_is_no_worse(files):
    a, b = files("a.json", one=slower(1)), files("b.json", one=slower(1.05))
    found = ask(a, b)
    assert found.exit_code == 0, found.output
    assert "response_p99_ms (ms)" in found.output
    assert "+5.0 %" in found.output
    assert "worse" not in found.output


def test_what_is_worse(files):
    a, b = files("a.json", one=slower(1)), files("b.json", one=slower(1.25))
    found = ask(a, b)
    assert found.exit_code == ExitStatus.WORSE == 6
    assert "worse      response_p99_ms: 9.5 became 11.875 (+25.0 %)" in found.output
    assert ask(a, b, "--tolerance", "30%").exit_code == 0
    assert ask(b, a).exit_code == 0, "better is not worse"


def test_a_verdict_and_the_first_check_that_differs(files):
    good = run("pass", counts={"passed": 1}, first_call_summary=instance(PASS, PASS))
    bad = run("fail", counts={"failed": 1}, first_call_summary=instance(PASS, FAIL))
    found = ask(files("a.json", one=good), files("b.json", one=bad))
    assert found.exit_code == 6
    assert "verdict: pass became fail" in found.output
    assert "first check that differs, 1:" in found.output
    assert "B  fail destination differs" in found.output


def test_files_of_several_runs_are_paired_by_name(files):
    a = files("a.json", x=slower(1), y=slower(1))
    b = files("b.json", y=slower(2), z=slower(1))
    found = ask(a, b)
    assert found.exit_code == 6
    assert [line for line in found.output.splitlines() if line and line[0] != " "] == ["y"]
    one, other = files("c.json", q=slower(1)), files("e.json", r=slower(1))
    assert ask(one, other).exit_code == 0, "one definition each, of two names"
    found = ask(a, files("d.json", q=slower(1), r=slower(1)))
    assert found.exit_code == 2
    assert "no definition in common" in found.output


def test_json(files):
    a = files("a.json", one=slower(1))
    (found,) = json.loads(ask(a, a, "--json").output)
    assert found["name"] == "one"
    assert {"verdict", "metrics", "operations", "thresholds", "failures"} <= set(found)


def test_neither_a_file_nor_an_id():
    found = ask("nowhere.json", "1")
    assert found.exit_code == 2
    assert "neither a file nor a result_id" in found.output
