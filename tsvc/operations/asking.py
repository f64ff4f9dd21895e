"""What tracks and legs of kinds have in common whose operations ask and wait: Diameter, REST.

An instance sends its requests one after the other, each when the answer to the one before has
come. A kind adds what a request is made of, how it is sent, and which answer is the one that was
judged (kinds/diameter/track, kinds/rest/track, and leg there). Nothing here switches.
"""

from typing import Any

from tsvc.clock import Clock
from tsvc.operations.following import Leaver, Patience, PlayedPast, Whole
from tsvc.operations.together import JointPassage, JointPlay, Own
from tsvc.operations.usual import Host, Played, Then
from tsvc.results.records import ExchangeRecord


class AskingTrack:
    """What all instances of a run have in common; a usual.Track.

    `exchanges`: requests that instances send, and the answers that were judged. Each has its
    `waits`, and whose wait it is: `noted`, the index of the operation and a name.
    """

    exchanges: list[Any]

    def __init__(self, host: Host) -> None:
        self.is_known = False
        self.host = host
        self.exchanges = []
        self._patience = Patience(host.clock)

    def run(self, one: Any) -> None:
        """Send its first request."""
        self._ask(one, one.started_at)

    def _ask(self, one: Any, now: float) -> None:
        """Send the next request."""
        raise NotImplementedError

    def _go_on(self, one: Any, now: float) -> None:
        """The answer has come: send the next request, if there is one."""
        if len(one.answers) < len(self.exchanges):
            self._ask(one, now)
        else:
            self._finish(one, now)

    def _finish(self, one: Any, _: float) -> None:
        """It has passed."""
        one.finished_at = one.answers[-1][0]
        self.over(one)
        self.host.finished(one)

    def over(self, one: Any) -> None:
        """Let go of what one has that has passed, and count its waits."""
        one.forget()
        note = self.host.note_latency
        for exchange, sent, (at, _) in zip(self.exchanges, one.sent, one.answers, strict=True):
            position, name = exchange.noted
            note(one.idx, position, name, at - sent.at)

    def pause(self, one: Any) -> None:
        """Wait for nothing."""
        if len(one.sent) > len(one.answers):
            self.exchanges[len(one.answers)].waits.until.pop(one, None)

    def play_of(
        self, one: Any, thens: list[Then] | None = None, whole: JointPlay | None = None
    ) -> Any:
        """Return what was of one until now, as a kind's play."""
        raise NotImplementedError

    def leave(self, one: Any, thens: list[Then]) -> None:
        """Have the ordinary instance made of one."""
        self.pause(one)
        play = self.play_of(one, thens)
        self.host.deviate(one, play)
        one.play = play

    def end(self) -> None:
        """The run is over."""
        self._patience.end()


class Asker(Leaver):
    """An instance on a track, or its part of a leg: a usual.Passage that waits for answers.

    `sent`: what is kept of requests, each with the moment `at`.
    """

    __slots__ = ("answers", "finished_at", "idx", "planned_at", "sent", "started_at")

    def __init__(self, track: AskingTrack, idx: int, planned_at: float, now: float) -> None:
        self._track = track
        self.play = None
        self.thens = None
        self.idx = idx
        self.planned_at = planned_at
        self.started_at = now
        self.finished_at = 0.0
        self.sent: list[Any] = []
        self.answers: list[tuple[float, bytes]] = []  # (when, octets)

    def answered(self, now: float, octets: bytes) -> None:
        """Take in the answer that was judged."""
        self.answers.append((now, octets))

    # -- for the engine ------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """Index of the operation that waits."""
        exchanges = self._track.exchanges
        found: int = exchanges[min(len(self.answers), len(exchanges) - 1)].noted[0]
        return found

    def past(self) -> Any:
        """Return what was, of one that is over."""
        return self._track.play_of(self)

    def carriers_spoke(self) -> bool:
        """Connections keep nothing of their own."""
        return False


class AskingLeg(AskingTrack):
    """A together.Leg beside a kind's track: it goes on only where it has its turn.

    Its steps are the answers.
    """

    counts_sends = False
    number = 0
    own: Own | None = None

    @property
    def steps_count(self) -> int:
        """How many answers come."""
        return len(self.exchanges)

    def go(self, part: Any, until: int, now: float) -> bool:
        """Send the next request, unless all have their answers up to a step."""
        if len(part.answers) == until:
            return True
        part.whole.order.append(2 * self.number)
        self._ask(part, now)
        return False

    def _go_on(self, one: Any, now: float) -> None:
        """The answer has come."""
        if one.whole is not None:
            one.whole.go_on(now)

    def play(self, part: Any, whole: JointPlay) -> Any:
        """Return what was, as a part of a play."""
        made = self.play_of(part, None, whole)
        if not whole.is_over:
            part.play = made
        return made

    def counts(self, part: Any) -> tuple[int, int]:
        """Return how many requests have gone, and how many answers have come."""
        return len(part.sent), len(part.answers)

    def position(self, part: Any) -> int:
        """Index of the operation that waits."""
        position: int = part.position
        return position

    def forget(self, part: Any) -> None:
        """The ordinary instance has ended before it got there."""
        part.forget()


class AskingPart(Asker):
    """A together.Part beside a kind's passage."""

    __slots__ = ()

    whole: JointPassage | None

    def answered(self, now: float, octets: bytes) -> None:
        """Take in the answer that was judged."""
        super().answered(now, octets)
        if self.whole is not None:
            self.whole.order.append(2 * self._track.number + 1)

    def leave(self, then: Then | None = None) -> None:
        """Have the ordinary instance made, which goes on from here."""
        if self.whole is not None:
            self.whole.leave(then)


class AskingPlay(PlayedPast):
    """A past and, if `thens` is a list, the way out of it; else it was over.

    `past`: a kind's, with `started_at`, `wall` and `answers`, each (when, octets), which came in
    the order of requests; there may be one less than these.
    """

    is_in_turn = True
    number = 0  # of a part

    def __init__(
        self,
        past: Any,
        clock: Clock,
        thens: list[Then] | None = None,
        whole: Whole | None = None,
    ) -> None:
        super().__init__(clock, past.started_at, past.wall, thens, whole)
        self.past: Any = past
        self.fed = 0

    @property
    def came(self) -> int:
        """How many answers came then."""
        return len(self.past.answers)

    def bring(self) -> None:
        """Have the next answer that came."""
        self.at = self.past.answers[self.fed][0]
        self.fed += 1


def exchanged(
    instance: Played, protocol: str
) -> tuple[list[ExchangeRecord], list[ExchangeRecord]]:
    """Return what an instance has sent and received, one after the other, of one protocol.

    Errors: ValueError if it did otherwise.
    """
    records = [
        one
        for one in instance.messages or ()
        if isinstance(one, ExchangeRecord) and one.protocol == protocol
    ]
    sent, received = records[::2], records[1::2]
    if (
        len(sent) != len(received)
        or not sent
        or not all(one.is_sent for one in sent)
        or any(one.is_sent for one in received)
    ):
        raise ValueError("several requests on their way, or none")
    return sent, received
