"""What may be configured of an HTTP client: the keys that rest and osd share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from gevent import ssl
from marshmallow import ValidationError

from tsvc.schema.fields import Boolean, Integer, Named, Number, String
from tsvc.schema.table import Table, member, table
from tsvc.transport.failures import failure

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
        """Refuse what names no server, or two; and half a client certificate."""
        if bool(self.base_uri) == bool(self.remote_host):
            raise ValidationError("either base_uri or remote_host must be given", "base_uri")
        if self.base_uri:
            for name in ("remote_port", "path", "ssl"):
                if getattr(self, name):
                    raise ValidationError("is part of base_uri", name)
            problem = _base_problem(self.base_uri)
            if problem:
                raise ValidationError(problem, "base_uri")
        if self.ssl_key_file and not self.ssl_cert_file:
            raise ValidationError("is missing, ssl_key_file is given", "ssl_cert_file")
        if ":" in self.username:
            raise ValidationError("must not have a colon", "username")


def _base_problem(uri: str) -> str:
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
class HttpSettings:
    """What a client is made of; times in seconds."""

    host: str
    port: int
    path: str
    tls: "TlsSettings | None"
    local_host: str
    connections: int
    backlog_timeout_s: float
    connect_timeout_s: float
    server_timeout_s: float
    max_response_octets: int
    max_redirects: int

    @property
    def authority(self) -> str:
        """The value of Host: the port only where it is not the scheme's."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == DEFAULT_PORTS[self.scheme]
        return host if is_usual else f"{host}:{self.port}"

    @property
    def scheme(self) -> str:
        """The scheme, http or https."""
        return "http" if self.tls is None else "https"

    @property
    def origin(self) -> tuple[str, str, int]:
        """What a redirection must keep to be followed."""
        return self.scheme, self.host.lower(), self.port

    @classmethod
    def of(cls, config: HttpConfig) -> "HttpSettings":
        """Return the settings of a loaded HttpConfig."""
        if config.base_uri:
            parts = urlsplit(config.base_uri)
            scheme, host, path = parts.scheme, parts.hostname or "", parts.path
            port = parts.port or DEFAULT_PORTS[scheme]
        else:
            scheme = "https" if config.ssl else "http"
            host, path = config.remote_host, config.path
            port = config.remote_port or DEFAULT_PORTS[scheme]
        return cls(
            host=host,
            port=port,
            path=path,
            tls=TlsSettings.of(config, host) if scheme == "https" else None,
            local_host=config.local_host,
            connections=config.num_client_connections,
            backlog_timeout_s=config.backlog_timeout_s,
            connect_timeout_s=config.connect_timeout_s,
            server_timeout_s=config.server_timeout_s,
            max_response_octets=config.max_response_octets,
            max_redirects=config.max_redirects,
        )


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How a server is to prove who it is, and how we do."""

    server_name: str
    is_verified: bool
    ca_file: str
    cert_file: str
    key_file: str

    @classmethod
    def of(cls, config: HttpConfig, host: str) -> "TlsSettings":
        """Return the settings of a loaded HttpConfig for a host."""
        return cls(
            config.ssl_server_name or host,
            config.ssl_verify,
            config.ssl_ca_file,
            config.ssl_cert_file,
            config.ssl_key_file,
        )

    def context(self) -> ssl.SSLContext:
        """Return the TLS context. Errors: GatewayError naming a file that can't be used."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if not self.is_verified:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        name = "ssl_ca_file"
        try:
            if self.ca_file:
                context.load_verify_locations(self.ca_file)
            else:
                context.load_default_certs()
            name = "ssl_cert_file"
            if self.cert_file:
                context.load_cert_chain(self.cert_file, self.key_file or None)
        except OSError as error:  # ssl.SSLError is one
            raise failure(name, error) from None
        return context
