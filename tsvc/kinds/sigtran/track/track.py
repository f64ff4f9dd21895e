"""A track of one dialogue, how it is learnt, and the calls that follow it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import field
from functools import partial
from typing import Any, NamedTuple

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.kinds.sigtran.track.play import Carrier, Past, Play, Receipt, SentMessage, receipt_of
from tsvc.operations.following import CANT_BE_MADE, Arguments, Patience, Turns
from tsvc.operations.sayings import Lookup, heard
from tsvc.operations.usual import Host, Played, Then, Waits
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.dialogue import counting_strays
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.messages import decode
from tsvc.protocols.tcap.passage import Passage
from tsvc.protocols.tcap.states import DialogueState
from tsvc.results.records import MessageRecord
from tsvc.ss7.lane import Lane
from tsvc.ss7.links import Link, snapshot_of
from tsvc.ss7.network import SigtranNetwork
from tsvc.ss7.scp_node import ScpNode
from tsvc.values import dataclass

_ID = b"\x49\x04"  # in front of our transaction id in what the peer sends


@dataclass(slots=True)
class Message:
    """A message that calls send: what stands around ids; those of ours and theirs in between."""

    has_otid: bool
    has_dtid: bool
    head: bytes
    mid: bytes  # between the ids, if both are there
    tail: bytes
    called: Address
    calling: Address
    # (offset in the tail, length, which argument of the call), from the last to the first.
    patches: list[tuple[int, int, int]] = field(default_factory=list)
    lane: Lane | None = None
    looked_at: int = -1  # epoch of the network in which a lane was looked for

    @classmethod
    def of(cls, sending: SentMessage) -> "Message":
        """Take one apart. Errors: ValueError."""
        octets, read = sending.octets, decode(sending.octets)
        at = _start(octets) + 2
        first = read.dtid if read.otid is None else read.otid
        if first is None or octets[at : at + len(first)] != first:
            raise ValueError("an id is not where ids are")
        after, mid = at + len(first), b""
        if read.otid is not None and read.dtid is not None:
            mid = octets[after : after + 2]
            after += 2 + len(read.dtid)
        made = cls(
            read.otid is not None,
            read.dtid is not None,
            octets[:at],
            mid,
            octets[after:],
            sending.called,
            sending.calling,
        )
        if made.fill(read.otid or b"", read.dtid or b"", ()) != octets:
            raise ValueError("it is not put together as it was taken apart")
        return made

    def fill(self, otid: bytes, rtid: bytes, values: Sequence[bytes]) -> bytes:
        """Return the message of a call."""
        tail = self.tail
        for at, length, which in self.patches:
            tail = tail[:at] + values[which] + tail[at + length :]
        if not self.has_otid:
            return self.head + rtid + tail
        if not self.has_dtid:
            return self.head + otid + tail
        return self.head + otid + self.mid + rtid + tail


@dataclass(slots=True)
class Expected:
    """A message that calls receive, as it was judged, and what follows from it.

    `head` ends where the peer's id begins, which is `id_octets` long; then ours, then `tail`.
    """

    size: int
    head: bytes
    id_octets: int  # 0: it has none
    tail: bytes
    called: Address
    calling: Address
    waits: Waits
    sends: list[Message] = field(default_factory=list)
    # (operation, whose wait, whether it was the wait for this message or is none)
    noted: list[tuple[int, str, bool]] = field(default_factory=list)
    next: "Expected | None" = None  # None: the call is over

    @classmethod
    def of(cls, receipt: Receipt, otid: bytes, waits: Waits) -> "Expected":
        """Take one apart. Errors: ValueError."""
        octets, read = receipt.octets, decode(receipt.octets)
        if not all(isinstance(one, Invoke) and one.linked_id is None for one in read.components):
            raise ValueError("what else than an invocation comes is judged by timers too")
        at = _start(octets)
        ours = _ID + otid
        if read.otid is not None:
            at += 2
        id_octets = len(read.otid or b"")
        after = at + id_octets
        if octets[at:after] != (read.otid or b"") or octets[after : after + 6] != ours:
            raise ValueError("an id is not where ids are")
        tail = octets[after + 6 :]
        return cls(
            len(octets), octets[:at], id_octets, tail, receipt.called, receipt.calling, waits
        )


def _start(octets: bytes) -> int:
    """Return where the contents of a message begin, whatever its form of length."""
    return 2 + (octets[1] & 0x7F if octets[1] & 0x80 else 0)


class Noted(NamedTuple):
    """A wait that an operation has noted: in which receipt, counted from 1."""

    receipt: int
    position: int
    name: str


class CallTrack:
    """What all calls of a run have in common; a usual.Track."""

    def __init__(
        self,
        host: Host,
        gateway: SigtranGateway,
        scp: ScpNode | None,
        arguments: Arguments,
        lookups: Collection[Lookup] = (),
    ) -> None:
        """`arguments`: those that the instances of this track have. `lookups`: what expressions
        read of what came."""
        self.is_known = False
        self.host = host
        self.gateway = gateway
        self.node = gateway.node
        self.has_links = not gateway.is_loopback
        self.keeps = host.keeps_messages and self.has_links
        self.opening: Message | None = None
        self.expected: list[Expected] = []
        self.positions: list[int] = []
        self.on_stray = counting_strays(host.note_late)
        self._scp = scp
        self._arguments = arguments
        self._lookups = lookups
        self._patience = Patience(host.clock)
        self.turns = Turns(host.clock, self._go_on, self._push)
        self._links: list[Link] = []  # that have something to send

    # -- learning ------------------------------------------------------------------------------

    def learn(self, instance: Played) -> None:
        """Make a track of what an instance did that has passed, if others can follow it."""
        messages = [one for one in instance.messages or () if isinstance(one, MessageRecord)]
        if len(instance.dialogues) != 1 or any(one.may_hear for one in instance.dialogues):
            return
        dialogue: Any = instance.dialogues[0]
        started_at = instance.started_at
        receipts = [receipt_of(one, started_at) for one in messages if not one.is_sent]
        wall = self.host.wall_at(started_at)
        past = Past(dialogue.tcap.otid, started_at, wall, receipts, None, (), None)
        play = Play(self.gateway, past, self.host.clock)
        noted: list[Noted] = []
        play.note_latency = lambda position, name, _: noted.append(Noted(play.fed, position, name))
        played = self.host.replay(play, instance.idx, instance.planned_at)
        sent = [one.octets for one in messages if one.is_sent]
        if (
            played is None
            or not receipts
            or play.fed != len(receipts)
            or [one.octets for one in play.sendings] != sent
            or play.classes - {2}
            or [one.after for one in play.sendings].count(0) != 1
        ):
            return
        try:
            self._take(play, noted)
            self._arguments.heard = heard(play.heard, self._lookups)
            values = self._arguments.learn(instance.idx, started_at, dialogue.variant)
            for which, value in enumerate(values):
                self._place(which, value, self.messages, self._arguments.holes[which])
        except CANT_BE_MADE:
            return
        self.is_known = True

    def _take(self, play: Play, noted: list[Noted]) -> None:
        """Take the messages of a play apart. Errors: ValueError."""
        self.opening = Message.of(play.sendings[0])
        otid = play.past.otid
        self.expected = [
            Expected.of(receipt, otid, self._patience.of(seconds))
            for receipt, seconds in zip(play.past.receipts, play.waits, strict=True)
        ]
        for one, following in zip(self.expected, self.expected[1:], strict=False):
            one.next = following
        for sending in play.sendings[1:]:
            self.expected[sending.after - 1].sends.append(Message.of(sending))
        seen: set[int] = set()
        for receipt, position, name in noted:
            is_first = receipt not in seen
            seen.add(receipt)
            self.expected[receipt - 1].noted.append((position, name, is_first))
        if seen != set(range(1, len(self.expected) + 1)):
            raise ValueError("a message that no operation has waited for")
        self.positions = [one.noted[0][0] for one in self.expected]

    def _place(
        self, which: int, value: bytes, messages: Sequence[Message], hole: tuple[int, int]
    ) -> None:
        """Find an argument in what was sent. Errors: ValueError if it is not there once."""
        places = [
            (message, at)
            for message in messages
            for at in range(len(message.tail))
            if message.tail.startswith(value, at)
        ]
        if len(places) != 1:
            raise ValueError("nobody knows where an argument is")
        message, at = places[0]
        first, octets = hole
        message.patches.append((at + first, octets, which))
        message.patches.sort(reverse=True)

    @property
    def messages(self) -> list[Message]:
        """All that calls send, in its order."""
        assert self.opening is not None
        return [self.opening, *(one for each in self.expected for one in each.sends)]

    # -- following -----------------------------------------------------------------------------

    def begin(self, idx: int, planned_at: float) -> "Call | None":
        """Return a call with its dialogue; None if it can't be like the others."""
        call = Call(self, idx, planned_at, self.host.clock.now())
        try:
            call.values = self._arguments.of(idx, call.started_at)
            self.gateway.admit(call, self._scp)
        except (*CANT_BE_MADE, GatewayError):
            return None  # the ordinary instance says why
        return call

    def run(self, call: "Call") -> None:
        """Send the first message of a call."""
        assert self.opening is not None
        call.expects = first = self.expected[0]
        first.waits.add(call, call.started_at)
        self._send(call, self.opening)

    def _push(self) -> None:
        links, self._links = self._links, []
        for link in links:
            link.push()

    def _go_on(self, call: "Call", now: float) -> None:
        before, following = self.expected[len(call.receipts) - 1], call.expects
        for message in before.sends[:-1]:
            if not self._send(call, message):
                return
        if following is not None:  # before the last of them: over a loopback the answer is here
            call.is_due = False
            following.waits.add(call, now)
        if before.sends and not self._send(call, before.sends[-1]):
            return
        if following is None:
            self._finish(call)

    def _send(self, call: "Call", message: Message) -> bool:
        """Send a message of a call; False: it has left."""
        octets = message.fill(call.otid, call.rtid, call.values)
        call.sent += 1
        try:
            self._transmit(call, message, octets)
        except (GatewayError, LocalProtocolError):
            call.sent -= 1  # the ordinary instance is to try it, and to say why not
            call.leave()
        return call.thens is None

    def _transmit(self, call: "Call", message: Message, octets: bytes) -> None:
        """Send octets, by the lane of the message if there is one. Errors: as of transmit()."""
        network = self.node.network
        trail = call if self.keeps else None
        lane = message.lane
        if lane is not None and lane.is_good and call.route in (None, lane.link):
            link = call.route = lane.link
            lane.send(octets, call.otid[-1], trail)
            if link not in self._links:
                self._links.append(link)
                self.turns.come()
            return
        assert network is not None
        outgoing = Outgoing(octets, message.called, message.calling, call.route, call, trail)
        if isinstance(network, SigtranNetwork) and message.looked_at != network.epoch:
            message.looked_at = network.epoch
            message.lane = network.lane(outgoing)
        network.transmit(outgoing)

    def _finish(self, call: "Call") -> None:
        """The last message has come, or gone."""
        call.finished_at = call.receipts[-1][0]
        self.gateway.endpoint.dismiss(call, self.on_stray)
        before, note = call.started_at, self.host.note_latency
        for one, (at, *_) in zip(self.expected, call.receipts, strict=True):
            for position, name, is_wait in one.noted:
                note(call.idx, position, name, at - before if is_wait else 0.0)
            before = at
        self.host.finished(call)

    def leave(self, call: "Call", thens: list[Then]) -> None:
        """Have the ordinary instance made of a call."""
        if call.expects is not None:
            call.expects.waits.until.pop(call, None)
        self.host.deviate(call, Play(self.gateway, self.past_of(call), self.host.clock, thens))

    def past_of(self, call: "Call") -> Past:
        """Return what was of a call until now."""
        receipts = [
            Receipt(at, octets, one.called, one.calling, route, came)
            for one, (at, octets, route, came) in zip(self.expected, call.receipts, strict=False)
        ]
        assert self.opening is not None
        after = [(0, self.opening)]
        after += [(at, m) for at, one in enumerate(self.expected, 1) for m in one.sends]
        sent = [
            (at, message.fill(call.otid, call.rtid, call.values))
            for at, message in after[: call.sent]
        ]
        wall = self.host.wall_at(call.started_at)
        return Past(
            call.otid, call.started_at, wall, receipts, sent, call.carriers or (), call.route
        )

    def end(self) -> None:
        """The run is over."""
        self._patience.end()
        self.turns.end()


