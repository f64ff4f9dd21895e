"""The fast path of a call: the same octets in the same state of a flow give the same octets out.

Most calls of a load receive the same messages as calls before them. The effect of a message is
learned from an ordinary call: the messages sent, the deadlines started, the end of the call. A
`Step` stores the effect, by the state of the call (`place`) and the octets of the message without
its ids. The next call in this state that gets these octets takes the step: a look-up instead of
decoding, deciding and encoding.

Only the ordinary call (`scp/call.py`, `scp/ussd.py`) defines the behaviour. An event without a
known step makes a call fall back ("wake"): other octets, a deadline, an abort, a notice, the end
of the service, a new configuration. The ordinary call is then made from the received messages, at
the times at which they came. Its messages and counts of that past are held back, because they were
sent and counted already. Then it goes on live, and is learned too. An ordinary call is a function
of its messages and their times. A step that depends on more is not learned: a random number, the
wall clock, a new correlation id. Neither is one that counted an error or sent a message of another
layout.

The caller's number may differ from call to call while the flow has not read it (`Hole`). Once a
call reads it, its beginning is stored by the whole number from then on.

A deadline is stored with the message that started it, because it may outlast several messages. A
call falls back at its first deadline, even if that would only end an operation's timer silently.

A beginning after which more calls fall back than end on the fast path is left to ordinary calls.
If nearly all beginnings are new, one in sixteen is learned.
Steps are a Memo, so memo.off() ends all of this. Pure: blocks nothing.
"""

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple, Protocol

from tsvc import memo
from tsvc.flow.flow import PathStep
from tsvc.memo import Memo
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.dialogue import Dialogue
from tsvc.protocols.tcap.endpoint import Endpoint, Outgoing
from tsvc.protocols.tcap.states import DialogueState
from tsvc.scp.line import Assists
from tsvc.scp.statistics import Ending, Statistics
from tsvc.scp.templates import Apart, Hole, Template, template_of
from tsvc.scp.timers import NEVER, Timers
from tsvc.values import dataclass

_ROOT = 0  # the state of a call that has not begun
_MOST = 4096  # steps
_LONGEST = 600  # octets of a message
_LONGEST_PATH = 100  # operations of a flow
_EARLY_S = 1e-6  # a sum of floats may be a little late
_MOST_MISSED = 256  # new beginnings; after that most of them are not learned
_SAMPLE = 16
# Calls that may fall back, beyond those that ended, before their beginning is rejected. This many
# may be in progress when the first calls of a load with varying data fall back and none has ended.
_FIRST = 1000
_MOST_HOLES = (
    4  # of one length of octets: an odd and an even number of digits may take equally many
)

_places = count(1)


class Ordinary(Protocol):
    """An ordinary call or USSD session, as far as its steps are learned."""

    ending: Ending | None
    run: Any  # FlowRun
    seen: "Seen | None"

    @property
    def is_over(self) -> bool:
        """True if nothing of it is left."""

    def deadlines(self) -> tuple[float, ...]:
        """Return its deadlines: the same object as long as one is unchanged, infinity for none."""


class Worth:
    """Results of calls with one beginning. `reads_caller`: their flow reads the number."""

    __slots__ = ("ended", "is_holed", "reads_caller", "woken")

    def __init__(self, *, is_holed: bool) -> None:
        self.is_holed = is_holed
        self.reads_caller = False
        self.ended = 0
        self.woken = 0

    @property
    def is_good(self) -> bool:
        """True if calls with this beginning should use the fast path."""
        return self.woken <= self.ended + _FIRST and not self.reads_caller


class End(NamedTuple):
    """The end of a call."""

    ending: Ending
    path: tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """The effect of one message in one state; `end` None: the call goes on in state `place`.

    deadlines: pairs (number of the call's message, seconds after it).
    """

    place: int
    worth: Worth
    flow: str
    sends: tuple[Template, ...]
    deadlines: tuple[tuple[int, float], ...]
    end: End | None


class Seen:
    """The state of an ordinary call that can still be learned.

    times: of its messages. `_begun`: each of its deadlines, and the message that started it.
    """

    __slots__ = ("_begun", "place", "times", "worth")

    def __init__(self, place: int, worth: Worth) -> None:
        self.place = place
        self.worth = worth
        self.times: list[float] = []
        self._begun: dict[object, tuple[float, int]] = {}

    def note(
        self, call: Ordinary, dialogue: Dialogue, now: float
    ) -> tuple[tuple[int, float], ...]:
        """Record the deadlines after a message. Return them for a Step."""
        self.times.append(now)
        latest, before = len(self.times) - 1, self._begun
        deadlines: dict[object, float] = dict(enumerate(call.deadlines()))
        deadlines |= {("i", key): one.deadline for key, one in dialogue.invocations.items()}
        self._begun = {}
        first: dict[int, float] = {}
        for name, deadline in deadlines.items():
            if deadline != NEVER:
                known = before.get(name)
                # The same object: it was not set again.
                number = known[1] if known and known[0] is deadline else latest
                self._begun[name] = deadline, number
                left = deadline - self.times[number] - _EARLY_S
                first[number] = min(left, first.get(number, NEVER))
        return tuple(first.items())

    @property
    def until(self) -> float:
        """The first deadline."""
        return min((deadline for deadline, _ in self._begun.values()), default=NEVER)


