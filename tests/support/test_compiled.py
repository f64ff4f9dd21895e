"""Tests which bytecode is made before workers start: missing or old files, and where it is put."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support import compiled
from tsvc import errors

pytest_plugins = "pytester"


def given(folder: Path, **options: object) -> Any:
    """Return the part of pytest's configuration that the code reads."""
    return SimpleNamespace(
        args=[str(folder)],
        invocation_params=SimpleNamespace(dir=folder),
        getoption=lambda name, default=None: options.get(name, default),
    )


def test_pytest_has_what_rewrites() -> None:
    assert compiled.PYC_TAIL, "a name of pytest is gone: support/compiled.py does nothing"


def test_python_finds_bytecode_there() -> None:
    assert compiled.bytecode_of(Path(errors.__file__)) == Path(str(errors.__cached__))
    assert compiled.bytecode_of(Path("a/test_b.py")).name == f"test_b{compiled.PYC_TAIL}"


def test_a_file_is_stale_without_bytecode_and_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text("x = 1\n")
    assert list(compiled.stale(iter([path]))) == [path]
    compiled._compile([path], given(tmp_path))
    os.utime(path, (0, 0))
    assert list(compiled.stale(iter([path]))) == []
    os.utime(path, (2**32, 2**32))
    assert list(compiled.stale(iter([path]))) == [path]


def test_a_file_that_cannot_be_compiled_is_left_alone(tmp_path: Path) -> None:
    for name in ("some.py", "test_some.py"):
        (tmp_path / name).write_text("x = = 1\n")
    compiled._compile(sorted(tmp_path.glob("*.py")), given(tmp_path))
    assert not list(tmp_path.rglob("*.pyc"))


def test_a_run_compiles_for_its_workers(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With rewritten assertions: the inner pytest loads the bytecode that was made for it."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(compiled.TESTS))
    pytester.makeconftest(
        "from support import compiled\n"
        "def pytest_configure(config):\n"
        "    compiled._compile(list(compiled.asked_for(config)), config)\n"
        "    assert not list(compiled.stale(compiled.asked_for(config)))\n"
    )
    pytester.makepyfile("def test_some():\n    x = [1]\n    assert x == [2]\n")
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider", str(pytester.path))
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["E*assert *1* == *2*"])


def test_without_workers_nothing_is_compiled(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process was begun"))
    (tmp_path / "test_some.py").write_text("")
    compiled.compile_for_workers(given(tmp_path, assertmode="rewrite"))
