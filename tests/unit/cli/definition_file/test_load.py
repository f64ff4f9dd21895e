from pathlib import Path

import pytest

from tsvc.cli.definition_file.load import (
    FileProblem,
    expand,
    load_definition,
    read_definition,
    read_document,
)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(FileProblem) as caught:
        read_definition(path)
    return caught.value.message


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
        ("a.json", "{", "a.json:1:2: "),
        ("a.json", "[]", "must hold one object"),
        ("a.toml", "a = \nb = 1", "a.toml:1:5: Invalid value"),
        ("a.toml", "[vars]\nday = 2026-01-01", "vars.day: 2026-01-01 must be in quotes"),
        ("a.toml", "[vars]\nn = inf", "vars.n: must be a finite number"),
        ("a.json", '{"run_id": "x"}', "run_id is chosen"),
        ("a.json", '{"flow": "nowhere"}', "does not name a flow document"),
        ("a.json", '{"flow": "nowhere.json"}', "No such file"),
        ("a.json", '{\n"include": 7}', "a.json:2:1: include: must be the name of a file"),
        ("a.json", '{\n"include": "b.txt"}', "a.json:2:1: include: 'b.txt' does not name a file"),
        (
            "a.json",
            '{"operations": [\n{"include": "b.json"}]}',
            "a.json:2:2: operations[0].include",
        ),
        ("a.json", '{"vars":\n"b.yaml"}', "a.json:1:2: vars"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str, problem: str) -> None:
    message = refused(write(tmp_path, name, text))
    assert problem in message
    assert str(tmp_path) in message
    assert FileProblem.exit_code == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: 2\na: 3\n", "a.yaml:3:1: duplicate member 'a'"),
        ("a: [1,\n", "line 2"),
        ("a: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
        ("1: a\n", "the name 1 must be a string"),
        ("a: &a [*a]\n", "nested deeper than 64"),
        ("", "must hold one object"),
    ],
)
def test_what_yaml_may_not_say(tmp_path: Path, text: str, problem: str) -> None:
    pytest.importorskip("yaml", reason="pip install PyYAML")
    assert problem in refused(write(tmp_path, "a.yaml", text))


def test_aliases_do_not_unfold_without_end(tmp_path: Path) -> None:
    pytest.importorskip("yaml", reason="pip install PyYAML")
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "holds more than" in refused(write(tmp_path, "a.yaml", "\n".join(lines)))


def test_octets_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(FileProblem, match=r"a\.toml"):
        read_document(path)


def test_a_directory_is_a_suite_in_name_order(tmp_path: Path) -> None:
    for name in ("b.json", "a.toml", "notes.txt", "flows/f.json", "tsvc.schema.json"):
        write(tmp_path, name, "{}")
    single = write(tmp_path, "other/one.json", "{}")
    found = expand((tmp_path, single))
    assert found == [tmp_path / "a.toml", tmp_path / "b.json", single]


def test_an_empty_directory_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no definition file"):
        expand((tmp_path,))


# -- include ------------------------------------------------------------------------------------


def test_included_members_come_first(tmp_path: Path) -> None:
    write(tmp_path, "lab.json", '{"ssp_ac": "camel2", "scp": {"dpc": 2, "dssn": 146}, "seed": 1}')
    write(tmp_path, "more.toml", 'seed = 2\nname = "more"\n[vars]\na = 1\nb = 2\n')
    path = write(
        tmp_path,
        "a.json",
        '{"include": ["lab.json", "more.toml"], "scp": {"dssn": 8}, "vars": {"b": 3, "c": 4}}',
    )
    found = read_definition(path)
    assert found == {
        "scp": {"dpc": 2, "dssn": 8},
        "vars": {"a": 1, "b": 3, "c": 4},
        "seed": 2,
        "ssp_ac": "camel2",
    }
    assert list(found["vars"]) == ["a", "b", "c"], "in which order they are evaluated"


