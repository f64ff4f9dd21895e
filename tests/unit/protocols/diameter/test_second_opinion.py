"""python-diameter as a second opinion: it reads our octets, and we read its octets.

Its dictionary is compared with ours: codes, vendors and types of every AVP that both know.
"""

import datetime

from diameter.message import Avp, Message
from diameter.message.avp import AvpGrouped
from diameter.message.avp.dictionary import AVP_DICTIONARY, AVP_VENDOR_DICTIONARY
from diameter.message.constants import (
    AVP_GRANTED_SERVICE_UNIT,
    AVP_HOST_IP_ADDRESS,
    AVP_MULTIPLE_SERVICES_CREDIT_CONTROL,
    AVP_RATING_GROUP,
    AVP_TGPP_PDP_ADDRESS,
    VENDOR_TGPP,
)
from support.each import each

from tsvc.protocols.diameter.capabilities import Node
from tsvc.protocols.diameter.dictionary import standard, written
from tsvc.protocols.diameter.message import Header, encode_message
from tsvc.protocols.diameter.peer import Peer
from tsvc.protocols.diameter.tree import encode_avps, message_tree

DICTIONARY = standard()
SAMPLES = {
    "OctetString": "octets",
    "Integer32": -5,
    "Integer64": -(2**40),
    "Unsigned32": 4_000_000_000,
    "Unsigned64": 2**60,
    "Address": "192.0.2.7",
    "Time": 1_700_000_000,
    "UTF8String": "naïve",
    "DiameterIdentity": "a.example.net",
    "DiameterURI": "aaa://a.example.net:3868",
    "IPFilterRule": "permit in ip from any to any",
    "Enumerated": 3,
    "Grouped": [{"name": "Rating-Group", "value": 7}],
}
# The other library is more general than the standard, or older; the octets are the same.
ALIKE = {
    "DiameterIdentity": {"OctetString", "Utf8String"},
    "DiameterURI": {"OctetString", "Utf8String"},
    "IPFilterRule": {"OctetString", "Utf8String"},
    "UTF8String": {"Utf8String"},
    "Enumerated": {"Integer32"},
    "Unsigned32": {"Integer32"},
}
OTHERWISE = {"Redirect-Host-Usage": "Integer32", "3GPP-Session-Stop-Indicator": "Utf8String"}
# Only in RFC 8506, which the library does not know completely.
NOT_THERE = {f"Subscription-Id-{kind}" for kind in ("Extension", "E164", "IMSI", "NAI", "Private")}
NOT_THERE.add("Subscription-Id-SIP-URI")


def theirs(definition):
    table = AVP_VENDOR_DICTIONARY[definition.vendor_id] if definition.vendor_id else AVP_DICTIONARY
    return table.get(definition.code)


@each("definition", written().avps.values(), ids=lambda one: one.name)
def test_the_dictionaries_agree(definition):
    other = theirs(definition)
    if definition.name in NOT_THERE:
        assert other is None
        return
    kind = other["type"].__name__.removeprefix("Avp")
    name = definition.type.name
    allowed = {name, *ALIKE.get(name, ())} | {OTHERWISE.get(definition.name, name)}
    assert kind in allowed
    assert written().avp(other["name"]) == definition, other["name"]


@each("definition", written().avps.values(), ids=lambda one: one.name)
def test_it_reads_every_avp(definition):
    value = SAMPLES[definition.type.name]
    octets = encode_avps([{"name": definition.name, "value": value}], DICTIONARY, "avps")
    avp = Avp.from_bytes(octets)
    assert (avp.code, avp.vendor_id or 0) == definition.key
    assert avp.is_mandatory == definition.is_mandatory
    assert avp.is_vendor == bool(definition.vendor_id)
    assert definition.name in NOT_THERE or plain(avp, value)
    # padding and lengths: the library encodes the same octets again
    assert avp.as_bytes() == octets


def plain(avp, value):
    """Return True if the other library reads the value that we encoded."""
    got = avp.value
    if isinstance(avp, AvpGrouped):
        return [(one.code, one.value) for one in got] == [(432, 7)]
    if isinstance(got, bytes):
        return got == str(value).encode()
    if isinstance(got, tuple):
        return got[1] == value
    if isinstance(got, datetime.datetime):
        return got.timestamp() == value
    if isinstance(got, int) and isinstance(value, int):
        return got % 2**32 == value % 2**32
    return got == value


