"""JUnit XML, checked by the schema beside this file with xmllint, and case by case."""

import os
import shutil
import subprocess
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
    return ElementTree.fromstring(junit_xml(runs).encode())


def outcomes(suite: Element) -> dict[str | None, str | None]:
    """Return the tag of what a case holds, by its name."""
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
def test_the_document_is_valid(runs: tuple[Reported, ...], tmp_path: Path) -> None:
    assert XMLLINT is not None, "TSVC_REQUIRE_PEERS=1, and no xmllint"
    path = tmp_path / "junit.xml"
    path.write_text(junit_xml(runs), "utf-8")
    found = subprocess.run(
        [XMLLINT, "--nonet", "--noout", "--schema", SCHEMA, path], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr


def test_a_case_for_every_check() -> None:
    root = suites(failed())
    (suite,) = root
    name = "operations[1] inap.ssp_from_scp.Connect"
    assert outcomes(suite) == {
        f"{name}: Received Connect": None,
        f"{name}: destination differs": "failure",
    }
    failure = suite.find("testcase/failure")
    assert failure is not None
    got = '{"digits": "4329101", "note": "<b>&"}'
    assert failure.get("message") == f"destination differs: expected 4329100, got {got}"
    assert failure.text == f"expected: 4329100\n     got: {got}"
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["2", "1", "0"]
    times = [case.get("time") for case in suite.iter("testcase")]
    assert times == ["0.001000", "0.000500"]  # how long each came after the one before
    assert suite.get("timestamp") == "2023-11-14T22:13:20"


def test_what_aborts_is_an_error() -> None:
    first = instance(PASS, ABORT, state="aborted")
    (suite,) = suites(Reported("a", run("abort", counts={"aborted": 1}, first_call_summary=first)))
    assert list(outcomes(suite).values()) == [None, "error"]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")


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


def test_equal_checks_are_told_apart() -> None:
    (suite,) = suites(Reported("a", run("pass", first_call_summary=instance(PASS, PASS))))
    first, second = outcomes(suite)
    assert second == f"{first} #2"


def test_a_refusal_is_an_error() -> None:
    (suite,) = suites(refused())
    assert outcomes(suite) == {"definition": "error"}
    error = suite.find("testcase/error")
    assert error is not None
    assert "operations: missing" in (error.text or "")


def test_information_is_no_case() -> None:
    noted = {**PASS, "level": "info", "text": "by the way"}
    (suite,) = suites(Reported("a", run("pass", first_call_summary=instance(PASS, noted))))
    assert len(outcomes(suite)) == 1
