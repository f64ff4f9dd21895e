"""Whole messages from a stream of octets, however the octets are cut into pieces."""


class FramedStream:
    """Collects octets and returns whole messages; a protocol defines the length of each message.

    A stream that has lost its framing can't be repaired: after an error it returns no message.
    """

    def __init__(self, max_octets: int) -> None:
        self._max_octets = max_octets
        self._buffer = bytearray()
        self._at = 0  # where the next message begins

    def feed(self, octets: bytes) -> None:
        """Add received octets."""
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
        """Return the length of the message that begins at `at`; `left` octets of it are here.

        None: too few octets. Errors: those of the protocol, if the header can't be right.
        """
        raise NotImplementedError
