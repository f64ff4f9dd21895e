"""Traces of calls over links: a capture has the messages that a peer on a socket wrote down.

The peer is defined here, with plain sockets; labels, sizes and shapes of messages are random.
"""

import base64
import os
import random
import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from gevent.server import StreamServer
from support.captures import read
from support.daemons import GUARD_S, Daemon, require_peer
from support.scripted_scp import CONTINUE, END, INITIAL_DP, ScriptedScp, expect
from support.waiting import until

from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.data import decode_data, encode_data
from tsvc.protocols.m3ua.messages import MessageStream, decode, encode, message
from tsvc.protocols.m3ua.params import PointCode
from tsvc.protocols.sccp import messages as sccp
from tsvc.protocols.sccp.messages import ExtendedUnitdata, Unitdata
from tsvc.protocols.sccp.reassembly import ReassembledInd, Reassembler, segment
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.connectionless import DataTransfer
from tsvc.protocols.sua.params import ProtocolClass, Segmentation

ACKS = {
    messages.ASPUP: messages.ASPUP_ACK,
    messages.ASPAC: messages.ASPAC_ACK,
    messages.ASPIA: messages.ASPIA_ACK,
    messages.ASPDN: messages.ASPDN_ACK,
}
PCAP_HEAD = 24
SHAPES = ("udt", "xudt", "ludt", "segments", "udts", "xudts", "management")
# An InitialDP that takes several segments: service key, and an unknown member.
LONG = {
    "type": INITIAL_DP["type"],
    "raw_hex": "3082019b" + "80012d" + "9f8768820190" + "64" * 0x190 + "9a00",
}


class Peer:
    """An SGP that writes down every message; its answers have a shape, and a random label."""

    def __init__(self, chance, shape="udt", *, is_sua=False, host="127.0.0.1"):
        self.chance, self.shape, self.is_sua = chance, shape, is_sua
        self.scp = ScriptedScp(CONTINUE, END)
        self.got, self.sent = [], []  # messages, octet by octet
        self.peers = []
        self.closes_on_data = False
        self._reassembler = Reassembler()
        self._server = StreamServer((host, 0), self._serve)
        self._server.start()

    @property
    def place(self):
        return self._server.server_host, self._server.server_port

    def stop(self):
        self._server.stop(0)

    def forget(self):
        self.got.clear()
        self.sent.clear()

    def _serve(self, connection, address):
        self.peers.append(address[:2])
        stream = MessageStream()
        while octets := connection.recv(65536):
            stream.feed(octets)
            while (whole := stream.next_message()) is not None:
                self.got.append(whole)
                for answer in self._answers(whole):
                    self.sent.append(answer)
                    connection.sendall(answer)
                if self.closes_on_data and whole[2:4] == bytes(messages.DATA):
                    self.closes_on_data = False
                    connection.close()
                    return

    def _answers(self, whole):
        if self.closes_on_data and whole[2:4] == bytes(messages.DATA):
            return []
        found = decode(whole)
        if found.id in ACKS:
            context = found.get(params.ROUTING_CONTEXT)
            named = params.ROUTING_CONTEXT.of(context) if context else None
            return [encode(message(ACKS[found.id], named))]
        if self.is_sua and connectionless.is_known(whole):
            return self._sua_answers(connectionless.decode(whole))
        if found.id != messages.DATA:
            return []
        return self._data_answers(decode_data(whole))

    # -- M3UA -------------------------------------------------------------------------------

    def _data_answers(self, data):
        chance = self.chance
        carried = sccp.decode(data.user_data)

        def wrapped(octets):
            return encode_data(
                data.dpc, data.opc, 3, data.ni, chance.randrange(4), chance.randrange(16),
                octets, routing_context=data.routing_context,
            )  # fmt: skip

        if self.shape in ("udts", "xudts"):
            if not carried.handling & sccp.RETURN_ON_ERROR:
                return []  # a segment after the first
            back = sccp.returned(carried, chance.choice((0, 1, 2, 3, 4, 12)))
            if self.shape == "xudts" and isinstance(back, sccp.UnitdataService):
                back = sccp.ExtendedUnitdataService(
                    back.called_party_address, back.calling_party_address, back.data,
                    back.return_cause,
                )  # fmt: skip
            return [wrapped(sccp.encode(back))]
        if isinstance(carried, ExtendedUnitdata):
            whole = [
                one.message
                for one in self._reassembler.receive(carried, 0.0)
                if isinstance(one, ReassembledInd)
            ]
            if not whole:
                return []
            (carried,) = whole
        now = 0.0
        self.scp.receive(
            carried.data, carried.called_party_address, carried.calling_party_address, now
        )
        found = []
        if self.shape == "management":
            codes = (PointCode(chance.randrange(1 << 14)), PointCode(data.opc))
            for kind in chance.sample((messages.DUNA, messages.DAVA, messages.SCON), 2):
                affected = params.AFFECTED_POINT_CODE.of(codes[:1])
                found.append(encode(message(kind, affected)))
            found.append(encode(message(messages.DAUD, params.AFFECTED_POINT_CODE.of(codes[1:]))))
        for outgoing in self.scp.data_to_send():
            found += map(wrapped, self._shaped(outgoing))
        return found

    def _shaped(self, outgoing):
        called, calling, data = outgoing.called, outgoing.calling, outgoing.octets
        if self.shape in ("udt", "management"):
            return [sccp.encode(Unitdata(called, calling, data))]
        is_long = self.shape == "ludt"
        whole = ExtendedUnitdata(called, calling, data, protocol_class=1, is_long=is_long)
        if self.shape != "segments":
            return [sccp.encode(whole, max_octets=4096)]
        room = self.chance.randrange(52, 80)
        pieces = segment(whole, self.chance.randrange(1 << 24), max_octets=room)
        assert len(pieces) > 1 or len(data) < 40
        return [sccp.encode(piece, max_octets=4096) for piece in pieces]

    # -- SUA --------------------------------------------------------------------------------

    def _sua_answers(self, cldt):
        if self.shape == "udts":
            return [connectionless.encode(connectionless.returned(cldt, 2))]
        self.scp.receive(cldt.data, cldt.destination, cldt.source, 0.0)
        found = []
        for outgoing in self.scp.data_to_send():
            data, size = outgoing.octets, 1000
            if self.shape == "segments":
                size = self.chance.randrange(10, 30)
            pieces = [data[at : at + size] for at in range(0, len(data), size)]
            reference = self.chance.randrange(1 << 24)
            for index, piece in enumerate(pieces):
                remaining = len(pieces) - 1 - index
                part = Segmentation(index == 0, remaining, reference)
                found.append(
                    connectionless.encode(
                        DataTransfer(
                            outgoing.calling,
                            outgoing.called,
                            piece,
                            ProtocolClass(1),
                            sequence_control=self.chance.randrange(16),
                            routing_context=cldt.routing_context,
                            segmentation=part if len(pieces) > 1 else None,
                        )
                    )
                )
        return found


