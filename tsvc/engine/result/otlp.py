"""Sends the spans of completed runs to a receiver of OpenTelemetry's protocol: OTLP over HTTP.

One greenlet sends one run after the other, so that no run waits for a receiver. Spans that can't
be sent are lost, which is counted and logged: results are kept in the archive.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import gevent
from gevent.event import Event
from gevent.queue import Empty, Queue

from tsvc import __version__, turns
from tsvc.config.tables import Telemetry
from tsvc.engine.give_way import slices
from tsvc.errors import GatewayError
from tsvc.log import get_logger
from tsvc.results import otel

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from tsvc.transport.http.client import HttpClient
    from tsvc.transport.http.message import Response

log = get_logger("telemetry")

MOST_WAITING = 64  # results: each is held in full
PAUSES_S = (0.5, 2.0, 8.0)  # before another attempt
_AGAIN = frozenset({429, 502, 503, 504})  # status codes that the protocol allows to retry
_DEADLINE_S = 10.0
_ENDS = "the daemon stops"
_INT64 = range(-(1 << 63), 1 << 63)


class NotSent(Exception):
    """A receiver did not take a run; the text says why."""


class TraceExporter:
    """Sends completed runs: start(), offer() each of them, stop(). Idle without a receiver."""

    def __init__(self, settings: Telemetry, service_name: str) -> None:
        self.settings = settings
        self._service_name = service_name
        self._waiting: Queue[Mapping[str, Any] | None] = Queue(MOST_WAITING)
        self._stopping = Event()
        self._greenlet: gevent.Greenlet[..., None] | None = None
        self._client: HttpClient | None = None
        self.counters = {"sent": 0, "lost": 0}

    def start(self) -> None:
        """Start; connects when there is something to send. Errors: GatewayError for TLS files."""
        if not self.settings.traces:
            return
        from tsvc.transport.http.client import HttpClient
        from tsvc.transport.http.settings import HttpConfig, tls_context

        parts = urlsplit(self.settings.traces)
        config = HttpConfig(
            base_uri=f"{parts.scheme}://{parts.netloc}",
            ssl_ca_file=str(self.settings.ca_file or ""),
            num_client_connections=1,
            server_timeout_s=_DEADLINE_S,
        )
        context = tls_context(config) if parts.scheme == "https" else None
        self._client = HttpClient(config, context)
        self._client.pool.open()
        self._greenlet = gevent.spawn(self._send_all)

    def offer(self, result: Mapping[str, Any]) -> None:
        """Queue the result of a completed run. Never blocks."""
        if self._greenlet is None:
            return
        if self._waiting.full():
            self._lose(str(result["run_id"]), f"{MOST_WAITING} runs wait already")
        else:
            self._waiting.put(result)

    def stop(self, grace_s: float) -> None:
        """Send the results that wait, and stop. Blocks: up to grace_s."""
        if self._greenlet is None or self._client is None:
            return
        self._stopping.set()
        if not self._waiting.full():
            self._waiting.put(None)
        self._greenlet.join(grace_s)
        self._greenlet.kill()
        self._greenlet = None
        self._lose_rest()
        self._client.close(_ENDS)

    def _lose_rest(self) -> None:
        try:
            while True:
                result = self._waiting.get_nowait()
                if result is not None:
                    self._lose(str(result["run_id"]), _ENDS)
        except Empty:
            pass

    def _send_all(self) -> None:
        while (result := self._waiting.get()) is not None:
            run_id = str(result["run_id"])
            try:
                with turns.given(slices()):
                    body = octets_of(otel.spans_of(result), self._service_name)
                self._send(run_id, body)
                self.counters["sent"] += 1
            except NotSent as problem:
                self._lose(run_id, str(problem))
            except gevent.GreenletExit:
                self._lose(run_id, _ENDS)
                raise
            except Exception as error:  # noqa: BLE001 - the next run is sent all the same
                self.counters["lost"] += 1
                log.failure("traces of a run are lost", error, run_id=run_id)
            del result  # not kept while waiting for the next

    def _lose(self, run_id: str, why: str) -> None:
        self.counters["lost"] += 1
        log.warning("traces of a run are lost", run_id=run_id, reason=why)

    def _send(self, run_id: str, body: bytes) -> None:
        """Send a request, again if that may help. Errors: NotSent. Blocks: up to 50 s."""
        for pause_s in (*PAUSES_S, None):
            try:
                response = self._post(body)
            except GatewayError as error:
                problem, may_help = str(error), True
            else:
                if response.code == 200:
                    self._read(run_id, response)
                    return
                problem = f"{self.settings.traces} answers HTTP {response.code}"
                may_help = response.code in _AGAIN
            if pause_s is None or not may_help or self._stopping.wait(pause_s):
                raise NotSent(problem)

    def _post(self, body: bytes) -> "Response":
        if self._client is None:
            raise NotSent(_ENDS)
        parts = urlsplit(self.settings.traces)
        fields = [
            ("Host", self._client.server.authority),
            ("User-Agent", f"tsvc/{__version__}"),
            ("Content-Type", "application/x-protobuf"),
            ("Content-Length", str(len(body))),
        ]
        if self.settings.token:
            fields.append(("Authorization", f"Bearer {self.settings.token}"))
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        from tsvc.transport.http.message import Request

        return self._client.send(Request("POST", target, tuple(fields), body))

    def _read(self, run_id: str, response: "Response") -> None:
        """Log a request that a receiver has accepted only in part."""
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceResponse,
        )

        try:
            part = ExportTraceServiceResponse.FromString(response.body).partial_success
        except DecodeError:
            return  # accepted, with an answer in another form
        if part.rejected_spans or part.error_message:
            log.warning(
                "a receiver of traces complains",
                run_id=run_id,
                rejected=part.rejected_spans,
                reason=part.error_message,
            )


def octets_of(spans: Iterable[otel.Span], service_name: str) -> bytes:
    """Return spans as a request of the protocol. Blocks: for turns of others; the first time for
    imports."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
    from opentelemetry.proto.resource.v1.resource_pb2 import Resource
    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans

    about = {"service.name": service_name, "service.version": __version__}
    scope = ScopeSpans(
        scope=InstrumentationScope(name="tsvc", version=__version__),
        spans=[_span(span) for span in turns.over(spans)],
    )
    own = ResourceSpans(resource=Resource(attributes=_attributes(about)), scope_spans=[scope])
    octets: bytes = ExportTraceServiceRequest(resource_spans=[own]).SerializeToString()
    return octets


