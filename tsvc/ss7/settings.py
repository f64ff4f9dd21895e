"""Connections and routes of the SIGTRAN configuration: their keys, and their conversion.

The `listen` and `connect` URLs of the SCP have the same keys in their query, under short names.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from marshmallow import ValidationError

from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.params import PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import RoutingKey
from tsvc.protocols.sccp.address import Network
from tsvc.schema.fields import Boolean, Choice, Integer, List, Nested, Number, String
from tsvc.schema.table import Table, member, table
from tsvc.ss7.links import LinkConfig
from tsvc.ss7.network import LINK_KINDS
from tsvc.ss7.routes import Route
from tsvc.words import quoted

DEFAULT_PORTS = {"m3ua": 2905, "sua": 14001}

_MODES = {
    "override": TrafficMode.OVERRIDE,
    "loadshare": TrafficMode.LOADSHARE,
    "broadcast": TrafficMode.BROADCAST,
}
_ROLES = {
    "asp": Role.ASP,
    "as": Role.ASP,
    "sgp": Role.SGP,
    "sg": Role.SGP,
    "ipsp": Role.IPSP,
}
_MAX_U32 = 0xFFFFFFFF
_MAX_PC = 0xFFFFFF


def _u32(help: str = "", **options: Any) -> Integer:
    return Integer(0, _MAX_U32, help=help, **options)


def _point_code(help: str = "", **options: Any) -> Integer:
    return Integer(0, _MAX_PC, help=help, **options)


@table
class Key(Table):
    """One entry of `routing_keys`: the traffic of an Application Server."""

    dpc: int = member(_point_code("point code of the Application Server", required=True))
    mask: int = member(Integer(0, 24, default=0, help="how many low bits of `dpc` do not count"))
    si: tuple[int, ...] = member(
        List(
            Integer(0, 15),
            default=[],
            help="service indicators, such as 3 for SCCP; empty: all, and the key has none",
        )
    )
    opc: tuple[int, ...] = member(
        List(_point_code(), default=[], help="only what these point codes send; empty: all")
    )
    routing_context: int | None = member(
        _u32("routing context of a key that is provisioned; absent: the SGP chooses", default=None)
    )
    traffic_mode: str | None = member(
        Choice(_MODES, default=None, help="as of the connection, for this key only")
    )


@table
class ConnectionTable(Table):
    """One entry of `connections`."""

    name: str = member(String(required=True, help="what routes and `tsvc status` call it"))
    type: str = member(
        Choice(
            ["loopback", *LINK_KINDS],
            required=True,
            help="protocol; `loopback`, to the embedded SCP, stands alone",
        )
    )
    transport: str = member(
        Choice(["tcp", "sctp"], default="tcp", help="TCP, or SCTP of the kernel")
    )
    mode: str = member(
        Choice(["connect", "listen"], default="connect", help="who opens it: we, or the peer")
    )
    role: str = member(
        Choice(sorted(_ROLES), default="asp", help="`asp` (or `as`), `sgp` (or `sg`), `ipsp`")
    )
    exchange: str = member(
        Choice(
            ["single", "double"], default="single", help="of an IPSP: single or double exchange"
        )
    )
    remote_host: str = member(String(default="127.0.0.1", help="the peer, if we connect"))
    remote_port: int | None = member(
        Integer(1, 65535, default=None, help="its port; absent: 2905 for M3UA, 14001 for SUA")
    )
    local_host: str | None = member(
        String(default=None, help="address to listen on (absent: 127.0.0.1) or to connect from")
    )
    local_hosts: tuple[str, ...] = member(
        List(
            String(),
            default=[],
            help="the same, several: the ends of a multihomed SCTP association",
        )
    )
    local_port: int = member(
        Integer(
            0,
            65535,
            default=0,
            help="port to listen on (0: that of the protocol) or to connect from (0: any)",
        )
    )
    routing_context: int | None = member(_u32("routing context", default=None))
    routing_contexts: tuple[int, ...] = member(List(_u32(), default=[], help="more of them"))
    routing_keys: tuple[Key, ...] = member(
        List(
            Nested(Key.schema),
            default=[],
            help="keys to register (ASP), or that are provisioned (SGP)",
        )
    )
    may_register: bool = member(
        Boolean(
            default=False, help="an SGP: whether ASPs may register keys that are not provisioned"
        )
    )
    network_appearance: int | None = member(_u32("network appearance", default=None))
    traffic_mode: str | None = member(
        Choice(
            _MODES, default=None, help="how the ASPs of an Application Server share its traffic"
        )
    )
    asp_identifier: int | None = member(_u32("our ASP identifier", default=None))
    asp_identifiers: tuple[int, ...] = member(
        List(_u32(), default=[], help="an SGP: the ASPs that may come up; empty: all")
    )
    needed_asps: int = member(
        Integer(
            1,
            256,
            default=1,
            help="active ASPs that an Application Server needs to start (n of n+k)",
        )
    )
    recovery_s: float = member(
        Number(
            0,
            600,
            default=2.0,
            help="T(r): how long an Application Server without an active ASP keeps messages",
        )
    )
    max_pending: int = member(Integer(0, 1_000_000, default=10_000, help="how many it keeps"))
    heartbeat_s: float | None = member(
        Number(0.1, 3600, default=None, help="time between BEATs; absent: none are sent")
    )
    ack_s: float = member(
        Number(
            0.1,
            600,
            default=2.0,
            help="T(ack): how long an answer may take before a message is sent again",
        )
    )
    dpc: int | None = member(
        _point_code("where a message without a point code goes by this connection", default=None)
    )
    opc: int | None = member(
        _point_code(
            "our point code here, if not the application's: in the routing label and in the "
            "calling party address",
            default=None,
        )
    )
    sccp_class: int = member(
        Integer(0, 1, default=0, help="SCCP protocol class; 1: each dialogue in sequence")
    )
    max_udt_octets: int | None = member(
        Integer(
            64,
            4096,
            default=None,
            help="longest SCCP message; what is longer as UDT goes as XUDT, in segments (272 of "
            "MTP 2 less the routing label: 268 in ITU, 265 in ANSI); absent: UDT up to 255 "
            "octets of data",
        )
    )
    tid_label: bool = member(
        Boolean(
            default=False,
            help="SUA: tell the gateway which transaction ids are ours (TID label): workers of a"
            " cluster may share an address then",
        )
    )
    network: str | None = member(
        Choice(
            [network.value for network in Network],
            default=None,
            help="the network here, if not the application's",
        )
    )
    network_indicator: int | None = member(
        Integer(0, 3, default=None, help="the network indicator here, if not the application's")
    )

    def check(self) -> None:
        """Refuse members that can't work together."""
        role = _ROLES[self.role]
        if self.exchange == "double" and role is not Role.IPSP:
            raise ValidationError('"double" is for role "ipsp"', "exchange")
        if self.may_register and role is Role.ASP:
            raise ValidationError("an ASP has nothing that others could register", "may_register")
        if self.tid_label and (self.type != "sua" or role is not Role.ASP):
            raise ValidationError("is for an ASP of SUA", "tid_label")
        if len(self.local_hosts) > 1 and self.transport != "sctp":
            raise ValidationError("several addresses need SCTP", "local_hosts")


