"""Whole messages out of a stream of octets; pieces and glued messages are all the same."""


class FramedStream:
    """Collects octets and gives whole messages; a protocol says how long each of them is.

    A stream that has lost its framing can't be repaired: after an error nothing more comes out.
    """

    def __init__(self, max_octets: int) -> None:
        self._max_octets = max_octets
        self._buffer = bytearray()
        self._at = 0  # where the next message begins

    def feed(self, octets: bytes) -> None:
        """Add what was received."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += octets

    def next_message(self) -> bytes | None:
        """Return the next whole message, None while it is incomplete.

        Errors: those of length_at(); every later call raises them again.
        """
        at, buffer = self._at, self._buffer
        left = len(buffer) - at
        length = self.length_at(buffer, at, left) if left else None
        if length is None or left < length:
            return None
        self._at = at + length
        return bytes(memoryview(buffer)[at : at + length])

    def length_at(self, octets: bytearray, at: int, left: int) -> int | None:
        """Return how long the message is that begins there, of which `left` octets have come.

        None: not enough for that. Errors: those of the protocol, if its header can't be right.
        """
        raise NotImplementedError
