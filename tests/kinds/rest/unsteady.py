"""A server that deviates at random in some answers, and a service that sends requests to it."""

import random
import socket as plain_socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
from gevent import ssl
from support.daemons import Daemon
from support.waiting import until
from unit.transport.http_servers import RawServer

ONE_IN = 3
WAIT_S = 0.8
BODY = b'{"balance": 1450, "state": "active"}'


def answer(number: int) -> bytes:
    """Return the usual answer to the n-th request: some fields differ each time."""
    moment = b"Wed, 25 Nov 2026 20:%02d:%02d GMT" % (number // 60 % 60, number % 60)
    return (
        b"HTTP/1.1 200 OK\r\nDate: %b\r\nX-Id: %d\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%b" % (moment, number * 7919, len(BODY), BODY)
    )


class Server(RawServer):
    """Answers by `twist(self, octets, socket)`, which sends; True ends the connection."""

    def __init__(self, **tls: Any) -> None:
        self.twist: Twist = usual
        self.chance = random.Random()
        super().__init__(self._answer, **tls)

    def _answer(self, _: RawServer, sock: Any, number: int) -> None:
        while self.read(sock) is not None:
            if self.twist(self, answer(len(self.requests)), sock):
                return

    def pause(self) -> None:
        """Give the tester time to read."""
        for _ in range(4):
            gevent.sleep(0.001)


def is_read(sock: Any) -> bool:
    """Return True if the other end, on this machine, has read all that was sent: the system has
    nothing to send any more, and nothing that waits to be read."""
    ours, theirs = (_as_listed(address) for address in (sock.getsockname(), sock.getpeername()))
    queues = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, _, waiting, *_ = line.split()
        queues[local, remote] = waiting.split(":")  # to be sent, to be read
    sent, read = queues.get((ours, theirs)), queues.get((theirs, ours))
    return (sent is None or int(sent[0], 16) == 0) and (read is None or int(read[1], 16) == 0)


def _as_listed(address: tuple[str, int]) -> str:
    """Return an IPv4 address as the system lists it: octets in the machine's byte order."""
    return (
        f"{int.from_bytes(plain_socket.inet_aton(address[0]), sys.byteorder):08X}:{address[1]:04X}"
    )


Twist = Callable[[Server, bytes, Any], "bool | None"]


def usual(server: Server, octets: bytes, sock: Any) -> None:
    sock.sendall(octets)


def pieces(*cuts: int) -> Twist:
    """Return a twist: pieces that are read one by one; negative cuts count from the end."""

    def twist(server: Server, octets: bytes, sock: Any) -> None:
        before = 0
        for cut in (*cuts, len(octets)):
            at = cut if cut >= 0 else len(octets) + cut
            sock.sendall(octets[before:at])
            server.pause()
            before = at

    return twist


def instead(old: bytes, new: bytes) -> Twist:
    return lambda server, octets, sock: sock.sendall(octets.replace(old, new, 1))


def refit(body: bytes) -> Twist:
    length = b"Content-Length: %d\r\n\r\n%b"
    return instead(length % (len(BODY), BODY), length % (len(body), body))


def octet_changed(server: Server, octets: bytes, sock: Any) -> None:
    at = server.chance.randrange(len(octets))
    sock.sendall(octets[:at] + bytes((server.chance.randrange(256),)) + octets[at + 1 :])


def octet_gone(server: Server, octets: bytes, sock: Any) -> None:
    at = server.chance.randrange(len(octets))
    sock.sendall(octets[:at] + octets[at + 1 :])


def ends(server: Server, octets: bytes, sock: Any) -> bool:
    return True


def ends_behind(server: Server, octets: bytes, sock: Any) -> bool:
    sock.sendall(octets)
    return True


def ends_within(server: Server, octets: bytes, sock: Any) -> bool:
    sock.sendall(octets[: server.chance.randrange(1, len(octets))])
    return True


def resets(server: Server, octets: bytes, sock: Any) -> bool:
    sock.setsockopt(plain_socket.SOL_SOCKET, plain_socket.SO_LINGER, struct.pack("ii", 1, 0))
    return True


def resets_within(server: Server, octets: bytes, sock: Any) -> bool:
    sock.sendall(octets[:20])
    until(lambda: is_read(sock))  # a reset discards unread octets
    server.pause()
    return resets(server, octets, sock)


CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
TWISTS: list[Twist] = [
    lambda server, octets, sock: None,
    ends,
    ends_behind,
    ends_within,
    resets,
    resets_within,
    pieces(10),
    pieces(-len(BODY)),
    pieces(-len(BODY) - 1),
    pieces(-3),
    pieces(30, -20, -5),
    lambda server, octets, sock: sock.sendall(octets[:-4]),
    lambda server, octets, sock: sock.sendall(octets + octets),
    lambda server, octets, sock: sock.sendall(octets + b"x"),
    lambda server, octets, sock: sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" + octets),
    lambda server, octets, sock: sock.sendall(b"garbage\r\n\r\n"),
    instead(b"200 OK", b"500 Broken"),
    instead(b"200 OK", b"200 Fine"),
    instead(b"200 OK", b"204 Nothing"),
    instead(b"200 OK", b"302 Found\r\nLocation: /elsewhere"),
    instead(b"HTTP/1.1", b"HTTP/1.0"),
    instead(b"X-Id: ", b"X-Id: " + b"7" * 5000),
    instead(b"X-Id: ", b"X-Id: \xe4"),
    instead(b"X-Id: ", b"X-Id: \x01"),
    instead(b"X-Id: ", b"X-Id:"),
    instead(b"X-Id: ", b"X-Other: "),
    instead(b"X-Id: ", b"x-id: "),
    instead(b"X-Id: ", b"X-Id: 1\r\n 2"),
    instead(b"X-Id: ", b"X-Id: 1\r\nConnection: close\r\nX-Id: "),
    instead(b"application/json", b"text/plain"),
    instead(b"1450", b"1451"),
    instead(b"active", b"barred"),  # no test reads it
    instead(b"active", b'act"ve'),
    instead(b"active", b"act\\ve"),
    instead(b"active", b"acti\xc3\xa9"),
    instead(b"state", b"State"),
    instead(LENGTH, b"Content-Length: 7\r\n"),
    instead(LENGTH, b""),
    instead(LENGTH + b"\r\n" + BODY, CHUNKED),
    refit(b'{"balance": 1450, "state": "blocked"}'),
    refit(b'{"balance": 1450, "state": "active" '),
    *[octet_changed] * 10,
    *[octet_gone] * 3,
]


class Unsteady:
    """Twists one answer in `one_in` on average, drawn with its own seed."""

    def __init__(self, seed: int, one_in: float = ONE_IN) -> None:
        self.chance = random.Random(seed)
        self.one_in = one_in
        self.deviated = 0

    def __call__(self, server: Server, octets: bytes, sock: Any) -> "bool | None":
        server.chance = self.chance
        if self.chance.random() * self.one_in >= 1:
            return usual(server, octets, sock)
        self.deviated += 1
        return self.chance.choice(TWISTS)(server, octets, sock)


class Halting:
    """Answers a number of requests; then `more` answers, by default with nothing."""

    def __init__(self, answers: int, more: Twist = lambda server, octets, sock: None) -> None:
        self.left = answers
        self._more = more

    def __call__(self, server: Server, octets: bytes, sock: Any) -> bool | None:
        self.left -= 1
        return (usual if self.left >= 0 else self._more)(server, octets, sock)


class World(Daemon):
    """A service with one REST application, and the server that it sends requests to.

    tls: a folder with the server's key and certificate; the connection uses TLS.
    """

    def __init__(self, folder: Any, tls: Any = None, **members: Any) -> None:
        of_tls = {}
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls / "server.crt", tls / "server.key")
            of_tls = {"ssl_context": context}
            members = {**members, "ssl_ca_file": str(tls / "ca.crt")}
        self.server = Server(**of_tls)
        scheme = "http" if tls is None else "https"
        given = {
            "base_uri": f"{scheme}://127.0.0.1:{self.server.port}/api",
            "server_timeout_s": WAIT_S,
            "num_client_connections": 20,
            "http_headers": {"Host": "billing.example.net"},
            **members,
        }
        super().__init__(folder, {"R": ("rest", given)})
        self.gateway = self.gateway_of("rest")
        self.until_up()

    def stop(self) -> None:
        super().stop()
        self.server.stop()


def choosing(ways: int, requests: int) -> Twist:
    """Return a twist: content of `ways` different lengths, in one instance after the other.

    requests: number of requests of an instance.
    """

    def twist(server: Server, octets: bytes, sock: Any) -> None:
        which = (len(server.requests) - 1) // requests % ways
        body = BODY.replace(b"active", b"active" + b"!" * which)
        length = b"Content-Length: %d"
        octets = octets.replace(length % len(BODY), length % len(body)).replace(BODY, body)
        sock.sendall(octets)

    return twist
