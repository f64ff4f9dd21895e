"""A stand-in for Open Services Development: SOAP operations with configured answers.

An answer has the version of its request.

How a real platform words its faults is not published. Here `faultstring` holds the error and
`detail` the cause: 1 no such subscriber, 3 missing parameter, 4 mis-typed parameter, 5 system
error.
"""

import base64
from collections import deque
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any
from xml.sax.saxutils import escape

import gevent

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.gateways.fake import load_settings
from tsvc.gateways.http_fake import (
    KEPT_REQUESTS,
    MAX_REQUEST_OCTETS,
    HttpFake,
    StartResponse,
    header_fields,
)
from tsvc.protocols import soap
from tsvc.protocols.soap import SOAP_1_1, SOAP_1_2, Style
from tsvc.schema.fields import Anything, Integer, List, Named, Nested, Number, String
from tsvc.schema.table import TableMembers
from tsvc.values import dataclass

CAUSES: Mapping[int, str] = {
    1: "no such subscriber",
    3: "missing parameter",
    4: "mis-typed parameter",
    5: "system error",
}
_TYPES = {"1.1": "text/xml; charset=utf-8", "1.2": "application/soap+xml; charset=utf-8"}
_SIDES = {"Client": "Sender", "Server": "Receiver"}  # in SOAP 1.2


class ScriptedOperation(TableMembers):
    """The configured answers of one operation.

    In this order: after delay_s; `http_code` alone if it is given (no SOAP); cause 3 if one of
    `required` is missing; cause 4 if one of `integers` is no integer; `cause` if it is given;
    cause 1 if there are `subscribers` and the parameter `key` names none of them; otherwise the
    values of that subscriber, or `returns`.
    """

    delay_s = Number(0, default=0.0, help="wait before the answer")
    http_code = Integer(
        choices=[code.value for code in HTTPStatus],
        default=None,
        help="answer with this alone, without SOAP",
        rule="an HTTP status code",
    )
    required = List(String(), default=list, help="parameters without which cause 3 comes")
    integers = List(String(), default=list, help="parameters that must be integers, else cause 4")
    cause = Integer(choices=CAUSES, default=None, help="answer with this fault")
    key = String(default="msisdn", help="parameter that names the subscriber")
    subscribers = Named(
        Named(Anything()), default=dict, help="number: what is returned; cause 1 for others"
    )
    returns = Named(Anything(), default=dict, help="what is returned where nothing else decides")


_SAMPLE = {
    "QueryBalance": {
        "required": ["msisdn"],
        "integers": ["msisdn"],
        "subscribers": {"6421000001": {"balance": 1450, "state": "A"}},
    }
}


class OsdSettings(TableMembers):
    """The settings of a fake: `operations` by name, and who may call them (HTTP basic)."""

    operations = Named(
        Nested(ScriptedOperation),
        default=None,
        help="name: how it answers; null: a sample, QueryBalance",
    )
    username = String(default="", help="who may call; empty: anybody")
    password = String(default="", help="and the password")


@dataclass(frozen=True, slots=True)
class Received:
    """A received request; header fields by their names in small letters."""

    path: str
    fields: Mapping[str, str]
    body: bytes


