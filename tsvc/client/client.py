"""A blocking client of the interface; it needs only the standard library and ujson.

    with Client("tester:9009") as client:
        result = client.execute(definition, wait=True)
        assert result.verdict == "pass", result.first_call

It works in programs with and without gevent's patches. Every call opens a new connection, as the
interface requires, so many threads or greenlets may use the same Client.
"""

import os
import socket
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

import ujson

from tsvc.client.results import (
    Archived,
    Json,
    RunResult,
    Validation,
    read_archived,
    read_run,
    read_validation,
)
from tsvc.errors import (
    DefinitionError,
    RequestError,
    RunIdInUse,
    RunIdMissing,
    StartError,
    TsvcError,
    UnknownMethod,
    UnknownRun,
    reason,
)
from tsvc.numbers import encode_exactly

if TYPE_CHECKING:
    import ssl

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 9009
LONGEST_WAIT_S = 60.0  # the most that QueryTest takes as wait_s

_HEADER_OCTETS = 4
_CLASSES: Mapping[int, type[TsvcError]] = {
    cls.code: cls
    for cls in (
        RequestError,
        UnknownMethod,
        RunIdMissing,
        RunIdInUse,
        DefinitionError,
        StartError,
        UnknownRun,
    )
}


class Unreachable(ConnectionError):
    """There is no answer: nothing listens there, the connection was lost, or it is not tsvc."""


class _Incomplete(ConnectionError):
    """The connection ended in an answer, or before it."""


