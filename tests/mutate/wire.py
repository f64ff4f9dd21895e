"""Mutants of the messages of peers other than TCAP: a proxy changes one message to the tester.

A mutant is the number of the message in a run, the change, and its place. The message before and
after is kept, and judged later by a foreign decoder: judges.py.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import gevent
from gevent import socket
from gevent.event import Event
from gevent.server import StreamServer

Split = Callable[[bytes], tuple[list[bytes], bytes]]
Spans = Callable[[bytes], list[tuple[int, int]]]
Pair = tuple[bytes, list[bytes]]
"""A message, and the messages that replaced it."""

WAIT_S = 1.0  # the tester's, for a message; unchanged messages come within milliseconds
_STALL_S = 0.4  # of this process at most, while a message is delayed until it is too late
_DELAYS_S = {"message delay": 0.02, "message late": WAIT_S + 0.1 + _STALL_S}
_BITS = tuple(f"bit {at}" for at in range(8))
_AT_OCTETS = (*_BITS, "cut", "remove", "insert", "repeat")
_AT_MEMBERS = ("member drop", "member double", "member swap", "member last")
_WHOLE = (
    "message drop",
    "message double",
    "message delay",
    "message late",
    "message of before",
    "message of next",
)


@dataclass(frozen=True)
class Protocol:
    """The proxy's knowledge of a protocol.

    `split`: octets into whole messages and the rest; `is_played`: whether a message belongs to the
    run; `members`: their positions, in order; `refit`: corrects a message's own length, if it has
    one; `stretch`: adds to the length of the member here, which contains others.
    """

    name: str
    split: Split
    is_played: Callable[[bytes], bool]
    members: Spans
    refit: Callable[[bytes], bytes] | None = None
    stretch: Callable[[bytes, int, int], bytes] | None = None
    is_peer_client: bool = False
    """True if the peer connects to the tester; otherwise the tester connects."""
    variant_of: str = ""
    """The kind of its gateway, if it differs from the name."""

    @property
    def kind(self) -> str:
        return self.variant_of or self.name


@dataclass(frozen=True)
class Change:
    """A change of the message with this number, at an octet (the last: -1) or member."""

    protocol: Protocol
    message: int
    operator: str
    place: int = 0

    @property
    def name(self) -> str:
        return f"{self.protocol.name}/message{self.message}/{self.place}/{self.operator}"

    def apply(self, octets: bytes, before: Sequence[bytes]) -> list[bytes]:
        """Return the messages that replace a message; `before`: the messages of an earlier run."""
        kind, _, what = self.operator.partition(" ")
        if kind == "message":
            return {
                "drop": [],
                "double": [octets] * 2,
                "of before": [before[self.message]],
                "of next": [before[(self.message + 1) % len(before)]],
            }.get(what, [octets])
        if kind == "member":
            made = self._of_members(octets, what)
        else:
            made = _of_octets(octets, self.place, kind, what)
        refit = self.protocol.refit
        return [refit(made) if refit and (what == "fitted" or kind == "member") else made]

    def _of_members(self, octets: bytes, what: str) -> bytes:
        spans, stretch = self.protocol.members(octets), self.protocol.stretch
        if self.place >= len(spans):
            return octets
        made = _of_members(octets, spans, self.place, what)
        for start, stop in spans[: self.place] if stretch else ():
            if stop >= spans[self.place][1]:
                assert stretch is not None
                made = stretch(made, start, len(made) - len(octets))
        return made


def _of_octets(octets: bytes, at: int, kind: str, what: str) -> bytes:
    head, tail = octets[:at], octets[at:]
    if not tail:  # this message is shorter than that of the earlier run
        return octets
    return {
        "bit": head + bytes([tail[0] ^ 1 << int(what)]) + tail[1:] if kind == "bit" else b"",
        "cut": head,
        "remove": head + tail[1:],
        "insert": head + b"\xa5" + tail,
        "repeat": head + tail[:1] + tail,
    }[kind]


def _of_members(octets: bytes, spans: list[tuple[int, int]], at: int, what: str) -> bytes:
    start, stop = spans[at]
    one = octets[start:stop]
    if what == "drop":
        return octets[:start] + octets[stop:]
    if what == "double":
        return octets[:stop] + one + octets[stop:]
    # The neighbour has the same parent if it begins where this member ends.
    after = start
    for other_start, other_stop in spans[at + 1 :]:
        if other_start == max(stop, after) and (after == start or what == "last"):
            after = other_stop
    if after == start:
        return octets
    return octets[:start] + octets[stop:after] + one + octets[after:]


def changes(protocol: Protocol, messages: Sequence[bytes]) -> Iterator[Change]:
    """Yield the possible changes of the messages that a run receives."""
    for number, octets in enumerate(messages):
        for place in (*range(len(octets) - 1), -1):  # lengths may differ from run to run
            for operator in _AT_OCTETS:
                yield Change(protocol, number, operator, place)
                if protocol.refit is not None and not operator.startswith("bit"):
                    yield Change(protocol, number, f"{operator} fitted", place)
        for place in range(len(protocol.members(octets))):
            for operator in _AT_MEMBERS:
                yield Change(protocol, number, operator, place)
        for operator in _WHOLE:
            yield Change(protocol, number, operator)


@dataclass(repr=False)
class Lane:
    """A proxy between one gateway of the tester and its peer, for one run at a time."""

    protocol: Protocol
    target: tuple[str, int]
    change: Change | None = None
    seen: list[bytes] = field(default_factory=list)
    pair: Pair | None = None
    has_stalled: bool = False
    """True if this process stood still while a message was to be too late: the tester, which is in
    this process, waits longer then."""
    accepted: int = 0
    used: int = 0
    """The number of the changed message's connection; numbers begin with 1."""
    greeted: int = 0
    """The last connection over which the accepting side has sent octets."""
    _before: list[bytes] = field(default_factory=list)
    _open: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._server = StreamServer(("127.0.0.1", 0), self._serve)
        self._server.start()

    @property
    def port(self) -> int:
        return int(self._server.server_port)

    def arm(self, change: Change | None) -> None:
        """Begin a run, with this change or without a change."""
        if len(self.seen) >= len(self._before):
            self._before = self.seen
        self.seen, self.pair, self.change, self.has_stalled = [], None, change, False

    def cut(self) -> None:
        """Close the connection of the change, so that nothing in it reaches the next run."""
        for sock in self._open.pop(self.used, ()):
            sock.close()

    def stop(self) -> None:
        """Close all connections."""
        self._server.stop(timeout=0)
        for ends in list(self._open.values()):
            for sock in ends:
                sock.close()

    def _serve(self, sock: Any, _: Any) -> None:
        self.accepted = number = self.accepted + 1
        over = Event()
        try:
            peer = socket.create_connection(self.target)
        except OSError:
            return
        self._open[number] = sock, peer
        of_peer, of_tester = (sock, peer) if self.protocol.is_peer_client else (peer, sock)
        tasks = [
            gevent.spawn(self._pass_on, of_tester, of_peer, over, number),
            gevent.spawn(self._change, of_peer, of_tester, over, number),
        ]
        over.wait()
        gevent.killall(tasks)
        self._open.pop(number, None)
        for one in (sock, peer):
            one.close()

    def _pass_on(self, source: Any, sink: Any, over: Event, number: int) -> None:
        try:
            while octets := source.recv(65536):
                sink.sendall(octets)
                if self.protocol.is_peer_client:
                    self.greeted = number
        except OSError:
            pass
        finally:
            over.set()

    def _change(self, source: Any, sink: Any, over: Event, number: int) -> None:
        rest = b""
        try:
            while octets := source.recv(65536):
                messages, rest = self.protocol.split(rest + octets)
                made = b"".join(one for each in messages for one in self._changed(each, number))
                if made:
                    sink.sendall(made)
                if not self.protocol.is_peer_client:
                    self.greeted = number
        except OSError:
            pass
        finally:
            over.set()

    def _changed(self, octets: bytes, connection: int) -> list[bytes]:
        if not self.protocol.is_played(octets):
            return [octets]
        number = len(self.seen)
        self.seen.append(octets)
        if self.change is None or number != self.change.message or self.pair is not None:
            return [octets]
        made = self.change.apply(octets, self._before)
        self.pair, self.used = (octets, made), connection
        delay_s, began = _DELAYS_S.get(self.change.operator, 0), monotonic()
        gevent.sleep(delay_s)
        if delay_s > WAIT_S and monotonic() - began > delay_s + _STALL_S:
            self.has_stalled = True
        return made
