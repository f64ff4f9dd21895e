"""The osd gateway: operations of Open Services Development, SOAP 1.1 or 1.2 over HTTP."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlsplit

from marshmallow import ValidationError

from tsvc import turns
from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError
from tsvc.gateways.gateway import GatewayContext, gateway
from tsvc.gateways.http import HttpGateway
from tsvc.protocols import soap
from tsvc.protocols.charsets import decode
from tsvc.protocols.soap import SoapAnswer, Style
from tsvc.results.records import Ends, Tap
from tsvc.schema.fields import Boolean, Choice, String
from tsvc.schema.table import member, table
from tsvc.transport.http.authentication import Digest
from tsvc.transport.http.client import pause
from tsvc.transport.http.message import (
    MASK,
    MORE,
    Fields,
    Request,
    Response,
    split_content_type,
)
from tsvc.transport.http.settings import OAuthHttpConfig
from tsvc.words import quoted

# The form of credentials in the message is not published: WS-Security services accept this one.
_WSSE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
DEFAULT_HEADER = (
    f'<wsse:Security xmlns:wsse="{_WSSE}"><wsse:UsernameToken>'
    "<wsse:Username>{username}</wsse:Username><wsse:Password>{password}</wsse:Password>"
    "</wsse:UsernameToken></wsse:Security>"
)
_FAULT, _SUCCESS = 500, 2  # HTTP codes of SOAP answers; the second by its first digit
_TYPES = {"1.1": "text/xml", "1.2": "application/soap+xml"}  # the second by RFC 3902
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_KEPT = "/?%:@!$&'()*+,;=~-._"


@table
class OsdConfig(OAuthHttpConfig):
    """`[application.NAME]` with module = "osd"."""

    soap_version: str = member(
        Choice(
            ["1.1", "1.2"],
            default="1.1",
            help="1.1: text/xml and SOAPAction; 1.2: application/soap+xml with the action in it",
        )
    )
    security: str = member(
        Choice(
            ["none", "basic", "digest", "inline"],
            default="none",
            help="where username and password go: nowhere, HTTP basic, HTTP digest (RFC 7616), or"
            " the SOAP header",
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
    nulls: str = member(
        Choice(["empty", "nil"], default="empty", help="what null is: an empty element, xsi:nil")
    )
    attributes: bool = member(
        Boolean(
            default=False,
            help="whether what is returned has attributes, as `@NAME`, and `#text` beside them",
        )
    )

    def check_security(self) -> None:
        """Refuse missing credentials, and a header that would break each message."""
        if self.security != "none" and not self.username:
            raise ValidationError(f"is missing, security is {self.security}", "username")
        if self.oauth_uri and self.security in ("basic", "digest"):
            raise ValidationError(f"is given, and security is {self.security}", "oauth_uri")
        if self.security == "inline":
            problem = soap.header_problem(soap.filled(self.header_template, "u", "p"))
            if problem:
                raise ValidationError(problem, "header_template")
        if self.namespace_alias in ("soap", "xsi", "xml", "xmlns"):
            raise ValidationError("has a meaning of its own", "namespace_alias")


@gateway("osd")
class OsdGateway(HttpGateway):
    """Operations and their answers; a connection carries one request at a time."""

    Config = OsdConfig
    config: OsdConfig

    def __init__(self, name: str, config: OsdConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self._style = self._style_with(config.password)
        self._shown_style = self._style_with(MASK)
        if config.security == "digest":
            self._authentication = Digest(config.username, config.password, context.random)

    def call(
        self,
        action: str,
        namespace: str,
        operation: str,
        parameters: Mapping[str, Any],
        tap: Tap | None = None,
        *,
        namespaces: Mapping[str, str] = _NOTHING,
        headers: Mapping[str, Any] = _NOTHING,
    ) -> tuple[int, SoapAnswer]:
        """Call an operation. Return the HTTP code and the answer, which may be a fault.

        action: SOAPAction; its path is requested if the configuration has none. namespace: of the
        operation, "" for none; published definitions give the URL of the WSDL. namespaces: URIs by
        prefix, for the names of parameters and of `headers`, the header blocks.
        Blocks: as send(). Errors: LocalProtocolError if an argument can't be sent, with its path;
        GatewayError if there is no answer, or if the answer is no SOAP and its code is none that
        SOAP answers with.
        """
        given = operation, namespace, parameters
        body = soap.build(*given, self._style, namespaces, headers)
        request = self._request(action, body)
        if tap is not None and self.config.security == "inline":
            shown = soap.build(*given, self._shown_style, namespaces, headers)
            tap = _masking(tap, request, shown)
        is_asked_once = self._authentication is None
        response = self._sent(request, tap, None if is_asked_once else self._ask)
        with turns.given(pause):  # an answer may be large
            return response.code, self._answer(response)

    def _answer(self, response: Response) -> SoapAnswer:
        """Return the contents of a response and its problems. Errors: GatewayError."""
        is_fault_code = response.code == _FAULT
        problem = response.coding_problem
        if is_fault_code or response.code // 100 == _SUCCESS:
            if problem:
                return SoapAnswer("", None, notes=(problem,))
            answer = soap.read(response.body, with_attributes=self.config.attributes)
        else:
            try:
                if problem:
                    raise RemoteProtocolError(problem)
                answer = soap.parse(response.body, with_attributes=self.config.attributes)
            except RemoteProtocolError as error:
                raise GatewayError(f"{self.name}: HTTP {response.code}: {error}") from None
        if response.has_more:
            return replace(answer, notes=(*answer.notes, MORE))
        if answer.notes:  # a response that is no SOAP may have any type
            return answer
        note = _type_problem(response, answer.version) or self._version_problem(answer)
        if not note and answer.fault is None and is_fault_code:
            note = f"HTTP {response.code} without a Fault"
        elif not note and answer.fault is not None and response.code // 100 == _SUCCESS:
            note = f"a Fault in HTTP {response.code}"
        return replace(answer, notes=(note,)) if note else answer

    def _version_problem(self, answer: SoapAnswer) -> str:
        fault, wanted = answer.fault, self.config.soap_version
        # A server that does not know our version reports that in its own version.
        if fault is not None and fault.code.rpartition(":")[2] == "VersionMismatch":
            return ""
        if answer.version == wanted:
            return ""
        return f"the response is SOAP {answer.version}, the request was SOAP {wanted}"

    def target(self, path: str) -> str:
        """Return the request target of a path, "/" if it is empty."""
        whole = quote(path, safe=_KEPT)
        return whole if whole.startswith("/") else f"/{whole}"

    def _request(self, action: str, body: bytes) -> Request:
        if '"' in action or not action.isascii() or not action.isprintable():
            raise LocalProtocolError(f"{quoted(action)} is no SOAPAction", path="action")
        path = self.server.path or urlsplit(action).path
        if self.config.soap_version == "1.2":
            escaped = action.replace("\\", "\\\\")
            of_body: Fields = (
                ("Content-Type", f'application/soap+xml; charset=utf-8; action="{escaped}"'),
            )
        else:
            of_body = (("Content-Type", "text/xml; charset=utf-8"), ("SOAPAction", f'"{action}"'))
        fields_ = (*self.standing, *of_body, ("Content-Length", str(len(body))))
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
            config.soap_version,
            config.nulls == "nil",
        )

    def _authorization(self) -> Fields:
        return super()._authorization() if self.config.security == "basic" else ()


def _type_problem(response: Response, version: str) -> str:
    """Return what is wrong with the Content-Type of an envelope; "" if it is correct."""
    values = [value for name, value in response.fields if name.lower() == "content-type"]
    media, charset = split_content_type(values[0]) if values else ("", "")
    if len(values) != 1:
        return f"the response has {len(values)} fields Content-Type"
    if media != _TYPES[version]:
        return f"the Content-Type is {quoted(media)}, not {_TYPES[version]}"
    if charset:
        try:
            decode(response.body, charset)
        except LookupError:
            return f"unknown charset {charset}"
        except ValueError:
            return f"the content is not {charset}"
    return ""


def _masking(tap: Tap, request: Request, shown: bytes) -> Tap:
    """Return a tap that receives the request with another body, which has no secret."""

    size = str(len(shown))
    fields_ = tuple(
        (name, size if name == "Content-Length" else value) for name, value in request.fields
    )

    def masked_tap(is_sent: bool, octets: bytes, ends: Ends | None = None) -> None:
        if is_sent:
            octets = Request(request.method, request.target, fields_, shown).shown_octets()
        tap(is_sent, octets, ends)

    return masked_tap
