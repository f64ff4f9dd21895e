"""Capture files: their octets, and how tshark reads them with its defaults."""

import os
import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.captures import read
from support.daemons import require_peer

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua.data import encode_data
from tsvc.results.pcap import write_pcap
from tsvc.results.records import Ends, ExchangeRecord, MessageRecord

WALL = 1_700_000_000.25
M3UA = encode_data(500, 700, 3, 0, 0, 9, bytes.fromhex("0980030d180a12"), routing_context=7)


def link(octets, *, is_sent=True, protocol="m3ua", transport="sctp"):
    ends = Ends(transport, "192.0.2.1", 2905, "192.0.2.2", 2906)
    return ExchangeRecord(0.5, protocol, "link", is_sent, octets, "itu", ends)


def http(octets, *, is_sent=True, port=40001, transport="tcp"):
    ends = Ends(transport, "192.0.2.1", port, "192.0.2.9", 80)
    return ExchangeRecord(0.75, "rest", "api", is_sent, octets, "", ends)


def test_messages_of_a_link_stand_as_they_were_between_its_ends():
    records = [link(M3UA), link(b"\1\0\2\1", is_sent=False, protocol="sua", transport="tcp")]
    sent, received = read(write_pcap(records, WALL))
    assert (sent.protocol, sent.octets) == ("m3ua", M3UA)
    assert (sent.source, sent.destination) == (("192.0.2.1", 2905), ("192.0.2.2", 2906))
    assert sent.time == WALL + 0.5
    assert (received.protocol, received.octets) == ("sua", b"\1\0\2\1")
    assert (received.source, received.destination) == (sent.destination, sent.source)


def test_without_a_link_it_is_bare_tcap_and_what_no_link_sent_is_left_out():
    bare = MessageRecord(0.1, "S", "ssp", True, b"bare")
    kept_back = MessageRecord(0.2, "S", "ssp", True, b"never sent", is_bare=False)
    (packet,) = read(write_pcap([bare, kept_back]))
    assert (packet.protocol, packet.octets, packet.source) == ("tcap", b"bare", None)


def test_nothing_to_write_is_an_error():
    for records in ([], [MessageRecord(0.2, "S", "ssp", True, b"never sent", is_bare=False)]):
        with pytest.raises(LocalProtocolError, match="no message was recorded"):
            write_pcap(records)


def test_one_link_type_is_a_pcap_and_two_are_a_pcapng():
    both = [link(M3UA), http(b"GET")]
    for records, magic in (
        (both[:1], b"\xd4\xc3\xb2\xa1"),
        (both[1:], b"\xd4\xc3\xb2\xa1"),
        (both, b"\n\r\r\n"),
    ):
        assert write_pcap(records)[:4] == magic
    assert [packet.octets for packet in read(write_pcap(both, WALL))] == [M3UA, b"GET"]
    assert [packet.time for packet in read(write_pcap(both, WALL))] == [WALL + 0.5, WALL + 0.75]


def test_what_was_encrypted_is_no_tcp():
    (packet,) = read(write_pcap([http(b"GET", transport="tls")]))
    assert (packet.protocol, packet.destination) == ("http", ("192.0.2.9", 80))


def test_an_ipv6_socket_that_speaks_ipv4():
    ends = Ends("tcp", "::ffff:192.0.2.1", 1, "::ffff:192.0.2.2", 2)
    (packet,) = read(write_pcap([ExchangeRecord(0, "pi", "PI", True, b"A:;", "", ends)]))
    assert (packet.source, packet.destination) == (("192.0.2.1", 1), ("192.0.2.2", 2))


HOSTS = st.ip_addresses(v=4) | st.ip_addresses(v=6).filter(lambda host: host.ipv4_mapped is None)
ENDS = st.one_of(
    st.builds(
        lambda hosts, ports: Ends("tcp", str(hosts[0]), ports[0], str(hosts[1]), ports[1]),
        st.tuples(st.ip_addresses(v=version), st.ip_addresses(v=version)).filter(
            lambda hosts: all(not getattr(host, "ipv4_mapped", None) for host in hosts)
        ),
        st.tuples(st.integers(1, 65535), st.integers(1, 65535)),
    )
    for version in (4, 6)
)


