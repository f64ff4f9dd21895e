"""The dialect of a PI server. Its manual was not available, so everything can be configured.

The defaults are based on reports about the protocol (docs/adr/0015-pi-framing.md).
"""

import re
from collections.abc import Iterator
from dataclasses import fields
from string import Formatter

from tsvc.values import dataclass
from tsvc.words import quoted

OFF = "off"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The framing of PI lines. Formats name their parts in braces; `{{` is a brace.

    A pattern is matched at the beginning of a line without its terminator. Its group `info` is the
    text of the server, `command` the command that it answers; both may be missing.
    """

    login_format: str = "{username},{password}"  # empty: there is no login
    login_ok_pattern: str = r"(?:[^:]*:)?ACK\b"
    login_refused_pattern: str = r"(?:[^:]*:)?NACK\b[:,]?(?P<info>.*)"
    terminator: str = ";"
    command_format: str = "{command}:{parameters}"
    bare_command_format: str = "{command}"  # for a command without parameters
    parameter_separator: str = ","
    ack_pattern: str = r"(?:(?P<command>[^:]*):)?ACK(?:[:,](?P<info>.*))?$"
    nack_pattern: str = r"(?:(?P<command>[^:]*):)?NACK(?:[:,](?P<info>.*))?$"
    synstamp: str = OFF  # otherwise the strftime format of the parameter SYNSTAMP
    has_local_synstamp: bool = False  # False: UTC
    encoding: str = "latin-1"
    max_line: int = 65536  # octets


_PARTS = {
    "login_format": {"username", "password"},
    "command_format": {"command", "parameters"},
    "bare_command_format": {"command"},
}


def dialect_problems(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield (member, text) for each member with an unusable value."""
    for name, known in _PARTS.items():
        text = _format_problem(getattr(dialect, name), known)
        if text:
            yield name, text
    for item in fields(dialect):
        if item.name.endswith("_pattern"):
            try:
                re.compile(getattr(dialect, item.name))
            except re.error as error:
                yield item.name, f"is no regular expression: {error}"
    for name in ("terminator", "parameter_separator"):
        if not getattr(dialect, name):
            yield name, "must not be empty"
    try:
        if "A;=,\r\n".encode(dialect.encoding) != b"A;=,\r\n":
            yield "encoding", "must have ASCII as its first half"
    except LookupError:
        yield "encoding", f"{quoted(dialect.encoding)} is no encoding that Python knows"
    if dialect.max_line < 1:
        yield "max_line", "must be at least 1"


def _format_problem(text: str, known: set[str]) -> str:
    """Return the error in a format, "" for none; only plain `{name}` are allowed."""
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        return f"is no format: {error}"
    for _, name, options, conversion in parts:
        if name is None:
            continue
        if name not in known or options or conversion:
            listed = " and ".join(f"{{{one}}}" for one in sorted(known))
            return f"{{{name}}} is not one of {listed}"
    return ""
