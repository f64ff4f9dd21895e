"""Traces of runs at a receiver of OTLP over HTTP, decoded with OpenTelemetry's own messages."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, example, running
from support.ports import free_port
from support.waiting import hang, until

pytestmark = pytest.mark.e2e

TABLE = '[telemetry]\ntraces = "{url}"\n'


class Receiver:
    """A collector: it keeps the requests, and answers the first ones with `codes`."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], ExportTraceServiceRequest]] = []
        self.codes: list[int] = []
        self.complaint = ""
        self.is_silent = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if outer.is_silent:
                    hang()
                code = outer.codes.pop(0) if outer.codes else 200
                answer = ExportTraceServiceResponse()
                if code == 200:
                    got = ExportTraceServiceRequest.FromString(body)
                    outer.requests.append((self.path, dict(self.headers), got))
                    answer.partial_success.error_message = outer.complaint
                octets = answer.SerializeToString()
                self.send_response(code)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(octets)))
                self.end_headers()
                self.wfile.write(octets)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/traces?tenant=lab"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def spans(self) -> list[list[Span]]:
        """Return the spans of each request."""
        return [
            [span for scope in own.scope_spans for span in scope.spans]
            for _, _, request in self.requests
            for own in request.resource_spans
        ]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def daemon(receiver: Receiver, tmp_path: Path) -> Iterator[DaemonProcess]:
    (tmp_path / "token").write_text("s3cret-token\n")
    (tmp_path / "token").chmod(0o600)
    table = TABLE.format(url=receiver.url) + f'token_file = "{tmp_path / "token"}"\n'
    with running(tmp_path / "daemon", table) as made:
        yield made


def counted(daemon: DaemonProcess) -> dict[str, int]:
    return dict(daemon.result("DescribeService")["traces"])


def values(span: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


def test_a_call_that_passes(daemon: DaemonProcess, receiver: Receiver) -> None:
    result = daemon.run(example("extension_dialing"))
    until(lambda: counted(daemon)["sent"])
    ((path, fields, request),) = receiver.requests
    assert path == "/v1/traces?tenant=lab"
    assert fields["Content-Type"] == "application/x-protobuf"
    assert fields["Authorization"] == "Bearer s3cret-token"
    about = values(request.resource_spans[0].resource)
    assert about["service.name"] == "tsvc"
    ((run, instance),) = receiver.spans()
    assert (run.name, run.parent_span_id) == ("extension_dialing", b"")
    assert (instance.trace_id, instance.parent_span_id) == (run.trace_id, run.span_id)
    assert run.status.code == instance.status.code == Status.STATUS_CODE_OK
    known = values(run)
    assert known["tsvc.run_id"] == result["run_id"]
    assert known["tsvc.counts.passed"] == 1
    seconds, micros = result["time_start"]
    assert run.start_time_unix_nano == seconds * 10**9 + micros * 1000
    first = result["first_call_summary"]
    took_s = (instance.end_time_unix_nano - instance.start_time_unix_nano) / 1e9
    assert took_s == pytest.approx(first["duration"], abs=1e-6)
    assert len(instance.events) == len(first["messages"])
    assert instance.events[0].name.startswith("BEGIN (camel2)")
    moments = [event.time_unix_nano for event in instance.events]
    assert moments == sorted(moments)
    assert instance.start_time_unix_nano <= moments[0]
    assert "s3cret-token" not in daemon.log


def test_a_load_of_which_some_fail(daemon: DaemonProcess, receiver: Receiver) -> None:
    params = {
        "vars": {"idx": {"$sequence": {"start": 0, "step": 1}}},
        "operations": [
            {"type": "branch", "expression": "$v->{idx} == 3", "on_false": "go_on"},
            {"type": "abort", "arguments": {"text": "the fourth"}},
            {"type": "eval", "label": "go_on", "expression": "1"},
        ],
        "distribution": {"type": "load", "total": 12, "backlog": 3},
    }
    result = daemon.run(params)
    until(lambda: counted(daemon)["sent"])
    ((run, *instances),) = receiver.spans()
    assert run.status.code == Status.STATUS_CODE_ERROR
    assert values(run)["tsvc.verdict"] == result["verdict"]
    by_idx = {values(one)["tsvc.instance"]: one for one in instances}
    assert len(by_idx) == len(instances) > 2, "the first, the one that aborted, the slowest"
    assert {idx for idx, one in by_idx.items() if one.status.code == Status.STATUS_CODE_ERROR} == {
        3
    }
    assert by_idx[3].status.message == "the fourth"
    assert [event.name for event in by_idx[3].events] == ["check failed"]
    assert {one.parent_span_id for one in instances} == {run.span_id}


def test_a_receiver_that_is_busy_is_asked_again(daemon: DaemonProcess, receiver: Receiver) -> None:
    receiver.codes = [503, 429]
    receiver.complaint = "span names are odd"
    daemon.run({"operations": [{"type": "eval", "expression": "1"}]})
    until(lambda: counted(daemon)["sent"])
    assert counted(daemon) == {"sent": 1, "lost": 0}
    assert len(receiver.requests) == 1
    assert 'reason="span names are odd"' in daemon.log


def test_a_receiver_that_refuses_loses_that_run_only(
    daemon: DaemonProcess, receiver: Receiver
) -> None:
    receiver.codes = [400]
    for _ in range(2):
        daemon.run({"operations": [{"type": "eval", "expression": "1"}]})
    until(lambda: counted(daemon)["sent"])
    assert counted(daemon) == {"sent": 1, "lost": 1}
    assert "answers HTTP 400" in daemon.log


def test_nobody_waits_for_a_receiver_that_says_nothing(
    daemon: DaemonProcess, receiver: Receiver
) -> None:
    receiver.is_silent = True
    for _ in range(3):
        assert (
            daemon.run({"operations": [{"type": "eval", "expression": "1"}]})["verdict"] == "pass"
        )
    assert daemon.stop() == 0
    assert daemon.log.count("traces of a run are lost") == 3


def test_a_receiver_that_is_not_there(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1/traces"
    with running(tmp_path, TABLE.format(url=url)) as daemon:
        assert daemon.run(example("extension_dialing"))["verdict"] == "pass"
        assert daemon.stop() == 0
        assert "Connection refused" in daemon.wait_for("traces of a run are lost")


def test_without_a_receiver_nothing_of_it_is_imported() -> None:
    program = (
        "from gevent import monkey; monkey.patch_all()\n"
        "import tsvc.cli.tsvcd, tsvc.engine.service, sys\n"
        "assert 'tsvc.engine.result.otlp' in sys.modules\n"
        "assert not [name for name in sys.modules if name.split('.')[0] in"
        " ('opentelemetry', 'google.protobuf')]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=HANG_GUARD_S, cwd=ROOT)
