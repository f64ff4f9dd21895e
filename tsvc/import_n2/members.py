"""Conversions beyond a renaming: connections, routes, AVPs, headers, connect strings."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from tsvc.import_n2.source import Element, Given, Source, Target, boolean, integer, text

_HIGHEST_ITU = 0x3FFF  # 14 bits
_DBI = re.compile(r"dbi:(\w+)(?:\([^)]*\))?:(.*)", re.IGNORECASE | re.DOTALL)
_DRIVERS = {
    "oracle": "oracle",
    "pg": "postgresql",
    "mysql": "mysql",
    "mariadb": "mariadb",
    "sqlite": "sqlite",
}
_DATABASE_NAMES = ("", "service_name", "dbname", "database", "db")


def nothing(target: Target) -> None:
    """Add nothing."""


def never(source: Source) -> str:
    """Return "", because the application can be converted."""
    return ""


def verify_mode(value: str) -> bool:
    """Return True if the mode verifies the certificate; mode 0 does not."""
    return integer(value) != 0


def refuse_pi(source: Source) -> str:
    """Return why a PI application can't be converted: PI over SOAP is another protocol."""
    protocol = source.value("protocol").lower()
    return "" if protocol in ("", "mml") else f"PI over {protocol} is not supported, only MML is"


def refuse_soap(source: Source) -> str:
    """Return why a SOAP client can't be converted, unless it connects to an OSD."""
    quirks = source.value("quirks_mode").lower()
    if quirks == "ncc_osd":
        return ""
    return f"quirks_mode {quirks or 'generic'} is not supported, only ncc_osd is"


def refuse_db(source: Source) -> str:
    """Return why a DB application can't be converted, unless it has a known DBI driver."""
    if source.value("dbtype").lower() not in ("", "dbi"):
        return f"dbtype {source.value('dbtype')} is not supported"
    match = _DBI.fullmatch(source.value("connect").strip())
    if match is None:
        return "its connect string is no dbi:DRIVER:… one"
    if match[1].lower() not in _DRIVERS:
        return f"there is no driver for DBI's {match[1]}"
    return ""


def finish_pi(target: Target) -> None:
    """Note that the framing of lines is unknown."""
    target.note(
        target.source.line,
        target.source.module,
        "N2SVCD does not show how lines are framed: compare login_format, terminator and the"
        " patterns with your server",
    )


def finish_osd(target: Target) -> None:
    """Keep `security` only if tsvc knows its value."""
    given = target.source.parameters.get("security")
    if given is not None and given.value not in ("none", "basic", "inline"):
        del target.members["security"]
        target.note(given.line, "security", f"{given.value!r} is none of none, basic, inline")


def finish_rest(target: Target) -> None:
    """Add the headers of all requests."""
    headers: dict[str, str] = {}
    for names in (("http_headers", "http_header"), ("headers", "header")):
        for element in target.source.configured(*names):
            name, value = (element.members().get(key, "") for key in ("name", "value"))
            headers[name] = value or element.text
    if headers:
        target.members["http_headers"] = headers
        text_ = "headers may hold keys: they stand in the result as they are"
        target.note(target.source.line, "http_headers", text_)


def finish_diameter(target: Target) -> None:
    """Add the AVPs of the site."""
    avps: list[dict[str, Any]] = []
    for element in target.source.configured("avps", "avp"):
        avp = _members(
            target,
            element,
            {
                "name": ("name", text),
                "code": ("code", integer),
                "vendor_id": ("vendor_id", integer),
                "mandatory": ("mandatory", boolean),
                "type": ("type", text),
            },
        )
        if {"name", "code"} <= avp.keys():
            avps.append(avp)
    if avps:
        target.members["avps"] = avps


def finish_db(target: Target) -> None:
    """Add the members of the connect string, and note that the operations need SQL."""
    source = target.source
    given = source.parameters["connect"]
    match = _DBI.fullmatch(given.value.strip())
    assert match is not None  # refuse_db() has checked it
    pairs = dict(_pair(part) for part in match[2].split(";") if part.strip())
    target.members = {**_database(target, _DRIVERS[match[1].lower()], pairs), **target.members}
    for name in pairs:
        target.note(given.line, "connect", f"{name or 'a part without name'} is not taken over")
    repeat = source.attributes.get("repeat")
    if repeat is not None:
        target.put("pool", Given(repeat, source.line), "repeat", integer)
    supported = source.parameters.get("ping_supported")
    if supported is not None and not _truth(supported.value):
        target.members.pop("ping_interval_s", None)
        target.note(supported.line, "ping_supported", "tsvc pings in its own way")
    text_ = "db.<label>.<method> needs the SQL of each method: write its statements"
    target.note(source.line, source.module, text_)


