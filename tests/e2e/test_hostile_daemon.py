"""Hostile clients against a whole daemon: each gets its own error, a normal one is served.

A normal client runs the sample all through each test; not one of its calls may fail. The daemon
has 6 GB of address space, so that what eats memory is found before the machine is.
"""

import json
import random
import shutil
import socket
import struct
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.daemons import FLOW, HANG_GUARD_S, Daemon, example, read_response
from support.hostile import ABORTED, HARMLESS, LOAD_OF_MANY, REFUSED, WAIT
from support.restartable import configure, kill, launch

pytestmark = pytest.mark.e2e

CONFIG = f"""
request_timeout_s = 3
[scp]
flows = ["{FLOW}"]
[application.SIGTRAN]
module = "sigtran"
[log]
level = "warning"
"""
LARGEST = 1 << 20
CODES = {1000, 1001, 2000, 2001, 2002, 2003, 2004}
METHODS = [
    "ExecuteTest",
    "QueryTest",
    "QueryAllTests",
    "CancelTest",
    "ResumeInstance",
    "ValidateTest",
    "PauseTest",
    "RateTest",
    "DescribeService",
    "ListResults",
    "GetResult",
    "GetTrace",
]
FUZZ = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class NormalClient:
    """Runs the sample again and again, in a thread; counts what passed, keeps what did not."""

    def __init__(self, daemon: Daemon) -> None:
        self.passed = 0
        self.failures: list[str] = []
        self._daemon = daemon
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> "NormalClient":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _work(self) -> None:
        sample = example("extension_dialing")
        while True:
            try:
                result = self._daemon.run(sample, run_id=f"normal {uuid.uuid4().hex}")
                assert result["verdict"] == "pass", result["first_call_summary"]
                self.passed += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
                self.failures.append(repr(error))
            if self._is_over.wait(0.02):
                return


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("hostile")
    port = configure(folder, CONFIG)
    prlimit = shutil.which("prlimit")
    prefix = (prlimit, f"--as={6 << 30}", "--") if prlimit is not None else ()
    daemon = launch(folder, port, prefix=prefix)
    yield daemon
    try:
        assert daemon.process.poll() is None, (folder / "log").read_text()[-5000:]
        assert_clean(daemon)
        assert daemon.stop() == 0
        assert "incident" not in (folder / "log").read_text()
    finally:
        if daemon.process.poll() is None:
            kill(daemon)


@pytest.fixture(autouse=True)
def normal(daemon: Daemon) -> Iterator[NormalClient]:
    with NormalClient(daemon) as client:
        yield client
    assert client.failures == []
    assert client.passed > 0


def settles(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + HANG_GUARD_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def assert_clean(daemon: Daemon) -> None:
    """Nothing of all the runs is left, in the daemon and in the system."""
    for summary in daemon.result("QueryAllTests")["tests"]:
        daemon.result("CancelTest", {"run_id": summary["run_id"]})
    service = daemon.result("DescribeService")
    assert service["locks"] == {}
    assert service["runs"] == {"in_progress": 0, "held": 0}
    assert service["instances"]["in_progress"] == 0
    assert [gateway["counters"]["dialogues"] for gateway in service["gateways"]] == [0]
    assert settles(lambda: sockets_of(daemon) < 10), "connections are left open"


def sockets_of(daemon: Daemon) -> int:
    """Return how many files the daemon has open beyond those of an idle one."""
    idle = 15  # the log, the archive, the loop
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir())) - idle


