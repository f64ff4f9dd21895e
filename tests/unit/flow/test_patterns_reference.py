"""Patterns behave as docs/reference/patterns.md shows."""

import re
from pathlib import Path

import pytest

from tsvc.flow.patterns import (
    MAX_COUNT,
    MAX_DEPTH,
    MAX_PATTERN_LENGTH,
    MAX_SIZE,
    PatternError,
    compile_pattern,
)

TEXT = (Path(__file__).parents[3] / "docs/reference/patterns.md").read_text(encoding="utf-8")


def tables(heading):
    """Return (language, cells) of each row of the tables with this heading, in order."""
    rows = []
    for language, table in zip(
        ("acs", "regex"), TEXT.split(f"\n{heading}\n|---|---|---|\n")[1:], strict=True
    ):
        lines = re.match(r"(\|.*\n)+", table).group().splitlines()
        rows += [(language, *(cell.strip() for cell in line.split("|")[1:-1])) for line in lines]
    return rows


MATCHES = tables("| Pattern | Matches | Does not match |")
ERRORS = tables("| Pattern | Column | Reason |")


@pytest.mark.parametrize(("language", "pattern", "matching", "others"), MATCHES)
def test_matches(language, pattern, matching, others):
    compiled = compile_pattern(pattern.strip("`"), language)
    matching, others = re.findall(r"`(.+?)`", matching), re.findall(r"`(.+?)`", others)
    assert matching
    assert others
    assert [number for number in matching if not compiled.matches(number)] == []
    assert [number for number in others if compiled.matches(number)] == []


@pytest.mark.parametrize(("language", "pattern", "column", "reason"), ERRORS)
def test_errors(language, pattern, column, reason):
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern.strip("`"), language)
    assert str(caught.value) == f"column {column}: {reason}"


def test_the_message_that_is_shown(flows):
    path, text, _ = flows.problems(flows.extension(destination_patterns=["4329[1?]"]))[0]
    assert f"\n{path}: {text}\n" in TEXT


def test_limits():
    limits = re.findall(r"\| (\d+) \|\n", TEXT.split("\n## Limits\n")[1])
    assert limits == [str(one) for one in (MAX_PATTERN_LENGTH, MAX_COUNT, MAX_SIZE, MAX_DEPTH)]


def test_the_same_text_in_both_languages():
    assert compile_pattern("1??").matches("123")
    assert not compile_pattern("1??", "regex").matches("123")
    assert compile_pattern("1??", "regex").matches("1")
