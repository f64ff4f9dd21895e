"""The diameter gateway against peers that behave, and peers that do not."""

from contextlib import suppress

import gevent
import pytest
from gevent import socket
from gevent.server import StreamServer
from kinds.diameter.certificate import certificate
from kinds.diameter.testbed import play_watchdog_interval
from support.ports import free_port
from support.waiting import GUARD_S, hang, stays, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.gateways.gateway import GATEWAYS, GatewayContext, GatewayState
from tsvc.kinds.diameter.fake import OcsFake
from tsvc.kinds.diameter.gateway import DiameterConfig, DiameterGateway
from tsvc.kinds.diameter.sessions import Registration
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.peer import State
from tsvc.protocols.diameter.tree import encode_avps

CCR = [
    {"name": "Session-Id", "value": "s;1"},
    {"name": "Origin-Host", "value": "tester.tsvc.invalid"},
    {"name": "Origin-Realm", "value": "tsvc.invalid"},
    {"name": "Auth-Application-Id", "value": 4},
    {"name": "CC-Request-Type", "value": 1},
    {"name": "CC-Request-Number", "value": 0},
    {"name": "Subscription-Id", "value": [{"name": "Subscription-Id-Data", "value": "64"}]},
]


def ask(gateway, timeout_s=GUARD_S):
    avps = encode_avps(CCR, standard(), "avps")
    pending = gateway.send(gateway.connection(), 272, 0x40, 4, avps)
    return gateway.receive(pending, timeout_s).tree["avp"]


def make(**members):
    config = DiameterConfig.load({"reconnect_interval_s": 0.05, **members})
    return DiameterGateway("DIA", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))


@pytest.fixture
def start(request):
    """Make and start gateways; they are killed after the test."""

    def start_one(address=None, *, is_up=True, **members):
        if address is not None:
            members = {"remote_host": address[0], "remote_port": address[1], **members}
        gateway = make(**members)
        request.addfinalizer(gateway.kill)
        gateway.start()
        if is_up:
            until(lambda: gateway.status().state is GatewayState.UP)
        return gateway

    return start_one


@pytest.fixture
def ocs(request):
    def start_one(port=0, **settings):
        fake = OcsFake("127.0.0.1", port, **settings)
        fake.start()
        request.addfinalizer(fake.kill)
        return fake

    return start_one


@pytest.fixture
def server(request):
    """Start a listener that handles connections with a function; returns its address."""

    def start_one(handle):
        listening = StreamServer(("127.0.0.1", 0), handle)
        listening.start()
        request.addfinalizer(listening.stop)
        return "127.0.0.1", listening.server_port

    return start_one


def test_it_is_registered():
    assert GATEWAYS.get("diameter") is DiameterGateway


def test_requests_and_counters(ocs, start):
    gateway = start(ocs().address)
    assert ask(gateway)["Result-Code"] == 2001
    status = gateway.status()
    assert status.detail.startswith("ocs.tsvc.invalid at 127.0.0.1:")
    expected = {"requests": 1, "answers": 1, "connects": 1, "pending": 0, "sessions": 0}
    assert expected.items() <= status.counters.items()


def test_starting_twice_changes_nothing(ocs, start):
    gateway = start(ocs().address)
    gateway.start()
    stays(lambda: gateway.status().counters["connects"] == 1, 0.05)


def test_stop_says_goodbye(ocs, start):
    fake = ocs()
    gateway = start(fake.address)
    gateway.stop(0.0)
    assert gateway.status().state is GatewayState.DOWN
    until(lambda: not fake.is_connected)
    with pytest.raises(GatewayError, match="no connection is open"):
        gateway.connection()


def test_stop_lets_requests_end(ocs, start):
    gateway = start(ocs(delay_s=0.2).address)
    asked = gevent.spawn(ask, gateway)
    until(lambda: gateway.status().counters["pending"])
    gateway.stop(GUARD_S)
    assert asked.get(timeout=GUARD_S)["Result-Code"] == 2001


def test_nobody_listens(start):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        gateway = start(free.getsockname(), is_up=False)
        until(lambda: "refused" in gateway.status().detail)
        assert gateway.status().state is GatewayState.CONNECTING
        gateway.stop(0.0)
        assert gateway.status().state is GatewayState.DOWN


def test_kill_before_start_and_twice():
    gateway = make()
    gateway.kill()
    gateway.start()
    gateway.kill()
    gateway.kill()


def test_a_peer_that_says_nothing(server, start):
    address = server(lambda connection, _: connection.recv(1) and hang())
    gateway = start(address, is_up=False)
    until(lambda: gateway.status().counters["connects"])
    assert gateway.status().state is GatewayState.CONNECTING
    with pytest.raises(GatewayError, match="no connection is open"):
        ask(gateway)
    gateway.stop(0.0)


def test_a_peer_that_sends_garbage(server, start):
    gateway = start(server(lambda connection, _: connection.sendall(b"hello")), is_up=False)
    until(lambda: "does not speak Diameter" in gateway.status().detail)
    until(lambda: gateway.status().counters["connects"] > 2)


