"""A module uses all its private names: none is left over."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from house.source import ROOT, parsed

FOLDERS = ("tsvc", "tests", "etc")


def own_names(tree: ast.Module) -> Iterator[str]:
    """Yield names with one underscore that a module defines for itself.

    Decorated names are left out: a registry or pytest uses them.
    """
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [] if node.decorator_list else [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [name for target in targets for name in _names_in(target)]
        else:
            names = []
        yield from (name for name in names if re.match("_[^_]", name))


def _names_in(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def left_over(path: Path) -> list[str]:
    """Return names that occur in a file only where they are defined."""
    text = path.read_text("utf-8")
    # Parsing all files takes seconds: most of them have no such word that occurs once.
    if 1 not in Counter(re.findall(r"\b_[^_\W]\w*", text)).values():
        return []
    return [name for name in own_names(parsed(path)) if len(re.findall(rf"\b{name}\b", text)) < 2]


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_left_over(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    found = {str(path.relative_to(ROOT)): left_over(path) for path in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_what_is_left_over_is_found(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text("_A = 1\n_B: int = _A\ndef _f(): ...\n@mark\ndef _g(): ...\nclass _C: ...\n")
    assert left_over(path) == ["_B", "_f", "_C"]
