"""Patterns: what matches, where an error is, and agreement with an independent matcher."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsvc.flow.patterns import ALPHABET, RANGE_ORDER, PatternError, compile_pattern

MATCHES = [
    ("43291??", ["4329100", "43291A#"], ["432910", "43291000", "4329200", "X329100", ""]),
    ("43291..", ["4329100"], ["432910"]),
    ("12", ["12"], ["1", "112", "123", "21"]),
    ("[123]0", ["10", "20", "30"], ["40", "0", "120"]),
    ("[1-5]", ["1", "5"], ["0", "6", "A"]),
    ("[8-B]", ["8", "9", "A", "B"], ["7", "C"]),
    ("[A-F1*]", ["A", "F", "1", "*"], ["2", "#", "a"]),
    ("[^1-9]", ["0", "A", "*", "#"], ["1", "9", "", "00"]),
    ("1%", ["", "1", "1111"], ["2", "12"]),
    ("?%", ["", "0", "*#AF"], ["x", "+1"]),
    ("1?%", ["1", "123"], ["", "21"]),
    ("(12)%3", ["3", "123", "12123"], ["13", "12", "1213"]),
    ("1<3>", ["111"], ["11", "1111"]),
    ("1<2:3>0", ["110", "1110"], ["10", "11110"]),
    ("1<0:1>2", ["2", "12"], ["112"]),
    ("(1[23])<2>", ["1213", "1312"], ["12", "1211", "121312"]),
    ("((1)2?)%", ["", "120", "12A12B"], ["12", "1"]),
    ("1%<2>", ["", "1", "11"], ["2"]),
    ("*#", ["*#"], ["", "*", "1"]),
    ("*%", ["", "***"], ["1"]),
    ("AF", ["AF"], ["af", "A"]),
]


@pytest.mark.parametrize(("text", "matching", "others"), MATCHES)
def test_matches_the_whole_number(text, matching, others):
    pattern = compile_pattern(text)
    assert [number for number in matching if not pattern.matches(number)] == []
    assert [number for number in others if pattern.matches(number)] == []


ERRORS = [
    ("", 1, "the pattern is empty"),
    ("12x", 3, "'x' can't be in a pattern; characters are 0-9 A-F * #"),
    ("1 2", 2, "' ' can't be in a pattern; characters are 0-9 A-F * #"),
    ("1٣", 2, "'٣' can't be in a pattern; characters are 0-9 A-F * #"),
    ("1a", 2, '"a": letters are upper case'),
    ("%1", 1, 'nothing before "%" to repeat'),
    ("(<2>)", 2, 'nothing before "<" to repeat'),
    ("1[23", 2, '"[" is never closed'),
    ("1[", 2, '"[" is never closed'),
    ("1[]", 2, "the class is empty"),
    ("1[^]", 2, "the class is empty"),
    ("[^0-9A-F*#]", 1, "the class leaves no character to match"),
    ("12]", 3, '"]" without "["'),
    ("12>", 3, '">" without "<"'),
    ("[5-1]", 2, "5-1: the range runs backwards"),
    ("[1-#]", 2, "1-#: a range runs within 0-9 A-F"),
    ("[1-]", 3, '"-" needs a character on both sides'),
    ("[1-", 3, '"-" needs a character on both sides'),
    ("[-1]", 2, "'-' can't be in a pattern; characters are 0-9 A-F * #"),
    ("[1?]", 3, '"?" stands for any character and makes no sense in a class'),
    ("[1[2]", 3, "'[' can't be in a pattern; characters are 0-9 A-F * #"),
    ("1(23", 2, '"(" is never closed'),
    ("1()", 2, "the group is empty"),
    ("12)3", 3, '")" without "("'),
    ("1<", 3, "expected a repetition count"),
    ("1<>", 3, "expected a repetition count"),
    ("1<:3>", 3, "expected a repetition count"),
    ("1<2:>", 5, "expected a repetition count"),
    ("1<2,3>", 4, 'expected ">" to close the repetition count'),
    ("1<3:2>", 2, "3 is more than 2"),
    ("1<0>", 2, "a repetition count of 0 matches nothing"),
    ("1<0:0>", 2, "a repetition count of 0 matches nothing"),
    ("1<101>", 3, "a repetition count is at most 100"),
    ("1<99999999999999999999>", 3, "a repetition count is at most 100"),
    ("(1<100>)<11>", 9, "repetitions make the pattern too large"),
    ("(" * 17 + "1" + ")" * 17, 17, "groups nested deeper than 16"),
    ("1" * 257, 257, "longer than 256 characters"),
]


@pytest.mark.parametrize(("text", "column", "reason"), ERRORS)
def test_error_names_the_column(text, column, reason):
    with pytest.raises(PatternError) as caught:
        compile_pattern(text)
    assert str(caught.value) == f"column {column}: {reason}"
    assert caught.value.column == column - 1
    assert isinstance(caught.value, ValueError)


def test_limits_can_be_reached():
    assert compile_pattern("1" * 256).matches("1" * 256)
    assert compile_pattern("(1<100>)<10>").matches("1" * 1000)
    assert compile_pattern("(" * 16 + "1" + ")" * 16).matches("1")


def test_regex_is_anchored():
    pattern = compile_pattern("4329[1-3]|0", "regex")
    assert [number for number in ("43291", "0") if not pattern.matches(number)] == []
    assert [
        number for number in ("432910", "143291", "43294", "") if pattern.matches(number)
    ] == []
    assert compile_pattern("^12+$", "regex").matches("1222")


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("12[3", 3, "missing ]: [3"),
        ("1(23", 5, "missing ): 1(23"),
        ("1)23)", 2, "unexpected ): 1)23)"),
        ("*", 1, "no argument for repetition operator: *"),
        ("12**", 3, "bad repetition operator: **"),
        ("1(?=2)", 2, "invalid perl operator: (?="),
        (r"(1)\1", 4, r"invalid escape sequence: \1"),
        ("12\\", 3, "trailing \\"),
        ("12é", 3, "'é' can't be in a pattern"),
        ("12\ud800", 3, r"'\ud800' can't be in a pattern"),
    ],
)
def test_regex_error_names_the_column(text, column, reason):
    with pytest.raises(PatternError) as caught:
        compile_pattern(text, "regex")
    assert (str(caught.value), caught.value.column) == (f"column {column}: {reason}", column - 1)


@pytest.mark.parametrize("number", ["1\ud800", "é", "1\n", "1 ", "+1"])
@pytest.mark.parametrize("pattern", [compile_pattern("?%"), compile_pattern(".*", "regex")])
def test_what_is_no_number_never_matches(pattern, number):
    assert not pattern.matches(number)


def test_patterns_are_values():
    assert compile_pattern("1?") == compile_pattern("1?")
    assert compile_pattern("1.") != compile_pattern("1.", "regex")
    assert len({compile_pattern("1?"), compile_pattern("1?")}) == 1


# An independent matcher: patterns are drawn as trees and written as text for the code under
# test. The tests match a tree by computing every position where a match can end.

FEW = "01AF*#"  # few characters, so that drawn numbers match often enough


def chars_node(text, members):
    return ("chars", text, frozenset(members))


def class_of(is_negated, singles, bounds):
    first, last = sorted(bounds)
    text = "".join(singles) + f"{RANGE_ORDER[first]}-{RANGE_ORDER[last]}"
    members = set(singles) | set(RANGE_ORDER[first : last + 1])
    if is_negated:
        return chars_node(f"[^{text}]", set(ALPHABET) - members)
    return chars_node(f"[{text}]", members)


def repeat_of(inner, low, more, written):
    high = low + more
    if written == "%":
        return ("repeat", inner, "%", 0, None)
    if written == "n" and low:
        return ("repeat", inner, f"<{low}>", low, low)
    return ("repeat", inner, f"<{low}:{max(high, 1)}>", low, max(high, 1))


SINGLE = st.one_of(
    st.sampled_from(FEW).map(lambda one: chars_node(one, one)),
    st.sampled_from("?.").map(lambda one: chars_node(one, ALPHABET)),
    st.builds(
        class_of,
        st.booleans(),
        st.lists(st.sampled_from(FEW), max_size=2),
        st.tuples(st.integers(0, 15), st.integers(0, 15)),
    ).filter(lambda node: node[2]),
)
TREES = st.recursive(
    SINGLE,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda items: ("group", items)),
        st.builds(
            repeat_of,
            inner,
            st.integers(0, 2),
            st.integers(0, 2),
            st.sampled_from(["%", "n", "m"]),
        ),
    ),
    max_leaves=6,
)


def write(node):
    match node:
        case ("chars", text, _):
            return text
        case ("group", items):
            return "(" + "".join(write(item) for item in items) + ")"
        case ("repeat", inner, suffix, _, _):
            return write(inner) + suffix
    raise AssertionError(node)


def ends(node, number, start):
    """Return every position where a match that begins at `start` can end."""
    match node:
        case ("chars", _, members):
            return {start + 1} if start < len(number) and number[start] in members else set()
        case ("group", items):
            found = {start}
            for item in items:
                found = {end for begin in found for end in ends(item, number, begin)}
            return found
        case ("repeat", inner, _, low, high):
            found = {start}
            for _ in range(low):
                found = {end for begin in found for end in ends(inner, number, begin)}
            rounds = len(number) + 1 if high is None else high - low
            for _ in range(rounds):
                found |= {end for begin in found for end in ends(inner, number, begin)}
            return found
    raise AssertionError(node)


@settings(deadline=None)
@given(st.lists(TREES, min_size=1, max_size=3), st.text(FEW, max_size=8))
def test_agrees_with_a_backtracking_matcher(items, number):
    text = "".join(write(item) for item in items)
    expected = len(number) in ends(("group", items), number, 0)
    assert compile_pattern(text).matches(number) is expected


def error_of(text, syntax="acs"):
    """Return the error with which a pattern is refused, None if it is valid."""
    try:
        compile_pattern(text, syntax).matches("0")
    except PatternError as error:
        return error
    return None


@settings(deadline=None)
@given(st.text("01A*#?.[]^-()%<>:23 a", max_size=30))
def test_any_text_is_a_pattern_or_an_error_within_it(text):
    error = error_of(text)
    # The column after the last character is allowed: something is missing there.
    assert error is None or 0 <= error.column <= len(text)


@settings(deadline=None)
@given(st.text("01A*#?.[]^-()%<>:23 a+{},|\\dé", max_size=30))
def test_any_text_is_a_regex_or_an_error_within_it(text):
    error = error_of(text, "regex")
    assert error is None or 0 <= error.column <= len(text)
