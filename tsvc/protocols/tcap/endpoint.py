"""A TCAP endpoint: all dialogues of one user, by transaction id, with their timers.

The outermost machine of TCAP. Input: whole messages with their called and calling addresses
(receive), the user's requests for new dialogues, and `now` in monotonic seconds; for everything
else the user calls the Dialogue. Output: indications, returned to the caller, and messages with
their addresses, queued until data_to_send() takes them.

It has no states of its own: it finds the dialogue of a message, or makes one for a BEGIN. A
message that belongs to no dialogue is answered or dropped by the rules of Q.774 §3.3.3.1.2, and
counted. A released transaction id is in quarantine for `quarantine_s` before its next use, so that
a late message does not reach a new dialogue.

Timers: all invocation timers of all dialogues are in one heap; next_timer() returns when
handle_timer() is due. Timers of ended invocations stay in the heap until they are due, or until
the heap has doubled since it was last swept.

What it does not do: segment messages, choose routes (`route` belongs to the transport), interpret
addresses or parameters, or watch how long a dialogue is silent.

Source: Q.774 §3.3 (06/97)
"""

import heapq
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap import frame as frames
from tsvc.protocols.tcap.components import Component, Malformed
from tsvc.protocols.tcap.dialogue import Dialogue, Indication, IndicationKind, Stray, Trail
from tsvc.protocols.tcap.ids import ALL_IDS, IdRange
from tsvc.protocols.tcap.messages import (
    Message,
    MessageType,
    PAbortCause,
    Unreadable,
    decode,
    encode,
)
from tsvc.protocols.tcap.replayed import ReplayedDialogue
from tsvc.protocols.tcap.states import DialogueState
from tsvc.values import dataclass


@dataclass(slots=True)
class Outgoing:
    """One message to send. `route` is the dialogue's hint for the transport below.

    `trail`: is informed about the message; usually None.
    """

    octets: bytes
    called: Address
    calling: Address
    route: Any = None
    dialogue: Dialogue | ReplayedDialogue | None = (
        None  # None: an answer that belongs to no dialogue
    )
    trail: Trail | None = None


@dataclass(slots=True)
class Counters:
    """Numbers of dialogues, and of messages that belong to no dialogue."""

    begun: int = 0
    accepted: int = 0
    dropped: int = 0
    aborted_unknown: int = 0
    unreadable: int = 0
    refused: int = 0


