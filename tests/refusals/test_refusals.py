"""Refusals and their texts: all as recorded in the golden files next to this file.

They were recorded before the modules were moved, by record.py; its docstring describes how to add
a case. Nothing of tsvc is imported here: daemons and commands answer.
"""

import difflib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from refusals import asking, golden
from refusals.asking import Answers, Case

from tsvc.printable import printable

pytestmark = pytest.mark.e2e


def by_file(theme: str) -> pytest.MarkDecorator:
    """Return a decorator that runs a test for each golden file of a theme."""
    paths = golden.files(theme)
    return pytest.mark.parametrize("path", paths, ids=[path.stem for path in paths])


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    with asking.daemons(tmp_path_factory.mktemp("daemons").resolve()) as running:
        yield running


@pytest.fixture(scope="module")
def configurations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The output of `tsvcd --check`, by the ids of the cases."""
    cases = dict(golden.cases("configurations"))
    folder = tmp_path_factory.mktemp("configurations").resolve()
    found = asking.check_configurations(folder, [*cases.values()])
    return dict(zip(cases, found, strict=True))


def compare(
    cases: list[Case], expected: Callable[[Case], Any], ask: Callable[[Case], Any]
) -> None:
    """Fail with all the differences, if there are any."""
    found: list[str] = []
    for case in cases:
        both = expected(case), ask(case)
        if case.get("order") == "any":
            both = golden.settled(both[0]), golden.settled(both[1])
        if json.dumps(both[0]) != json.dumps(both[1]):
            before, now = (golden.text(one).split("\n") for one in both)
            lines = difflib.unified_diff(before, now, "recorded", "now", lineterm="", n=1)
            found += [f"{case['name']}:", *(f"  {line}" for line in lines)]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def recorded(case: Case) -> Any:
    return case["refusal"]


@pytest.mark.sampled(12)
@by_file("definitions")
def test_definitions(path: Path, answers: Answers) -> None:
    compare(golden.read(path), recorded, answers.definition)


@pytest.mark.sampled(6)
@by_file("definitions")
def test_execute_test_refuses_the_same(path: Path, answers: Answers) -> None:
    """The error of ExecuteTest has the errors that ValidateTest finds, but no warnings."""
    cases = [case for case in golden.read(path) if isinstance(case["refusal"], list)]
    compare(cases, error_of, answers.executed)


def error_of(case: Case) -> Any:
    """Return the error of ExecuteTest for the problems of ValidateTest."""
    errors = [problem for problem in case["refusal"] if "severity" not in problem]
    fields: dict[str, list[str]] = {}
    for problem in errors:
        fields.setdefault(problem["path"], []).append(problem["text"])
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return {
        "code": 2002,
        "message": f"{errors[0]['path']}: {errors[0]['text']}{more}",
        "data": {"kind": "definition.invalid", "fields": fields},
    }


@by_file("flows")
def test_flows(path: Path, answers: Answers) -> None:
    compare(golden.read(path), recorded, answers.flow)


def test_flow_check_prints_the_same(tmp_path: Path) -> None:
    """All problems are printed; the daemon leaves out those after the hundredth."""
    cases = dict(golden.cases("flows"))
    cases = {name: case for name, case in cases.items() if case["refusal"][-1]["path"] != "params"}
    found = asking.check_flows(tmp_path, [*cases.values()])
    printed = dict(zip(cases, found, strict=True))
    named = [{**case, "name": name} for name, case in cases.items()]
    compare(named, lines_of, lambda case: printed[case["name"]])


def lines_of(case: Case) -> list[str]:
    """Return the lines that `tsvc flow check` prints for the recorded problems."""
    lines = ["not valid"]
    for problem in case["refusal"]:
        path = problem["path"].removeprefix("params.")
        first, *rest = problem["text"].split("\n")
        lines += [printable(f"  {problem.get('severity', 'error')} {path}: {first}")]
        lines += [printable(f"  {line}") for line in rest]
    return lines


@by_file("configurations")
def test_configurations(path: Path, configurations: dict[str, Any]) -> None:
    compare(
        golden.read(path), recorded, lambda case: configurations[f"{path.stem}: {case['name']}"]
    )


def test_the_command_itself_says_the_same(tmp_path: Path) -> None:
    """For one configuration: it makes no difference that the others share a process."""
    cases = dict(golden.cases("configurations"))
    case = cases["applications: several at once"]
    path = tmp_path / "tsvc.toml"
    path.write_text("\n".join(case["toml"]))
    path.chmod(0o600)
    ended = asking.python(tmp_path, "-m", "tsvc.cli.tsvcd", "--check", "-c", str(path))
    lines = (ended.stdout + ended.stderr).split("\n")[:-1]
    said = {"status": ended.returncode, "lines": lines}
    compare([case], recorded, lambda _: asking.without_folder(said, tmp_path))


@pytest.mark.parametrize(
    ("theme", "least"), [("definitions", 300), ("flows", 250), ("configurations", 80)]
)
def test_there_are_many_and_each_has_a_name(theme: str, least: int) -> None:
    names = [name for name, _ in golden.cases(theme)]
    assert len(set(names)) == len(names) >= least