class Call(Passage):
    """One call on a track; a usual.Passage, and the trail of its messages."""

    __slots__ = (
        "_track",
        "carriers",
        "expects",
        "finished_at",
        "idx",
        "is_due",
        "planned_at",
        "receipts",
        "rtid",
        "sent",
        "started_at",
        "thens",
        "values",
    )

    def __init__(self, track: CallTrack, idx: int, planned_at: float, now: float) -> None:
        super().__init__()
        self._track = track
        self.idx = idx
        self.planned_at = planned_at
        self.started_at = now
        self.finished_at = 0.0
        self.rtid = b""
        self.values: Sequence[bytes] = ()
        self.expects: Expected | None = None
        self.sent = 0
        self.is_due = False  # to do what follows from what has come
        # (when, octets, by which route, what that had received for it)
        self.receipts: list[tuple[float, bytes, Any, Any]] = []
        self.carriers: list[Carrier] | None = None
        self.thens: list[Then] | None = None  # it has left: what is to be done then

    # -- among dialogues -----------------------------------------------------------------------

    @property
    def state(self) -> DialogueState:
        """As a dialogue's: it is open."""
        return DialogueState.ACTIVE if self.rtid else DialogueState.INIT_SENT

    @property
    def remote_address(self) -> Any:
        """As a dialogue's."""
        opening = self._track.opening
        first = self._track.expected[0]
        return first.calling if self.rtid or opening is None else opening.called

    def on_message(
        self, octets: bytes, called: Address, calling: Address, route: Any, now: float
    ) -> None:
        """Go on if it is the one that was judged, octet by octet; else leave."""
        expects = self.expects
        if (
            expects is None
            or self.is_due
            or self.thens is not None
            or not self._is_it(expects, octets)
            or not (called is expects.called or called == expects.called)
            or not (calling is expects.calling or calling == expects.calling)
        ):
            self.leave(
                partial(self._track.node.deliver, octets, called, calling, snapshot_of(route, now))
            )
            return
        del expects.waits.until[self]
        self.receipts.append((now, octets, route, route.came if self._track.has_links else None))
        following = self.expects = expects.next
        if following is not None and not expects.sends:
            following.waits.add(self, now)
        else:
            self.is_due = True
            self._track.turns.due(self)

    def _is_it(self, expects: Expected, octets: bytes) -> bool:
        head, after = expects.head, len(expects.head) + expects.id_octets
        if (
            len(octets) != expects.size
            or not octets.startswith(head)
            or octets[after : after + 6] != _ID + self.otid
            or not octets.endswith(expects.tail)
        ):
            return False
        if expects.id_octets:
            peer = octets[len(head) : after]
            if not self.rtid:
                self.rtid = peer
            return self.rtid == peer
        return True

    def leave(self, then: Callable[[], object] | None = None) -> None:
        """Have the ordinary instance made, which goes on from here."""
        is_first = self.thens is None
        if self.thens is None:
            self.thens = []
        if then is not None:
            self.thens.append(then)
        if is_first:
            self._track.leave(self, self.thens)

    # -- for the engine ------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """Index of the operation that waits."""
        return self._track.positions[min(len(self.receipts), len(self._track.positions) - 1)]

    def past(self) -> Play:
        """Return what was, of one that is over."""
        track = self._track
        return Play(track.gateway, track.past_of(self), track.host.clock)

    def forget(self) -> None:
        """Let its dialogue go."""
        self._track.gateway.endpoint.dismiss(self, self._track.on_stray)

    def carriers_spoke(self) -> bool:
        """Whether a link has kept messages of its own since the call began."""
        routes = [route for _, _, route, _ in self.receipts] if self._track.has_links else []
        return any(route.log and route.log[-1].t >= self.started_at for route in routes)

    # -- for links: a tcap.dialogue.Trail --------------------------------------------------------

    def carried(self, by: Link, octets: bytes) -> None:
        """A link has queued this for the message that is being sent."""
        if self.carriers is None:
            self.carriers = []
        self.carriers.append(Carrier(self.sent - 1, by, octets))

    def lost(self) -> None:
        """It could not be sent: send() sees that itself."""
