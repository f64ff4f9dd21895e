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
from tsvc.operations.following import PlayedPast
from tsvc.operations.usual import Then
from tsvc.protocols.tcap.dialogue import Dialogue, DialogueState, Stray
from tsvc.protocols.tcap.messages import decode
from tsvc.ss7.links import snapshot_of
from tsvc.transport.mailbox import Mailbox


class Receipt(NamedTuple):
    """A message as it came. `came`: what the link of `route` had received for it."""

    at: float
    octets: bytes
    called: Any
    calling: Any
    route: Any
    came: Any


class Carrier(NamedTuple):
    """What a link has sent for a message: for which one, from 0."""

    number: int
    link: Any
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
    """A message that the instance sent in its past."""

    after: int  # so many receipts
    octets: bytes
    called: Any
    calling: Any


class Play(PlayedPast):
    """A past and, if `thens` is a list, the way out of it; else it was over."""

    def __init__(
        self, gateway: SigtranGateway, past: Past, clock: Clock, thens: list[Then] | None = None
    ) -> None:
        super().__init__(clock, past.started_at, past.wall, thens)
        self.past = past
        self.fed = 0
        self.waits: list[
            float
        ] = []  # seconds that the instance would have waited for each receipt
        self.sendings: list[SentMessage] = []
        self.classes: set[int] = set()  # of invocations of ours that may be answered
        self.dialogue: Dialogue | None = None
        self.mailbox = _Mailbox(self)
        self._gateway = gateway

    def gateways(self, real: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the gateways of the instance."""
        return {**real, "sigtran": _Gateway(self._gateway, self)}

    # -- for what stands around the instance ---------------------------------------------------

    def open(self, user: Any, route: Any) -> Dialogue:
        """Return the dialogue of the call."""
        if self.dialogue is not None:
            raise LocalProtocolError("the usual way has one dialogue")
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

    def feed(self, seconds: float) -> bool:
        """Bring the next message that came; False: there is none.

        `seconds`: how long the instance is ready to wait for one.
        """
        past, dialogue = self.past, self.dialogue
        assert dialogue is not None
        if self.fed == len(past.receipts):
            return False
        at, octets, called, calling, route, came = past.receipts[self.fed]
        self.waits.append(seconds)
        self.fed += 1
        self.at = at
        if dialogue.tap is not None and past.sent is not None:
            dialogue.tap(False, octets, called, calling, snapshot_of(route, at, came))
        indication = dialogue.receive(decode(octets), calling)
        if indication is not None and dialogue.user is not None:
            dialogue.user.on_indication(indication)
        if dialogue.state is DialogueState.CLOSED:
            dialogue.user = None
        self.look()
        return True

    def swallow(self, dialogue: Dialogue, octets: bytes) -> bool:
        """Take a message that was sent then; False: it was not, and now all is live."""
        number, past = len(self.sendings), self.past
        if self.is_told:  # nothing was ever sent
            self.look()
            return False
        if past.sent is not None and past.sent[number : number + 1] != [(self.fed, octets)]:
            raise LocalProtocolError("the usual way went wrong: it had sent something else")
        called, calling = dialogue.remote_address, dialogue.local_address
        self.sendings.append(SentMessage(self.fed, octets, called, calling))
        trail = dialogue.tap(True, octets, called, calling, None) if dialogue.tap else None
        for carrier in past.carriers:
            if trail is not None and carrier.number == number:
                trail.carried(snapshot_of(carrier.link, self.at, ()), carrier.octets)
        return True

    def look(self) -> None:
        """If the past ends here, have the instance live, and deliver what has come since.

        That had come when the instance got its turn: before it does anything.
        """
        if self.is_over or self.is_live or not self.is_told:
            return
        assert self.dialogue is not None
        self.dialogue.route = self.past.route
        self._gateway.endpoint.adopt(self.dialogue)
        self.go_live()
        self.mailbox.old = len(self.mailbox)
        self.tell()


class Owner:
    """The endpoint, as the dialogue and the instance see it."""

    def __init__(self, play: Play, endpoint: Any) -> None:
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
    """The gateway, as the instance sees it."""

    def __init__(self, gateway: SigtranGateway, play: Play) -> None:
        self._gateway = gateway
        self._play = play
        self.endpoint = Owner(play, gateway.endpoint)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def open_dialogue(self, user: Any, route: Any = None) -> Dialogue:
        """Return the one dialogue."""
        return self._play.open(user, route)

    def mailbox(self) -> Mailbox[Any]:
        """Return what brings the past first."""
        return self._play.mailbox

    def flush(self) -> None:
        """Send what is queued, if there is somebody to send it to."""
        if self._play.is_live:
            self._gateway.flush()
        else:
            self._play.look()


class _Mailbox(Mailbox[Any]):
    """Brings the past to whoever waits."""

    __slots__ = ("_play", "old")

    def __init__(self, play: "Play") -> None:
        super().__init__()
        self._play = play
        self.old = 0  # items of the past that are left, when all is live

    def get(self, timeout_s: float) -> Any:
        play = self._play
        while not self._items and not play.is_live:
            if not play.feed(timeout_s):
                raise LocalProtocolError("the usual way went wrong: it was over")
        if not play.is_live:
            return self._items.popleft()
        if self.old:
            self.old -= 1
            return self._items.popleft()
        return super().get(max(timeout_s - play.leave_past(), 0.0))
