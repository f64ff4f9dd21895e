"""Decoders of Diameter and SMPP as fuzz targets."""

import json
from collections.abc import Callable
from contextlib import suppress

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.diameter.capabilities import Node
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import Header, encode_message
from tsvc.protocols.diameter.peer import Peer
from tsvc.protocols.diameter.tree import encode_avps, message_tree
from tsvc.protocols.smpp.commands import RESPONSE, Command, Tlv
from tsvc.protocols.smpp.pdus import Pdu, decode, encode
from tsvc.protocols.smpp.session import Session, SessionSettings
from tsvc.protocols.smpp.tree import tree_of

DICTIONARY = standard()
CLIENT = Node("client.example.net", "example.net", 10415, "client")
SERVER = Node("server.example.net", "example.net", product_name="server")


def diameter(octets: bytes) -> None:
    """Decode a message; feed it as a stream to a waiting and to an open peer."""
    with suppress(RemoteProtocolError):
        json.dumps(message_tree(octets, DICTIONARY))
    waiting = Peer(SERVER, sends_cer=False)
    waiting.connected(0.0)
    for peer in (waiting, _open_peer()):
        half = len(octets) // 2
        for part in (octets[:half], octets[half:]):
            for indication in peer.receive(part, 1.0):
                assert repr(indication)
        for sent in peer.data_to_send():
            message_tree(sent, DICTIONARY)


def _exchanged() -> tuple[Peer, bytes]:
    """Return a peer after the exchange of capabilities, and the octets it received until then."""
    client, server = Peer(CLIENT, sends_cer=True), Peer(SERVER, sends_cer=False)
    client.connected(0.0)
    server.connected(0.0)
    heard = b"".join(client.data_to_send())
    server.receive(heard, 0.0)
    client.receive(b"".join(server.data_to_send()), 0.0)
    return server, heard


def _open_peer() -> Peer:
    peer, _ = _exchanged()
    assert peer.is_open
    return peer


def smpp(octets: bytes) -> None:
    """Decode a PDU; feed it as a stream to a session."""
    try:
        pdu = decode(octets)
    except RemoteProtocolError:
        pass  # refused, as it should be
    else:
        assert decode(encode(pdu)) == pdu
        json.dumps(tree_of(pdu))
    session = Session(SessionSettings(), lambda bind: 0)
    session.connected(0.0)
    half = len(octets) // 2
    for part in (octets[:half], octets[half:]):
        for indication in session.receive(part, 1.0):
            assert repr(indication)
    for sent in session.data_to_send():
        decode(sent)


def _credit_control() -> bytes:
    avps = [
        {"name": "Session-Id", "value": "client.example.net;1;1"},
        {"name": "Origin-Host", "value": "client.example.net"},
        {
            "name": "Subscription-Id",
            "value": [
                {"name": "Subscription-Id-Type", "value": 0},
                {"name": "Subscription-Id-Data", "value": "6421000001"},
            ],
        },
    ]
    return encode_message(Header(272, 0xC0, 4, 1, 1), encode_avps(avps, DICTIONARY, "avps"))


_BIND = {
    "system_id": "esme1",
    "password": "secret",
    "system_type": "",
    "interface_version": 0x34,
    "addr_ton": 1,
    "addr_npi": 1,
    "address_range": "",
}
_PDUS = (
    encode(Pdu(Command.BIND_TRANSCEIVER, 1, 0, _BIND)),
    encode(Pdu(RESPONSE | Command.SUBMIT_SM, 5, 0, {"message_id": "0a"}, (Tlv(0x0204, b"\0\7"),))),
    encode(Pdu(Command.ENQUIRE_LINK, 2)),
)

TARGETS: dict[str, Callable[[bytes], None]] = {"diameter": diameter, "smpp": smpp}
SEEDS: dict[str, list[bytes]] = {
    "diameter": [_credit_control(), _exchanged()[1], _exchanged()[1] + _credit_control()],
    "smpp": [*_PDUS, b"".join(_PDUS)],
}
