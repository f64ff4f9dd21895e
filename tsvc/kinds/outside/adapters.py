"""Adapters: they map the calls that the operations of a kind make to a class from outside.

The methods that such a class must offer, by kind (docs/guide/legacy-gateway.md):

pi    request(command, parameters) -> {"status": "ACK" or "NACK", "info": …, "fields": {…}}
db    query(name, values) -> rows, a row, a number or None; sql(sql, values) for Query
rest  request(method, path, headers, content) -> {"code": …, "headers": {…}, "content": …}
osd   call(action, operation, parameters) -> {"returned": {…}} or {"fault": {…}}
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.kinds.db.config import QUERY, TRANSACTION
from tsvc.kinds.db.statements import QueryAnswer, Shape, Statement, bind_names
from tsvc.kinds.db.values import json_value
from tsvc.kinds.outside.gateway import LegacyGateway
from tsvc.kinds.rest.gateway import Header
from tsvc.protocols.pi.codec import Reply, Status, read_listing
from tsvc.protocols.pi.dialect import Dialect
from tsvc.protocols.soap import Fault, SoapAnswer
from tsvc.results.records import Ends, Tap
from tsvc.transport.http.message import Request, Response
from tsvc.words import did_you_mean

_PI = Dialect()
_KEPT = "/?%:@!$&'()*+,;=~-._"


class LegacyPi(LegacyGateway):
    """Commands to a Provisioning Interface."""

    kind: ClassVar[str] = "pi"

    def request(
        self,
        command: str,
        parameters: Mapping[str, str | Sequence[str]],
        tap: Tap | None = None,
        user: object = None,
    ) -> Reply:
        """As PiGateway.request(); a class answers once, so `user` gets no further lines."""
        if tap is not None:
            listed = ",".join(f"{name}={_joined(value)}" for name, value in parameters.items())
            tap(True, f"{command}:{listed};".encode("latin-1", "replace"))
        result = self.ask("request", command, dict(parameters))
        if isinstance(result, tuple) and len(result) == 2:
            result = {"status": result[0], "info": result[1]}
        wanted = "a dict with status ACK or NACK, or a tuple (status, info)"
        if not isinstance(result, Mapping):
            raise self.unusable("request", result, wanted)
        try:
            status = Status(str(result.get("status")).upper())
        except ValueError:
            raise self.unusable("request", result, wanted) from None
        info = str(result.get("info", ""))
        fields = read_listing(info, _PI.parameter_separator)  # unless the class gives them
        if isinstance(result.get("fields"), Mapping):
            given = _mapping(result, "fields")
            fields = {str(name): json_value(one) for name, one in given.items()}
        raw = str(result.get("raw", f"{command}:{status.value}:{info}"))
        if tap is not None:
            tap(False, f"{raw};".encode("latin-1", "replace"))
        return Reply(status, info, fields, raw)


class LegacyDb(LegacyGateway):
    """Statements, by the names that the class uses."""

    kind: ClassVar[str] = "db"

    def method_problem(self, method: str, given: Iterable[str] | None = None) -> str | None:
        """As DbGateway.method_problem(), by the class's `statements` if it has these."""
        if method in TRANSACTION:
            return f"{self.name} is a class from outside, of which no session can be held"
        if method == QUERY:
            has_sql = hasattr(self.outside, "sql")
            return None if has_sql else f"{self.name} has no method sql()"
        known = getattr(self.outside, "statements", None)
        if known is None or method in known:
            return None
        return f"{self.name} has no statement {method}{did_you_mean(method, list(known))}"

    def statement(self, method: str) -> Statement:
        """As DbGateway.statement(); the class defines the bind parameters."""
        problem = self.method_problem(method)
        if problem is not None:
            raise GatewayError(problem)
        return Statement(method, "", {})

    def query(self, sql: str, shape: Shape) -> Statement:
        """As DbGateway.query()."""
        problem = self.method_problem(QUERY)
        if problem is not None:
            raise GatewayError(problem)
        return Statement(QUERY, sql, dict.fromkeys(bind_names(sql)), shape)

    def sql_problem(self, sql: str) -> None:
        """As DbGateway.sql_problem(); the class defines the valid SQL."""

    def perform(
        self,
        statement: Statement,
        given: Mapping[str, Any],
        asked: Callable[[Ends | None], None] | None = None,
        answered: Callable[[QueryAnswer], None] | None = None,
        held: object = None,
    ) -> QueryAnswer:
        """As DbGateway.perform(); no session is held."""
        if asked is not None:
            asked(None)
        answer = self._performed(statement, given)
        if answered is not None:
            answered(answer)
        return answer

    def _performed(self, statement: Statement, given: Mapping[str, Any]) -> QueryAnswer:
        method, first = ("sql", statement.sql) if statement.sql else ("query", statement.name)
        result = self.ask(method, first, dict(given))
        if result is None:
            return QueryAnswer(None, 0)
        if isinstance(result, Mapping):
            return QueryAnswer(_row(result), 1)
        if isinstance(result, int):
            return QueryAnswer([], int(result))
        is_rows = isinstance(result, list | tuple) and all(
            isinstance(row, Mapping) for row in result
        )
        if not is_rows:
            raise self.unusable(method, result, "rows (dicts), a row, a number or None")
        return QueryAnswer([_row(row) for row in result], len(result))


