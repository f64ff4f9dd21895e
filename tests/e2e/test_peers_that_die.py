"""A load over five gateways, whose peers die and come back one after the other."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import DaemonProcess, running
from support.fakes import fake_process
from support.five_gateways import (
    DEFINITION,
    OCS_SETTINGS,
    PI_SETTINGS,
    peers,
    postgresql_with_subscribers,
)
from support.waiting import until

from tsvc.cli.definition_file import read_definition

pytestmark = pytest.mark.e2e

Lives = dict[str, tuple[Callable[[], object], Callable[[], object]]]


@pytest.fixture
def five(tmp_path: Path) -> Iterator[tuple[DaemonProcess, Lives]]:
    """A daemon with five gateways; by their names, functions that kill and restart their peers."""
    home = tmp_path / "daemon"
    home.mkdir()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(postgresql_with_subscribers())
        found = stack.enter_context(peers(tmp_path, server.url))
        daemon = stack.enter_context(running(home, found.configuration))
        daemon.until_up()

        def again(kind: str, port: int, settings: dict[str, Any]) -> Callable[[], object]:
            return lambda: stack.enter_context(fake_process(tmp_path, kind, port, **settings))

        yield (
            daemon,
            {
                "crm": (server.stop, server.start),
                "OCS": (found.ocs.process.kill, again("diameter", found.ocs.port, OCS_SETTINGS)),
                "routes": (found.nginx.kill, found.nginx.start),
                "PI": (found.pi.process.kill, again("pi", found.pi.port, PI_SETTINGS)),
            },
        )


@pytest.mark.slow
def test_a_load_of_five_gateways_through_which_each_peer_dies(
    five: tuple[DaemonProcess, Lives],
) -> None:
    """While a peer is away, instances abort and name it; after its return, no instance aborts."""
    daemon, lives = five
    load = {"type": "linear", "total": 100_000, "cps": 100, "backlog": 1000}
    params = {**read_definition(DEFINITION), "distribution": load, "run_id": "load"}
    assert daemon.result("ExecuteTest", params) == "ok"
    for name, (die, live) in lives.items():
        die_and_live(daemon, name, die, live)
    assert daemon.result("CancelTest", {"run_id": "load"})["cancelled"] == 1
    result = daemon.completed("load")
    counts = result["counts"]
    ends = ("passed", "failed", "aborted", "cancelled")
    assert counts["started"] == counts["finished"] == sum(counts[name] for name in ends)
    assert counts["failed"] == 0, result["first_fails"][:1]
    named = {one["reason"].split(":")[0].split()[0] for one in result["first_aborts"]}
    assert named == set(lives)


def die_and_live(
    daemon: DaemonProcess, name: str, die: Callable[[], object], live: Callable[[], object]
) -> None:
    def counts() -> dict[str, int]:
        found = daemon.result("QueryTest", {"run_id": "load"})["counts"]
        assert isinstance(found, dict)
        return found

    def grow(member: str, more: int) -> None:
        target = counts()[member] + more
        until(lambda: counts()[member] >= target, what=lambda: daemon.log)

    grow("passed", 20)
    before = counts()
    die()
    until(lambda: counts()["aborted"] >= before["aborted"] + 5, what=lambda: daemon.log)
    live()
    daemon.until_up([name])
    # Instances in progress when the peer came back may abort: they end before the rest starts.
    daemon.result("PauseTest", {"run_id": "load", "paused": 1})
    until(lambda: not counts()["in_progress"], what=lambda: daemon.log)
    back = counts()
    daemon.result("PauseTest", {"run_id": "load", "paused": 0})
    grow("passed", 50)
    assert counts()["aborted"] == back["aborted"], name
