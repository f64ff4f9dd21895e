"""Segmentation of long data into XUDT or LUDT, and reassembly at the other end (Q.714).

It must not know transports or clocks: `now` is monotonic seconds. The segments of one message have
the same calling address, source and local reference, are of class 1, and count down to 0.
"""

from dataclasses import field, replace
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.protocols.sccp.address import Address, Network, encode_address
from tsvc.protocols.sccp.messages import (
    LONG_MAX_DATA_OCTETS,
    MTP_MAX_OCTETS,
    RETURN_ON_ERROR,
    ExtendedUnitdata,
    ReturnCause,
    Segmentation,
    encode_optional,
)
from tsvc.values import dataclass

MAX_SEGMENTS = 16
_SEGMENTED_CLASS = 1


@dataclass(frozen=True, slots=True)
class ReassembledInd:
    """A whole message; its options no longer have a segmentation.

    `tags`: the `tag` that receive() got with each of its segments, in order.
    """

    message: ExtendedUnitdata
    tags: tuple[Any, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class ReassemblyFailedInd:
    """A message that can't be reassembled.

    `first`: its first segment, or the segment at fault if there is no first. If `must_return`, it
    has asked for return on error: send `returned(first, cause)`.
    """

    first: ExtendedUnitdata
    cause: ReturnCause
    reason: str

    @property
    def must_return(self) -> bool:
        """True if the sender wants the message back."""
        return bool(self.first.handling & RETURN_ON_ERROR)


Indication = ReassembledInd | ReassemblyFailedInd
Key = tuple[int | None, Address, int]


def segment(
    message: ExtendedUnitdata,
    local_reference: int,
    *,
    network: Network = Network.ITU,
    max_octets: int = MTP_MAX_OCTETS,
) -> list[ExtendedUnitdata]:
    """Cut a message into as few segments as possible; a message that fits is not changed.

    Units:   `local_reference`: 24 bits, not used by another message of this sender at the time.
    Errors:  LocalProtocolError if 16 segments are not enough, or an address can't be encoded.
    """
    if len(message.data) <= _room(message, network, max_octets):
        return [message]
    # The values do not matter for the room: the segmentation parameter has a fixed size.
    room = _room(_segment(message, b"", local_reference, 0, is_first=True), network, max_octets)
    if len(message.data) > room * MAX_SEGMENTS:
        raise LocalProtocolError(
            f"{len(message.data)} octets of data, {MAX_SEGMENTS} segments of {max(room, 0)} fit",
            path="segmentation",
        )
    # Only the last piece may be shorter: the receiver derives the expected total from the first.
    starts = range(0, len(message.data), room)
    return [
        _segment(
            message,
            message.data[start : start + room],
            local_reference,
            len(starts) - 1 - index,
            is_first=index == 0,
        )
        for index, start in enumerate(starts)
    ]


class Reassembler:
    """Collects segments; T(reassembly) and a limit of open messages bound what it keeps."""

    def __init__(self, timeout_s: float = 15.0, max_open: int = 1000) -> None:
        self._timeout_s = timeout_s
        self._max_open = max_open
        # All have the same timeout, so the first is always the oldest.
        self._open: dict[Key, _Open] = {}

    def receive(
        self, message: ExtendedUnitdata, now: float, opc: int | None = None, tag: object = None
    ) -> list[Indication]:
        """Process an XUDT or LUDT; a message without segmentation is returned as it is.

        `tag`: any object; it is returned with the whole message.
        """
        segmentation = message.options.segmentation
        if segmentation is None:
            return [ReassembledInd(message, (tag,))]
        key = (opc, message.calling_party_address, segmentation.local_reference)
        if segmentation.is_first:
            return self._start(key, message, segmentation, now, tag)
        return self._continue(key, message, segmentation, tag)

    def next_timer(self) -> float | None:
        """Return when the oldest open message times out, None without one."""
        oldest = next(iter(self._open.values()), None)
        return oldest.deadline if oldest else None

    def handle_timer(self, now: float) -> list[Indication]:
        """Give up the messages whose time is over."""
        indications: list[Indication] = []
        while (deadline := self.next_timer()) is not None and deadline <= now:
            key = next(iter(self._open))
            text = f"a segment did not arrive within {self._timeout_s:g} s"
            indications.append(self._fail(key, text))
        return indications

    def _start(
        self,
        key: Key,
        message: ExtendedUnitdata,
        segmentation: Segmentation,
        now: float,
        tag: object,
    ) -> list[Indication]:
        indications: list[Indication] = []
        if key in self._open:
            indications.append(self._fail(key, "another first segment came"))
        if segmentation.remaining == 0:
            return [*indications, ReassembledInd(_whole(message, [message.data]), (tag,))]
        if len(self._open) >= self._max_open:
            text = f"{self._max_open} messages are open"
            cause = ReturnCause.DESTINATION_CANNOT_REASSEMBLE
            return [*indications, ReassemblyFailedInd(message, cause, text)]
        deadline = now + self._timeout_s
        self._open[key] = _Open(message, deadline, segmentation.remaining, [message.data], [tag])
        return indications

    def _continue(
        self, key: Key, message: ExtendedUnitdata, segmentation: Segmentation, tag: object
    ) -> list[Indication]:
        collected = self._open.get(key)
        if collected is None:
            text = "a segment without its first one"
            return [ReassemblyFailedInd(message, ReturnCause.SEGMENTATION_FAILURE, text)]
        if segmentation.remaining != collected.remaining - 1:
            text = f"{segmentation.remaining} left where {collected.remaining - 1} was expected"
            return [self._fail(key, text)]
        collected.pieces.append(message.data)
        collected.tags.append(tag)
        collected.remaining -= 1
        if collected.remaining:
            return []
        del self._open[key]
        whole = _whole(collected.first, collected.pieces)
        return [ReassembledInd(whole, tuple(collected.tags))]

    def _fail(self, key: Key, reason: str) -> ReassemblyFailedInd:
        first = self._open.pop(key).first
        return ReassemblyFailedInd(first, ReturnCause.SEGMENTATION_FAILURE, reason)


@dataclass(slots=True)
class _Open:
    first: ExtendedUnitdata
    deadline: float
    remaining: int
    pieces: list[bytes]
    tags: list[Any]


def _segment(
    message: ExtendedUnitdata,
    data: bytes,
    local_reference: int,
    remaining: int,
    *,
    is_first: bool,
) -> ExtendedUnitdata:
    # `in_sequence` has the class that was asked for; the segments themselves need class 1.
    in_sequence = message.protocol_class == _SEGMENTED_CLASS
    segmentation = Segmentation(is_first, in_sequence, remaining, local_reference)
    return replace(
        message,
        data=data,
        protocol_class=_SEGMENTED_CLASS,
        # Only the first segment asks for return, so that the message comes back only once.
        handling=message.handling if is_first else 0,
        options=replace(message.options, segmentation=segmentation),
    )


def _whole(first: ExtendedUnitdata, pieces: list[bytes]) -> ExtendedUnitdata:
    segmentation = first.options.segmentation
    in_sequence = segmentation is not None and segmentation.in_sequence
    return replace(
        first,
        data=b"".join(pieces),
        protocol_class=_SEGMENTED_CLASS if in_sequence else 0,
        options=replace(first.options, segmentation=None),
    )


def _room(message: ExtendedUnitdata, network: Network, max_octets: int) -> int:
    if message.is_long:
        return LONG_MAX_DATA_OCTETS
    called = len(encode_address(message.called_party_address, network))
    calling = len(encode_address(message.calling_party_address, network))
    options = len(encode_optional(message.options))
    # Type, class, hop counter, four pointers and three lengths are 10 octets. The pointer to the
    # optional part reaches at most 255 octets.
    reach = 0xFF - 4 - called - calling if options else 0xFF
    return min(0xFF, max_octets - 10 - called - calling - options, reach)
