"""The mechanical part of how texts are written: how docstrings begin, and how long sentences are.

The rules for texts are in CONTRIBUTING.md, "Texts".
"""

import ast
import re
from collections.abc import Iterator

import pytest
from house.source import ROOT, modules, tree_of

# A docstring says what a function does or returns: "Return …", "Send …", "True if …".
NO_BEGINNINGS = frozenset(
    {
        *("Have", "Let", "Say", "Tell", "Whether"),
        *("How", "What", "Whatever", "When", "Where", "Who", "Whoever"),
    }
)
MOST_WORDS = 25  # in a sentence
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(path_of: dict[str, object]) -> Iterator[tuple[str, ast.AST, str]]:
    """Yield the name of each documented thing, its node and its docstring."""
    for name, path in path_of.items():
        for node in ast.walk(tree_of(path)):  # type: ignore[arg-type]
            if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                yield f"{name}.{getattr(node, 'name', '')}".rstrip("."), node, text


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a docstring; lists, drawings and sources are none."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        if any(re.match(r"\s{2,}|\S+:\s{2,}|[-*•] |Source:", line) for line in lines):
            continue
        yield from re.split(r"(?<=[.;:!?])\s+", " ".join(lines))


def test_a_docstring_says_what_is_done_or_returned() -> None:
    wrong = [
        f"{name}: {text.splitlines()[0]}"
        for name, _, text in docstrings(dict(modules()))
        if re.match(r"\W*(\w*)", text)[1] in NO_BEGINNINGS  # type: ignore[index]
    ]
    assert wrong == []


def test_a_sentence_can_be_read_in_one_go() -> None:
    long = [
        f"{name}: {len(one.split())} words: {one[:60]}"
        for name, _, text in docstrings(dict(modules()))
        for one in sentences(text)
        if len(one.split()) > MOST_WORDS
    ]
    assert long == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two; three: four?", 4),
        ("One\ntwo.\n\n  - a list\n  - of things", 1),
        ("name:  what it is\nother: more of it", 0),
        ("Source: Q.773", 0),
    ],
)
def test_what_is_a_sentence(text: str, count: int) -> None:
    assert len(list(sentences(text))) == count


def test_the_rules_are_in_contributing() -> None:
    assert "## Texts" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