def test_a_whole_request():
    session = "client.example.net;1;2"
    avps = [
        ("Session-Id", session),
        ("Origin-Host", "client.example.net"),
        ("Origin-Realm", "example.net"),
        ("Destination-Realm", "example.org"),
        ("Auth-Application-Id", 4),
        ("Service-Context-Id", "32251@3gpp.org"),
        ("CC-Request-Type", "INITIAL_REQUEST"),
        ("CC-Request-Number", 0),
    ]
    given = [{"name": name, "value": value} for name, value in avps]
    given.append(
        {
            "name": "Multiple-Services-Credit-Control",
            "value": [
                {
                    "name": "Requested-Service-Unit",
                    "value": [{"name": "CC-Total-Octets", "value": 1_000_000}],
                },
                {"name": "Rating-Group", "value": 10},
            ],
        }
    )
    body = encode_avps(given, DICTIONARY, "avps")
    octets = encode_message(Header(272, 0xC0, 4, 7, 8), body)
    message = Message.from_bytes(octets)
    assert type(message).__name__ == "CreditControlRequest"
    assert message.session_id == session
    assert message.cc_request_type == 1
    (service,) = message.multiple_services_credit_control
    assert service.rating_group == 10
    assert service.requested_service_unit.cc_total_octets == 1_000_000
    assert (message.header.hop_by_hop_identifier, message.header.end_to_end_identifier) == (7, 8)
    assert message.header.is_proxyable
    # The message that the library encodes is read in the same way.
    back = message_tree(message.as_bytes(), DICTIONARY)
    assert by_path(back) == by_path(message_tree(octets, DICTIONARY))


def by_path(tree):
    return {name: value for name, value in tree["avp"].items() if value not in ({}, None)}


def test_what_it_encodes_is_read():
    inner = Avp.new(AVP_GRANTED_SERVICE_UNIT, value=[Avp.new(420, value=60)])
    group = Avp.new(
        AVP_MULTIPLE_SERVICES_CREDIT_CONTROL,
        value=[inner, Avp.new(AVP_RATING_GROUP, value=5)],
    )
    address = Avp.new(AVP_HOST_IP_ADDRESS, value="2001:db8::5")
    pdp = Avp.new(AVP_TGPP_PDP_ADDRESS, VENDOR_TGPP, value="10.1.2.3")
    body = b"".join(avp.as_bytes() for avp in (group, address, pdp))
    tree = message_tree(encode_message(Header(272, 0x40, 4, 1, 1), body), DICTIONARY)
    assert tree["avp"] == {
        "Multiple-Services-Credit-Control": {
            "Granted-Service-Unit": {"CC-Time": 60},
            "Rating-Group": 5,
        },
        "Host-IP-Address": "2001:db8::5",
        "PDP-Address": "10.1.2.3",
    }


def test_capabilities_and_base_messages():
    peer = Peer(Node("client.example.net", "example.net", 10415, "client"), sends_cer=True)
    peer.connected(0.0)
    (octets,) = peer.data_to_send()
    cer = Message.from_bytes(octets)
    assert type(cer).__name__ == "CapabilitiesExchangeRequest"
    assert cer.origin_host == b"client.example.net"
    assert cer.host_ip_address == [(1, "127.0.0.1")]
    assert (cer.vendor_id, cer.product_name) == (10415, "client")
    assert cer.auth_application_id == [4]
    answer = cer.to_answer()
    answer.result_code = 2001
    answer.origin_host = b"server.example.net"
    answer.origin_realm = b"example.net"
    answer.host_ip_address = ["127.0.0.1"]
    answer.vendor_id = 0
    answer.product_name = "server"
    answer.auth_application_id = [4]
    (opened,) = peer.receive(answer.as_bytes(), 1.0)
    assert opened.peer.origin_host == "server.example.net"
    peer.handle_timer(60.0)
    (octets,) = peer.data_to_send()
    assert type(Message.from_bytes(octets)).__name__ == "DeviceWatchdogRequest"
    peer.disconnect(61.0)
    (octets,) = peer.data_to_send()
    dpr = Message.from_bytes(octets)
    assert (type(dpr).__name__, dpr.disconnect_cause) == ("DisconnectPeerRequest", 0)
