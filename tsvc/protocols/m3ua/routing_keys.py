"""Routing keys (RFC 4666 section 3.6): the traffic that an Application Server gets.

A key is a value. `RoutingKeys` is an SGP's table of provisioned and registered keys, with the
checks that lead to a registration status.
"""

from collections.abc import Iterable
from dataclasses import field, replace
from enum import IntEnum

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import params
from tsvc.protocols.m3ua.params import Parameter, PointCode, TrafficMode
from tsvc.values import dataclass

MAX_KEYS = 1000


class RegistrationStatus(IntEnum):
    """Values of the parameter Registration Status (RFC 4666 section 3.6.2)."""

    REGISTERED = 0
    UNKNOWN_ERROR = 1
    INVALID_DPC = 2
    INVALID_NETWORK_APPEARANCE = 3
    INVALID_ROUTING_KEY = 4
    PERMISSION_DENIED = 5
    NO_UNIQUE_ROUTING = 6
    NOT_PROVISIONED = 7
    INSUFFICIENT_RESOURCES = 8
    UNSUPPORTED_FIELD = 9
    UNSUPPORTED_TRAFFIC_MODE = 10
    CHANGE_REFUSED = 11
    ALREADY_REGISTERED = 12


class DeregistrationStatus(IntEnum):
    """Values of the parameter Deregistration Status (RFC 4666 section 3.6.4)."""

    DEREGISTERED = 0
    UNKNOWN_ERROR = 1
    INVALID_ROUTING_CONTEXT = 2
    PERMISSION_DENIED = 3
    NOT_REGISTERED = 4
    ASP_IS_ACTIVE = 5


@dataclass(frozen=True, slots=True)
class RoutingKey:
    """Traffic to `dpc`; empty `sis` or `opcs` mean all of them. `routing_context`: the AS."""

    dpc: PointCode
    sis: tuple[int, ...] = ()
    opcs: tuple[PointCode, ...] = ()
    network_appearance: int | None = None
    traffic_mode: TrafficMode | None = None
    routing_context: int | None = None

    def is_for(self, dpc: int, opc: int, si: int) -> bool:
        """Return True if a message with this label belongs to the key's traffic."""
        return (
            self.dpc.holds(dpc)
            and (not self.sis or si in self.sis)
            and (not self.opcs or any(code.holds(opc) for code in self.opcs))
        )

    def is_same_traffic(self, other: "RoutingKey") -> bool:
        """Return True if both keys describe exactly the same traffic."""
        return self._traffic() == other._traffic()

    def overlaps(self, other: "RoutingKey") -> bool:
        """Return True if a message could belong to the traffic of both keys."""
        if self.network_appearance != other.network_appearance:
            return False
        return (
            self.dpc.overlaps(other.dpc)
            and (not self.sis or not other.sis or bool({*self.sis} & {*other.sis}))
            and (
                not self.opcs
                or not other.opcs
                or any(one.overlaps(two) for one in self.opcs for two in other.opcs)
            )
        )

    def _traffic(self) -> tuple[object, ...]:
        return self.dpc, frozenset(self.sis), frozenset(self.opcs), self.network_appearance


def encode_key(key: RoutingKey, identifier: int) -> Parameter:
    """Return the parameter Routing Key with its Local-RK-Identifier."""
    given = (
        params.LOCAL_ROUTING_KEY_IDENTIFIER.of(identifier),
        None if key.routing_context is None else params.ROUTING_CONTEXT.of((key.routing_context,)),
        None if key.traffic_mode is None else params.TRAFFIC_MODE_TYPE.of(key.traffic_mode),
        params.DESTINATION_POINT_CODE.of(key.dpc),
        None
        if key.network_appearance is None
        else params.NETWORK_APPEARANCE.of(key.network_appearance),
        params.SERVICE_INDICATORS.of(key.sis) if key.sis else None,
        params.ORIGINATING_POINT_CODE_LIST.of(key.opcs) if key.opcs else None,
    )
    return params.ROUTING_KEY.of(tuple(item for item in given if item is not None))


@dataclass(frozen=True, slots=True)
class AskedKey:
    """A routing key of a REG REQ; `status` is its error, None if it has none."""

    identifier: int
    key: RoutingKey | None
    status: RegistrationStatus | None = None


_KEY_PARTS = frozenset(
    declared.tag
    for declared in (
        params.LOCAL_ROUTING_KEY_IDENTIFIER,
        params.ROUTING_CONTEXT,
        params.TRAFFIC_MODE_TYPE,
        params.DESTINATION_POINT_CODE,
        params.NETWORK_APPEARANCE,
        params.SERVICE_INDICATORS,
        params.ORIGINATING_POINT_CODE_LIST,
    )
)


def decode_key(parts: Iterable[Parameter]) -> AskedKey:
    """Read the parts of one Routing Key.

    Errors: RemoteProtocolError without a Local-RK-Identifier; any other error is a status.
    """
    parts = tuple(parts)
    identifier = params.first(parts, params.LOCAL_ROUTING_KEY_IDENTIFIER)
    if identifier is None:
        raise RemoteProtocolError("no Local-RK-Identifier", path="routing_key")
    try:
        return _checked_key(identifier, parts)
    except RemoteProtocolError:
        return AskedKey(identifier, None, RegistrationStatus.INVALID_ROUTING_KEY)


