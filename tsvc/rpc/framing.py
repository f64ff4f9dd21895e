"""Framing of the interface: 4 octets of length in network order, then that many octets of JSON.

Rule 1: this module knows octets and lengths only; no JSON, no socket, no clock.
Rule 2: a length is checked by the header alone, before a single octet of the body is kept.

    HEADER --4 octets, length ok--> BODY --all octets--> COMPLETE
       \\--length 0 or too large--> REFUSED
"""

from collections.abc import Iterator
from enum import Enum

from tsvc.errors import RequestError

HEADER_OCTETS = 4
LARGEST_BODY_OCTETS = 0xFFFF_FFFF
_COPIED_OCTETS = 1 << 16


class FrameState(Enum):
    """The state of a decoder."""

    HEADER = "header"
    BODY = "body"
    COMPLETE = "complete"
    REFUSED = "refused"


class FrameDecoder:
    """Receives the octets of one connection in any portions and finds its one frame."""

    def __init__(self, max_body_octets: int = LARGEST_BODY_OCTETS) -> None:
        self._max_body_octets = max_body_octets
        self._buffer = bytearray()
        self._body_octets = 0
        self.state = FrameState.HEADER
        self.surplus_octets = 0  # octets after the frame: ignored, but counted

    def feed(self, octets: bytes) -> FrameState:
        """Add octets and return the new state.

        Errors: RequestError, once, when the header names a length of 0 or above the limit;
                octets fed later, and octets after a complete frame, only add to surplus_octets.
        """
        if self.state is FrameState.HEADER:
            octets = self._feed_header(octets)
        if self.state is FrameState.BODY:
            octets = self._feed_body(octets)
        self.surplus_octets += len(octets)
        return self.state

    @property
    def body(self) -> bytes:
        """The octets of the body received so far; all of them once the state is COMPLETE."""
        return b"" if self.state is FrameState.HEADER else bytes(self._buffer)

    def progress(self) -> str:
        """Return how much of the frame has come, for messages about an unfinished frame."""
        if self.state is FrameState.HEADER:
            return f"{len(self._buffer)} of {HEADER_OCTETS} octets of the length"
        return f"{len(self._buffer)} of {self._body_octets} octets of the request"

    def _feed_header(self, octets: bytes) -> bytes:
        missing = HEADER_OCTETS - len(self._buffer)
        self._buffer += octets[:missing]
        rest = octets[missing:]
        if len(self._buffer) < HEADER_OCTETS:
            return rest
        self._body_octets = int.from_bytes(self._buffer, "big")
        self._buffer.clear()
        problem = self._length_problem()
        if problem is not None:
            self.state = FrameState.REFUSED
            self.surplus_octets += len(rest)
            raise problem
        self.state = FrameState.BODY
        return rest

    def _length_problem(self) -> RequestError | None:
        if self._body_octets == 0:
            return RequestError("the length of the request is 0", kind="frame.empty")
        if self._body_octets > self._max_body_octets:
            return RequestError(
                f"the request is {self._body_octets} octets long,"
                f" the limit is {self._max_body_octets}",
                kind="frame.too_long",
                limit=self._max_body_octets,
            )
        return None

    def _feed_body(self, octets: bytes) -> bytes:
        missing = self._body_octets - len(self._buffer)
        self._buffer += octets[:missing]
        if len(self._buffer) == self._body_octets:
            self.state = FrameState.COMPLETE
        return octets[missing:]


def encode_frame(body: bytes) -> bytes:
    """Return the body with its length in front. Errors: ValueError if 4 octets can't hold it."""
    return b"".join(pieces_of_frame(body))


def pieces_of_frame(body: bytes) -> Iterator[bytes | memoryview]:
    """Yield what encode_frame() returns; a large body is not copied, which would take long."""
    if not 0 < len(body) <= LARGEST_BODY_OCTETS:
        raise ValueError(f"a frame can't hold a body of {len(body)} octets")
    yield len(body).to_bytes(HEADER_OCTETS, "big") + body[:_COPIED_OCTETS]
    if len(body) > _COPIED_OCTETS:
        yield memoryview(body)[_COPIED_OCTETS:]
