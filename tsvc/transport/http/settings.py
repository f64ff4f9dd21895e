"""The configuration of an HTTP client: the keys that rest and osd share."""

import base64
import re
from collections.abc import Mapping
from dataclasses import fields
from importlib.util import find_spec
from urllib.parse import urlsplit

from gevent import ssl
from marshmallow import ValidationError

from tsvc.errors import failure
from tsvc.schema.fields import Boolean, Choice, Integer, Named, Number, String
from tsvc.schema.table import Table, member, table
from tsvc.values import dataclass
from tsvc.words import needs_packages

DEFAULT_PORTS = {"http": 80, "https": 443}
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_NO_HEADER_NAME = "String does not match expected pattern."
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


@table
class HttpConfig(Table):
    """Keys of every application that is an HTTP client."""

    base_uri: str = member(
        String(
            default="", help="`http://HOST[:PORT][/PATH]` or `https://…`; or the next four members"
        )
    )
    remote_host: str = member(String(default="", help="the server"))
    remote_port: int = member(Integer(0, 65535, default=0, help="its port; 0: 80 or 443"))
    path: str = member(String(default="", help="path that every request begins with"))
    ssl: bool = member(Boolean(default=False, help="whether it is HTTPS"))
    ssl_verify: bool = member(Boolean(default=True, help="false: any certificate will do"))
    ssl_ca_file: str = member(
        String(default="", help="authorities to believe, PEM; empty: the system's")
    )
    ssl_cert_file: str = member(String(default="", help="our certificate, PEM"))
    ssl_key_file: str = member(
        String(default="", help="its private key, PEM; empty: in ssl_cert_file")
    )
    ssl_server_name: str = member(
        String(default="", help="name that the server's certificate must have; empty: the host")
    )
    local_host: str = member(
        String(default="", help="address that connections come from; empty: any")
    )
    num_client_connections: int = member(
        Integer(1, 10_000, default=10, help="most connections at once")
    )
    backlog_timeout_s: float = member(
        Number(0, default=10.0, help="longest wait for a free connection")
    )
    connect_timeout_s: float = member(
        Number(above=0, default=5.0, help="longest attempt to connect")
    )
    server_timeout_s: float = member(
        Number(above=0, default=10.0, help="longest wait for a whole response")
    )
    reconnect_interval_s: float = member(
        Number(above=0, default=10.0, help="longest pause between attempts to connect")
    )
    max_response_octets: int = member(
        Integer(1, default=1_048_576, help="longer content aborts the instance")
    )
    max_redirects: int = member(
        Integer(0, 20, default=0, help="redirections followed, to the same server only")
    )
    http_headers: Mapping[str, str] = member(
        Named(
            String(pattern=rf"\A{_HEADER_VALUE.pattern}\Z"),
            keys=String(pattern=rf"\A{_HEADER_NAME.pattern}\Z", says=_NO_HEADER_NAME),
            default=dict,
            help="header fields of every request",
        )
    )
    username: str = member(String(default="", help="user of HTTP basic authentication"))
    password: str = member(
        String(default="", help="and password; `password_file` keeps it out of the file")
    )
    http_version: str = member(
        Choice(
            ["1.1", "2", "auto"],
            default="1.1",
            help="`2`: HTTP/2, by ALPN for https and without asking for http; `auto`: what the"
            " server chooses by ALPN. `num_client_connections` is then the most requests at once,"
            " over as few connections as the server allows",
        )
    )
    proxy: str = member(
        String(
            default="",
            help="`http://HOST[:PORT]` of a forward proxy: asked for http, tunnelled through for"
            " https",
        )
    )
    proxy_username: str = member(String(default="", help="user of HTTP basic at the proxy"))
    proxy_password: str = member(
        String(default="", help="and password; `proxy_password_file` keeps it out of the file")
    )
    ping_path: str = member(
        String(
            default="",
            help="up means that this path answers; empty: that a connection can be made",
        )
    )
    ping_interval_s: float = member(
        Number(above=0, default=60.0, help="time between questions to `ping_path`")
    )
    ping_expected_code: int = member(
        Integer(100, 599, default=200, help="HTTP code that it must answer with")
    )

    def check_server(self) -> None:
        """Refuse no server, two servers, and an incomplete client certificate."""
        if bool(self.base_uri) == bool(self.remote_host):
            raise ValidationError("either base_uri or remote_host must be given", "base_uri")
        if self.base_uri:
            for name in ("remote_port", "path", "ssl"):
                if getattr(self, name):
                    raise ValidationError("is part of base_uri", name)
            problem = base_problem(self.base_uri)
            if problem:
                raise ValidationError(problem, "base_uri")
        if self.ssl_key_file and not self.ssl_cert_file:
            raise ValidationError("is missing, ssl_key_file is given", "ssl_cert_file")
        for name in ("username", "proxy_username"):
            if ":" in getattr(self, name):
                raise ValidationError("must not have a colon", name)

    def check_http_version(self) -> None:
        """Refuse HTTP/2 if its package is not installed."""
        if self.http_version != "1.1" and find_spec("h2") is None:
            raise ValidationError(needs_packages("h2"), "http_version")

    def check_proxy(self) -> None:
        """Refuse an invalid proxy, and credentials without a proxy."""
        if self.proxy:
            problem = base_problem(self.proxy)
            if problem or urlsplit(self.proxy).scheme != "http":
                raise ValidationError("must be http://HOST[:PORT]", "proxy")
            if urlsplit(self.proxy).path not in ("", "/"):
                raise ValidationError("must have no path", "proxy")
        elif self.proxy_username:
            raise ValidationError("is given, and no proxy", "proxy_username")


