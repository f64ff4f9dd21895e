"""M3UA messages out of a byte stream (TCP): the common header's length is the frame.

A stream that has lost its framing can't be repaired: after an error nothing more comes out.
"""

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua.messages import HEADER_OCTETS, VERSION

# Protocol Data is at most 64 KiB; only lists of SSNM and RKM could make a message longer.
MAX_MESSAGE_OCTETS = 0x1_0100


class MessageStream:
    """Collects octets and gives whole messages; pieces and glued messages are all the same."""

    def __init__(self, max_octets: int = MAX_MESSAGE_OCTETS) -> None:
        self._max_octets = max_octets
        self._buffer = bytearray()
        self._at = 0

    def feed(self, octets: bytes) -> None:
        """Add what was received."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += octets

    def next_message(self) -> bytes | None:
        """Return the next whole message, None while it is incomplete.

        Errors: RemoteProtocolError if the header can't be right: another version, or a length
        under 8 or above the limit; every later call raises it again.
        """
        at = self._at
        left = len(self._buffer) - at
        if not left:
            return None
        if self._buffer[at] != VERSION:
            raise RemoteProtocolError(f"version {self._buffer[at]} is not supported", offset=0)
        if left < HEADER_OCTETS:
            return None
        length = int.from_bytes(self._buffer[at + 4 : at + 8])
        if not HEADER_OCTETS <= length <= self._max_octets:
            raise RemoteProtocolError(
                f"length {length} is not within {HEADER_OCTETS} and {self._max_octets}", offset=4
            )
        if left < length:
            return None
        self._at = at + length
        return bytes(memoryview(self._buffer)[at : at + length])

    def unread(self) -> bytes:
        """Return the octets that are not yet a message: what an ERR may quote."""
        return bytes(self._buffer[self._at :])
