"""JUnit XML, checked with xmllint by the schema beside this file, and case by case."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from support.run_results import ABORT, FAIL, PASS, failed, instance, load, passed, refused, run

from tsvc.results.report import Reported
from tsvc.results.xunit import junit_xml

SCHEMA = Path(__file__).with_name("junit.xsd")
XMLLINT = shutil.which("xmllint")


def suites(*runs: Reported) -> Element:
    """Return the document with a case for each check."""
    return ElementTree.fromstring(junit_xml(runs, has_checks=True).encode())


def folders(*runs: Reported) -> Element:
    """Return the document with a case for each definition."""
    return ElementTree.fromstring(junit_xml(runs).encode())


def outcomes(suite: Element) -> dict[str | None, str | None]:
    """Return the tags of the elements in the cases, by the names of the cases."""
    return {
        case.get("name"): (case[0].tag if len(case) else None) for case in suite.iter("testcase")
    }


@pytest.mark.skipif(
    XMLLINT is None and os.environ.get("TSVC_REQUIRE_PEERS") != "1",
    reason="no xmllint; on Debian: apt-get install libxml2-utils",
)
@pytest.mark.parametrize(
    "runs",
    [
        (passed(), failed(), refused(), load()),
        (),
        (Reported("empty", run("pass", counts={"passed": 1})),),
        (Reported("twice", run("pass", first_call_summary=instance(PASS, PASS, PASS))),),
        (Reported("odd", None, "\x00\x1b[31m <&> \ufffe"),),
    ],
    ids=["all kinds", "none", "no checks", "equal checks", "control characters"],
)
@pytest.mark.parametrize("has_checks", [False, True])
def test_the_document_is_valid(
    runs: tuple[Reported, ...], has_checks: bool, tmp_path: Path
) -> None:
    assert XMLLINT is not None, "TSVC_REQUIRE_PEERS=1, and no xmllint"
    path = tmp_path / "junit.xml"
    path.write_text(junit_xml(runs, has_checks=has_checks), "utf-8")
    found = subprocess.run(
        [XMLLINT, "--nonet", "--noout", "--schema", SCHEMA, path], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr


def test_a_case_for_every_check() -> None:
    root = suites(failed())
    (suite,) = root
    name = "operations[1] inap.ssp_from_scp.Connect"
    assert outcomes(suite) == {
        f"{name}: check 1": None,
        f"{name}: check 2": "failure",
        "instances: all pass": "failure",
    }
    failure = suite.find("testcase/failure")
    assert failure is not None
    got = '{"digits": "4329101", "note": "<b>&"}'
    assert failure.get("message") == f"destination differs: expected 4329100, got {got}"
    assert failure.text == f"expected: 4329100\n     got: {got}"
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["3", "2", "0"]
    times = [case.get("time") for case in suite.iter("testcase")][:2]
    assert times == ["0.001000", "0.000500"]  # the time of each check after the one before
    assert suite.get("timestamp") == "2023-11-14T22:13:20"


def test_what_aborts_is_an_error() -> None:
    first = instance(PASS, ABORT, state="aborted")
    (suite,) = suites(Reported("a", run("abort", counts={"aborted": 1}, first_call_summary=first)))
    assert list(outcomes(suite).values()) == [None, "error", "error"]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "2")


def test_an_end_that_no_check_explains_has_a_case() -> None:
    first = instance(PASS, state="aborted", reason="no answer within 5 s")
    abort = {**first, "cause": "no answer within 5 s"}
    result = run("abort", counts={"aborted": 1}, first_call_summary=first, first_aborts=[abort])
    (suite,) = suites(Reported("a", result))
    assert outcomes(suite)["instances: all pass"] == "error"
    error = suite.find("testcase/error")
    assert error is not None
    assert "instance 0 aborted: no answer within 5 s" in (error.text or "")


def test_a_load_has_cases_for_its_instances_and_thresholds() -> None:
    (suite,) = suites(load())
    found = outcomes(suite)
    assert found["instances: all pass"] == "error"
    assert found["threshold: service_p99_ms <= 50"] is None
    assert found["threshold: late <= 0"] == "failure"
    text = next(suite.iter("error")).text or ""
    assert "instance 17 failed: destination" in text
    assert "instance 41 aborted: no END" in text
    assert "operations[2] inap.ssp_from_scp.Connect: expected END, got none" in text


def test_failed_instances_are_a_failure_even_if_the_first_passed() -> None:
    counts = {"planned": 2, "started": 2, "finished": 2, "passed": 1, "failed": 1}
    other = instance(FAIL, state="failed", instance_id="1", cause="destination")
    result = run("fail", counts=counts, first_call_summary=instance(PASS), first_fails=[other])
    (suite,) = suites(Reported("a", result))
    assert outcomes(suite)["instances: all pass"] == "failure"


def test_a_refusal_is_an_error() -> None:
    (suite,) = suites(refused())
    assert outcomes(suite) == {"definition": "error"}
    error = suite.find("testcase/error")
    assert error is not None
    assert "operations: missing" in (error.text or "")
    assert error.get("message") == "refused (2002 definition.invalid): operations: missing"


def test_information_is_no_case() -> None:
    noted = {**PASS, "level": "info", "text": "by the way"}
    (suite,) = suites(Reported("a", run("pass", first_call_summary=instance(PASS, noted))))
    assert list(outcomes(suite)) == [
        "operations[1] inap.ssp_from_scp.Connect: check 1",
        "instances: all pass",
    ]


DEFINITION = {"operations": [{"type": "a"}, {"type": "b"}, {"type": "c"}, {"type": "d"}]}


def test_names_of_checks_are_the_same_whatever_becomes_of_them() -> None:
    """Checks that an instance did not reach are skipped, not missing."""
    last = {**PASS, "op": 3, "type": "d"}
    whole = instance({**PASS, "op": 0, "type": "a"}, {**PASS, "op": 2, "type": "c"}, last)
    short = instance(
        {**PASS, "op": 0, "type": "a"}, {**ABORT, "op": 2, "type": "c"}, state="aborted"
    )
    good = Reported("x", run("pass", first_call_summary=whole), definition=DEFINITION)
    bad = Reported(
        "x",
        run("abort", counts={"aborted": 1}, first_call_summary=short),
        definition=DEFINITION,
    )
    (first,), (second,) = suites(good), suites(bad)
    assert list(outcomes(first)) == list(outcomes(second))
    assert outcomes(second)["operations[3] d: check 1"] == "skipped"
    assert second.get("skipped") == "1"


@pytest.mark.parametrize(
    ("reported", "outcome", "type_"),
    [
        (passed("one"), None, None),
        (failed("one"), "failure", "fail"),
        (refused("one"), "error", "refused"),
        (load(), "error", "abort"),
    ],
    ids=["passed", "failed", "refused", "aborted"],
)
def test_a_definition_is_one_case_of_one_name(
    reported: Reported, outcome: str | None, type_: str | None
) -> None:
    named = replace(reported, name="one", source="tests/ssp/one.json")
    (suite,) = folders(named)
    (case,) = suite
    assert (suite.get("name"), suite.get("tests")) == ("tests/ssp", "1")
    assert case.get("name") == "one"
    assert (case.get("classname"), case.get("file")) == ("tests.ssp", "tests/ssp/one.json")
    found = next((one for one in case if one.tag != "system-out"), None)
    assert (found if found is None else found.tag) == outcome
    assert (found if found is None else found.get("type")) == type_


@pytest.mark.parametrize(("verdict", "kind"), [("pass", None), ("fail", "threshold")])
def test_failures_that_a_threshold_decides_about(verdict: str, kind: str | None) -> None:
    rule = {"metric": "failed", "op": "<=", "value": 2, "got": 1, "is_met": verdict == "pass"}
    counts = {"passed": 9, "failed": 1}
    result = run(verdict, counts=counts, thresholds=[rule], decided=["failed"])
    (suite,) = folders(Reported("a", result))
    failure = suite.find("testcase/failure")
    assert (None if failure is None else failure.get("type")) == kind
    (suite,) = suites(Reported("a", result))
    assert outcomes(suite)["instances: all pass"] is None


def test_a_missed_threshold_is_a_failure_of_the_definition() -> None:
    missed = {"metric": "late", "op": "<=", "value": 0, "got": 8, "is_met": False}
    result = run("fail", counts={"passed": 1}, thresholds=[missed])
    (suite,) = folders(Reported("a", result))
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "threshold"
    assert failure.get("message") == "threshold late <= 0: got 8"


def test_failed_checks_and_the_ladder_are_in_the_case() -> None:
    first = instance(PASS, FAIL, state="failed", ladder="SSP -> SCP\n  \x1b[31mInitialDP")
    result = run("fail", counts={"failed": 1}, first_call_summary=first)
    (suite,) = folders(Reported("a", result))
    failure, out = suite.find("testcase/failure"), suite.find("testcase/system-out")
    assert failure is not None
    assert out is not None
    assert "destination differs\n  expected: 4329100" in (failure.text or "")
    assert "SSP -> SCP\n" in (out.text or "")
    assert "seed 5" in (out.text or "")


def test_definitions_stand_by_folder() -> None:
    sources = ("a/x.json", "b/x.json", "a/y.json", "z.json")
    root = folders(*(replace(passed(one[-6]), source=one) for one in sources))
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [
        ("a", "2"),
        ("b", "1"),
        ("tsvc", "1"),
    ]
