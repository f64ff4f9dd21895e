"""An SCP that repeats, octet by octet, the messages of a peer from a recorded dialogue.

Only the values of a transaction are replaced: transaction ids, and in answers the invoke ids of
the tester. It keeps the tester's messages, to be compared with the recording.
"""

from collections.abc import Sequence

from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.dialogue_portion import DialoguePdu, decode
from tsvc.protocols.tcap.endpoint import Outgoing

BEGIN, END, CONTINUE, ABORT = 0x62, 0x64, 0x65, 0x67
OTID, DTID, PORTION, COMPONENTS = 0x48, 0x49, 0x6B, 0x6C
INVOKE, ANSWERS = 0xA1, (0xA2, 0xA3, 0xA7)
SCP, TESTER = Address(1, 146), Address(1, 146)

Said = tuple[bool, bytes]  # True if the tester sent it, the whole TCAP message
Tlv = tuple[int, bytes]


class Replay:
    """Replays the other side of dialogues: the n-th BEGIN belongs to the n-th dialogue."""

    def __init__(self, *dialogues: Sequence[Said]) -> None:
        self._waiting = [list(said) for said in dialogues]
        self._running: dict[bytes, _Running] = {}
        self._queue: list[Outgoing] = []
        self.heard: list[bytes] = []
        self.counters: dict[str, int] = {}

    @property
    def is_over(self) -> bool:
        """True if all dialogues have begun."""
        return not self._waiting

    def receive(self, octets, called, calling, now, route=None):
        self.heard.append(octets)
        tag, members = parsed(octets)
        if tag == BEGIN:
            if not self._waiting:
                return
            server_id = (0x60000000 + len(self._running)).to_bytes(4)
            own = _Running(self._waiting.pop(0), server_id, dict(members)[OTID], route)
            self._running[server_id] = own
        else:
            own = self._running.get(dict(members)[DTID])
        if own is not None:
            self._queue += own.answers(octets)

    def begin(self, route):
        """Begin the next dialogue, which the peer began in the recording."""
        server_id = (0x60000000 + len(self._running)).to_bytes(4)
        own = self._running[server_id] = _Running(self._waiting.pop(0), server_id, b"", route)
        self._queue += own.said_next()

    def data_to_send(self):
        found, self._queue = self._queue, []
        return found

    def next_timer(self):
        return None

    def handle_timer(self, now):
        pass

    def abort_all(self, now):
        pass

    def give_back(self, octets, now):
        self.heard.append(octets)

    def replace_flows(self, flows):
        """Do nothing: the embedded SCP has this method, but a recording has no flows."""


class _Running:
    def __init__(self, said, server_id, client_id, route):
        self._said, self._server_id, self._client_id = said, server_id, client_id
        self._route = route
        self._invoke_ids: dict[bytes, bytes] = {}  # recorded invoke id -> invoke id of the tester

    def answers(self, octets):
        """Handle a message of the tester; return the recorded messages that follow it."""
        members = dict(parsed(octets)[1])
        self._client_id = members.get(OTID, self._client_id)
        if self._said and self._said[0][0]:
            _, recorded = self._said.pop(0)
            pairs = zip(invoke_ids(recorded), invoke_ids(octets), strict=False)
            self._invoke_ids.update(pairs)
        return self.said_next()

    def said_next(self):
        found = []
        while self._said and not self._said[0][0]:
            octets = self._patched(self._said.pop(0)[1])
            found.append(Outgoing(octets, TESTER, SCP, self._route))
        return found

    def _patched(self, octets):
        tag, members = parsed(octets)
        body = b""
        for name, value in members:
            if name == OTID:
                value = self._server_id
            elif name == DTID:
                value = self._client_id
            elif name == COMPONENTS:
                value = b"".join(self._answer(*one) for one in walk(value))
            body += tlv(name, value)
        return tlv(tag, body)

    def _answer(self, tag, value):
        if tag not in ANSWERS:
            return tlv(tag, value)
        own = self._invoke_ids.get(value[2:3], value[2:3])
        return tlv(tag, value[:2] + own + value[3:])


def walk(octets: bytes) -> list[Tlv]:
    """Return (tag, contents) of consecutive TLVs: tags of one octet, definite lengths."""
    found, at = [], 0
    while at < len(octets):
        tag, length, start = octets[at], octets[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            length, start = int.from_bytes(octets[start : start + size]), start + size
        found.append((tag, octets[start : start + length]))
        at = start + length
    return found


def tlv(tag: int, value: bytes) -> bytes:
    size = len(value)
    if size < 0x80:
        return bytes((tag, size)) + value
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes((tag, 0x80 | len(length))) + length + value


def parsed(octets: bytes) -> tuple[int, list[Tlv]]:
    """Return the tag of a message and its members."""
    ((tag, body),) = walk(octets)
    return tag, walk(body)


def components(octets: bytes) -> list[Tlv]:
    """Return the tag and the contents of each component."""
    return walk(dict(parsed(octets)[1]).get(COMPONENTS, b""))


def invoke_ids(octets: bytes) -> list[bytes]:
    """Return the invoke ids of the invocations in a message."""
    return [value[2:3] for tag, value in components(octets) if tag == INVOKE]


def essence(octets: bytes) -> tuple[int, DialoguePdu | None, list[Tlv]]:
    """Return the contents of a message: kind, dialogue portion, components without invoke ids."""
    tag, members = parsed(octets)
    said = [(kind, value[3:]) for kind, value in components(octets)]
    portion = dict(members).get(PORTION)
    return tag, None if portion is None else decode(portion), said


def parameters(octets: bytes) -> list[tuple[int, int]]:
    """Return the start and stop of the parameters of a message's components."""
    found = []
    for _, value in components(octets):
        inner = walk(value[3:])
        if inner and inner[0][0] == 0x80:  # linked id
            inner = inner[1:]
        if inner and inner[0][0] == 0x30 and len(inner) == 1:  # of a result
            inner = walk(inner[0][1])
        for tag, contents in inner[1:]:
            whole = tlv(tag, contents)
            start = octets.index(whole)
            found.append((start, start + len(whole)))
    return found
