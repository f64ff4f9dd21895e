"""Names of operation types: the tester's own role comes first; other spellings are accepted.

`inap.scp_to_ssp.X` says the same as `inap.ssp_from_scp.X`, and `srp` is the older name of `srf`.
"""

import re

from tsvc.operations.operation import OPERATION_TYPES, OperationType, type_of
from tsvc.words import did_you_mean

_ROLES = re.compile(r"^(\w+)\.(\w+?)_(to|from)_(\w+)\.([\w-]+)$")
_TESTER_ROLES = frozenset({"ssp", "srf", "hlr", "smsc"})
_PLAIN_ALIASES = {
    "diameter.to_server.Request": "diameter.Request",
    "pi.Request": "ocncc.pi.Request",
    "osd.Request": "ocncc.osd.Request",
    "smpp.smsc_to_esme.Register": "smpp.smsc_from_esme.Register",
}


def canonical(name: str) -> str:
    """Return the spelling under which a type is registered, whatever way it is written."""
    name = _PLAIN_ALIASES.get(name, name)
    match = _ROLES.match(name)
    if match is None:
        return name
    protocol, first, direction, second, what = match.groups()
    first, second = (role.replace("srp", "srf") for role in (first, second))
    if first not in _TESTER_ROLES and second in _TESTER_ROLES:
        first, second = second, first
        direction = "from" if direction == "to" else "to"
    if protocol == "map" and what.endswith("Request") and what != "UnstructuredSSRequest":
        shorter = f"{protocol}.{first}_{direction}_{second}.{what.removesuffix('Request')}"
        if OPERATION_TYPES.get(shorter) is not None:
            what = what.removesuffix("Request")
    return f"{protocol}.{first}_{direction}_{second}.{what}"


def find(name: str) -> OperationType | None:
    """Return the operation type of a name in any accepted spelling, capitals or not."""
    found = type_of(canonical(name))
    if found is None:
        by_lower = {known.lower(): known for known in OPERATION_TYPES.names()}
        found = OPERATION_TYPES.get(by_lower.get(canonical(name.lower()).lower(), ""))
    return found


def spellings(name: str) -> list[str]:
    """Return the ways to write a registered type's name, itself first; capitals aside."""
    found = [name, *(alias for alias, meant in _PLAIN_ALIASES.items() if meant == name)]
    match = _ROLES.match(name)
    if match is None:
        return found
    protocol, first, direction, second, what = match.groups()
    turned = "from" if direction == "to" else "to"
    nouns = [what, f"{what}Request"] if protocol == "map" else [what]
    for noun in nouns:
        for roles in (f"{first}_{direction}_{second}", f"{second}_{turned}_{first}"):
            found += [f"{protocol}.{role}.{noun}" for role in (roles, roles.replace("srf", "srp"))]
    return [one for one in dict.fromkeys(found) if canonical(one) == name]


def unknown(name: str) -> str:
    """Say that a type is unknown, with the nearest known one."""
    if name.startswith("ftp."):
        return f"unknown operation type {name!r}: file transfer is not part of this service"
    hint = did_you_mean(canonical(name), OPERATION_TYPES.names())
    return f"unknown operation type {name!r}{hint}"
