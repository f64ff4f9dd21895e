"""The capture of a run, for each kind: the octets and the ends of the connections it used."""

import base64
import os
import shutil
import subprocess

import pytest
from support.captures import read
from support.daemons import HANG_GUARD_S, require_peer

pytestmark = pytest.mark.e2e

# The dissectors of tshark for the kinds that it knows; PI has no dissector, only lines.
DISSECTORS = {"diameter": "diameter", "smpp": "smpp", "rest": "http", "osd": "http"}


def traced(world):
    """Run once; return the capture and the packets."""
    run_id = world.execute("7")
    assert world.finish(run_id)["verdict"] == "pass"
    content = world.call("GetTrace", run_id=run_id, format="pcap")["content"]
    capture = base64.b64decode(content)
    return capture, read(capture)


def test_the_octets_and_the_ends_are_those_of_the_connection(make, kind):
    world = make()
    world.passes("1")  # the messages of another instance are not in the capture
    _, packets = traced(world)
    wires = {(wire.gateway, wire.peer): wire for wire in world.proxy.wires}
    sent, received = {}, {}
    for packet in packets:
        for ends, octets in (
            ((packet.source, packet.destination), sent),
            ((packet.destination, packet.source), received),
        ):
            if ends in wires:
                octets[ends] = octets.get(ends, b"") + packet.octets
    assert sent, packets
    assert len(packets) >= 2
    if kind == "db":
        return  # its driver reports an account, not the octets
    for ends, octets in sent.items():
        assert octets in wires[ends].asked
    for ends, octets in received.items():
        assert octets in wires[ends].answered
    assert sum(map(len, (*sent.values(), *received.values()))) == sum(
        len(packet.octets) for packet in packets
    )


def test_tshark_puts_the_stream_together_without_complaint(make, kind, tmp_path):
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    world = make()
    capture, packets = traced(world)
    path = tmp_path / "run.pcap"
    path.write_bytes(capture)
    options = []
    if kind in DISSECTORS:
        port = world.proxy.wires[0].peer[1] if not world.peer.is_reversed else world.gateway.port
        options = ["-d", f"tcp.port=={port},{DISSECTORS[kind]}"]

    def read_by_tshark(*more):
        return subprocess.run(
            [tshark, "-r", str(path), *options, *more],
            env={**os.environ, "WIRESHARK_CONFIG_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=HANG_GUARD_S,
        ).stdout

    wrong = "tcp.analysis.flags || _ws.malformed || _ws.expert.severity >= warning"
    assert read_by_tshark("-Y", wrong) == ""
    if kind in DISSECTORS:
        assert len(read_by_tshark("-Y", DISSECTORS[kind]).splitlines()) == len(packets)
        followed = read_by_tshark("-q", "-z", "follow,tcp,raw,0")
        assert "".join(packet.octets.hex() for packet in packets) in "".join(followed.split())
    elif kind == "pi":
        assert [packet.protocol for packet in packets] == ["tcp", "tcp"]


def test_the_ladder_says_who_is_who(make, kind):
    world = make()
    summary = world.finish(world.execute("7"))["first_call_summary"]
    heading = summary["ladder"].splitlines()[0].split()
    # Towards an ESME we are the SMSC, and the ESME has its own name, not our application's.
    ends = {"smpp": ["SMSC", "ESME", "esme"], "sigtran": ["SSP", "SCP"]}.get(kind, ["TSVC", "GW"])
    assert heading == ["seconds", *ends]