class OsdFake(HttpFake):
    """The server. `received` holds the last requests, the newest at the end."""

    Settings = OsdSettings

    def __init__(self, host: str = "127.0.0.1", port: int = 0, **settings: Any) -> None:
        super().__init__(host, port)
        loaded = load_settings(OsdSettings, settings)
        if loaded["operations"] is None:
            loaded = load_settings(OsdSettings, {**settings, "operations": _SAMPLE})
        self.settings = loaded
        self.received: deque[Received] = deque(maxlen=KEPT_REQUESTS)

    def serve(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(MAX_REQUEST_OCTETS)
        self.received.append(Received(environ["PATH_INFO"], header_fields(environ), body))
        if not self._is_allowed(environ):
            self.on_request("401 Unauthorized")
            start_response("401 Unauthorized", [("WWW-Authenticate", 'Basic realm="osd"')])
            return [b""]
        try:
            name, parameters, version = soap.parse_request(body)
        except RemoteProtocolError as error:
            self.on_request(f"no request: {error}")
            return _fault(start_response, "1.1", "Client", str(error))
        operation = self.settings["operations"].get(name)
        if operation is None:
            self.on_request(f"{name}: unknown")
            return _fault(start_response, version, "Client", f"no operation {name}")
        return self._play(name, operation, parameters, version, start_response)

    def _play(
        self,
        name: str,
        operation: Mapping[str, Any],
        parameters: Mapping[str, Any],
        version: str,
        start_response: StartResponse,
    ) -> Iterable[bytes]:
        gevent.sleep(operation["delay_s"])
        if operation["http_code"] is not None:
            status = HTTPStatus(operation["http_code"])
            self.on_request(f"{name}: HTTP {status.value}")
            start_response(f"{status.value} {status.phrase}", [("Content-Type", "text/plain")])
            return [status.phrase.encode()]
        cause, returned = _outcome(operation, parameters)
        if cause is not None:
            self.on_request(f"{name}: cause {cause}, {CAUSES[cause]}")
            return _fault(start_response, version, "Server", CAUSES[cause], cause)
        try:
            envelope = soap.build(f"{name}Response", "", returned, Style(version=version))
        except LocalProtocolError as error:
            self.on_request(f"{name}: {error}")
            return _fault(start_response, version, "Server", str(error), 5)
        self.on_request(f"{name}: answered")
        return _answer(start_response, version, 200, envelope)

    def _is_allowed(self, environ: Mapping[str, Any]) -> bool:
        username = self.settings["username"]
        if not username:
            return True
        wanted = base64.b64encode(f"{username}:{self.settings['password']}".encode()).decode()
        return bool(environ.get("HTTP_AUTHORIZATION") == f"Basic {wanted}")


def _outcome(
    operation: Mapping[str, Any], parameters: Mapping[str, Any]
) -> tuple[int | None, Mapping[str, Any]]:
    """Return the cause of a fault and an empty mapping, or None and the returned values."""
    if any(not parameters.get(name) for name in operation["required"]):
        return 3, {}
    for name in operation["integers"]:
        value = parameters.get(name)
        if value is not None and not (isinstance(value, str) and value.strip().isdecimal()):
            return 4, {}
    if operation["cause"] is not None:
        return operation["cause"], {}
    subscribers: Mapping[str, Mapping[str, Any]] = operation["subscribers"]
    if subscribers:
        subscriber = subscribers.get(str(parameters.get(operation["key"])))
        return (1, {}) if subscriber is None else (None, subscriber)
    return None, operation["returns"]


def _fault(
    start_response: StartResponse, version: str, side: str, words: str, cause: int | None = None
) -> Iterable[bytes]:
    reason, detail = escape(words), "" if cause is None else f"<cause>{cause}</cause>"
    if version == "1.2":
        namespace = SOAP_1_2
        content = (
            f"<soap:Code><soap:Value>soap:{_SIDES[side]}</soap:Value></soap:Code>"
            f'<soap:Reason><soap:Text xml:lang="en">{reason}</soap:Text></soap:Reason>'
        )
        content += detail and f"<soap:Detail>{detail}</soap:Detail>"
    else:
        namespace = SOAP_1_1
        content = f"<faultcode>soap:{side}</faultcode><faultstring>{reason}</faultstring>"
        content += detail and f"<detail>{detail}</detail>"
    envelope = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="{namespace}">'
        f"<soap:Body><soap:Fault>{content}</soap:Fault></soap:Body></soap:Envelope>"
    )
    return _answer(start_response, version, 500, envelope.encode())


def _answer(
    start_response: StartResponse, version: str, code: int, envelope: bytes
) -> Iterable[bytes]:
    length = str(len(envelope))
    status = f"{code} {HTTPStatus(code).phrase}"
    start_response(status, [("Content-Type", _TYPES[version]), ("Content-Length", length)])
    return [envelope]
