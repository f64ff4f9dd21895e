"""The positions of members and elements in JSON, TOML and YAML."""

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.each import each

from tsvc.cli.definition_file.document import read
from tsvc.cli.definition_file.positions import Position, Steps, json_positions, toml_positions


def test_json() -> None:
    text = '{\n "a": [\n  1, {"b]": "x:,{"},\n  []\n ],\n "c": {}, "d": -1.5e3\n}'
    assert json_positions(text) == {
        (): (1, 1),
        ("a",): (2, 2),
        ("a", 0): (3, 3),
        ("a", 1): (3, 6),
        ("a", 1, "b]"): (3, 7),
        ("a", 2): (4, 3),
        ("c",): (6, 2),
        ("d",): (6, 11),
    }


TOML = r"""# a comment with [brackets] = "and" strings
name = "x # no comment"  # a = 1
"quoted [key]" = [ 1, # one
  "two, ]", [3, {a.b = QQQmulti
'''lineQQQ, "c" = 0x1F}],
]
vars . n.'m' = QQQ
a = 1
[[no]] \" "QQQ"
[scp]
dssn = 146
  [ scp."deep er" ]
  digits = '0\'
[[operations]]
type = "one"
[operations.arguments]
number = 1e3
[[operations.tests]]
kpath = "a"
[[operations.tests]]
kpath = "b"
[[operations]]
type = "two"
[operations.arguments.inner]
x = true
""".replace("QQQ", '"' * 3)


def test_toml() -> None:
    found = toml_positions(TOML)
    assert found["name",] == (2, 1)
    assert found["quoted [key]", 1] == (4, 3)
    assert found["quoted [key]", 2, 1, "a", "b"] == (4, 20)
    assert found["quoted [key]", 2, 1, "c"] == (5, 13)
    assert found["vars", "n", "m"] == (7, 10)
    assert found["scp", "deep er"] == (12, 3)
    assert found["operations", 0, "type"] == (15, 1)
    assert found["operations", 0, "tests", 1, "kpath"] == (21, 1)
    assert found["operations", 1] == (22, 1)
    assert found["operations", 1, "arguments", "inner", "x"] == (25, 1)
    assert set(found) == set(paths(tomllib.loads(TOML)))


def paths(value: Any, steps: Steps = ()) -> list[Steps]:
    """Return the path of every member and element in a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[Steps] = []
    for step, item in items:
        found.append((*steps, step))
        if isinstance(item, dict | list):
            found += paths(item, (*steps, step))
    return found


# -- random texts, whose writer notes the position of each value --------------------------------


class Writer:
    """Writes one random object as TOML, in any of the forms that TOML allows."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._parts: list[str] = []
        self._line, self._column = 1, 1
        self.positions: dict[Steps, Position] = {}
        self._table((), 0)

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        *above, last = text.split("\n")
        self._line += len(above)
        self._column = len(last) + 1 + (0 if above else self._column - 1)

    def _note(self, steps: Steps) -> None:
        self.positions.setdefault(steps, (self._line, self._column))

    def _blank(self) -> None:
        self._put(self._chance.choice(["", " ", "\t", "  "]))

    def _rest(self) -> None:
        self._put(self._chance.choice(["\n", " # a = [1\n", "\n\n", "\n# [x]\n \t\n"]))

    def _name(self, steps: Steps) -> str:
        taken = {
            place[len(steps)]
            for place in self.positions
            if place[: len(steps)] == steps and len(place) > len(steps)
        }
        while True:
            name = self._chance.choice(["a", "b", "c_1", "7", "x y", "ä", "k.l", "]", '"', "#"])
            name += str(self._chance.randrange(1000))
            if name not in taken:
                return name

    def _spelled(self, name: str) -> str:
        is_bare = name.isascii() and name.replace("_", "").isalnum()
        ways = [json.dumps(name)] + [name] * is_bare + [f"'{name}'"] * ("'" not in name)
        return self._chance.choice(ways)

    def _table(self, steps: Steps, depth: int) -> None:
        """Write the members of a table, then the tables in it."""
        for _ in range(self._chance.randrange(4)):
            self._blank()
            self._member(steps, depth)
            self._rest()
        for _ in range(self._chance.randrange(3) if depth < 3 else 0):
            names = [step for step in steps if isinstance(step, str)]
            name = self._name(steps)
            is_array = self._chance.random() < 0.5
            for position in range(self._chance.randrange(1, 4) if is_array else 1):
                self._blank()
                place = (*steps, name)
                self._note(place)
                if is_array:
                    place = (*place, position)
                    self._note(place)
                self._put("[[" if is_array else "[")
                self._blank()
                self._put(".".join(map(self._spelled, [*names, name])))
                self._blank()
                self._put("]]" if is_array else "]")
                self._rest()
                self._table(place, depth + 1)

    def _member(self, steps: Steps, depth: int) -> None:
        for number in range(self._chance.choice([1, 1, 1, 2, 3])):
            if number:
                self._blank()
                self._put(".")
                self._blank()
            steps = (*steps, self._name(steps))
            self._note(steps)
            self._put(self._spelled(str(steps[-1])))
        self._put(self._chance.choice(["=", " = ", "\t= "]))
        self._value(steps, depth)

    def _value(self, steps: Steps, depth: int) -> None:
        kind = self._chance.randrange(6 if depth < 4 else 4)
        if kind == 4:
            self._put("[")
            for position in range(self._chance.randrange(4)):
                self._put(self._chance.choice([",", " , ", ",\n", ", # ]\n "]) if position else "")
                self._note((*steps, position))
                self._value((*steps, position), depth + 1)
            self._put(
                self._chance.choice(
                    ["", " ", "\n", ", # end\n"][: 4 if self._parts[-1] != "[" else 3]
                )
            )
            self._put("]")
        elif kind == 5:
            self._put("{")
            for position in range(self._chance.randrange(3)):
                self._put(", " if position else " ")
                self._member(steps, depth + 1)
            self._put(" }")
        else:
            scalars = ['"a \\" ] # }"', "'\\'", "-17", "1_000", "0x1f", "1.5e-3", "true", "inf"]
            long = ['"""\na\n[b]\n= \\""" ""c"""', "'''x\n'y'\n'''", '""""q"""', "''''z'''", '""']
            self._put(self._chance.choice(scalars + long))


@each("seed", range(400))
def test_random_toml(seed: int) -> None:
    writer = Writer(seed)
    assert set(paths(tomllib.loads(writer.text))) == set(writer.positions), "the writer is right"
    assert toml_positions(writer.text) == writer.positions, writer.text


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_places_in_a_file(tmp_path: Path, suffix: str, end: str) -> None:
    texts = {
        "json": '{\n  "vars": {"a": 1,\n    "b": [1, {"c": 2}]}}',
        "yaml": "vars:\n  a: 1\n  b:\n  - 1\n  - c: 2\n",
        "toml": "[vars]\na = 1\nb = [1, {c = 2}]\n",
    }
    if suffix == "yaml":
        pytest.importorskip("yaml", reason="pip install PyYAML")
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(texts[suffix].replace("\n", end).encode())
    place = read(path).place(("vars", "b", 1, "c", "deeper"))
    assert place == f"{path}:{ {'json': '3:15', 'yaml': '5:5', 'toml': '3:10'}[suffix] }"
