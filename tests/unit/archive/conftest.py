"""Stores in separate files, and summaries to put into them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tsvc.archive.store import Store

MakeStore = Callable[..., Store]


def summary(
    run_id: str = "a", *, verdict: str = "pass", start: float = 1000.5, **more: Any
) -> Any:
    """Return a summary like those that the engine makes."""
    seconds = int(start)
    return {
        "run_id": run_id,
        "completed": 0,
        "state": "running",
        "verdict": verdict,
        "time_start": [seconds, round((start - seconds) * 1e6)],
        "counts": {"started": 1, "finished": 0, "in_progress": 1},
        **more,
    }


def completed(run_id: str = "a", **more: Any) -> Any:
    """Return the summary of a completed run."""
    return summary(
        run_id, **{"completed": 1, "state": "completed", "time_finish": [1001, 0]} | more
    )


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'archive.sqlite'}"


@pytest.fixture
def make_store(url: str) -> Iterator[MakeStore]:
    """Open stores of the same database; all are closed at the end."""
    opened: list[Store] = []

    def make(daemon: str = "tester", at: str = "") -> Store:
        store = Store(at or url, daemon)
        store.open(daemon)
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store()
