"""SCTP of the kernel against plain sockets, which do not use tsvc.

If the kernel has no SCTP, tests/peers/test_sctp_guest.py runs this file in a guest that has
SCTP. The tests for a kernel without SCTP run on all other machines.
"""

import contextlib
import socket as plain
import struct
from pathlib import Path

import gevent
import pytest
from gevent import socket
from support.ports import free_port
from support.user_mode_linux import has_sctp
from support.waiting import GUARD_S, hang, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.sigtran.gateway import SigtranConfig, SigtranGateway
from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.connectionless import DataTransfer
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.links import LinkConfig
from tsvc.ss7.sctp import NO_SCTP, PAYLOADS, SctpTransport
from tsvc.transport.driver import ConnectionOver

SCTP = 132
ASPUP = messages.encode(messages.message(messages.ASPUP))
DATA = encode_data(1, 2, 3, 2, 0, 5, b"x" * 10)

needs_sctp = pytest.mark.skipif(
    not has_sctp(), reason="no SCTP here; tests/peers/test_sctp_guest.py runs it"
)


def config(kind="m3ua", host="127.0.0.1", port=0, mode="connect", **members):
    return LinkConfig("link", mode, Role.ASP, host, port, kind=kind, transport="sctp", **members)


class Peer:
    """The other end: a plain one-to-one socket; stream and PPID are set by hand."""

    def __init__(self, sock):
        self.sock = sock
        sock.settimeout(GUARD_S)
        sock.setsockopt(SCTP, 32, 1)

    def receive(self):
        """Return octets, stream and PPID of the next message."""
        octets, ancillary, _, _ = self.sock.recvmsg(70000, 256)
        ((_, _, data),) = ancillary
        stream, ppid = struct.unpack_from("=H6xI", data)
        return octets, stream, socket.ntohl(ppid)

    def send(self, octets, ppid, stream=0):
        info = struct.pack("=HHIII", stream, 0, socket.htonl(ppid), 0, 0)
        self.sock.sendmsg([octets], [(SCTP, 2, info)])


