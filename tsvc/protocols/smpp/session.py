"""One SMPP session on the side of the SMSC: the machine that a driver runs (SMPP 3.4).

Input: octets of a stream (receive), the state of the transport (connected, disconnected), requests
and responses of the user, and `now` in monotonic seconds. Output: indications, returned to the
caller, and whole PDUs, queued until data_to_send() takes them. PDUs of the peer never raise: a
wrong PDU is answered with a command_status or generic_nack. Lost framing closes the session.

The states are open, bound (as transmitter, receiver or both), unbinding and closed. The table
`REACTIONS` has the reaction to each request of the ESME in each state. Binds, enquire_link and
unbind are answered here; a message becomes a MessageInd that the user answers. Each direction has
a window of requests without a response: beyond it the ESME is throttled, and the user is refused.

Timers: session_init_s until a bind, response_timeout_s for each request of ours, enquire_link_s of
silence before we send enquire_link. An enquire_link or unbind that is not answered closes the
session; any other request fails alone (FailedInd).

What it does not do: accept or refuse a bind (`authenticate` does), read short messages, store or
repeat them, or join the sessions of one ESME.
"""

from collections.abc import Callable, Mapping
from enum import Enum

from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.commands import (
    GENERIC_NACK,
    LAYOUTS,
    RESPONSE,
    SC_INTERFACE_VERSION,
    Command,
    Status,
    Tlv,
    command_name,
    is_response,
)
from tsvc.protocols.smpp.pdus import (
    HEADER_OCTETS,
    MAX_SEQUENCE_NUMBER,
    Header,
    Pdu,
    PduStream,
    Reading,
    Refused,
    Value,
    decode_header,
    encode,
    read,
)
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class BoundInd:
    """The ESME is bound."""

    system_id: str


@dataclass(frozen=True, slots=True)
class MessageInd:
    """A submit_sm or data_sm that waits for its response; `octets`: of the PDU.

    `notes`: about malformed parts; `refusal`: the command_status for them, 0 if it can be read.
    """

    pdu: Pdu
    octets: bytes
    notes: tuple[str, ...] = ()
    refusal: int = 0


@dataclass(frozen=True, slots=True)
class AnswerInd:
    """The response to a request of ours, or generic_nack; `notes`: about malformed parts."""

    sequence_number: int
    pdu: Pdu
    octets: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenInd:
    """The `take` of a request has taken its response, whose octets it expected."""

    sequence_number: int


@dataclass(frozen=True, slots=True)
class StrayInd:
    """A PDU out of place: a response without a request, a request whose number is in use."""

    pdu: Pdu


@dataclass(frozen=True, slots=True)
class FailedInd:
    """A request of ours gets no usable response, for the given reason."""

    sequence_number: int
    reason: str


@dataclass(frozen=True, slots=True)
class CloseInd:
    """The connection must be closed once all queued PDUs have been sent."""

    reason: str


Indication = BoundInd | MessageInd | AnswerInd | TakenInd | StrayInd | FailedInd | CloseInd


# States of a session on the side of the SMSC, and the reaction to each request, as a table.
#
# Source: SMPP 3.4 sections 2.2 and 2.3


class State(Enum):
    """The state of a session."""

    OPEN = "open"
    BOUND_TX = "bound as transmitter"
    BOUND_RX = "bound as receiver"
    BOUND_TRX = "bound as transceiver"
    UNBINDING = "unbinding"  # we asked to unbind and wait for the response
    CLOSED = "closed"


class Reaction(Enum):
    """The reaction to a received request."""

    BIND = "authenticate, answer, and be bound if that succeeded"
    ALREADY_BOUND = "refuse: ESME_RALYBND"
    TAKE = "give it to the user, who answers"
    LINK = "answer"
    UNBIND = "answer, then close"
    DECLINE = "refuse: a tester stores no messages"
    WRONG_STATE = "refuse: ESME_RINVBNDSTS"


