"""Bytecode of the tests and of the product, made before pytest starts its workers.

In a fresh clone each worker would compile every file and rewrite the assertions of every test, all
of them at the same time. Here two processes do it once. Workers find the result where Python and
pytest look for it, and compile missing files themselves.
"""

import contextlib
import os
import py_compile
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from importlib.util import cache_from_source
from pathlib import Path

import pytest

try:  # These names are private to pytest: if one of them is missing, the workers do the work.
    from _pytest.assertion.rewrite import (
        PYC_TAIL,
        _rewrite_test,
        _write_pyc,
        assertstate_key,
        get_cache_dir,
    )
except ImportError:
    PYC_TAIL = ""

PROCESSES = 2
TESTS = Path(__file__).parents[1]
REWRITTEN = ("test_*.py", "conftest.py")


def compile_for_workers(config: pytest.Config) -> None:
    """Compile requested tests that have no bytecode yet, if there are workers."""
    if not config.getoption("numprocesses", None) or "PYTEST_XDIST_WORKER" in os.environ:
        return
    if sys.dont_write_bytecode or config.getoption("assertmode", "") != "rewrite" or not PYC_TAIL:
        return
    files = list(stale(asked_for(config)))
    children = []
    for number in range(PROCESSES if files else 0):
        child = os.fork()
        if child == 0:
            try:
                _compile(files[number::PROCESSES], config)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def asked_for(config: pytest.Config) -> Iterator[Path]:
    """Yield the files of the test folders that pytest was given.

    The product and the shared code of tests are included only if all tests are requested.
    """
    for text in config.args:
        folder = config.invocation_params.dir / text
        if folder.is_dir():
            yield from folder.rglob("*.py")
            if folder == TESTS:
                yield from (TESTS.parent / "tsvc").rglob("*.py")


def bytecode_of(path: Path) -> Path:
    """Return the path at which Python or pytest looks for the bytecode of a file."""
    if is_rewritten(path):
        return Path(get_cache_dir(path)) / (path.stem + PYC_TAIL)
    return Path(cache_from_source(str(path)))


def is_rewritten(path: Path) -> bool:
    """Return True for a file whose assertions pytest rewrites."""
    return any(fnmatch(path.name, pattern) for pattern in REWRITTEN)


def stale(paths: Iterator[Path]) -> Iterator[Path]:
    """Yield files that are newer than their bytecode, or have none."""
    for path in paths:
        try:
            is_fresh = bytecode_of(path).stat().st_mtime_ns > path.stat().st_mtime_ns
        except OSError:
            is_fresh = False
        if not is_fresh:
            yield path


def _compile(paths: Sequence[Path], config: pytest.Config) -> None:
    """Write the bytecode of files. A file that can't be compiled is left to its importer."""
    for path in paths:
        with contextlib.suppress(Exception):
            if is_rewritten(path):
                target = bytecode_of(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                source_hash, code = _rewrite_test(path, config)
                _write_pyc(config.stash[assertstate_key], code, source_hash, target)
            else:
                py_compile.compile(str(path), doraise=True, quiet=2)
