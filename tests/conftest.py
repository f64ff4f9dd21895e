"""Daemons for tests of all folders; settings shared by the workers of pytest."""

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

# A limit for examples that hang. A tight deadline would be a measurement, which belongs to
# tests/bench: the first example of a worker may load every operation.
hypothesis.settings.register_profile("tests", deadline=10_000, max_examples=examples(100))
# Workers keep no examples for a later run: a failure prints its example.
hypothesis.settings.register_profile(
    "worker", parent=hypothesis.settings.get_profile("tests"), database=None
)
hypothesis.settings.load_profile("worker" if "PYTEST_XDIST_WORKER" in os.environ else "tests")

MANY_BLOCKS = 300_000  # of memory: counting objects takes longer than most modules
_blocks = 0  # when full collections were last told to ignore all


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort files into the order in which workers take them."""
    if os.environ.get("PYTEST_XDIST_TESTRUNUID") is not None:
        items.sort(key=lambda item: rank(item.path))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Prevent garbage collection during the creation of twenty thousand tests, which stay for
    good; later full collections, which tests make, ignore them."""
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
    """Make full collections ignore what other modules have loaded, once it is much: it stays as
    well, such as millions of objects of an ASN.1 compiler."""
    global _blocks
    if sys.getallocatedblocks() > _blocks + MANY_BLOCKS:
        gc.collect()
        gc.freeze()
        _blocks = sys.getallocatedblocks()


@pytest.fixture(autouse=True)
def loop_time() -> None:
    """Update the loop's clock. Timers count from its last reading, which was before a long test of
    pure functions: otherwise a guard of 20 s may expire at once."""
    gevent.get_hub().loop.update_now()


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Handle SIGINT: a background job of a script ignores it, and so would its child processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def daemon(tmp_path):
    """A function that makes daemons: daemon(*reactions of the SCP, **settings); the test ends
    them."""
    made = []

    def make(*reactions, **settings):
        made.append(ScriptedDaemon(tmp_path, *reactions, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture(scope="module")
def start_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartDaemon]:
    """A function that starts daemons as processes: start_daemon(text of the configuration,
    loopback=True: with the usual SIGTRAN instance and the sample flow). All are stopped after the
    module, because a waiting daemon uses half a percent of a processor."""
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
    """A recorder of everything that a run reports, for comparisons of runs."""
    return Recorder(monkeypatch)


@pytest.fixture
def fast_paths(monkeypatch: pytest.MonkeyPatch) -> list[RunFastPath]:
    """A list of the fast paths of all runs; no run stops using its fast path."""
    return fast_paths_of(monkeypatch)
