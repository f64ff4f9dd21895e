import pytest

from tsvc.printable import printable
from tsvc.results.json_values import json_value


def test_raw_octets_go_where_hex_says_the_same():
    tree = {"key": "\x0c", "key_hex": "0c", "list": ["\x01", "\xff"], "list_hex": ["01", "ff"]}
    assert json_value({"outer": [tree]}) == {
        "outer": [{"key_hex": "0c", "list_hex": ["01", "ff"]}]
    }


def test_what_the_hex_does_not_say_stays():
    tree = {
        "oid": "1.2.3",
        "oid_hex": "2a03",
        "messageContent": "press 1",
        "messageContent_hex": "70726573732031",
        "enumerated": 300,
        "enumerated_hex": "0000012c",
        "structure": {},
        "structure_hex": "05",
        "lonely": "\x0c",
    }
    assert json_value(tree) == tree


def test_integers_beyond_64_bits_are_hex_text():
    assert json_value({"a": 2**63 - 1, "b": 2**63, "c": -(2**80), "d": True}) == {
        "a": 2**63 - 1,
        "b": "0x8000000000000000",
        "c": "-0x100000000000000000000",
        "d": True,
    }


@pytest.mark.parametrize(
    ("text", "is_ascii", "expected"),
    [
        ("plain", True, "plain"),
        ("naïve", False, "naïve"),
        ("naïve", True, "na\\xefve"),
        ("a\x1b[2J\n", False, "a\\x1b[2J\\x0a"),
        ("\u2028", False, "\\u2028"),
    ],
)
def test_nothing_moves_the_cursor(text, is_ascii, expected):
    assert printable(text, is_ascii=is_ascii) == expected