def test_a_peer_that_closes_in_the_middle_of_an_answer(ocs, start):
    gateway = start(ocs(close_every=2).address)
    assert ask(gateway)["Result-Code"] == 2001
    with pytest.raises(GatewayError, match=r"ocs\.tsvc\.invalid at .*closed by peer"):
        ask(gateway)
    until(lambda: gateway.status().state is GatewayState.UP)
    assert ask(gateway)["Result-Code"] == 2001


def test_a_malformed_answer(ocs, start, monkeypatch):
    fake = ocs()
    gateway = start(fake.address)
    monkeypatch.setattr(
        fake, "_answer_avps", lambda *_: bytes.fromhex("0000010c 4000000a 07d10000")
    )
    avps = encode_avps(CCR, standard(), "avps")
    answer = gateway.receive(gateway.send(gateway.connection(), 272, 0x40, 4, avps), GUARD_S)
    assert answer.notes[0] == "Result-Code: 2 octets, where Unsigned32 has 4"


def test_a_deadline(ocs, start, monkeypatch):
    fake = ocs()
    gateway = start(fake.address)
    answer, asked = fake._answer, []
    monkeypatch.setattr(fake, "_answer", lambda *request: asked.append(request))
    with pytest.raises(GatewayError, match=r"no answer from ocs.* within 0\.05 s"):
        ask(gateway, 0.05)
    assert gateway.status().counters["pending"] == 0
    until(lambda: asked)
    answer(*asked[0])
    until(lambda: gateway.status().counters["unmatched_answers"] == 1)


def test_a_peer_that_refuses_us_is_left_alone_longer_and_longer(ocs, start):
    began = SYSTEM_CLOCK.now()
    gateway = start(
        ocs().address, is_up=False, applications=[{"id": 16777216}], reconnect_interval_s=10.0
    )
    until(lambda: gateway.status().counters["connects"] >= 5)
    # Pauses of 0.15, 0.3, 0.6 and 1.2 s, and not 0.15 s each time.
    assert SYSTEM_CLOCK.now() - began > 1.5
    assert "5010" in gateway.status().detail


def test_a_peer_that_closes_at_once_is_left_alone_longer_and_longer(ocs, start):
    fake = ocs()
    fake._connections._on_indication = lambda connection, indication: connection.driver.close("")
    began = SYSTEM_CLOCK.now()
    gateway = start(fake.address, is_up=False, reconnect_interval_s=10.0)
    until(lambda: gateway.status().counters["connects"] >= 5)
    assert SYSTEM_CLOCK.now() - began > 1.5


@pytest.mark.parametrize(
    "members", [{"remote_host": "a..b"}, {"tls": {"server_name": ".b", "verify": False}}]
)
def test_names_that_can_be_none(ocs, start, members):
    gateway = start(ocs().address, is_up=False, **members)
    until(lambda: gateway.status().detail)
    assert gateway.status().state is GatewayState.CONNECTING
    assert not gateway._connections._maker.dead
    gateway.stop(0.0)


def test_a_peer_that_never_finishes_its_handshake(tmp_path, start, monkeypatch, capfd):
    monkeypatch.setattr("tsvc.kinds.diameter.transport.CONNECT_TIMEOUT_S", 0.1)
    own = certificate(tmp_path)
    members = {"mode": "listen", "local_host": "127.0.0.1", "local_port": free_port(), "tls": own}
    gateway = start(is_up=False, **members)
    for sent in (b"", b"this is no TLS at all"):
        with socket.create_connection(("127.0.0.1", gateway.own_port()), timeout=GUARD_S) as peer:
            peer.sendall(sent)
            with suppress(ConnectionResetError):
                while peer.recv(1000):
                    pass
    assert "Traceback" not in capfd.readouterr().err


def test_a_killed_greenlet_leaves_nothing(ocs, start):
    gateway = start(ocs(drop_every=1).address)
    asking = gevent.spawn(ask, gateway)
    until(lambda: gateway.status().counters["pending"] == 1)
    asking.kill()
    assert gateway.status().counters["pending"] == 0


def test_a_lost_connection_fails_all_that_wait_and_comes_back(ocs, start):
    fake = ocs(free_port(), drop_every=1)
    gateway = start(fake.address)
    asking = [gevent.spawn(ask, gateway) for _ in range(5)]
    until(lambda: gateway.status().counters["pending"] == 5)
    port = fake.address[1]
    fake.kill()
    for one in asking:
        with pytest.raises(GatewayError, match="connection to ocs"):
            one.get(timeout=GUARD_S)
    until(lambda: gateway.status().state is GatewayState.CONNECTING)
    ocs(port)
    until(lambda: gateway.status().state is GatewayState.UP)
    assert ask(gateway)["Result-Code"] == 2001


def test_failover(ocs, start):
    first, second = ocs(origin_host="first"), ocs(origin_host="second")
    hosts = [f"{host}:{port}" for host, port in (first.address, second.address)]
    gateway = start(remote_hosts=hosts)
    assert ask(gateway)["Origin-Host"] == "first"
    first.kill()
    until(lambda: gateway.status().detail.startswith("second at"))
    assert ask(gateway)["Origin-Host"] == "second"