class Client:
    """Calls the methods of one service.

    `address` is "host", "host:port" or "[v6]:port"; missing parts come from TSVC_HOST and
    TSVC_PORT, otherwise they are 127.0.0.1 and 9009. `tls` True verifies the server with the
    system's authorities; give an ssl.SSLContext for your own authorities or a client certificate.
    `timeout_s` limits every call, in addition to the time that the service was asked to wait.

    Every call blocks until it is answered. Errors of every call: TsvcError (the subclass of its
    code if there is one) if the service refuses, Unreachable if it does not answer.
    """

    def __init__(
        self,
        address: str | None = None,
        port: int | None = None,
        *,
        token: str | None = None,
        timeout_s: float = 35.0,
        tls: "ssl.SSLContext | bool" = False,
    ) -> None:
        self.host, self.port = _address(address, port)
        self._token = token
        self._timeout_s = timeout_s
        self._tls = _context(tls)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing: no connection is open between calls."""

    def __repr__(self) -> str:
        return f"Client({self.host!r}, {self.port})"

    def call(self, method: str, params: Json | None = None, *, wait_s: float = 0.0) -> Any:
        """Call any method and return its result unchanged.

        `wait_s` is the time that the service may take in addition to the client's timeout.
        """
        answer = self._answer(self.forward(method, params, wait_s=wait_s))
        error = answer.get("error")
        if isinstance(error, dict):
            raise _error_of(error)
        if "result" not in answer:
            raise Unreachable(f"{self._place()}: the answer has no result and no error")
        return answer["result"]

    def forward(self, method: str, params: Json | None = None, *, wait_s: float = 0.0) -> bytes:
        """Call any method and return the octets of the response object, unchanged.

        This is for programs that forward the response, which may also be a refusal by the service;
        it is not parsed. Errors: Unreachable.
        """
        members = dict(params or {})
        if self._token is not None:
            members["auth_token"] = self._token
        request = {"jsonrpc": "2.0", "method": method, "params": members, "id": 1}
        return self._exchange(encode_exactly(request), self._timeout_s + wait_s)

    @overload
    def execute(
        self, definition: Json, run_id: str | None = None, *, wait: Literal[True], **params: Any
    ) -> RunResult: ...

    @overload
    def execute(
        self,
        definition: Json,
        run_id: str | None = None,
        *,
        wait: Literal[False] = False,
        **params: Any,
    ) -> str: ...

    def execute(
        self, definition: Json, run_id: str | None = None, *, wait: bool = False, **params: Any
    ) -> str | RunResult:
        """Start a Test Run and return its run_id, or with `wait` its result after completion.

        `definition` has the params of ExecuteTest without run_id; `params` add or replace members.
        """
        run_id = run_id or new_run_id()
        self.call("ExecuteTest", {**definition, **params, "run_id": run_id})
        return self.wait(run_id) if wait else run_id

    def query(self, run_id: str, wait_s: float = 0.0, *, collect: bool = True) -> RunResult:
        """Return the current state of a Test Run, or its result if it completes in wait_s (0-60).

        Once a run is returned as completed, its run_id is free again. With `collect` off nothing
        changes, so that other people's runs can be watched.
        """
        params: dict[str, Any] = {"run_id": run_id}
        if not collect:
            params["collect"] = False
        if wait_s > 0:
            params["wait_s"] = wait_s
        return read_run(self.call("QueryTest", params, wait_s=wait_s))

    def query_all(self) -> list[RunResult]:
        """Return every run that is in progress or not yet collected, in short form."""
        answer = self.call("QueryAllTests")
        return [read_run(one) for one in answer.get("tests", [])]

    def wait(
        self,
        run_id: str,
        on_progress: Callable[[RunResult], None] | None = None,
        *,
        interval_s: float = 1.0,
        timeout_s: float | None = None,
        collect: bool = True,
    ) -> RunResult:
        """Wait until a Test Run has completed and return its result; `collect` is as in query().

        `on_progress` gets the current state of the run every interval_s. Errors: TimeoutError
        after timeout_s; the run continues.
        """
        ends = None if timeout_s is None else time.monotonic() + timeout_s
        step = interval_s if on_progress else LONGEST_WAIT_S
        while True:
            left = step if ends is None else max(0.0, min(step, ends - time.monotonic()))
            result = self.query(run_id, min(left, LONGEST_WAIT_S), collect=collect)
            if result.completed:
                return result
            if on_progress is not None:
                on_progress(result)
            if ends is not None and time.monotonic() >= ends:
                raise TimeoutError(f"run {run_id} has not completed after {timeout_s:g} s")

    def cancel(self, run_id: str) -> RunResult:
        """Cancel a Test Run and return its result; `raw["cancelled"]` is 0 if it was over."""
        return read_run(self.call("CancelTest", {"run_id": run_id}))

    def resume(self, run_id: str, instance_id: str) -> None:
        """Resume an instance that has stopped at a halt operation."""
        self.call("ResumeInstance", {"run_id": run_id, "instance_id": instance_id})

    def rate_test(self, run_id: str, cps: float | Json) -> None:
        """Set a new rate for a linear run in progress: calls per second, or an object.

        The object is as in `cps` of a distribution, such as {"target": 50, "ramp_s": 10}.
        """
        self.call("RateTest", {"run_id": run_id, "cps": cps})

    def pause(self, run_id: str, paused: bool = True) -> None:
        """Pause the starts of a load or linear run, or resume them with paused=False.

        Planned starts shift by the pause; instances in progress continue.
        """
        self.call("PauseTest", {"run_id": run_id, "paused": paused})

    def list_results(
        self,
        limit: int = 50,
        *,
        before: int | None = None,
        run_id: str | None = None,
        name: str | None = None,
        verdict: str | None = None,
        begin: float | None = None,
        end: float | None = None,
        text: str | None = None,
    ) -> list[Archived]:
        """Return archived runs, latest first: at most `limit` (1-1000), filtered by the arguments.

        `before` is the result_id of the last run on the page before. `name` is that of the
        definition; `begin` and `end` bound the run's start, in seconds since the epoch; `text` is
        contained in run_id, name or client.
        """
        given: dict[str, Any] = {
            "before": before,
            "run_id": run_id,
            "name": name,
            "verdict": verdict,
            "from": begin,
            "to": end,
            "text": text,
        }
        wanted = {member: value for member, value in given.items() if value is not None}
        answer = self.call("ListResults", {"limit": limit, **wanted})
        return [read_archived(one) for one in answer.get("results", []) if isinstance(one, dict)]

    def get_result(self, result_id: int, *, definition: bool = False) -> RunResult:
        """Return the whole result of an archived run; `definition` adds raw["definition"].

        Errors: UnknownRun if there is no such run, or it was removed.
        """
        params: dict[str, Any] = {"result_id": result_id}
        if definition:
            params["definition"] = True
        return read_run(self.call("GetResult", params))

    def validate(self, definition: Json, **params: Any) -> Validation:
        """Check a definition as ExecuteTest does, without starting a run."""
        return read_validation(self.call("ValidateTest", {**definition, **params}))

    def describe_operations(self, type: str | None = None) -> list[Json]:
        """Return the catalogue of operation types, or only the entry of the type with a name."""
        answer = self.call("DescribeOperations", {} if type is None else {"type": type})
        return [one for one in answer.get("operations", []) if isinstance(one, dict)]

    def describe_definition(self) -> Json:
        """Return the JSON Schema of definition files."""
        answer: Json = self.call("DescribeDefinition")
        return {name: answer[name] for name in answer if name not in ("etag", "unchanged")}

    def describe_service(self) -> Json:
        """Return version, uptime, gateways, limits and counters of the service."""
        answer: Json = self.call("DescribeService")
        return answer

    def trace(self, run_id: str, format: str = "text", instance: str = "0") -> Any:
        """Return the trace of an instance: text, ladder, svg as str, pcap as bytes, json."""
        params = {"run_id": run_id, "instance": instance, "format": format}
        content = self.call("GetTrace", params)["content"]
        return b64decode(content) if format == "pcap" else content

    def _exchange(self, body: bytes, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        try:
            with self._connected(timeout_s) as sock:
                sock.sendall(len(body).to_bytes(_HEADER_OCTETS, "big") + body)
                return b"".join(_portions(sock, deadline))
        except TimeoutError:
            raise Unreachable(f"{self._place()}: no answer within {timeout_s:g} s") from None
        except OSError as error:
            # A service with TLS ends the connection of a client that speaks none.
            is_refused = isinstance(error, ConnectionResetError) and self._tls is None
            hint = "; does the port want TLS?" if is_refused else ""
            raise Unreachable(f"{self._place()}: {_reason(error)}{hint}") from None

    def _connected(self, timeout_s: float) -> socket.socket:
        sock = socket.create_connection((self.host, self.port), timeout_s)
        if self._tls is None:
            return sock
        try:
            return self._tls.wrap_socket(sock, server_hostname=self.host)
        except BaseException:
            sock.close()
            raise

    def _answer(self, octets: bytes) -> Json:
        try:
            answer = ujson.loads(octets)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise Unreachable(f"{self._place()}: what came back is not JSON-RPC: no tsvc service?")
        return answer

    def _place(self) -> str:
        return f"{self.host} port {self.port}"


def new_run_id(prefix: str = "tsvc") -> str:
    """Return a new random run_id; `prefix` describes it for people."""
    return f"{prefix[:40]}-{os.urandom(6).hex()}"


def default_address(environ: Mapping[str, str] = os.environ) -> tuple[str, int]:
    """Return host and port from TSVC_HOST and TSVC_PORT. Errors: ValueError for a bad port."""
    return environ.get("TSVC_HOST") or DEFAULT_HOST, _port(environ.get("TSVC_PORT"))


def _address(address: str | None, port: int | None) -> tuple[str, int]:
    default_host, default_port = default_address()
    if address is None:
        return default_host, port or default_port
    host, given = address, ""
    if address.startswith("["):
        host, _, given = address[1:].partition("]")
        given = given.removeprefix(":")
    elif address.count(":") == 1:
        host, _, given = address.partition(":")
    return host or default_host, port or (_port(given) if given else default_port)


def _port(text: str | None) -> int:
    if not text:
        return DEFAULT_PORT
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise ValueError(f"{text!r} is not a TCP port")
    return int(text)


def _context(tls: "ssl.SSLContext | bool") -> "ssl.SSLContext | None":
    if tls is True:
        import ssl  # its import takes longer than all the rest of this module

        return ssl.create_default_context()
    return tls or None


def _portions(sock: socket.socket, deadline: float) -> Iterator[bytes]:
    """Yield the body of the only frame of a connection."""
    try:
        header = b"".join(_exactly(sock, _HEADER_OCTETS, deadline))
    except _Incomplete:
        raise ConnectionResetError("the connection ended before an answer") from None
    yield from _exactly(sock, int.from_bytes(header, "big"), deadline)


def _exactly(sock: socket.socket, octets: int, deadline: float) -> Iterator[bytes]:
    while octets:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sock.settimeout(left)
        portion = sock.recv(min(octets, 1 << 20))
        if not portion:
            raise _Incomplete("the connection ended before the answer was complete")
        octets -= len(portion)
        yield portion


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; is tsvcd running there?"
    return reason(error)


def _error_of(error: Json) -> TsvcError:
    """Return the exception for an error object; its code may be unknown here."""
    code = error.get("code")
    number = code if isinstance(code, int) else RequestError.code
    known = _CLASSES.get(number)
    cls: type[TsvcError] = known or type("TsvcError", (TsvcError,), {"code": number})
    data = error.get("data")
    members = dict(data) if isinstance(data, dict) else {}
    kind = members.pop("kind", None)
    fields = members.pop("fields", None)
    found = cls(
        str(error.get("message", "")),
        kind=kind if isinstance(kind, str) else None,
        fields=fields if isinstance(fields, dict) else None,
    )
    found.data = members
    return found
