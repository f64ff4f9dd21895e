import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.run_results import failed, load, passed, refused, run

from tsvc.results.report import Reported
from tsvc.results.xunit import gtest_xml

SCHEMA = Path(__file__).with_name("gtest.xsd")
XMLLINT = shutil.which("xmllint")


@pytest.mark.skipif(
    XMLLINT is None and os.environ.get("TSVC_REQUIRE_PEERS") != "1",
    reason="no xmllint; on Debian: apt-get install libxml2-utils",
)
@pytest.mark.parametrize(
    "runs",
    [(passed(), failed(), refused(), load()), (), (Reported("odd", None, "\x00 <&> \ufffe"),)],
    ids=["all kinds", "none", "control characters"],
)
def test_is_valid_by_the_schema(runs: tuple[Reported, ...], tmp_path: Path) -> None:
    assert XMLLINT is not None, "apt-get install libxml2-utils"
    file = tmp_path / "gtest.xml"
    file.write_text(gtest_xml(runs), encoding="utf-8")
    done = subprocess.run(
        [XMLLINT, "--noout", "--nonet", "--schema", str(SCHEMA), str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_case_for_each_definition() -> None:
    text = gtest_xml([passed("a"), failed("b"), refused("c")])
    suite = ElementTree.fromstring(text.encode())[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("3", "2", "0.416")
    assert [case.get("name") for case in suite] == ["a", "b", "c"]
    assert [len(case) for case in suite] == [0, 1, 1]
    message = suite[1][0].get("message")
    assert message is not None
    assert message.startswith("operations[1] inap.ssp_from_scp.Connect: destination differs, exp")
    assert "expected '4329100', got {'digits': '4329101'" in message
    assert (suite[2][0].get("message") or "").startswith("refused (2002 definition.invalid):")


def test_failures_of_other_instances_are_told_by_their_counts() -> None:
    suite = ElementTree.fromstring(gtest_xml([load()]).encode())[0]
    assert suite[0][0].get("message") == "abort: 1 failed, 1 aborted, 0 cancelled of 298 instances"


def test_a_run_that_was_lost_is_no_success() -> None:
    lost = Reported("a", run("pass", state="lost"))
    suite = ElementTree.fromstring(gtest_xml([lost]).encode())[0]
    assert suite.get("failures") == "1"
