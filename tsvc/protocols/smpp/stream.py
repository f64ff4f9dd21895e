"""PDUs out of a byte stream: command_length is the frame.

A stream that has lost its framing can't be repaired: after an error nothing more comes out.
"""

from tsvc.protocols.smpp.pdus import HEADER_OCTETS, Refused
from tsvc.protocols.smpp.statuses import Status

# A TLV holds up to 64 KiB; more than one of that size in a PDU is nobody's message.
MAX_PDU_OCTETS = 0x2_0000
_LENGTH_OCTETS = 4


class PduStream:
    """Collects octets and gives whole PDUs; pieces and glued PDUs are all the same."""

    def __init__(self, max_octets: int = MAX_PDU_OCTETS) -> None:
        self._max_octets = max_octets
        self._buffer = bytearray()
        self._at = 0

    def feed(self, octets: bytes) -> None:
        """Add what was received."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += octets

    def next_pdu(self) -> bytes | None:
        """Return the octets of the next whole PDU, None while it is incomplete.

        Errors: Refused if command_length can't be right; every later call raises it again.
        """
        at = self._at
        left = len(self._buffer) - at
        if left < _LENGTH_OCTETS:
            return None
        length = int.from_bytes(self._buffer[at : at + _LENGTH_OCTETS])
        if not HEADER_OCTETS <= length <= self._max_octets:
            text = f"command_length {length} is not from {HEADER_OCTETS} to {self._max_octets}"
            raise Refused(Status.ESME_RINVCMDLEN, text)
        if left < length:
            return None
        self._at = at + length
        return bytes(memoryview(self._buffer)[at : at + length])