@table
class OAuthHttpConfig(HttpConfig):
    """Keys of the applications that can also authenticate by a token."""

    oauth_uri: str = member(
        String(
            default="",
            help="where a token is fetched with the next members (OAuth 2.0, client credentials)",
        )
    )
    oauth_client_id: str = member(String(default="", help="who we are there"))
    oauth_client_secret: str = member(
        String(
            default="", help="and its secret; `oauth_client_secret_file` keeps it out of the file"
        )
    )
    oauth_scope: str = member(String(default="", help="scope to ask for, if any"))
    oauth_client_authentication: str = member(
        Choice(
            ["basic", "basic_plain", "body"],
            default="basic",
            help="where the two go: HTTP basic; the same without the encoding of RFC 6749 2.3.1,"
            " which some servers do not undo; or the form",
        )
    )

    def check_oauth(self) -> None:
        """Refuse incomplete settings of a token."""
        if self.oauth_uri:
            problem = base_problem(self.oauth_uri)
            if problem:
                raise ValidationError(problem, "oauth_uri")
            if not self.oauth_client_id:
                raise ValidationError("is missing, oauth_uri is given", "oauth_client_id")
        for name in ("oauth_client_id", "oauth_client_secret", "oauth_scope"):
            if getattr(self, name) and not self.oauth_uri:
                raise ValidationError("is given, and no oauth_uri", name)


def token_server_of(config: OAuthHttpConfig) -> HttpConfig:
    """Return the configuration to fetch a token: its own server, otherwise as for requests."""
    own = {
        "base_uri": config.oauth_uri,
        "num_client_connections": 1,
        "max_redirects": 0,
        "http_headers": {},
        "username": "",
        "ssl_server_name": "",
    }
    members = {one.name: getattr(config, one.name) for one in fields(HttpConfig)}
    of_server = ("remote_host", "remote_port", "path", "ssl")
    kept = {name: value for name, value in members.items() if name not in of_server}
    return HttpConfig(**{**kept, **own})


def base_problem(uri: str) -> str:
    """Return why a URI names no server, "" if it names one."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or port == 0:
        return "must be http://HOST[:PORT][/PATH] or https://…"
    if parts.username is not None or parts.query or parts.fragment:
        return "must have no user, query or fragment"
    return ""


@dataclass(frozen=True, slots=True)
class Server:
    """The server of requests, and the path that they begin with."""

    scheme: str  # http, https
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The value of Host; it has a port only if that differs from the scheme's."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == DEFAULT_PORTS[self.scheme]
        return host if is_usual else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """The parts that a redirection must keep to be followed."""
        return self.scheme, self.host.lower(), self.port


def server_of(config: HttpConfig) -> Server:
    """Return the server that a configuration names."""
    if config.base_uri:
        parts = urlsplit(config.base_uri)
        scheme, port = parts.scheme, parts.port
        return Server(scheme, parts.hostname or "", port or DEFAULT_PORTS[scheme], parts.path)
    scheme = "https" if config.ssl else "http"
    port = config.remote_port or DEFAULT_PORTS[scheme]
    return Server(scheme, config.remote_host, port, config.path)


def proxy_of(config: HttpConfig) -> Server | None:
    """Return the proxy that a configuration names, None without one."""
    if not config.proxy:
        return None
    parts = urlsplit(config.proxy)
    return Server("http", parts.hostname or "", parts.port or DEFAULT_PORTS["http"], "")


def basic(username: str, password: str) -> str:
    """Return the value of a field that authenticates by HTTP basic (RFC 7617)."""
    credentials = f"{username}:{password}".encode()
    return f"Basic {base64.b64encode(credentials).decode()}"


def tls_context(config: HttpConfig) -> ssl.SSLContext:
    """Return the TLS context: how the server's certificate is checked, and the own certificate.

    Errors: GatewayError that names a file which can't be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if config.http_version != "1.1":
        other = ["http/1.1"] if config.http_version == "auto" else []
        context.set_alpn_protocols(["h2", *other])
    if not config.ssl_verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    name = "ssl_ca_file"
    try:
        if config.ssl_ca_file:
            context.load_verify_locations(config.ssl_ca_file)
        else:
            context.load_default_certs()
        name = "ssl_cert_file"
        if config.ssl_cert_file:
            context.load_cert_chain(config.ssl_cert_file, config.ssl_key_file or None)
    except OSError as error:  # ssl.SSLError is one
        raise failure(name, error) from None
    return context
