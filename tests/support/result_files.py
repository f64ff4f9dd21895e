"""Files in the form of `tsvc run --json`, for tests that compare results."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.run_results import load
from tsvc.client.results import RunResult


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., Path]:
    """Write files: files(name, **results by the names of their definitions)."""

    def write(name: str, **results: RunResult) -> Path:
        runs = [{"file": file, "result": result.raw} for file, result in results.items()]
        path = tmp_path / name
        path.write_text(json.dumps({"runs": runs}), "utf-8")
        return path

    return write


def slower(factor: float) -> RunResult:
    """Return a result whose slow responses took `factor` times as long."""
    latency = {"p50_ms": 2.0, "p99_ms": 9.5 * factor, "name": "instance", "count": 298}
    return load(latency={"response": latency}).result
