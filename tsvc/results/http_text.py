"""HTTP messages in a readable form: shared by the protocols that use HTTP."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from tsvc.errors import ProtocolError
from tsvc.protocols.charsets import decode
from tsvc.protocols.content_coding import codings_of, decoded
from tsvc.rpc.json_portions import read_json
from tsvc.values import dataclass
from tsvc.words import cut

LONGEST_FACT = 120
_BLANKS = 20  # a fact is made from a text of at most so many times its length
_LONGEST_DECODED = 1 << 20
_CHARSET = re.compile(r'charset="?([A-Za-z0-9_.:\-]+)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HttpText:
    """The parts of a message. `start`: its first line in up to three words."""

    start: tuple[str, ...]
    fields: list[dict[str, str]]
    body: bytes

    def field(self, name: str) -> str:
        """Return the first value of a field, "" if there is none."""
        for one in self.fields:
            if one["name"].lower() == name:
                return one["value"]
        return ""

    @property
    def code(self) -> int:
        """The code of a response, 0 if it has none."""
        return int(self.start[1]) if len(self.start) > 1 and self.start[1].isdecimal() else 0

    def words(self) -> str | None:
        """Return the body as text, None if it is not text."""
        named = _CHARSET.search(self.field("content-type"))
        try:
            return decode(self.body, named.group(1) if named else "utf-8")
        except (UnicodeDecodeError, LookupError, ValueError):
            return None

    def content(self) -> dict[str, Any]:
        """Return the whole message as a tree."""
        tree: dict[str, Any] = {"start": " ".join(self.start), "http_headers": self.fields}
        text = self.words()
        if text is None:
            return {**tree, "content_hex": self.body.hex()}
        if "json" in self.field("content-type").lower():
            try:
                return {**tree, "content_json": read_json(text)}
            except (ValueError, RecursionError):
                pass
        return {**tree, "content": text} if text else tree


def read(octets: bytes) -> HttpText:
    """Return the parts of a message; never raises, whatever the octets."""
    head, _, body = octets.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = []
    for line in lines:
        name, _, value = line.partition(":")
        fields.append({"name": name.strip(), "value": value.strip()})
    message = HttpText(tuple(first.split(" ", 2)), fields, body)
    if message.field("transfer-encoding").lower().rpartition(",")[2].strip() == "chunked":
        body = _unchunked(body)
    with suppress(ProtocolError):  # a body that can't be decoded is shown as it came
        codings = codings_of((one["name"], one["value"]) for one in fields)
        body = decoded(body, codings, _LONGEST_DECODED)
    return HttpText(message.start, fields, body)


def spans(octets: bytes, content: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Yield (path in content(), first octet, number of octets) for each part of a message."""
    head, blank, body = octets.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    yield "start", 0, len(first)
    at = len(first) + 2
    for number, line in enumerate(lines):
        yield f"http_headers[{number}]", at, len(line)
        at += len(line) + 2
    if body:
        name = next((one for one in content if one.startswith("content")), "content")
        yield name, len(head) + len(blank), len(body)


def _unchunked(octets: bytes) -> bytes:
    """Return the content of chunks (RFC 9112 7.1), up to the first unreadable one."""
    found = bytearray()
    at = 0
    while True:
        end = octets.find(b"\r\n", at)
        size = octets[at:end].partition(b";")[0].strip() if end >= 0 else b""
        try:
            length = int(size, 16)
        except ValueError:
            return bytes(found)
        if length <= 0:
            return bytes(found)
        found += octets[end + 2 : end + 2 + length]
        at = end + 2 + length + 2


def one_line(text: str, longest: int = LONGEST_FACT) -> str:
    """Return a text on one line, cut if it is long."""
    return cut(" ".join(text[: _BLANKS * longest].split()), longest)
