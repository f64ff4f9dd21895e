"""Values change, and nothing else in the file does."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.cli.definition_file.json_edit import replaced

TEXT = """{
  "a" : [ 1, {"b": "x"}],
\t"c": {
    "d": [
      {"e": 1}
    ]
  },
  "f": {}, "g": 1.50
}
"""


@pytest.mark.parametrize(
    ("steps", "value", "was", "becomes"),
    [
        (("a", 1, "b"), 'q"ü', '"b": "x"', '"b": "q\\"ü"'),
        (("a", 0), None, "[ 1,", "[ null,"),
        (("g",), 2, '"g": 1.50', '"g": 2'),
        (("a", 1, "n"), 0, '{"b": "x"}', '{"b": "x", "n": 0}'),
        (("f", "n"), [1], '"f": {}', '"f": {"n": [1]}'),
        (("c", "n"), 0, "    ]\n  }", '    ],\n    "n": 0\n  }'),
        (
            ("c", "d"),
            [{"e": 1}, {"e": 2}],
            '[\n      {"e": 1}\n    ]',
            '[\n      {\n        "e": 1\n      },\n      {\n        "e": 2\n      }\n    ]',
        ),
        (("c", "d", 0), {"e": [1, 2]}, '{"e": 1}', '{"e": [1, 2]}'),
        (("c",), 5, '{\n    "d": [\n      {"e": 1}\n    ]\n  }', "5"),
    ],
)
def test_one_value(steps, value, was, becomes):
    assert TEXT.count(was) == 1
    assert replaced(TEXT, {steps: value}) == TEXT.replace(was, becomes)


def test_several_values():
    found = replaced(TEXT, {("a", 0): 9, ("c", "d", 0, "e"): 8, ("c", "d", 0, "new"): 7})
    assert json.loads(found) == {
        **json.loads(TEXT),
        "a": [9, {"b": "x"}],
        "c": {"d": [{"e": 8, "new": 7}]},
    }


def test_a_place_that_is_not_there():
    with pytest.raises(KeyError):
        replaced(TEXT, {("a", 7, "b"): 1})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def places(value, base=()):
    if base:
        yield base
    for step, one in (
        enumerate(value)
        if isinstance(value, list)
        else value.items()
        if isinstance(value, dict)
        else ()
    ):
        yield from places(one, (*base, step))


@given(
    VALUES.filter(lambda one: isinstance(one, dict)),
    VALUES,
    st.data(),
    st.sampled_from([None, 1, 4, "\t"]),
)
def test_any_text(document, value, data, indent):
    """Reading the edited text gives the document with the new value, in any layout."""
    found = list(places(document))
    steps = data.draw(st.sampled_from(found)) if found else ("new",)
    expected = json.loads(json.dumps(document))
    holder = expected
    for step in steps[:-1]:
        holder = holder[step]
    holder[steps[-1]] = value
    text = json.dumps(document, indent=indent, ensure_ascii=data.draw(st.booleans()))
    assert json.loads(replaced(text, {steps: value})) == expected