@table
class RouteEntry(Table):
    """One entry of `routes`: by `pc`, by `gt_prefix`, or by `gt_from` and `gt_to`."""

    connection: str = member(String(required=True, help="name of the connection"))
    pc: int | None = member(_point_code("destinations by point code", default=None))
    mask: int = member(Integer(0, 24, default=0, help="how many low bits of `pc` do not count"))
    gt_prefix: str | None = member(
        String(
            pattern=r"^[0-9A-Fa-f]*$",
            default=None,
            help="destinations whose global title begins with these digits; empty: any",
        )
    )
    gt_from: str | None = member(
        String(
            pattern=r"^[0-9A-Fa-f]+$",
            default=None,
            help="destinations whose global title is in a range: its first …",
        )
    )
    gt_to: str | None = member(
        String(pattern=r"^[0-9A-Fa-f]+$", default=None, help="… and its last, of as many digits")
    )
    tt: int | None = member(Integer(0, 255, default=None, help="only with this translation type"))
    priority: int = member(
        Integer(
            1, 255, default=1, help="the lowest that is available is used; equal ones share by SLS"
        )
    )
    new_dpc: int | None = member(
        _point_code("translation: the point code to send to", default=None)
    )
    new_ssn: int | None = member(
        Integer(1, 255, default=None, help="translation: the subsystem number to write")
    )
    new_gt_digits: str | None = member(
        String(
            pattern=r"^[0-9A-Fa-f]*$",
            default=None,
            help="translation: the digits to write; they replace those of the prefix",
        )
    )
    route_on: str | None = member(
        Choice(["gt", "ssn"], default=None, help="translation: the routing indicator to write")
    )

    def check(self) -> None:
        """Refuse an entry without a destination, or with two."""
        start, end = self.gt_from, self.gt_to
        if (start is None) != (end is None):
            raise ValidationError("gt_from and gt_to go together", "gt_from")
        ways = [self.pc, self.gt_prefix, start]
        if sum(way is not None for way in ways) != 1:
            raise ValidationError("needs one of pc, gt_prefix, and gt_from with gt_to", "pc")
        if start is None or end is None:
            return
        if len(start) != len(end) or start.lower() > end.lower():
            raise ValidationError("as many digits as gt_from, and not under it", "gt_to")