def _span(span: otel.Span) -> "Span":
    from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

    failed, passed = Status.STATUS_CODE_ERROR, Status.STATUS_CODE_OK
    return Span(
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_span_id=span.parent_id,
        name=_text(span.name),
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=span.start_ns,
        end_time_unix_nano=span.end_ns,
        attributes=_attributes(span.attributes),
        events=[
            Span.Event(
                time_unix_nano=event.at_ns,
                name=_text(event.name),
                attributes=_attributes(event.attributes),
            )
            for event in turns.over(span.events)
        ],
        dropped_events_count=span.left_out,
        status=Status(
            code=passed if span.problem is None else failed, message=_text(span.problem or "")
        ),
    )


def _attributes(values: Mapping[str, otel.Value]) -> "list[KeyValue]":
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

    attributes = []
    for name, value in values.items():
        if isinstance(value, bool):
            found = AnyValue(bool_value=value)
        elif isinstance(value, float):
            found = AnyValue(double_value=value)
        elif isinstance(value, int) and value in _INT64:
            found = AnyValue(int_value=value)
        else:
            found = AnyValue(string_value=_text(str(value)))
        attributes.append(KeyValue(key=name, value=found))
    return attributes


def _text(text: str) -> str:
    """Return a text that UTF-8 can encode: a text of a peer may have half a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")
