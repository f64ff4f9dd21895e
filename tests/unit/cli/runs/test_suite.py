"""Which definitions a suite runs, and what is reported about them."""

from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.cli.runs.suite import (
    Annotation,
    Expression,
    Job,
    repeated,
    selected,
    suite_line,
    suites_of,
)
from tsvc.cli.terminal.refusal import ExitStatus

WORDS = st.sampled_from(["a", "B", "busy", "no-answer", "x"])


def written(draw, depth=0):
    """Return a random expression, and the same condition in Python."""
    kind = draw(st.integers(0, 3 if depth < 3 else 0))
    if kind == 0:
        word = draw(WORDS)
        return word, f"({word.lower()!r} in name)"
    if kind == 1:
        text, meaning = written(draw, depth + 1)
        return f"not ({text})", f"(not {meaning})"
    joint = "and" if kind == 2 else "or"
    (left, one), (right, other) = written(draw, depth + 1), written(draw, depth + 1)
    return f"({left}) {joint} ({right})", f"({one} {joint} {other})"


@given(st.data())
def test_an_expression_means_what_it_means_in_python(data):
    text, meaning = written(data.draw)
    name = data.draw(st.text("abusynxo-rwe ", max_size=20)).lower()
    assert Expression(text)(name) == eval(meaning, {"name": name})


@pytest.mark.parametrize(
    ("text", "name", "is_selected"),
    [
        ("busy", "tests/Busy_line.json", True),
        ("a or b and c", "a", True),
        ("a or b and c", "b", False),
        ("not a and b", "b", True),
        ("not not a", "a", True),
        ("(a or b) and not c", "b c", False),
        ("A AND B", "a b", True),
    ],
)
def test_what_binds_how(text, name, is_selected):
    assert Expression(text)(name) is is_selected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a word is missing"),
        ("and a", "before 'and'"),
        ("a and", "a word is missing"),
        ("a or or b", "before 'or'"),
        ("(a", "not closed"),
        ("a)", "')' is not expected"),
        ("a b", "'b' is not expected"),
        ("not", "a word is missing"),
        ("()", "before ')'"),
    ],
)
def test_what_is_no_expression(text, problem):
    with pytest.raises(click.BadParameter) as found:
        Expression(text)
    assert problem in str(found.value)


JOBS = [
    Job(Path("a/busy.json"), {"tags": ["smoke", "cap2"]}),
    Job(Path("a/late.json"), {"name": "Late answer", "tags": ["load"]}),
    Job(Path("b/plain.json"), {}),
    Job(Path("b/odd.json"), {"tags": "no list"}),
]


@pytest.mark.parametrize(
    ("expression", "tags", "names"),
    [
        (None, (), ["busy", "late", "plain", "odd"]),
        ("a/", (), ["busy", "late"]),
        ("answer", (), ["late"]),
        ("smoke", (), ["busy"]),
        (None, ("smoke",), ["busy"]),
        (None, ("load", "smoke"), ["busy", "late"]),
        ("not busy", ("load", "smoke"), ["late"]),
        ("nothing", (), []),
    ],
)
def test_selection(expression, tags, names):
    found, left_out = selected(JOBS, expression, tags)
    assert [job.path.stem for job in found] == names
    assert left_out == len(JOBS) - len(names)


def test_repetition_goes_through_all_of_them():
    assert [job.path.stem for job in repeated(JOBS[:2], 2)] == ["busy", "late", "busy", "late"]


def test_an_annotation_says_what_the_runner_undoes():
    """GitHub's runner splits at the first `::`, properties at commas, and decodes %25 %0D %0A."""
    line = Annotation("a,b.json:7:12", "50% of: it", "one\ntwo, 100%::").line()
    command, text = line.removeprefix("::error ").split("::", 1)
    pairs = dict(pair.split("=", 1) for pair in command.split(","))
    undone = {
        name: value.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
        for name, value in pairs.items()
    }
    assert undone == {"file": "a,b.json", "line": "7", "col": "12", "title": "50% of: it"}
    assert text.replace("%0A", "\n").replace("%25", "%") == "one\ntwo, 100%::"


def test_without_a_line_only_the_file_is_named():
    assert Annotation("x.json", "t", "m").line() == "::error file=x.json,title=t::m"


def test_the_line_about_a_suite():
    statuses = [(Path("a"), ExitStatus.PASSED), (Path("b"), ExitStatus.WORSE)]
    assert suite_line(statuses, 0, 0) == "1 of 2 files passed; b worse"
    assert suite_line(statuses, 3, 2) == "1 of 2 files passed; b worse; 2 not run; 3 not selected"


# -- set-up and tear-down -------------------------------------------------------------------------


def jobs_of(*paths):
    return [Job(Path(path), {}) for path in paths]


def names_of(jobs):
    return [str(job.path.with_suffix("")) for job in jobs]


def parts(*paths):
    return [
        (names_of(one.set_up), names_of(one.jobs), names_of(one.tear_down))
        for one in suites_of(jobs_of(*paths))
    ]


def test_folders_with_nothing_around_are_one_suite():
    assert parts("a/x.json", "a/y.json", "b/x.json") == [([], ["a/x", "a/y", "b/x"], [])]


def test_what_is_around_is_of_its_folder():
    paths = (
        "a/_setup.json",
        "a/x.json",
        "a/_teardown.toml",
        "b/x.json",
        "c/y.json",
        "d/_setup.yaml",
    )
    assert parts(*paths) == [
        (["a/_setup"], ["a/x"], ["a/_teardown"]),
        ([], ["b/x", "c/y"], []),
        (["d/_setup"], [], []),
    ]


@pytest.mark.parametrize("paths", [("_setup.json", "x.json"), ("x.json", "_teardown.json")])
def test_each_round_has_its_own(paths):
    assert len(suites_of(repeated(jobs_of(*paths), 3))) == 3


def test_what_is_around_goes_with_what_is_selected():
    jobs = jobs_of("a/_setup.json", "a/busy.json", "a/late.json", "b/_setup.json", "b/plain.json")
    found, left_out = selected(jobs, "busy", ())
    assert (names_of(found), left_out) == (["a/_setup", "a/busy"], 3)
    found, _ = selected(jobs, "plain or late", ())
    assert names_of(found) == ["a/_setup", "a/late", "b/_setup", "b/plain"]
    found, _ = selected(jobs, "nothing", ())
    assert found == []
