"""Test modules import support modules, never each other: shared code has a file of its own."""

import re
from pathlib import Path

from house.source import imports_of

TESTS = Path(__file__).parents[1]
# A statement that imports, as text: parsing all files takes seconds.
IMPORT = re.compile(
    r"^[ \t]*(?:from|import)\b(?:\((?:#[^\n]*|[^)])*\)|\\\n|[^\n(])*", re.MULTILINE
)


def may_import_one(text: str) -> bool:
    """Return True if a file's text looks as if it imports a module of tests."""
    return any(re.search(r"\btest_", found) for found in IMPORT.findall(text))


def test_no_test_module_is_imported() -> None:
    found = [
        f"{path.relative_to(TESTS)}: {module}"
        for path in sorted(TESTS.rglob("*.py"))
        if may_import_one(path.read_text("utf-8"))
        for module, name in imports_of(path)
        if any(part.startswith("test_") for part in [*module.split("."), name])
    ]
    assert found == []


def test_what_looks_like_such_an_import() -> None:
    texts = (
        "import a.test_b",
        "x = 1\nfrom a.test_b import c",
        "def f():\n    from a import test_b",
        "from a import (\n    c,\n    test_b,\n)",
        "from a import c, \\\n    test_b",
        "from a import (\n    c,\n)\n\ndef test_b(): ...",
        "import a\ntest_b = 1",
    )
    assert [may_import_one(text) for text in texts] == [True] * 5 + [False] * 2
