"""One connection to a Diameter peer: the machine that a driver runs (RFC 6733, RFC 3539).

Input: octets of a stream (receive), the state of the transport (connected, disconnected), requests
and answers of the owner, and `now` in monotonic seconds. Output: indications, returned to the
caller, and whole messages, queued until data_to_send() takes them. Messages of the peer never
raise: a wrong message is answered with a Result-Code, or closes the connection.

The table TRANSITIONS has the states (closed, waiting for capabilities, open, suspect, closing) and
the next state for each event. CER, DWR and DPR and their answers are handled here. All other
messages are for the owner: requests as RequestInd, answers as AnswerInd with the token of their
request. An answer with another Hop-by-Hop id is found by its End-to-End id; the owner sees that
the ids differ. An answer without a waiting request is counted and indicated as StrayInd.

There is one deadline at a time: for the handshake, the next watchdog request, or the answer to
DPR. Any received octets postpone the watchdog (RFC 3539 §3.4.1); a DWR without an answer for
another interval closes the connection.

What it does not do: connect again, fail over or repeat requests to another peer, route, or use
timers for answers: the owner forgets requests. The first identifiers and the watchdog's jitter are
parameters.
"""

import struct
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.diameter.capabilities import (
    NO_COMMON_APPLICATION,
    RELAY,
    SUCCESS,
    Capabilities,
    Node,
    applications_text,
    encode_capabilities,
    encode_origin,
    read_capabilities,
    result_text,
)
from tsvc.protocols.diameter.dictionary import Dictionary, standard
from tsvc.protocols.diameter.message import (
    HEADER_OCTETS,
    MAX_MESSAGE_OCTETS,
    CommandFlag,
    Header,
    MessageStream,
    decode_header,
    echoed,
    encode_message,
    read_avps,
    session_id_of,
)
from tsvc.protocols.diameter.tree import decode_avps, encode_avps
from tsvc.values import dataclass

# States of a connection between two peers, as a table: RFC 6733 §5.6 without the election.
#
# Each connection is a machine of its own, and the side that opened it sends CER. So the states
# that choose between two simultaneous connections are not needed: both may exist. SUSPECT is the
# state of RFC 3539: a watchdog request was sent, and no octets have come since.


class State(Enum):
    """The state of a connection."""

    IDLE = "not connected"
    WAIT_CER = "waits for CER"
    WAIT_CEA = "waits for CEA"
    OPEN = "open"
    SUSPECT = "suspect"
    CLOSING = "closing"
    CLOSED = "closed"


class Event(Enum):
    """A message of the peer, or one of the two events of this side."""

    CER = "CER"
    CEA = "CEA"
    DWR = "DWR"
    DWA = "DWA"
    DPR = "DPR"
    DPA = "DPA"
    REQUEST = "a request"
    ANSWER = "an answer"
    TIMER = "the timer"
    DISCONNECT = "the order to disconnect"


class Action(Enum):
    """An action for an event, in addition to the change of state."""

    NOTHING = "nothing"
    ANSWER_CER = "answer CER; open if there is a common application, else close"
    TAKE_CEA = "open if it says success, else close"
    ANSWER_DWR = "answer DWR"
    ANSWER_DPR = "answer DPR; the peer closes"
    DELIVER = "pass it on"
    REFUSE_BUSY = "answer 3004: we are leaving"
    SEND_DWR = "ask whether the peer is alive"
    SEND_DPR = "tell the peer that we leave"
    CLOSE = "close the connection"


Step = tuple[State, Action]

_OPEN_STEPS: dict[Event, Step] = {
    # A second CER may update the capabilities of an open connection (RFC 6737 does so).
    Event.CER: (State.OPEN, Action.ANSWER_CER),
    Event.CEA: (State.OPEN, Action.NOTHING),
    Event.DWR: (State.OPEN, Action.ANSWER_DWR),
    Event.DWA: (State.OPEN, Action.NOTHING),
    Event.DPR: (State.CLOSING, Action.ANSWER_DPR),
    Event.DPA: (State.OPEN, Action.NOTHING),
    Event.REQUEST: (State.OPEN, Action.DELIVER),
    Event.ANSWER: (State.OPEN, Action.DELIVER),
    Event.TIMER: (State.SUSPECT, Action.SEND_DWR),
    Event.DISCONNECT: (State.CLOSING, Action.SEND_DPR),
}

