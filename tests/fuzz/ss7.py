"""Decoders of TCAP and below as fuzz targets: a decoded value can be printed and encoded again.

A decoded value, with deviations, and RemoteProtocolError are allowed; anything else is a finding.
"""

import math
from collections.abc import Callable, Iterator

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.m3ua import association, messages
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.messages import Message
from tsvc.protocols.m3ua.params import Parameter
from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.sccp.address import Address, Network
from tsvc.protocols.sccp.messages import (
    ExtendedUnitdata,
    ReturnCause,
    Unitdata,
    decode,
    encode,
    returned,
)
from tsvc.protocols.sccp.reassembly import Reassembler, segment
from tsvc.protocols.sua import association as sua_association
from tsvc.protocols.sua.association import transfer_of
from tsvc.protocols.sua.connectionless import DataTransfer
from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap import messages as tcap_messages
from tsvc.protocols.tcap.components import (
    Invoke,
    LocalCancel,
    Malformed,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.dialogue_portion import encode as encode_portion
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import Message as TcapMessage
from tsvc.protocols.tcap.messages import MessageType, PAbortCause, Unreadable
from tsvc.protocols.tcap.states import DialogueState

CONTEXT = ber.encode_oid("0.4.0.0.1.0.50.1")

# -- BER ------------------------------------------------------------------------------------------


def tlv_depths(octets: bytes, depth: int = 0) -> Iterator[int]:
    """Yield the depth of each TLV, as far as the octets are BER."""
    try:
        found = ber.walk(octets, 0, len(octets))
    except RemoteProtocolError as error:
        where = error.offset
        found = []
    else:
        where = None
    assert where is None or 0 <= where <= len(octets)
    for tag, at, end in found:
        assert 0 < at <= end <= len(octets)
        assert ber.tag_octets(ber.other_form(tag))
        yield depth
        if ber.is_constructed(tag) and depth < ber.MAX_DEPTH:
            yield from tlv_depths(octets[at:end], depth + 1)


def basic_encoding(octets: bytes) -> None:
    """Decode TLVs, object identifiers and integers."""
    for _ in tlv_depths(octets):
        pass
    try:
        dotted = ber.decode_oid(octets)
    except RemoteProtocolError:
        return
    assert ber.decode_oid(ber.encode_oid(dotted)) == dotted


# -- TCAP -----------------------------------------------------------------------------------------


def tcap(octets: bytes) -> None:
    """Decode one message: transaction portion, dialogue portion, components."""
    usual = tcap_messages.decode_usual(octets)
    try:
        message = tcap_messages.decode_any(octets)
    except Unreadable as unreadable:
        error = unreadable
    else:
        _understood(message, usual)
        return
    assert usual is None
    assert error.otid is None or 1 <= len(error.otid) <= 4


def _understood(message: TcapMessage, usual: TcapMessage | None) -> None:
    assert usual is None or usual == message
    if message.dialogue is not None:
        assert encode_portion(message.dialogue)
    for component in message.components:
        _written_again(component)


def _written_again(component: codec.Component) -> None:
    """Assert that a component is decoded to the same value after we encode it."""
    assert repr(component)
    if isinstance(component, Malformed | LocalCancel):
        return
    octets = codec.encode(component)
    portion = codec.decode(octets, 0, len(octets))
    if isinstance(component, ReturnResult) and component.parameter is None:
        component.code = None  # an empty result has no code
    assert portion == [component]


OURS = b"\x00\x00\x00\x01"


def tcap_endpoint(octets: bytes) -> None:
    """Send messages one after another to an endpoint that waits in one dialogue.

    An octet before each message is its length.
    """
    endpoint = Endpoint(first_tid=1, max_dialogues=8)
    dialogue = endpoint.new_dialogue(0.0)
    for operation_class in (1, 2, 3, 4):
        dialogue.invoke(operation_class, operation_class, None, now=0.0)
    dialogue.begin("B", "A", application_context=CONTEXT)
    for now, message in enumerate(pieces(octets)):
        for indication in endpoint.receive(message, "A", "B", float(now)):
            assert repr(indication.components)
        endpoint.handle_timer(float(now))
    for outgoing in endpoint.data_to_send():
        tcap_messages.decode(outgoing.octets)
    for known in list(endpoint.dialogues.values()):
        assert known.state not in (DialogueState.CLOSED, DialogueState.IDLE)
        known.abort()
    assert not endpoint.dialogues
    assert endpoint.next_timer() is None


def pieces(octets: bytes) -> Iterator[bytes]:
    """Yield the octets in pieces; an octet before each piece is its length."""
    at = 0
    while at < len(octets):
        end = at + 1 + octets[at]
        yield octets[at + 1 : end]
        at = end


# -- SCCP and below -------------------------------------------------------------------------------


def sccp(octets: bytes) -> None:
    """Decode a message from the network, ITU or ANSI, encode it again, and reassemble it."""
    for network in Network:
        try:
            message = decode(octets, network)
        except RemoteProtocolError:
            continue
        try:
            again = encode(message, network=network)
        except LocalProtocolError:
            continue  # an address that can be read, but not written
        assert decode(again, network) == message
        if isinstance(message, Unitdata | ExtendedUnitdata):
            returned(message, ReturnCause.UNQUALIFIED)
        if isinstance(message, ExtendedUnitdata):
            reassembler = Reassembler()
            reassembler.receive(message, 0.0, 1)
            reassembler.handle_timer(math.inf)
            assert reassembler.next_timer() is None


def m3ua(octets: bytes) -> None:
    """Feed a stream of messages to an association; the first octet selects its role."""
    if octets:
        role = list(Role)[octets[0] % len(Role)]
        _associated(association.Association(role, routing_contexts=(0, 7)), octets[1:])


def sua(octets: bytes) -> None:
    """Do the same over SUA."""
    if octets:
        role = list(Role)[octets[0] % len(Role)]
        _associated(sua_association.Association(role, routing_contexts=(0, 7)), octets[1:])


def _associated(machine: association.Association, octets: bytes) -> None:
    half = len(octets) // 2
    machine.connected(0.0)
    for now, part in enumerate((octets[:half], octets[half:])):
        for indication in machine.receive(part, float(now)):
            assert repr(indication)
        timer = machine.next_timer()
        if timer is not None:
            machine.handle_timer(max(timer, float(now)))
    for sent in machine.data_to_send():
        assert messages.encode(messages.decode(sent)) == sent
    machine.disconnected(99.0)
    assert machine.state is AspState.DOWN


# -- seeds, by our own encoders -------------------------------------------------------------------


def _components() -> list[bytes]:
    made = (
        Invoke(0, 0, b"\x30\x03\x80\x01\x01"),
        Invoke(1, "2.999.1", None, 0),
        ReturnResult(0, 1, b"\x05\x00"),
        ReturnResult(0, 1, b"\x05\x00", is_last=False),
        ReturnResult(0),
        ReturnError(1, 5, b"\x05\x00"),
        Reject(None, ProblemType.GENERAL, 0),
        Reject(2, ProblemType.INVOKE, 1),
    )
    return [codec.encode(one) for one in made]


def _tcap_seeds() -> list[bytes]:
    components = _components()
    opening = encode_pdu({"map_open": {"destination_reference_digits": "6421"}})
    request = encode_portion(Aarq(CONTEXT, opening))
    response = encode_portion(Aare(CONTEXT))
    unidirectional = encode_portion(Aarq(CONTEXT, is_unidirectional=True))
    make = tcap_messages.encode
    answers = [
        make(MessageType.CONTINUE, otid=b"\x07", dtid=OURS, dialogue=response, components=[one])
        for one in components
    ]
    return [
        make(MessageType.BEGIN, otid=b"\x07", dialogue=request, components=components),
        make(MessageType.END, dtid=OURS, components=components[2:4]),
        make(MessageType.ABORT, dtid=OURS, dialogue=encode_portion(Abrt(0))),
        make(MessageType.ABORT, dtid=OURS, p_abort_cause=PAbortCause.RESOURCE_LIMITATION),
        make(MessageType.UNIDIRECTIONAL, dialogue=unidirectional, components=components[:1]),
        b"\x62\x80\x48\x01\x07\x6c\x80" + components[0] + bytes(4),
        *answers,
    ]


def _piece(octets: bytes) -> bytes:
    return bytes((len(octets),)) + octets


def _sccp_seeds() -> list[bytes]:
    called, calling = Address(1, 146, 1), Address(1, 6, 1234)
    segments = segment(ExtendedUnitdata(called, calling, bytes(500), 1), 7)
    return [encode(Unitdata(called, calling, b"data")), *map(encode, segments)]


def _well_formed() -> list[bytes]:
    """Return every message of M3UA that has a layout, with its mandatory parameters."""
    found = []
    for number, layout in messages.LAYOUTS.items():
        mandatory = (Parameter(declared.tag, bytes(12)) for declared in layout.mandatory)
        found.append(messages.encode(Message(*number, tuple(mandatory))))
    return found


def _m3ua_seeds() -> list[bytes]:
    whole = b"".join(_well_formed())
    return [bytes((role,)) + whole for role in range(len(Role))]


def _sua_seeds() -> list[bytes]:
    client = sua_association.Association(Role.ASP, routing_contexts=(7,))
    server = sua_association.Association(Role.SGP, routing_contexts=(7,))
    streams = {client: b"", server: b""}
    client.connected(0.0)
    server.connected(0.0)
    for turn in range(12):
        sender, receiver = (client, server) if turn % 2 == 0 else (server, client)
        if turn == 10:
            transfer = transfer_of(DataTransfer(Address(1, 146, 1), Address(1, 6, 2), b"data"))
            sender.send_transfer(transfer, 7)
        octets = b"".join(sender.data_to_send())
        streams[receiver] += octets
        receiver.receive(octets, 0.0)
    roles = list(Role)
    found = [bytes((roles.index(Role.ASP),)) + streams[client]]
    return [*found, bytes((roles.index(Role.SGP),)) + streams[server]]


TARGETS: dict[str, Callable[[bytes], None]] = {
    "ber": basic_encoding,
    "tcap": tcap,
    "tcap_endpoint": tcap_endpoint,
    "sccp": sccp,
    "m3ua": m3ua,
    "sua": sua,
}
SEEDS: dict[str, list[bytes]] = {
    "ber": [*_tcap_seeds(), CONTEXT],
    "tcap": _tcap_seeds(),
    "tcap_endpoint": [_piece(one) for one in _tcap_seeds()]
    + [b"".join(_piece(one) for one in _tcap_seeds()[6:])],
    "sccp": _sccp_seeds(),
    "m3ua": _m3ua_seeds(),
    "sua": _sua_seeds(),
}
