"""`[application.NAME]` with module = "diameter": its members, and what is wrong with them."""

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import MAX_MESSAGE_OCTETS
from tsvc.protocols.diameter.types import TYPES
from tsvc.schema.table import Named, Table

DEFAULT_PORT = 3868
_BASE_AVPS = range(257, 300)  # of RFC 6733: what machines of both ends read by themselves
_U32 = validate.Range(0, 0xFFFFFFFF)
_PORT = validate.Range(1, 65535)
_SECONDS = validate.Range(0, 86400, min_inclusive=False)


class ApplicationConfig(Table):
    """One entry of `applications`."""

    id = fields.Integer(
        required=True, validate=_U32, metadata={"help": "Application-Id; 4: credit control"}
    )
    type = fields.String(
        load_default="auth",
        validate=validate.OneOf(["auth", "acct"]),
        metadata={"help": "whether it is an Auth- or an Acct-Application-Id"},
    )
    vendor_id = fields.Integer(
        load_default=None,
        allow_none=True,
        validate=_U32,
        metadata={"help": "vendor of a vendor-specific application"},
    )


class AvpConfig(Table):
    """One entry of `avps`: an AVP that the dictionary has not."""

    name = fields.String(
        required=True, validate=validate.Length(1, 100), metadata={"help": "name in definitions"}
    )
    code = fields.Integer(required=True, validate=_U32, metadata={"help": "AVP code"})
    vendor_id = fields.Integer(
        load_default=0, validate=_U32, metadata={"help": "Vendor-Id; 0: none"}
    )
    mandatory = fields.Boolean(load_default=False, metadata={"help": "whether the M flag is set"})
    type = fields.String(
        load_default="OctetString",
        validate=validate.OneOf(list(TYPES)),
        metadata={"help": "type of its value"},
    )
    values = Named(
        fields.String(),
        fields.Integer(),
        load_default=dict,
        metadata={"help": "names of an Enumerated's values: name = number"},
    )

    @validates_schema
    def check_avp(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse what no definition could use, and another meaning of what every peer reads."""
        if data["name"].startswith(("{", "!")):
            raise ValidationError(
                "must not begin with { or !: expressions and negations do", "name"
            )
        type_ = TYPES[data["type"]]
        if data["values"] and not type_.is_number:
            raise ValidationError(f"are names of numbers, the type is {type_.name}", "values")
        for value_name, number in data["values"].items():
            try:
                type_.encode(number)
            except ValueError as error:
                raise ValidationError(f"{value_name}: {error}", "values") from None
        key, name = (data["code"], data["vendor_id"]), data["name"]
        for found in (standard().avps.get(key), standard().avp(name)):
            if found is None or found.vendor_id or found.code not in _BASE_AVPS:
                continue
            if (found.name, found.key, found.type) != (name, key, type_):
                text = f"{found.name}, code {found.code}, is one of the base protocol"
                raise ValidationError(text, "name")


class TlsConfig(Table):
    """`tls`: PEM files."""

    ca_file = fields.String(
        load_default=None,
        allow_none=True,
        metadata={
            "help": "authorities to believe, PEM; absent: the system's, or, listening, none"
        },
    )
    cert_file = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"help": "our certificate, PEM; needed to listen"},
    )
    key_file = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"help": "its private key, PEM; absent: in cert_file"},
    )
    verify = fields.Boolean(load_default=True, metadata={"help": "false: any certificate will do"})
    server_name = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"help": "name that the peer's certificate must have; absent: the host"},
    )


class DiameterConfig(Table):
    """`[application.NAME]` with module = "diameter"."""

    mode = fields.String(
        load_default="connect",
        validate=validate.OneOf(["connect", "listen"]),
        metadata={"help": "who opens connections: we, or peers"},
    )
    remote_hosts = fields.List(
        fields.String(),
        load_default=list,
        metadata={
            "help": "peers as `host:port`; the first that answers, the next when it is lost"
        },
    )
    remote_host = fields.String(
        load_default="127.0.0.1", metadata={"help": "the only peer, if `remote_hosts` is empty"}
    )
    remote_port = fields.Integer(
        load_default=DEFAULT_PORT, validate=_PORT, metadata={"help": "its port"}
    )
    local_host = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"help": "address to listen on (absent: 127.0.0.1) or to connect from"},
    )
    local_port = fields.Integer(
        load_default=0,
        validate=validate.Range(0, 65535),
        metadata={"help": "port to listen on (0: 3868) or to connect from (0: any)"},
    )
    transport = fields.String(
        load_default="tcp",
        validate=validate.OneOf(["tcp", "sctp"]),
        metadata={"help": "TCP, or SCTP of the kernel"},
    )
    tls = fields.Nested(
        TlsConfig,
        load_default=None,
        allow_none=True,
        metadata={"help": "TLS over TCP; absent: none"},
    )
    origin_host = fields.String(
        load_default="tester.tsvc.invalid",
        validate=validate.Length(1, 255),
        metadata={"help": "our Origin-Host"},
    )
    origin_realm = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"help": "our Origin-Realm; absent: what follows the first dot of `origin_host`"},
    )
    destination_host = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"help": "Destination-Host where a definition gives none, if it is not forced"},
    )
    destination_realm = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"help": "Destination-Realm; absent: the peer's realm"},
    )
    force_destination_host = fields.Boolean(
        load_default=True,
        metadata={"help": "Destination-Host is always what the peer called itself"},
    )
    vendor_id = fields.Integer(load_default=0, validate=_U32, metadata={"help": "our Vendor-Id"})
    product_name = fields.String(load_default="tsvc", metadata={"help": "our Product-Name"})
    applications = fields.List(
        fields.Nested(ApplicationConfig),
        load_default=lambda: [{"id": 4}],
        metadata={"help": "what we offer in CER or CEA"},
    )
    watchdog_s = fields.Float(
        load_default=30.0,
        validate=_SECONDS,
        metadata={"help": "silence after which a DWR is sent"},
    )
    request_timeout_s = fields.Float(
        load_default=10.0, validate=_SECONDS, metadata={"help": "longest wait for an answer"}
    )
    reconnect_interval_s = fields.Float(
        load_default=10.0,
        validate=_SECONDS,
        metadata={"help": "longest pause between attempts to connect"},
    )
    max_message_octets = fields.Integer(
        load_default=MAX_MESSAGE_OCTETS,
        validate=validate.Range(1024, 0xFFFFFF),
        metadata={"help": "a longer message ends the connection"},
    )
    avps = fields.List(
        fields.Nested(AvpConfig),
        load_default=list,
        metadata={"help": "AVPs that the dictionary has not"},
    )

    @validates_schema
    def check_hosts(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a mixture that could not work."""
        _check_unlike(data["avps"])
        for host in data["remote_hosts"]:
            if host_and_port(host) is None:
                raise ValidationError(f"{host!r} is not host:port", "remote_hosts")
        if data["transport"] == "sctp" and data["tls"]:
            raise ValidationError("TLS goes over TCP only", "tls")
        for name in ("origin_host", "origin_realm", "destination_host", "destination_realm"):
            if not (data[name] or "").isascii():
                raise ValidationError("must be ASCII", name)


def _check_unlike(avps: Iterable[Mapping[str, Any]]) -> None:
    """Refuse two AVPs of one name or one code. Errors: ValidationError."""
    seen: set[Any] = set()
    for avp in avps:
        name, code, vendor_id = avp["name"], avp["code"], avp["vendor_id"]
        for key in (name.lower(), (code, vendor_id)):
            if key in seen:
                text = f"two have the name or code of {name} (code {code}, vendor {vendor_id})"
                raise ValidationError(text, "avps")
            seen.add(key)


def host_and_port(text: str) -> tuple[str, int] | None:
    """Return the parts of host, host:port or [v6]:port; None if it is none of these."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
        return None
    return host, int(port)