_CLOSE: Step = (State.CLOSED, Action.CLOSE)

# An event that is missing here closes the connection: it can't occur if both ends keep the rules.
TRANSITIONS: dict[State, dict[Event, Step]] = {
    State.IDLE: {},
    State.WAIT_CER: {Event.CER: (State.OPEN, Action.ANSWER_CER)},
    State.WAIT_CEA: {Event.CEA: (State.OPEN, Action.TAKE_CEA)},
    State.OPEN: _OPEN_STEPS,
    State.SUSPECT: {**_OPEN_STEPS, Event.TIMER: _CLOSE},
    State.CLOSING: {
        Event.DWR: (State.CLOSING, Action.ANSWER_DWR),
        Event.DWA: (State.CLOSING, Action.NOTHING),
        Event.DPR: (State.CLOSING, Action.ANSWER_DPR),
        Event.DPA: _CLOSE,
        # Requests that were sent before are still answered.
        Event.ANSWER: (State.CLOSING, Action.DELIVER),
        Event.REQUEST: (State.CLOSING, Action.REFUSE_BUSY),
        Event.DISCONNECT: (State.CLOSING, Action.NOTHING),
    },
    State.CLOSED: {},
}


def step(state: State, event: Event) -> Step:
    """Return the next state and the action for an event."""
    return TRANSITIONS[state].get(event, _CLOSE)


CER, DWR, DPR = 257, 280, 282
_EVENTS = {
    (CER, True): Event.CER,
    (CER, False): Event.CEA,
    (DWR, True): Event.DWR,
    (DWR, False): Event.DWA,
    (DPR, True): Event.DPR,
    (DPR, False): Event.DPA,
}
TOO_BUSY, APPLICATION_UNSUPPORTED = 3004, 3007
INVALID_AVP_LENGTH = 5014
_IDS = 1 << 32
_IDS_AT = slice(12, 20)  # both identifiers in a message
_REQUEST = 0x80  # in the octet of flags
_BASE = frozenset(code.to_bytes(3, "big") for code in (CER, DWR, DPR))
_BOTH_IDS = struct.Struct(">II")

HANDSHAKE_S = 10.0
CLOSING_S = 2.0


@dataclass(frozen=True, slots=True)
class OpenInd:
    """The connection can be used."""

    peer: Capabilities


class AnswerInd(NamedTuple):
    """The answer to a request of ours: the token that it was sent with, and the octets."""

    token: Any
    octets: bytes


@dataclass(frozen=True, slots=True)
class StrayInd:
    """An answer that no request waits for: late, or not the first one."""

    header: Header
    octets: bytes


@dataclass(frozen=True, slots=True)
class RequestInd:
    """A request of the peer, of any command, which waits for answer()."""

    header: Header
    octets: bytes
    session_id: str | None


@dataclass(frozen=True, slots=True)
class LeaveInd:
    """The peer has sent DPR and got its answer; `cause`: its Disconnect-Cause in words."""

    cause: str


class Fault(Enum):
    """The reason why the protocol ended a connection, in the words of the log."""

    REFUSED = "refused by the peer"
    REFUSING = "peer refused"
    WATCHDOG = "watchdog failed"


@dataclass(frozen=True, slots=True)
class CloseInd:
    """The driver must close the connection after it has sent the queued messages."""

    reason: str
    fault: Fault | None = None


Indication = OpenInd | AnswerInd | StrayInd | RequestInd | LeaveInd | CloseInd


def _no_jitter() -> float:
    return 0.0