def _checked_key(identifier: int, parts: tuple[Parameter, ...]) -> AskedKey:
    tags = [part.tag for part in parts]
    if not _KEY_PARTS.issuperset(tags) or tags.count(params.DESTINATION_POINT_CODE.tag) > 1:
        return AskedKey(identifier, None, RegistrationStatus.UNSUPPORTED_FIELD)
    dpc = params.first(parts, params.DESTINATION_POINT_CODE)
    if dpc is None:
        return AskedKey(identifier, None, RegistrationStatus.INVALID_DPC)
    mode = params.first(parts, params.TRAFFIC_MODE_TYPE)
    if mode is not None and mode not in TrafficMode.__members__.values():
        return AskedKey(identifier, None, RegistrationStatus.UNSUPPORTED_TRAFFIC_MODE)
    contexts = params.first(parts, params.ROUTING_CONTEXT) or (None,)
    if len(contexts) > 1:
        return AskedKey(identifier, None, RegistrationStatus.INVALID_ROUTING_KEY)
    key = RoutingKey(
        dpc,
        params.first(parts, params.SERVICE_INDICATORS) or (),
        params.first(parts, params.ORIGINATING_POINT_CODE_LIST) or (),
        params.first(parts, params.NETWORK_APPEARANCE),
        None if mode is None else TrafficMode(mode),
        contexts[0],
    )
    return AskedKey(identifier, key)


@dataclass(slots=True)
class _Entry:
    key: RoutingKey
    is_provisioned: bool
    holders: set[object] = field(default_factory=set)  # the ASPs that registered it


class RoutingKeys:
    """An SGP's routing keys by routing context, shared by its associations.

    `may_add`: True if ASPs may register keys that are not provisioned; these get contexts from
    `first_context` on. `traffic_mode`, `network_appearance`: the only ones allowed, if given.
    """

    def __init__(
        self,
        provisioned: Iterable[RoutingKey] = (),
        *,
        may_add: bool = False,
        first_context: int = 1,
        traffic_mode: TrafficMode | None = None,
        network_appearance: int | None = None,
        max_keys: int = MAX_KEYS,
    ) -> None:
        self._may_add = may_add
        self._next_context = first_context
        self._traffic_mode = traffic_mode
        self._network_appearance = network_appearance
        self._max_keys = max_keys
        self._entries: dict[int, _Entry] = {}
        for key in provisioned:
            context = self._free_context() if key.routing_context is None else key.routing_context
            placed = replace(key, routing_context=context)
            self._entries[context] = _Entry(placed, is_provisioned=True)

    def context_for(self, dpc: int, opc: int, si: int) -> int | None:
        """Return the routing context of a message's traffic, None if no key is for it."""
        for context, entry in self._entries.items():
            if entry.key.is_for(dpc, opc, si):
                return context
        return None

    def register(self, asp: object, asked: RoutingKey) -> tuple[RegistrationStatus, int]:
        """Register a key for an ASP; return the status and the context, 0 if it failed."""
        status = self._fault(asked)
        if status is not None:
            return status, 0
        for context, entry in self._entries.items():
            if entry.key.is_same_traffic(asked):
                return self._join(asp, asked, context, entry)
        if asked.routing_context in self._entries:
            return RegistrationStatus.CHANGE_REFUSED, 0
        if any(entry.key.overlaps(asked) for entry in self._entries.values()):
            return RegistrationStatus.NO_UNIQUE_ROUTING, 0
        if not self._may_add:
            return RegistrationStatus.NOT_PROVISIONED, 0
        if len(self._entries) >= self._max_keys:
            return RegistrationStatus.INSUFFICIENT_RESOURCES, 0
        context = self._free_context()
        entry = _Entry(replace(asked, routing_context=context), is_provisioned=False)
        entry.holders.add(asp)
        self._entries[context] = entry
        return RegistrationStatus.REGISTERED, context

    def deregister(self, asp: object, context: int, *, is_active: bool) -> DeregistrationStatus:
        """Remove an ASP's registration; a key that no ASP holds is forgotten."""
        entry = self._entries.get(context)
        if entry is None:
            return DeregistrationStatus.INVALID_ROUTING_CONTEXT
        if asp not in entry.holders:
            return DeregistrationStatus.NOT_REGISTERED
        if is_active:
            return DeregistrationStatus.ASP_IS_ACTIVE
        self._release(asp, context, entry)
        return DeregistrationStatus.DEREGISTERED

    def forget(self, asp: object) -> None:
        """Remove all registrations of an ASP, because its association is gone."""
        for context, entry in list(self._entries.items()):
            if asp in entry.holders:
                self._release(asp, context, entry)

    def _fault(self, asked: RoutingKey) -> RegistrationStatus | None:
        appearance = asked.network_appearance
        if appearance is not None and self._network_appearance not in (None, appearance):
            return RegistrationStatus.INVALID_NETWORK_APPEARANCE
        if asked.traffic_mode is not None and self._traffic_mode not in (None, asked.traffic_mode):
            return RegistrationStatus.UNSUPPORTED_TRAFFIC_MODE
        return None

    def _join(
        self, asp: object, asked: RoutingKey, context: int, entry: _Entry
    ) -> tuple[RegistrationStatus, int]:
        if asp in entry.holders:
            return RegistrationStatus.ALREADY_REGISTERED, 0
        if asked.routing_context not in (None, context):
            return RegistrationStatus.CHANGE_REFUSED, 0
        if None not in (asked.traffic_mode, entry.key.traffic_mode) and (
            asked.traffic_mode is not entry.key.traffic_mode
        ):
            return RegistrationStatus.UNSUPPORTED_TRAFFIC_MODE, 0
        entry.holders.add(asp)
        return RegistrationStatus.REGISTERED, context

    def _release(self, asp: object, context: int, entry: _Entry) -> None:
        entry.holders.discard(asp)
        if not entry.holders and not entry.is_provisioned:
            del self._entries[context]

    def _free_context(self) -> int:
        while self._next_context in self._entries:
            self._next_context += 1
        return self._next_context
