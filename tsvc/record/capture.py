"""Reading of captures: the messages of the protocols that kinds know, in order of time."""

from collections.abc import Iterator, Sequence
from dataclasses import field

from tsvc.errors import RemoteProtocolError
from tsvc.record.layers import SCTP, TCP, Datagram, Exported, inside
from tsvc.record.packets import Packet, Remark, Tell, read_packets
from tsvc.record.recorder import RECORDERS, Dialogue, Framing, Wanted, WireMessage
from tsvc.record.sctp import Associations, SctpMessage
from tsvc.record.tcp import Connection, Connections, Piece
from tsvc.values import dataclass

LONGEST_MESSAGE = 16 << 20  # octets that a message in a stream may have
_SAME_REMARKS = 5  # remarks with the same text that are kept


@dataclass(slots=True)
class Capture:
    """The content of a capture: messages in order of time, and remarks about unusable parts."""

    messages: list[WireMessage] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    packets: int = 0
    _told: dict[str, int] = field(default_factory=dict)

    def tell(self, remark: Remark) -> None:
        """Keep a remark; of many with the same text only the first few."""
        count = self._told[remark.text] = self._told.get(remark.text, 0) + 1
        if count <= _SAME_REMARKS:
            self.remarks.append(remark)
        elif count == _SAME_REMARKS + 1:
            self.remarks.append(remark._replace(text=f"{remark.text}; so are later ones"))


def read_capture(octets: bytes) -> Capture:
    """Return the messages of a capture file.

    Errors: RemoteProtocolError if it is not a capture file; problems inside it are remarks.
    """
    capture = Capture()
    framings = [framing for recorder in RECORDERS for framing in recorder.framings]
    connections, associations = Connections(), Associations()
    for packet in read_packets(octets, capture.tell):
        capture.packets += 1
        try:
            found = inside(packet)
        except RemoteProtocolError as error:
            capture.tell(Remark(packet.number, error.offset or 0, error.text))
            continue
        match found:
            case Datagram(protocol=number) if number == TCP:
                connections.take(packet, found, capture.tell)
            case Datagram(protocol=number) if number == SCTP:
                associations.take(packet, found, capture.tell)
            case Exported():
                capture.messages.append(_exported(packet, found))
    connections.finish(capture.tell)
    associations.finish(capture.tell)
    for connection in connections.all:
        capture.messages += _of_stream(connection, framings, capture.tell)
    capture.messages += _of_association(associations, framings, capture.tell)
    # Sorting is stable: messages of one packet keep their order.
    capture.messages.sort(key=lambda message: (message.time, message.packet))
    return capture


def _exported(packet: Packet, found: Exported) -> WireMessage:
    return WireMessage(
        packet.number,
        packet.time,
        found.protocol,
        found.octets,
        found.source,
        found.destination,
        None,
        packet.is_sent,
    )


def _of_association(
    associations: Associations, framings: Sequence[Framing], tell: Tell
) -> Iterator[WireMessage]:
    by_payload = {number: one for one in framings for number in one.payload_protocols}
    for found in associations.messages:
        framing = by_payload.get(found.payload_protocol) or _recognized(found, framings)
        if framing is None:
            text = f"SCTP payload protocol {found.payload_protocol} is not known"
            tell(Remark(found.packet, 0, text))
            continue
        client = associations.clients[frozenset((found.source, found.destination))]
        yield WireMessage(
            found.packet,
            found.time,
            framing.protocol,
            found.octets,
            found.source,
            found.destination,
            client,
        )


def _recognized(found: SctpMessage, framings: Sequence[Framing]) -> Framing | None:
    """Return the protocol of a message whose payload protocol identifier is unknown."""
    ports = {found.source.port, found.destination.port}
    fitting = [
        one
        for one in framings
        if one.payload_protocols and one.length_of(found.octets) == len(found.octets)
    ]
    usual = [one for one in fitting if ports & one.ports]
    return next(iter(usual or fitting), None)


