"""Lines of the Provisioning Interface: writes login and commands, reads answers.

It knows no socket and no clock. Values that would break the framing are refused with their name.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.pi.dialect import OFF, Dialect
from tsvc.values import dataclass
from tsvc.words import quoted

_BLANKS = " \t\r\n"
_BLANK_OCTETS = b" \t\r\n"


class Lines:
    """Collects received octets. A line is text without its terminator and without the blanks
    and line ends before it; empty lines are left out.
    """

    def __init__(self, terminator: bytes, encoding: str, max_octets: int) -> None:
        self._terminator = terminator
        self._encoding = encoding
        self._max_octets = max_octets
        self._buffer = bytearray()

    @property
    def has_rest(self) -> bool:
        """True if a line has begun that is not complete yet."""
        return bool(self._buffer.strip())

    def feed(self, octets: bytes) -> list[str]:
        """Add octets and return the lines that they complete.

        Errors: RemoteProtocolError if a line is longer than allowed or not of the encoding.
        """
        buffer = self._buffer
        # A terminator may have begun in the octets before.
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
        # Blanks before a line are removed, so that a peer can't fill the memory with them.
        rest = len(buffer) - len(buffer.lstrip(_BLANK_OCTETS))
        del buffer[:rest]
        if not lines:  # otherwise the next call checks it, so that complete lines are not lost
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


Value = str | list[str]


def read_listing(text: str, separator: str) -> dict[str, Value]:
    """Return the members of a list; a repeated member has a list of values.

    Parts without "=" are ignored: an answer may have any text.
    """
    found: dict[str, Value] = {}
    for part in text.split(separator):
        name, sign, value = part.partition("=")
        name = name.strip()
        if not sign or not name:
            continue
        before = found.get(name)
        if before is None:
            found[name] = value
        elif isinstance(before, list):
            before.append(value)
        else:
            found[name] = [before, value]
    return found


RESERVED = frozenset({"SYNSTAMP", "MAC"})
_LONGEST_SHOWN = 200


class Status(Enum):
    """The status of the answer to a command."""

    ACK = "ACK"
    NACK = "NACK"
    UNREADABLE = "unreadable"  # neither of the two


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: `fields` are the NAME=VALUE parts of `info`, `raw` is the line as received.

    `notes`: why it is not a valid answer.
    """

    status: Status
    info: str
    fields: Mapping[str, Value]
    raw: str
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as a tree for definitions; `parameters` is the same as `fields`."""
        fields = dict(self.fields)
        return {
            "status": None if self.status is Status.UNREADABLE else self.status.value,
            "info": self.info,
            "fields": fields,
            "parameters": fields,
            "raw": self.raw,
        }


def unreadable(problem: str, line: str = "") -> Reply:
    """Return a Reply for an answer that can't be read."""
    return Reply(Status.UNREADABLE, "", {}, line, (problem,))


class Unreadable(RemoteProtocolError):
    """A line that is not an answer to any command."""


