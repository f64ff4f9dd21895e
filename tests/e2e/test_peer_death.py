"""Peers of every kind that die while instances wait on them, and come back.

Who waits is aborted, by name and with the cause; who does not is not touched.
"""

import contextlib
import re
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
from support.kind_peers import kinds_with_peers
from support.mortal import Mortal, mortal_of
from support.waiting import until

from tsvc.cli.definition_file import read_definition

pytestmark = pytest.mark.e2e

WAITING, BYSTANDERS = 4, 4
TOTAL = WAITING + BYSTANDERS
LATER = 20


@pytest.fixture(params=kinds_with_peers())
def peer(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Mortal]:
    made = mortal_of(request.param, tmp_path)
    with made.life:
        yield made


@pytest.fixture
def daemon(peer: Mortal, tmp_path: Any) -> Iterator[DaemonProcess]:
    home = tmp_path / "daemon"
    home.mkdir()
    table = f"[application.{peer.gateway}]\n{peer.table}"
    with running(home, table, main='[log]\nlevel = "info"\n') as started:
        yield started


def gateway(daemon: DaemonProcess, peer: Mortal) -> dict[str, Any]:
    found = daemon.result("DescribeService")["gateways"]
    return next(one for one in found if one["name"] == peer.gateway)


def is_up(daemon: DaemonProcess, peer: Mortal) -> bool:
    return bool(gateway(daemon, peer)["state"] == "up")


def definition(peer: Mortal) -> dict[str, Any]:
    """Half of the instances wait for the peer; the others halt and ask it later."""
    return {
        "ssp_ac": "camel2",
        "vars": {"called": "0800432900"},
        "operations": [
            {"type": "branch", "expression": f"$r->{{idx}} < {WAITING}", "on_false": "bystander"},
            *peer.wait,
            {"type": "fail", "arguments": {"text": "the dead have answered"}},
            {"type": "halt", "label": "bystander", "arguments": {"seconds": 300}},
            *peer.quick,
        ],
        "distribution": {"type": "load", "total": TOTAL, "backlog": TOTAL},
    }


def test_a_peer_that_dies_and_comes_back(peer: Mortal, daemon: DaemonProcess) -> None:
    run_id = "dies"
    peer.start(is_silent=True)
    until(lambda: is_up(daemon, peer), what=lambda: daemon.log)
    assert daemon.result("ExecuteTest", {**definition(peer), "run_id": run_id}) == "ok"

    def query(**more: Any) -> Any:
        return daemon.result("QueryTest", {"run_id": run_id, **more})

    until(lambda: len(query()["halted"]) == BYSTANDERS, what=lambda: daemon.log)
    until(lambda: gateway(daemon, peer)["counters"][peer.held] == WAITING, what=lambda: daemon.log)
    peer.kill()
    until(lambda: query()["counts"]["aborted"] == WAITING, what=lambda: daemon.log)
    until(lambda: not is_up(daemon, peer), what=lambda: daemon.log)
    assert len(query()["halted"]) == BYSTANDERS

    peer.start(is_silent=False)
    until(lambda: is_up(daemon, peer), what=lambda: daemon.log)
    for one in query()["halted"]:
        instance = {"run_id": run_id, "instance_id": one["instance_id"]}
        daemon.result("ResumeInstance", instance)
    result = query(wait_s=60)
    assert result["completed"] == 1
    check(result, peer)
    later = {"operations": peer.quick, "vars": {"called": "0800432900"}, "ssp_ac": "camel2"}
    distribution = {"type": "load", "total": LATER, "backlog": 4}
    passed = daemon.run(later, distribution=distribution)
    assert passed["counts"]["passed"] == LATER, passed["first_aborts"][:1]


def check(result: dict[str, Any], peer: Mortal) -> None:
    """Those that waited were aborted because of the peer, the others passed, all are counted."""
    counts = {name: count for name, count in result["counts"].items() if count}
    assert counts == {
        "planned": TOTAL,
        "started": TOTAL,
        "finished": TOTAL,
        "aborted": WAITING,
        "passed": BYSTANDERS,
    }, result["first_aborts"][:1]
    assert result["verdict"] == "abort"
    assert result["first_aborts"]
    for one in result["first_aborts"]:
        assert re.match(peer.reason, one["reason"]), one["reason"]
        assert int(one["idx"]) < WAITING
    assert result["leaks"] == []


Lives = dict[str, tuple[Callable[[], object], Callable[[], object]]]


@pytest.fixture
def five(tmp_path: Path) -> Iterator[tuple[DaemonProcess, Lives]]:
    """A daemon with five gateways, and by their names how their peers die and live again."""
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


@pytest.mark.quiet
def test_a_load_of_five_gateways_through_which_each_peer_dies(
    five: tuple[DaemonProcess, Lives],
) -> None:
    """While a peer is away instances abort and name it; once it is back, not one more does."""
    daemon, lives = five
    load = {"type": "linear", "total": 100_000, "cps": 100, "backlog": 1000}
    params = {**read_definition(DEFINITION), "distribution": load, "run_id": "load"}
    assert daemon.result("ExecuteTest", params) == "ok"
    for name, (die, live) in lives.items():
        die_and_live(daemon, name, die, live)
    assert daemon.result("CancelTest", {"run_id": "load"})["cancelled"] == 1
    result = daemon.result("QueryTest", {"run_id": "load", "wait_s": 60})
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
    started = counts()["started"]  # whoever was under way when it came back ends
    until(lambda: counts()["finished"] >= started + 20, what=lambda: daemon.log)
    back = counts()
    grow("passed", 50)
    assert counts()["aborted"] == back["aborted"], name
