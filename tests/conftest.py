"""Daemons for the tests of any part; what workers of pytest have in common."""

import gc
import os
import signal
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from zlib import crc32

import gevent
import hypothesis
import pytest
from support import quiet
from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, StartDaemon, configure, launch
from support.examples import examples
from support.scripted_scp import ScriptedDaemon
from support.without_memories import Recorder, usuals_of

from tsvc.engine.usual import Usual

# A guard against examples that hang. A tight deadline would be a measurement, which belongs to
# tests/bench: the first example of a worker may load every operation.
hypothesis.settings.register_profile("tests", deadline=10_000, max_examples=examples(100))
hypothesis.settings.load_profile("tests")

# Files that take longest, and how many seconds beside others, about: they are spread over the run,
# so that those that wait have those that work beside them, and none of them is begun late.
LONGEST = {
    "e2e/test_agents_cuts.py": 115,
    "e2e/test_agents.py": 88,
    "peers/test_sctp_guest.py": 67,
    "kinds/rest/test_track.py": 83,
    "docs/test_commands.py": 63,
    "e2e/test_hostile_peers.py": 79,
    "e2e/test_service_init.py": 57,
    "gui/test_feed.py": 75,
    "mutate/test_sample.py": 25,
    "e2e/test_cluster.py": 79,
    "model/test_many_calls.py": 12,
    "gui/test_running.py": 65,
    "e2e/test_hostile_definitions.py": 18,
    "e2e/test_agents_clocks.py": 57,
    "e2e/test_without_memories.py": 35,
    "gui/test_authoring.py": 60,
    "unit/test_pytest_plugin.py": 17,
    "e2e/gateway_contract/test_contract.py": 40,
    "fuzz/test_targets.py": 14,
    "e2e/test_relay.py": 36,
    "e2e/test_cli_run.py": 22,
    "e2e/test_archive_trouble.py": 38,
    "docs/test_tutorial.py": 20,
    "kinds/diameter/test_track.py": 35,
    "e2e/test_kind_from_outside.py": 17,
    "gui/test_guarding.py": 27,
    "unit/engine/test_hostile.py": 15,
    "kinds/outside/test_hostile.py": 23,
    "e2e/test_report_html.py": 18,
    "e2e/test_archive_disk.py": 19,
    "e2e/test_cli_daemon.py": 16,
    "e2e/test_archive_postgresql.py": 18,
}
SPREAD = 0.8  # of all other files, between which they stand

MANY_OBJECTS = 100_000


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put files in the order in which workers take them: what is quiet; then all others by chance,
    which is the same in all workers, with the longest between them."""
    if os.environ.get("PYTEST_XDIST_TESTRUNUID") is None:
        return
    folder = config.rootpath / "tests"
    begins = accumulate(LONGEST.values(), initial=0)
    last = sum(LONGEST.values()) / SPREAD
    longest = {folder / name: at / last for name, at in zip(LONGEST, begins, strict=False)}

    def rank(path: Path) -> float:
        if path.is_relative_to(quiet.FOLDER):
            return -1
        return longest.get(path, crc32(str(path.relative_to(folder)).encode()) / 2**32)

    ranks = {path: rank(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: ranks[item.path])


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
    # Only of a worker: a pytest that a test starts has the variable too, and would wait for a test
    # that waits until the one around it is over.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is not None and hasattr(config, "workerinput"):
        config.pluginmanager.register(quiet.Quiet(run))


@pytest.fixture(autouse=True, scope="module")
def passed_by() -> None:
    """What other modules have loaded stays as well, millions of objects of an ASN.1 compiler for
    one: where it has become much, full collections pass that by too."""
    if len(gc.get_objects(generation=2)) > MANY_OBJECTS:
        gc.collect()
        gc.freeze()


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


@pytest.fixture(scope="session")
def start_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartDaemon]:
    """Start daemons as processes: start_daemon(text of the configuration, loopback=True: with
    the usual SIGTRAN instance and the sample flow); all are stopped at the end."""
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
def usuals(monkeypatch: pytest.MonkeyPatch) -> list[Usual]:
    """What every run has had of the usual way."""
    return usuals_of(monkeypatch)