class Endpoint:
    """All dialogues by our transaction id, which is one of `ids`.

    `first_tid`: determines the first id; pass a random number.
    """

    def __init__(
        self,
        *,
        first_tid: int = 1,
        ids: IdRange = ALL_IDS,
        quarantine_s: float = 30.0,
        max_dialogues: int = 1_000_000,
        accepts_begin: bool = True,
    ) -> None:
        self.dialogues: dict[bytes, Dialogue | ReplayedDialogue] = {}
        self.counters = Counters()
        self._ids = ids
        self._next_tid = ids.nth(first_tid)
        self._quarantine_s = quarantine_s
        self._max_dialogues = max_dialogues
        self._accepts_begin = accepts_begin
        self._outgoing: list[Outgoing] = []
        self._timers: list[tuple[float, int, Dialogue, int]] = []
        self._timer_serial = 0
        self._sweep_at = 1024
        self._has_replayed = False  # True once there has been a replayed dialogue
        self._quarantine: deque[tuple[float, bytes]] = deque()
        self._quarantined: dict[bytes, Stray | None] = {}
        # release() does not know the time: the quarantine of these ids begins with the next `now`.
        self._released: list[bytes] = []

    # -- down -------------------------------------------------------------------------------

    def new_dialogue(self, now: float) -> Dialogue:
        """Return a dialogue with a free transaction id.

        Errors: LocalProtocolError when there is none, or the limit of dialogues is reached.
        """
        otid = self._new_tid(now)
        dialogue = Dialogue(self, otid)
        self.dialogues[otid] = dialogue
        return dialogue

    def _new_tid(self, now: float) -> bytes:
        self._end_quarantine(now)
        problem = self._shortage()
        if problem is not None:
            raise LocalProtocolError(problem)
        self.counters.begun += 1
        return self._free_tid()

    def admit(self, dialogue: ReplayedDialogue, now: float) -> None:
        """Give a replayed dialogue its transaction id. Errors: as new_dialogue()."""
        dialogue.otid = self._new_tid(now)
        self.dialogues[dialogue.otid] = dialogue
        self._has_replayed = True

    def dismiss(self, dialogue: ReplayedDialogue, on_stray: Stray) -> None:
        """Forget a replayed dialogue that is over; its id is in quarantine, and `on_stray` is
        called for messages that still come for it."""
        del self.dialogues[dialogue.otid]
        self._rest(dialogue.otid, on_stray)

    def adopt(self, dialogue: Dialogue) -> None:
        """Replace a replayed dialogue by an ordinary one and start its timers; it may be over."""
        self.dialogues[dialogue.otid] = dialogue
        if dialogue.state is DialogueState.CLOSED:
            self.release(dialogue)
        for invoke_id, invocation in dialogue.invocations.items():
            self.start_timer(dialogue, invoke_id, invocation.deadline)

    def unidirectional(
        self,
        components: list[bytes],
        called: Address,
        calling: Address,
        *,
        application_context: bytes | None = None,
        user_information: bytes = b"",
    ) -> None:
        """Send TC-UNI with encoded components.

        Errors: LocalProtocolError without components, or with user information alone.
        """
        if not components:
            raise LocalProtocolError("a unidirectional message needs a component")
        if user_information and application_context is None:
            raise LocalProtocolError("user information needs an application context")
        pdu = b""
        if application_context is not None:
            audt = portion.Aarq(application_context, user_information, is_unidirectional=True)
            pdu = portion.encode(audt)
        octets = encode(MessageType.UNIDIRECTIONAL, dialogue=pdu, components=components)
        self._outgoing.append(Outgoing(octets, called, calling))

    def data_to_send(self) -> list[Outgoing]:
        """Return the queued messages, one item each, and empty the queue."""
        outgoing = self._outgoing
        self._outgoing = []
        return outgoing

    @property
    def queued(self) -> list[Outgoing]:
        """The messages that data_to_send() would return; only for reading."""
        return self._outgoing

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Discard the messages that are sent in the block: they were sent before."""
        queued, self._outgoing = self._outgoing, []
        try:
            yield
        finally:
            self._outgoing = queued

    # -- up ---------------------------------------------------------------------------------

    def receive(
        self, octets: bytes, called: Address, calling: Address, now: float, route: object = None
    ) -> list[Indication]:
        """Process one message and return its indications; never raises, whatever it holds."""
        if self._has_replayed:
            frame = frames.read(octets)
            replayed = None if frame is None else self.dialogues.get(frame.dtid or b"")
            if isinstance(replayed, ReplayedDialogue):
                replayed.on_message(octets, called, calling, route, now, frame)
                return []
        try:
            message = decode(octets)
        except Unreadable as error:
            return self._answer_unreadable(error, octets, called, calling, now, route)
        if message.type is MessageType.BEGIN:
            indication = self._receive_begin(message, octets, called, calling, now, route)
        elif message.type is MessageType.UNIDIRECTIONAL:
            return self._receive_unidirectional(message, called, calling)
        else:
            indication = self._receive_known(message, octets, called, calling, now, route)
        return [] if indication is None else [indication]

    def _receive_unidirectional(
        self, message: Message, called: Address, calling: Address
    ) -> list[Indication]:
        """Process a unidirectional message; it is dropped if its dialogue portion is wrong."""
        pdu = message.dialogue
        is_audt = isinstance(pdu, portion.Aarq) and pdu.is_unidirectional and pdu.is_version_1
        if message.dialogue_problem or not (pdu is None or is_audt):
            self.counters.unreadable += 1
            return []
        dialogue = Dialogue(self, b"")
        dialogue.local_address = called
        dialogue.remote_address = calling
        readable: list[Component] = [
            one for one in message.components if not isinstance(one, Malformed)
        ]
        return [Indication(dialogue, IndicationKind.UNIDIRECTIONAL, readable, pdu)]

    def _receive_begin(
        self,
        message: Message,
        octets: bytes,
        called: Address,
        calling: Address,
        now: float,
        route: object,
    ) -> Indication | None:
        assert message.otid is not None
        self._end_quarantine(now)
        if not self._accepts_begin or self._shortage() is not None:
            self.counters.refused += 1
            self._send_p_abort(
                message.otid, PAbortCause.RESOURCE_LIMITATION, calling, called, route
            )
            return None
        refusal = _refusal_of_portion(message)
        if refusal is not None:
            self.counters.unreadable += 1
            pdu = portion.encode(refusal)
            answer = encode(MessageType.ABORT, dtid=message.otid, dialogue=pdu)
            self._outgoing.append(Outgoing(answer, calling, called, route))
            return None
        dialogue = self._accepted(route)
        indication = dialogue.receive_begin(message, called, calling)
        indication.octets = octets
        return indication

    def accept(self, now: float, route: object) -> Dialogue | None:
        """Return a dialogue for a BEGIN that is known to be valid, None if there is no room.

        The caller sets its addresses. Everything else is set if the dialogue gets the BEGIN later.
        """
        self._end_quarantine(now)
        if not self._accepts_begin or self._shortage() is not None:
            return None
        return self._accepted(route)

    def _accepted(self, route: object) -> Dialogue:
        dialogue = Dialogue(self, self._free_tid())
        dialogue.route = route
        self.dialogues[dialogue.otid] = dialogue
        self.counters.accepted += 1
        return dialogue

    def _receive_known(
        self,
        message: Message,
        octets: bytes,
        called: Address,
        calling: Address,
        now: float,
        route: object,
    ) -> Indication | None:
        assert message.dtid is not None
        dialogue = self.find(message.dtid)
        if isinstance(dialogue, ReplayedDialogue):
            dialogue.on_message(octets, called, calling, route, now)
            return None
        if dialogue is None:
            on_stray = self._quarantined.get(message.dtid.rjust(4, b"\0"))
            if on_stray is not None:
                on_stray(message.type.name)
            if message.type is MessageType.CONTINUE:
                assert message.otid is not None
                self.counters.aborted_unknown += 1
                self._send_p_abort(
                    message.otid, PAbortCause.UNRECOGNIZED_TRANSACTION_ID, calling, called, route
                )
            else:
                self.counters.dropped += 1
            return None
        if dialogue.tap:
            dialogue.tap(False, octets, called, calling, route)
        indication = dialogue.receive(message, calling)
        if indication is None:
            self.counters.dropped += 1
        return indication

    def find(self, dtid: bytes) -> Dialogue | ReplayedDialogue | None:
        """Return the dialogue of an id, after its wake(); some peers drop leading zeros."""
        dialogue = self.dialogues.get(dtid.rjust(4, b"\0"))
        if isinstance(dialogue, Dialogue) and dialogue.wake is not None:
            dialogue.wake()
        return dialogue

    def _answer_unreadable(
        self,
        error: Unreadable,
        octets: bytes,
        called: Address,
        calling: Address,
        now: float,
        route: object,
    ) -> list[Indication]:
        dialogue = None if error.dtid is None else self.find(error.dtid)
        if isinstance(dialogue, ReplayedDialogue):
            dialogue.on_message(octets, called, calling, route, now)
            return []
        self.counters.unreadable += 1
        if error.otid is not None:
            self._send_p_abort(error.otid, error.cause, calling, called, route)
        if dialogue is None:
            return []
        if dialogue.tap:
            dialogue.tap(False, octets, called, calling, route)
        message = Message(MessageType.ABORT, p_abort_cause=error.cause)
        indication = dialogue.receive(message, calling)
        if indication is None:
            return []
        indication.text = f"unreadable message: {error.text}"
        return [indication]

    def _send_p_abort(
        self, dtid: bytes, cause: int, called: Address, calling: Address, route: object
    ) -> None:
        octets = encode(MessageType.ABORT, dtid=dtid, p_abort_cause=cause)
        self._outgoing.append(Outgoing(octets, called, calling, route))

    # -- timers -----------------------------------------------------------------------------

    def next_timer(self) -> float | None:
        """Return when handle_timer() is due, None if no timer runs."""
        timers = self._timers
        while timers:
            deadline, _, dialogue, invoke_id = timers[0]
            invocation = dialogue.invocations.get(invoke_id)
            if invocation is not None and invocation.deadline == deadline:
                return deadline
            heapq.heappop(timers)
        return None

    def handle_timer(self, now: float) -> list[Indication]:
        """Handle the invocation timers that are due; return their indications."""
        found: list[Indication] = []
        while self._timers and self._timers[0][0] <= now:
            deadline, _, dialogue, invoke_id = heapq.heappop(self._timers)
            indication = dialogue.time_out(invoke_id, deadline)
            if indication is not None:
                found.append(indication)
        return found

    # -- for dialogues ----------------------------------------------------------------------

    def send(self, dialogue: Dialogue, octets: bytes) -> None:
        """Queue a message of a dialogue."""
        remote, local = dialogue.remote_address, dialogue.local_address
        trail = dialogue.tap(True, octets, remote, local, None) if dialogue.tap else None
        self._outgoing.append(Outgoing(octets, remote, local, dialogue.route, dialogue, trail))

    def start_timer(self, dialogue: Dialogue, invoke_id: int, deadline: float) -> None:
        """Start an invocation timer."""
        self._timer_serial += 1
        heapq.heappush(self._timers, (deadline, self._timer_serial, dialogue, invoke_id))
        # Timers of ended invocations are dropped when they may be half of all timers.
        if len(self._timers) > self._sweep_at:
            self._drop_stale_timers()

    def _drop_stale_timers(self) -> None:
        kept = []
        for timer in self._timers:
            invocation = timer[2].invocations.get(timer[3])
            if invocation is not None and invocation.deadline == timer[0]:
                kept.append(timer)
        heapq.heapify(kept)
        self._timers = kept
        self._sweep_at = 1024 + 2 * len(kept)

    def release(self, dialogue: Dialogue) -> None:
        """Forget a dialogue that is closed or never begun; its id goes into quarantine."""
        dialogue.state = DialogueState.CLOSED
        dialogue.invocations.clear()
        dialogue.tap = None  # breaks a reference cycle: the owner of the tap has the dialogue
        if self.dialogues.pop(dialogue.otid, None) is not None:
            self._rest(dialogue.otid, dialogue.on_stray)

    def _rest(self, otid: bytes, on_stray: Stray | None) -> None:
        if self._quarantine_s > 0:
            self._quarantined[otid] = on_stray
            self._released.append(otid)

    def redirect_strays(self, otid: bytes, on_stray: Stray) -> None:
        """Replace the on_stray of a dialogue that is over, while its id is in quarantine."""
        if otid in self._quarantined:
            self._quarantined[otid] = on_stray

    def _end_quarantine(self, now: float) -> None:
        resting = self._quarantine
        if self._released:
            until = now + self._quarantine_s
            resting.extend([(until, tid) for tid in self._released])
            self._released.clear()
        while resting and resting[0][0] <= now:
            self._quarantined.pop(resting.popleft()[1], None)

    def _shortage(self) -> str | None:
        """Return why no further dialogue is possible, None if one is."""
        if len(self.dialogues) >= self._max_dialogues:
            return f"limit of {self._max_dialogues} dialogues is reached"
        if len(self.dialogues) + len(self._quarantined) >= self._ids.count:
            return f"all {self._ids.count} transaction ids are in use or rest (quarantine_s)"
        return None

    def _free_tid(self) -> bytes:
        """Return the next id that is neither in use nor in quarantine; there must be one."""
        while True:
            tid = self._next_tid.to_bytes(4, "big")
            self._next_tid = self._ids.after(self._next_tid)
            if tid not in self.dialogues and tid not in self._quarantined:
                return tid


def _refusal_of_portion(message: Message) -> portion.DialoguePdu | None:
    """Return the PDU that refuses a BEGIN for its dialogue portion, None if that is valid."""
    pdu = message.dialogue
    if isinstance(pdu, portion.Aarq) and not (pdu.is_version_1 or pdu.is_unidirectional):
        return portion.Aare(
            pdu.application_context,
            portion.RESULT_REJECT_PERMANENT,
            portion.SOURCE_PROVIDER,
            portion.DIAGNOSTIC_NO_COMMON_VERSION,
        )
    is_request = pdu is None or (isinstance(pdu, portion.Aarq) and not pdu.is_unidirectional)
    if message.dialogue_problem or not is_request:
        return portion.Abrt(portion.ABORT_SOURCE_PROVIDER)
    return None
