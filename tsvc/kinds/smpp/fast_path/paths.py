"""The SMPP messages of instances on the fast path; tsvc is the SMSC.

To register an address is a step like sending. A PDU is a template. The slots of a sent PDU are the
sequence_number, a generated message_id, and the parameters with expressions. The slots of an
awaited PDU are the sequence_number, the address that the instance has registered, and the
parameters that expressions expect. All other octets are the same in all instances.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tsvc.errors import LocalProtocolError
from tsvc.kinds.smpp.expect import SmscInbox
from tsvc.kinds.smpp.fast_path.members import RecordedMessage, span_of
from tsvc.kinds.smpp.fast_path.replay import By, Event, Past, PastPdu, SmscReplay, Swallowed
from tsvc.kinds.smpp.gateway import SmppGateway
from tsvc.kinds.smpp.inbox import MOST_ASKED, Inbound, Lost
from tsvc.kinds.smpp.node import Link, destination_of
from tsvc.log import get_logger
from tsvc.operations.context import Session
from tsvc.operations.eligibility import Argument
from tsvc.operations.fast_path.contract import Host, Recorded
from tsvc.operations.fast_path.frame import ReplayedInstance
from tsvc.operations.fast_path.recording import Place
from tsvc.operations.fast_path.replay import Replay
from tsvc.operations.fast_path.slots import SlotSource
from tsvc.operations.fast_path.template import LengthField, Slot, Template
from tsvc.protocols.smpp.commands import Status
from tsvc.protocols.smpp.pdus import HEADER_OCTETS, Pdu, read
from tsvc.protocols.smpp.session import AnswerInd, FailedInd
from tsvc.results.records import ExchangeRecord
from tsvc.values import dataclass

log = get_logger("fast_path")

_NUMBER_FROM = 12  # offset of the sequence_number; it extends to the end of the header
_NUMBER, _MESSAGE_ID = -1, -2  # slots
_NO_NUMBER = bytes(4)
_ADDRESS = "destination_addr"


@dataclass(slots=True)
class Registration:
    """An address that instances register. `which`: index of its value; -1: always the same."""

    position: int
    address: bytes
    which: int = -1

    def of(self, values: Sequence[bytes]) -> bytes:
        """Return the address of an instance."""
        return self.address if self.which < 0 else values[self.which]

    def place(self, which: int, value: bytes) -> None:
        """Make the address a slot. Errors: ValueError if the recorded address was not `value`."""
        if value != self.address:
            raise ValueError("an address that is another when it is made again")
        self.which = which


class Message:
    """A PDU with slots, as it was recorded."""

    __slots__ = ("_slots", "octets", "template")

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self._slots = [Slot(_NUMBER_FROM, HEADER_OCTETS, _NUMBER)]
        self.finish()

    def add(self, which: int, value: bytes, start: int, stop: int) -> None:
        """Make a slot of octets. Errors: ValueError if they are not the value."""
        if self.octets[start:stop] != value:
            raise ValueError("octets that are others when they are made again")
        self._slots.append(Slot(start, stop, which))

    def finish(self) -> None:
        """Make the template. Errors: ValueError."""
        length = LengthField(0, 4, 0, len(self.octets), _four_octets)
        self.template = Template(self.octets, self._slots, [length])


def _four_octets(length: int) -> bytes:
    return length.to_bytes(4)


class SentMessage(Message):
    """A PDU that instances send.

    answers:   index of the message that a response answers; -1: the PDU is a request.
    system_id: the ESME to which a request is sent.
    draws:     True if a response has a generated message_id.
    """

    __slots__ = ("answers", "draws", "position", "system_id")

    def __init__(self, one: Swallowed, pdu: PastPdu) -> None:
        super().__init__(pdu.octets)
        self.position = one.position
        self.answers = one.after - 1 if pdu.is_response else -1
        self.system_id = one.system_id
        self.draws = one.draws
        if one.draws:
            end = pdu.octets.index(0, HEADER_OCTETS)
            self._slots.append(Slot(HEADER_OCTETS, end, _MESSAGE_ID))
            self.finish()

    def place(self, which: int, value: bytes) -> None:
        """Make a slot of all octets after the header. Errors: ValueError."""
        self.add(which, value, HEADER_OCTETS, len(self.octets))


class Awaited(Message):
    """A PDU that is awaited.

    sent_before: number of our own steps that have to be done before.
    position:    index of the operation that takes the PDU.
    """

    __slots__ = ("is_message", "position", "sent_before")

    def __init__(self, pdu: PastPdu, position: int, sent_before: int) -> None:
        super().__init__(pdu.octets)
        self.position = position
        self.sent_before = sent_before
        self.is_message = not pdu.is_response

    def place(self, name: str, which: int, value: bytes) -> None:
        """Make a slot of a parameter. Errors: ValueError."""
        self.add(which, value, *span_of(self.octets, name))


class Done(NamedTuple):
    """Our own step that an instance has done: its time, link, sequence number and message_id."""

    at: float
    link: Link | None = None
    number: bytes = b""
    message_id: bytes = b""


class Receipt(NamedTuple):
    """A PDU that came: its time, its octets and its link."""

    at: float
    octets: bytes
    link: Link


class SmscSource:
    """The SMPP side of a run's instances; a recording.PathSource.

    sent, expected: arguments with expressions, by the index of their operation.
    looks_at_address: operations that read the destination_addr of received messages.
    """

    kind = "smpp"

    def __init__(
        self,
        host: Host,
        gateway: SmppGateway,
        sent: Mapping[int, Sequence[Argument]],
        expected: Mapping[int, Sequence[Argument]],
        looks_at_address: Collection[int],
    ) -> None:
        self._host = host
        self._gateway = gateway
        self._sent = sent
        self._expected = expected
        self._looks_at_address = looks_at_address

    def owns(self, session: Session[Any]) -> bool:
        """Return True if a session of an instance is its inbox."""
        return isinstance(session, SmscInbox)

    def replays(self, instance: Recorded, whole: Replay) -> None:
        """Add the past of an instance with the SMSC, if it has one. Errors: ValueError."""
        if not any(map(self.owns, instance.dialogues)):
            return
        records = [
            one
            for one in instance.messages or ()
            if isinstance(one, ExchangeRecord) and one.protocol == "smpp"
        ]
        pdus = [
            (PastPdu(instance.started_at + one.t, one.octets, By(one.peer, one.ends)), one.is_sent)
            for one in records
        ]
        sent = [pdu for pdu, is_sent in pdus if is_sent]
        received = [pdu for pdu, is_sent in pdus if not is_sent]
        if any(read(pdu.octets).refused is not None for pdu in received):
            raise ValueError("a message that can't be read")
        whole.add(SmscReplay(self._gateway, Past(sent, received, None), whole))

    def paths(self, replays: Sequence[SmscReplay], whole: Replay) -> list["SmscPath"]:
        """Return the path, if there is one. Errors: ValueError."""
        return [
            SmscPath(
                self._host,
                self._gateway,
                replay,
                {fed: position for position, _, fed in whole.noted[replay.number]},
                whole.of_visited(self._sent),
                whole.of_visited(self._expected),
                self._looks_at_address,
            )
            for replay in replays
        ]


class SmscPath:
    """The SMPP path of a recording, shared by its instances; a recording.GatewayPath."""

    lingers = True

    def __init__(
        self,
        host: Host,
        gateway: SmppGateway,
        replay: SmscReplay,
        taken_by: Mapping[int, int],
        sent: Mapping[int, Sequence[Argument]],
        expected: Mapping[int, Sequence[Argument]],
        looks_at_address: Collection[int],
    ) -> None:
        """taken_by: the operation that has taken each received PDU; PDUs are counted from 1.

        Errors: ValueError if other instances can't do the same.
        """
        received, swallowed = replay.past.received, replay.swallowed
        count = len(received)
        if replay.fed != count or sorted(taken_by) != [*range(1, count + 1)]:
            raise ValueError("not each PDU was taken by one operation")
        if [one.pdu for one in swallowed if one.pdu is not None] != list(replay.past.sent):
            raise ValueError("something of it was not sent again")
        if len({one.position for one in swallowed}) != len(swallowed):
            raise ValueError("an operation that sends twice")
        for one in swallowed:
            _check(one, received)
        if sum(one.pdu is not None and not one.pdu.is_response for one in swallowed) > MOST_ASKED:
            raise ValueError("more requests than an instance hears of")
        self.number = replay.number
        self.host = host
        self.gateway = gateway
        self.steps = [
            Registration(one.position, one.address.encode("latin-1"))
            if one.pdu is None
            else SentMessage(one, one.pdu)
            for one in swallowed
        ]
        self.awaited = [
            Awaited(pdu, taken_by[at + 1], sum(one.after <= at for one in swallowed))
            for at, pdu in enumerate(received)
        ]
        self._sent = sent
        self._expected = expected
        own_address = {
            at for at, own in expected.items() if any(one.what == _ADDRESS for one in own)
        }
        self._looks_at_address = own_address.union(looks_at_address)
        self._links: list[Link] = []  # links with queued PDUs

    # -- recording -----------------------------------------------------------------------------

    def messages(self) -> tuple[list[Registration | SentMessage], list[Awaited]]:
        """Return the addresses and PDUs that are registered and sent, and the awaited PDUs."""
        return self.steps, self.awaited

    def sources(self) -> list[tuple[SlotSource, Place]]:
        """Return the sources of slot values, with their place functions. Errors: ValueError."""
        alphabet = self.gateway.default_alphabet
        found: list[tuple[SlotSource, Place]] = []
        steps = {one.position: one for one in self.steps}
        for position, arguments in self._sent.items():
            step = steps.get(position)
            if step is None or len(arguments) != 1:
                raise ValueError("nobody knows what an argument is of")
            if isinstance(step, Registration):
                place: Place = partial(self._place_address, step)
                found.append((arguments[0].source(position, None), place))
            else:
                recorded = RecordedMessage(step.octets, alphabet)
                found.append((arguments[0].source(position, recorded), step.place))
        awaited = {one.position: one for one in self.awaited}
        for position, arguments in self._expected.items():
            message = awaited.get(position)
            if message is None:
                raise ValueError("nobody knows what is expected")
            recorded = RecordedMessage(message.octets, alphabet)
            for one in arguments:
                place = partial(message.place, one.what)
                # is_same() in looked_at.py has already checked what expressions read.
                source = one.source(position, recorded)._replace(is_expected=False)
                found.append((source, place))
        return found

    def _place_address(self, registration: Registration, which: int, value: bytes) -> None:
        """Make an address a slot, also in messages that come for the address. Errors: ValueError.

        A message whose address is read keeps the recorded address: other instances fall back.
        """
        registration.place(which, value)
        for one in self.awaited:
            if (
                one.is_message
                and one.position not in self._looks_at_address
                and destination_of(one.octets) == value
            ):
                one.place(_ADDRESS, which, value)

    def finish(self) -> None:
        """Make the templates. Errors: ValueError."""
        for one in (*self.steps, *self.awaited):
            if isinstance(one, Message):
                one.finish()

    # -- replaying -----------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Return True if an instance can do its first step at once."""
        first = self.steps[0]
        if isinstance(first, Registration):
            return True
        node = self.gateway.node
        return node is not None and node.has_room(first.system_id)

    def join(self, instance: ReplayedInstance) -> "SmscState":
        """Return the state of an instance."""
        return SmscState(self, instance)

    def change(self, state: "SmscState") -> None:
        """Take over a state that another recording made."""
        assert state.instance is not None
        state.path = self
        state.values = state.instance.values

    def send(self, state: "SmscState", message: Registration | SentMessage, now: float) -> bool:
        """Register an address, or send a PDU. False: the instance has fallen back."""
        if isinstance(message, Registration):
            why = self._register(state, message, now)
        elif message.answers < 0:
            why = self._ask(state, message, now)
        else:
            why = self._respond(state, message, now)
        if why:
            assert state.instance is not None
            state.instance.fall_back(why=why)  # the ordinary instance tries it
        return not why

    def _register(self, state: "SmscState", message: Registration, now: float) -> str:
        address = message.of(state.values)
        try:
            self.gateway.registrations.add_taker(address, state)
        except LocalProtocolError:
            return "the address is registered already"
        state.addresses.append(address)
        state.sent.append(Done(now))
        return ""

    def _ask(self, state: "SmscState", message: SentMessage, now: float) -> str:
        node = self.gateway.node
        link = None if node is None else node.link_at_once(message.system_id)
        if node is None or link is None:
            return "no ESME had room in its window"
        octets = message.template.fill(state.values, (_NO_NUMBER,))
        number = node.repeat(link, octets, now, state, state, state.take_answer)
        state.sent.append(Done(now, link, number.to_bytes(4)))
        state.asked.append((link, number))
        self._flush_later(state, link)
        return ""

    def _respond(self, state: "SmscState", message: SentMessage, now: float) -> str:
        to = state.received[message.answers]
        number = to.octets[_NUMBER_FROM:HEADER_OCTETS]
        session = to.link.session
        if not session.waits_for(int.from_bytes(number)):
            return "the ESME is gone"
        message_id = self.gateway.new_message_id().encode() if message.draws else b""
        octets = message.template.fill(state.values, (number, message_id))
        session.repeat_response(int.from_bytes(number), octets)
        state.sent.append(Done(now, to.link, number, message_id))
        self._flush_later(state, to.link)
        return ""

    def _flush_later(self, state: "SmscState", link: Link) -> None:
        """Flush a link once all instances of this round have acted."""
        if link not in self._links:
            self._links.append(link)
            assert state.instance is not None
            state.instance.flush(self._flush)

    def _flush(self) -> None:
        links, self._links = self._links, []
        for link in links:
            link.flush()

    def fits(
        self, state: "SmscState", message: Awaited, values: Sequence[bytes], came: bytes
    ) -> bool:
        """Return True if `came` equals the awaited PDU, octet by octet.

        A message may come before all previous PDUs have been sent: the inbox holds it.
        """
        return (message.is_message or len(state.sent) == message.sent_before) and (
            message.template.fill(values, (came[_NUMBER_FROM:HEADER_OCTETS],)) == came
        )

    def has_received(self, state: "SmscState", number: int, values: Sequence[bytes]) -> bool:
        """Return True if a PDU received on another recording fits this one too."""
        if number >= len(self.awaited):
            return False
        message, before = self.awaited[number], state.path.awaited[number]
        octets = state.received[number].octets
        return message.sent_before == before.sent_before and (
            message.template.fill(values, (octets[_NUMBER_FROM:HEADER_OCTETS],)) == octets
        )

    def pause(self, state: "SmscState") -> None:
        """Do nothing: the ordinary instance gets everything that the state owns."""

    def replay(self, state: "SmscState", whole: Replay) -> SmscReplay:
        """Return the past of a state."""
        values = state.values
        sent = [
            PastPdu(
                done.at,
                step.template.fill(values, (done.number, done.message_id)),
                _by(done.link),
            )
            for step, done in zip(self.steps, state.sent, strict=False)
            if isinstance(step, SentMessage) and done.link is not None
        ]
        received = [PastPdu(one.at, one.octets, _by(one.link)) for one in state.received]
        addresses = [one.decode("latin-1") for one in state.addresses]
        made = SmscReplay(self.gateway, Past(sent, received, addresses, state), whole)
        if not whole.is_over:
            state.replay = made
        return made

    def over(self, state: "SmscState") -> None:
        """Release the addresses and the requests of the instance."""
        state.release()

    def forget(self, state: "SmscState") -> None:
        """Release the addresses and the requests; refuse messages without an answer."""
        answered = {
            step.answers
            for step, _ in zip(self.steps, state.sent, strict=False)
            if isinstance(step, SentMessage)
        }
        for at, one in enumerate(state.received):
            if self.awaited[at].is_message and at not in answered:
                number = int.from_bytes(one.octets[_NUMBER_FROM:HEADER_OCTETS])
                one.link.session.respond(number, Status.ESME_RSYSERR, {}, ())
                one.link.flush()
        for event in state.events:
            if isinstance(event, Inbound):
                event.respond(Status.ESME_RSYSERR, {}, ())
        state.events.clear()
        state.release()

    def end(self) -> None:
        """Do nothing: the run is over."""


