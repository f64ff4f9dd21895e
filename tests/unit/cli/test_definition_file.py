from pathlib import Path

import pytest

from tsvc.cli.definition_file import FileProblem, expand, read_definition, read_document


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_json_and_toml_mean_the_same(tmp_path: Path) -> None:
    one = write(tmp_path, "a.json", '{"vars": {"n": "01"}, "operations": [{"type": "wait"}]}')
    two = write(tmp_path, "a.toml", 'vars = {n = "01"}\n[[operations]]\ntype = "wait"\n')
    expected = {"vars": {"n": "01"}, "operations": [{"type": "wait"}]}
    assert read_definition(one) == read_definition(two) == expected


def test_yaml_keeps_digits_and_words(tmp_path: Path) -> None:
    pytest.importorskip("yaml", reason="pip install PyYAML")
    path = write(
        tmp_path,
        "a.yaml",
        "operations: [{type: wait}]\n"
        "vars: {a: 0211234567, b: no, c: 12:30:45, d: 17, e: 1.5, f: true, g: null, h: +64}\n",
    )
    assert read_definition(path)["vars"] == {
        "a": "0211234567",
        "b": "no",
        "c": "12:30:45",
        "d": 17,
        "e": 1.5,
        "f": True,
        "g": None,
        "h": "+64",
    }


def test_a_flow_is_read_from_beside_the_file(tmp_path: Path) -> None:
    write(tmp_path, "flows/f.json", '{"name": "f"}')
    path = write(tmp_path, "a.json", '{"flow": "flows/f.json"}')
    assert read_definition(path) == {"flow": {"name": "f"}}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.json", '{"a": 1, "a": 2}', "a: duplicate member"),
        ("a.json", "{", "line 1"),
        ("a.json", "[]", "must hold one object"),
        ("a.toml", "a = \nb = 1", "line 1"),
        ("a.toml", "[vars]\nday = 2026-01-01", "vars.day: 2026-01-01 must be in quotes"),
        ("a.json", '{"run_id": "x"}', "run_id is chosen"),
        ("a.json", '{"flow": "nowhere"}', "does not name a flow document"),
        ("a.json", '{"flow": "nowhere.json"}', "No such file"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str, problem: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(FileProblem) as caught:
        read_definition(path)
    assert problem in caught.value.message
    assert str(tmp_path) in caught.value.message
    assert caught.value.exit_code == 2


def test_octets_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(FileProblem, match=r"a\.toml"):
        read_document(path)


def test_a_directory_is_a_suite_in_name_order(tmp_path: Path) -> None:
    for name in ("b.json", "a.toml", "notes.txt", "flows/f.json"):
        write(tmp_path, name, "{}")
    single = write(tmp_path, "other/one.json", "{}")
    found = expand((tmp_path, single))
    assert found == [tmp_path / "a.toml", tmp_path / "b.json", single]


def test_an_empty_directory_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no definition file"):
        expand((tmp_path,))