class LegacyRest(LegacyGateway):
    """Requests to an HTTP server."""

    kind: ClassVar[str] = "rest"

    def request(
        self,
        method: str,
        path: str = "",
        query: str | Mapping[str, object] = "",
        *,
        headers: Iterable[Header] = (),
        content_type: str = "",
        body: bytes = b"",
    ) -> Request:
        """As RestGateway.request()."""
        target = quote(path if path.startswith("/") else f"/{path}", safe=_KEPT)
        if query:
            text = query if isinstance(query, str) else urlencode(query, doseq=True)
            target += ("&" if "?" in target else "?") + quote(text, safe=_KEPT)
        kind = (("Content-Type", content_type),) if content_type else ()
        return Request(method, target, (*kind, *((one[0], one[1]) for one in headers)), body)

    def send(self, request: Request, tap: Tap | None = None) -> Response:
        """As RestGateway.send()."""
        if tap is not None:
            tap(True, request.shown_octets())
        headers = dict(request.fields)
        result = self.ask("request", request.method, request.target, headers, request.body)
        if isinstance(result, tuple) and len(result) == 3:
            result = dict(zip(("code", "headers", "content"), result, strict=True))
        if not isinstance(result, Mapping) or not isinstance(result.get("code"), int):
            raise self.unusable("request", result, "a dict with code, headers and content")
        response = _http(result["code"], _mapping(result, "headers"), result.get("content"))
        if tap is not None:
            tap(False, response.octets)
        return response


class LegacyOsd(LegacyGateway):
    """Operations of Open Services Development."""

    kind: ClassVar[str] = "osd"

    def call(
        self,
        action: str,
        namespace: str,
        operation: str,
        parameters: Mapping[str, Any],
        tap: Tap | None = None,
        *,
        namespaces: Mapping[str, str] = MappingProxyType({}),
        headers: Mapping[str, Any] = MappingProxyType({}),
    ) -> tuple[int, SoapAnswer]:
        """As OsdGateway.call(); the class handles namespaces, and gets no headers."""
        if headers:
            raise LocalProtocolError("a class of your own is told none", path="headers")
        if tap is not None:
            fields = (("Content-Type", "application/json"), ("SOAPAction", f'"{action}"'))
            body = json.dumps({operation: parameters}, default=str).encode()
            tap(True, Request("POST", "/", fields, body).shown_octets())
        result = self.ask("call", action, operation, dict(parameters))
        wanted = "a dict with returned or fault"
        if not isinstance(result, Mapping) or not {"returned", "fault"} & set(result):
            raise self.unusable("call", result, wanted)
        element = f"{operation}Response"
        is_fault = "returned" not in result or bool(result.get("fault"))
        code = result.get("code", 500 if is_fault else 200)
        if not isinstance(code, int):
            raise self.unusable("call", result, f"{wanted}, and a number as its code")
        if is_fault:
            given = _mapping(result, "fault")
            number, words = str(given.get("code", "")), str(given.get("string", ""))
            answer = SoapAnswer("Fault", None, Fault(number, words, given.get("detail")))
        else:
            answer = SoapAnswer(element, json_value(result["returned"]))
        if tap is not None:
            tap(False, _http(code, {}, answer.as_dict()).octets)
        return code, answer


ADAPTERS: dict[str, type[LegacyGateway]] = {
    one.kind: one for one in (LegacyPi, LegacyDb, LegacyRest, LegacyOsd)
}


def _mapping(result: Mapping[str, Any], member: str) -> Mapping[str, Any]:
    found = result.get(member)
    return found if isinstance(found, Mapping) else {}


def _row(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): json_value(value) for name, value in row.items()}


def _joined(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else "|".join(value)


def _http(code: int, headers: Mapping[str, Any], content: Any) -> Response:
    """Return a response as if it had been received."""
    fields = [(str(name), str(value)) for name, value in headers.items()]
    if content is None or isinstance(content, str):
        body = (content or "").encode()
    elif isinstance(content, bytes | bytearray):
        body = bytes(content)
    else:
        body = json.dumps(content, default=str).encode()
        if all(name.lower() != "content-type" for name, _ in fields):
            fields.append(("Content-Type", "application/json"))
    lengths = ("content-length", "transfer-encoding")
    fields = [one for one in fields if one[0].lower() not in lengths]
    fields.append(("Content-Length", str(len(body))))
    lines = [f"HTTP/1.1 {code} ", *(f"{name}: {value}" for name, value in fields), "", ""]
    head = "\r\n".join(lines).encode("latin-1", "replace")
    return Response(code, "", tuple(fields), body, head + body)
