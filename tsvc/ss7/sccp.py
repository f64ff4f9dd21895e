"""SCCP connectionless service of one node: TCAP messages of any size to SCCP messages and back.

A message that is too long for a UDT is sent as segmented XUDT; received segments are reassembled.
A message for a subsystem that is not equipped is returned to its sender if the sender asks for the
return (return on error); otherwise it is dropped (Q.714 §2.4).
"""

from collections.abc import Callable, Collection
from dataclasses import field
from typing import Any, NamedTuple

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.sccp.address import Address, Network, RoutingIndicator, encode_address
from tsvc.protocols.sccp.messages import (
    RETURN_ON_ERROR,
    SERVICES,
    ExtendedUnitdata,
    MessageType,
    ReturnCause,
    Unitdata,
    decode,
    decode_short,
    encode,
    encode_udt,
    readable,
    returned,
    udt_data_limit,
)
from tsvc.protocols.sccp.reassembly import ReassembledInd, Reassembler, segment
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.ids import ALL_IDS, IdRange
from tsvc.values import dataclass

# M3UA and a loopback have no signal units: only SCCP's own length octets limit a message.
MAX_OCTETS = 4096
MAXUDT_DATA = 255
UDT = bytes((MessageType.UDT,))


class Whole(NamedTuple):
    """User data that arrived complete. `tags`: those given to decode(), one for each segment."""

    data: bytes
    called: Address
    calling: Address
    tags: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class GivenBack:
    """User data of this node that the network gave back, or the part that came back.

    `was_for`: its called address, as far as it can be read.
    """

    data: bytes
    cause: int
    was_for: Address | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToReturn:
    """A received message that goes back to its sender, as octets."""

    octets: bytes


Arrival = Whole | GivenBack | ToReturn


class Subsystems:
    """The equipped subsystems of a node: `numbers` returns them, at any time.

    `on_other` is called for each message for another subsystem.
    """

    __slots__ = ("_numbers", "_on_other")

    def __init__(
        self, numbers: Callable[[], Collection[int]], on_other: Callable[[], object]
    ) -> None:
        self._numbers = numbers
        self._on_other = on_other

    def has(self, called: Address) -> bool:
        """Return True if a called address names an equipped subsystem.

        A global title without a subsystem number is translated to one of them. An address that is
        routed on the subsystem number must have one.
        """
        ssn = called.ssn
        if ssn in self._numbers() or (not ssn and called.ri == RoutingIndicator.GT):
            return True
        self._on_other()
        return False


class Sccp:
    """Encodes and decodes messages; stores the segments of incomplete messages."""

    def __init__(
        self,
        network: Network,
        *,
        wants_return: bool,
        protocol_class: int = 0,
        max_octets: int = MAX_OCTETS,
        references: IdRange = ALL_IDS.references,
    ) -> None:
        self._network = network
        self._wants_return = wants_return
        self._class = protocol_class
        self._max_octets = max_octets
        self._reassembler = Reassembler()
        self._references = references
        self._reference = references.nth(0)

    def encode(self, outgoing: Outgoing, calling: Address | None = None) -> list[bytes]:
        """Return the SCCP messages that carry a TCAP message, in order.

        `calling`: replaces the message's own. Errors: LocalProtocolError if it is too long even
        for segments, or an address is wrong.
        """
        network, max_octets = self._network, self._max_octets
        called = outgoing.called
        calling = outgoing.calling if calling is None else calling
        if len(outgoing.octets) <= self._most_in_udt(called, calling):
            return [
                encode_udt(
                    called,
                    calling,
                    outgoing.octets,
                    self._class,
                    self._wants_return,
                    network=network,
                    max_octets=max_octets,
                )
            ]
        # Protocol class 1: segments have to arrive in order.
        message = ExtendedUnitdata(
            called,
            calling,
            outgoing.octets,
            protocol_class=1,
            handling=RETURN_ON_ERROR if self._wants_return else 0,
        )
        self._reference = self._references.after(self._reference)
        parts = segment(message, self._reference, network=network, max_octets=max_octets)
        return [encode(part, network, max_octets) for part in parts]

    def _most_in_udt(self, called: Address, calling: Address) -> int:
        """Return the most octets of data that a UDT can carry between these addresses."""
        if self._max_octets == MAX_OCTETS:
            return MAXUDT_DATA
        to, of = encode_address(called, self._network), encode_address(calling, self._network)
        return udt_data_limit(len(to), len(of), self._max_octets)

    def decode(
        self,
        octets: bytes,
        now: float,
        opc: int | None = None,
        subsystems: Subsystems | None = None,
        tag: object = None,
    ) -> list[Arrival]:
        """Return the arrivals in a received message; `subsystems` None: all are equipped.

        `tag` is returned with a message that it completes. Errors: RemoteProtocolError.
        """
        if octets[:1] == UDT:  # nearly always
            called, calling, data = decode_short(octets, 2, "UDT", self._network)
            if subsystems is None or subsystems.has(called):
                return [Whole(data, called, calling, (tag,))]
            return self._unequipped(
                Unitdata(called, calling, data, octets[1] & 0x0F, octets[1] >> 4)
            )
        if octets[:1] in SERVICES and (found := readable(octets, self._network)) is not None:
            # Even if other parts are wrong or cut off: its sender must be notified.
            cause = octets[1] if len(octets) > 1 else ReturnCause.UNQUALIFIED
            return [GivenBack(found.data, cause, found.calling)]
        message = decode(octets, self._network)
        match message:
            case ExtendedUnitdata():
                if subsystems is None or subsystems.has(message.called_party_address):
                    return self._extended(message, now, opc, tag)
                return self._unequipped(message)
        raise RemoteProtocolError(f"{type(message).__name__} is not connectionless data")

    def _unequipped(self, message: Unitdata | ExtendedUnitdata) -> list[Arrival]:
        """Return the message, or its first segment, if its sender wants it back."""
        part = message.options.segmentation if isinstance(message, ExtendedUnitdata) else None
        is_first = part is None or part.is_first
        if message.handling != RETURN_ON_ERROR or not is_first:
            return []
        back = returned(message, ReturnCause.UNEQUIPPED_USER)
        return [ToReturn(encode(back, self._network, MAX_OCTETS))]

    def _extended(
        self, message: ExtendedUnitdata, now: float, opc: int | None, tag: object
    ) -> list[Arrival]:
        found: list[Arrival] = []
        # Incomplete messages whose timer has expired are given up when other segments come.
        indications = self._reassembler.handle_timer(now)
        for indication in [*indications, *self._reassembler.receive(message, now, opc, tag)]:
            if isinstance(indication, ReassembledInd):
                whole = indication.message
                called, calling = whole.called_party_address, whole.calling_party_address
                found.append(Whole(whole.data, called, calling, indication.tags))
            elif indication.must_return:
                back = returned(indication.first, indication.cause)
                found.append(ToReturn(encode(back, self._network, MAX_OCTETS)))
        return found