def route_of(item: RouteEntry) -> Route:
    """Return the route of a checked entry of `routes`."""
    prefix = item.gt_prefix
    start, end = (prefix, prefix) if prefix is not None else (item.gt_from, item.gt_to)
    return Route(
        connection=item.connection,
        pc=item.pc,
        mask=item.mask,
        gt_from=None if start is None else start.lower(),
        gt_to=None if end is None else end.lower(),
        is_prefix=prefix is not None,
        tt=item.tt,
        priority=item.priority,
        dpc=item.new_dpc,
        ssn=item.new_ssn,
        gt_digits=None if item.new_gt_digits is None else item.new_gt_digits.lower(),
        is_on_ssn=None if item.route_on is None else item.route_on == "ssn",
    )


def link_of(item: ConnectionTable) -> LinkConfig:
    """Return the link of a checked entry of `connections`."""
    is_listening = item.mode == "listen"
    hosts = item.local_hosts or ((item.local_host,) if item.local_host else ())
    first = hosts[0] if hosts else None
    default_port = DEFAULT_PORTS.get(item.type, 0)
    port = item.local_port if is_listening else item.remote_port
    context = item.routing_context
    network = item.network
    return LinkConfig(
        name=item.name,
        mode=item.mode,
        role=_ROLES[item.role],
        host=(first or "127.0.0.1") if is_listening else item.remote_host,
        port=port or default_port,
        kind=item.type,
        transport=item.transport,
        local_host=None if is_listening else first,
        local_port=0 if is_listening else item.local_port,
        more_hosts=hosts[1:],
        routing_contexts=(*(() if context is None else (context,)), *item.routing_contexts),
        routing_keys=tuple(_key(key, item) for key in item.routing_keys),
        may_register=item.may_register,
        network_appearance=item.network_appearance,
        traffic_mode=_MODES.get(item.traffic_mode or ""),
        asp_identifier=item.asp_identifier,
        asp_identifiers=item.asp_identifiers,
        is_double_exchange=item.exchange == "double",
        needed_asps=item.needed_asps,
        recovery_s=item.recovery_s,
        max_pending=item.max_pending,
        heartbeat_s=item.heartbeat_s,
        ack_s=item.ack_s,
        dpc=item.dpc,
        opc=item.opc,
        sccp_class=item.sccp_class,
        max_udt_octets=item.max_udt_octets,
        network=None if network is None else Network(network),
        network_indicator=item.network_indicator,
        tid_label=item.tid_label,
    )


