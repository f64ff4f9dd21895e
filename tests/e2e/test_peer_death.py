"""Peers of every kind that die while instances wait for them, and come back.

Waiting instances are aborted, with the peer's name and the cause; the others are not affected.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemons import DaemonProcess, running
from support.kind_peers import kinds_with_peers
from support.mortal import Mortal, mortal_of
from support.waiting import until

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
    """Return a definition: half of the instances wait for the peer, the others halt, then ask."""
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


@pytest.mark.sampled(4)
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
    """Assert that the waiting instances aborted because of the peer, the others passed: all
    counted."""
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
