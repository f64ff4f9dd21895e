"""The osd gateway: operations of Open Services Development, SOAP 1.1 over HTTP."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from marshmallow import ValidationError

from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError
from tsvc.gateways.gateway import GatewayContext, gateway
from tsvc.gateways.http import HttpGateway
from tsvc.protocols import soap
from tsvc.protocols.soap import SoapAnswer, Style
from tsvc.results.records import Ends, Tap
from tsvc.schema.fields import Boolean, Choice, String
from tsvc.schema.table import member, table
from tsvc.transport.http.message import MASK, Fields, Request
from tsvc.transport.http.settings import HttpConfig

# How credentials stand in the message is not published: this is what WS-Security services take.
_WSSE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
DEFAULT_HEADER = (
    f'<wsse:Security xmlns:wsse="{_WSSE}"><wsse:UsernameToken>'
    "<wsse:Username>{username}</wsse:Username><wsse:Password>{password}</wsse:Password>"
    "</wsse:UsernameToken></wsse:Security>"
)
_FAULT, _SUCCESS = 500, 2  # codes that SOAP answers with, the second by its first digit
_KEPT = "/?%:@!$&'()*+,;=~-._"


@table
class OsdConfig(HttpConfig):
    """`[application.NAME]` with module = "osd"."""

    security: str = member(
        Choice(
            ["none", "basic", "inline"],
            default="none",
            help="where username and password go: nowhere, HTTP basic, or the SOAP header",
        )
    )
    header_template: str = member(
        String(
            default=DEFAULT_HEADER, help="XML of that header, with `{username}` and `{password}`"
        )
    )
    namespace_alias: str = member(
        String(
            pattern=r"\A[A-Za-z_][A-Za-z0-9_.\-]*\Z",
            default="oper",
            help="prefix of the operation's namespace",
        )
    )
    namespace_location: str = member(
        Choice(["message", "envelope"], default="message", help="element that declares it")
    )
    are_parameters_qualified: bool = member(
        Boolean(default=False, help="whether parameters have the prefix, too")
    )

    def check_security(self) -> None:
        """Refuse what leaves credentials out, and a header that would break each message."""
        if self.security != "none" and not self.username:
            raise ValidationError(f"is missing, security is {self.security}", "username")
        if self.security == "inline":
            problem = soap.header_problem(soap.filled(self.header_template, "u", "p"))
            if problem:
                raise ValidationError(problem, "header_template")
        if self.namespace_alias in ("soap", "xml", "xmlns"):
            raise ValidationError("has a meaning of its own", "namespace_alias")


@gateway("osd")
class OsdGateway(HttpGateway):
    """Operations and their answers, one request a connection."""

    Config = OsdConfig
    config: OsdConfig

    def __init__(self, name: str, config: OsdConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._style = self._style_with(config.password)
        self._shown_style = self._style_with(MASK)

    def call(
        self,
        action: str,
        namespace: str,
        operation: str,
        parameters: Mapping[str, Any],
        tap: Tap | None = None,
    ) -> tuple[int, SoapAnswer]:
        """Call an operation; returns the HTTP code and the answer, a fault or not.

        action: SOAPAction, whose path is asked if the configuration has none. namespace: of the
        operation, "" for none; published definitions give the URL of the WSDL.
        Blocks: as send(). Errors: LocalProtocolError for what can't be sent, named by its place;
        GatewayError if there is no answer, or one of a code that SOAP does not answer with and
        that is no SOAP.
        """
        body = soap.build(operation, namespace, parameters, self._style)
        request = self._request(action, body)
        own_tap = None
        if tap is not None:
            shown = soap.build(operation, namespace, parameters, self._shown_style)
            own_tap = _masking(tap, request, shown)
        response = self.send(request, own_tap)
        if response.code == _FAULT or response.code // 100 == _SUCCESS:
            return response.code, soap.read(response.body)
        try:
            return response.code, soap.parse(response.body)
        except RemoteProtocolError as error:
            raise GatewayError(f"{self.name}: HTTP {response.code}: {error}") from None

    def target(self, path: str) -> str:
        """Return the request target of a path, "/" if it is empty."""
        whole = quote(path, safe=_KEPT)
        return whole if whole.startswith("/") else f"/{whole}"

    def _request(self, action: str, body: bytes) -> Request:
        if '"' in action or not action.isascii() or not action.isprintable():
            raise LocalProtocolError(f"{action!r} is no SOAPAction", path="action")
        path = self.server.path or urlsplit(action).path
        fields_ = (
            *self.standing,
            ("Content-Type", "text/xml; charset=utf-8"),
            ("SOAPAction", f'"{action}"'),
            ("Content-Length", str(len(body))),
        )
        return Request("POST", self.target(path), fields_, body)

    def _style_with(self, password: str) -> Style:
        config = self.config
        header = ""
        if config.security == "inline":
            header = soap.filled(config.header_template, config.username, password)
        return Style(
            config.namespace_alias,
            config.namespace_location == "envelope",
            config.are_parameters_qualified,
            header,
        )

    def _authorization(self) -> Fields:
        return super()._authorization() if self.config.security == "basic" else ()


def _masking(tap: Tap, request: Request, shown: bytes) -> Tap:
    """Return a tap that tells of the request with another body, which has no secret."""

    size = str(len(shown))
    fields_ = tuple(
        (name, size if name == "Content-Length" else value) for name, value in request.fields
    )

    def masked_tap(is_sent: bool, octets: bytes, ends: Ends | None = None) -> None:
        if is_sent:
            octets = Request(request.method, request.target, fields_, shown).shown_octets()
        tap(is_sent, octets, ends)

    return masked_tap
