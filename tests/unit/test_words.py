"""Names and values in messages."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.words import (
    cut,
    described,
    did_you_mean,
    digits_of,
    in_words,
    is_secret_name,
    json_pointer,
    kind_of,
    member_path,
    quoted,
    shown,
)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("operation", '; did you mean "operations"?'),
        ("OPERATIONS", '; did you mean "operations"?'),
        ("OPERATOINS", '; did you mean "operations"?'),
        ("servicekey", '; did you mean "serviceKey"?'),
        ("abort_on_fial", '; did you mean "abort_on_fail"?'),
        ("oBusy", '; did you mean "oCalledPartyBusy"?'),
        ("a.oBusy", '; did you mean "tBusy"?'),
        ("tBuzy", '; did you mean "tBusy"?'),
        ("busy", '; did you mean "tBusy"?'),
        ("zzz", ""),
        ("", ""),
        (5, ""),
        ("o" * 1_000_000, ""),
    ],
)
def test_did_you_mean(name, hint):
    states = ["tBusy", "oCalledPartyBusy"]
    known = ["operations", "run_id", "serviceKey", "abort_on_fail", *states]
    assert did_you_mean(name, iter(known)) == hint


def test_shown_is_quoted_cut_and_always_encodable():
    assert shown('say "x"') == '"say \\"x\\""'
    assert shown("x" * 65) == '"' + "x" * 63 + '…"'
    assert shown("\ud800\n").encode() == b'"\\ud800\\n"'


@pytest.mark.parametrize(
    "value",
    [None, True, 5, -1.5, "a'b", b"\x00", [1, "a"], (), (1,), (1, 2), {"a": [{}], 2: None}, date],
)
def test_quoted_is_as_python_writes_it(value):
    assert quoted(value) == in_words(value) == repr(value)


def test_quoted_is_short_whatever_it_is():
    shared = "x" * 50
    for _ in range(40):
        shared = [shared] * 10
    many = {str(number): number for number in range(300_000)}
    values = (
        "x" * 5_000,
        b"x" * 5_000,
        10**5_000,
        [{}] * 300_000,
        many,
        shared,
        [["x" * 999]] * 9,
    )
    for value in values:
        assert len(quoted(value)) < 2_000
    assert quoted(list(range(11))) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …]"
    assert quoted(dict.fromkeys("cabdefghijk")).startswith("{'c': None, 'a': None")
    assert quoted("x" * 300) == repr("x" * 300)


def test_a_name_is_secret_by_its_end_however_long_it_is():
    assert is_secret_name("_" * 1_000_000 + "_password")
    assert not is_secret_name("x" * 100 + "password")


def test_cut():
    assert cut("abcd", 4) == "abcd"
    assert cut("abcde", 4) == "abc…"


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "null", "null"),
        (True, "a boolean", "the boolean true"),
        (1, "a number", "the integer 1"),
        (1.5, "a number", "the number 1.5"),
        ("x" * 40, "a string", f'the string "{"x" * 40}"'),
        ("x" * 41, "a string", "a string"),
        ([], "an array", "an array"),
        ({}, "an object", "an object"),
    ],
)
def test_the_kind_of_a_value_and_the_value(value, kind, text):
    assert kind_of(value) == kind
    assert described(value) == text


def test_a_value_that_only_toml_and_yaml_have():
    assert described(date(2026, 1, 1)) == "a date"


def test_a_huge_integer_does_not_fill_the_message():
    assert digits_of(10**40 - 1) == "9" * 40
    assert digits_of(-(10**5000)) == "of very many digits"


@pytest.mark.parametrize(
    ("prefix", "part", "path"),
    [
        ("", "params", "params"),
        ("params", "operations", "params.operations"),
        ("params.operations", 3, "params.operations[3]"),
        ("params", "inap.extensions", "params.inap.extensions"),
        ("params", "!digits", "params.!digits"),
        ("params", "a b", 'params["a b"]'),
        ("params", "", 'params[""]'),
        ("params", 'say "x"', 'params["say \\"x\\""]'),
        ("", 0, "[0]"),
    ],
)
def test_member_path(prefix, part, path):
    assert member_path(prefix, part) == path


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("", ""),
        (".operations[1].type", "/operations/1/type"),
        (".operations[9].type", "/operations/9/type"),
        ('.vars["x y"].z', "/vars/x y/z"),
        (".vars.a.b.c", "/vars/a.b/c"),
        (".vars.a[0].d", "/vars/a[0]/d"),
        (".vars.e/f~g", "/vars/e~1f~0g"),
        (".vars.h.i", "/vars/h/i"),
        (".flow.operations.2.config.x", "/flow/operations/2/config/x"),
    ],
)
def test_json_pointer(path, pointer):
    variables = {"x y": {}, "a.b": {}, "a[0]": {}, "h": {"i": 1}, "h.i": 2}
    document = {"operations": [{}, {}], "vars": variables, "flow": {"operations": {"2": {}}}}
    assert json_pointer(path, document) == pointer


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=4))
def test_a_pointer_leads_to_the_members_of_a_path(names):
    """This holds for names of which no other name in the same object is a part."""
    path, document = "params", 1
    for name in reversed(names):
        document = {name: document}
    for name in names:
        path = member_path(path, name)
    steps = json_pointer(path.removeprefix("params"), document).split("/")[1:]
    assert [step.replace("~1", "/").replace("~0", "~") for step in steps] == names


def test_long_names_are_cut():
    assert len(member_path("p", "x" * 1_000_000)) < 80
