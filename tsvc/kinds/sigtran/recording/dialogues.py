"""Groups TCAP messages into dialogues by transaction id; the side that began is the client."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from tsvc.errors import RemoteProtocolError
from tsvc.kinds.sigtran.recording.carriers import FRAMINGS, PROTOCOLS, Carriers, Side, Unit
from tsvc.kinds.sigtran.recording.steps import dialogue_of
from tsvc.kinds.sigtran.recording.variants import Exchanged
from tsvc.protocols.tcap.messages import Message, MessageType, decode
from tsvc.record.packets import Remark, Tell
from tsvc.record.recorder import Dialogue, Recorder, Wanted, WireMessage, recorder
from tsvc.values import dataclass

_COPY_S = 1.0  # within this time, the same octets are a copy of the message on another link


class _Place(NamedTuple):
    """A possible place of a message: a dialogue, and the side that the message comes from."""

    talk: "_Talk"
    is_from_client: bool


@dataclass(slots=True)
class _Talk:
    """One dialogue: transaction ids and sides of both ends, and the exchanged messages."""

    client_id: bytes
    client: Side
    server: Side
    server_id: bytes | None = None
    is_over: bool = False
    exchanged: list[Exchanged] = field(default_factory=list)

    def has_said(self, unit: Unit) -> bool:
        """Return True if a message is a copy of one that was taken."""
        return any(
            one.unit.octets == unit.octets and abs(unit.time - one.unit.time) <= _COPY_S
            for one in self.exchanged
        )


class _Talks:
    """The dialogues of a capture."""

    def __init__(self, tell: Tell) -> None:
        self.all: list[_Talk] = []
        self._tell = tell
        self._by_client: dict[bytes, list[_Talk]] = {}
        self._by_server: dict[bytes, list[_Talk]] = {}

    def take(self, unit: Unit) -> None:
        """Add one message; messages come in the order of time."""
        try:
            message = decode(unit.octets)
        except RemoteProtocolError as error:
            self._tell(Remark(unit.packet, error.offset or 0, f"TCAP: {error}"))
            return
        if message.dialogue_problem:
            text = f"TCAP: the dialogue portion can't be read: {message.dialogue_problem}"
            self._tell(Remark(unit.packet, 0, text))
        if message.type is MessageType.UNIDIRECTIONAL:
            self._tell(Remark(unit.packet, 0, "TCAP: a UNI belongs to no dialogue"))
        elif message.type is MessageType.BEGIN:
            self._begin(unit, message)
        else:
            self._go_on(unit, message)

    def _begin(self, unit: Unit, message: Message) -> None:
        assert message.otid is not None
        known = self._by_client.setdefault(message.otid, [])
        if any(talk.has_said(unit) for talk in known):
            return
        talk = _Talk(message.otid, unit.source, unit.destination)
        talk.exchanged.append(Exchanged(unit, message, is_from_client=True))
        known.append(talk)
        self.all.append(talk)

    def _go_on(self, unit: Unit, message: Message) -> None:
        places = list(self._places(message))
        if any(place.talk.has_said(unit) for place in places):
            return
        places = [place for place in places if not place.talk.is_over]
        # Choose the dialogue whose sides agree best; among equal ones the newest.
        places.sort(key=lambda place: _agrees(place, unit))
        if not places:
            text = f"TCAP: {message.type.name} of a dialogue whose BEGIN was not captured"
            self._tell(Remark(unit.packet, 0, text))
            return
        talk, is_from_client = places[-1]
        if not is_from_client and talk.server_id is None and message.otid is not None:
            talk.server_id = message.otid
            self._by_server.setdefault(message.otid, []).append(talk)
        talk.exchanged.append(Exchanged(unit, message, is_from_client))
        talk.is_over = message.type in (MessageType.END, MessageType.ABORT)

    def _places(self, message: Message) -> Iterator[_Place]:
        """Yield the places that fit the ids of a message, the newest dialogues last."""
        assert message.dtid is not None
        for talk in self._by_client.get(message.dtid, ()):
            if message.otid is None or talk.server_id in (None, message.otid):
                yield _Place(talk, is_from_client=False)
        for talk in self._by_server.get(message.dtid, ()):
            if message.otid in (None, talk.client_id):
                yield _Place(talk, is_from_client=True)


def _agrees(place: _Place, unit: Unit) -> int:
    """Return how many nodes of a message agree with those of the dialogue."""
    source, destination = place.talk.client, place.talk.server
    if not place.is_from_client:
        source, destination = destination, source
    pairs = (
        (source.pc, unit.source.pc),
        (destination.pc, unit.destination.pc),
        (source.end, unit.source.end),
        (destination.end, unit.destination.end),
    )
    return sum(one is not None and one == other for one, other in pairs)


def _dialogues(messages: Sequence[WireMessage], wanted: Wanted, tell: Tell) -> list[Dialogue]:
    talks = _Talks(tell)
    for unit in _in_order(Carriers(tell).units(messages)):
        talks.take(unit)
    return [
        dialogue_of(
            talk.exchanged, frozenset(talk.client.names()), frozenset(talk.server.names()), wanted
        )
        for talk in talks.all
    ]


def _in_order(units: Iterable[Unit]) -> list[Unit]:
    return sorted(units, key=lambda unit: (unit.time, unit.packet))


recorder("sigtran", Recorder(PROTOCOLS, FRAMINGS, _dialogues))
