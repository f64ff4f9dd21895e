"""Hostile definitions to a whole daemon: the result of each; a normal client is served."""

import json
import os
import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from e2e.hostile_clients import beside, daemon_in, request, send, settles
from support.daemons import DaemonProcess, read_response
from support.hostile import ABORTED, HARMLESS, LOAD_OF_MANY, MANY, REFUSED, WAIT
from support.normal_client import NormalClient
from support.waiting import GUARD_S, until

pytestmark = pytest.mark.e2e

LARGEST = 1 << 20
LOOPS = int(os.environ.get("TSVC_LOOPS", "3"))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from daemon_in(
        tmp_path_factory.mktemp("hostile"), f"[engine]\nmax_instances = {2 * MANY}\n"
    )


@pytest.fixture(autouse=True)
def normal(daemon: DaemonProcess) -> Iterator[NormalClient]:
    yield from beside(daemon)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", REFUSED)
def test_refused(daemon: DaemonProcess, name: str) -> None:
    params, code, part = REFUSED[name]
    octets = request("ExecuteTest", {"run_id": name, **params})
    assert len(octets) < LARGEST
    response = send(daemon, octets)
    error = response["error"]
    assert error["code"] == code, error["message"][:1000]
    assert part in error["message"] or part in json.dumps(error["data"], ensure_ascii=False)
    assert len(json.dumps(error)) < 4 * LARGEST
    assert daemon.call("QueryTest", {"run_id": name})["error"]["code"] == 2004, "nothing remains"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ABORTED)
def test_aborted(daemon: DaemonProcess, name: str) -> None:
    params, part = ABORTED[name]
    result = daemon.run(params)
    assert result["verdict"] == "abort"
    assert part in result["first_call_summary"]["reason"]
    assert len(json.dumps(result)) < 4 * LARGEST


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(daemon: DaemonProcess, name: str) -> None:
    result = daemon.run(HARMLESS[name])
    assert result["verdict"] == "pass", result["first_call_summary"]
    assert len(json.dumps(result)) < 4 * LARGEST


def test_a_definition_of_100_megabytes(daemon: DaemonProcess) -> None:
    """It is refused by its length while it is still being sent; memory does not grow."""
    with daemon.connect() as sock:
        sock.sendall(struct.pack("!I", 100_000_000))
        error = read_response(sock)["error"]
    assert (error["code"], error["data"]["kind"]) == (1000, "frame.too_long")


def test_a_crowd_of_instances_that_wait(daemon: DaemonProcess) -> None:
    params = {"run_id": "crowd", "operations": WAIT, "distribution": LOAD_OF_MANY}
    assert daemon.result("ExecuteTest", params) == "ok"

    def in_progress() -> int:
        counts = daemon.result("QueryTest", {"run_id": "crowd"})["counts"]
        assert counts["started"] == counts["finished"] + counts["in_progress"]
        return int(counts["in_progress"])

    assert settles(lambda: in_progress() == MANY)
    almost = {**LOAD_OF_MANY, "backlog": MANY - 1000}
    more = {**params, "run_id": "crowd of others", "distribution": almost}
    assert daemon.result("ExecuteTest", more) == "ok"
    error = daemon.call("ExecuteTest", {**params, "run_id": "one too many"})["error"]
    assert (error["code"], error["data"]["kind"]) == (2003, "overload")
    for run_id in ("crowd", "crowd of others"):
        daemon.call("CancelTest", {"run_id": run_id})
        result = daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
        assert result["completed"] == 1
        assert result["counts"]["cancelled"] == result["counts"]["started"]


def test_memory_growth_of_all_instances_of_a_load(daemon: DaemonProcess) -> None:
    """No single instance is large; all together are."""
    operations = [
        {"type": "eval", "expression": "$v->{a} = 'x' x 4000000 . uuid()"},
        {"type": "wait", "arguments": {"seconds": 8}},  # until each of them has its text
    ]
    load = {"type": "load", "total": 500, "backlog": 500}
    counts = daemon.run({"operations": operations}, distribution=load)["counts"]
    assert counts["finished"] == 500
    assert counts["passed"] > 50
    assert counts["aborted"] > 50


def test_endless_loops_beside_one_another(daemon: DaemonProcess) -> None:
    params, _ = ABORTED["endless branches"]
    chance = random.Random(1)
    run_ids = [f"loop {chance.random()}" for _ in range(LOOPS)]
    for run_id in run_ids:
        assert daemon.result("ExecuteTest", {**params, "run_id": run_id}) == "ok"
    for run_id in run_ids:
        assert finished(daemon, run_id)["verdict"] == "abort"


def finished(daemon: DaemonProcess, run_id: str) -> dict[str, Any]:
    """Return the result of a run that may take minutes on a busy machine."""
    found: dict[str, Any] = {}

    def is_completed() -> bool:
        found.update(daemon.result("QueryTest", {"run_id": run_id, "wait_s": 10}))
        return bool(found["completed"])

    until(is_completed, 5 * GUARD_S)
    return found