class UsualCall:
    """A call on the fast path. `taken`: its messages with their times, needed to fall back."""

    __slots__ = (
        "_wake",
        "dialogue",
        "flow",
        "is_over",
        "place",
        "scheduled_at",
        "ssp_tid",
        "taken",
        "until",
        "worth",
    )

    def __init__(
        self, dialogue: Dialogue, ssp_tid: bytes, step: Step, wake: "Callable[[UsualCall], None]"
    ) -> None:
        self.dialogue = dialogue
        self.ssp_tid = ssp_tid
        self.flow = step.flow
        self.worth = step.worth
        self.place = _ROOT
        self.until = NEVER
        self.scheduled_at = NEVER
        self.is_over = False
        self.taken: list[tuple[bytes, float]] = []
        self._wake = wake

    def next_deadline(self) -> float:
        """Return when it must fall back."""
        return self.until

    def wake(self) -> None:
        """Replace it by its ordinary call, which goes on from here."""
        self._wake(self)

    def handle_timer(self, now: float) -> None:
        """Fall back: only the ordinary call handles deadlines."""
        self._wake(self)


class _Before(NamedTuple):
    """The data that is recorded before an ordinary call gets a message."""

    key: tuple[object, ...]
    seen: Seen
    marks: tuple[int, ...]


