"""What may be configured of an HTTP client: the keys that rest and osd share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gevent import ssl
from marshmallow import ValidationError, fields, validate, validates_schema

from tsvc.errors import GatewayError
from tsvc.schema.table import Named, Table

DEFAULT_PORTS = {"http": 80, "https": 443}
POSITIVE = validate.Range(0, min_inclusive=False)
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class HttpConfig(Table):
    """Keys of every application that is an HTTP client."""

    base_uri = fields.String(
        load_default="",
        metadata={"help": "`http://HOST[:PORT][/PATH]` or `https://…`; or the next four members"},
    )
    remote_host = fields.String(load_default="", metadata={"help": "the server"})
    remote_port = fields.Integer(
        load_default=0,
        validate=validate.Range(0, 65535),
        metadata={"help": "its port; 0: 80 or 443"},
    )
    path = fields.String(load_default="", metadata={"help": "path that every request begins with"})
    ssl = fields.Boolean(load_default=False, metadata={"help": "whether it is HTTPS"})
    ssl_verify = fields.Boolean(
        load_default=True, metadata={"help": "false: any certificate will do"}
    )
    ssl_ca_file = fields.String(
        load_default="", metadata={"help": "authorities to believe, PEM; empty: the system's"}
    )
    ssl_cert_file = fields.String(load_default="", metadata={"help": "our certificate, PEM"})
    ssl_key_file = fields.String(
        load_default="", metadata={"help": "its private key, PEM; empty: in ssl_cert_file"}
    )
    ssl_server_name = fields.String(
        load_default="",
        metadata={"help": "name that the server's certificate must have; empty: the host"},
    )
    local_host = fields.String(
        load_default="", metadata={"help": "address that connections come from; empty: any"}
    )
    num_client_connections = fields.Integer(
        load_default=10,
        validate=validate.Range(1, 10_000),
        metadata={"help": "most connections at once"},
    )
    backlog_timeout_s = fields.Float(
        load_default=10.0,
        validate=validate.Range(0),
        metadata={"help": "longest wait for a free connection"},
    )
    connect_timeout_s = fields.Float(
        load_default=5.0, validate=POSITIVE, metadata={"help": "longest attempt to connect"}
    )
    server_timeout_s = fields.Float(
        load_default=10.0,
        validate=POSITIVE,
        metadata={"help": "longest wait for a whole response"},
    )
    reconnect_interval_s = fields.Float(
        load_default=10.0,
        validate=POSITIVE,
        metadata={"help": "longest pause between attempts to connect"},
    )
    max_response_octets = fields.Integer(
        load_default=1_048_576,
        validate=validate.Range(1),
        metadata={"help": "longer content aborts the instance"},
    )
    max_redirects = fields.Integer(
        load_default=0,
        validate=validate.Range(0, 20),
        metadata={"help": "redirections followed, to the same server only"},
    )
    http_headers = Named(
        keys=fields.String(validate=validate.Regexp(rf"\A{_HEADER_NAME.pattern}\Z")),
        values=fields.String(validate=validate.Regexp(rf"\A{_HEADER_VALUE.pattern}\Z")),
        load_default=dict,
        metadata={"help": "header fields of every request"},
    )
    username = fields.String(
        load_default="", metadata={"help": "user of HTTP basic authentication"}
    )
    password = fields.String(
        load_default="",
        metadata={"help": "and password; `password_file` keeps it out of the file"},
    )
    ping_path = fields.String(
        load_default="",
        metadata={"help": "up means that this path answers; empty: that a connection can be made"},
    )
    ping_interval_s = fields.Float(
        load_default=60.0,
        validate=POSITIVE,
        metadata={"help": "time between questions to `ping_path`"},
    )
    ping_expected_code = fields.Integer(
        load_default=200,
        validate=validate.Range(100, 599),
        metadata={"help": "HTTP code that it must answer with"},
    )

    @validates_schema
    def check_server(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse what names no server, or two; and half a client certificate."""
        if bool(data["base_uri"]) == bool(data["remote_host"]):
            raise ValidationError("either base_uri or remote_host must be given", "base_uri")
        if data["base_uri"]:
            for name in ("remote_port", "path", "ssl"):
                if data[name]:
                    raise ValidationError("is part of base_uri", name)
            problem = _base_problem(data["base_uri"])
            if problem:
                raise ValidationError(problem, "base_uri")
        if data["ssl_key_file"] and not data["ssl_cert_file"]:
            raise ValidationError("is missing, ssl_key_file is given", "ssl_cert_file")
        if ":" in data["username"]:
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
    def of(cls, config: Mapping[str, Any]) -> "HttpSettings":
        """Return the settings of a loaded HttpConfig."""
        if config["base_uri"]:
            parts = urlsplit(config["base_uri"])
            scheme, host, path = parts.scheme, parts.hostname or "", parts.path
            port = parts.port or DEFAULT_PORTS[scheme]
        else:
            scheme = "https" if config["ssl"] else "http"
            host, path = config["remote_host"], config["path"]
            port = config["remote_port"] or DEFAULT_PORTS[scheme]
        return cls(
            host=host,
            port=port,
            path=path,
            tls=TlsSettings.of(config, host) if scheme == "https" else None,
            local_host=config["local_host"],
            connections=config["num_client_connections"],
            backlog_timeout_s=config["backlog_timeout_s"],
            connect_timeout_s=config["connect_timeout_s"],
            server_timeout_s=config["server_timeout_s"],
            max_response_octets=config["max_response_octets"],
            max_redirects=config["max_redirects"],
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
    def of(cls, config: Mapping[str, Any], host: str) -> "TlsSettings":
        """Return the settings of a loaded HttpConfig for a host."""
        return cls(
            config["ssl_server_name"] or host,
            config["ssl_verify"],
            config["ssl_ca_file"],
            config["ssl_cert_file"],
            config["ssl_key_file"],
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
            raise GatewayError(f"{name}: {error.strerror or error}") from None
        return context