def _of_stream(
    connection: Connection, framings: Sequence[Framing], tell: Tell
) -> Iterator[WireMessage]:
    if not connection.pieces:
        return
    framing = _framing_of(connection, framings)
    if framing is None:
        text = f"TCP between {connection.client} and {connection.server}: no protocol is known"
        tell(Remark(connection.pieces[0].packet, 0, text))
        return
    readers = {is_client: _Reader(framing) for is_client in (True, False)}
    for piece in connection.pieces:
        reader = readers[piece.is_from_client]
        for octets in reader.messages(piece.octets):
            yield _message(connection, framing.protocol, piece, octets)
        if reader.is_lost_now:
            tell(_lost(connection, framing, piece))
    last = connection.pieces[-1]
    for is_client, reader in readers.items():
        piece = last._replace(is_from_client=is_client)
        for octets in reader.last_messages():
            yield _message(connection, framing.protocol, piece, octets)
        if reader.is_lost_now:
            tell(_lost(connection, framing, piece))
        if reader.left:
            text = f"{reader.left} octets of {framing.protocol} are no whole message"
            tell(Remark(last.packet, 0, text))


class _Reader:
    """Cuts one direction of a stream into messages.

    `is_lost_now`: the last octets were not of the protocol, and nothing after them is read.
    """

    def __init__(self, framing: Framing) -> None:
        self._framing = framing
        self._buffer = bytearray()
        self._worth = 0  # octets that must be there before length_of() is called again
        self._is_lost = False
        self.is_lost_now = False

    @property
    def left(self) -> int:
        """The number of octets that are not a whole message."""
        return 0 if self._is_lost else len(self._buffer)

    def messages(self, octets: bytes) -> Iterator[bytes]:
        """Add octets, and yield the messages that they complete."""
        self.is_lost_now = False
        if self._is_lost:
            return
        self._buffer += octets
        while self._buffer and len(self._buffer) >= self._worth:
            length = self._framing.length_of(bytes(self._buffer))
            if length is None or length > LONGEST_MESSAGE:
                self._is_lost = self.is_lost_now = True
                return
            if not length:
                # Without a length, call length_of() again after more octets; in large steps if
                # there are many.
                self._worth = len(self._buffer) + len(self._buffer) // 16
                return
            if len(self._buffer) < length:
                self._worth = length
                return
            self._worth = 0
            yield bytes(self._buffer[:length])
            del self._buffer[:length]

    def last_messages(self) -> Iterator[bytes]:
        """Yield the messages that are complete at the end of the stream."""
        self._worth = 0  # length_of() was possibly not called with the last octets
        yield from self.messages(b"")


def _framing_of(connection: Connection, framings: Sequence[Framing]) -> Framing | None:
    """Return the protocol to which the first octets of both directions belong."""
    first: dict[bool, bytes] = {}
    for piece in connection.pieces:
        first.setdefault(piece.is_from_client, piece.octets)
    fitting = [
        one
        for one in framings
        if all(one.length_of(octets) is not None for octets in first.values())
    ]
    ports = {connection.client.port, connection.server.port}
    usual = [one for one in fitting if ports & one.ports]
    return next(iter(usual or fitting), None)


def _lost(connection: Connection, framing: Framing, piece: Piece) -> Remark:
    text = f"no message of {framing.protocol} from {_source(connection, piece)}"
    return Remark(piece.packet, 0, f"{text}: what follows is not read")


def _source(connection: Connection, piece: Piece) -> str:
    return str(connection.client if piece.is_from_client else connection.server)


def _message(connection: Connection, protocol: str, piece: Piece, octets: bytes) -> WireMessage:
    ends = connection.client, connection.server
    source, destination = ends if piece.is_from_client else ends[::-1]
    client = connection.client
    return WireMessage(piece.packet, piece.time, protocol, octets, source, destination, client)


def dialogues_of(capture: Capture, side: str | None = None) -> list[Dialogue]:
    """Return the dialogues of a capture in order of time; add remarks about unusable messages.

    `side`: the side of the tester, as in Wanted.
    """
    wanted = Wanted(side)
    found: list[Dialogue] = []
    known: set[str] = set()
    for recorder in RECORDERS:
        known |= recorder.protocols
        messages = [one for one in capture.messages if one.protocol in recorder.protocols]
        found += recorder.dialogues(messages, wanted, capture.tell)
    for message in capture.messages:
        if message.protocol not in known:
            text = f"nothing makes operations of {message.protocol or 'an unnamed protocol'}"
            capture.tell(Remark(message.packet, 0, text))
    capture.remarks.sort()
    return sorted(found, key=lambda dialogue: (dialogue.steps[0].time, dialogue.steps[0].packet))
