"""How many runs one client may have in progress; another client is not affected."""

import json
import signal
import socket
import struct
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, DaemonProcess, example, read_response, running

pytestmark = pytest.mark.e2e

HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
ONE, OTHER = "127.0.0.1", "127.0.0.2"
LIMITED = "[rpc]\nclient_runs = 2\nclient_instances = 10\n"


def ask(daemon: DaemonProcess, source: str, method: str, **params: Any) -> dict[str, Any]:
    """Return the response to a request from an address of this host."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    octets = json.dumps(request).encode()
    address = (ONE, daemon.port)
    with socket.create_connection(address, HANG_GUARD_S, source_address=(source, 0)) as sock:
        sock.sendall(struct.pack("!I", len(octets)) + octets)
        return read_response(sock)


def execute(
    daemon: DaemonProcess, source: str, run_id: str, backlog: int = 1, **more: Any
) -> dict[str, Any]:
    load = {"type": "load", "total": 1000, "backlog": backlog}
    params = {"run_id": run_id, "operations": HALT, "distribution": load, **more}
    return ask(daemon, source, "ExecuteTest", **params)


def refusal(response: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return code and data of a refusal; its message contains the limit, too."""
    error = response["error"]
    assert error["data"]["limit"] in error["message"]
    assert str(error["data"]["allowed"]) in error["message"]
    return error["code"], error["data"]


def overload(limit: str, allowed: int, in_progress: int) -> tuple[int, dict[str, Any]]:
    data = {"kind": "overload", "limit": limit, "allowed": allowed, "in_progress": in_progress}
    return 2003, data


def test_runs_and_instances_of_one_client_are_bounded(tmp_path: Path) -> None:
    with running(tmp_path, LIMITED) as daemon:
        assert execute(daemon, ONE, "a", backlog=8)["result"] == "ok"
        crowd = refusal(execute(daemon, ONE, "b", backlog=3))
        assert crowd == overload("rpc.client_instances", 10, 8)
        assert execute(daemon, ONE, "b", backlog=2)["result"] == "ok"
        one_more = refusal(execute(daemon, ONE, "c"))
        assert one_more == overload("rpc.client_runs", 2, 2)
        # Nothing remains of a refused run: the other client may use its run_id.
        assert execute(daemon, OTHER, "c", backlog=10)["result"] == "ok"
        # A run that ends frees capacity for its own client only, whoever ended it.
        assert ask(daemon, OTHER, "CancelTest", run_id="a")["result"]["cancelled"] == 1
        crowd = refusal(execute(daemon, OTHER, "d"))
        assert crowd == overload("rpc.client_instances", 10, 10)
        assert execute(daemon, ONE, "d", backlog=8)["result"] == "ok"
        limits = ask(daemon, ONE, "DescribeService")["result"]["limits"]
        assert (limits["client_runs"], limits["client_instances"]) == (2, 10)
        # A reload changes the limits of later requests.
        daemon.configure("[rpc]\nclient_runs = 3\n")
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded")
        assert execute(daemon, ONE, "e", backlog=100)["result"] == "ok"
        assert refusal(execute(daemon, ONE, "f"))[1]["limit"] == "rpc.client_runs"


def test_a_completed_run_does_not_count(tmp_path: Path) -> None:
    with running(tmp_path, "[rpc]\nclient_runs = 1\n") as daemon:
        for number in range(3):  # nobody collects the earlier results
            run_id = f"call {number}"
            definition = {**example("extension_dialing"), "run_id": run_id}
            assert ask(daemon, ONE, "ExecuteTest", **definition)["result"] == "ok"
            while True:
                listed = ask(daemon, ONE, "QueryAllTests")["result"]["tests"]
                if listed[-1]["completed"]:
                    break
        assert len(listed) == 3


def test_with_tokens_the_token_is_the_client(tmp_path: Path) -> None:
    tokens = 'auth_tokens = ["token-of-one", "token-of-the-other"]\n'
    with running(tmp_path, f"[rpc]\nclient_runs = 1\n{tokens}") as daemon:
        one, other = ({"auth_token": name} for name in ("token-of-one", "token-of-the-other"))
        assert execute(daemon, ONE, "a", **one)["result"] == "ok"
        refused = execute(daemon, OTHER, "b", **one)  # another address, the same client
        assert refusal(refused) == overload("rpc.client_runs", 1, 1)
        assert execute(daemon, ONE, "b", **other)["result"] == "ok"
        # Another order of the tokens does not exchange the clients.
        swapped = tokens.replace("-one", "-x").replace("-the-other", "-one").replace("-x", "-two")
        daemon.configure(f"[rpc]\nclient_runs = 1\n{swapped}")
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded")
        assert refusal(execute(daemon, ONE, "c", **one)) == overload("rpc.client_runs", 1, 1)
        two = {"auth_token": "token-of-two"}
        assert execute(daemon, ONE, "c", **two)["result"] == "ok"


def test_the_largest_definition(tmp_path: Path) -> None:
    local = "[engine]\nmax_operations = 3\n[rpc]\nmax_request_octets = 4096\n"
    with running(tmp_path, local) as daemon:
        run = {"run_id": "r", "operations": [{"type": "pass"}] * 4}
        error = daemon.call("ExecuteTest", run)["error"]
        assert (error["code"], error["message"]) == (
            2002,
            "params.operations: 4 operations, at most 3",
        )
        validated = daemon.result("ValidateTest", run)
        assert not validated["valid"]
        assert [one["path"] for one in validated["problems"]] == ["params.operations"]
        assert daemon.run({"operations": [{"type": "pass"}] * 3})["verdict"] == "pass"
        run["operations"] = [{"type": "pass", "comment": "x" * 4096}]
        assert daemon.call("ExecuteTest", run)["error"]["data"]["kind"] == "frame.too_long"


def test_a_hundred_locks_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    with running(tmp_path) as daemon:
        locks = [{"key": f"key {number}"} for number in range(250)]
        run = {"run_id": "r", "operations": HALT, "locks": locks}
        assert daemon.result("ExecuteTest", run) == "ok"
        service = daemon.result("DescribeService")
        assert service["lock_count"] == 250
        assert len(service["locks"]) == 100
        daemon.result("CancelTest", {"run_id": "r"})
        assert daemon.result("DescribeService")["lock_count"] == 0


def test_a_load_of_one_client_does_not_starve_another(tmp_path: Path) -> None:
    """A hot loop of many instances takes the whole processor; the other client gets its share."""
    load = {"type": "load", "total": 10**9, "backlog": 50_000}
    hot = {"operations": [{"type": "eval", "expression": "$v->{a} = 1"}], "distribution": load}
    with running(tmp_path) as daemon:
        assert ask(daemon, ONE, "ExecuteTest", **hot, run_id="hot")["result"] == "ok"
        starts = []
        for number in range(10):
            run = {**example("extension_dialing"), "run_id": f"call {number}"}
            assert ask(daemon, OTHER, "ExecuteTest", **run)["result"] == "ok"
            called = ask(daemon, OTHER, "QueryTest", run_id=run["run_id"], wait_s=60)["result"]
            assert (called["completed"], called["verdict"]) == (1, "pass")
            result = ask(daemon, OTHER, "QueryTest", run_id="hot")["result"]
            starts.append(result["counts"]["started"])
        assert starts == sorted(set(starts)), "the load goes on meanwhile"
        assert ask(daemon, ONE, "CancelTest", run_id="hot")["result"]["cancelled"] == 1
