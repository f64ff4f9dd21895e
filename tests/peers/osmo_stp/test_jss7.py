"""A call through three authors' software: our tester, osmo-stp, and jSS7 as the SCP.

All of it is M3UA over SCTP. Where the kernel has none, test_sctp_guest.py runs this where it is.
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
from support.tshark import HANG_GUARD_S, complaints
from support.user_mode_linux import has_sctp
from support.waiting import until

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
            text = application("STP", 1, ("a", 3001, SHARED))
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


@pytest.mark.parametrize("context", ["camel2", "camel3", "camel4"])
def test_a_call_is_connected_and_released(scp: Link, tmp_path: Path, context: str) -> None:
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
    dissected(base64.b64decode(trace["content"]), tmp_path)


def dissected(capture: bytes, folder: Path) -> None:
    """See that tshark reads all four messages down to CAMEL, and remarks on nothing."""
    tshark = require_peer(shutil.which("tshark"), "apt-get install tshark")
    (folder / "call.pcap").write_bytes(capture)
    done = subprocess.run(
        [tshark, "-r", str(folder / "call.pcap"), "-T", "pdml"],
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)},
        capture_output=True,
        check=True,
        timeout=HANG_GUARD_S,
    )
    packets = ElementTree.fromstring(done.stdout).findall("packet")
    assert len(packets) == 4
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
    """osmo-stp 1.6 drops what is for a point code that it does not know, and says nothing."""
    run = scp.start(IDP, got("Connect", seconds=0.5), sigtran="LOST", ssp_ac="camel2")
    result = scp.finish(run)
    assert result["verdict"] == "abort"
    assert reason(result) == "expected Connect, nothing came within 0.5 s"


def test_the_scp_behind_the_stp_is_gone(scp: Link) -> None:
    """osmo-stp tells it by DUNA; no call is begun in vain. Nothing runs after this."""
    scp.cap.node.stop()

    def unavailable() -> bool:
        return "point code 2: unavailable" in str(scp.tester.gateways()["STP"]["detail"])

    until(unavailable, what=scp.tester.gateways)
    result = scp.tester.run({"operations": [IDP, got("Connect")]}, sigtran="STP")
    assert result["verdict"] == "abort"
    told = "no connection is active (a: point code 2: unavailable)"
    assert reason(result) == f"SSP: STP: {told}"
    assert "DUNA" in scp.tester.log
