"""Which files are a baseline, and how a result is judged by it."""

import pytest
from support.result_files import files as files
from support.result_files import slower

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.runs.baseline import Tolerance, read_baseline
from tsvc.cli.terminal.refusal import ExitStatus


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1"),
        ("[]", "is not what"),
        ('{"runs": 3}', "is not what"),
        ('{"runs": [3]}', "is not what"),
        ('{"runs": []}', "no result"),
        ('{"runs": [{"file": "a", "result": null}]}', "no result"),
    ],
)
def test_what_is_no_baseline(tmp_path, text, problem):
    path = tmp_path / "base.json"
    path.write_text(text)
    with pytest.raises(FileProblem, match=problem):
        read_baseline(path, 0.1)


@pytest.mark.parametrize(
    ("text", "share"), [("10%", 0.1), ("0.1", 0.1), ("0", 0.0), ("250%", 2.5)]
)
def test_a_tolerance(text, share):
    assert Tolerance().convert(text, None, None) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "%", "-1", "-5%", "ten", "nan", "inf%"])
def test_no_tolerance(text):
    with pytest.raises(Exception, match="is no share"):
        Tolerance().convert(text, None, None)


def test_a_baseline_of_other_files_compares_nothing(files):
    known = read_baseline(files("a.json", one=slower(1)), 0.1)
    known.check(["two", "one"])
    with pytest.raises(FileProblem, match=r"a.json has no result of two, but of one"):
        known.check(["two"])


def test_a_baseline_judges_by_the_name_of_the_file(files):
    known = read_baseline(files("a.json", one=slower(1)), 0.1)
    assert known.judge("one", slower(1))[0] is ExitStatus.PASSED
    status, lines = known.judge("one", slower(1.2))
    assert status is ExitStatus.WORSE
    assert "response_p99_ms" in lines[0]
    status, lines = known.judge("two", slower(9))
    assert status is ExitStatus.PASSED
    assert "no result of two" in lines[0]
