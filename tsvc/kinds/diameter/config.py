"""`[application.NAME]` with module = "diameter": its members and their checks."""

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import ValidationError

from tsvc.kinds.diameter.transport import Tls
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import MAX_MESSAGE_OCTETS
from tsvc.protocols.diameter.types import TYPES
from tsvc.schema.fields import Boolean, Choice, Integer, List, Named, Nested, Number, String
from tsvc.schema.table import Table, member, table
from tsvc.words import quoted

DEFAULT_PORT = 3868
_BASE_AVPS = range(257, 300)  # of RFC 6733: read by the peer machines of both ends


@table
class ApplicationConfig(Table):
    """One entry of `applications`."""

    id: int = member(
        Integer(0, 0xFFFFFFFF, required=True, help="Application-Id; 4: credit control")
    )
    type: str = member(
        Choice(
            ["auth", "acct"],
            default="auth",
            help="whether it is an Auth- or an Acct-Application-Id",
        )
    )
    vendor_id: int | None = member(
        Integer(0, 0xFFFFFFFF, default=None, help="vendor of a vendor-specific application")
    )


@table
class AvpConfig(Table):
    """One entry of `avps`: an AVP that the dictionary does not have."""

    name: str = member(String(1, 100, required=True, help="name in definitions"))
    code: int = member(Integer(0, 0xFFFFFFFF, required=True, help="AVP code"))
    vendor_id: int = member(Integer(0, 0xFFFFFFFF, default=0, help="Vendor-Id; 0: none"))
    mandatory: bool = member(Boolean(default=False, help="whether the M flag is set"))
    type: str = member(Choice(list(TYPES), default="OctetString", help="type of its value"))
    values: Mapping[str, int] = member(
        Named(Integer(), default=dict, help="names of an Enumerated's values: name = number")
    )

    def check_avp(self) -> None:
        """Refuse an AVP that no definition could use, or that redefines an AVP of RFC 6733."""
        if self.name.startswith(("{", "!")):
            raise ValidationError(
                "must not begin with { or !: expressions and negations do", "name"
            )
        type_ = TYPES[self.type]
        if self.values and not type_.is_number:
            raise ValidationError(f"are names of numbers, the type is {type_.name}", "values")
        for value_name, number in self.values.items():
            try:
                type_.encode(number)
            except ValueError as error:
                raise ValidationError(f"{value_name}: {error}", "values") from None
        key, name = (self.code, self.vendor_id), self.name
        for found in (standard().avps.get(key), standard().avp(name)):
            if found is None or found.vendor_id or found.code not in _BASE_AVPS:
                continue
            if (found.name, found.key, found.type) != (name, key, type_):
                text = f"{found.name}, code {found.code}, is one of the base protocol"
                raise ValidationError(text, "name")


@table
class DiameterConfig(Table):
    """`[application.NAME]` with module = "diameter"."""

    mode: str = member(
        Choice(
            ["connect", "listen"], default="connect", help="who opens connections: we, or peers"
        )
    )
    remote_hosts: tuple[str, ...] = member(
        List(
            String(),
            default=list,
            help="peers as `host:port`; the first that answers, the next when it is lost",
        )
    )
    remote_host: str = member(
        String(default="127.0.0.1", help="the only peer, if `remote_hosts` is empty")
    )
    remote_port: int = member(Integer(1, 65535, default=DEFAULT_PORT, help="its port"))
    local_host: str | None = member(
        String(default=None, help="address to listen on (absent: 127.0.0.1) or to connect from")
    )
    local_port: int = member(
        Integer(
            0, 65535, default=0, help="port to listen on (0: 3868) or to connect from (0: any)"
        )
    )
    transport: str = member(
        Choice(["tcp", "sctp"], default="tcp", help="TCP, or SCTP of the kernel")
    )
    tls: Tls | None = member(Nested(Tls.schema, default=None, help="TLS over TCP; absent: none"))
    origin_host: str = member(
        String(1, 255, default="tester.tsvc.invalid", help="our Origin-Host")
    )
    origin_realm: str | None = member(
        String(
            default=None,
            help="our Origin-Realm; absent: what follows the first dot of `origin_host`",
        )
    )
    destination_host: str | None = member(
        String(
            default=None,
            help="Destination-Host where a definition gives none, if it is not forced",
        )
    )
    destination_realm: str | None = member(
        String(default=None, help="Destination-Realm; absent: the peer's realm")
    )
    force_destination_host: bool = member(
        Boolean(default=True, help="Destination-Host is always what the peer called itself")
    )
    vendor_id: int = member(Integer(0, 0xFFFFFFFF, default=0, help="our Vendor-Id"))
    product_name: str = member(String(default="tsvc", help="our Product-Name"))
    applications: tuple[ApplicationConfig, ...] = member(
        List(
            Nested(ApplicationConfig.schema),
            default=lambda: [ApplicationConfig(id=4)],
            help="what we offer in CER or CEA",
        )
    )
    watchdog_s: float = member(
        Number(above=0, high=86400, default=30.0, help="silence after which a DWR is sent")
    )
    request_timeout_s: float = member(
        Number(above=0, high=86400, default=10.0, help="longest wait for an answer")
    )
    reconnect_interval_s: float = member(
        Number(above=0, high=86400, default=10.0, help="longest pause between attempts to connect")
    )
    max_message_octets: int = member(
        Integer(
            1024, 0xFFFFFF, default=MAX_MESSAGE_OCTETS, help="a longer message ends the connection"
        )
    )
    avps: tuple[AvpConfig, ...] = member(
        List(Nested(AvpConfig.schema), default=list, help="AVPs that the dictionary has not")
    )

    def check_hosts(self) -> None:
        """Refuse members that can't work together."""
        _check_unlike(self.avps)
        for host in self.remote_hosts:
            if host_and_port(host) is None:
                raise ValidationError(f"{quoted(host)} is not host:port", "remote_hosts")
        if self.transport == "sctp" and self.tls:
            raise ValidationError("TLS goes over TCP only", "tls")
        for name in ("origin_host", "origin_realm", "destination_host", "destination_realm"):
            if not (getattr(self, name) or "").isascii():
                raise ValidationError("must be ASCII", name)


def _check_unlike(avps: Iterable[AvpConfig]) -> None:
    """Refuse two AVPs with the same name or code. Errors: ValidationError."""
    seen: set[Any] = set()
    for avp in avps:
        name, code, vendor_id = avp.name, avp.code, avp.vendor_id
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