@settings(deadline=None)
@given(
    st.lists(ENDS, min_size=1, max_size=3, unique=True),
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.booleans(),
            st.binary(min_size=1, max_size=50) | st.just(bytes(150_000)),
        ),
        min_size=1,
        max_size=10,
    ),
)
def test_streams_are_whole_and_number_their_octets(all_ends, messages):
    records, wanted = [], {}
    for which, is_sent, octets in messages:
        ends = all_ends[which % len(all_ends)]
        records.append(ExchangeRecord(0.0, "pi", "PI", is_sent, octets, "", ends))
        own, peer = (ends.host, ends.port), (ends.peer_host, ends.peer_port)
        way = (own, peer) if is_sent else (peer, own)
        if len({own, peer}) == 1 or any(
            {(one.host, one.port), (one.peer_host, one.peer_port)} == {own, peer}
            for one in all_ends
            if one is not ends
        ):
            return  # such addresses identify no connection
        wanted[way] = wanted.get(way, b"") + octets
    found = {}
    for packet in read(write_pcap(records)):
        way, back = (packet.source, packet.destination), (packet.destination, packet.source)
        assert packet.sequence == 1 + len(found.get(way, b""))
        assert packet.acknowledged == 1 + len(found.get(back, b""))
        found[way] = found.get(way, b"") + packet.octets
    assert found == wanted


# -- tshark -------------------------------------------------------------------------------------


WARNING = 0x600000


def dissect(tmp_path, capture):
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    path = tmp_path / "instance.pcap"
    path.write_bytes(capture)
    done = subprocess.run(
        [tshark, "-r", str(path), "-T", "pdml"],
        capture_output=True,
        check=True,
        timeout=300,
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(tmp_path)},
    )
    return ElementTree.fromstring(done.stdout).findall("packet")


def complaints(packet):
    names = [item.get("name", "") for item in [*packet.iter("field"), *packet.iter("proto")]]
    return [name for name in names if name.startswith(("_ws.", "ber.error"))]


def values(packet, *names):
    fields = packet.iter("field")
    return [item.get("show") for item in fields if item.get("name") in names]


def test_tshark_reads_bare_tcap_without_settings(tmp_path, extension_records):
    packets = dissect(tmp_path, write_pcap(extension_records, 1_700_000_000))
    assert len(packets) == len(extension_records)
    assert not [found for packet in packets for found in complaints(packet)]
    codes = [values(packet, "camel.local") for packet in packets]
    assert codes == [["0"], ["23", "19", "48"], ["48"], ["18", "23", "20"], ["24"], ["22"]]
    times = [float(values(packet, "frame.time_epoch")[0]) for packet in packets]
    assert times[0] == 1_700_000_000
    assert times[1] - times[0] == pytest.approx(0.0021, abs=1e-6)
    assert "0800123456" in values(packets[0], "e164.called_party_number.digits")


def test_tshark_reads_assist_dialogues_and_aborts(tmp_path, assisted_records):
    packets = dissect(tmp_path, write_pcap(assisted_records))
    assert not [found for packet in packets for found in complaints(packet)]
    codes = [values(packet, "camel.local") for packet in packets[:5]]
    assert codes[:4] == [["0"], ["17"], ["16"], ["47", "48"]]
    assert codes[4][0] == "49"
    assert values(packets[6], "tcap.p_abortCause") == ["4"]


def test_tshark_reads_links_and_streams_of_one_file(tmp_path):
    body = b"x" * 100_000
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    records = [
        link(M3UA),
        http(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        http(head + body, is_sent=False),
        http(b"GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"),
    ]
    packets = dissect(tmp_path, write_pcap(records))
    assert values(packets[0], "m3ua.protocol_data_opc") == ["500"]
    assert values(packets[0], "m3ua.protocol_data_sls") == ["9"]
    assert values(packets[0], "m3ua.routing_context") == ["7"]
    assert [one for packet in packets for one in values(packet, "http.request.uri")] == ["/", "/2"]
    assert [one for packet in packets for one in values(packet, "http.response.code")] == ["200"]
    assert values(packets[1], "ip.src", "tcp.dstport") == ["192.0.2.1", "80"]
    severities = [one for packet in packets[1:] for one in values(packet, "_ws.expert.severity")]
    assert all(int(one) < WARNING for one in severities), "remarks on every request are none"