def reset(sock: socket.socket) -> None:
    """Close with a RST, as a client that was killed does."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def frame(body: bytes) -> bytes:
    return struct.pack("!I", len(body)) + body


def request(method: str, params: Any, request_id: Any = 1) -> bytes:
    document = {"jsonrpc": "2.0", "method": method, "params": params, "id": request_id}
    return frame(json.dumps(document).encode())


def send(daemon: Daemon, octets: bytes) -> dict[str, Any]:
    """Send octets, end, and return the one response."""
    with daemon.connect() as sock:
        sock.sendall(octets)
        sock.shutdown(socket.SHUT_WR)
        response = read_response(sock)
        assert sock.recv(1) == b"", "one response, and nothing after it"
    return response


def assert_proper(response: dict[str, Any]) -> None:
    """It is a result or one of the errors of the interface, and never our own failure."""
    assert response["jsonrpc"] == "2.0"
    if response.get("error") is None:
        assert "error" not in response
        return
    error = response["error"]
    assert response["result"] is None
    assert error["code"] in CODES
    assert error["data"]["kind"] != "internal", error
    assert error["message"]


# -- frames and envelopes --------------------------------------------------------------------

VALID = request("QueryAllTests", {})
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@FUZZ
@given(octets=st.binary(max_size=600))
def test_octets(daemon: Daemon, octets: bytes) -> None:
    response = send(daemon, octets)
    assert_proper(response)
    assert response["error"]["code"] == 1000


@FUZZ
@given(st.data())
def test_a_frame_with_octets_changed(daemon: Daemon, data: st.DataObject) -> None:
    octets = bytearray(VALID)
    for at in data.draw(st.lists(st.integers(0, len(octets) - 1), min_size=1, max_size=4)):
        octets[at] = data.draw(st.integers(0, 255))
    assert_proper(send(daemon, bytes(octets)))


@FUZZ
@given(document=st.dictionaries(st.sampled_from(("jsonrpc", "method", "params", "id")), VALUES))
def test_envelopes(daemon: Daemon, document: dict[str, Any]) -> None:
    response = send(daemon, frame(json.dumps(document).encode()))
    assert_proper(response)
    assert response["error"]["code"] in (1000, 1001)


NAMES = st.sampled_from(
    [
        "run_id",
        "wait_s",
        "result_id",
        "limit",
        "before",
        "paused",
        "cps",
        "instance",
        "instance_id",
        "format",
        "operations",
        "vars",
        "distribution",
        "locks",
        "flow",
        "thresholds",
        "seed",
        "segment",
        "scp",
        "trace_level",
        "inap",
    ]
)


@FUZZ
@given(
    method=st.sampled_from(METHODS),
    params=st.dictionaries(NAMES | st.text(max_size=8), VALUES, max_size=6),
    request_id=st.integers() | st.text(max_size=20),
)
def test_params(daemon: Daemon, method: str, params: Any, request_id: Any) -> None:
    params.pop("wait_s", None)
    response = send(daemon, request(method, params, request_id))
    assert_proper(response)
    # What no JSON text can hold has no id to answer under.
    assert response["id"] in (request_id, None)


SAMPLE = example("extension_dialing")
PIECES = st.sampled_from(
    [{}, [], "", "x", -1, 0, 2**70, 1.5, None, True, "{$v", "{$v->{a}{b}}", "{1/0}", [[]], [{}]]
)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in a definition."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield (*at, key)
        if isinstance(value[key], dict | list):
            yield from places(value[key], (*at, key))


@FUZZ
@given(at=st.sampled_from(list(places(SAMPLE))), piece=PIECES | VALUES)
def test_the_sample_with_one_piece_changed(
    daemon: Daemon, at: tuple[Any, ...], piece: Any
) -> None:
    definition = json.loads(json.dumps(SAMPLE))
    value = definition
    for key in at[:-1]:
        value = value[key]
    value[at[-1]] = piece
    run_id = uuid.uuid4().hex
    response = send(daemon, request("ExecuteTest", {**definition, "run_id": run_id}))
    assert_proper(response)
    if response.get("result") == "ok":
        counts = daemon.result("CancelTest", {"run_id": run_id})["counts"]
        assert counts["started"] == counts["finished"] <= 1
    else:
        assert response["error"]["code"] in (1000, 2002, 2003)


# -- connections -----------------------------------------------------------------------------


def test_disconnects_at_each_octet_of_a_request(daemon: Daemon) -> None:
    for count in range(len(VALID) + 1):
        for leave in (socket.socket.close, reset):
            sock = daemon.connect()
            sock.sendall(VALID[:count])
            leave(sock)


def test_ends_at_each_octet_of_a_request_are_answered(daemon: Daemon) -> None:
    for count in range(len(VALID)):
        error = send(daemon, VALID[:count])["error"]
        assert (error["code"], error["data"]["kind"]) == (1000, "request.incomplete")
    assert "result" in send(daemon, VALID)


def test_disconnects_at_each_octet_of_a_response(daemon: Daemon) -> None:
    asked = request("QueryTest", {"run_id": "nobody"})
    whole = len(json.dumps(send(daemon, asked), separators=(",", ":")))
    for count in range(4 + whole):
        sock = daemon.connect()
        sock.sendall(asked)
        octets = b""
        while len(octets) < count and (part := sock.recv(count - len(octets))):
            octets += part
        reset(sock)


def test_slow_writers(daemon: Daemon) -> None:
    """An octet now and then keeps no connection beyond rpc.request_timeout_s."""
    socks = [daemon.connect() for _ in range(100)]
    for octet in VALID[:8]:
        for sock in socks:
            sock.sendall(bytes([octet]))
        time.sleep(0.05)
    kinds = Counter(read_response(sock)["error"]["data"]["kind"] for sock in socks)
    assert kinds == {"request.timeout": 100}
    for sock in socks:
        sock.close()


def test_slow_readers(daemon: Daemon) -> None:
    """Clients that do not take their response hold it for rpc.request_timeout_s, no longer."""
    operations = [{"type": "log", "arguments": {"text": "{'x' x 1000}"}}] * 1000
    result = daemon.run({"operations": operations}, trace_level=1)
    asked = request("GetResult", {"result_id": result["result_id"]})
    socks = []
    for _ in range(50):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(HANG_GUARD_S)
        sock.connect(("127.0.0.1", daemon.port))
        sock.sendall(asked)
        socks.append(sock)
    assert settles(lambda: sockets_of(daemon) < 10), "slow readers are not let go"
    for sock in socks:
        sock.close()


def test_300_idle_connections(daemon: Daemon) -> None:
    idle = [daemon.connect() for _ in range(300)]
    kinds = Counter(read_response(sock)["error"]["data"]["kind"] for sock in idle)
    assert set(kinds) == {"connections.evicted", "request.timeout"}
    assert kinds.total() == 300
    assert kinds["connections.evicted"] >= 44
    for sock in idle:
        sock.close()


def test_10_000_connections(daemon: Daemon) -> None:
    """Whole requests, half ones, silence, resets in turn; whoever waits gets its answer."""
    answered: Counter[str] = Counter()

    def connect(number: int) -> None:
        sock = daemon.connect()
        kind = ("whole", "half", "silent", "reset")[number % 4]
        if kind == "whole":
            sock.sendall(VALID)
            response = read_response(sock)
            answered["result" if "error" not in response else response["error"]["code"]] += 1
        elif kind == "half":
            sock.sendall(VALID[: number % len(VALID)])
        elif kind == "reset":
            sock.sendall(VALID)
            reset(sock)
        sock.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(connect, range(10_000)))
    assert answered == {"result": 2_500}


# -- definitions -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFUSED)
def test_refused(daemon: Daemon, name: str) -> None:
    params, code, part = REFUSED[name]
    octets = request("ExecuteTest", {"run_id": name, **params})
    assert len(octets) < LARGEST
    response = send(daemon, octets)
    error = response["error"]
    assert error["code"] == code, error["message"][:1000]
    assert part in error["message"] or part in json.dumps(error["data"], ensure_ascii=False)
    assert len(json.dumps(error)) < 4 * LARGEST
    assert daemon.call("QueryTest", {"run_id": name})["error"]["code"] == 2004, "nothing remains"


@pytest.mark.parametrize("name", ABORTED)
def test_aborted(daemon: Daemon, name: str) -> None:
    params, part = ABORTED[name]
    result = daemon.run(params)
    assert result["verdict"] == "abort"
    assert part in result["first_call_summary"]["reason"]
    assert len(json.dumps(result)) < 4 * LARGEST


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(daemon: Daemon, name: str) -> None:
    result = daemon.run(HARMLESS[name])
    assert result["verdict"] == "pass", result["first_call_summary"]
    assert len(json.dumps(result)) < 4 * LARGEST


def test_a_definition_of_100_megabytes(daemon: Daemon) -> None:
    """Refused by its length, while it is still being sent; memory does not see it."""
    with daemon.connect() as sock:
        sock.sendall(struct.pack("!I", 100_000_000))
        error = read_response(sock)["error"]
    assert (error["code"], error["data"]["kind"]) == (1000, "frame.too_long")


def test_100_000_instances_that_wait(daemon: Daemon) -> None:
    params = {"run_id": "crowd", "operations": WAIT, "distribution": LOAD_OF_MANY}
    assert daemon.result("ExecuteTest", params) == "ok"

    def in_progress() -> int:
        counts = daemon.result("QueryTest", {"run_id": "crowd"})["counts"]
        assert counts["started"] == counts["finished"] + counts["in_progress"]
        return int(counts["in_progress"])

    assert settles(lambda: in_progress() == 100_000)
    almost = {**LOAD_OF_MANY, "backlog": 99_000}
    more = {**params, "run_id": "crowd of others", "distribution": almost}
    assert daemon.result("ExecuteTest", more) == "ok"
    error = daemon.call("ExecuteTest", {**params, "run_id": "one too many"})["error"]
    assert (error["code"], error["data"]["kind"]) == (2003, "overload")
    for run_id in ("crowd", "crowd of others"):
        daemon.call("CancelTest", {"run_id": run_id})
        result = daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
        assert result["completed"] == 1
        assert result["counts"]["cancelled"] == result["counts"]["started"]


def test_memory_growth_of_all_instances_of_a_load(daemon: Daemon) -> None:
    """None of the instances is large; together they are."""
    operations = [
        {"type": "eval", "expression": "$v->{a} = 'x' x 4000000 . uuid()"},
        {"type": "wait", "arguments": {"seconds": 2}},
    ]
    load = {"type": "load", "total": 500, "backlog": 500}
    counts = daemon.run({"operations": operations}, distribution=load)["counts"]
    assert counts["finished"] == 500
    assert counts["passed"] > 50
    assert counts["aborted"] > 50


def test_endless_loops_beside_one_another(daemon: Daemon) -> None:
    params, _ = ABORTED["endless branches"]
    chance = random.Random(1)
    run_ids = [f"loop {chance.random()}" for _ in range(20)]
    for run_id in run_ids:
        assert daemon.result("ExecuteTest", {**params, "run_id": run_id}) == "ok"
    for run_id in run_ids:
        result = daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
        assert (result["completed"], result["verdict"]) == (1, "abort")
