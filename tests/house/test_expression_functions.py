"""Every function of the expression language is on the page, and is called by a test."""

import re

from house.source import ROOT

from tsvc.expr.functions import FUNCTIONS
from tsvc.expr.parse.calls import SPECIAL_NAMES

PAGE = ROOT / "docs/reference/expressions.md"


def known() -> set[str]:
    """Return the names of all functions, and of forms that are written like one."""
    return {*FUNCTIONS.names(), *SPECIAL_NAMES}


def listed() -> set[str]:
    """Return the first words in the table of functions."""
    text = PAGE.read_text("utf-8")
    table = text[text.index("\n## Functions\n") : text.index("\n## Patterns\n")]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {word for row in rows for word in re.findall(r"`(\w+)", row)}


def test_the_page_has_every_function_and_no_other() -> None:
    assert known() == listed()


def test_a_test_calls_every_function() -> None:
    folder = ROOT / "tests/unit/expr"
    texts = [path.read_text("utf-8") for path in (*folder.glob("*.py"), folder / "perl_cases.txt")]
    called = set(re.findall(r"\b[a-z_]\w*(?=[ (])", "\n".join(texts)))
    assert known() - called == set()
