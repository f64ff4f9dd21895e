"""The client against a real socket server that speaks the framing with tsvc.rpc.framing."""

import base64
import json
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tsvc.client import Client, TsvcError, Unreachable, default_address, new_run_id
from tsvc.errors import DefinitionError, RunIdInUse
from tsvc.rpc.framing import FrameDecoder, FrameState, encode_frame

HANG_GUARD_S = 60.0
Answer = Callable[[dict[str, Any]], bytes]


class Server:
    """Answers the request of each connection with the octets that `answer` returns for it."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.answer: Answer = result("ok")
        self._sock = socket.create_server(("127.0.0.1", 0))
        self._sock.settimeout(HANG_GUARD_S)
        self.port: int = self._sock.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def client(self, **options: Any) -> Client:
        return Client("127.0.0.1", self.port, **options)

    def close(self) -> None:
        self._sock.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._sock.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(HANG_GUARD_S)
                decoder = FrameDecoder()
                while decoder.state is not FrameState.COMPLETE and (part := connection.recv(7)):
                    decoder.feed(part)
                if decoder.state is FrameState.COMPLETE:  # otherwise the client has gone
                    self.requests.append(json.loads(decoder.body))
                    connection.sendall(self.answer(self.requests[-1]))


def result(value: Any) -> Answer:
    def answer(request: dict[str, Any]) -> bytes:
        return frame({"jsonrpc": "2.0", "result": value, "id": request["id"]})

    return answer


def error(code: int, message: str, data: Any = None) -> Answer:
    def answer(request: dict[str, Any]) -> bytes:
        found = {"code": code, "message": message}
        if data is not None:
            found["data"] = data
        return frame({"jsonrpc": "2.0", "result": None, "error": found, "id": request["id"]})

    return answer


def frame(document: Any) -> bytes:
    return encode_frame(json.dumps(document).encode())


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


def test_a_call_carries_method_params_and_token(server: Server) -> None:
    server.answer = result({"a": [1, "é"]})
    assert server.client(token="secret token").call("Echo", {"x": "ü"}) == {"a": [1, "é"]}
    assert server.requests == [
        {
            "jsonrpc": "2.0",
            "method": "Echo",
            "params": {"x": "ü", "auth_token": "secret token"},
            "id": 1,
        }
    ]


def test_a_response_is_handed_on_as_it_came(server: Server) -> None:
    """Its octets are unchanged and not examined, those of a refusal as well."""
    for octets in (b'{"jsonrpc": "2.0",  "result": 1.50}', b'{"error": {}}', b"no JSON"):
        sent = len(octets).to_bytes(4, "big") + octets
        server.answer = lambda _, sent=sent: sent
        assert Client("127.0.0.1", server.port, token="t").forward("Echo", {"a": 1}) == octets
    assert server.requests[-1]["params"] == {"a": 1, "auth_token": "t"}


def test_execute_merges_definition_and_params(server: Server) -> None:
    definition = {"operations": [], "vars": {"a": 1}}
    run_id = server.client().execute(definition, seed=5, vars={"a": 2})
    assert server.requests[0]["method"] == "ExecuteTest"
    assert server.requests[0]["params"] == {
        "operations": [],
        "vars": {"a": 2},
        "seed": 5,
        "run_id": run_id,
    }
    assert definition == {"operations": [], "vars": {"a": 1}}


def test_new_run_ids_differ_and_fit() -> None:
    assert new_run_id() != new_run_id()
    assert len(new_run_id("x" * 500)) < 256


QUERY = {
    "run_id": "r",
    "completed": 1,
    "state": "completed",
    "verdict": "fail",
    "time_start": [10, 500000],
    "time_finish": [12, 0],
    "duration": 1.5,
    "counts": {"planned": 3, "started": 3, "finished": 3, "passed": 2, "failed": 1, "new": 9},
    "rate": {"asked": 5, "achieved": 4.5, "late": 1, "lateness_ms": {"p50": 1.0}},
    "latency": {"response": {"name": "instance", "count": 3, "p99_ms": 2.5}},
    "operations": [{"op": 1, "name": "Connect", "count": 3, "p99_ms": 1.25}],
    "time_now": [12, 250000],
    "first_call_summary": {
        "idx": "0",
        "state": "failed",
        "check_log": [
            {"t": 0.1, "op": 2, "step": 3, "level": "fail", "text": "x", "expected": 1, "got": 2}
        ],
        "ladder": "a -> b",
    },
    "first_fails": [{"idx": "0", "cause": "x"}],
    "halted": [{"instance_id": "41", "op": 3, "comment": "go?", "seconds_left": 5}],
    "problems": [{"path": "p", "text": "t", "severity": "warning"}],
    "globals": {"n": 1},
    "seed": 7,
}


def test_a_result_is_typed(server: Server) -> None:
    server.answer = result(QUERY)
    run = server.client().query("r", wait_s=3)
    assert server.requests[0]["params"] == {"run_id": "r", "wait_s": 3}
    assert (run.run_id, run.completed, run.verdict, run.seed) == ("r", True, "fail", 7)
    assert (run.time_start, run.time_finish, run.duration) == (10.5, 12.0, 1.5)
    assert (run.counts.planned, run.counts.failed, run.counts.aborted) == (3, 1, 0)
    assert run.counts.raw["new"] == 9
    assert (run.rate.asked, run.rate.achieved, run.rate.late) == (5.0, 4.5, 1)
    assert run.response is not None
    assert run.response.p99_ms == 2.5
    assert run.service is None
    assert [(one.name, one.raw["op"], one.p99_ms) for one in run.operations] == [
        ("Connect", 1, 1.25)
    ]
    assert run.time_now == 12.25
    assert run.first_call is not None
    assert run.first_call.ladder == "a -> b"
    (check,) = run.first_call.checks
    assert (check.op, check.level, check.expected, check.got) == (2, "fail", 1, 2)
    assert run.first_fails[0].cause == "x"
    assert (run.halted[0].instance_id, run.halted[0].seconds_left) == ("41", 5.0)
    assert run.problems[0].severity == "warning"
    assert run.raw == QUERY


@pytest.mark.parametrize(
    "answer",
    [{}, {"counts": 3, "first_call_summary": [], "rate": None, "operations": [None, 3]}],
)
def test_missing_and_strange_members_are_tolerated(server: Server, answer: Any) -> None:
    server.answer = result(answer)
    run = server.client().query("r")
    assert (run.run_id, run.completed, run.counts.started, run.rate.asked) == ("", False, 0, None)
    assert run.first_call is None


def test_wait_asks_until_the_run_completed(server: Server) -> None:
    states = iter([0, 0, 1])
    server.answer = lambda request: result({"completed": next(states), "run_id": "r"})(request)
    seen: list[bool] = []
    run = server.client().wait("r", lambda state: seen.append(state.completed), interval_s=0.1)
    assert run.completed
    assert seen == [False, False]
    assert [request["params"]["wait_s"] for request in server.requests] == [0.1, 0.1, 0.1]


def test_wait_gives_up(server: Server) -> None:
    server.answer = result({"completed": 0})
    with pytest.raises(TimeoutError, match="run r has not completed after 0 s"):
        server.client().wait("r", timeout_s=0)


def test_execute_can_wait(server: Server) -> None:
    server.answer = result(QUERY)
    assert server.client().execute({"operations": []}, "mine", wait=True).verdict == "fail"
    assert [request["method"] for request in server.requests] == ["ExecuteTest", "QueryTest"]
    assert {request["params"]["run_id"] for request in server.requests} == {"mine"}


def test_a_refusal_is_the_exception_of_its_code(server: Server) -> None:
    fields = {"operations[0].type": ["unknown operation type"]}
    server.answer = error(2002, "wrong", {"kind": "definition.invalid", "fields": fields, "n": 1})
    with pytest.raises(DefinitionError) as caught:
        server.client().execute({"operations": []})
    found = caught.value
    assert (found.code, found.kind, found.message) == (2002, "definition.invalid", "wrong")
    assert found.fields == fields
    assert found.data == {"n": 1}


def test_codes_without_data_and_new_codes(server: Server) -> None:
    server.answer = error(2001, "taken")
    with pytest.raises(RunIdInUse) as in_use:
        server.client().call("ExecuteTest")
    assert in_use.value.kind == "run_id.in_use"
    server.answer = error(2999, "of tomorrow", {"kind": "new.thing"})
    with pytest.raises(TsvcError) as unknown:
        server.client().call("ExecuteTest")
    assert (unknown.value.code, unknown.value.kind) == (2999, "new.thing")


def test_trace_decodes_pcap_only(server: Server) -> None:
    octets = b"\xd4\xc3\xb2\xa1"
    server.answer = result({"format": "pcap", "content": base64.b64encode(octets).decode()})
    assert server.client().trace("r", "pcap") == octets
    server.answer = result({"format": "text", "content": "abcd"})
    assert server.client().trace("r") == "abcd"


def test_a_run_is_steered(server: Server) -> None:
    client = server.client()
    server.answer = result({"run_id": "r", "asked": 50.0})
    client.rate_test("r", 50)
    client.rate_test("r", {"target": 50, "initial": 10, "ramp_s": 5})
    client.pause("r")
    client.pause("r", paused=False)
    assert [(request["method"], request["params"]) for request in server.requests] == [
        ("RateTest", {"run_id": "r", "cps": 50}),
        ("RateTest", {"run_id": "r", "cps": {"target": 50, "initial": 10, "ramp_s": 5}}),
        ("PauseTest", {"run_id": "r", "paused": True}),
        ("PauseTest", {"run_id": "r", "paused": False}),
    ]


def test_the_archive_is_listed_and_read(server: Server) -> None:
    client = server.client()
    server.answer = result({"results": [{**QUERY, "result_id": 9}, {"result_id": 8}, None]})
    latest, older = client.list_results(2, before=10, run_id="r")
    assert (latest.result_id, latest.run_id, latest.state) == (9, "r", "completed")
    assert (latest.verdict, latest.time_start, latest.duration) == ("fail", 10.5, 1.5)
    assert (latest.counts.passed, older.result_id, older.time_start) == (2, 8, None)
    server.answer = result({"results": []})
    assert client.list_results() == []
    server.answer = result({**QUERY, "result_id": 9})
    assert client.get_result(9).raw["result_id"] == 9
    server.answer = result({**QUERY, "result_id": 9, "definition": {"comment": "ours"}})
    assert client.get_result(9, definition=True).raw["definition"] == {"comment": "ours"}
    assert [(request["method"], request["params"]) for request in server.requests] == [
        ("ListResults", {"limit": 2, "before": 10, "run_id": "r"}),
        ("ListResults", {"limit": 50}),
        ("GetResult", {"result_id": 9}),
        ("GetResult", {"result_id": 9, "definition": True}),
    ]


def test_other_methods_send_what_they_say(server: Server) -> None:
    client = server.client()
    server.answer = result({"resumed": 1})
    client.resume("r", "41")
    server.answer = result({"cancelled": 0, "completed": 1})
    assert client.cancel("r").raw["cancelled"] == 0
    server.answer = result({"valid": False, "problems": [{"path": "p", "text": "t"}]})
    found = client.validate({"operations": []})
    assert (found.valid, found.problems[0].severity) == (False, "error")
    server.answer = result({"operations": [{"type": "wait"}]})
    assert client.describe_operations("wait") == [{"type": "wait"}]
    server.answer = result({"tests": [{"run_id": "a"}, {"run_id": "b"}]})
    assert [run.run_id for run in client.query_all()] == ["a", "b"]
    server.answer = result({"name": "tsvc"})
    assert client.describe_service() == {"name": "tsvc"}
    sent = [(request["method"], request["params"]) for request in server.requests]
    assert sent == [
        ("ResumeInstance", {"run_id": "r", "instance_id": "41"}),
        ("CancelTest", {"run_id": "r"}),
        ("ValidateTest", {"operations": []}),
        ("DescribeOperations", {"type": "wait"}),
        ("QueryAllTests", {}),
        ("DescribeService", {}),
    ]


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (b"", "ended before an answer; does the port want TLS?"),
        (b"\0\0\0\x09{}", "ended before the answer was complete"),
        (b"\0\0\0\x02[]", "not JSON-RPC"),
        (b"\0\0\0\x04oops", "not JSON-RPC"),
        (b"\0\0\0\x02{}", "no result and no error"),
    ],
)
def test_no_usable_answer_is_unreachable(server: Server, octets: bytes, text: str) -> None:
    server.answer = lambda _: octets
    with pytest.raises(Unreachable, match=text):
        server.client().call("Echo")


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(Unreachable, match="connection refused; is tsvcd running there"):
        Client("127.0.0.1", port).call("Echo")


def test_silence_ends_at_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = Client("127.0.0.1", silent.getsockname()[1], timeout_s=0.05)
        with pytest.raises(Unreachable, match=r"no answer within 0\.05 s"):
            client.call("Echo")


def test_tls_to_a_plain_server_is_unreachable(server: Server) -> None:
    server.answer = lambda _: b""
    context = ssl.create_default_context()
    with pytest.raises(Unreachable):
        server.client(tls=context, timeout_s=2).call("Echo")


@pytest.mark.parametrize(
    ("address", "port", "expected"),
    [
        ("host:1234", None, ("host", 1234)),
        ("host", 1234, ("host", 1234)),
        ("host", None, ("host", 9009)),
        (":1234", None, ("127.0.0.1", 1234)),
        ("[::1]:1234", None, ("::1", 1234)),
        ("::1", None, ("::1", 9009)),
        (None, 1234, ("127.0.0.1", 1234)),
    ],
)
def test_addresses(
    monkeypatch: pytest.MonkeyPatch, address: str | None, port: int | None, expected: Any
) -> None:
    monkeypatch.delenv("TSVC_HOST", raising=False)
    monkeypatch.delenv("TSVC_PORT", raising=False)
    client = Client(address, port)
    assert (client.host, client.port) == expected


def test_the_default_address_comes_from_the_environment() -> None:
    assert default_address({}) == ("127.0.0.1", 9009)
    assert default_address({"TSVC_HOST": "sut", "TSVC_PORT": "77"}) == ("sut", 77)
    with pytest.raises(ValueError, match="'99999' is not a TCP port"):
        default_address({"TSVC_PORT": "99999"})


def test_importing_the_client_brings_no_gevent_and_no_server() -> None:
    program = (
        "import sys, tsvc.client; "
        "print([name for name in sys.modules if name.startswith(('gevent', 'marshmallow',"
        " 'tsvc.server', 'tsvc.engine', 'tsvc.methods', 'ssl'))])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.stdout.strip(), found.returncode) == ("[]", 0)


def test_it_works_in_a_patched_program(server: Server) -> None:
    server.answer = result("patched")
    program = (
        "from gevent import monkey; monkey.patch_all()\n"
        "from tsvc.client import Client\n"
        f"print(Client('127.0.0.1', {server.port}).call('Echo'))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.stdout.strip(), found.returncode) == ("patched", 0)