def _check(one: Swallowed, received: Sequence[PastPdu]) -> None:
    """Raise ValueError if other instances can't repeat our own step: a response must answer the
    PDU that came last, and the answer to a request must come next."""
    if one.pdu is None:
        return
    at = one.after - 1 if one.pdu.is_response else one.after
    other = received[at] if 0 <= at < len(received) else None
    if other is None or other.is_response is one.pdu.is_response or other.number != one.pdu.number:
        raise ValueError("a response that is not the next")


def _by(link: Link | None) -> By:
    assert link is not None, "what was sent went by a link"
    return By(link.session.system_id, link.ends, link)


class SmscState:
    """The state of one instance with the SMSC; a recording.PathState, and an inbox.Taker."""

    __slots__ = (
        "addresses",
        "asked",
        "events",
        "instance",
        "is_odd",
        "path",
        "received",
        "replay",
        "sent",
        "taken",
        "values",
    )

    def __init__(self, path: SmscPath, instance: ReplayedInstance) -> None:
        self.path = path
        self.instance: ReplayedInstance | None = instance
        self.values = instance.values
        self.replay: SmscReplay | None = None  # made when it fell back
        self.sent: list[Done] = []
        self.received: list[Receipt] = []
        self.taken = 0
        self.addresses: list[bytes] = []
        self.asked: list[tuple[Link, int]] = []  # requests, by link and number
        self.events: list[Event] = []  # events since the instance fell back
        self.is_odd = False  # True once take() refused a PDU: put() or hear() is called next

    def carriers_spoke(self, since: float) -> bool:
        """Return False: links keep no messages of their own."""
        return False

    # -- octets that are not decoded -----------------------------------------------------------

    def take_answer(self, octets: bytes) -> bool:
        """Accept the answer to the pending request if the answer is known. Return True if so."""
        return self.take(self.asked[-1][0], octets)

    def take(self, link: Any, octets: bytes) -> bool:
        """Accept a PDU if it is known. Return True if it was accepted."""
        instance, path, at = self.instance, self.path, len(self.received)
        if instance is None or instance.pending is not None or self.is_odd:
            return False
        try:
            is_known = (
                at < len(path.awaited) and path.fits(self, path.awaited[at], self.values, octets)
            ) or instance.branch(path.number, octets)
        except Exception as error:  # noqa: BLE001 - our own bug must not end the connection
            log.failure("the fast path failed", error)
            is_known = False
        if not is_known:
            self.is_odd = True
            return False
        now = self.path.host.clock.now()
        self.received.append(Receipt(now, octets, link))
        instance.came(self.path.number, now)
        return True

    # -- events that it does not accept --------------------------------------------------------

    def put(self, found: Inbound | AnswerInd | FailedInd) -> None:
        """Fall back: another message or another answer has come, or no answer can come."""
        if self.instance is None:
            return
        self.events.append(found)
        if isinstance(found, FailedInd):
            self.instance.fall_back(self.deliver, "the request failed")
        else:
            self.instance.differs(self.path.number, self.deliver)

    def hear(self, pdu: Pdu) -> None:
        """Fall back: no PDU of this kind has come in the recording."""
        if self.instance is not None:
            self.events.append(pdu)
            self.instance.fall_back(self.deliver, "something nobody had asked for")

    def lose(self, reason: str) -> None:
        """Fall back if the instance waits for a message: no message can come any more."""
        instance = self.instance
        if instance is None:
            return
        step = instance.next_awaited(self.path.number) if instance.awaits else None
        has_come = any(isinstance(one, Inbound) for one in self.events)
        if step is not None and step.message.is_message and not has_come:
            self.events.append(Lost(reason))
            instance.fall_back(self.deliver, "no ESME was left")

    def deliver(self) -> None:
        """Deliver the events to the ordinary instance, which is live."""
        if self.replay is not None:
            self.deliver_to(self.replay)

    def deliver_to(self, replay: SmscReplay) -> None:
        """Deliver the events to the ordinary instance of a replay."""
        events, self.events = self.events, []
        for event in events:
            replay.tell(event)

    def release(self) -> None:
        """Release the addresses and the requests; wait for no answer."""
        for address in self.addresses:
            self.path.gateway.registrations.remove_taker(address, self)
        for link, number in self.asked:
            if link.asked.get(number) is self:
                del link.asked[number]
            if link.waiting.get(number) is self:
                del link.waiting[number]
