"""Peers that a gateway can't trust: the octets they send instead of the answer, per protocol."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from soak.proxy import Become

FLOOD = 100_000
_MOST_OCTETS = 1 << 31  # of an endless answer; a gateway that takes all of it has failed the test
_DEAF_OCTETS = 8192
GARBAGE = b"\xff\xfe no protocol that anybody speaks \xff\x00" * 8 + b";\r\n"


@dataclass(frozen=True)
class Octets:
    """Hostile octets of a protocol. b"": the protocol has no such octets.

    `endless`: begins an answer, `filler` continues it for ever. `huge`: announces more than any
    memory can hold. `unsolicited`: a message that nobody has asked for.
    """

    endless: bytes
    filler: bytes
    huge: bytes
    unsolicited: bytes
    wrong: Callable[[bytes], bytes] | None = None  # the answer, to another request


def _with(at: int) -> Callable[[bytes], bytes]:
    """Return a function that changes the four octets of a correlation at an offset."""
    return lambda octets: (
        octets[:at] + bytes(one ^ 0x55 for one in octets[at : at + 4]) + (octets[at + 4 :])
    )


# RFC 6733 §5.5: a Device-Watchdog-Request, though without its AVPs; RFC 4666 §3.5.3: a BEAT.
_DWR = bytes.fromhex("01000014 80000118 00000000 00000001 00000001")
_CCA = bytes.fromhex("01000014 00000110 00000004 7fffffff 7fffffff")
_BEAT = bytes.fromhex("0100030300000008")
_ENQUIRE_LINK = bytes.fromhex("00000010 00000015 00000000 00000007")
_NOTICE = b"N\0\0\0\x10SNOTICE\0Mx\0\0"
_CER = bytes.fromhex(
    "01000064 80000101 00000000 00000001 00000001"
    "00000108 4000000d 73742e69 6e000000"  # Origin-Host st.in
    "00000128 4000000a 696e0000"  # Origin-Realm in
    "00000101 4000000e 00017f00 00010000"  # Host-IP-Address 127.0.0.1
    "0000010a 4000000c 00000000"  # Vendor-Id
    "0000010d 0000000a 73740000"  # Product-Name st
    "00000102 4000000c 00000004"  # Auth-Application-Id 4
)
_BIND = bytes.fromhex("00000019 00000009 00000000 00000001 737400 00 00 34 00 00 00")
_ASPUP = bytes.fromhex("0100030100000008")
# The first message of a stranger, which then acts as one of the peers.
GREETINGS = {"listening": _CER, "smpp": _BIND, "scp": _ASPUP}
_ANOTHER = (
    b'<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
    b"<QueryBalanceResponse><balance>0</balance></QueryBalanceResponse>"
    b"</soap:Body></soap:Envelope>"
)
PROTOCOLS = {
    "diameter": Octets(b"", _CCA, b"\x01\xff\xff\xff" + _CCA[4:], _DWR, _with(12)),
    "pi": Octets(
        b"CCSCD1=QRY:ACK:",
        b"x" * 1000,
        b"",
        b"CCSCD1=CHG:ACK:;",
        lambda octets: octets.replace(b"=QRY", b"=CHG"),
    ),
    "rest": Octets(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"3e8\r\n" + b"x" * 1000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ),
    "osd": Octets(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n<a><b>1<\r\n",
        b"3e8\r\n" + b"<b>" * 333 + b" \r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(_ANOTHER), _ANOTHER),
    ),
    "smpp": Octets(
        b"",
        bytes.fromhex("00000010 80000005 00000000 7ffffff0"),
        b"\x7f\xff\xff\xff" * 4,
        _ENQUIRE_LINK,
        _with(12),
    ),
    "m3ua": Octets(b"", _BEAT, bytes.fromhex("01000101ffffffff"), _BEAT),
    "db": Octets(b"", _NOTICE, b"D\x7f\xff\xff\xff" + bytes(100), _NOTICE),
}


class Hostile:
    """Changes answers in hostile ways; over() ends every behaviour that is still in progress."""

    def __init__(self, octets: Octets) -> None:
        self._octets = octets
        self._is_over = threading.Event()
        self._busy = 0
        self._lock = threading.Lock()

    def over(self) -> None:
        self._is_over.set()

    def become(self, behaviour: str) -> Become:
        """Return a behaviour by its name: a method of this class."""
        found: Become = getattr(self, behaviour)
        return found

    def nothing(self, gateway: socket.socket, octets: bytes) -> None:
        """Take the request and send nothing."""

    def trickle(self, gateway: socket.socket, octets: bytes) -> None:
        """Send one octet a second."""
        for octet in octets:
            gateway.sendall(bytes([octet]))
            if self._is_over.wait(1):
                return

    def endless(self, gateway: socket.socket, octets: bytes) -> None:
        """Send an answer without end."""
        gateway.sendall(self._octets.endless)
        self._send_on(gateway, self._octets.filler)

    def interim(self, gateway: socket.socket, octets: bytes) -> None:
        """Send interim responses of HTTP without end; they have no reason phrase."""
        self._send_on(gateway, b"HTTP/1.1 100 \r\n\r\n")

    def blanks(self, gateway: socket.socket, octets: bytes) -> None:
        """Send the answer, and then line ends without end."""
        gateway.sendall(octets)
        self._send_on(gateway, b"\r\n")

    def huge(self, gateway: socket.socket, octets: bytes) -> None:
        """Announce a length that no memory can hold."""
        gateway.sendall(self._octets.huge)

    def garbage(self, gateway: socket.socket, octets: bytes) -> None:
        """Send the right beginning of the answer, then garbage."""
        gateway.sendall(octets[: len(octets) // 2] + GARBAGE)

    def flood(self, gateway: socket.socket, octets: bytes) -> None:
        """Send a hundred thousand unsolicited messages, then the answer."""
        portion = self._octets.unsolicited * 1000
        for _ in range(FLOOD // 1000):
            gateway.sendall(portion)
        gateway.sendall(octets)

    def wrong(self, gateway: socket.socket, octets: bytes) -> None:
        """Send the answer to another request."""
        assert self._octets.wrong is not None
        gateway.sendall(self._octets.wrong(octets))

    def half_closed(self, gateway: socket.socket, octets: bytes) -> None:
        """Send half of the answer, and end that direction only."""
        gateway.sendall(octets[: len(octets) // 2])
        gateway.shutdown(socket.SHUT_WR)
        self._is_over.wait(10)

    def closed(self, gateway: socket.socket, octets: bytes) -> None:
        """Close the connection without an answer."""
        raise ConnectionResetError

    def _send_on(self, gateway: socket.socket, octets: bytes) -> None:
        portion, sent = octets * (65536 // len(octets) + 1), 0
        while not self._is_over.is_set() and sent < _MOST_OCTETS:
            gateway.sendall(portion)
            sent += len(portion)


def storm(port: int, octets: bytes, count: int) -> None:
    """Connect, send some octets and close, `count` times; every second time with a reset."""
    for number in range(count):
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), timeout=10) as sock,
        ):
            sock.sendall(octets[: number % (len(octets) + 1)])
            if number % 2:
                linger = (1).to_bytes(4, "little") + bytes(4)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def deaf(port: int, greeting: bytes, octets: bytes, seconds: float) -> bool:
    """Send requests and never read; return True if the other side has closed."""
    with socket.socket() as sock:
        # A small receive buffer: otherwise megabytes are answered before the other side notices.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _DEAF_OCTETS)
        sock.settimeout(10)
        sock.connect(("127.0.0.1", port))
        sock.sendall(greeting)
        sock.settimeout(1)
        portion = octets * (65536 // len(octets) + 1)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                sock.send(portion)
            except TimeoutError:
                continue
            except OSError:
                return True
    return False
