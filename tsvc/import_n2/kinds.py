"""Conversion of N2SVCD applications to kinds of gateways, parameter by parameter.

A table per module names the parameters that have a counterpart. A conversion that is more than a
renaming has a function. An unknown parameter is noted, never dropped silently.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from tsvc.import_n2 import members
from tsvc.import_n2.source import Read, Source, Target, boolean, integer, number, text
from tsvc.values import dataclass

# Parameters that every application may have, and the text of the note about each.
_COMMON = {
    "trace_level": "each run chooses its trace_level",
    "trace_level_max": "each run chooses its trace_level",
    "trace_per_second": "the first instance of a run is traced, no other",
    "retention_count": "[results] says how long results are kept",
    "edr_enabled": "EDRs are not part of tsvc",
    "edr_app_name": "EDRs are not part of tsvc",
    "default_edr_stream_key": "EDRs are not part of tsvc",
    "alarm_clear_secs": "metrics have no alarms: the monitoring system decides",
}

# Modules that are not converted although tsvc has a counterpart.
_BY_HAND = {
    "SMPPApp": "write an smpp application by hand",
}

Keys = Mapping[str, tuple[str, Read]]


@dataclass(frozen=True, slots=True)
class Conversion:
    """A gateway kind: `keys` are parameter -> (member, function that reads the value)."""

    module: str
    keys: Keys
    finish: Callable[[Target], None] = members.nothing
    refused: Callable[[Source], str] = members.never
    elements: frozenset[str] = frozenset()  # elements of `config` that finish() reads
    parameters: frozenset[str] = frozenset()  # parameters that finish() and refused() read


_CLIENT: Keys = {
    "remote_host": ("remote_host", text),
    "remote_port": ("remote_port", integer),
    "username": ("username", text),
    "password": ("password", text),
    "pool": ("num_client_connections", integer),
    "num_client_connections": ("num_client_connections", integer),
    "backlog_timeout": ("backlog_timeout_s", number),
    "server_timeout": ("server_timeout_s", number),
    "reconnect_interval": ("reconnect_interval_s", number),
}
_HTTP: Keys = {
    **_CLIENT,
    "local_host": ("local_host", text),
    "ssl": ("ssl", boolean),
    "ssl.SSL_verify_mode": ("ssl_verify", members.verify_mode),
    "ssl.SSL_ca_file": ("ssl_ca_file", text),
    "ssl.SSL_cert_file": ("ssl_cert_file", text),
    "ssl.SSL_key_file": ("ssl_key_file", text),
    "ping_path": ("ping_path", text),
    "ping_interval": ("ping_interval_s", number),
    "ping_expected_code": ("ping_expected_code", integer),
}
_PI = Conversion(
    "pi",
    _CLIENT,
    members.finish_pi,
    members.refuse_pi,
    parameters=frozenset({"protocol"}),
)
_OSD = Conversion(
    "osd",
    {**_HTTP, "uri": ("path", text), "path": ("path", text), "security": ("security", text)},
    members.finish_osd,
    parameters=frozenset({"quirks_mode"}),
)

KINDS: Mapping[str, Conversion] = MappingProxyType(
    {
        "SigtranApp": Conversion(
            "sigtran",
            {
                "opc": ("opc", integer),
                "ossn": ("ossn", integer),
                "ogt_digits": ("ogt_digits", text),
                "ogt_noa": ("ogt_noa", integer),
                "ogt_np": ("ogt_np", integer),
                "ogt_tt": ("ogt_tt", integer),
            },
            members.finish_sigtran,
            elements=frozenset({"connections", "routes"}),
            parameters=frozenset({"default_m3ua_na"}),
        ),
        "PIApp": _PI,
        "MmlClientApp": _PI,
        "OSDApp": _OSD,
        "SoapClientApp": replace(_OSD, refused=members.refuse_soap),
        "DiameterApp": Conversion(
            "diameter",
            {
                "remote_host": ("remote_host", text),
                "remote_port": ("remote_port", integer),
                "local_host": ("local_host", text),
                "origin_host": ("origin_host", text),
                "origin_realm": ("origin_realm", text),
                "destination_realm": ("destination_realm", text),
                "vendor_id": ("vendor_id", integer),
                "product_name": ("product_name", text),
                "reconnect_interval": ("reconnect_interval_s", number),
                "server_timeout": ("request_timeout_s", number),
                "force_destination_host": ("force_destination_host", boolean),
            },
            members.finish_diameter,
            elements=frozenset({"avps"}),
        ),
        "DBApp": Conversion(
            "db",
            {
                "username": ("username", text),
                "password": ("password", text),
                "pool": ("pool", integer),
                "post_login_sql": ("post_login_sql", text),
                "ping_interval": ("ping_interval_s", number),
                "backlog_timeout": ("backlog_timeout_s", number),
            },
            members.finish_db,
            members.refuse_db,
            parameters=frozenset({"dbtype", "connect", "ping_supported"}),
        ),
        "RestClientApp": Conversion(
            "rest",
            {**_HTTP, "path": ("path", text)},
            members.finish_rest,
            elements=frozenset({"http_headers", "headers"}),
        ),
    }
)


def convert(source: Source) -> Target:
    """Return the target of an application: a gateway, or only notes if it can't be converted."""
    kind = KINDS.get(source.module)
    if kind is None:
        target = Target(source, "")
        reason = _BY_HAND.get(source.module, "nothing in tsvc is like it")
        target.note(source.line, source.module, f"is not converted: {reason}")
        return target
    refusal = kind.refused(source)
    if refusal:
        target = Target(source, "")
        target.note(source.line, source.module, f"is not converted: {refusal}")
        return target
    target = Target(source, kind.module)
    for name, (member, read) in kind.keys.items():
        given = source.parameters.get(name)
        if given is not None:
            target.put(member, given, name, read)
    kind.finish(target)
    _note_rest(target, kind)
    return target


def _note_rest(target: Target, kind: Conversion) -> None:
    """Note the parameters, elements and attributes that the conversion has not read."""
    source = target.source
    noted = {note.place for note in target.notes}
    for name, given in source.parameters.items():
        if name in kind.keys or name in kind.parameters:
            continue
        if f"{source.name}: {name}" not in noted:
            text_ = _COMMON.get(name, "has no counterpart in tsvc")
            target.note(given.line, name, text_)
    for element in source.config.children if source.config is not None else ():
        if element.name not in kind.elements:
            target.note(element.line, f"config.{element.name}", "has no counterpart in tsvc")
    for name in source.attributes:
        if name not in ("name", "module", "repeat"):
            target.note(source.line, name, "has no counterpart in tsvc")
