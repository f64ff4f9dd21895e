"""Indications of an M3UA association to its user; plain values."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from tsvc.protocols.m3ua.asp import AspState, RoutingContext
from tsvc.protocols.m3ua.params import PointCode, UserCause
from tsvc.protocols.m3ua.routing_keys import RoutingKey
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class DataInd:
    """A DATA message: MTP-TRANSFER indication. `octets`: the message as received."""

    opc: int
    dpc: int
    si: int
    ni: int
    mp: int
    sls: int
    user_data: bytes
    routing_context: int | None = None
    network_appearance: int | None = None
    correlation_id: int | None = None
    octets: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ActiveInd:
    """The ASP became active for these routing contexts (None: the one that is not named)."""

    routing_contexts: tuple[RoutingContext, ...]


@dataclass(frozen=True, slots=True)
class InactiveInd:
    """The ASP is up, but not active (or no longer active) for these routing contexts."""

    routing_contexts: tuple[RoutingContext, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class DownInd:
    """The ASP is down."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotifyInd:
    """The peer sent NTFY."""

    status_type: int
    information: int
    asp_identifier: int | None
    routing_contexts: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ErrorInd:
    """The peer sent ERR; `code` may be one that ErrorCode does not name.

    `words`: all its contents, on one line.
    """

    code: int
    text: str
    routing_contexts: tuple[int, ...]
    diagnostic_information: bytes
    words: str = field(default="", compare=False)


class DestinationStatus(Enum):
    """The SSNM message that reported about destinations."""

    UNAVAILABLE = "DUNA"
    AVAILABLE = "DAVA"
    AUDIT = "DAUD"
    CONGESTED = "SCON"
    USER_PART_UNAVAILABLE = "DUPU"
    RESTRICTED = "DRST"


@dataclass(frozen=True, slots=True)
class DestinationInd:
    """The peer reported the state of destinations, or asked for it (AUDIT)."""

    status: DestinationStatus
    point_codes: tuple[PointCode, ...]
    routing_contexts: tuple[int, ...]
    network_appearance: int | None
    congestion_level: int | None
    concerned_destination: int | None
    user_cause: UserCause | None


@dataclass(frozen=True, slots=True)
class RegistrationInd:
    """The peer answered a REG REQ: the key's routing context, None if it was refused.

    `status` is None when there was no answer; it may be a value that RegistrationStatus lacks.
    """

    key: RoutingKey
    status: int | None
    routing_context: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ProtocolErrorInd:
    """The peer sent something that the protocol does not allow; the association goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class CloseInd:
    """The transport must be closed; no message is received or sent after this."""

    reason: str


Indication = (
    DataInd
    | ActiveInd
    | InactiveInd
    | DownInd
    | NotifyInd
    | ErrorInd
    | DestinationInd
    | RegistrationInd
    | ProtocolErrorInd
    | CloseInd
)


def state_indications(moved: Mapping[RoutingContext, AspState], reason: str) -> list[Indication]:
    """Return the indications of the routing contexts whose state changed."""

    def those_in(state: AspState) -> tuple[RoutingContext, ...]:
        return tuple(context for context, entered in moved.items() if entered is state)

    indications: list[Indication] = []
    if those_in(AspState.DOWN):
        indications.append(DownInd(reason))
    if inactive := those_in(AspState.INACTIVE):
        indications.append(InactiveInd(inactive, reason))
    if active := those_in(AspState.ACTIVE):
        indications.append(ActiveInd(active))
    return indications