BINDS: dict[int, State] = {
    Command.BIND_TRANSMITTER: State.BOUND_TX,
    Command.BIND_RECEIVER: State.BOUND_RX,
    Command.BIND_TRANSCEIVER: State.BOUND_TRX,
}
BOUND = frozenset(BINDS.values())
# States in which the SMSC may send deliver_sm and data_sm.
RECEIVERS = frozenset({State.BOUND_RX, State.BOUND_TRX})
TRANSMITTERS = frozenset({State.BOUND_TX, State.BOUND_TRX})

_ON_STORED = (Command.QUERY_SM, Command.CANCEL_SM, Command.REPLACE_SM)

# (state, command of a received request) -> reaction; a missing pair is WRONG_STATE.
REACTIONS: dict[tuple[State, int], Reaction] = {
    **{(State.OPEN, command): Reaction.BIND for command in BINDS},
    **{(state, command): Reaction.ALREADY_BOUND for state in BOUND for command in BINDS},
    **{(state, Command.SUBMIT_SM): Reaction.TAKE for state in TRANSMITTERS},
    **{(state, Command.DATA_SM): Reaction.TAKE for state in BOUND},
    **{(state, command): Reaction.DECLINE for state in TRANSMITTERS for command in _ON_STORED},
    # enquire_link is allowed before a bind, and while the session is unbinding.
    **{
        (state, Command.ENQUIRE_LINK): Reaction.LINK
        for state in State
        if state is not State.CLOSED
    },
    **{(state, Command.UNBIND): Reaction.UNBIND for state in (*BOUND, State.UNBINDING)},
}

# The status of the responses to these requests, which the session answers instead of its user.
DECLINED: dict[int, Status] = {
    Command.QUERY_SM: Status.ESME_RQUERYFAIL,
    Command.CANCEL_SM: Status.ESME_RCANCELFAIL,
    Command.REPLACE_SM: Status.ESME_RREPLACEFAIL,
}


INTERFACE_VERSION = 0x34
_NUMBER_FROM = 12  # offset of the sequence number, which ends the header

