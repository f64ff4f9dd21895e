"""The TCAP dialogues of instances on the fast path.

A message is a template: its slots are the transaction ids and the arguments with expressions, both
sent and expected arguments. All other octets are the same in all instances.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError
from tsvc.kinds.sigtran.fast_path.expected import RecordedArgument
from tsvc.kinds.sigtran.fast_path.replay import (
    Carrier,
    DialogueReplay,
    Past,
    Receipt,
    SentMessage,
    receipt_of,
)
from tsvc.kinds.sigtran.fast_path.timers import check_timers
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.log import get_logger
from tsvc.operations.context import Session
from tsvc.operations.eligibility import Argument
from tsvc.operations.fast_path.contract import Host, Recorded
from tsvc.operations.fast_path.frame import ReplayedInstance
from tsvc.operations.fast_path.recording import Place
from tsvc.operations.fast_path.replay import Replay
from tsvc.operations.fast_path.slots import SlotSource
from tsvc.operations.fast_path.template import LengthField, Slot, Template
from tsvc.protocols import ber
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap import frame as frames
from tsvc.protocols.tcap.components import Invoke, ReturnResult
from tsvc.protocols.tcap.dialogue import counting_strays
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.frame import Frame
from tsvc.protocols.tcap.messages import decode
from tsvc.protocols.tcap.replayed import ReplayedDialogue
from tsvc.protocols.tcap.states import DialogueState
from tsvc.results.records import MessageRecord
from tsvc.ss7.lane import Lane
from tsvc.ss7.links import Link, snapshot_of
from tsvc.ss7.network import SigtranNetwork
from tsvc.ss7.scp_node import ScpNode

log = get_logger("fast_path")

_OURS, _THEIRS = -1, -2  # slots of transaction ids
_MOST_LANES = 64  # lengths of one message


class TcapMessage:
    """A message of a dialogue, as it was recorded.

    position: index of the operation that sent it.
    """

    __slots__ = (
        "_ids_end",
        "_octets",
        "_slots",
        "called",
        "calling",
        "lanes",
        "looked_at",
        "position",
        "template",
    )

    def __init__(
        self, octets: bytes, called: Address, calling: Address, position: int, *, is_sent: bool
    ) -> None:
        """Errors: ValueError if the transaction ids are not at their usual position."""
        frame = frames.read(octets)
        if frame is None:
            raise ValueError("an id is not where ids are")
        self.called = called
        self.calling = calling
        self.position = position
        self.lanes: dict[int, Lane | None] = {}  # by the length of the message
        self.looked_at = -1  # epoch of the network to which `lanes` belongs
        self._octets = octets
        own, other = (_OURS, _THEIRS) if is_sent else (_THEIRS, _OURS)
        self._slots: list[Slot] = []
        self._ids_end = max(frame.otid_end, frame.dtid_end)
        if frame.otid is not None:
            self._slots.append(Slot(frame.otid_end - len(frame.otid), frame.otid_end, own))
        if frame.dtid is not None:
            self._slots.append(Slot(frame.dtid_end - len(frame.dtid), frame.dtid_end, other))
        self.template = self._made()

    def count(self, value: bytes) -> int:
        """Return how often octets occur in the message, after its ids."""
        return self._octets.count(value, self._ids_end)

    def parameter_of(self, what: tuple[int, bool]) -> bytes:
        """Return the parameter of the only invocation, or the only result, with a code.

        Errors: ValueError if there are several, or none.
        """
        code, is_result = what
        found = [
            one.parameter
            for one in decode(self._octets).components
            if isinstance(one, ReturnResult if is_result else Invoke) and one.code == code
        ]
        if len(found) != 1 or not found[0]:
            raise ValueError("nobody knows which component is expected")
        return found[0]

    def place(self, which: int, value: bytes) -> None:
        """Make a slot of the octets of a value, which occur once. Errors: ValueError."""
        at = self._octets.index(value, self._ids_end)
        self._slots.append(Slot(at, at + len(value), which))
        self.template = self._made()

    def _made(self) -> Template:
        fields: set[LengthField] = set()
        try:
            for slot in self._slots:
                for at, first, last in ber.lengths_around(self._octets, slot.start, slot.stop):
                    fields.add(LengthField(at, first, first, last, ber.encode_length))
        except RemoteProtocolError as error:
            raise ValueError(str(error)) from None
        return Template(self._octets, self._slots, [*fields])


class Awaited(NamedTuple):
    """A message that is awaited. `sent_before`: number of messages that we send before it."""

    message: TcapMessage
    sent_before: int


class DialogueSource:
    """The dialogues of a run's instances; a recording.PathSource.

    sent, expected: arguments with expressions, by the index of their operation.
    """

    kind = "sigtran"

    def __init__(
        self,
        host: Host,
        gateway: SigtranGateway,
        scp: ScpNode | None,
        sent: Mapping[int, Sequence[Argument]],
        expected: Mapping[int, Sequence[Argument]],
    ) -> None:
        self._host = host
        self._gateway = gateway
        self._scp = scp
        self._sent_arguments = sent
        self._expected_arguments = expected
        self._dialogues: list[Any] = []
        self._sent: list[bytes] = []

    def owns(self, session: Session[Any]) -> bool:
        """Return True if a session of an instance is a TCAP dialogue."""
        return hasattr(session, "tcap")

    def replays(self, instance: Recorded, whole: Replay) -> None:
        """Add the past of each dialogue. Errors: ValueError."""
        self._dialogues = [one for one in instance.dialogues if self.owns(one)]
        if any(one.may_hear for one in self._dialogues):
            raise ValueError("a dialogue that is open at the end")
        messages = [one for one in instance.messages or () if isinstance(one, MessageRecord)]
        self._sent = [one.octets for one in messages if one.is_sent]
        came: dict[bytes, list[Receipt]] = {one.tcap.otid: [] for one in self._dialogues}
        for one in messages:
            if not one.is_sent:
                frame = frames.read(one.octets)
                receipts = None if frame is None else came.get((frame.dtid or b"").rjust(4, b"\0"))
                if receipts is None:
                    raise ValueError("a message without a dialogue")
                receipts.append(receipt_of(one, instance.started_at))
        for otid, receipts in came.items():
            whole.add(DialogueReplay(self._gateway, Past(otid, receipts, None, (), None), whole))

    def paths(self, replays: Sequence[DialogueReplay], whole: Replay) -> list["DialoguePath"]:
        """Return a path for each dialogue. Errors: ValueError."""
        by_number = {one.number: iter(one.sendings) for one in replays}
        order = [code // 2 for code in whole.log if not code % 2 and code // 2 in by_number]
        if [next(by_number[number]).octets for number in order] != self._sent:
            raise ValueError("it has sent something else")
        sent: list[dict[int, Sequence[Argument]]] = [{} for _ in replays]
        for position, arguments in whole.of_visited(self._sent_arguments).items():
            sent[_sender(replays, position)][position] = arguments
        return [
            DialoguePath(
                self._host,
                self._gateway,
                self._scp,
                replay,
                dialogue.variant,
                own,
                self._expected_arguments,
                [(position, fed) for position, _, fed in whole.noted[replay.number]],
            )
            for replay, dialogue, own in zip(replays, self._dialogues, sent, strict=True)
        ]


def _sender(replays: Sequence[DialogueReplay], position: int) -> int:
    """Return the index of the dialogue in which an operation sends: it sends a message, or its
    component goes with the next message. Errors: ValueError."""
    by = [[one.position for one in replay.sendings] for replay in replays]
    found = [at for at, senders in enumerate(by) if position in senders]
    found = found or [at for at, senders in enumerate(by) if senders and senders[-1] > position]
    if len(found) != 1:
        raise ValueError("nobody knows whose message it is in")
    return found[0]


class DialoguePath:
    """A dialogue of a recording, shared by its instances; a recording.GatewayPath."""

    lingers = False

    def __init__(
        self,
        host: Host,
        gateway: SigtranGateway,
        scp: ScpNode | None,
        replay: DialogueReplay,
        variant: str,
        sent: Mapping[int, Sequence[Argument]],
        expected: Mapping[int, Sequence[Argument]],
        taken_by: Sequence[tuple[int, int]],
    ) -> None:
        """taken_by: operations that have taken a message, with the number of received messages.

        Errors: ValueError if other instances can't do the same.
        """
        afters = [one.after for one in replay.sendings]
        if (
            not replay.came
            or replay.fed != replay.came
            or replay.answers_itself
            or afters.count(0) != 1
        ):
            raise ValueError("not a dialogue that others can follow")
        check_timers(replay)
        self.number = replay.number
        self.host = host
        self.gateway = gateway
        self.node = gateway.node
        self.has_links = not gateway.is_loopback
        self.keeps = host.keeps_messages and self.has_links
        self.on_stray = counting_strays(host.note_late)
        self.sent = [_message_of(one) for one in replay.sendings]
        self.awaited = [
            Awaited(_awaited(receipt), sum(after <= at for after in afters))
            for at, receipt in enumerate(replay.past.receipts)
        ]
        self._scp = scp
        self._variant = variant
        self._sent_arguments = sent
        self._expected_arguments = expected
        self._taken_by = taken_by
        self._links: list[Link] = []  # links with queued messages

    # -- recording -----------------------------------------------------------------------------

    def messages(self) -> tuple[list[TcapMessage], list[Awaited]]:
        """Return the messages that are sent, and the messages that are awaited."""
        return self.sent, self.awaited

    def sources(self) -> list[tuple[SlotSource, Place]]:
        """Return the sources of slot values, with their place functions. Errors: ValueError."""
        found: list[tuple[SlotSource, Place]] = []
        senders = [message.position for message in self.sent]
        for position, arguments in self._sent_arguments.items():
            # The component of an operation may be sent with the message of a later operation.
            by = next(one for one in senders if one >= position)
            messages = [message for message in self.sent if message.position == by]
            found += [
                (one.source(position, self._variant), partial(_place, messages))
                for one in arguments
            ]
        for position, fed in dict(self._taken_by).items():
            for one in self._expected_arguments.get(position, ()):
                message = self.awaited[fed - 1].message
                recorded = RecordedArgument(message.parameter_of(one.what), self._variant)
                found.append((one.source(position, recorded), partial(_place, [message])))
        return found

    def finish(self) -> None:
        """Do nothing: place() has updated the templates."""

    # -- replaying -----------------------------------------------------------------------------

    def is_free(self) -> bool:
        """Return True: a dialogue can always begin."""
        return True

    def join(self, instance: ReplayedInstance) -> "SlimDialogue":
        """Return the state of an instance; the dialogue begins with its first message."""
        return SlimDialogue(self, instance)

    def change(self, state: "SlimDialogue") -> None:
        """Take over a state that another recording made."""
        assert state.instance is not None
        state.path = self
        state.values = state.instance.values

    def send(self, state: "SlimDialogue", message: TcapMessage, now: float) -> bool:
        """Send a message. False: the instance has fallen back."""
        instance = state.instance
        assert instance is not None
        if not state.otid:
            try:
                self.gateway.admit(state, self._scp)
            except (GatewayError, LocalProtocolError):
                instance.fall_back(why="no dialogue")  # the ordinary instance reports the reason
                return False
        octets = message.template.fill(instance.values, (state.otid, state.rtid))
        state.sent += 1
        try:
            self._transmit(state, message, octets)
        except (GatewayError, LocalProtocolError):
            state.sent -= 1  # the ordinary instance tries again, and reports the error
            instance.fall_back(why="it could not be sent")
            return False
        if instance.pending is not None:
            return False
        path = state.path  # another path if the answer has come already and belongs to a branch
        is_over = state.sent == len(path.sent) and len(state.received) == len(path.awaited)
        if instance.is_ordered and is_over:
            path.close(state)
        return True

    def _transmit(self, state: "SlimDialogue", message: TcapMessage, octets: bytes) -> None:
        """Send octets, using the Lane of the message if there is one. Errors: as of transmit()."""
        network = self.node.network
        trail = state if self.keeps else None
        lane = message.lanes.get(len(octets))
        if lane is not None and lane.is_good and state.route in (None, lane.link):
            link = state.route = lane.link
            lane.send(octets, state.otid[-1], trail)
            if link not in self._links:
                self._links.append(link)
                assert state.instance is not None
                state.instance.flush(self._push)
            return
        assert network is not None
        outgoing = Outgoing(octets, message.called, message.calling, state.route, state, trail)
        if isinstance(network, SigtranNetwork):
            if message.looked_at != network.epoch:
                message.looked_at = network.epoch
                message.lanes.clear()
            if len(octets) not in message.lanes and len(message.lanes) < _MOST_LANES:
                message.lanes[len(octets)] = network.lane(outgoing)
        network.transmit(outgoing)

    def _push(self) -> None:
        links, self._links = self._links, []
        for link in links:
            link.push()

    def fits(
        self,
        state: "SlimDialogue",
        message: Awaited,
        values: Sequence[bytes],
        came: "Came",
    ) -> bool:
        """Return True if `came` equals the awaited message, octet by octet."""
        awaited = message.message
        frame = came.frame
        if (
            frame is None
            or state.sent != message.sent_before
            or not (came.called is awaited.called or came.called == awaited.called)
            or not (came.calling is awaited.calling or came.calling == awaited.calling)
        ):
            return False
        theirs = state.rtid or frame.otid or b""
        return awaited.template.fill(values, (state.otid, theirs)) == came.octets

    def has_received(self, state: "SlimDialogue", number: int, values: Sequence[bytes]) -> bool:
        """Return True if a message received on another recording fits this one too."""
        if number >= len(self.awaited):
            return False
        awaited, before = self.awaited[number], state.path.awaited[number]
        return (
            awaited.sent_before == before.sent_before
            and awaited.message.called == before.message.called
            and awaited.message.calling == before.message.calling
            and awaited.message.template.fill(values, (state.otid, state.rtid))
            == state.received[number][1]
        )

    def close(self, state: "SlimDialogue") -> None:
        """Reserve the transaction id for a while: the dialogue is over.

        The recording has no message after this; a later message makes the instance fall back.
        """
        if not state.is_closed:
            state.is_closed = True
            self.gateway.endpoint.dismiss(state, state.hear_stray)

    def pause(self, state: "SlimDialogue") -> None:
        """Release the id of a dialogue that has not begun."""
        if state.otid and not state.sent:
            self.forget(state)
            state.otid = b""

    def replay(self, state: "SlimDialogue", whole: Replay) -> DialogueReplay:
        """Return the past of a state."""
        receipts = [
            Receipt(at, octets, one.message.called, one.message.calling, route, came)
            for one, (at, octets, route, came) in zip(self.awaited, state.received, strict=False)
        ]
        values = state.values
        ids = state.otid, state.rtid
        sent = [message.template.fill(values, ids) for message in self.sent[: state.sent]]
        past = Past(state.otid, receipts, sent, state.carriers or (), state.route)
        made = DialogueReplay(self.gateway, past, whole)
        made.is_closed = state.is_closed
        if not whole.is_over:
            state.replay = made
        return made

    def over(self, state: "SlimDialogue") -> None:
        """Release the dialogue."""
        self.forget(state)

    def forget(self, state: "SlimDialogue") -> None:
        """Reserve the transaction id, if there is one, and count messages that still come."""
        if state.is_closed:
            self.gateway.endpoint.redirect_strays(state.otid, self.on_stray)
        elif state.otid:
            self.gateway.endpoint.dismiss(state, self.on_stray)

    def end(self) -> None:
        """Do nothing: the run is over."""


def _message_of(sending: SentMessage) -> TcapMessage:
    return TcapMessage(
        sending.octets, sending.called, sending.calling, sending.position, is_sent=True
    )


def _awaited(receipt: Receipt) -> TcapMessage:
    return TcapMessage(receipt.octets, receipt.called, receipt.calling, -1, is_sent=False)


def _place(messages: Sequence[TcapMessage], which: int, value: bytes) -> None:
    """Place a value in the message that contains it. Errors: ValueError unless it occurs once."""
    counts = [message.count(value) for message in messages]
    if sum(counts) != 1:
        raise ValueError("nobody knows where an argument is")
    messages[counts.index(1)].place(which, value)


class Came(NamedTuple):
    """A message that came, and its frame with the transaction ids."""

    octets: bytes
    called: Address
    calling: Address
    frame: Frame | None


class SlimDialogue(ReplayedDialogue):
    """One dialogue of an instance; a recording.PathState, and the Trail of its messages.

    received: (when, octets, route, what the link of the route received for the message).
    """

    __slots__ = (
        "carriers",
        "instance",
        "is_closed",
        "path",
        "received",
        "replay",
        "rtid",
        "sent",
        "taken",
        "values",
    )

    def __init__(self, path: DialoguePath, instance: ReplayedInstance) -> None:
        super().__init__()
        self.path = path
        self.instance: ReplayedInstance | None = instance
        self.values = instance.values
        self.replay: DialogueReplay | None = None  # made when the instance fell back; gets strays
        self.is_closed = False
        self.rtid = b""
        self.sent = 0
        self.taken = 0
        self.received: list[tuple[float, bytes, Any, Any]] = []
        self.carriers: list[Carrier] | None = None

    # -- as a dialogue of the endpoint ---------------------------------------------------------

    @property
    def state(self) -> DialogueState:
        """The state, as a Dialogue has it: the dialogue is open."""
        return DialogueState.ACTIVE if self.rtid else DialogueState.INIT_SENT

    @property
    def remote_address(self) -> Any:
        """The address of the peer, as a Dialogue has it."""
        path = self.path
        return path.awaited[0].message.calling if self.rtid else path.sent[0].called

    def on_message(
        self,
        octets: bytes,
        called: Address,
        calling: Address,
        route: Any,
        now: float,
        frame: Frame | None = None,
    ) -> None:
        """Accept a message that equals the next known one, octet by octet; otherwise fall back."""
        try:
            self._take(octets, called, calling, route, now, frame)
        except Exception as error:  # noqa: BLE001 - our own bug must not affect the link
            log.failure("the fast path failed", error)
            came = partial(
                self.path.node.deliver, octets, called, calling, snapshot_of(route, now)
            )
            self.fall_back(came)

    def _take(
        self,
        octets: bytes,
        called: Address,
        calling: Address,
        route: Any,
        now: float,
        frame: Frame | None,
    ) -> None:
        instance = self.instance
        came = Came(octets, called, calling, frame or frames.read(octets))
        at = len(self.received)
        awaited = self.path.awaited
        if (
            instance is None
            or instance.pending is not None
            or at >= len(awaited)
            or not (
                self.path.fits(self, awaited[at], instance.values, came)
                or instance.branch(self.path.number, came)
            )
        ):
            path = self.path
            then = partial(path.node.deliver, octets, called, calling, snapshot_of(route, now))
            if instance is not None:
                instance.differs(path.number, then)
            return
        path = self.path
        if not self.rtid and came.frame is not None and came.frame.otid is not None:
            self.rtid = came.frame.otid
        self.received.append((now, octets, route, route.came if path.has_links else None))
        instance.came(path.number, now)
        if instance.is_ordered and at + 1 == len(path.awaited) and self.sent == len(path.sent):
            path.close(self)

    def fall_back(self, then: Callable[[], object] | None = None) -> None:
        """Create the ordinary instance, which continues from here."""
        if self.instance is not None:
            self.instance.fall_back(then, "its dialogue was wanted")

    def hear_stray(self, type_: str) -> None:
        """Fall back: in the recording no message has come after the end of the dialogue."""
        if self.instance is not None:
            self.instance.fall_back(partial(self._tell_stray, type_), "a message after the end")

    def _tell_stray(self, type_: str) -> None:
        dialogue = None if self.replay is None else self.replay.dialogue
        if dialogue is not None and dialogue.on_stray is not None:
            dialogue.on_stray(type_)

    def carriers_spoke(self, since: float) -> bool:
        """Return True if a link has kept messages of its own since a moment."""
        routes = [route for _, _, route, _ in self.received] if self.path.has_links else []
        return any(route.log and route.log[-1].t >= since for route in routes)

    # -- for links: a tcap.dialogue.Trail --------------------------------------------------------

    def carried(self, by: Link, octets: bytes) -> None:
        """Keep the octets that a link has queued for the message that is being sent."""
        if self.carriers is None:
            self.carriers = []
        self.carriers.append(Carrier(self.sent - 1, by, octets))

    def lost(self) -> None:
        """Do nothing: the message could not be sent, and send() gets the error itself."""
