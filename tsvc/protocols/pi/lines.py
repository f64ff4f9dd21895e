"""A stream of octets, cut into lines at a terminator."""

from tsvc.errors import RemoteProtocolError

_BLANKS = " \t\r\n"


class Lines:
    """Collects what is received. A line is text without its terminator and without the blanks
    and line ends before it; empty ones are left out.
    """

    def __init__(self, terminator: bytes, encoding: str, max_octets: int) -> None:
        self._terminator = terminator
        self._encoding = encoding
        self._max_octets = max_octets
        self._buffer = bytearray()

    @property
    def has_rest(self) -> bool:
        """Whether a line has begun that is not complete yet."""
        return bool(self._buffer.strip())

    def feed(self, octets: bytes) -> list[str]:
        """Take octets and return the lines that they complete.

        Errors: RemoteProtocolError if a line is longer than allowed or not of the encoding.
        """
        buffer = self._buffer
        # A terminator may have begun in what came before.
        searched = max(len(buffer) - len(self._terminator) + 1, 0)
        buffer += octets
        lines: list[str] = []
        while (end := buffer.find(self._terminator, searched)) >= 0:
            self._check_length(end)
            line = self._text(bytes(buffer[:end]))
            del buffer[: end + len(self._terminator)]
            searched = 0
            if line:
                lines.append(line)
        self._check_length(len(buffer))
        return lines

    def _check_length(self, octets: int) -> None:
        if octets > self._max_octets:
            raise RemoteProtocolError(f"a line is longer than {self._max_octets} octets")

    def _text(self, octets: bytes) -> str:
        try:
            return octets.decode(self._encoding).lstrip(_BLANKS).rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise RemoteProtocolError(
                f"a line is not {self._encoding}", offset=error.start
            ) from None
