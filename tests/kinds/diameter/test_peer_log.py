"""The log reports each event of a peer once: connecting, up, refused, TLS, watchdog, DPR, lost."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds.diameter.certificate import certificate
from support.clock import FakeClock
from support.ports import free_port
from support.waiting import until

from tsvc import log
from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.diameter.fake import OcsFake
from tsvc.kinds.diameter.gateway import DiameterConfig, DiameterGateway
from tsvc.kinds.diameter.peerlog import PeerLog
from tsvc.protocols.diameter.dictionary import standard

RESULTS = standard().by_name["Result-Code"].names


@pytest.fixture
def written():
    """Return a function that returns the log lines of a gateway, by default of DIA."""
    stream = io.StringIO()
    log.setup(form="json", stream=stream)

    def lines(name="DIA"):
        found = [json.loads(line) for line in stream.getvalue().splitlines()]
        return [line for line in found if line.get("gateway") == name]

    yield lines
    log.setup()


@pytest.fixture
def start(request):
    def start_one(name="DIA", *, clock=SYSTEM_CLOCK, **members):
        config = DiameterConfig.load({"reconnect_interval_s": 0.05, **members})
        gateway = DiameterGateway(name, config, GatewayContext(clock, lambda: 0.5))

        def end():
            gateway.kill()
            # The next test must not find the last log lines of this gateway.
            until(lambda: not gateway._connections._live)

        request.addfinalizer(end)
        gateway.start()
        return gateway

    return start_one


@pytest.fixture
def ocs(request):
    def start_one(**settings):
        fake = OcsFake("127.0.0.1", 0, **settings)
        fake.start()
        request.addfinalizer(fake.kill)
        return fake

    return start_one


def at(fake):
    host, port = fake.address
    return {"remote_host": host, "remote_port": port}


def listening(**members):
    return {"mode": "listen", "local_host": "127.0.0.1", "local_port": free_port(), **members}


def is_up(gateway):
    return lambda: gateway.status().state is GatewayState.UP


def told(written, event, name="DIA"):
    """Wait for an event; return its lines."""
    return until(
        lambda: [line for line in written(name) if line["event"] == event],
        what=lambda: (event, written(name)),
    )


def test_connecting_up_dpr_and_lost_are_a_line_each(ocs, start, written):
    fake = ocs(origin_host="ocs.example.net", origin_realm="example.net")
    gateway = start(**at(fake))
    until(is_up(gateway))
    peer = "{}:{}".format(*fake.address)
    agreed = {"host": "ocs.example.net", "realm": "example.net", "application": "4 credit-control"}
    assert gateway.status().detail == (
        f"ocs.example.net at {peer} (realm example.net, application 4 credit-control)"
    )
    fake.stop()
    (lost,) = told(written, "peer lost")
    text = lost["reason"]
    assert "after its DPR (0 REBOOTING)" in text
    told(written, "no connection")
    lines = written()
    assert [line["event"] for line in lines[:4]] == [
        "connecting",
        "peer up",
        "DPR received",
        "peer lost",
    ]
    assert {line["peer"] for line in lines} == {peer}
    assert lines[0]["transport"] == "tcp"
    assert agreed.items() <= lines[1].items()
    assert lines[2]["cause"] == "0 REBOOTING"
    assert [line["level"] for line in lines[:4]] == ["info", "info", "info", "warning"]
    until(lambda: gateway.status().counters["connects"] == 1 and gateway._connections.problem)
    assert "refused" in gateway.status().detail


def test_our_own_goodbye_is_no_warning(ocs, start, written):
    gateway = start(**at(ocs()))
    until(is_up(gateway))
    gateway.stop(0.0)
    lines = written()[2:]
    assert [(line["event"], line["level"]) for line in lines] == [
        ("DPR sent", "info"),
        ("peer lost", "info"),
    ]
    assert lines[0]["cause"] == "0 REBOOTING"


def test_a_listening_node_tells_of_its_peers(start, written):
    server = start("SERVER", **listening())
    client = start(remote_port=server.own_port(), origin_host="client.example.net")
    until(is_up(client))
    (up,) = told(written, "peer up", "SERVER")
    assert (up["peer"], up["host"], up["realm"]) == (
        "127.0.0.1",
        "client.example.net",
        "example.net",
    )
    client.stop(0.0)
    (left,) = told(written, "DPR received", "SERVER")
    assert left["host"] == "client.example.net"
    (lost,) = told(written, "peer lost", "SERVER")
    assert lost["reason"] == "closed by peer after its DPR (0 REBOOTING)"


def test_no_application_in_common_is_told_by_both(start, written):
    clock = FakeClock()  # stands still: the attempts take no time, however slow they are
    others = listening(applications=[{"id": 16777302, "vendor_id": 10415}])
    server = start("SERVER", clock=clock, **others)
    client = start(clock=clock, remote_port=server.own_port(), origin_host="client.example.net")
    (refusing,) = told(written, "peer refused", "SERVER")
    assert refusing["reason"] == (
        "client.example.net has no application in common with us: "
        "5010 DIAMETER_NO_COMMON_APPLICATION; its: 4 credit-control; ours: 16777302 Sy"
    )
    (refused,) = told(written, "refused by the peer")
    words = "refuses the capabilities: 5010 DIAMETER_NO_COMMON_APPLICATION"
    assert words in refused["reason"]
    until(lambda: client.status().counters["connects"] > 4)
    assert len(told(written, "refused by the peer")) <= 3, "and not at each attempt"
    assert len(told(written, "peer refused", "SERVER")) <= 3
    until(lambda: words in client.status().detail)
    until(lambda: "no application in common" in server.status().detail)
    with pytest.raises(GatewayError, match=words):
        client.connection()


@pytest.mark.parametrize("code", [code for code in RESULTS if code != 2001])
def test_whatever_a_cer_is_refused_with_is_told_by_name(code):
    from tsvc.protocols.diameter.capabilities import Node
    from tsvc.protocols.diameter.message import Header, decode_header, encode_message
    from tsvc.protocols.diameter.peer import CloseInd, Fault, Peer
    from tsvc.protocols.diameter.tree import encode_avps

    for host in ("ocs.example.net", None):
        peer = Peer(Node("a.example.net", "example.net"), sends_cer=True)
        peer.connected(0.0)
        (cer,) = peer.data_to_send()
        asked = decode_header(cer)
        avps = [
            {"name": "Result-Code", "value": code},
            {"name": "Origin-Host", "value": host},
            {"name": "Error-Message", "value": "we do not know you"},
        ]
        header = Header(257, 0x20, 0, asked.hop_by_hop_id, asked.end_to_end_id)
        given_ = encode_avps([avp for avp in avps if avp["value"]], standard(), "")
        text = (
            f"{host or 'the peer'} refuses the capabilities: {code} {RESULTS[code]} "
            "we do not know you"
        )
        assert peer.receive(encode_message(header, given_), 1.0) == [CloseInd(text, Fault.REFUSED)]


def test_tls_failures_are_told_by_both(tmp_path, start, written):
    own = certificate(tmp_path)
    server = start("SERVER", **listening(tls=own))
    wary = start(remote_port=server.own_port(), tls={})
    (failed,) = told(written, "TLS failed")
    assert "certificate" in failed["reason"].lower()
    assert failed["level"] == "warning"
    until(lambda: "certificate" in wary.status().detail.lower())
    (refused, *_) = told(written, "TLS failed", "SERVER")
    assert (refused["peer"], refused["level"]) == ("127.0.0.1", "warning")
    until(lambda: refused["reason"] in server.status().detail)


def test_a_peer_without_tls_is_told(tmp_path, start, written):
    server = start("SERVER", **listening(tls=certificate(tmp_path)))
    start(remote_port=server.own_port())
    (failed, *_) = told(written, "TLS failed", "SERVER")
    assert failed["reason"]
    (gone, *_) = told(written, "no connection")
    assert "while the connection waits for CEA" in gone["reason"]


def test_a_dead_peer_is_told(ocs, start, written, monkeypatch):
    fake = ocs(origin_host="ocs.example.net")
    gateway = start(**at(fake), watchdog_s=0.1)
    until(is_up(gateway))
    (connection,) = fake._connections._live
    monkeypatch.setattr(connection.peer, "receive", lambda octets, now: [])
    (failed,) = told(written, "watchdog failed")
    assert failed["host"] == "ocs.example.net"
    assert failed["reason"] == "the watchdog's request (DWR) was not answered"


@pytest.mark.parametrize("name", ["ocs\n1", 'a="b"', "\x1b[31m"])
def test_what_a_peer_calls_itself_stays_on_its_line(name, start, ocs):
    stream = io.StringIO()
    log.setup(stream=stream)
    try:
        gateway = start(**at(ocs(origin_host=name)))
        until(is_up(gateway))
        lines = [line for line in stream.getvalue().splitlines() if "gateway=DIA" in line]
        assert len(lines) == 2
        assert all(line.isprintable() for line in lines)
    finally:
        log.setup()


# -- how often --------------------------------------------------------------------------------


def test_a_fault_that_lasts_is_told_more_and_more_rarely(written):
    clock = FakeClock()
    peers = PeerLog("DIA", clock)
    for _ in range(36000):
        peers.connecting("ocs:3868", "tcp")
        peers.warning("no connection", "ocs:3868", reason="Connection refused")
        clock.advance(0.1)
    lines = written()
    assert [line["event"] for line in lines[:2]] == ["connecting", "no connection"]
    assert {line["event"] for line in lines[2:]} == {"no connection"}
    assert len(lines) < 70, "in an hour"
    assert 500 < lines[-1]["also"] <= 600
    peers.warning("no connection", "ocs:3868", reason="No route to host")
    assert written()[-1]["reason"] == "No route to host", "another fault is told at once"


EVENTS = st.tuples(
    st.sampled_from(["peer up", "peer lost", "no connection"]),
    st.sampled_from(["a", "b"]),
    st.sampled_from(["x", "y"]) | st.text(max_size=2),
)


@given(st.lists(st.tuples(st.floats(0, 0.05), EVENTS), min_size=1, max_size=300))
def test_no_peer_can_fill_the_log(events):
    stream = io.StringIO()
    log.setup(form="json", stream=stream)
    try:
        clock = FakeClock()
        began = clock.now()
        peers = PeerLog("DIA", clock)
        for pause_s, (event, peer, reason) in events:
            peers.info(event, peer, reason=reason)
            clock.advance(pause_s)
        lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    finally:
        log.setup()
    assert len(lines) <= 20 + (clock.now() - began)
    # Each event has its line, is counted in a later line, or will be counted in the next line.
    unsaid = sum(line.withheld for line in peers._lines.values())
    assert len(lines) + sum(line.get("also", 0) for line in lines) + unsaid == len(events)
