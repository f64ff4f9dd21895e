"""HTTP/1.1 messages: requests to octets, octets to responses, with bounds.

The parser is llhttp, through geventhttpclient.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from geventhttpclient._parser import HTTPParseError, HTTPResponseParser

from tsvc.errors import LocalProtocolError
from tsvc.words import is_secret_name

MAX_HEAD_OCTETS = 65536  # of status line, header fields and trailers
MASK = "********"

# RFC 9110 5.6.2: methods and names of fields are tokens; 5.5: no line breaks in a value.
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIELD_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TARGET = re.compile(r"[\x21-\x7e]+")

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the one server of a client; `target` is path and query, percent-encoded."""

    method: str
    target: str
    fields: Fields = ()
    body: bytes = b""

    @property
    def name(self) -> str:
        """What it is called in texts: method and path, without the query."""
        return f"{self.method} {self.target.partition('?')[0]}"

    def octets(self) -> bytes:
        """Return it as on the wire. Errors: LocalProtocolError for what HTTP can't carry."""
        return self._head(is_masked=False) + self.body

    def shown_octets(self) -> bytes:
        """Return it as on the wire, values of secret fields masked."""
        return self._head(is_masked=True) + self.body

    def _head(self, *, is_masked: bool) -> bytes:
        if not _TOKEN.fullmatch(self.method):
            raise LocalProtocolError(f"{self.method!r} is no HTTP method", path="method")
        if not _TARGET.fullmatch(self.target):
            raise LocalProtocolError(f"{self.target!r} is no request target", path="path")
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        for name, value in self.fields:
            if not _TOKEN.fullmatch(name):
                raise LocalProtocolError(f"{name!r} is no name of a header", path="http_headers")
            if not _FIELD_VALUE.fullmatch(value):
                text = f"the value of {name} has characters that a header can't carry"
                raise LocalProtocolError(text, path="http_headers")
            is_shown = not is_masked or not is_secret_name(name)
            lines.append(f"{name}: {value if is_shown else MASK}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response. `octets`: as received, chunks and all; `body`: the content alone."""

    code: int
    reason: str
    fields: Fields
    body: bytes
    octets: bytes

    def field(self, name: str) -> str | None:
        """Return the first value of a header field, whatever its capitals; None without it."""
        return first_value(self.fields, name)


def first_value(fields: Iterable[tuple[str, str]], name: str) -> str | None:
    """Return the first value of a field by its name, whatever its capitals."""
    wanted = name.lower()
    for found, value in fields:
        if found.lower() == wanted:
            return value
    return None


class ResponseTooLarge(HTTPParseError):
    """A response is beyond a bound; the text says which."""


class ResponseReader(HTTPResponseParser):
    """Reads one response; interim ones (1xx) are passed over.

    feed() octets until `is_complete`; feed(b"") says that the peer has closed.
    Errors: HTTPParseError from feed().
    """

    def __init__(self, method: str, max_octets: int) -> None:
        super().__init__()
        self._is_head = method == "HEAD"
        self._max_octets = max_octets
        self._head_octets = 0
        self._name = ""
        self._is_in_value = False
        self._fields: list[tuple[str, str]] = []
        self._status = ""
        self._code = 0
        self._body = bytearray()
        self.is_complete = False
        # More came than was asked for: the connection is of no further use.
        self.has_excess = False

    def response(self, octets: bytes) -> Response:
        """Return the response, once it is complete."""
        return Response(self._code, self._status, tuple(self._fields), bytes(self._body), octets)

    # -- called by the parser --------------------------------------------------------------------

    def _on_message_begin(self) -> None:
        if self.is_complete:
            self.has_excess = True
            return
        self._fields, self._status = [], ""

    def _on_status(self, text: str) -> None:
        self._note_head(text)
        if not self.is_complete:
            self._status += text

    def _on_header_field(self, text: str) -> None:
        self._note_head(text)
        self._name = text if self._is_in_value else self._name + text
        self._is_in_value = False

    def _on_header_value(self, text: str) -> None:
        self._note_head(text)
        if self.is_complete:
            return
        if self._is_in_value:
            name, value = self._fields.pop()
            self._fields.append((name, value + text))
        else:
            self._fields.append((self._name, text))
            self._name = ""
            self._is_in_value = True

    def _on_headers_complete(self) -> bool:
        if not self.is_complete:
            self._code = self.get_code()
        self._name = ""
        self._is_in_value = False
        return self._is_head

    def _on_body(self, octets: bytearray) -> None:
        if self.is_complete:
            return
        if len(self._body) + len(octets) > self._max_octets:
            raise ResponseTooLarge(f"the content is larger than {self._max_octets} octets")
        self._body += octets

    def _on_message_complete(self) -> None:
        if self._code >= 200:
            self.is_complete = True

    def _note_head(self, text: str) -> None:
        self._head_octets += len(text)
        if self._head_octets > MAX_HEAD_OCTETS:
            raise ResponseTooLarge(f"the header is larger than {MAX_HEAD_OCTETS} octets")
