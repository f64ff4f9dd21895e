"""`tsvc run` of a definition with named cases, against a real tsvcd."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import tsvc, write

from tsvc.cli.embedded import PrivateDaemon

pytestmark = pytest.mark.e2e

ECHO = {
    "name": "numbers",
    "vars": {"called": "0", "wanted": "007"},
    "operations": [
        {
            "type": "eval",
            "expression": "$g->{seen} = $v->{called}",
            "tests": [{"kpath": "v.called", "value": "{$v->{wanted}}"}],
        }
    ],
}


@pytest.fixture(scope="module")
def daemon() -> Iterator[PrivateDaemon]:
    with PrivateDaemon() as found:
        yield found


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text(
        'case,called\nzeros kept,007\n"a text, as it is",{1 + 1}\nwrong,8\n'
    )
    return write(tmp_path, {**ECHO, "cases": "rows.csv"}, "numbers.json")


def test_each_case_runs_with_its_variables(daemon: PrivateDaemon, numbers: Path) -> None:
    folder = numbers.parent
    out = ["--json", folder / "o.js", "--junit", folder / "o.xml", "--github"]
    found = tsvc(daemon, "run", numbers, "--quiet", *out)
    assert found.returncode == 1, found.stderr
    first, second, third, *_ = found.stdout.splitlines()
    assert first.startswith(f"{numbers}[zeros kept]: pass")
    assert second.startswith(f"{numbers}[a text, as it is]: fail")
    assert third.startswith(f"{numbers}[wrong]: fail")
    assert f"1 of 3 files passed; {numbers}[a text, as it is] failed" in found.stdout
    runs = json.loads((folder / "o.js").read_text())["runs"]
    assert [run["file"] for run in runs] == [
        f"{numbers}[zeros kept]",
        f"{numbers}[a text, as it is]",
        f"{numbers}[wrong]",
    ]
    assert [run["result"]["globals"]["seen"] for run in runs] == ["007", "{1 + 1}", "8"]
    junit = (folder / "o.xml").read_text()
    assert 'name="numbers[zeros kept]"' in junit
    assert f'file="{numbers}"' in junit
    archived = daemon.client().list_results(3)
    assert {one.raw["name"] for one in archived} == {
        "numbers[zeros kept]",
        "numbers[a text, as it is]",
        "numbers[wrong]",
    }


def test_cases_are_selected_and_given_variables(daemon: PrivateDaemon, numbers: Path) -> None:
    found = tsvc(daemon, "run", numbers, "--quiet", "-k", "zeros or wrong", "--var", "called=007")
    assert found.returncode == 0, found.stdout
    assert found.stdout.endswith("2 of 2 files passed; 1 not selected\n")
    assert "run it without `cases`" in tsvc(daemon, "run", numbers, "--accept").stderr
    found = tsvc(daemon, "validate", numbers)
    assert found.stdout.splitlines()[0] == f"{numbers}[zeros kept]: valid"
    assert len(found.stdout.splitlines()) == 3


def test_a_baseline_of_cases(daemon: PrivateDaemon, numbers: Path) -> None:
    base = numbers.parent / "base"
    tsvc(daemon, "run", numbers, "--quiet", "--json", base)
    again = tsvc(daemon, "run", numbers, "-k", "zeros", "--baseline", base, "--tolerance", "1e6")
    assert again.returncode == 0, again.stdout
    assert f"no worse than {base}" in again.stdout


def test_run_test_has_no_cases(daemon: PrivateDaemon, numbers: Path) -> None:
    arguments = ["--port", daemon.port, numbers]
    found = tsvc(daemon, *arguments, module="tsvc.cli.run_definition")
    assert (found.returncode, "cases are for `tsvc run`" in found.stderr) == (2, True)
