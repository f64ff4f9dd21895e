"""A stand-in for an HTTP interface: routes with configured answers.

The first route whose method and path match is used. Its answer may hold expressions of the test
definitions' language, which see the request: `$v->{method}`, `$v->{path}` (the values of the
names in braces), `$v->{query}`, `$v->{fields}` (header fields, in small letters), `$v->{json}` and
`$v->{content}` (a text). `$g` holds what requests leave for later requests.
"""

import json
import random
import time
from collections import deque
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

import gevent
from marshmallow import ValidationError

from tsvc.errors import ExpressionFailed, Problem
from tsvc.expr import Environment, Template, Value, compile_template
from tsvc.gateways.fake import load_settings
from tsvc.gateways.http_fake import (
    KEPT_REQUESTS,
    MAX_REQUEST_OCTETS,
    HttpFake,
    StartResponse,
    header_fields,
)
from tsvc.schema.fields import Anything, Integer, List, Named, Nested, Number, String
from tsvc.schema.table import TableMembers

_JSON = "application/json"
_NO_CONTENT = frozenset({204, 304})


class Answered(Anything):
    """JSON in which strings "{ … }" are expressions; it is read as a Template."""

    def read(self, value: Any) -> Template:
        """Return the template. Errors: ValidationError with every expression that is wrong."""
        problems: list[Problem] = []
        template = compile_template(value, "", problems)
        if problems:
            raise ValidationError([f"{one.path or 'it'}: {one.text}" for one in problems])
        return template


class Route(TableMembers):
    """The answer to requests of a method and a path."""

    method = String(default="", help="such as POST; empty: any")
    path = String(1, required=True, help="as in /account/{id}: a name in braces is any one part")
    status = Integer(
        choices=[code.value for code in HTTPStatus if code.value >= 200],
        default=200,
        help="of the answer",
        rule="an HTTP status code from 200",
    )
    headers = Named(String(), default=dict, help="fields of the answer")
    json = Answered(default=None, help="its content as JSON; strings { … } are expressions")
    text = Answered(default=None, help="its content as a text instead, or an expression for it")
    delay_s = Number(0, default=0.0, help="wait before it")


_SAMPLE = [{"path": "/health", "json": {"status": "up"}}]


class RestSettings(TableMembers):
    """The settings of a fake."""

    routes = List(Nested(Route), default=None, help="the first that fits; null: a sample, /health")


class RestFake(HttpFake):
    """The server. `received`: the last requests as (method, target), the newest at the end."""

    Settings = RestSettings

    def __init__(self, host: str = "127.0.0.1", port: int = 0, **settings: Any) -> None:
        super().__init__(host, port)
        loaded = load_settings(RestSettings, settings)
        if loaded["routes"] is None:
            loaded = load_settings(RestSettings, {"routes": _SAMPLE})
        self.settings = loaded
        self.received: deque[tuple[str, str]] = deque(maxlen=KEPT_REQUESTS)
        self._kept: dict[str, Value] = {}

    def serve(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
        query = environ["QUERY_STRING"]
        content = environ["wsgi.input"].read(MAX_REQUEST_OCTETS)
        target = f"{path}?{query}" if query else path
        self.received.append((method, target))
        status, fields, octets = self._answer(environ, method, path, content)
        self.on_request(f"{method} {target} -> {status}")
        if status not in _NO_CONTENT:
            fields.append(("Content-Length", str(len(octets))))
        start_response(f"{status} {HTTPStatus(status).phrase}", fields)
        return [] if method == "HEAD" else [octets]

    def _answer(
        self, environ: Mapping[str, Any], method: str, path: str, content: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        for route in self.settings["routes"]:
            names = _fitting(route["path"], path)
            if names is None or route["method"].upper() not in ("", method):
                continue
            gevent.sleep(route["delay_s"])
            env = self._environment(environ, method, names, content)
            try:
                type_, octets = _content(route, env)
            except ExpressionFailed as error:
                return _error(500, str(error))
            given = {name.lower() for name in route["headers"]}
            fields = list(route["headers"].items())
            if type_ and "content-type" not in given:
                fields.append(("Content-Type", type_))
            return route["status"], fields, octets
        return _error(404, f"no route for {method} {path}")

    def _environment(
        self, environ: Mapping[str, Any], method: str, names: Mapping[str, str], content: bytes
    ) -> Environment:
        text = content.decode("utf-8", "replace")
        try:
            tree = json.loads(text)
        except ValueError:
            tree = None
        seen: dict[str, Value] = {
            "method": method,
            "path": dict(names),
            "query": dict(parse_qsl(environ["QUERY_STRING"], keep_blank_values=True)),
            "fields": dict(header_fields(environ)),
            "json": tree,
            "content": text,
        }
        return Environment(seen, {}, self._kept, {}, random.random, time.time)


def _fitting(wanted: str, path: str) -> dict[str, str] | None:
    """Return the values of the names in a route's path, None if the path does not match."""
    parts, found = wanted.split("/"), path.split("/")
    if len(parts) != len(found):
        return None
    names: dict[str, str] = {}
    for part, there in zip(parts, found, strict=True):
        if part.startswith("{") and part.endswith("}") and there:
            names[part[1:-1]] = there
        elif part != there:
            return None
    return names


def _content(route: Mapping[str, Any], env: Environment) -> tuple[str, bytes]:
    """Return the content and its type, "" for none. Errors: ExpressionFailed."""
    if route["json"] is not None:
        return _JSON, json.dumps(route["json"].render(env)).encode()
    if route["text"] is not None:
        return "text/plain; charset=utf-8", str(route["text"].render(env)).encode()
    return "", b""


def _error(status: int, text: str) -> tuple[int, list[tuple[str, str]], bytes]:
    return status, [("Content-Type", _JSON)], json.dumps({"error": text}).encode()