@contextlib.contextmanager
def connected(kind="m3ua", host="127.0.0.1", **members):
    """Our connection to a plain listening socket, and the peer's end of the connection."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, SCTP) as listener:
        listener.bind((host, 0))
        listener.listen()
        listener.settimeout(GUARD_S)
        accepting = gevent.spawn(listener.accept)
        port = listener.getsockname()[1]
        ours = SctpTransport().connect(config(kind, host, port, **members))
        accepted, _ = accepting.get(timeout=GUARD_S)
        with accepted:
            try:
                yield ours, Peer(accepted)
            finally:
                ours.close()


def within(call, *arguments):
    """Return the result of a blocking call, with a hang guard."""
    with gevent.Timeout(GUARD_S):
        return call(*arguments)


@pytest.mark.skipif(has_sctp(), reason="this kernel has SCTP")
@pytest.mark.parametrize("mode", ["connect", "listen"])
def test_a_kernel_without_sctp_is_named(mode):
    transport = SctpTransport()
    call = transport.connect if mode == "connect" else lambda c: transport.listen(c, print)
    with pytest.raises(OSError, match=NO_SCTP) as caught:
        call(config(port=2905, mode=mode))
    assert caught.value.strerror == NO_SCTP


@pytest.mark.skipif(has_sctp(), reason="this kernel has SCTP")
@pytest.mark.parametrize("mode", ["connect", "listen"])
def test_the_configuration_is_right_all_the_same_and_the_gateway_says_why(mode):
    """A configuration may be checked on another machine than the one that runs it."""
    entry = {"name": "link", "type": "sua", "transport": "sctp", "mode": mode, "remote_port": 9}
    given = {"connections": [entry]}
    gateway = SigtranGateway(
        "LAB", SigtranConfig.load(given), GatewayContext(SYSTEM_CLOCK, lambda: 0.5)
    )
    try:
        if mode == "listen":
            with pytest.raises(GatewayError, match=NO_SCTP):
                gateway.start()
            return
        gateway.start()
        until(lambda: NO_SCTP in gateway.status().detail)
        assert gateway.status().state is GatewayState.CONNECTING
        called = gateway.scp_address({"dpc": 2, "dssn": 146}, 146)
        outgoing = Outgoing(b"x", called, called, None, gateway.open_dialogue(None))
        with pytest.raises(GatewayError, match=NO_SCTP):
            gateway.node.network.transmit(outgoing)
    finally:
        gateway.kill()


@needs_sctp
def test_management_is_on_stream_0_and_data_are_on_that_of_their_sls():
    with connected() as (ours, peer):
        ours.send(ASPUP)
        assert within(peer.receive) == (ASPUP, 0, 3)
        ours.send(DATA)
        assert within(peer.receive) == (DATA, 6, 3)


@needs_sctp
def test_sua_has_a_ppid_of_its_own_and_streams_by_sequence_control():
    address = Address(1, 146, 1)
    cldt = connectionless.encode(DataTransfer(address, address, b"x", sequence_control=20))
    with connected("sua") as (ours, peer):
        ours.send(cldt)
        assert within(peer.receive) == (cldt, 1 + 20 % 16, 4)


@needs_sctp
def test_messages_come_whole_with_their_stream_and_those_of_others_are_left_out():
    long = encode_data(1, 2, 3, 2, 0, 5, bytes(60_000))
    with connected() as (ours, peer):
        peer.send(DATA, 3, 4)
        peer.send(b"not ours", 46)
        peer.send(long, 3, 2)
        peer.send(ASPUP, 0)
        assert within(ours.receive) == (DATA, 4)
        assert within(ours.receive) == (long, 2)
        assert within(ours.receive) == (ASPUP, 0), "a peer that names no protocol"


@needs_sctp
def test_a_long_message_goes_whole():
    long = encode_data(1, 2, 3, 2, 0, 5, bytes(60_000))
    with connected() as (ours, peer):
        ours.send(long)
        received = b""
        while len(received) < len(long):
            received += within(peer.receive)[0]
        assert received == long


@needs_sctp
def test_a_peer_that_closes():
    with connected() as (ours, peer):
        peer.send(DATA, 3)
        peer.sock.close()
        assert within(ours.receive)[0] == DATA, "what came before is not lost"
        with pytest.raises(ConnectionOver, match="closed by peer"):
            within(ours.receive)


@needs_sctp
def test_a_peer_that_aborts():
    with connected() as (ours, peer):
        peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.sock.close()
        with pytest.raises((ConnectionOver, OSError), match=r"connection lost|reset by peer"):
            within(ours.receive)


@needs_sctp
def test_a_message_that_is_too_long_ends_the_association():
    with connected() as (ours, peer):
        sending = gevent.spawn(peer.send, bytes(100_000), 3)
        with pytest.raises(ConnectionOver, match="longer than"):
            within(ours.receive)
        sending.kill()


@needs_sctp
def test_ipv6():
    with connected(host="::1") as (ours, peer):
        ours.send(ASPUP)
        assert within(peer.receive)[0] == ASPUP


@needs_sctp
def test_nobody_listens():
    with pytest.raises(OSError, match="refused"):
        within(SctpTransport().connect, config(port=free_port()))


@needs_sctp
def test_both_ends_have_several_addresses():
    served = gevent.event.AsyncResult()
    transport = SctpTransport()

    def serve(connection, peer):
        served.set((connection, peer))
        hang()

    listening = config(mode="listen", more_hosts=("127.0.0.2",))
    listener = transport.listen(listening, serve)
    try:
        local = {"local_host": "127.0.0.3", "more_hosts": ("127.0.0.4",)}
        ours = within(transport.connect, config(host="127.0.0.2", port=listener.port, **local))
        theirs, peer = served.get(timeout=GUARD_S)
        assert peer.rpartition(":")[0] in ("127.0.0.3", "127.0.0.4")
        ours.send(DATA)
        assert within(theirs.receive) == (DATA, 6)
        known = Path("/proc/net/sctp/assocs").read_text()
        for address in ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"):
            assert known.count(address) >= 2, known
        ours.close()
        theirs.close()
    finally:
        listener.close()


@needs_sctp
def test_a_port_that_is_taken():
    with plain.socket(plain.AF_INET, plain.SOCK_STREAM, SCTP) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            SctpTransport().listen(config(port=taken.getsockname()[1], mode="listen"), print)


class Machine:
    """A protocol machine that indicates each message, and sends it back."""

    def __init__(self):
        self.queue = []
        self.streams = []

    def receive_message(self, octets, now, stream=0):
        self.streams.append(stream)
        self.queue.append(octets)
        return [octets]

    def data_to_send(self):
        queue, self.queue = self.queue, []
        return queue

    def next_timer(self):
        return None

    def handle_timer(self, now):
        return []


@needs_sctp
def test_the_driver_keeps_messages_apart_and_says_why_it_is_over():
    with connected() as (ours, peer):
        machine, told = Machine(), []
        driver = SctpTransport().driver(machine, ours, SYSTEM_CLOCK, told.append)
        running = gevent.spawn(driver.run)
        for number in range(50):
            peer.send(encode_data(1, 2, 3, 2, 0, number % 16, bytes([number])), 3, number % 5)
        back = [within(peer.receive)[0] for _ in range(50)]
        assert sorted(back) == sorted(told)
        assert set(machine.streams) == {0, 1, 2, 3, 4}
        peer.sock.close()
        assert running.get(timeout=GUARD_S) == "closed by peer"


def test_every_kind_of_link_has_its_payload():
    assert {kind: payload.ppid for kind, payload in PAYLOADS.items()} == {"m3ua": 3, "sua": 4}