@pytest.fixture
def world(tmp_path):
    """Make a daemon whose tester has a link to each of these peers."""
    made = []

    def make(*peers, chance, **members):
        made.extend(peers)
        links = []
        for index, peer in enumerate(peers):
            host, port = peer.place
            link = {
                "name": f"link {index}",
                "type": "sua" if peer.is_sua else "m3ua",
                "remote_host": host,
                "remote_port": port,
                "network_indicator": chance.randrange(4),
            }
            if chance.random() < 0.7:
                link["routing_context"] = chance.randrange(1 << 32)
            links.append({**link, **members})
        opc, dpc = chance.sample(range(1 << 14), 2)
        tester = {
            "opc": opc,
            "connections": links,
            "default_scp": {"dpc": dpc, "dssn": chance.randrange(1, 255)},
            "quarantine_s": 0,
        }
        folder = tmp_path / f"daemon {len(made)}"
        folder.mkdir()
        daemon = Daemon(folder, {"LINKS": ("sigtran", tester)})
        daemon.defaults = {"ssp_ac": "camel2"}
        made.append(daemon)
        until(lambda: daemon.gateway_of("sigtran").status().counters["links_active"] == len(peers))
        for peer in peers:
            peer.forget()
        return daemon

    yield make
    for one in reversed(made):
        one.stop()


def capture_of(daemon, run_id, instance=0):
    trace = daemon.call("GetTrace", run_id=run_id, instance=instance, format="pcap")
    return base64.b64decode(trace["content"])


