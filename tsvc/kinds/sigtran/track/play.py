"""The past of a call, played to an ordinary instance, which then is where the call was.

The instance has a gateway that makes it one dialogue, swallows what it sends and, when it waits,
brings what the call has received, at the times of then. Where the past ends the dialogue takes the
call's place at the endpoint and the instance is live: from there on all this only passes on.

What is swallowed is held against what the call has sent: if that is not the same to the octet,
the theory is wrong, and the instance aborts with words that say so.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tsvc.clock import Clock
from tsvc.errors import LocalProtocolError
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.operations.following import PlayedPast, Whole
from tsvc.operations.usual import Then
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
    """A message as it came. `came`: what the link of `route` had received for it."""

    at: float
    octets: bytes
    called: Address
    calling: Address
    route: Any
    came: Any


def receipt_of(record: MessageRecord, started_at: float) -> Receipt:
    """Return what an instance has kept of a message that came."""
    assert record.called is not None, "what has come has both addresses"
    assert record.calling is not None
    at = started_at + record.t
    return Receipt(at, record.octets, record.called, record.calling, None, None)


class Carrier(NamedTuple):
    """What a link has sent for a message: for which one, from 0."""

    number: int
    link: Link
    octets: bytes


class Past(NamedTuple):
    """What was of a call.

    `sent`: its messages, with the number of receipts before each; None: whatever is sent (a track
    is being learnt). `carriers`: what links sent for them, if that was kept. `wall`: the time of
    day when it started. `route`: of its dialogue at the end.
    """

    otid: bytes
    started_at: float
    wall: float
    receipts: Sequence[Receipt]
    sent: Sequence[tuple[int, bytes]] | None
    carriers: Sequence[Carrier]
    route: Any


class SentMessage(NamedTuple):
    """A message that the instance sent in its past, by the operation of an index."""

    after: int  # so many receipts
    octets: bytes
    called: Address
    calling: Address
    position: int


class Play(PlayedPast):
    """A past and, if `thens` is a list, the way out of it; else it was over."""

    is_in_turn = False
    number = 0  # of a part

    def __init__(
        self,
        gateway: SigtranGateway,
        past: Past,
        clock: Clock,
        thens: list[Then] | None = None,
        whole: Whole | None = None,
    ) -> None:
        super().__init__(clock, past.started_at, past.wall, thens, whole)
        self.past = past
        self.fed = 0
        self.waits: list[
            float
        ] = []  # seconds that the instance would have waited for each receipt
        self.sendings: list[SentMessage] = []
        self.classes: set[int] = set()  # of invocations of ours that may be answered
        self.answers_itself = False  # something was sent because something came
        self.is_closed = False  # the id of the dialogue rests already
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

    # -- for what stands around the instance ---------------------------------------------------

    def open(self, user: User, route: object) -> Dialogue:
        """Return the dialogue of the call."""
        self.dialogue = Dialogue(Owner(self, self._gateway.endpoint), self.past.otid)
        self.dialogue.user = user
        self.dialogue.route = route
        return self.dialogue

    @property
    def is_told(self) -> bool:
        """Whether all of the past has been played."""
        past = self.past
        is_sent = past.sent is not None and len(self.sendings) == len(past.sent)
        return is_sent and self.fed == len(past.receipts)

    @property
    def came(self) -> int:
        """How many messages came then."""
        return len(self.past.receipts)

    def feed(self, seconds: float) -> bool:
        """Bring the next message that came; False: there is none.

        `seconds`: how long the instance is ready to wait for one.
        """
        self.waits.append(seconds)
        if self.whole is not None:
            return self.whole.bring_for(self)
        if self.fed == len(self.past.receipts):
            return False
        self.bring()
        self.look()
        return True

    def bring(self) -> None:
        """Bring the next message that came."""
        past, dialogue = self.past, self.dialogue
        if dialogue is None:
            raise LocalProtocolError("the usual way went wrong: it has not begun")
        at, octets, called, calling, route, came = past.receipts[self.fed]
        self.fed += 1
        self.at = at
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
        """Take a message that was sent then; False: it was not, and now all is live."""
        number, past = len(self.sendings), self.past
        self.answers_itself |= self._is_bringing
        if self.whole is not None:
            if not self.whole.sends(self):
                return False
            is_it = past.sent is None or (
                number < len(past.sent) and past.sent[number][1] == octets
            )
        elif self.is_told:  # nothing was ever sent
            self.look()
            return False
        else:
            is_it = past.sent is None or past.sent[number : number + 1] == [(self.fed, octets)]
        if not is_it:
            raise LocalProtocolError("the usual way went wrong: it had sent something else")
        called, calling = dialogue.remote_address, dialogue.local_address
        position = self.position() if self.whole is None else self.whole.position()
        self.sendings.append(SentMessage(self.fed, octets, called, calling, position))
        trail = dialogue.tap(True, octets, called, calling, None) if dialogue.tap else None
        for carrier in past.carriers:
            if trail is not None and carrier.number == number:
                trail.carried(snapshot_of(carrier.link, self.at, ()), carrier.octets)
        return True

    def adopt(self) -> None:
        """Have the dialogue among those of the endpoint; of one that is over be told of strays."""
        dialogue, endpoint = self.dialogue, self._gateway.endpoint
        if dialogue is None:
            return
        dialogue.route = self.past.route
        if not self.is_closed:
            endpoint.adopt(dialogue)
        elif dialogue.on_stray is not None:
            endpoint.redirect_strays(dialogue.otid, dialogue.on_stray)

    def settle(self) -> None:
        """What is in the mailbox had come then."""
        if self.mailbox is not None:
            self.mailbox.old = len(self.mailbox)

    def let_go(self) -> None:
        """Without circles, what is over goes at once: the instance has dialogue and mailbox."""
        self.dialogue = self.mailbox = None

    def forget(self) -> None:
        """Let go of whoever listens."""
        super().forget()
        if self.is_over:
            self.let_go()


class Owner:
    """The endpoint, as the dialogue and the instance see it."""

    def __init__(self, play: Play, endpoint: Endpoint) -> None:
        self._play = play
        self._endpoint = endpoint

    def send(self, dialogue: Dialogue, octets: bytes) -> None:
        """Queue a message, if it was not sent then."""
        if self._play.is_live or not self._play.swallow(dialogue, octets):
            self._play.leave_past()
            self._endpoint.send(dialogue, octets)

    def start_timer(self, dialogue: Dialogue, invoke_id: int, deadline: float) -> None:
        """Run an invocation timer; those of the past when all is live."""
        if self._play.is_live:
            self._endpoint.start_timer(dialogue, invoke_id, deadline)
        else:
            self._play.classes.add(dialogue.invocations[invoke_id].operation_class)

    def release(self, dialogue: Dialogue) -> None:
        """Forget a dialogue that is over."""
        if self._play.is_live:
            self._endpoint.release(dialogue)
        else:
            dialogue.state = DialogueState.CLOSED
            dialogue.invocations.clear()
            dialogue.tap = None

    def redirect_strays(self, otid: bytes, on_stray: Stray) -> None:
        """Tell somebody else of strays; of a past that is over somebody is told already."""
        if self._play.is_live:
            self._endpoint.redirect_strays(otid, on_stray)


class _Gateway:
    """The gateway, as the instance sees it: the first dialogue is that of the first play."""

    def __init__(self, gateway: SigtranGateway, play: Play) -> None:
        self._gateway = gateway
        self._plays = [play]
        self._opened = 0
        self._mailbox: Mailbox[Any] | None = play.mailbox
        self.endpoint = Owner(play, gateway.endpoint)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def add(self, play: Play) -> None:
        """Have the next dialogue be that of a play."""
        self._plays.append(play)

    def open_dialogue(self, user: User, route: object = None) -> Dialogue:
        """Return the dialogue of then; a new one, if it was not begun then. Errors: GatewayError,
        LocalProtocolError."""
        play = self._plays[self._opened] if self._opened < len(self._plays) else None
        self._opened += 1
        if play is not None and play.past.otid:
            self._mailbox = play.mailbox
            return play.open(user, route)
        self._plays[0].finish()
        if not self._plays[0].is_live:
            raise LocalProtocolError("the usual way went wrong: it had begun no other dialogue")
        self._plays[0].leave_past()
        self._mailbox = self._gateway.mailbox()
        return self._gateway.open_dialogue(user, route)

    def mailbox(self) -> Mailbox[Any]:
        """Return what brings the past first, of the dialogue that was opened last."""
        assert self._mailbox is not None
        return self._mailbox

    def flush(self) -> None:
        """Send what is queued, if there is somebody to send it to."""
        if self._plays[0].is_live:
            self._gateway.flush()
        else:
            self._plays[0].look()


class _Mailbox(Mailbox[Any]):
    """Brings the past to whoever waits."""

    __slots__ = ("_play", "old")

    def __init__(self, play: "Play") -> None:
        super().__init__()
        self._play = play
        self.old = 0  # items of the past that are left, when all is live

    def get(self, timeout_s: float) -> Any:
        play = self._play
        began = play.clock.now()
        if play.whole is not None and not play.is_live:
            play.whole.current = play
        while not self._items and not play.is_live:
            if not play.feed(timeout_s):
                raise LocalProtocolError("the usual way went wrong: it was over")
        if not play.is_live:
            return self._items.popleft()
        if self.old:
            self.old -= 1
            return self._items.popleft()
        return super().get(max(timeout_s - play.leave_past(began), 0.0))
