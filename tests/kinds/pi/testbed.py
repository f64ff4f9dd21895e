"""The pi gateway and servers: fixtures and helpers of its tests."""

import fcntl
import struct
import termios

import pytest
from gevent.server import StreamServer
from support.ports import free_port
from support.waiting import until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.pi.fake import PiFake
from tsvc.kinds.pi.gateway import PiConfig, PiGateway

MSISDN = "6421000001"
CREDENTIALS = {"username": "admin", "password": "s3cret"}
QUERY = ("CCSCD1=QRY", {"MSISDN": MSISDN})


@pytest.fixture
def fake():
    # Not a port that the system chooses: a gateway that connects to it while it is free may
    # connect to itself.
    fake = PiFake(
        "127.0.0.1", free_port(), **CREDENTIALS, subscribers={MSISDN: {"General Cash": 1450}}
    )
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def start(request):
    """Make and start gateways to an address; they are killed after the test."""

    def start_one(address, *, is_up=True, **members):
        given = {"remote_host": address[0], "remote_port": address[1], **CREDENTIALS, **members}
        config = PiConfig.load({"reconnect_interval_s": 0.05, **given})
        gateway = PiGateway("PI-1", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
        request.addfinalizer(gateway.kill)
        gateway.start()
        if is_up:
            until(lambda: gateway.status().state is GatewayState.UP)
        return gateway

    return start_one


@pytest.fixture
def serve(request):
    """Start a server that handles each connection with a function; returns its address."""

    def start_one(handle, port=0):
        server = StreamServer(("127.0.0.1", port), handle)
        server.start()
        request.addfinalizer(lambda: server.stop(timeout=0))
        return ("127.0.0.1", server.server_port)

    return start_one


def until_arrived(sock):
    """Wait until the system at the other end has acknowledged all that was sent."""

    def unacknowledged():
        (octets,) = struct.unpack("i", fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(4)))
        return octets

    until(lambda: unacknowledged() == 0, what=unacknowledged)


def answering(*answers):
    """Return a handler: ACK to the login, then one answer per line; None: no answer.

    After the last answer the connection ends.
    """

    def handle(sock, _):
        sock.recv(1000)
        sock.sendall(b"ACK;")
        for answer in answers:
            if not sock.recv(1000):
                return
            if answer is not None:
                sock.sendall(answer)
        if answers and answers[-1] is None:
            sock.recv(1000)

    return handle