class Peer:
    """Our end of one connection.

    `sends_cer`: we opened the connection. `jitter`: seconds added to each watchdog interval;
    RFC 3539 requires -2…2. `pending`: tokens of unanswered requests by Hop-by-Hop id.
    """

    def __init__(
        self,
        node: Node,
        *,
        sends_cer: bool,
        dictionary: Dictionary | None = None,
        first_hop_by_hop_id: int = 1,
        first_end_to_end_id: int = 1,
        watchdog_s: float = 30.0,
        jitter: Callable[[], float] = _no_jitter,
        max_octets: int = MAX_MESSAGE_OCTETS,
    ) -> None:
        self.node = node
        self.state = State.IDLE
        self.remote = Capabilities()
        self.pending: dict[int, Any] = {}
        self.unmatched = 0  # answers that no request waits for
        self.sends_cer = sends_cer
        self._dictionary = dictionary or standard()
        self._hop_by_hop_id = first_hop_by_hop_id % _IDS
        self._end_to_end_id = first_end_to_end_id % _IDS
        # Both identifiers grow by one with each request, so their difference is constant.
        self._apart = self._end_to_end_id - self._hop_by_hop_id
        self._watchdog_s = watchdog_s
        self._jitter = jitter
        self._stream = MessageStream(max_octets)
        self._outgoing: list[bytes] = []
        # Identifiers of our last request of the base protocol, by command, as sent.
        self._asked: dict[int, bytes] = {}
        self._due: float | None = None
        self._heard_at = 0.0
        self._applications = node.application_ids
        self._origin = encode_origin(node, self._dictionary)

    @property
    def is_open(self) -> bool:
        """True if requests can be sent."""
        return self.state is State.OPEN or self.state is State.SUSPECT

    # -- what the driver calls ---------------------------------------------------------------

    def connected(self, now: float) -> list[Indication]:
        """Start, because the transport is up; the side that opened it sends CER."""
        self._heard_at = now
        self._due = now + HANDSHAKE_S
        if self.sends_cer:
            self.state = State.WAIT_CEA
            self._send_request(
                CER, self._origin + encode_capabilities(self.node, self._dictionary)
            )
        else:
            self.state = State.WAIT_CER
        return []

    def disconnected(self) -> None:
        """Stop, because the transport is gone; the machine can't be used again."""
        self.state = State.CLOSED
        self._due = None

    def receive(self, octets: bytes, now: float) -> list[Indication]:
        """Process octets of a stream, in pieces of any size."""
        if self.state is State.CLOSED:
            return []
        self._heard_at = now
        self._stream.feed(octets)
        found: list[Indication] = []
        try:
            while (message := self._stream.next_message()) is not None:
                found += self._on_message(message, now)
        except RemoteProtocolError as error:
            # The framing is lost from here on, so no answer is possible.
            found.append(self._close(f"the peer does not speak Diameter: {error}"))
        return found

    def data_to_send(self) -> list[bytes]:
        """Return the queued messages, and empty the queue."""
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def next_timer(self) -> float | None:
        """Return when handle_timer() is due, None if it is not."""
        return self._due

    def handle_timer(self, now: float) -> list[Indication]:
        """Handle the timer if it is due."""
        if self._due is None or now < self._due:
            return []
        if self.state is State.OPEN and now < self._heard_at + self._watchdog_s:
            self._due = self._heard_at + self._interval()
            if self._due > now:
                return []
        return self._on_event(Event.TIMER, None, b"", now)

    # -- what the owner calls ----------------------------------------------------------------

    def request(
        self, command_code: int, flags: int, application_id: int, avps: bytes, token: object
    ) -> tuple[int, bytes]:
        """Queue a request; its answer is indicated as AnswerInd with the token.

        Returns: the Hop-by-Hop id, for forget(), and the whole message.
        Errors:  LocalProtocolError for a message that is too long.
        """
        hop_by_hop_id = self._hop_by_hop_id
        header = Header(
            command_code,
            flags | CommandFlag.REQUEST,
            application_id,
            hop_by_hop_id,
            self._end_to_end_id,
        )
        octets = encode_message(header, avps)
        self._queue(octets, token)
        return hop_by_hop_id, octets

    def repeat(self, head: bytes, tail: bytes, token: object) -> tuple[int, bytes]:
        """Queue a request that is already encoded, except for the identifiers between two parts.

        Returns: the Hop-by-Hop id, for forget(), and the octets of both identifiers.
        """
        hop_by_hop_id = self._hop_by_hop_id
        ids = _BOTH_IDS.pack(hop_by_hop_id, self._end_to_end_id)
        self._queue(head + ids + tail, token)
        return hop_by_hop_id, ids

    def _queue(self, octets: bytes, token: object) -> None:
        self.pending[self._hop_by_hop_id] = token
        self._outgoing.append(octets)
        self._hop_by_hop_id = (self._hop_by_hop_id + 1) % _IDS
        self._end_to_end_id = (self._end_to_end_id + 1) % _IDS

    def forget(self, hop_by_hop_id: int) -> None:
        """Stop waiting for an answer; a late answer is counted as unmatched."""
        self.pending.pop(hop_by_hop_id, None)

    def answer(self, request: Header, avps: bytes, *, is_error: bool = False) -> bytes:
        """Queue the answer to a request; return the whole message.

        Errors: LocalProtocolError for a message that is too long.
        """
        flags = request.flags & CommandFlag.PROXIABLE
        if is_error:
            flags |= CommandFlag.ERROR
        header = Header(
            request.command_code,
            flags,
            request.application_id,
            request.hop_by_hop_id,
            request.end_to_end_id,
        )
        octets = encode_message(header, avps)
        self._outgoing.append(octets)
        return octets

    def refuse(self, header: Header, octets: bytes, result_code: int, text: str) -> bytes:
        """Queue an error answer to a request that nobody handles; return the whole message.

        It has the grammar of all answers with the E bit, whatever the result (RFC 6733 §7.1.5).
        The AVPs of the command's own grammar are not known here.
        """
        head, tail = echoed(octets)
        more = [
            {"name": "Result-Code", "value": result_code},
            {"name": "Error-Message", "value": text},
        ]
        result, message = (encode_avps([avp], self._dictionary, "answer") for avp in more)
        avps = head + result + self._origin + message + tail
        return self.answer(header, avps, is_error=True)

    def send_raw(self, octets: bytes) -> None:
        """Queue octets as they are, for callers that break the protocol on purpose."""
        self._outgoing.append(octets)

    def disconnect(self, now: float, cause: int = 0) -> list[Indication]:
        """Leave properly: DPR, then CloseInd when DPA comes or after CLOSING_S. `cause`: the
        Disconnect-Cause, 0 rebooting, 1 busy, 2 do not want to talk to you."""
        avp = {"name": "Disconnect-Cause", "value": cause}
        avps = self._origin + encode_avps([avp], self._dictionary, "DPR")
        return self._on_event(Event.DISCONNECT, None, avps, now)

    # -- what comes ---------------------------------------------------------------------------

    def _on_message(self, octets: bytes, now: float) -> list[Indication]:
        if self.state is State.OPEN and octets[4] < _REQUEST and octets[5:8] not in _BASE:
            # By far the most common case: the same result as _deliver(), without its checks.
            token = self.pending.pop(int.from_bytes(octets[12:16], "big"), None)
            if token is not None:
                return [AnswerInd(token, octets)]
        header = decode_header(octets)
        is_request = header.is_request
        event = _EVENTS.get((header.command_code, is_request))
        if event is None:
            event = Event.REQUEST if is_request else Event.ANSWER
        elif not is_request and octets[_IDS_AT] != self._asked.get(header.command_code):
            # It answers no request of ours: with it the watchdog would take a dead peer for alive.
            self.unmatched += 1
            if event is Event.CEA and self.state is State.WAIT_CEA:
                return [self._close("the CEA has not the identifiers of our CER")]
            return []
        return self._on_event(event, header, octets, now)

    def _on_event(
        self, event: Event, header: Header | None, octets: bytes, now: float
    ) -> list[Indication]:
        before = self.state
        if before is State.CLOSED:
            return []
        self.state, action = step(before, event)
        if before is State.SUSPECT and self.state is State.OPEN:
            self._due = now + self._interval()
        match action:
            case Action.DELIVER:
                assert header is not None
                return self._deliver(header, octets)
            case Action.CLOSE:
                is_dead = before is State.SUSPECT and event is Event.TIMER
                return [self._close(_reason(before, event), Fault.WATCHDOG if is_dead else None)]
            case Action.ANSWER_CER | Action.TAKE_CEA:
                assert header is not None
                return self._exchange(action, header, octets, now)
            case Action.SEND_DWR:
                self._send_request(DWR, self._origin)
                self._due = now + self._interval()
            case Action.SEND_DPR:
                self._send_request(DPR, octets)
                self._due = now + CLOSING_S
            case Action.ANSWER_DWR | Action.ANSWER_DPR:
                assert header is not None
                self.answer(header, self._result(SUCCESS) + self._origin)
                if action is Action.ANSWER_DPR:
                    self._due = now + CLOSING_S
                    return [LeaveInd(self._cause_of(octets))]
            case Action.REFUSE_BUSY:
                assert header is not None
                self._refuse(header, octets, TOO_BUSY, "this node is leaving")
            case Action.NOTHING:
                pass
        return []

    def _exchange(
        self, action: Action, header: Header, octets: bytes, now: float
    ) -> list[Indication]:
        """Read the capabilities of the peer; return OpenInd, or CloseInd with the reason."""
        try:
            remote = read_capabilities(octets, self._dictionary)
        except RemoteProtocolError as error:
            return [self._close(f"malformed capabilities: {error}")]
        self.remote = remote
        dictionary = self._dictionary
        if action is Action.ANSWER_CER:
            is_common = remote.shares_application(self.node)
            code = SUCCESS if is_common else NO_COMMON_APPLICATION
            own = encode_capabilities(self.node, dictionary)
            self.answer(header, self._result(code) + self._origin + own)
            if not is_common:
                problem = (
                    f"{remote.origin_host} has no application in common with us: "
                    f"{result_text(code, dictionary)}; "
                    f"its: {applications_text(remote.applications, dictionary)}; "
                    f"ours: {applications_text(self._applications, dictionary)}"
                )
                return [self._close(problem, Fault.REFUSING)]
        elif remote.result_code != SUCCESS:
            code_text = result_text(remote.result_code, dictionary)
            answer = " ".join(part for part in (code_text, remote.error_message) if part)
            who = remote.origin_host or "the peer"
            problem = f"{who} refuses the capabilities: {answer or 'no Result-Code'}"
            return [self._close(problem, Fault.REFUSED)]
        self._due = now + self._interval()
        return [OpenInd(remote)]

    def _deliver(self, header: Header, octets: bytes) -> list[Indication]:
        if not header.is_request:
            key = header.hop_by_hop_id
            if key not in self.pending:
                key = (header.end_to_end_id - self._apart) % _IDS
            if key in self.pending:
                return [AnswerInd(self.pending.pop(key), octets)]
            self.unmatched += 1
            return [StrayInd(header, octets)]
        if RELAY not in self._applications and header.application_id not in self._applications:
            text = f"application {header.application_id} is not supported"
            self._refuse(header, octets, APPLICATION_UNSUPPORTED, text)
            return []
        session_id = session_id_of(octets)
        if session_id is None:
            problems: list[str] = []
            read_avps(octets, HEADER_OCTETS, len(octets), problems)
            if problems:
                self._refuse(header, octets, INVALID_AVP_LENGTH, problems[0])
                return []
        return [RequestInd(header, octets, session_id)]

    # -- what goes ----------------------------------------------------------------------------

    def _send_request(self, command_code: int, avps: bytes) -> None:
        """Queue a request of the base protocol; its answer is an event of the table."""
        hop_by_hop_id, octets = self.request(command_code, 0, 0, avps, None)
        self._asked[command_code] = octets[_IDS_AT]
        self.forget(hop_by_hop_id)

    def _refuse(self, header: Header, octets: bytes, result_code: int, text: str) -> None:
        self.refuse(header, octets, result_code, text)

    def _result(self, result_code: int) -> bytes:
        avp = {"name": "Result-Code", "value": result_code}
        return encode_avps([avp], self._dictionary, "answer")

    def _interval(self) -> float:
        return self._watchdog_s + self._jitter()

    def _cause_of(self, octets: bytes) -> str:
        """Return the Disconnect-Cause of a DPR in words."""
        try:
            trees = decode_avps(octets, HEADER_OCTETS, len(octets), self._dictionary)
        except RemoteProtocolError as error:
            return f"a malformed DPR: {error}"
        for tree in trees:
            if tree["name"] == "Disconnect-Cause":
                return f"{tree.get('value')} {tree.get('value_name', '')}".rstrip()
        return "no Disconnect-Cause"

    def _close(self, reason: str, fault: Fault | None = None) -> CloseInd:
        self.state = State.CLOSED
        self._due = None
        return CloseInd(reason, fault)


def _reason(state: State, event: Event) -> str:
    if event is Event.TIMER:
        if state is State.SUSPECT:
            return "the watchdog's request (DWR) was not answered"
        if state is State.CLOSING:
            return "disconnected"
        return f"nothing came while the connection {state.value}"
    if state is State.CLOSING:
        return "disconnected"
    if event is Event.DISCONNECT:
        return "disconnected before the capabilities were exchanged"
    return f"{event.value} came while the connection {state.value}"
