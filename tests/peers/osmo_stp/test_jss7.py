"""A call through software of three authors: our tester, osmo-stp, and jSS7 as the SCP.

All links are M3UA over SCTP. If the kernel has no SCTP, test_sctp_guest.py runs this file in a
kernel that has it.
"""

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from peers.jss7.stack import Node
from peers.jss7.testbed import IDP, Link, assert_passed, got, reason, send
from peers.osmo_stp.stp import OSMO_STP, SHARED, Stp, application
from support.daemons import configure, launch, require_peer
from support.links import PATIENT
from support.tshark import HANG_GUARD_S, complaints
from support.user_mode_linux import has_sctp
from support.waiting import until

PCAP_HEAD_OCTETS = 24  # of a file, before its packets
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        not has_sctp() or OSMO_STP is None,
        reason="no SCTP or osmo-stp here; see test_sctp_guest.py",
    ),
]


@pytest.fixture(scope="module")
def scp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Link]:
    """jSS7 as the SCP behind osmo-stp, and a tester on the other side of it."""
    folder = tmp_path_factory.mktemp("stp")
    stp = Stp(folder)
    try:
        node = Node(folder / "jss7", 2905, pc=2, peer_pc=1, sctp_port=3002, routing_context=22)
        try:
            cap, map_, tcap = node.cap(146, 146), node.map(6, 6), node.tcap(106, 106)
            node.start()
            node.until_active()
            text = PATIENT + application("STP", 1, ("a", 3001, SHARED))
            keys = "routing_keys = [{ dpc = 3 }]"
            lost = application("LOST", 3, ("keys", 3031, keys)).replace("dpc = 2", "dpc = 9")
            text += lost
            tester = launch(folder / "tester", configure(folder / "tester", text))
            try:
                tester.until_up()
                yield Link(tester, cap, map_, tcap)
            finally:
                tester.kill()
        finally:
            node.stop()
    finally:
        stp.kill()


@pytest.fixture(scope="module")
def captures() -> list[bytes]:
    """The captures of the calls that passed; they are read together, since tshark needs seconds to
    start in a guest."""
    return []


CONTEXTS = ["camel2", "camel3", "camel4"]


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_call_is_connected_and_released(scp: Link, captures: list[bytes], context: str) -> None:
    arm = {"bcsmEvents": [{"eventTypeBCSM": "oDisconnect"}]}
    gone = {
        "eventTypeBCSM": "oDisconnect",
        "legID": {"receivingSideID_hex": "02"},
        "miscCallInfo": {"messageType": "request"},
    }
    run = scp.start(
        IDP,
        got("RequestReportBCSMEvent", arm),
        got("Connect", {"destinationRoutingAddress_digits": "4329100"}),
        send("EventReportBCSM", gone),
        got("ReleaseCall", {"initialCallSegment_cause": 16}, last_component=1),
        sigtran="STP",
        ssp_ac=context,
    )
    cap = scp.cap
    dialog, request = cap.take_begin("InitialDP")
    assert request.getCalledPartyNumber().getCalledPartyNumber().getAddress() == "0800432900"
    dialog.addRequestReportBCSMEventRequest(cap.events({("oDisconnect", 2): "interrupted"}), None)
    cap.connect(dialog, "4329100")
    dialog.send()
    ended = cap.take("EventReportBCSMRequest")
    assert ended.getEventTypeBCSM() == "oDisconnect"
    cap.take("DialogDelimiter")
    dialog.addReleaseCallRequest(cap.cause(16))
    dialog.close(False)
    assert_passed(scp.finish(run))
    trace = scp.tester.result("GetTrace", {"run_id": run, "format": "pcap"})
    captures.append(base64.b64decode(trace["content"]))


def test_tshark_reads_these_calls(captures: list[bytes], tmp_path: Path) -> None:
    """tshark decodes all four messages of each call down to CAMEL, without an expert remark."""
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    whole = captures[0] + b"".join(one[PCAP_HEAD_OCTETS:] for one in captures[1:])
    (tmp_path / "calls.pcap").write_bytes(whole)
    done = subprocess.run(
        [tshark, "-r", str(tmp_path / "calls.pcap"), "-T", "pdml"],
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(tmp_path)},
        capture_output=True,
        check=True,
        timeout=HANG_GUARD_S,
    )
    packets = ElementTree.fromstring(done.stdout).findall("packet")
    assert len(packets) == 4 * len(CONTEXTS)
    for packet in packets:
        names = [proto.get("name") for proto in packet.findall("proto")]
        assert {"m3ua", "sccp", "tcap", "camel"} <= set(names), names
        assert complaints(packet) == []


def test_jss7_aborts_behind_the_stp(scp: Link) -> None:
    run = scp.start(IDP, got("Connect"), sigtran="STP", ssp_ac="camel2")
    dialog, _ = scp.cap.take_begin("InitialDP")
    dialog.abort("congestion")
    result = scp.finish(run)
    assert result["verdict"] == "abort"
    assert "CAP congestion" in reason(result)


def test_the_stp_has_no_route(scp: Link) -> None:
    """osmo-stp 1.6 drops messages for an unknown point code, and reports nothing."""
    run = scp.start(IDP, got("Connect", seconds=0.5), sigtran="LOST", ssp_ac="camel2")
    result = scp.finish(run)
    assert result["verdict"] == "abort"
    assert reason(result) == "expected Connect, nothing came within 0.5 s"


def test_the_scp_behind_the_stp_is_gone(scp: Link) -> None:
    """osmo-stp reports it by DUNA; no call is begun in vain. It must be the last test."""
    scp.cap.node.stop()

    def unavailable() -> bool:
        return "point code 2: unavailable" in str(scp.tester.gateways()["STP"]["detail"])

    until(unavailable, what=scp.tester.gateways)
    result = scp.tester.run({"operations": [IDP, got("Connect")]}, sigtran="STP")
    assert result["verdict"] == "abort"
    told = "no connection is active (a: point code 2: unavailable)"
    assert reason(result) == f"SSP: STP: {told}"
    assert "DUNA" in scp.tester.log
