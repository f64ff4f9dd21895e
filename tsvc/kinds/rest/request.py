"""Arguments of rest.SendRequest and rest.Request: checked once, rendered for each instance."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from tsvc.errors import LocalProtocolError, Problem
from tsvc.expr.values import to_text, truth
from tsvc.gateways.gateway import Gateway
from tsvc.kinds.rest.content import encoded, form_of
from tsvc.kinds.rest.gateway import Header, RestGateway
from tsvc.kinds.rest.multipart import PartArguments, multipart
from tsvc.memo import Memo
from tsvc.operations.arguments import ArgumentMembers, Hex
from tsvc.operations.data_files import data_file
from tsvc.operations.operation import Instance, Scope, abort
from tsvc.schema import fields
from tsvc.transport.http.message import Request

_GATEWAYS = 4  # of a run; usually there is one
_FILES = 16  # of an operation


class HeaderArguments(ArgumentMembers):
    """One of `http_headers`."""

    open_prefixes = ()
    name = fields.String(required=True)
    value = fields.Anything(required=True)
    append = fields.Boolean(help="one more line beside the configured header, not in its place")


class RequestArguments(ArgumentMembers):
    """The arguments of a request."""

    path = fields.String(help="appended to the base URI")
    query = fields.Anything(help="after the ?: a text, or an object of values")
    method = fields.String(
        1, required=True, says="must be an HTTP method, such as GET", help="GET, POST, …"
    )
    content_type = fields.String(
        help="says how content is encoded; needed with content; may name a charset"
    )
    content = fields.Anything(help="a text; an object for JSON and forms")
    content_hex = Hex(help="content as octets")
    http_headers = fields.List(
        fields.Nested(HeaderArguments, rule="an object with name and value"),
        rule="a list of {name, value}",
    )
    multipart = fields.List(
        fields.Nested(PartArguments, rule="an object with name, and value, content_hex or file"),
        rule="a list of parts",
        help="content as multipart/form-data",
    )

    def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Also refuse two kinds of content, and content without a type."""
        super().check_declared(given, path, scope)
        if given.get("multipart") is not None:
            for name in ("content", "content_hex", "content_type"):
                if given.get(name) is not None:
                    scope.refuse(f"{path}.{name}", "multipart is given too")
            return
        if given.get("content") is None:
            return
        if given.get("content_hex") is not None:
            scope.refuse(f"{path}.content_hex", "content is given too")
        if not given.get("content_type"):
            scope.refuse(f"{path}.content_type", "is missing: it says how content is encoded")


class RequestMaker:
    """Makes the requests of one operation; a request without expressions is made only once."""

    def __init__(
        self, given: Mapping[str, Any], path: str, scope: Scope, selection: str = "rest"
    ) -> None:
        found_before = len(scope.problems)
        RequestArguments.check(given, f"{path}.arguments", scope)
        self._arguments = scope.arguments(given, path)
        self._requests: Memo[RestGateway, Request] = Memo("requests of a run", _GATEWAYS)
        data_dir = scope.config.engine.data_dir
        files: Memo[str, bytes] = Memo(
            "files of a run", _FILES, lambda name: data_file(data_dir, name).read_bytes()
        )
        self._read = files.__getitem__
        if self._arguments.is_constant and len(scope.problems) == found_before:
            try:
                _content(self._arguments.constant(), self._read)
            except LocalProtocolError as error:
                scope.refuse(f"{path}.arguments.{error.path}", error.text)
                return
        plain = _plain_parts(given)

        def check(gateway: Gateway) -> list[Problem]:
            try:
                _rendered(plain, cast(RestGateway, gateway), self._read).octets()
            except LocalProtocolError as error:
                return [Problem(f"{path}.arguments.{error.path}", error.text)]
            return []

        if len(scope.problems) == found_before:
            scope.check_gateway(selection, check)

    def request(self, instance: Instance, gateway: RestGateway) -> Request:
        """Return the request of an instance. Errors: InstanceAborted if it can't be sent."""
        request = self._requests.get(gateway)
        if request is not None:
            return request
        try:
            request = _rendered(self._arguments.render(instance.env), gateway, self._read)
        except LocalProtocolError as error:
            abort(f"REST: {error}")
        if self._arguments.is_constant:
            self._requests[gateway] = request
        return request

    def octets(self, rendered: Mapping[str, Any], gateway: RestGateway) -> bytes:
        """Return the octets of a request with rendered arguments. Errors: LocalProtocolError."""
        return _rendered(rendered, gateway, self._read).octets()


def _plain_parts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a request that need no instance: its path, names of its headers."""
    path, headers = given.get("path"), given.get("http_headers")
    names = [one.get("name") for one in headers or () if isinstance(one, Mapping)]
    return {
        "method": "GET",
        "path": path if _is_plain(path) else "",
        "http_headers": [{"name": name} for name in names if name and _is_plain(name)],
    }


def _is_plain(text: Any) -> bool:
    return isinstance(text, str) and not set(text) & set("{\\")


def _rendered(
    given: Mapping[str, Any], gateway: RestGateway, read: Callable[[str], bytes]
) -> Request:
    query = given.get("query") or ""
    if isinstance(query, dict):
        query = form_of(query, "query")
    headers = given.get("http_headers") or []
    if not isinstance(headers, list):
        raise LocalProtocolError("must be a list of {name, value}", path="http_headers")
    content_type, body = _content(given, read)
    return gateway.request(
        to_text(given["method"]).upper(),
        to_text(given.get("path")),
        query if isinstance(query, dict) else to_text(query),
        headers=[_header(one) for one in headers],
        content_type=content_type,
        body=body,
    )


def _content(given: Mapping[str, Any], read: Callable[[str], bytes]) -> tuple[str, bytes]:
    """Return Content-Type and content. Errors: LocalProtocolError. Blocks: to read files."""
    if given.get("multipart") is not None:
        return multipart(given["multipart"], read)
    content_type, octets = to_text(given.get("content_type")), given.get("content_hex")
    if octets is None:
        return content_type, encoded(given.get("content"), content_type)
    try:
        return content_type, bytes.fromhex(to_text(octets))
    except ValueError:
        raise LocalProtocolError("must be octets in hex", path="content_hex") from None


def _header(given: Any) -> Header:
    if not isinstance(given, dict) or not given.get("name"):
        raise LocalProtocolError("each must be an object with a name", path="http_headers")
    value = to_text(given.get("value"))
    return to_text(given["name"]), value, truth(given.get("append"))
