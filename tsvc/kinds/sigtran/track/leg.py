"""A dialogue as a leg of instances that meet several: see operations/together.py.

It is a track of one dialogue (track.py) that goes on only where it has its turn. Its steps are the
messages of both ways, in the order in which they were played.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.kinds.sigtran.track.play import Past, Play, Receipt, receipt_of
from tsvc.kinds.sigtran.track.track import Call, CallTrack, Expected, Message, Noted
from tsvc.operations import together
from tsvc.operations.context import Session
from tsvc.operations.following import Arguments
from tsvc.operations.sayings import ArgumentMaker
from tsvc.operations.usual import Host, Played, Then
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.messages import Unreadable, decode
from tsvc.results.records import MessageRecord
from tsvc.ss7.links import snapshot_of
from tsvc.ss7.scp_node import ScpNode


class Dialogues:
    """The dialogues of a run's instances: a together.Source."""

    kind = "sigtran"

    def __init__(self, host: Host, gateway: SigtranGateway, scp: ScpNode | None) -> None:
        self._host = host
        self._gateway = gateway
        self._scp = scp
        self._dialogues: list[Any] = []
        self._sent: list[bytes] = []
        self._legs: list[CallLeg] = []

    def owns(self, session: Session[Any]) -> bool:
        """Whether a session of an instance is a dialogue."""
        return hasattr(session, "tcap")

    def plays(self, instance: Played, whole: together.JointPlay) -> None:
        """Add what an instance did in its dialogues. Errors: ValueError."""
        self._dialogues = [one for one in instance.dialogues if self.owns(one)]
        if any(one.may_hear for one in self._dialogues):
            raise ValueError("a dialogue that is open at the end")
        messages = [one for one in instance.messages or () if isinstance(one, MessageRecord)]
        self._sent = [one.octets for one in messages if one.is_sent]
        started_at = instance.started_at
        wall = self._host.wall_at(started_at)
        came: dict[bytes, list[Receipt]] = {one.tcap.otid: [] for one in self._dialogues}
        for one in messages:
            if not one.is_sent:
                came[_named(one.octets)].append(receipt_of(one, started_at))
        for otid, receipts in came.items():
            past = Past(otid, started_at, wall, receipts, None, (), None)
            whole.add(Play(self._gateway, past, self._host.clock, None, whole))

    def legs(self, parts: Sequence[Play], whole: together.JointPlay) -> list["CallLeg"]:
        """Return a leg for each dialogue. Errors: ValueError."""
        by_number = {part.number: iter(part.sendings) for part in parts}
        order = [code // 2 for code in whole.log if not code % 2 and code // 2 in by_number]
        if [next(by_number[number]).octets for number in order] != self._sent:
            raise ValueError("it has sent something else")
        self._legs = []
        for part, dialogue in zip(parts, self._dialogues, strict=True):
            leg = CallLeg(self._host, self._gateway, self._scp, part.number)
            leg.learn_from(part, whole.noted[part.number], dialogue.variant)
            self._legs.append(leg)
        return self._legs

    def leg_of(self, position: int) -> "CallLeg":
        """Return the leg of an operation: which sends its message, or has it sent with the next.

        Errors: ValueError.
        """
        at_once = [leg for leg in self._legs if position in leg.sent_by]
        found = at_once or [leg for leg in self._legs if leg.sent_by[-1] > position]
        if len(found) != 1:
            raise ValueError("nobody knows whose message it is in")
        return found[0]


def _named(octets: bytes) -> bytes:
    try:
        return (decode(octets).dtid or b"").rjust(4, b"\0")
    except Unreadable as error:
        raise ValueError("nobody knows to whom it came") from error


class CallLeg(CallTrack):
    """What all instances of a run have in one dialogue; a together.Leg."""

    lingers = False
    has_free_lengths = False
    counts_sends = True

    def __init__(
        self, host: Host, gateway: SigtranGateway, scp: ScpNode | None, number: int
    ) -> None:
        super().__init__(host, gateway, scp, Arguments(host, ()))
        self.number = number
        self.own: together.Own | None = None
        self.steps: list[Message | Expected] = []
        self.sent_before: list[int] = []  # messages of ours before each of theirs
        self.sent_by: list[int] = []  # operations that have sent ours, in their order
        self._variant = ""

    # -- learning ------------------------------------------------------------------------------

    def learn_from(self, play: Play, noted: together.Noted, variant: str) -> None:
        """Take a dialogue apart that was played. Errors: ValueError."""
        afters = [one.after for one in play.sendings]
        if (
            not play.came
            or play.fed != play.came
            or play.classes - {2}
            or play.answers_itself
            or afters.count(0) != 1
        ):
            raise ValueError("not a dialogue that others can follow")
        self._take(play, [Noted(fed, position, name) for position, name, fed in noted])
        self.sent_by = [one.position for one in play.sendings]
        self._variant = variant
        sent = 1
        self.steps = [*self.messages[:1]]
        for one in self.expected:
            self.steps += [one, *one.sends]
            self.sent_before.append(sent)
            sent += len(one.sends)

    @property
    def steps_count(self) -> int:
        """How many messages go and come."""
        return len(self.steps)

    def bound(self, position: int, maker: ArgumentMaker) -> ArgumentMaker:
        """Return what makes an argument, in the variant of the dialogue."""
        variant, make = self._variant, maker.make
        return ArgumentMaker(lambda env, _: make(env, variant), maker.variable)

    def place(self, position: int, which: int, value: bytes, hole: tuple[int, int]) -> None:
        """Find an argument in the message that its operation sends. Errors: ValueError."""
        pairs = [*zip(self.sent_by, self.messages, strict=True)]
        messages = [message for by, message in pairs if by == position]
        messages = messages or [message for by, message in pairs if by > position]
        self._place(which, value, messages, hole)

    def finish(self) -> None:
        """There is nothing left to do."""

    # -- following -----------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Whether an instance can begin."""
        return True

    def join(self, whole: together.JointPassage) -> "CallPart":
        """Return what an instance has of the dialogue, which begins when it has its turn."""
        return CallPart(self, whole)

    def go(self, part: "CallPart", until: int, now: float) -> bool:
        """Send, and take what has come, up to a step. False: something has to come, or it left."""
        if not part.otid:
            try:
                self.gateway.admit(part, self._scp)
            except (GatewayError, LocalProtocolError):
                part.leave()  # the ordinary instance says why
                return False
        while part.step < until:
            step = self.steps[part.step]
            if isinstance(step, Expected):
                if part.taken == len(part.receipts):
                    part.waits_since = now
                    part.expects = step
                    step.waits.add(part, now)
                    return False
                part.taken += 1
            else:
                assert part.whole is not None
                part.whole.order.append(2 * self.number)
                if not self._send(part, step):
                    return False
            part.step += 1
        if part.step == len(self.steps):
            self.close(part)
        return True

    def close(self, part: "CallPart") -> None:
        """Let the id rest: the dialogue is over. What comes for it is nothing that others had."""
        if not part.is_closed:
            part.is_closed = True
            self.gateway.endpoint.dismiss(part, part.hear_stray)

    def _go_on(self, call: Call, now: float) -> None:
        """What the call has waited for has come."""
        assert isinstance(call, CallPart)
        if call.whole is not None:
            call.whole.go_on(now)

    def pause(self, part: "CallPart") -> None:
        """Wait for nothing; what has not begun has no id."""
        if part.expects is not None:
            part.expects.waits.until.pop(part, None)
        if part.otid and not part.sent:
            self.forget(part)
            part.otid = b""

    def play(self, part: "CallPart", whole: together.JointPlay) -> Play:
        """Return what was, as a part of a play."""
        made = Play(self.gateway, self.past_of(part), self.host.clock, None, whole)
        made.is_closed = part.is_closed
        if not whole.is_over:
            part.play = made
        return made

    def counts(self, part: "CallPart") -> tuple[int, int]:
        """Return how many messages have gone, and how many have come."""
        return part.sent, len(part.receipts)

    def position(self, part: "CallPart") -> int:
        """Index of the operation that waits."""
        return self.positions[min(part.taken, len(self.positions) - 1)]

    def over(self, part: "CallPart") -> None:
        """Let the id rest, and count the waits."""
        self.forget(part)
        for one, seconds in zip(self.expected, part.waited, strict=True):
            for position, name, is_wait in one.noted:
                waited = seconds if is_wait else 0.0
                self.host.note_latency(part.idx, position, name, waited)

    def forget(self, part: "CallPart") -> None:
        """Let the id rest, if there is one, and count what still comes."""
        if part.is_closed:
            self.gateway.endpoint.redirect_strays(part.otid, self.on_stray)
        elif part.otid:
            self.gateway.endpoint.dismiss(part, self.on_stray)


class CallPart(Call):
    """One dialogue of an instance; a together.Part.

    `taken`: how many of the messages that came were awaited; others are held. `waited`: seconds,
    for each that came.
    """

    __slots__ = ("is_closed", "play", "step", "taken", "waited", "waits_since", "whole")

    _track: CallLeg

    def __init__(self, leg: CallLeg, whole: together.JointPassage) -> None:
        super().__init__(leg, whole.idx, whole.planned_at, whole.started_at)
        self.whole: together.JointPassage | None = whole
        self.values = whole.values
        self.play: Play | None = None  # what was made of it, which is told of strays
        self.is_closed = False
        self.step = 0
        self.taken = 0
        self.waited: list[float] = []
        self.waits_since = 0.0

    def on_message(
        self, octets: bytes, called: Address, calling: Address, route: Any, now: float
    ) -> None:
        """Hold it if it is the next that was judged, and all has gone that goes before it."""
        track, at = self._track, len(self.receipts)
        expects = track.expected[at] if at < len(track.expected) else None
        if (
            expects is None
            or self.whole is None
            or self.thens is not None
            or self.sent != track.sent_before[at]
            or not self._is_it(expects, octets)
            or not (called is expects.called or called == expects.called)
            or not (calling is expects.calling or calling == expects.calling)
        ):
            came = snapshot_of(route, now)
            self.leave(partial(track.node.deliver, octets, called, calling, came))
            return
        self.receipts.append((now, octets, route, route.came if track.has_links else None))
        self.whole.order.append(2 * track.number + 1)
        if self.expects is expects:
            self.expects = None
            del expects.waits.until[self]
            self.waited.append(now - self.waits_since)
            track.turns.due(self)
        else:
            self.waited.append(0.0)
        if expects is track.steps[-1]:
            track.close(self)

    def leave(self, then: Then | None = None) -> None:
        """Have the ordinary instance made, which goes on from here."""
        if self.whole is not None:
            self.whole.leave(then)

    def hear_stray(self, type_: str) -> None:
        """Leave: nothing has come after the end of the dialogue before."""
        self.leave(partial(self._tell_stray, type_))

    def _tell_stray(self, type_: str) -> None:
        dialogue = None if self.play is None else self.play.dialogue
        if dialogue is not None and dialogue.on_stray is not None:
            dialogue.on_stray(type_)
