"""Daemons for the tests of any part; what workers of pytest have in common."""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import gevent
import hypothesis
import pytest
from support.compiled import compile_for_workers
from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, StartDaemon, configure, launch
from support.examples import examples
from support.order import rank
from support.scripted_scp import ScriptedDaemon
from support.tiers import Tiers
from support.without_memories import Recorder, fast_paths_of

from tsvc.engine.fast_path import RunFastPath

# A guard against examples that hang. A tight deadline would be a measurement, which belongs to
# tests/bench: the first example of a worker may load every operation.
hypothesis.settings.register_profile("tests", deadline=10_000, max_examples=examples(100))
# Workers keep no examples for a next run: what fails says its own.
hypothesis.settings.register_profile(
    "worker", parent=hypothesis.settings.get_profile("tests"), database=None
)
hypothesis.settings.load_profile("worker" if "PYTEST_XDIST_WORKER" in os.environ else "tests")

MANY_BLOCKS = 300_000  # of memory: to count objects takes longer than most modules
_blocks = 0  # as full collections were told to pass all by


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files in the order in which workers take them."""
    if os.environ.get("PYTEST_XDIST_TESTRUNUID") is not None:
        items.sort(key=lambda item: rank(item.path))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Twenty thousand tests stay for good: nothing looks through them while they are made, and
    full collections, which tests make, pass them by."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Tiers())
    compile_for_workers(config)


@pytest.fixture(autouse=True, scope="module")
def passed_by() -> None:
    """What other modules have loaded stays as well, millions of objects of an ASN.1 compiler for
    one: where it has become much, full collections pass that by too."""
    global _blocks
    if sys.getallocatedblocks() > _blocks + MANY_BLOCKS:
        gc.collect()
        gc.freeze()
        _blocks = sys.getallocatedblocks()


@pytest.fixture(autouse=True)
def loop_time() -> None:
    """Timers count from the loop's last look at the clock, which was before a long test of pure
    functions: without this a guard of 20 s may be over at once."""
    gevent.get_hub().loop.update_now()


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """A background job of a script ignores SIGINT, and what it starts would as well."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def daemon(tmp_path):
    """Make daemons: daemon(*reactions of the SCP, **settings); stopped after the test."""
    made = []

    def make(*reactions, **settings):
        made.append(ScriptedDaemon(tmp_path, *reactions, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture(scope="module")
def start_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartDaemon]:
    """Start daemons as processes: start_daemon(text of the configuration, loopback=True: with
    the usual SIGTRAN instance and the sample flow); all are stopped behind the module: a daemon
    that waits takes a half percent of a processor."""
    started: list[DaemonProcess] = []

    def start(text: str = "", *, loopback: bool = True) -> DaemonProcess:
        folder = tmp_path_factory.mktemp("daemon")
        if loopback:
            text = f'[scp]\nflows = ["{FLOW}"]\n[application.SIGTRAN]\nmodule = "sigtran"\n{text}'
        started.append(launch(folder, configure(folder, text)))
        return started[-1]

    yield start
    for daemon in started:
        if daemon.process.poll() is None:
            daemon.process.terminate()
    for daemon in started:
        daemon.process.wait(HANG_GUARD_S)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """What a run tells, to be held against what another one does."""
    return Recorder(monkeypatch)


@pytest.fixture
def fast_paths(monkeypatch: pytest.MonkeyPatch) -> list[RunFastPath]:
    """The fast path of every run; no run gives it up."""
    return fast_paths_of(monkeypatch)