class Codec:
    """Builds and reads the lines of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._terminator = dialect.terminator.encode(dialect.encoding)
        self._breaking = (dialect.terminator, "\r", "\n")
        self._answers = (
            (Status.NACK, re.compile(dialect.nack_pattern, re.DOTALL)),
            (Status.ACK, re.compile(dialect.ack_pattern, re.DOTALL)),
        )
        self._login_ok = re.compile(dialect.login_ok_pattern, re.DOTALL)
        self._login_refused = re.compile(dialect.login_refused_pattern, re.DOTALL)

    def lines(self) -> Lines:
        """Return an object that cuts a received stream into lines."""
        return Lines(self._terminator, self.dialect.encoding, self.dialect.max_line)

    # -- out --------------------------------------------------------------------------------

    def login(self, username: str, password: str) -> bytes | None:
        """Return the login line, None if the dialect has no login.

        Errors: LocalProtocolError, which shows neither user name nor password.
        """
        if not self.dialect.login_format:
            return None
        for name, value in (("username", username), ("password", password)):
            if any(sign in value for sign in self._breaking):
                raise LocalProtocolError("has a sign that ends a line", path=name)
        text = self.dialect.login_format.format(username=username, password=password)
        return self._line(text, "login")

    def command(
        self, command: str, parameters: Mapping[str, str | Sequence[str]], wall: float
    ) -> bytes:
        """Return the line of a command; a list of values repeats its parameter.

        wall: seconds since the epoch, for SYNSTAMP.
        Errors: LocalProtocolError with the path in `arguments`.
        """
        separator = self.dialect.parameter_separator
        self._check(command, "arguments.command", (*self._breaking, separator))
        if not command.strip():
            raise LocalProtocolError("is empty", path="arguments.command")
        parts = [
            f"{name}={value}"
            for name, given in parameters.items()
            for value in self._checked(name, given)
        ]
        if self.dialect.synstamp != OFF:
            parts.append(f"SYNSTAMP={self._stamp(wall)}")
        if not parts:
            text = self.dialect.bare_command_format.format(command=command)
        else:
            text = self.dialect.command_format.format(
                command=command, parameters=separator.join(parts)
            )
        return self._line(text, "arguments")

    def _checked(self, name: str, given: str | Sequence[str]) -> Sequence[str]:
        """Return the values of a parameter, checked. Errors: LocalProtocolError."""
        place = f"arguments.parameters.{name}"
        breaking = (*self._breaking, self.dialect.parameter_separator)
        if not name or "=" in name or any(sign in name for sign in breaking):
            raise LocalProtocolError(
                f"{quoted(name)} can't be the name of a parameter", path=place
            )
        if name.upper() in RESERVED:
            raise LocalProtocolError("is added by the gateway, a test may not give it", path=place)
        values = (given,) if isinstance(given, str) else given
        for value in values:
            self._check(value, place, breaking)
            self._encoded(value, place)
        return values

    def _check(self, value: str, place: str, breaking: tuple[str, ...]) -> None:
        for sign in breaking:
            if sign in value:
                raise LocalProtocolError(f"{quoted(sign)} would break the line", path=place)

    def _stamp(self, wall: float) -> str:
        moment = datetime.fromtimestamp(wall, UTC)
        if self.dialect.has_local_synstamp:
            moment = moment.astimezone()
        return moment.strftime(self.dialect.synstamp)

    def _encoded(self, text: str, place: str) -> bytes:
        try:
            return text.encode(self.dialect.encoding)
        except UnicodeEncodeError as error:
            sign = text[error.start]
            raise LocalProtocolError(
                f"{quoted(sign)} does not exist in {self.dialect.encoding}", path=place
            ) from None

    def _line(self, text: str, place: str) -> bytes:
        octets = self._encoded(text, place)
        if len(octets) > self.dialect.max_line:
            raise LocalProtocolError(
                f"the line is longer than {self.dialect.max_line} octets", path=place
            )
        return octets + self._terminator

    # -- in ---------------------------------------------------------------------------------

    def login_refusal(self, line: str) -> str | None:
        """Return why a login was refused, None if it was accepted.

        Errors: RemoteProtocolError if the line is neither.
        """
        refused = self._login_refused.match(line)
        if refused is not None:
            return _group(refused, "info").strip() or "no reason given"
        if self._login_ok.match(line) is None:
            raise RemoteProtocolError(f"neither yes nor no to the login: {_shown(line)}")
        return None

    def reply(self, line: str, command: str) -> Reply:
        """Return the answer to a command; `command` "": accept an answer to any command.

        Errors: Unreadable if the line is not an answer, RemoteProtocolError for an answer to
                another command.
        """
        for status, pattern in self._answers:
            found = pattern.match(line)
            if found is None:
                continue
            answered = _group(found, "command").strip()
            if command and answered and answered.casefold() != command.strip().casefold():
                raise RemoteProtocolError(f"an answer to {_shown(answered)}, not to {command}")
            info = _group(found, "info")
            fields = read_listing(info, self.dialect.parameter_separator)
            return Reply(status, info, fields, line)
        raise Unreadable(f"neither ACK nor NACK: {_shown(line)}")


def _group(found: re.Match[str], name: str) -> str:
    return found.groupdict().get(name) or ""


def _shown(line: str) -> str:
    return repr(line if len(line) <= _LONGEST_SHOWN else line[:_LONGEST_SHOWN] + "…")


def read_command(line: str) -> tuple[str, dict[str, Value]]:
    """Return the command and the parameters of a line without its terminator."""
    command, _, parameters = line.partition(":")
    return command.strip(), read_listing(parameters, ",")