def _database(target: Target, driver: str, pairs: dict[str, str]) -> dict[str, Any]:
    """Return the members that locate the database, and remove the used pairs."""
    place = target.source.parameters["connect"].line
    host, port = pairs.pop("host", pairs.pop("hostname", "")), pairs.pop("port", "")
    if driver == "oracle" and "sid" in pairs:
        # `database` would be a service name; a SID is only possible in a URL.
        return {"url": f"oracle://{host}{port and ':'}{port}/{quote(pairs.pop('sid'))}"}
    found: dict[str, Any] = {"driver": driver}
    if host:
        found["host"] = host
    if port:
        try:
            found["port"] = integer(port)
        except ValueError as error:
            target.note(place, "connect", str(error))
    for name in _DATABASE_NAMES:
        if name in pairs and (name or driver != "oracle"):
            found["database"] = pairs.pop(name)
    return found


def finish_sigtran(target: Target) -> None:
    """Add connections and routes."""
    source = target.source
    connections = [
        _connection(target, one) for one in source.configured("connections", "connection")
    ]
    has_loopback = any(one.get("type") == "loopback" for one in connections)
    if has_loopback and len(connections) > 1:
        target.note(
            source.line, "connections", "a loopback stands alone in tsvc: it is left out here"
        )
        connections = [one for one in connections if one.get("type") != "loopback"]
        has_loopback = False
    if connections:
        target.members["connections"] = connections
    names = {one.get("name") for one in connections}
    routes = []
    for element in source.configured("routes", "route"):
        if has_loopback:
            target.note(element.line, "route", "a loopback needs none")
            continue
        route = _route(target, element)
        if route.get("connection") not in names:
            target.note(element.line, "route", "leads to a connection that is not there")
        elif len(route.get("gt_from", "")) != len(route.get("gt_to", "")):
            target.note(element.line, "route", "mingt and maxgt differ in length")
        else:
            routes.append(route)
    if routes:
        target.members["routes"] = routes
    _choose_network(target)


def _connection(target: Target, element: Element) -> dict[str, Any]:
    given = element.members()
    if given.get("type") == "loopback":
        return {"name": given.get("name", ""), "type": "loopback"}
    found = _members(
        target,
        element,
        {
            "name": ("name", text),
            "type": ("type", text),
            "mode": ("mode", text),
            "role": ("role", text),
            "remote_host": ("remote_host", text),
            "remote_port": ("remote_port", integer),
            "local_host": ("local_host", text),
            "local_port": ("local_port", integer),
            "next_hop_pc": ("dpc", integer),
            "sg_dpc": ("dpc", integer),
            "routing_context": ("routing_context", integer),
            "network_appearance": ("network_appearance", integer),
            "m3ua_na": ("network_appearance", integer),
        },
    )
    found["transport"] = "sctp"  # N2SVCD has no other transport
    _split_hosts(target, element, found)
    appearance = target.source.parameters.get("default_m3ua_na")
    if found.get("type") == "m3ua" and appearance is not None:
        try:
            found.setdefault("network_appearance", integer(appearance.value))
        except ValueError as error:
            target.note(appearance.line, "default_m3ua_na", str(error))
    return found


def _split_hosts(target: Target, element: Element, found: dict[str, Any]) -> None:
    """Split lists of addresses, because an association may have several at each end."""
    local = [host.strip() for host in found.pop("local_host", "").split(",") if host.strip()]
    if len(local) > 1:
        found["local_hosts"] = local
    elif local:
        found["local_host"] = local[0]
    first, *others = [host.strip() for host in found.get("remote_host", "").split(",")]
    if first:
        found["remote_host"] = first
    if others:
        text_ = f"{', '.join(others)}: SCTP learns further addresses from the peer"
        target.note(element.line, "connection.remote_host", text_)


def _route(target: Target, element: Element) -> dict[str, Any]:
    return _members(
        target,
        element,
        {
            "pc": ("pc", integer),
            "mingt": ("gt_from", text),
            "maxgt": ("gt_to", text),
            "connection": ("connection", text),
        },
    )


def _choose_network(target: Target) -> None:
    """Set the network to ansi if a point code has more than 14 bits, which ITU does not allow."""
    members = target.members
    codes = [members.get("opc", 0)]
    codes += [one.get("dpc", 0) for one in members.get("connections", ())]
    codes += [one.get("pc", 0) for one in members.get("routes", ())]
    if max(codes) > _HIGHEST_ITU:
        members["network"] = "ansi"
        text_ = f"point code {max(codes)} has more than 14 bits: network is ansi"
        target.note(target.source.line, "opc", text_)


def _members(target: Target, element: Element, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of an element; note unknown and wrong ones."""
    found: dict[str, Any] = {}
    for name, value in element.members().items():
        place = f"{element.name}.{name}"
        if name not in known:
            target.note(element.line, place, "has no counterpart in tsvc")
            continue
        member, read = known[name]
        try:
            found[member] = read(value)
        except ValueError as error:
            target.note(element.line, place, str(error))
    order = [member for member, _ in known.values()]
    return dict(sorted(found.items(), key=lambda item: order.index(item[0])))


def _pair(part: str) -> tuple[str, str]:
    """Return the name and the value of a part of a connect string; without "=" the name is ""."""
    name, sign, value = part.partition("=")
    return (name.strip().lower(), value.strip()) if sign else ("", part.strip())


def _truth(value: str) -> bool:
    try:
        return boolean(value)
    except ValueError:
        return True