def test_included_operations_stand_where_they_are_included(tmp_path: Path) -> None:
    write(
        tmp_path,
        "parts/begin.json",
        '{"vars": {"n": 1, "m": 1}, "operations": [{"type": "log"}, {"include": "deep.yaml"}]}',
    )
    write(tmp_path, "parts/deep.yaml", "operations: [{type: halt}]")
    path = write(
        tmp_path,
        "a.json",
        '{"vars": {"n": 2},\n "operations": [{"type": "pass"}, {"include": "parts/begin.json"},'
        ' {"type": "fail"}]}',
    )
    found = read_definition(path)
    assert [one["type"] for one in found["operations"]] == ["pass", "log", "halt", "fail"]
    assert found["vars"] == {"n": 2, "m": 1}


def test_vars_may_be_files(tmp_path: Path) -> None:
    write(tmp_path, "one.json", '{"a": 1, "b": 1}')
    write(tmp_path, "two.toml", "b = 2")
    single = write(tmp_path, "x.json", '{"vars": "one.json"}')
    several = write(tmp_path, "y.json", '{"vars": ["one.json", "two.toml", {"c": 3}]}')
    assert read_definition(single) == {"vars": {"a": 1, "b": 1}}
    assert read_definition(several) == {"vars": {"a": 1, "b": 2, "c": 3}}


def test_a_circle_is_refused_and_told(tmp_path: Path) -> None:
    write(tmp_path, "b.json", '{"operations": [\n{"include": "a.json"}]}')
    message = refused(write(tmp_path, "a.json", '{\n"include": "b.json"}'))
    assert "includes itself: a.json includes b.json includes a.json" in message
    assert "b.json:2" in message
    assert "a.json:2" in message


def test_the_same_file_twice_is_no_circle(tmp_path: Path) -> None:
    write(tmp_path, "b.json", '{"operations": [{"type": "log"}]}')
    text = '{"operations": [{"include": "b.json"}, {"include": "b.json"}]}'
    assert len(read_definition(write(tmp_path, "a.json", text))["operations"]) == 2


@pytest.mark.parametrize(
    ("included", "entry", "problem"),
    [
        ('{"ssp_ac": "x"}', '{"include": "b.json"}', "holds operations and vars, not ssp_ac"),
        ('{"operations": {}}', '{"include": "b.json"}', "operations must be an array"),
        ("{}", '{"include": "b.json", "label": "x"}', "label: does not go with include"),
    ],
)
def test_what_can_not_stand_for_an_operation(
    tmp_path: Path, included: str, entry: str, problem: str
) -> None:
    write(tmp_path, "b.json", included)
    message = refused(write(tmp_path, "a.json", f'{{"operations": [\n{entry}]}}'))
    assert problem in message
    assert "a.json:2" in message


# -- places -------------------------------------------------------------------------------------


def test_a_place_is_that_of_the_file_it_is_from(tmp_path: Path) -> None:
    write(tmp_path, "b.yaml", "vars:\n  x: 1\noperations:\n- type: log\n  arguments:\n    n: 1\n")
    write(tmp_path, "lab.json", '{\n"scp": {"dpc": 2}\n}')
    text = (
        '{"include": "lab.json",\n"scp":\n {"dssn": 2},\n'
        '"operations": [\n{"type": "pass"},\n{"include": "b.yaml"},\n{"type": "fail"}]}'
    )
    found = load_definition(write(tmp_path, "a.json", text))
    places = {
        "operations[0].type": "a.json:5:2",
        "operations[0].label": "a.json:5:1",
        "operations[1].arguments.n": "b.yaml:6:5",
        "params.operations[1].arguments.n.deeper": "b.yaml:6:5",
        "operations[2]": "a.json:7:1",
        "vars.x": "b.yaml:2:3",
        "scp.dssn": "a.json:3:3",
        "scp.dpc": "lab.json:2:9",
        "sigtran": "a.json",
        "operations": "a.json:4:1",
    }
    shown = {path: Path(found.place(path)).name for path in places}
    assert shown == places


def test_a_place_in_toml(tmp_path: Path) -> None:
    found = load_definition(write(tmp_path, "a.toml", '[[operations]]\ntype = "x"\n'))
    assert Path(found.place("operations[0].type")).name == "a.toml:2:1"
