"""The request example of the reference, over a raw socket and from a foreign client."""

import json
import shutil
import struct
import subprocess
import uuid
from typing import Any

from support.daemons import HANG_GUARD_S, DaemonProcess, read_response, require_peer


def reference_request(run_id: str) -> dict[str, Any]:
    """Return the request as the reference shows it: trace_level as a string, id as a number."""
    return {
        "jsonrpc": "2.0",
        "method": "ExecuteTest",
        "params": {
            "run_id": run_id,
            "trace_level": "2",
            "distribution": {"type": "single"},
            "operations": [
                {
                    "type": "inap.ssp_to_scp.InitialDP",
                    "arguments": {
                        "serviceKey": 45,
                        "eventTypeBCSM": 3,
                        "callingPartyNumber_digits": "6421000001",
                        "callingPartyNumber_noa": 3,
                        "calledPartyNumber_digits": "0800123456",
                    },
                }
            ],
        },
        "id": 1,
    }


def test_reference_example_answers_ok(daemon: DaemonProcess) -> None:
    request = reference_request(uuid.uuid4().hex)
    assert daemon.request(json.dumps(request).encode()) == {
        "jsonrpc": "2.0",
        "result": "ok",
        "id": 1,
    }


def test_reference_example_byte_by_byte(daemon: DaemonProcess) -> None:
    body = json.dumps(reference_request(uuid.uuid4().hex)).encode()
    with daemon.connect() as sock:
        for octet in struct.pack("!I", len(body)) + body:
            sock.sendall(bytes((octet,)))
        response = read_response(sock)
        assert response == {"jsonrpc": "2.0", "result": "ok", "id": 1}
        assert sock.recv(1) == b"", "one response, then the server closes"


def test_one_request_a_connection(daemon: DaemonProcess) -> None:
    first = json.dumps(reference_request(uuid.uuid4().hex)).encode()
    second = json.dumps({"jsonrpc": "2.0", "method": "QueryAllTests", "id": 2}).encode()
    with daemon.connect() as sock:
        for body in (first, second):
            sock.sendall(struct.pack("!I", len(body)) + body)
        assert read_response(sock)["id"] == 1
        assert sock.recv(1) == b""


ERLANG = """
[Port, File] = init:get_plain_arguments(),
{ok, Body} = file:read_file(File),
Options = [binary, {packet,4}, {active,false}],
{ok, S} = gen_tcp:connect("127.0.0.1", list_to_integer(Port), Options),
ok = gen_tcp:send(S, Body),
{ok, Answer} = gen_tcp:recv(S, 0, 30000),
{error, closed} = gen_tcp:recv(S, 0, 30000),
io:put_chars([Answer, "\\n"]),
halt(0).
"""


def test_erlang_packet_4(daemon: DaemonProcess, tmp_path: Any) -> None:
    """Erlang's own {packet,4} framing talks to the service."""
    erl = require_peer(shutil.which("erl"), "apt-get install erlang-base")
    body = tmp_path / "request.json"
    body.write_text(json.dumps(reference_request(uuid.uuid4().hex)))
    done = subprocess.run(
        [erl, "-noshell", "-eval", ERLANG, "-extra", str(daemon.port), str(body)],
        capture_output=True,
        timeout=HANG_GUARD_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "result": "ok", "id": 1}


def test_reference_example_runs(daemon: DaemonProcess) -> None:
    """Without an expected operation, the run reports the SCP's answer as unexpected."""
    request = reference_request(uuid.uuid4().hex)
    result = daemon.run(request["params"])
    assert result["counts"]["started"] == 1
    assert result["verdict"] == "abort"
    reason = result["first_call_summary"]["reason"]
    assert "unexpected RequestReportBCSMEvent at the end" in reason
