"""The past of one TCAP dialogue, as it is replayed to an ordinary instance.

The gateway of the instance opens the dialogues of the past, swallows sent messages, and delivers
the received messages when the instance waits. Where the past ends, the dialogue replaces the
dialogue of the fast path at the endpoint, and the instance is live. From there on this gateway
only forwards calls.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tsvc.errors import LocalProtocolError
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.operations.fast_path.replay import PathReplay, Replay
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.dialogue import Dialogue, Stray
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import decode
from tsvc.protocols.tcap.states import DialogueState
from tsvc.results.records import MessageRecord
from tsvc.ss7.links import Link, snapshot_of
from tsvc.ss7.tcap_node import User
from tsvc.transport.mailbox import Mailbox


class Receipt(NamedTuple):
    """A message that came. `came`: what the link of `route` had received for the message."""

    at: float
    octets: bytes
    called: Address
    calling: Address
    route: Any
    came: Any


def receipt_of(record: MessageRecord, started_at: float) -> Receipt:
    """Return the Receipt of a received message that an instance has kept."""
    assert record.called is not None, "what has come has both addresses"
    assert record.calling is not None
    at = started_at + record.t
    return Receipt(at, record.octets, record.called, record.calling, None, None)


class Carrier(NamedTuple):
    """The octets that a link has sent for a message. `number`: index of the sent message."""

    number: int
    link: Link
    octets: bytes


class Past(NamedTuple):
    """The past of a dialogue.

    sent:     its messages; None: any message may be sent (the dialogue is being recorded).
    carriers: what links sent for these messages, if kept.
    route:    the route of the dialogue at the end of the past.
    """

    otid: bytes
    receipts: Sequence[Receipt]
    sent: Sequence[bytes] | None
    carriers: Sequence[Carrier]
    route: Any


class SentMessage(NamedTuple):
    """A message that the instance sent in its past. `position`: index of the operation."""

    after: int  # number of messages that had come before
    octets: bytes
    called: Address
    calling: Address
    position: int


class Timer(NamedTuple):
    """The timer of an invocation. `after`: number of messages that had come before it was sent."""

    invoke_id: int
    operation_class: int
    after: int
    seconds: float


class DialogueReplay(PathReplay):
    """The past of one dialogue."""

    def __init__(self, gateway: SigtranGateway, past: Past, whole: Replay) -> None:
        super().__init__(whole)
        self.past = past
        self.sendings: list[SentMessage] = []
        self.timers: list[Timer] = []  # of invocations of ours
        self.answers_itself = False  # True if handling a received message sent a message
        self.is_closed = False  # the id of the dialogue is released already
        self.dialogue: Dialogue | None = None
        self.mailbox: _Mailbox | None = _Mailbox(self)
        self._gateway = gateway
        self._is_bringing = False

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        before = real.get("sigtran")
        if isinstance(before, _Gateway):
            before.add(self)
            return real
        return {**real, "sigtran": _Gateway(self._gateway, self)}

    # -- for the gateway of the instance -------------------------------------------------------

    def open(self, user: User, route: object) -> Dialogue:
        """Return the dialogue of the past."""
        self.dialogue = Dialogue(Owner(self, self._gateway.endpoint), self.past.otid)
        self.dialogue.user = user
        self.dialogue.route = route
        return self.dialogue

    @property
    def came(self) -> int:
        """Number of messages that came in the past."""
        return len(self.past.receipts)

    def feed(self, seconds: float) -> bool:
        """Deliver the next message that came; return False if there is none.

        `seconds`: how long the instance would wait for a message.
        """
        self.waits.append(seconds)
        return self.whole.bring_for(self)

    def bring(self) -> None:
        """Deliver the next message that came."""
        past, dialogue = self.past, self.dialogue
        if dialogue is None:
            raise LocalProtocolError("the fast path went wrong: it has not begun")
        at, octets, called, calling, route, came = past.receipts[self.fed]
        self.fed += 1
        self.whole.time.at = at
        if dialogue.tap is not None and past.sent is not None:
            dialogue.tap(False, octets, called, calling, snapshot_of(route, at, came))
        self._is_bringing = True
        indication = dialogue.receive(decode(octets), calling)
        if indication is not None and dialogue.user is not None:
            dialogue.user.on_indication(indication)
        self._is_bringing = False
        if dialogue.state is DialogueState.CLOSED:
            dialogue.user = None

    def swallow(self, dialogue: Dialogue, octets: bytes) -> bool:
        """Accept a message that was sent in the past; False: it was not, and now all is live."""
        number, past = len(self.sendings), self.past
        self.answers_itself |= self._is_bringing
        if not self.whole.sends(self):
            return False
        if past.sent is not None and past.sent[number : number + 1] != [octets]:
            raise LocalProtocolError("the fast path went wrong: it had sent something else")
        called, calling = dialogue.remote_address, dialogue.local_address
        position = self.whole.position()
        self.sendings.append(SentMessage(self.fed, octets, called, calling, position))
        trail = dialogue.tap(True, octets, called, calling, None) if dialogue.tap else None
        for carrier in past.carriers:
            if trail is not None and carrier.number == number:
                trail.carried(snapshot_of(carrier.link, self.whole.time.at, ()), carrier.octets)
        return True

    def adopt(self) -> None:
        """Register the dialogue at the endpoint; if it is over, only for stray messages."""
        dialogue, endpoint = self.dialogue, self._gateway.endpoint
        if dialogue is None:
            return
        dialogue.route = self.past.route
        if not self.is_closed:
            endpoint.adopt(dialogue)
        elif dialogue.on_stray is not None:
            endpoint.redirect_strays(dialogue.otid, dialogue.on_stray)

    def settle(self) -> None:
        """Mark the messages in the mailbox as messages of the past."""
        if self.mailbox is not None:
            self.mailbox.old = len(self.mailbox)

    def release(self) -> None:
        """Break the reference cycle: the instance has the dialogue and the mailbox."""
        self.dialogue = self.mailbox = None


class Owner:
    """The endpoint, as the dialogue and the instance see it."""

    def __init__(self, replay: DialogueReplay, endpoint: Endpoint) -> None:
        self._replay = replay
        self._endpoint = endpoint

    def send(self, dialogue: Dialogue, octets: bytes) -> None:
        """Queue a message unless it was sent in the past."""
        if self._replay.is_live or not self._replay.swallow(dialogue, octets):
            self._replay.whole.leave_past()
            self._endpoint.send(dialogue, octets)

    def start_timer(self, dialogue: Dialogue, invoke_id: int, deadline: float) -> None:
        """Run an invocation timer; timers of the past start when all is live."""
        if self._replay.is_live:
            self._endpoint.start_timer(dialogue, invoke_id, deadline)
        else:
            replay = self._replay
            class_ = dialogue.invocations[invoke_id].operation_class
            seconds = deadline - replay.whole.clock.now()
            replay.timers.append(Timer(invoke_id, class_, replay.fed, seconds))

    def release(self, dialogue: Dialogue) -> None:
        """Release a dialogue that is over."""
        if self._replay.is_live:
            self._endpoint.release(dialogue)
        else:
            dialogue.state = DialogueState.CLOSED
            dialogue.invocations.clear()
            dialogue.tap = None

    def redirect_strays(self, otid: bytes, on_stray: Stray) -> None:
        """Replace the receiver of stray messages. A past that is over has a receiver already."""
        if self._replay.is_live:
            self._endpoint.redirect_strays(otid, on_stray)


class _Gateway:
    """The gateway, as the instance sees it: the first dialogue is that of the first replay."""

    def __init__(self, gateway: SigtranGateway, replay: DialogueReplay) -> None:
        self._gateway = gateway
        self._replays = [replay]
        self._opened = 0
        self._mailbox: Mailbox[Any] | None = replay.mailbox
        self.endpoint = Owner(replay, gateway.endpoint)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def add(self, replay: DialogueReplay) -> None:
        """Add a replay, which provides the next dialogue."""
        self._replays.append(replay)

    def open_dialogue(self, user: User, route: object = None) -> Dialogue:
        """Return the dialogue of the past; a new one if the past has no more dialogues.

        Errors: GatewayError, LocalProtocolError.
        """
        replay = self._replays[self._opened] if self._opened < len(self._replays) else None
        self._opened += 1
        if replay is not None and replay.past.otid:
            self._mailbox = replay.mailbox
            return replay.open(user, route)
        self._replays[0].whole.finish()
        if not self._replays[0].is_live:
            raise LocalProtocolError("the fast path went wrong: it had begun no other dialogue")
        self._replays[0].whole.leave_past()
        self._mailbox = self._gateway.mailbox()
        return self._gateway.open_dialogue(user, route)

    def mailbox(self) -> Mailbox[Any]:
        """Return the mailbox of the dialogue opened last; it delivers the past first."""
        assert self._mailbox is not None
        return self._mailbox

    def flush(self) -> None:
        """Send queued messages if all is live; otherwise become live if the past ends here."""
        if self._replays[0].is_live:
            self._gateway.flush()
        else:
            self._replays[0].whole.look()


class _Mailbox(Mailbox[Any]):
    """Delivers the messages of the past to the waiting instance."""

    __slots__ = ("_replay", "old")

    def __init__(self, replay: "DialogueReplay") -> None:
        super().__init__()
        self._replay = replay
        self.old = 0  # remaining items of the past, once all is live

    def get(self, timeout_s: float) -> Any:
        replay = self._replay
        whole = replay.whole
        began = whole.clock.now()
        if not replay.is_live:
            whole.current = replay
        while not self._items and not replay.is_live:
            if not replay.feed(timeout_s):
                raise LocalProtocolError("the fast path went wrong: it was over")
        if not replay.is_live:
            return self._items.popleft()
        if self.old:
            self.old -= 1
            return self._items.popleft()
        return super().get(max(timeout_s - whole.leave_past(began), 0.0))
