"""Hubs and spokes that end with their test."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.cluster_links import NotedHub, NotedSpoke, WorkerProcess
from support.waiting import GUARD_S

MakeHub = Callable[..., NotedHub]
MakeSpoke = Callable[..., NotedSpoke]
MakeProcess = Callable[..., WorkerProcess]


@pytest.fixture
def make_hub() -> Iterator[MakeHub]:
    """A function that makes hubs and starts them: make_hub(**arguments)."""
    made = []

    def make(**arguments: Any) -> NotedHub:
        made.append(NotedHub(**arguments))
        made[-1].start()
        return made[-1]

    yield make
    for hub in made:
        hub.stop()


@pytest.fixture
def hub(make_hub: MakeHub) -> NotedHub:
    return make_hub()


@pytest.fixture
def join() -> Iterator[MakeSpoke]:
    """A function that makes spokes that have joined: join(coordinator, **arguments)."""
    made = []

    def make(coordinator: str, name: str = "w1", **arguments: Any) -> NotedSpoke:
        made.append(NotedSpoke(coordinator, name, **arguments))
        made[-1].start(GUARD_S)
        return made[-1]

    yield make
    for spoke in made:
        spoke.stop()


@pytest.fixture
def patient_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the last message of a socket a minute to leave: 0.2 s may pass on a busy machine.

    Only for tests in which every peer reads: close() waits for peers that do not.
    """
    # By its name: locust patches the process that imports it, and pytest's workers collect here.
    monkeypatch.setattr("tsvc.cluster.sockets._LINGER_MS", int(1000 * GUARD_S))


@pytest.fixture
def process(tmp_path) -> Iterator[MakeProcess]:
    """A function that starts workers as processes that have joined: process(coordinator, name)."""
    made = []

    def make(coordinator: str, name: str = "w1") -> WorkerProcess:
        made.append(WorkerProcess(tmp_path, coordinator, name))
        return made[-1]

    yield make
    for worker in made:
        worker.kill()
