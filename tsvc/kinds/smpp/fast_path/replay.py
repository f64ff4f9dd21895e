"""The past of an instance with an SMSC, as it is replayed to an ordinary instance.

The gateway of the instance swallows the registrations and PDUs of the past, and delivers the PDUs
that came in the past. Where the past ends, the inbox owns the addresses and the pending request,
and the instance is live. From there on this gateway only forwards calls.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tsvc.errors import LocalProtocolError
from tsvc.kinds.smpp.gateway import SmppGateway
from tsvc.kinds.smpp.inbox import Inbound, Inbox, Lost
from tsvc.kinds.smpp.node import Asked, EsmeTap, Link, SubmitAnswer
from tsvc.operations.fast_path.replay import PathReplay, Replay
from tsvc.protocols.smpp.commands import RESPONSE, Command, Tlv
from tsvc.protocols.smpp.pdus import HEADER_OCTETS, Pdu, Value, encode, read
from tsvc.protocols.smpp.session import AnswerInd, FailedInd
from tsvc.results.records import Ends
from tsvc.transport.mailbox import Mailbox

Event = Inbound | Lost | Pdu | AnswerInd | FailedInd
"""An event since an instance fell back."""


class By(NamedTuple):
    """The ESME of a PDU. `link`: None while recording."""

    system_id: str
    ends: Ends | None
    link: Link | None = None


class PastPdu(NamedTuple):
    """A PDU that was sent, or that came."""

    at: float
    octets: bytes
    by: By

    @property
    def number(self) -> int:
        """The sequence number of the PDU."""
        return int.from_bytes(self.octets[12:HEADER_OCTETS])

    @property
    def is_response(self) -> bool:
        """True if the PDU is a response."""
        return bool(self.octets[4] & RESPONSE >> 24)


class Past(NamedTuple):
    """The past of an instance.

    addresses: the registered addresses; None: any address may be registered (while recording).
    state:     owner of the addresses, which waits for the answer, until the instance is live.
    """

    sent: Sequence[PastPdu]
    received: Sequence[PastPdu]
    addresses: Sequence[str] | None
    state: Any = None


class Swallowed(NamedTuple):
    """An action of an instance while its past was replayed.

    after:     number of PDUs that had come before.
    position:  index of the operation.
    pdu:       the PDU that was sent; None: `address` was registered.
    system_id: the ESME that the operation names for a request.
    draws:     True if a response has a generated message_id.
    """

    after: int
    position: int
    pdu: PastPdu | None
    address: str = ""
    system_id: str | None = None
    draws: bool = False


class SmscReplay(PathReplay):
    """The past of an instance with an SMSC."""

    waits_at_once = True

    def __init__(self, gateway: SmppGateway, past: Past, whole: Replay) -> None:
        super().__init__(whole)
        self.gateway = gateway
        self.past = past
        self.swallowed: list[Swallowed] = []
        self.inbox: _Inbox | None = None
        self._asked: list[Asked] = []
        self._answered = 0
        self._pdus = 0  # number of sent PDUs that are swallowed
        self._addresses: list[str] = []
        self._draws = False

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        return {**real, "smpp": _Gateway(self.gateway, self)}

    @property
    def came(self) -> int:
        """Number of PDUs that came in the past."""
        return len(self.past.received)

    def bring(self) -> None:
        """Deliver the next PDU that came: a message goes to the inbox."""
        one = self.past.received[self.fed]
        self.fed += 1
        self.whole.time.at = one.at
        if one.is_response:
            return
        if self.inbox is None:
            raise LocalProtocolError("the fast path went wrong: it had registered nothing")
        reading = read(one.octets)
        respond = partial(self._respond, one)
        by = one.by
        self.inbox.put(
            Inbound(reading.pdu, one.octets, by.system_id, respond, by.ends, reading.notes)
        )

    # -- what the instance does ----------------------------------------------------------------

    def swallow_address(self, address: str) -> bool:
        """Accept an address of the past; False: it was not registered, and now all is live."""
        if not self.whole.sends(self):
            return False
        past, number = self.past.addresses, len(self._addresses)
        if past is not None and list(past[number : number + 1]) != [address]:
            raise LocalProtocolError("the fast path went wrong: it had registered something else")
        self._addresses.append(address)
        self._note(None, address=address)
        return True

    def ask(self, pdu: Pdu, system_id: str | None) -> Asked | None:
        """Accept a request that was sent in the past; None: it was not, and now all is live."""
        sent = self._swallow(pdu)
        if sent is None:
            return None
        self._note(sent, system_id=system_id)
        link: Any = sent.by.link
        self._asked.append(Asked(link, sent.number, sent.octets, sent.at, Mailbox()))
        return self._asked[-1]

    def feed(self, seconds: float) -> PastPdu | None:
        """Return the answer that came in the past; None: no answer came, and now all is live."""
        self.waits.append(seconds)
        number = self.fed
        self.whole.bring_for(self)
        if self.fed > number:
            answer = self.past.received[number]
            if not answer.is_response:
                raise LocalProtocolError("the fast path went wrong: it had no answer")
            self._answered += 1
            return answer
        if not self.is_live:
            raise LocalProtocolError("the fast path went wrong: it was over")
        return None

    def message_id(self) -> str | None:
        """Return the message_id of the next response of the past; None if there is no response."""
        if self._pdus == len(self.past.sent):
            return None
        octets = self.past.sent[self._pdus].octets
        self._draws = True
        return octets[HEADER_OCTETS : octets.find(0, HEADER_OCTETS)].decode("latin-1")

    def _respond(
        self, to: PastPdu, status: int, parameters: dict[str, Value], tlvs: tuple[Tlv, ...]
    ) -> bytes:
        """Respond to a message unless that was done in the past; return the octets."""
        command_id = int.from_bytes(to.octets[4:8]) | RESPONSE
        if not self.is_live:
            sent = self._swallow(Pdu(command_id, to.number, status, parameters, tlvs))
            if sent is not None:
                self._note(sent, draws=self._draws)
                self._draws = False
                return sent.octets
        link = to.by.link
        assert link is not None, "what is live has links"
        self.whole.leave_past()
        octets = link.session.respond(to.number, status, parameters, tlvs)
        link.flush()
        return octets

    def _swallow(self, pdu: Pdu) -> PastPdu | None:
        """Accept a PDU that was sent in the past; None: it was not, and now all is live."""
        if not self.whole.sends(self):
            return None
        sent = self.past.sent[self._pdus] if self._pdus < len(self.past.sent) else None
        numbered = Pdu(
            pdu.command_id,
            pdu.sequence_number or (sent.number if sent is not None else 0),
            pdu.command_status,
            pdu.parameters,
            pdu.tlvs,
        )
        if sent is None or encode(numbered) != sent.octets:
            raise LocalProtocolError("the fast path went wrong: it had sent something else")
        self._pdus += 1
        self.whole.time.at = sent.at
        return sent

    def _note(self, pdu: PastPdu | None, **more: Any) -> None:
        self.swallowed.append(Swallowed(self.fed, self.whole.position(), pdu, **more))

    # -- where the past ends -------------------------------------------------------------------

    @property
    def _waits_for(self) -> Asked | None:
        """The request whose answer has not come; None if there is no such request."""
        return self._asked[-1] if len(self._asked) > self._answered else None

    def adopt(self) -> None:
        """Hand over the addresses and requests of the state to the inbox, and the pending answer
        to the mailbox of the request."""
        inbox, state = self.inbox, self.past.state
        if inbox is None:
            return
        for address in self._addresses:
            self.gateway.registrations.hand_over(address, state, inbox)
        for asked in self._asked:
            if asked.link.asked.get(asked.number) is state:
                inbox.note_asked(asked.link.asked, asked.number)
        waits = self._waits_for
        if waits is not None and waits.link.waiting.get(waits.number) is state:
            waits.link.waiting[waits.number] = waits.mailbox

    def settle(self) -> None:
        """Mark the messages in the inbox as messages of the past."""
        if self.inbox is not None:
            self.inbox.settle()

    def tell(self, event: Event) -> None:
        """Deliver an event since the instance fell back."""
        inbox, waits = self.inbox, self._waits_for
        if isinstance(event, AnswerInd | FailedInd):
            if waits is not None:
                waits.mailbox.put(event)
        elif inbox is None:
            return
        elif isinstance(event, Inbound):
            inbox.put(event)
        elif isinstance(event, Lost):
            inbox.fail(event)
        else:
            inbox.hear(event)

    def give_up(self) -> None:
        """Wait for no answer. Later events go to the inbox, so that its messages are refused."""
        self.past.state.deliver_to(self)
        waits = self._waits_for
        if waits is not None and waits.link.waiting.get(waits.number) is waits.mailbox:
            del waits.link.waiting[waits.number]

    def release(self) -> None:
        """Break the reference cycle: the instance has the inbox."""
        self.inbox = None


class _Inbox(Inbox):
    """Delivers the messages of the past to the waiting instance."""

    def __init__(self, replay: SmscReplay) -> None:
        super().__init__()
        self._replay = replay
        self._old = 0  # remaining messages of the past, once all is live

    def settle(self) -> None:
        """Mark all messages in the inbox as messages of the past."""
        self._old = len(self._mailbox)

    def _get(self, seconds: float) -> Inbound | Lost | None:
        replay = self._replay
        whole = replay.whole
        began = whole.clock.now()
        if not replay.is_live:
            whole.current = replay
        while not self._mailbox and not replay.is_live:
            replay.waits.append(seconds)
            if not whole.bring_for(replay):
                raise LocalProtocolError("the fast path went wrong: it was over")
        if not replay.is_live or self._old:
            self._old -= replay.is_live
            return super()._get(0)
        return super()._get(max(seconds - whole.leave_past(began), 0.0))

    def fail(self, lost: Lost) -> None:
        """End the wait of the replayed instance; this instance may begin its wait later."""
        self._mailbox.put(lost)

    def take_all(self) -> list[Inbound]:
        """Take the messages that have come. The instance ends: go live if the past ends too."""
        self._replay.whole.look()
        return super().take_all()


class _Gateway:
    """The gateway, as the instance sees it."""

    def __init__(self, gateway: SmppGateway, replay: SmscReplay) -> None:
        self._gateway = gateway
        self._replay = replay

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def new_inbox(self) -> Inbox:
        """Return the inbox of the instance."""
        self._replay.inbox = made = _Inbox(self._replay)
        return made

    def register(self, address: str, inbox: Inbox) -> None:
        """Register an address unless that was done in the past. Errors: LocalProtocolError."""
        if not self._replay.is_live and self._replay.swallow_address(address):
            inbox.addresses.add(address)
        else:
            self._replay.whole.leave_past()
            self._gateway.register(address, inbox)

    def unregister(self, inbox: Inbox) -> None:
        """Remove the addresses of an inbox; in the past the state owns the registrations."""
        if self._replay.is_live:
            self._gateway.unregister(inbox)
        else:
            inbox.addresses.clear()

    def new_message_id(self) -> str:
        """Return the message_id of the past; a new one if there is none."""
        made = None if self._replay.is_live else self._replay.message_id()
        return self._gateway.new_message_id() if made is None else made

    def request(
        self,
        command: Command,
        parameters: Mapping[str, Value],
        tlvs: tuple[Tlv, ...] = (),
        system_id: str | None = None,
        tap: EsmeTap | None = None,
        owner: Inbox | None = None,
    ) -> SubmitAnswer:
        """Return the answer of the past; once all is live, send the request and wait.

        Blocks and fails as the gateway does.

        Errors: GatewayError, LocalProtocolError.
        """
        replay, gateway = self._replay, self._gateway
        asked = None
        if not replay.is_live:
            asked = replay.ask(Pdu(command, 0, 0, parameters, tlvs), system_id)
        if asked is None:
            replay.whole.leave_past()
            return gateway.request(command, parameters, tlvs, system_id, tap, owner)
        by = replay.swallowed[-1].pdu.by if replay.swallowed[-1].pdu else None
        if tap is not None and by is not None:
            tap(by.system_id, True, asked.octets, by.ends)
        answer = replay.feed(gateway.longest_wait_s)
        if answer is None:
            waited_s = replay.whole.leave_past(asked.at)
            return gateway.wait(asked, command, tap, waited_s)
        if tap is not None:
            tap(answer.by.system_id, False, answer.octets, answer.by.ends)
        reading = read(answer.octets)
        return SubmitAnswer(reading.pdu, answer.at - asked.at, reading.notes)