def _key(item: Key, connection: ConnectionTable) -> RoutingKey:
    return RoutingKey(
        PointCode(item.dpc, item.mask),
        item.si,
        tuple(PointCode(opc) for opc in item.opc),
        connection.network_appearance,
        _MODES.get(item.traffic_mode or connection.traffic_mode or ""),
        item.routing_context,
    )


# Short name in a URL -> key of a connection.
_QUERY = {
    "pc": "opc",
    "dpc": "dpc",
    "network": "network",
    "ni": "network_indicator",
    "rc": "routing_contexts",
    "na": "network_appearance",
    "role": "role",
    "exchange": "exchange",
    "traffic": "traffic_mode",
    "asps": "needed_asps",
    "asp": "asp_identifier",
    "recovery": "recovery_s",
    "heartbeat": "heartbeat_s",
    "register": "may_register",
    "host": "local_hosts",
    "port": "local_port",
    "class": "sccp_class",
    "udt": "max_udt_octets",
}
_LISTS = {"rc", "host"}
SHOWN_QUERY = ", ".join(_QUERY)


def link_of_url(url: str, mode: str) -> LinkConfig:
    """Return the link of a URL such as "m3ua+tcp://127.0.0.1:2905?pc=2&network=itu&rc=1,2".

    `mode`: "listen" or "connect". Query: pc (own point code), dpc (destination of a message
    without a point code), network (itu, ansi), ni, rc, na, role (sgp, ipsp, asp; listening: sgp,
    otherwise asp), exchange, traffic (override, loadshare, broadcast), asps (n of n+k), asp (own
    identifier), recovery and heartbeat in seconds, register (1: as an SGP, ASPs may register keys;
    as an ASP, the key of the own point code is registered), host and port (own end: listening:
    further addresses, SCTP; connecting: those to connect from), class (SCCP's), udt
    (max_udt_octets). Errors: ValueError with what is wrong.
    """
    parts = urlsplit(url)
    kind, _, transport = parts.scheme.partition("+")
    given: dict[str, Any] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        key = _QUERY.get(name)
        if key is None or key in given:
            why = "is unknown" if key is None else "is there twice"
            raise ValueError(f"{quoted(name)} {why}; a URL may have {SHOWN_QUERY}")
        given[key] = value.split(",") if name in _LISTS else value
    host = parts.hostname or "127.0.0.1"
    port = DEFAULT_PORTS.get(kind, 0) if parts.port is None else parts.port
    if mode == "listen":
        if "local_port" in given:
            raise ValueError("port: stands behind the address to listen on")
        given = {"role": "sgp", **given, "local_hosts": [host, *given.get("local_hosts", [])]}
    else:
        given = {"role": "asp", **given, "remote_host": host, **_own_key(given)}
    fixed = {"name": url, "type": kind, "transport": transport, "mode": mode}
    try:
        item = ConnectionTable.load({**given, **fixed})
    except ValidationError as error:
        names = {key: short for short, key in _QUERY.items()}
        texts = [f"{names.get(key, key)}: {text}" for key, text in error.messages_dict.items()]
        raise ValueError("; ".join(texts)) from None
    link = link_of(item)
    if mode == "listen" and link.role is Role.ASP:
        raise ValueError('role: an SCP that is connected to is "sgp" or "ipsp"')
    return replace(link, port=port)


def _own_key(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of an ASP that registers the routing key of its own point code."""
    if given.get("role", "asp") not in ("asp", "as") or given.get("may_register") != "1":
        return {}
    if "opc" not in given:
        raise ValueError("register: needs pc, the point code that is registered")
    return {"may_register": "0", "routing_keys": [{"dpc": given["opc"]}]}
