"""The tree as text: the parts that the tests of this folder read."""

import ast
import gc
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def modules() -> dict[str, Path]:
    """Return every module of the product by its dotted name."""
    found: dict[str, Path] = {}
    for path in sorted((ROOT / "tsvc").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file. The collector would search all trees again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text("utf-8"))
    finally:
        if was_on:
            gc.enable()


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file. It is cached until the end of a module of tests, since the
    trees of all files are half a gigabyte."""
    return parsed(path)


def package_of(module: str) -> str:
    """Return the first two names of a module: tsvc.engine for tsvc.engine.load.grid."""
    return ".".join(module.split(".")[:2])


def imports_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of every import in a file, wherever it is; name may be empty."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield node.module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ""


@cache
def imported() -> dict[str, set[str]]:
    """Return the modules of the product that each module imports."""
    known = modules()
    found: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for module, item in imports_of(path):
            target = f"{module}.{item}" if f"{module}.{item}" in known else module
            if target in known and target != name:
                found[name].add(target)
    return found


@cache
def words() -> frozenset[str]:
    """Return every word of the product, of the tests and of data files, but not of comments."""
    found: set[str] = set()
    for path in (
        *(ROOT / "tsvc").rglob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
        ROOT / "setup.py",
    ):
        code = re.sub(r"(?m)(?:^|(?<=\s))#.*$", "", path.read_text("utf-8"))
        found.update(re.findall(r"\w+", code))
    for pattern in (
        "etc/**/*",
        "tsvc/**/*.toml",
        "tsvc/**/*.css",
        "bin/*",
        "*.txt",
        "*.toml",
        "Makefile",
    ):
        for path in ROOT.glob(pattern):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(re.findall(r"\w+", path.read_text("utf-8")))
    return frozenset(found)
