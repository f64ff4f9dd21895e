"""tshark reads every AVP of the dictionary and a whole session as we encode them."""

import json

from unit.protocols.diameter.dissection import dissected

from tsvc.kinds.diameter.fake_ledger import Ledger, Tariff
from tsvc.protocols.diameter.capabilities import Node
from tsvc.protocols.diameter.dictionary import standard, written
from tsvc.protocols.diameter.message import Header, encode_message
from tsvc.protocols.diameter.peer import Peer
from tsvc.protocols.diameter.tree import encode_avps, message_tree

DICTIONARY = standard()
SAMPLES = {
    "Integer32": -5,
    "Integer64": -(2**40),
    "Unsigned32": 4_000_000_000,
    "Unsigned64": 2**60,
    "Address": "192.0.2.7",
    "Time": 1_700_000_000,
    "Enumerated": 1,
    "Grouped": [{"name": "Rating-Group", "value": 7}],
    "DiameterURI": "aaa://a.example.net:3868",
}
# AVPs that tshark's dictionary lacks: new in RFC 8506, and from Gx and 3GPP Release 8 on.
_NEW = range(659, 670)
# Octets in which tshark reads more than their type says: addresses.
_V4, _V6 = "0a000001", "20010db8" + "00" * 11 + "01"
_OCTETS = {
    "Framed-IP-Address": _V4,
    "Framed-IP-Netmask": _V4,
    "Framed-IPv6-Prefix": "0040" + "20010db800000000",
    "3GPP-CG-Address": _V4,
    "3GPP-SGSN-Address": _V4,
    "3GPP-GGSN-Address": _V4,
    "3GPP-GPRS-Negotiated-QoS-Profile": b"05-".hex() + b"0b911f7396fefe7482ffff004a00".hex(),
    "3GPP-SGSN-IPv6-Address": _V6,
    "3GPP-GGSN-IPv6-Address": _V6,
}


def test_every_avp(tmp_path):
    definitions = [one for one in written().avps.values() if one.code not in _NEW]
    messages = []
    for one in definitions:
        value = SAMPLES.get(one.type.name, "6421000001")
        if one.type.name == "Enumerated" and one.names:
            value = next(iter(one.names))
        avp = {"name": one.name, "value": value, "value_hex": _OCTETS.get(one.name)}
        # tshark does not recognize messages below some dozens of octets as Diameter.
        avps = [{"name": "Session-Id", "value": "client.example.net;1;2"}, avp]
        body = encode_avps(avps, DICTIONARY, "avps")
        messages.append(encode_message(Header(272, 0xC0, 4, 1, 1), body))
    packets = dissected(tmp_path, *messages)
    wrong = {}
    for one, layers in zip(definitions, packets, strict=True):
        text = json.dumps(layers)
        if "_ws.malformed" in text or "Unknown AVP" in text or f'"{one.code}"' not in text:
            wrong[one.name] = text
    assert wrong == {}


def test_a_session_and_its_connection(tmp_path):
    client, server = (
        Peer(Node(f"{name}.example.net", "example.net"), sends_cer=name == "client")
        for name in ("client", "server")
    )
    client.connected(0.0)
    server.connected(0.0)
    ledger = Ledger(Tariff(unit="CC-Total-Octets", final_action=0), {"6421000001": 100})
    messages = []

    def carry():
        while True:
            going, coming = client.data_to_send(), server.data_to_send()
            if not going and not coming:
                return
            messages.extend(going + coming)
            for request in server.receive(b"".join(going), 0.0):
                if hasattr(request, "session_id"):
                    result, more = ledger.charge(message_tree(request.octets, DICTIONARY))
                    avps = [{"name": "Result-Code", "value": result}, *more]
                    server.answer(request.header, encode_avps(avps, DICTIONARY, "avps"))
            client.receive(b"".join(coming), 0.0)

    carry()
    for number, kind in enumerate(("INITIAL_REQUEST", "UPDATE_REQUEST", "TERMINATION_REQUEST")):
        units = [{"name": "CC-Total-Octets", "value": 500}]
        service = [{"name": "Rating-Group", "value": 10}]
        if kind != "TERMINATION_REQUEST":
            service.append({"name": "Requested-Service-Unit", "value": units})
        avps = [
            {"name": "Session-Id", "value": "client.example.net;1;2"},
            {"name": "Origin-Host", "value": "client.example.net"},
            {"name": "CC-Request-Type", "value": kind},
            {"name": "CC-Request-Number", "value": number},
            {
                "name": "Subscription-Id",
                "value": [
                    {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
                    {"name": "Subscription-Id-Data", "value": "6421000001"},
                ],
            },
            {"name": "Multiple-Services-Credit-Control", "value": service},
        ]
        client.request(272, 0x40, 4, encode_avps(avps, DICTIONARY, "avps"), "token")
        carry()
    client.handle_timer(1000.0)
    carry()
    client.disconnect(1000.0)
    carry()
    packets = dissected(tmp_path, *messages)
    assert [packet["diameter"]["diameter.cmd.code"] for packet in packets] == (
        ["257"] * 2 + ["272"] * 6 + ["280"] * 2 + ["282"] * 2
    )
    for packet in packets:
        text = json.dumps(packet)
        assert "_ws.malformed" not in text
        assert "_ws.expert" not in text, text
    first, granted = json.dumps(packets[2]), json.dumps(packets[3])
    assert '"diameter.CC-Request-Type": "1"' in first
    assert '"diameter.Subscription-Id-Data": "6421000001"' in first
    assert '"diameter.CC-Total-Octets": "100"' in granted
    assert '"diameter.Final-Unit-Action": "0"' in granted
    assert '"diameter.Result-Code": "2001"' in granted