def compare(packets, peer, protocol):
    """Assert that the capture has what the peer sent and received, between the real ends."""
    place, other = peer.place, tuple(peer.peers[-1])
    until(lambda: len(peer.got) >= sum(packet.destination == place for packet in packets))
    assert {packet.protocol for packet in packets} == {protocol}
    to_peer = [packet.octets for packet in packets if packet.source == other]
    from_peer = [packet.octets for packet in packets if packet.source == place]
    assert to_peer == peer.got
    assert from_peer == peer.sent
    assert all({packet.source, packet.destination} == {place, other} for packet in packets)


HALT = {"type": "halt", "arguments": {"seconds": 600}}
CALL = [expect("Continue", seconds=GUARD_S), {"type": "wait", "arguments": {"seconds": 0.05}}]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("begin", [INITIAL_DP, LONG], ids=["short", "long"])
def test_a_capture_has_the_octets_of_the_link(world, begin, shape, tmp_path):
    captures = [captured(world, begin, shape, seed) for seed in range(3)]
    check_with_tshark(captures, tmp_path)


def captured(world, begin, shape, seed):
    """Run a call with a peer and check its capture; return the capture and its packets."""
    chance = random.Random(f"{shape} {seed} {begin is LONG}")
    peer = Peer(chance, shape)
    daemon = world(peer, chance=chance)
    result = daemon.run(begin, *CALL, run_id="run")
    expected = "aborted" if shape in ("udts", "xudts") else "passed"
    assert result["counts"][expected] == 1, result["first_call_summary"]["reason"]
    capture = capture_of(daemon, "run")
    packets = read(capture)
    compare(packets, peer, "m3ua")
    assert [packet.time for packet in packets] == sorted(packet.time for packet in packets)
    check_messages(result, shape)
    return capture, packets


def check_messages(result, shape):
    """Assert that detail and ladder show segments, returned and management messages."""
    detail = result["first_call_summary"]
    titles = [one["title"] for one in detail["messages"] if one["protocol"] == "m3ua"]
    marks = {
        "segments": "XUDT segment",
        "udts": "DTS",
        "xudts": "XUDTS",
        "management": "DAUD",
    }
    mark = marks.get(shape)
    if mark is not None:
        assert any(mark in title for title in titles), titles
        assert mark in detail["ladder"]
    else:
        assert all("segment" in title for title in titles), "of the long BEGIN only"


def check_with_tshark(captures, folder):
    """Assert that tshark and our own M3UA reader find the same in each packet.

    tshark reads all captures at once, behind the head of the first: its start takes longer than a
    call.
    """
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    path = folder / "call.pcap"
    heads = {capture[:PCAP_HEAD] for capture, _ in captures}
    assert len(heads) == 1
    path.write_bytes(b"".join([*heads, *(capture[PCAP_HEAD:] for capture, _ in captures)]))
    packets = [packet for _, packets in captures for packet in packets]
    done = subprocess.run(
        [tshark, "-r", str(path), "-T", "pdml"],
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)},
        capture_output=True,
        check=True,
        timeout=300,
    )
    shown = ElementTree.fromstring(done.stdout).findall("packet")
    assert len(shown) == len(packets)
    for element, packet in zip(shown, packets, strict=True):
        fields = {}
        for field in element.iter("field"):
            fields.setdefault(field.get("name"), field.get("show"))
        assert fields["exported_pdu.src_port"] == str(packet.source[1])
        data = decode_data(packet.octets)
        if data is None:
            assert fields["m3ua.message_class"] == str(packet.octets[2])
            continue
        names = ("opc", "dpc", "ni", "sls", "mp")
        for name in names:
            assert fields[f"m3ua.protocol_data_{name}"] == str(getattr(data, name))
        if data.routing_context is not None:
            assert fields["m3ua.routing_context"] == str(data.routing_context)
        assert int(fields["sccp.message_type"], 16) == data.user_data[0]


@pytest.mark.parametrize("begin", [INITIAL_DP, LONG], ids=["short", "long"])
@pytest.mark.parametrize("shape", ["udt", "segments", "udts"])
def test_sua_is_sua(world, begin, shape):
    chance = random.Random(f"sua {shape} {begin is LONG}")
    peer = Peer(chance, shape, is_sua=True)
    daemon = world(peer, chance=chance)
    result = daemon.run(begin, *CALL, run_id="run")
    assert result["counts"]["passed"] == (shape != "udts")
    compare(read(capture_of(daemon, "run")), peer, "sua")
    titles = [one["title"] for one in result["first_call_summary"]["messages"] if "title" in one]
    assert set(titles) == {"udt": set(), "segments": {"CLDT segment"}, "udts": {"CLDR"}}[shape]


