"""Daemons for the tests of any part; what workers of pytest have in common."""

import gc
import os
import signal
from collections.abc import Iterator

import gevent
import hypothesis
import pytest
from support.alone import Alone, order
from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, StartDaemon, configure, launch
from support.examples import examples
from support.scripted_scp import ScriptedDaemon
from support.without_memories import Recorder, usuals_of

from tsvc.engine.usual import Usual

# A guard against examples that hang. A tight deadline would be a measurement, which belongs to
# tests/bench: the first example of a worker may load every operation.
hypothesis.settings.register_profile("tests", deadline=10_000, max_examples=examples(100))
hypothesis.settings.load_profile("tests")

# Files with tests that run apart. All workers begin with them, so that they wait for each other
# once and those that are quiet meet.
APART = (
    "e2e/test_load_rates.py",
    "e2e/test_load_stops.py",
    "e2e/test_load_segments.py",
    "e2e/test_load_limited.py",
    # These work more, and look at no time.
    "e2e/test_peer_death.py",
    "e2e/test_service_memory.py",
    "e2e/test_load_generator.py",
    "e2e/test_five_gateways.py",
)
# Files that take longest, which workers go on with: else one waits for the other at the end. By
# turns one that waits and one that works, so that neither keeps to itself.
LONGEST = (
    "e2e/test_agents_cuts.py",
    "peers/test_sctp_guest.py",
    "e2e/test_agents.py",
    "docs/test_commands.py",
    "kinds/rest/test_track.py",
    "e2e/test_hostile_peers.py",
    "e2e/test_cluster.py",
    "e2e/test_service_init.py",
    "gui/test_feed.py",
    "gui/test_authoring.py",
    "e2e/test_agents_clocks.py",
    "gui/test_running.py",
    "e2e/gateway_contract/test_contract.py",
    "mutate/test_sample.py",
    "kinds/diameter/test_track.py",
    "model/test_many_calls.py",
    "e2e/test_archive_trouble.py",
    "fuzz/test_targets.py",
    "e2e/test_relay.py",
    "e2e/test_without_memories.py",
    "kinds/outside/test_hostile.py",
    "unit/test_pytest_plugin.py",
    "gui/test_guarding.py",
    "e2e/test_kind_from_outside.py",
    "e2e/test_hostile_definitions.py",
    "e2e/test_cli_daemon.py",
    "docs/test_tutorial.py",
    "e2e/test_cli_run.py",
)

MANY_OBJECTS = 100_000


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("PYTEST_XDIST_TESTRUNUID") is None:
        return
    folder = config.rootpath / "tests"
    first = {folder / name: at for at, name in enumerate((*APART, *LONGEST))}

    def rank(item: pytest.Item) -> tuple[int, int]:
        """The file's, then the test's in it: what is ordinary would wait for what is apart."""
        is_short = item.path.is_relative_to(folder / "unit")
        return first.get(item.path, len(first) + is_short), order(item)

    items.sort(key=rank)


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
        config.pluginmanager.register(Alone(run))


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