# The bind PDU -> command_status of the answer.
Authenticate = Callable[[Pdu], int]
# Octets of a PDU that is not decoded yet -> True if they were expected, and are taken. It is
# called in the order of the PDUs, before the indications of PDUs that came with it are returned.
Take = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Timers in seconds and windows in requests."""

    system_id: str = "tsvc"
    window: int = 10  # requests without a response, in each direction
    session_init_s: float = 10.0
    enquire_link_s: float = 30.0
    response_timeout_s: float = 10.0


@dataclass(slots=True)
class SessionCounters:
    """Counters of events that the user of a session does not see."""

    throttled: int = 0
    refused: int = 0
    unexpected_responses: int = 0


@dataclass(slots=True)
class _Sent:
    """A request of ours that waits for its response."""

    command_id: int
    deadline: float
    take: Take | None = None  # called with the response before it is decoded


class Session:
    """Our end of one session.

    `authenticate` checks a bind: it returns the command_status of the answer, 0 to accept.
    `take`: called with a message before it is decoded; None: every message is decoded.
    """

    def __init__(self, settings: SessionSettings, authenticate: Authenticate) -> None:
        self._settings = settings
        self._authenticate = authenticate
        self.take: Take | None = None
        self.state = State.OPEN
        self.system_id = ""
        self.counters = SessionCounters()
        self._stream = PduStream()
        self._outgoing: list[bytes] = []
        self._sequence_number = 0
        # In the order of their deadlines, because all have the same timeout.
        self._sent: dict[int, _Sent] = {}
        # Requests that wait for the user's response: sequence number -> command_id.
        self._received: dict[int, int] = {}
        self._bind_deadline: float | None = None
        self._link_due: float | None = None

    @property
    def has_room(self) -> bool:
        """True if the window allows another request."""
        window = self._settings.window
        if len(self._sent) < window:
            return True
        asked = sum(sent.command_id != Command.ENQUIRE_LINK for sent in self._sent.values())
        return asked < window

    @property
    def outstanding(self) -> int:
        """The number of requests of both sides that wait for a response."""
        return len(self._sent) + len(self._received)

    # -- what the driver calls --------------------------------------------------------------

    def connected(self, now: float) -> list[Indication]:
        """Start, because the transport is up; the ESME has session_init_s to bind."""
        self._bind_deadline = now + self._settings.session_init_s
        return []

    def disconnected(self, reason: str) -> list[Indication]:
        """Stop, because the transport is gone; return FailedInd for each waiting request."""
        if self.state is State.CLOSED:
            return []
        self.state = State.CLOSED
        self._bind_deadline = self._link_due = None
        failed = [FailedInd(number, reason) for number in self._sent]
        self._sent.clear()
        self._received.clear()
        return list(failed)

    def receive(self, octets: bytes, now: float) -> list[Indication]:
        """Process octets of a stream, in pieces of any size."""
        self._stream.feed(octets)
        indications: list[Indication] = []
        try:
            while self.state is not State.CLOSED and (whole := self._stream.next_message()):
                self._touch(now)
                indications += self._receive_pdu(whole, now)
        except Refused as refused:
            self._send(Pdu(GENERIC_NACK, 0, refused.status))
            indications += self._close(f"framing lost: {refused}")
        return indications

    def data_to_send(self) -> list[bytes]:
        """Return the queued PDUs, one item each, and empty the queue."""
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def next_timer(self) -> float | None:
        """Return when handle_timer is due, None if no timer runs."""
        first = next(iter(self._sent.values()), None)
        running = (self._bind_deadline, self._link_due, first.deadline if first else None)
        return min((due for due in running if due is not None), default=None)

    def handle_timer(self, now: float) -> list[Indication]:
        """Handle the timers that are due: no bind, no response, an idle link."""
        if self.state is State.CLOSED:
            return []
        if self._bind_deadline is not None and now >= self._bind_deadline:
            return self._close("no bind within session_init_s")
        indications: list[Indication] = []
        for number, sent in list(self._sent.items()):
            if now < sent.deadline:
                break
            del self._sent[number]
            if sent.command_id in (Command.ENQUIRE_LINK, Command.UNBIND):
                name = command_name(sent.command_id)
                return indications + self._close(f"{name} is not answered")
            seconds = self._settings.response_timeout_s
            text = f"no {command_name(sent.command_id)}_resp within {seconds:g} s"
            indications.append(FailedInd(number, text))
        if self._link_due is not None and now >= self._link_due:
            self._link_due = now + self._settings.enquire_link_s
            if not self._is_asking_link():
                self._ask(Command.ENQUIRE_LINK, {}, (), now)
        return indications

    # -- what the user calls ----------------------------------------------------------------

    def request(
        self, command: Command, parameters: Mapping[str, Value], tlvs: tuple[Tlv, ...], now: float
    ) -> tuple[int, bytes]:
        """Queue a deliver_sm or data_sm; return its sequence number and octets.

        Errors: LocalProtocolError if the ESME does not receive, the window is full, or a value
        does not fit.
        """
        if self.state not in RECEIVERS:
            raise LocalProtocolError(f"the ESME is {self.state.value}")
        if not self.has_room:
            raise LocalProtocolError("the window is full")
        return self._ask(command, parameters, tlvs, now)

    def respond(
        self,
        sequence_number: int,
        status: int,
        parameters: Mapping[str, Value],
        tlvs: tuple[Tlv, ...] = (),
    ) -> bytes:
        """Queue the response to a MessageInd; return its octets, b"" if no request waits for it.

        Errors: LocalProtocolError if a value does not fit; the request still waits then.
        """
        command_id = self._received.get(sequence_number)
        if command_id is None:
            return b""
        pdu = Pdu(command_id | RESPONSE, sequence_number, status, parameters, tlvs)
        octets = self._send(pdu)
        del self._received[sequence_number]
        return octets

    def repeat(self, octets: bytes, now: float, take: Take) -> int:
        """Queue a request of known octets; return the sequence number that it got.

        `take` may take the response. The window must have room, and the ESME must receive.
        """
        number = self._sequence_number % MAX_SEQUENCE_NUMBER + 1
        at = number.to_bytes(4)
        self._outgoing.append(octets[:_NUMBER_FROM] + at + octets[HEADER_OCTETS:])
        self._sequence_number = number
        command_id = int.from_bytes(octets[4:8])
        self._sent[number] = _Sent(command_id, now + self._settings.response_timeout_s, take)
        return number

    def waits_for(self, sequence_number: int) -> bool:
        """Return True if a request of the ESME waits for the user's response."""
        return sequence_number in self._received

    def repeat_response(self, sequence_number: int, octets: bytes) -> None:
        """Queue a response of known octets to a request that waits for it."""
        del self._received[sequence_number]
        self._outgoing.append(octets)

    def unbind(self, now: float) -> list[Indication]:
        """Leave properly: unbind, then CloseInd after the response; if not bound, at once."""
        if self.state not in BOUND:
            return [] if self.state is State.UNBINDING else self._close("not bound")
        self.state = State.UNBINDING
        self._ask(Command.UNBIND, {}, (), now)
        return []

    # -- received PDUs ----------------------------------------------------------------------

    def _receive_pdu(self, octets: bytes, now: float) -> list[Indication]:
        header = decode_header(octets)
        number = header.sequence_number
        sent = self._sent.get(number)
        if sent is not None and sent.take is not None and is_response(header.command_id):
            if sent.take(octets):
                del self._sent[number]
                return [TakenInd(number)]
        elif self.take is not None and self._is_taken(header, octets):
            self._received[number] = header.command_id
            return []
        try:
            reading = read(octets)
        except Refused as refused:
            if is_response(header.command_id):
                return self._on_unusable(number, f"malformed answer: {refused}")
            self._refuse(header.command_id, number, refused.status)
            return []
        if is_response(header.command_id):
            return self._on_response(reading, octets)
        return self._on_request(reading, octets, now)

    def _is_taken(self, header: Header, octets: bytes) -> bool:
        """Return True if octets are a message that `take` has expected and taken."""
        number = header.sequence_number
        return (
            self.take is not None
            and REACTIONS.get((self.state, header.command_id)) is Reaction.TAKE
            and 0 < number <= MAX_SEQUENCE_NUMBER
            and number not in self._received
            and len(self._received) < self._settings.window
            and self.take(octets)
        )

    def _on_request(self, reading: Reading, octets: bytes, now: float) -> list[Indication]:
        pdu, refused = reading.pdu, reading.refused
        reaction = REACTIONS.get((self.state, pdu.command_id), Reaction.WRONG_STATE)
        number = pdu.sequence_number
        # The user can assign a message if its destination address could be read.
        is_taken = reaction is Reaction.TAKE and "destination_addr" in pdu.parameters
        if refused is not None and not is_taken:
            self._refuse(pdu.command_id, number, refused.status)
            return []
        match reaction:
            case Reaction.TAKE:
                return self._take(reading, octets)
            case Reaction.LINK:
                self._answer(pdu)
            case Reaction.BIND:
                return self._bind(pdu, now)
            case Reaction.UNBIND:
                self._answer(pdu)
                return self._close("the ESME has unbound")
            case Reaction.DECLINE:
                self._refuse(pdu.command_id, number, DECLINED[pdu.command_id])
            case Reaction.ALREADY_BOUND:
                self._refuse(pdu.command_id, number, Status.ESME_RALYBND)
            case Reaction.WRONG_STATE:
                self._refuse(pdu.command_id, number, Status.ESME_RINVBNDSTS)
        return []

    def _take(self, reading: Reading, octets: bytes) -> list[Indication]:
        pdu = reading.pdu
        number = pdu.sequence_number
        is_again = number in self._received
        if is_again or len(self._received) >= self._settings.window:
            self.counters.throttled += 1
            self._refuse(pdu.command_id, number, Status.ESME_RTHROTTLED)
            return [StrayInd(pdu)] if is_again else []
        self._received[number] = pdu.command_id
        refusal = 0 if reading.refused is None else reading.refused.status
        return [MessageInd(pdu, octets, reading.notes, refusal)]

    def _bind(self, pdu: Pdu, now: float) -> list[Indication]:
        status = self._authenticate(pdu)
        if status:
            # The ESME may try again until session_init_s is over.
            self._refuse(pdu.command_id, pdu.sequence_number, status)
            return []
        version = Tlv(SC_INTERFACE_VERSION, bytes((INTERFACE_VERSION,)))
        self._answer(pdu, {"system_id": self._settings.system_id}, (version,))
        self.state = BINDS[pdu.command_id]
        self.system_id = str(pdu.parameters["system_id"])
        self._bind_deadline = None
        self._touch(now)
        return [BoundInd(self.system_id)]

    def _on_response(self, reading: Reading, octets: bytes) -> list[Indication]:
        pdu = reading.pdu
        number = pdu.sequence_number
        sent = self._sent.get(number)
        if sent is None:
            self.counters.unexpected_responses += 1
            return [StrayInd(pdu)]
        if pdu.command_id not in (sent.command_id | RESPONSE, GENERIC_NACK):
            wanted = command_name(sent.command_id)
            return self._on_unusable(number, f"{pdu.name} is no answer to {wanted}")
        del self._sent[number]
        if sent.command_id == Command.UNBIND:
            return self._close("unbound")
        if sent.command_id == Command.ENQUIRE_LINK:
            return []
        return [AnswerInd(number, pdu, octets, reading.notes)]

    def _on_unusable(self, sequence_number: int, reason: str) -> list[Indication]:
        sent = self._sent.pop(sequence_number, None)
        if sent is None:
            self.counters.unexpected_responses += 1
            return []
        if sent.command_id == Command.UNBIND:
            return self._close("unbound")
        is_link = sent.command_id == Command.ENQUIRE_LINK
        return [] if is_link else [FailedInd(sequence_number, reason)]

    # -- sending ----------------------------------------------------------------------------

    def _ask(
        self,
        command: Command,
        parameters: Mapping[str, Value],
        tlvs: tuple[Tlv, ...],
        now: float,
    ) -> tuple[int, bytes]:
        number = self._sequence_number % MAX_SEQUENCE_NUMBER + 1
        octets = self._send(Pdu(command, number, 0, parameters, tlvs))
        self._sequence_number = number
        self._sent[number] = _Sent(command, now + self._settings.response_timeout_s)
        return number, octets

    def _answer(
        self,
        pdu: Pdu,
        parameters: Mapping[str, Value] | None = None,
        tlvs: tuple[Tlv, ...] = (),
    ) -> None:
        number = pdu.sequence_number
        self._send(Pdu(pdu.command_id | RESPONSE, number, 0, parameters or {}, tlvs))

    def _refuse(self, command_id: int, sequence_number: int, status: int) -> None:
        """Answer with a status: in the response of the command, or generic_nack if it has none."""
        self.counters.refused += 1
        response = command_id | RESPONSE
        is_known = response in LAYOUTS
        self._send(Pdu(response if is_known else GENERIC_NACK, sequence_number, status))

    def _send(self, pdu: Pdu) -> bytes:
        octets = encode(pdu)
        self._outgoing.append(octets)
        return octets

    # -- small questions --------------------------------------------------------------------

    def _touch(self, now: float) -> None:
        if self.state in BOUND:
            self._link_due = now + self._settings.enquire_link_s

    def _is_asking_link(self) -> bool:
        return any(sent.command_id == Command.ENQUIRE_LINK for sent in self._sent.values())

    def _close(self, reason: str) -> list[Indication]:
        return [*self.disconnected(reason), CloseInd(reason)]