def test_of_two_links_each_call_has_its_own(world):
    chance = random.Random("two")
    peers = [Peer(chance), Peer(chance, "segments")]
    daemon = world(*peers, chance=chance)
    load = {"type": "load", "total": 8, "backlog": 1}
    daemon.run(INITIAL_DP, *CALL, run_id="run", distribution=load)
    found = [read(capture_of(daemon, "run", idx)) for idx in range(8)]
    for peer in peers:
        own = [one for one in found if peer.place in (one[0].source, one[0].destination)]
        assert own, "chance gave it no call"
        octets = [p.octets for one in own for p in one if p.destination == peer.place]
        assert octets == peer.got
        octets = [p.octets for one in own for p in one if p.source == peer.place]
        assert octets == peer.sent


def test_a_link_that_is_lost_and_comes_again(world):
    chance = random.Random("lost")
    peer = Peer(chance)
    daemon = world(peer, chance=chance)
    peer.closes_on_data = True
    daemon.execute(INITIAL_DP, HALT, run_id="run")
    counters = lambda: daemon.gateway_of("sigtran").status().counters  # noqa: E731
    until(lambda: len(peer.peers) == 2 and counters()["links_active"] == 1, what=counters)
    daemon.resume("run")
    daemon.finish("run")
    packets = read(capture_of(daemon, "run"))
    assert [packet.octets for packet in packets if packet.destination == peer.place] == peer.got
    assert [packet.octets for packet in packets if packet.source == peer.place] == peer.sent
    assert [decode(packet.octets).name for packet in packets][:3] == ["DATA", "ASPUP", "ASPUP_ACK"]
    ours = [packet.source for packet in packets if packet.destination == peer.place]
    assert ours == [peer.peers[0], *[peer.peers[1]] * (len(ours) - 1)]


def test_a_message_of_which_a_segment_never_came(world):
    chance = random.Random("part")
    peer = Peer(chance, "segments")
    whole = peer._shaped
    peer._shaped = lambda outgoing: whole(outgoing)[:-1]
    daemon = world(peer, chance=chance)
    received = lambda: daemon.gateway_of("sigtran").status().counters["received"]  # noqa: E731
    before = received()
    daemon.execute(INITIAL_DP, HALT, expect("Continue", seconds=0.2), run_id="run")
    until(lambda: peer.sent and received() == before + len(peer.sent), what=received)
    daemon.resume("run")
    result = daemon.finish("run")
    assert result["counts"]["aborted"] == 1
    compare(read(capture_of(daemon, "run")), peer, "m3ua")
    assert "XUDT segment" in result["first_call_summary"]["ladder"]


def test_over_ipv6(world):
    chance = random.Random("six")
    peer = Peer(chance, host="::1")
    daemon = world(peer, chance=chance)
    daemon.run(INITIAL_DP, *CALL, run_id="run")
    compare(read(capture_of(daemon, "run")), peer, "m3ua")


def test_a_loopback_is_bare_tcap(tmp_path, daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(INITIAL_DP, expect("Continue"), run_id="run")
    capture = capture_of(tsvc, "run")
    assert int.from_bytes(capture[20:24], "little") == 252
    packets = read(capture)
    assert {packet.protocol for packet in packets} == {"tcap"}
    shown = result["first_call_summary"]["messages"]
    assert [packet.octets.hex() for packet in packets] == [one["hex"] for one in shown]


def test_archived_traces_have_the_same_octets(world):
    chance = random.Random("archive")
    peer = Peer(chance, "segments")
    daemon = world(peer, chance=chance)
    run_id = daemon.execute(LONG, *CALL)
    run = daemon.service.runs[run_id]
    until(run.completed.is_set)
    before = read(capture_of(daemon, run_id))
    daemon.call("QueryTest", run_id=run_id)
    assert run_id not in daemon.service.runs
    after = read(capture_of(daemon, run_id))
    assert [packet.octets for packet in after] == [packet.octets for packet in before]
    assert [packet.source for packet in after] == [packet.source for packet in before]
    compare(after, peer, "m3ua")


def test_a_trace_without_messages_is_refused(daemon):
    tsvc = daemon(CONTINUE)
    tsvc.run({"type": "pass"}, run_id="run")
    error = tsvc.refusal("GetTrace", run_id="run", format="pcap")
    assert error["data"]["kind"] == "instance.not_kept"
    assert "no message was recorded" in error["message"]