def test_the_watchdog_finds_a_dead_peer(ocs, start, monkeypatch):
    fake = ocs()
    gateway = start(fake.address)
    (own,) = gateway._connections._live
    for _ in range(3):
        play_watchdog_interval(own)
        assert own.peer.state is State.SUSPECT, "it is asked"
        until(lambda: own.peer.state is State.OPEN)
    assert gateway.status().counters["connects"] == 1
    (connection,) = fake._connections._live
    monkeypatch.setattr(connection.peer, "receive", lambda octets, now: [])
    play_watchdog_interval(own)
    play_watchdog_interval(own)
    until(lambda: gateway.status().counters["connects"] == 2)


def test_listening_and_requests_both_ways(start):
    server = start(mode="listen", local_host="127.0.0.1", local_port=free_port(), is_up=False)
    client = start(("127.0.0.1", server.own_port()), origin_host="client.example.net")
    until(lambda: server.status().state is GatewayState.UP)
    registration = Registration("s;1")
    client.register(registration)
    avps = encode_avps(CCR[:3], standard(), "avps")
    pending = server.send(server.connection("client.example.net"), 258, 0x40, 4, avps)
    request = registration.receive(GUARD_S)
    client.answer(
        request,
        encode_avps([{"name": "Result-Code", "value": 2001}], standard(), ""),
        is_error=False,
    )
    assert server.receive(pending, GUARD_S).tree["name"] == "Re-Auth-Answer"


def test_requests_of_commands_that_no_dictionary_has(start):
    server = start(mode="listen", local_host="127.0.0.1", local_port=free_port(), is_up=False)
    client = start(("127.0.0.1", server.own_port()), origin_host="client.example.net")
    until(lambda: server.status().state is GatewayState.UP)

    def asked(*avps):
        octets = encode_avps(avps, standard(), "avps")
        return server.send(server.connection("client.example.net"), 12345, 0x40, 4, octets)

    for avps in ((), CCR[:1]):
        tree = server.receive(asked(*avps), GUARD_S).tree
        assert (tree["avp"]["Result-Code"], tree["is_error"]) == (3001, True)
        assert tree["avp"]["Error-Message"] == "command 12345 is not known"
    registration = Registration("s;1")
    client.register(registration)
    pending = asked(*CCR[:1])
    request = registration.receive(GUARD_S)
    assert request.header.command_code == 12345
    done = encode_avps([{"name": "Result-Code", "value": 2001}], standard(), "")
    client.answer(request, done, is_error=False)
    assert server.receive(pending, GUARD_S).tree["avp"]["Result-Code"] == 2001


def test_a_peer_that_is_lost_ends_only_waits_that_depend_on_it(start):
    server = start(mode="listen", local_host="127.0.0.1", local_port=free_port(), is_up=False)
    address = ("127.0.0.1", server.own_port())
    clients = [start(address, origin_host=f"{name}.example.net") for name in "ab"]
    until(lambda: len(server._connections._live) == 2)
    registration = Registration("s;1")
    server.register(registration)
    waiting = gevent.spawn(registration.receive, GUARD_S)
    gevent.sleep(0)
    clients[0].kill()
    until(lambda: len(server._connections._live) == 1)
    stays(lambda: not waiting.ready(), 0.05, what=lambda: waiting.value)
    clients[1].kill()
    assert "b.example.net" in waiting.get(timeout=GUARD_S)


def test_a_port_that_is_taken(ocs):
    with pytest.raises(GatewayError, match="can't listen on"):
        make(mode="listen", local_host="127.0.0.1", local_port=ocs().address[1]).start()


def test_a_session_is_one_instances(start, ocs):
    gateway = start(ocs().address)
    first, second = Registration("s"), Registration("s")
    gateway.register(first)
    with pytest.raises(LocalProtocolError, match="s is registered already"):
        gateway.register(second)
    gateway.sessions.remove(second)
    assert len(gateway.sessions) == 1
    gateway.sessions.remove(first)
    assert len(gateway.sessions) == 0


def test_session_ids_are_new():
    gateway = make(origin_host="a.b")
    made = {gateway.new_session_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(one.startswith("a.b;") and one.count(";") == 2 for one in made)
    assert gateway.origin_realm == "b"


def test_tls(tmp_path, start):
    own = certificate(tmp_path)
    server = start(
        mode="listen", local_host="127.0.0.1", local_port=free_port(), tls=own, is_up=False
    )
    address = ("127.0.0.1", server.own_port())
    trusted = {"ca_file": own["cert_file"], "server_name": "ocs.example.net"}
    start(address, tls=trusted)
    start(address, tls={"verify": False})
    wary = start(address, tls={}, is_up=False)
    until(lambda: "certificate" in wary.status().detail.lower())
    with pytest.raises(GatewayError, match="tls"):
        make(tls={"ca_file": str(tmp_path / "none")}).start()


def test_sctp_where_the_kernel_has_none():
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132).close()
    except OSError:
        with pytest.raises(GatewayError, match="has no SCTP"):
            make(transport="sctp").start()
    else:
        pytest.skip("this kernel has SCTP")
