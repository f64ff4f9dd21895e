"""Rows of variables from files, and rows that are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tsvc.cli.definition_file.cases import Case, cases_of, with_case
from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.definition_file.load import load_definition


def definition(folder: Path, cases: Any, **more: Any) -> Path:
    path = folder / "a.json"
    path.write_text(json.dumps({"cases": cases, "operations": [{"type": "pass"}], **more}))
    return path


def read(folder: Path, cases: Any, **more: Any) -> list[Case]:
    found = load_definition(definition(folder, cases, **more))
    assert "cases" not in found.params
    return cases_of(found)


def test_without_cases(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"operations": []}')
    assert cases_of(load_definition(path)) == []


def test_rows_of_csv_are_texts(tmp_path: Path) -> None:
    text = '\ufeffcase,a,long name\r\none,007,"x, ""y""\nz"\r\n\r\n,{1+1},\r\n'.replace(
        "\r\n,{", "\r\n3,{"
    )
    (tmp_path / "rows.csv").write_bytes(text.encode())
    assert read(tmp_path, "rows.csv") == [
        Case("one", {"a": "007", "long name": 'x, "y"\nz'}),
        Case("3", {"a": "\\{1+1}", "long name": ""}),
    ]


def test_rows_of_json_are_values(tmp_path: Path) -> None:
    rows = [{"case": "x", "a": [1, None]}, {"a": "{1 + 1}"}, {"case": 7}]
    expected = [Case("x", {"a": [1, None]}), Case("2", {"a": "{1 + 1}"}), Case("7", {})]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    assert read(tmp_path, "rows.json") == expected
    assert read(tmp_path, rows) == expected


def test_cases_of_an_included_file(tmp_path: Path) -> None:
    """The including file's cases win; the file of rows is beside the file that names it."""
    (tmp_path / "more").mkdir()
    (tmp_path / "more/rows.csv").write_text("a\n1\n")
    (tmp_path / "more/base.json").write_text('{"cases": "rows.csv"}')
    path = tmp_path / "b.json"
    path.write_text('{"include": "more/base.json", "operations": []}')
    assert cases_of(load_definition(path)) == [Case("1", {"a": "1"})]
    path.write_text('{"include": "more/base.json", "operations": [], "cases": [{"b": 2}]}')
    assert cases_of(load_definition(path)) == [Case("1", {"b": 2})]


def test_what_a_case_adds_can_be_read_by_the_definition() -> None:
    """Variables are evaluated in their order."""
    case = Case("busy", {"number": "1", "a": "2"})
    made = with_case({"vars": {"a": "0", "whole": "{ '64' . $v->{number} }"}}, case, "call")
    assert list(made["vars"].items()) == [
        ("number", "1"),
        ("a", "2"),
        ("whole", "{ '64' . $v->{number} }"),
    ]


def test_a_case_goes_before_the_definition() -> None:
    case = Case("busy", {"a": "1"})
    assert with_case({"vars": {"a": "0", "b": "2"}, "seed": 1}, case, "call") == {
        "name": "call[busy]",
        "vars": {"a": "1", "b": "2"},
        "seed": 1,
    }
    assert with_case({"name": "x", "vars": 5}, case, "call") == {"name": "x[busy]", "vars": 5}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (b"a,a\n1,2\n", "rows.csv:1: each column must have a name of its own"),
        (b"a,\n1,2\n", "rows.csv:1: each column must have a name of its own"),
        (b"a,b\n1,2\n1\n", "rows.csv:3: 1 cells under 2 names"),
        (b"a,b\n", "rows.csv: there is no case"),
        (b"", "rows.csv: there is no case"),
        (b"case\nx\nx\n", "rows.csv:3: a second case named 'x'"),
        (b"case,a\n,1\n", "rows.csv:2: case must be a text of at most 200 characters"),
        (b'a\n"x\n', "rows.csv:2: unexpected end of data"),
        (b"a\n\xff\n", "rows.csv: octet 2: not UTF-8"),
    ],
)
def test_wrong_csv(tmp_path: Path, rows: bytes, problem: str) -> None:
    (tmp_path / "rows.csv").write_bytes(rows)
    with pytest.raises(FileProblem) as caught:
        read(tmp_path, "rows.csv")
    assert caught.value.message == f"{tmp_path}/{problem}"


@pytest.mark.parametrize(
    ("cases", "problem"),
    [
        ("none.csv", "a.json:1:2: cases: {}/none.csv: No such file or directory"),
        ("rows.txt", "a.json:1:2: cases: 'rows.txt' does not name a CSV or JSON file"),
        (5, "a.json:1:2: cases: must be the name of a file, or an array of objects"),
        ([], "a.json:1:2: there is no case"),
        ([{"a": 1}, 5], "a.json:1:22: cases[1]: must be an object"),
        ([{"case": []}], "a.json:1:12: case must be a text of at most 200 characters"),
    ],
)
def test_wrong_cases(tmp_path: Path, cases: Any, problem: str) -> None:
    with pytest.raises(FileProblem) as caught:
        read(tmp_path, cases)
    assert caught.value.message == f"{tmp_path}/{problem.format(tmp_path)}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{}", "must hold an array of objects"), ("[1]", "[0]: must be an object"), ("[", "JSON")],
)
def test_wrong_json(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "rows.json").write_text(text)
    with pytest.raises(FileProblem, match=r"rows\.json: ") as caught:
        read(tmp_path, "rows.json")
    assert problem in caught.value.message


def test_operations_from_another_file_bring_no_cases(tmp_path: Path) -> None:
    (tmp_path / "ops.json").write_text('{"operations": [], "cases": [{"a": 1}]}')
    path = tmp_path / "b.json"
    path.write_text('{"operations": [{"include": "ops.json"}]}')
    with pytest.raises(FileProblem, match="holds operations and vars, not cases"):
        load_definition(path)
