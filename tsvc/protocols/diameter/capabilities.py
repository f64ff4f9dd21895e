"""Identity and capabilities of the ends of a connection, as in CER and CEA (RFC 6733 §5.3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.diameter.dictionary import Dictionary
from tsvc.protocols.diameter.message import HEADER_OCTETS
from tsvc.protocols.diameter.tree import decode_avps, encode_avps
from tsvc.values import dataclass

RELAY = 0xFFFFFFFF
SUCCESS = 2001
NO_COMMON_APPLICATION = 5010


@dataclass(frozen=True, slots=True)
class Application:
    """An application that a node supports; `vendor_id` if it is sent as vendor-specific."""

    id: int
    is_accounting: bool = False
    vendor_id: int | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """Our own identity and capabilities."""

    origin_host: str
    origin_realm: str
    vendor_id: int = 0
    product_name: str = "tsvc"
    applications: tuple[Application, ...] = (Application(4),)
    host_addresses: tuple[str, ...] = ("127.0.0.1",)
    origin_state_id: int | None = None

    @property
    def application_ids(self) -> frozenset[int]:
        """Numbers of the applications."""
        return frozenset(application.id for application in self.applications)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Identity and capabilities of the peer; "" for a name that it did not send."""

    origin_host: str = ""
    origin_realm: str = ""
    product_name: str = ""
    result_code: int | None = None
    error_message: str = ""
    applications: frozenset[int] = field(default_factory=frozenset)

    def common(self, node: Node) -> frozenset[int]:
        """Return the applications that both ends support; a relay supports all of the other's."""
        own = node.application_ids
        if RELAY in own:
            return self.applications
        return own if RELAY in self.applications else self.applications & own

    def shares_application(self, node: Node) -> bool:
        """Return True if both ends support a same application; a relay supports all."""
        return RELAY in node.application_ids or bool(self.common(node))


def applications_text(applications: Iterable[int], dictionary: Dictionary) -> str:
    """Return numbers and names of applications on one line: "3 base-accounting, 4"."""
    names = dictionary.applications
    found = [f"{one} {names.get(one, '')}".rstrip() for one in sorted(applications)]
    return ", ".join(found) or "none"


def result_text(code: int | None, dictionary: Dictionary) -> str:
    """Return number and name of a Result-Code, "" for none."""
    if code is None:
        return ""
    return f"{code} {dictionary.by_name['Result-Code'].names.get(code, '')}".rstrip()


def encode_origin(node: Node, dictionary: Dictionary) -> bytes:
    """Return Origin-Host and Origin-Realm, which every message of the base protocol has."""
    return encode_avps(
        [
            {"name": "Origin-Host", "value": node.origin_host},
            {"name": "Origin-Realm", "value": node.origin_realm},
        ],
        dictionary,
        "origin",
    )


def encode_capabilities(node: Node, dictionary: Dictionary) -> bytes:
    """Return the AVPs of a CER, or of a CEA after its Result-Code."""
    avps: list[dict[str, Any]] = [
        {"name": "Host-IP-Address", "value": address} for address in node.host_addresses
    ]
    avps += [
        {"name": "Vendor-Id", "value": node.vendor_id},
        {"name": "Product-Name", "value": node.product_name},
        {"name": "Origin-State-Id", "value": node.origin_state_id},
    ]
    # AVPs of vendors may be in messages of any application, also of credit control.
    avps += [
        {"name": "Supported-Vendor-Id", "value": vendor} for vendor in sorted(dictionary.vendors)
    ]
    for one in node.applications:
        kind = "Acct" if one.is_accounting else "Auth"
        avp = {"name": f"{kind}-Application-Id", "value": one.id}
        if one.vendor_id is None:
            avps.append(avp)
        else:
            inner = [{"name": "Vendor-Id", "value": one.vendor_id}, avp]
            avps.append({"name": "Vendor-Specific-Application-Id", "value": inner})
    return encode_avps(avps, dictionary, "capabilities")


def read_capabilities(octets: bytes, dictionary: Dictionary) -> Capabilities:
    """Return the contents of a CER or CEA. Errors: RemoteProtocolError: malformed AVPs."""
    trees = decode_avps(octets, HEADER_OCTETS, len(octets), dictionary)
    found: dict[str, Any] = {}
    applications: set[int] = set()
    for tree in trees:
        found.setdefault(tree["name"], tree.get("value"))
        applications |= _applications(tree)
    # Without Origin-Host a refusal is accepted: its Result-Code has the reason.
    if not found.get("Origin-Host") and found.get("Result-Code") in (None, SUCCESS):
        raise RemoteProtocolError("Origin-Host is missing")
    return Capabilities(
        str(found.get("Origin-Host") or ""),
        str(found.get("Origin-Realm") or ""),
        str(found.get("Product-Name") or ""),
        found.get("Result-Code"),
        str(found.get("Error-Message") or ""),
        frozenset(applications),
    )


def _applications(tree: Mapping[str, Any]) -> set[int]:
    name, value = tree["name"], tree.get("value")
    if name in ("Auth-Application-Id", "Acct-Application-Id") and isinstance(value, int):
        return {value}
    if name == "Vendor-Specific-Application-Id" and isinstance(value, Sequence):
        return {number for inner in value for number in _applications(inner)}
    return set()
