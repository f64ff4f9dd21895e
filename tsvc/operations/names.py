"""Names of operation types: the tester's own role comes first; other spellings are accepted.

`inap.scp_to_ssp.X` means the same as `inap.ssp_from_scp.X`, and `srp` is the older name of `srf`.
"""

import re

from tsvc.operations.operation import OPERATION_TYPES, OperationType, name_of, type_of
from tsvc.words import did_you_mean, quoted

_ROLES = re.compile(r"^(\w+)\.(\w+?)_(to|from)_(\w+)\.([\w-]+)$")
_TESTER_ROLES = frozenset({"ssp", "srf", "hlr", "smsc"})
_REQUEST = "Request"
_LONGEST = 200  # characters of a name that may have other spellings


def canonical(name: str) -> str:
    """Return the spelling under which a type is registered, for any accepted spelling."""
    name = name_of(name)
    match = _ROLES.match(name) if len(name) <= _LONGEST else None
    if match is None:
        return name
    protocol, first, direction, second, what = match.groups()
    first, second = (role.replace("srp", "srf") for role in (first, second))
    if first not in _TESTER_ROLES and second in _TESTER_ROLES:
        first, second = second, first
        direction = "from" if direction == "to" else "to"
    found = f"{protocol}.{first}_{direction}_{second}.{what}"
    shorter = OPERATION_TYPES.near(found.removesuffix(_REQUEST))
    return shorter.name if shorter is not None and shorter.may_say_request else found


def find(name: str) -> OperationType | None:
    """Return the operation type of a name in any accepted spelling, capitals or not."""
    found = type_of(canonical(name))
    if found is None:  # now all are imported, and all aliases known
        found = type_of(canonical(name))
    if found is None:
        by_lower = {known.lower(): known for known in OPERATION_TYPES.names()}
        found = OPERATION_TYPES.get(by_lower.get(canonical(name.lower()).lower(), ""))
    return found


def spellings(name: str) -> list[str]:
    """Return the ways to write a registered type's name, itself first; capitals aside."""
    type_ = OPERATION_TYPES.get(name)
    found = [name, *(type_.aliases if type_ is not None else ())]
    match = _ROLES.match(name)
    if match is None:
        return found
    protocol, first, direction, second, what = match.groups()
    turned = "from" if direction == "to" else "to"
    says_request = type_ is not None and type_.may_say_request
    nouns = [what, what + _REQUEST] if says_request else [what]
    for noun in nouns:
        for roles in (f"{first}_{direction}_{second}", f"{second}_{turned}_{first}"):
            found += [f"{protocol}.{role}.{noun}" for role in (roles, roles.replace("srf", "srp"))]
    return [one for one in dict.fromkeys(found) if canonical(one) == name]


def unknown(name: str) -> str:
    """Return the text for an unknown type, with the nearest known one."""
    if name.startswith("ftp."):
        return f"unknown operation type {quoted(name)}: file transfer is not part of this service"
    hint = did_you_mean(canonical(name), OPERATION_TYPES.names())
    return f"unknown operation type {quoted(name)}{hint}"