class Usual:
    """The steps of one service control point, and the calls that take them.

    wake:   makes the ordinary call of a UsualCall.
    begun:  called for each call that begins on the fast path; over: for each that ends on it.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        timers: Timers,
        statistics: Statistics,
        wake: Callable[[UsualCall], None],
        begun: Callable[[UsualCall], None],
        over: Callable[[UsualCall, End], None],
        assists: Assists[Any],
    ) -> None:
        self.draws = 0  # raised by everything that makes a step unlearnable
        self.caller_reads = 0  # how often flows have read the caller's number
        self._endpoint = endpoint
        self._timers = timers
        self._statistics = statistics
        self._wake = wake
        self._begun = begun
        self._over = over
        self._assists = assists
        self._missed = self._met = 0  # beginnings
        # Keys: a place and the octets of a message without ids; for a BEGIN without the caller's
        # number, the hole and the octets without the number.
        self._steps: Memo[tuple[object, ...], Step] = Memo(
            "what messages lead to in calls of the SCP", _MOST, longest=_LONGEST
        )
        # By the length of the octets.
        self._holes: Memo[int, tuple[Hole, ...]] = Memo(
            "where the caller's number stands", _LONGEST
        )

    def forget(self) -> None:
        """Remove all steps: flows or settings have changed."""
        self._steps.clear()
        self._holes.clear()

    # -- replaying --------------------------------------------------------------------------

    def take(
        self,
        message: Apart,
        octets: bytes,
        called: Address,
        calling: Address,
        now: float,
        route: object,
    ) -> bool:
        """Handle a message on the fast path. Return False if it needs an ordinary call."""
        if message.dtid is None:
            return self._begin(message, octets, called, calling, now, route)
        dialogue = self._endpoint.dialogues.get(message.dtid)
        call = None if dialogue is None else dialogue.user
        if type(call) is not UsualCall or now >= call.until:
            return False
        if message.otid is not None and message.otid != call.ssp_tid:
            return False
        step = self._steps.get((call.place, message.rest))
        if step is None:
            return False
        self._follow(call, step, octets, now)
        return True

    def _begin(
        self,
        message: Apart,
        octets: bytes,
        called: Address,
        calling: Address,
        now: float,
        route: object,
    ) -> bool:
        step = self._beginning(message.rest)
        if step is None:
            return False
        dialogue = self._endpoint.accept(now, route)
        if dialogue is None:
            return False
        dialogue.local_address, dialogue.remote_address = called, calling
        assert message.otid is not None
        call = UsualCall(dialogue, message.otid, step, self._wake)
        dialogue.user, dialogue.wake = call, call.wake
        self._met += 1
        self._begun(call)
        self._follow(call, step, octets, now)
        return True

    def _beginning(self, rest: bytes) -> Step | None:
        for key in (*self._holed(rest), (_ROOT, rest)):
            step = self._steps.get(key)
            if step is not None and step.worth.is_good:
                return step
        return None

    def _holed(self, rest: bytes) -> list[tuple[object, ...]]:
        """Return the keys of a BEGIN without its caller's number, by the possible holes."""
        found: list[tuple[object, ...]] = []
        for hole in self._holes.get(len(rest)) or ():
            left = hole.without(rest)
            if left is not None:
                found.append((hole, left))
        return found

    def _follow(self, call: UsualCall, step: Step, octets: bytes, now: float) -> None:
        dialogue, taken = call.dialogue, call.taken
        taken.append((octets, now))
        for template in step.sends:
            self._endpoint.send(dialogue, template.fill(dialogue.otid, call.ssp_tid))
        if step.end is None:
            call.place = step.place
            call.until = NEVER
            for number, seconds in step.deadlines:
                call.until = min(call.until, taken[number][1] + seconds)
            self._timers.schedule(call)
            return
        call.is_over = True
        call.worth.ended += 1
        dialogue.user = dialogue.wake = None
        self._endpoint.release(dialogue)
        self._over(call, step.end)

    # -- learning ---------------------------------------------------------------------------

    def look(self, message: Apart, now: float) -> _Before | None:
        """Return the data needed to learn from a message; None if nothing can be learned."""
        if memo.is_off():
            return None
        if message.dtid is None:
            return self._look_at_begin(message)
        dialogue = self._endpoint.find(message.dtid)
        seen = getattr(None if dialogue is None else dialogue.user, "seen", None)
        is_usual = dialogue is not None and message.otid in (None, dialogue.remote_tid)
        if seen is None or not is_usual or now >= seen.until or not seen.worth.is_good:
            return None
        return _Before((seen.place, message.rest), seen, self._marks())

    def _look_at_begin(self, message: Apart) -> _Before | None:
        key: tuple[object, ...] = (_ROOT, message.rest)
        for known in map(self._steps.get, (key, *self._holed(message.rest))):
            if known is not None and not known.worth.is_good and not known.worth.reads_caller:
                return None
        self._missed += 1
        if self._missed > self._met + _MOST_MISSED and self._missed % _SAMPLE:
            return None
        return _Before(key, Seen(_ROOT, Worth(is_holed=False)), self._marks())

    def _marks(self) -> tuple[int, ...]:
        """Return the counters that must not change if a step is to be learned."""
        counters = self._endpoint.counters
        lost = counters.dropped + counters.aborted_unknown + counters.unreadable + counters.refused
        return (
            self.draws + self._assists.serial,
            self._statistics.noted,
            lost,
            self.caller_reads,
        )

    def learn(
        self,
        before: _Before,
        dialogue: Dialogue,
        call: Ordinary,
        sent: list[Outgoing],
        now: float,
        hole: Hole | None,
    ) -> None:
        """Learn the effect of one message. `hole`: place of the caller's number in a BEGIN."""
        marks, seen, key = self._marks(), before.seen, before.key
        has_read = marks[3] != before.marks[3]
        if has_read and seen.worth.is_holed:
            seen.worth.reads_caller = True
            return
        if marks[:3] != before.marks[:3]:
            return
        sends = [self._template(one, dialogue, call) for one in sent]
        is_closed = dialogue.state is DialogueState.CLOSED
        path = call.run.path
        if None in sends or is_closed is not call.is_over or len(path) > _LONGEST_PATH:
            return
        if key[0] == _ROOT and hole is not None and not has_read:
            seen, key = self._through(hole, seen, key)
        end = End(call.ending, tuple(path)) if call.is_over and call.ending else None
        deadlines = seen.note(call, dialogue, now)
        known = self._steps.get(key)
        if known is None:
            templates = tuple(one for one in sends if one is not None)
            flow = call.run.flow.name
            known = Step(next(_places), seen.worth, flow, templates, deadlines, end)
            self._steps.put(key, known)
        seen.place, seen.worth = known.place, known.worth
        call.seen = None if call.is_over else seen

    def _through(
        self, hole: Hole, seen: Seen, key: tuple[object, ...]
    ) -> tuple[Seen, tuple[object, ...]]:
        """Return the Seen and the key of a beginning in which the caller's number may differ."""
        rest = key[1]
        assert isinstance(rest, bytes)
        holes = self._holes.get(len(rest)) or ()
        if hole not in holes:
            if len(holes) == _MOST_HOLES:
                return seen, key
            self._holes.put(len(rest), (*holes, hole))
        left = hole.without(rest)
        holed = hole, left
        known = self._steps.get(holed)
        if left is None or (known is not None and not known.worth.is_good):
            return seen, key
        return Seen(_ROOT, Worth(is_holed=True)), holed

    @staticmethod
    def _template(one: Outgoing, dialogue: Dialogue, call: Ordinary) -> Template | None:
        dtid = dialogue.remote_tid
        if one.dialogue is not dialogue or dtid is None or len(dtid) != 4:
            return None
        return template_of(one.octets, dialogue.otid, dtid)
