"""Extracts TCAP messages from M3UA, SUA, MTP 3 and SCCP, and reassembles segments."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages as m3ua
from tsvc.protocols.m3ua.data import of_message
from tsvc.protocols.sccp import messages as sccp
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sccp.reassembly import ReassembledInd, Reassembler, ReassemblyFailedInd
from tsvc.protocols.sua import connectionless
from tsvc.record.layers import End
from tsvc.record.packets import Remark, Tell
from tsvc.record.recorder import Framing, WireMessage

PROTOCOLS = frozenset({"m3ua", "sua", "mtp3", "sccp", "tcap"})

_SI_SCCP = 3
_LABEL_OCTETS = 5  # service information and routing label of MTP 3, as in ITU
_POINT_CODE = 0x3FFF


class Side(NamedTuple):
    """Sender or receiver of a message: IP address, point code, SCCP address; None: not known."""

    end: End | None = None
    pc: int | None = None
    address: Address | None = None

    def names(self) -> Iterator[str]:
        """Yield the names that a user may give it."""
        if self.end is not None:
            yield from (self.end.host, str(self.end))
        if self.pc is not None:
            yield f"pc {self.pc}"
        if self.address is not None:
            if self.address.pc is not None:
                yield f"pc {self.address.pc}"
            if self.address.ssn is not None:
                yield f"ssn {self.address.ssn}"
            if self.address.gt is not None:
                yield self.address.gt.digits


class Unit(NamedTuple):
    """One whole TCAP message: packet that completed it, time, octets, source, destination."""

    packet: int
    time: float
    octets: bytes
    source: Side
    destination: Side


def _length_of(octets: bytes) -> int | None:
    """Return the length that the common header of M3UA and SUA declares: see Framing."""
    if octets[0] != m3ua.VERSION or octets[1:2] not in (b"", b"\0"):
        return None
    if len(octets) < m3ua.HEADER_OCTETS:
        return 0
    length = int.from_bytes(octets[4:8])
    fits = m3ua.HEADER_OCTETS <= length <= m3ua.MAX_MESSAGE_OCTETS
    return length if fits else None


def _is_sua(octets: bytes) -> bool:
    return len(octets) > 2 and octets[2] == connectionless.MESSAGE_CLASS


def _length_of_sua(octets: bytes) -> int | None:
    # Management messages are the same in both: a connection is M3UA unless its port is SUA's.
    return _length_of(octets)


FRAMINGS = (
    Framing("m3ua", _length_of, frozenset({2905}), frozenset({3})),
    Framing("sua", _length_of_sua, frozenset({14001}), frozenset({4})),
)


class Carriers:
    """Extracts TCAP messages from the messages of links."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._reassembler = Reassembler()

    def units(self, messages: Iterable[WireMessage]) -> Iterator[Unit]:
        """Yield the TCAP messages that messages carry; unreadable messages are reported."""
        for message in messages:
            try:
                yield from self._of(message)
            except RemoteProtocolError as error:
                text = f"{message.protocol}: {error}"
                self._tell(Remark(message.packet, error.offset or 0, text))

    def _of(self, message: WireMessage) -> Iterator[Unit]:
        octets = message.octets
        source, destination = Side(message.source), Side(message.destination)
        match message.protocol:
            case "tcap":
                yield Unit(message.packet, message.time, octets, source, destination)
            case "sccp":
                yield from self._sccp(message, octets, source, destination)
            case "mtp3":
                yield from self._mtp3(message)
            case _ if _is_sua(octets):
                yield from self._sua(message)
            case _:
                yield from self._m3ua(message)

    def _m3ua(self, message: WireMessage) -> Iterator[Unit]:
        found = m3ua.decode(message.octets)
        if found.id != m3ua.DATA:
            return
        data = of_message(found)
        if data.si == _SI_SCCP:
            source = Side(message.source, data.opc)
            destination = Side(message.destination, data.dpc)
            yield from self._sccp(message, data.user_data, source, destination)

    def _mtp3(self, message: WireMessage) -> Iterator[Unit]:
        octets = message.octets
        if len(octets) < _LABEL_OCTETS:
            raise RemoteProtocolError("routing label is cut off", offset=len(octets))
        if octets[0] & 0x0F == _SI_SCCP:
            label = int.from_bytes(octets[1:_LABEL_OCTETS], "little")
            source = Side(message.source, label >> 14 & _POINT_CODE)
            destination = Side(message.destination, label & _POINT_CODE)
            yield from self._sccp(message, octets[_LABEL_OCTETS:], source, destination)

    def _sccp(
        self, message: WireMessage, octets: bytes, source: Side, destination: Side
    ) -> Iterator[Unit]:
        found = sccp.decode(octets)
        if isinstance(found, sccp.UnitdataService | sccp.ExtendedUnitdataService):
            self._tell(Remark(message.packet, 0, "SCCP gave a message back: it is left out"))
        elif isinstance(found, sccp.Unitdata):
            yield _unit(message, found, source, destination)
        else:
            yield from self._extended(message, found, source, destination)

    def _sua(self, message: WireMessage) -> Iterator[Unit]:
        if not connectionless.is_known(message.octets):
            return
        found = connectionless.decode(message.octets)
        if isinstance(found, connectionless.DataResponse):
            self._tell(Remark(message.packet, 0, "SUA gave a message back: it is left out"))
            return
        part = found.segmentation
        options = sccp.NO_OPTIONS
        if part is not None:
            number = sccp.Segmentation(part.is_first, True, part.remaining, part.reference)
            options = sccp.OptionalPart(number)
        whole = sccp.ExtendedUnitdata(found.destination, found.source, found.data, options=options)
        source, destination = Side(message.source), Side(message.destination)
        yield from self._extended(message, whole, source, destination)

    def _extended(
        self, message: WireMessage, found: sccp.ExtendedUnitdata, source: Side, destination: Side
    ) -> Iterator[Unit]:
        late = self._reassembler.handle_timer(message.time)
        for indication in (*late, *self._reassembler.receive(found, message.time, source.pc)):
            match indication:
                case ReassembledInd(whole):
                    yield _unit(message, whole, source, destination)
                case ReassemblyFailedInd(reason=reason):
                    self._tell(Remark(message.packet, 0, f"segments of SCCP: {reason}"))


def _unit(
    message: WireMessage,
    found: sccp.Unitdata | sccp.ExtendedUnitdata,
    source: Side,
    destination: Side,
) -> Unit:
    return Unit(
        message.packet,
        message.time,
        found.data,
        source._replace(address=found.calling_party_address),
        destination._replace(address=found.called_party_address),
    )
