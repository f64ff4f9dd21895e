"""A recorded response, and the test whether another one is equal: unread values may differ. Pure.

These values are header fields such as Date, and texts and numbers in JSON such as ids, each as
long as in the recording. HTTP (this package, llhttp) reads none of them; looked_at.py finds those
that a test of the definition reads. A different value must still be valid in its place: the octets
of a field, the characters of a JSON text, the digits of a number.
"""

import json
import re
from typing import NamedTuple

from tsvc.kinds.rest.content import is_json
from tsvc.protocols.content_coding import ContentTooLarge
from tsvc.transport.http.message import (
    MAX_HEAD_OCTETS,
    Response,
    ResponseReader,
    UnreadableResponse,
    split_content_type,
)

_HEAD_END = b"\r\n\r\n"
_ANY_VALUE = rb"[ -~]{0,256}"
_LONGEST_VALUE = 256
_LONGEST = 65536  # octets that one read may return
_LONGEST_LOOSE = 8192  # octets of content in which values may differ
_ASCII_BEFORE_ALL = frozenset({"", "utf-8", "us-ascii", "iso-8859-1"})
# Strings, signs, and anything else of JSON.
_PART = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_SIMPLE_TEXT = re.compile(rb'"([ !#-\[\]-~]+)"')
_SIMPLE_NUMBER = re.compile(rb"[1-9][0-9]{0,14}")
# Fields that describe the content, control the connection, or determine the next request.
_LOOKED_AT = re.compile(
    rb"connection|proxy-connection|keep-alive|transfer-encoding|te|trailer|upgrade|location"
    rb"|set-cookie|.*-authenticate|.*authentication-info|content-.*"
)


class LookedAt(NamedTuple):
    """The parts of a response that tests read: header fields by their names in lower case, members
    of a JSON object. `members` None: all of the content."""

    fields: frozenset[str]
    members: frozenset[str] | None


class KnownAnswer:
    """One recorded response.

    Errors: ValueError if other responses can't be compared with it: the response ends the
    connection, or more octets came with it.
    """

    __slots__ = ("_content", "_head", "_last", "_rest")

    def __init__(self, octets: bytes, method: str, looked_at: LookedAt) -> None:
        response = _read(octets, method)
        if len(octets) > _LONGEST or response is None:
            raise ValueError("a response after which a connection does not go on")
        if _read(octets[:-1], method) is not None:
            raise ValueError("more than a response")
        head, _, self._rest = octets.partition(_HEAD_END)
        first, *lines = head.split(b"\r\n")
        if b"\n" in head.replace(b"\r\n", b"") or first.partition(b" ")[2][:1] == b"1":
            raise ValueError("a header that can't be told from content")
        if any(line[:1] in (b" ", b"\t") for line in lines):
            raise ValueError("a field on several lines")
        if len(head) + _LONGEST_VALUE * len(lines) > MAX_HEAD_OCTETS:
            raise ValueError("a long header")
        wanted = [re.escape(first), *(_pattern(line, looked_at.fields) for line in lines)]
        self._head = re.compile(rb"\r\n".join(wanted) + re.escape(_HEAD_END))
        self._content: re.Pattern[bytes] | None = None
        if looked_at.members is not None and response.body == self._rest and _is_loose(response):
            self._content = _content_pattern(self._rest, looked_at.members)
        self._last = octets

    def is_same(self, octets: bytes) -> bool:
        """Return True if a response is equal."""
        if octets == self._last:
            return True
        head = self._head.match(octets)
        if head is None or not self._has_content(octets[head.end() :]):
            return False
        self._last = octets
        return True

    def is_begun(self, octets: bytes) -> bool:
        """Return True if octets are the beginning of an equal response, with all of its header."""
        head = self._head.match(octets)
        if head is None:
            return False
        rest = octets[head.end() :]
        return len(rest) < len(self._rest) and self._has_content(rest + self._rest[len(rest) :])

    def _has_content(self, rest: bytes) -> bool:
        if rest == self._rest:
            return True
        return self._content is not None and self._content.fullmatch(rest) is not None


def _pattern(line: bytes, fields: frozenset[str]) -> bytes:
    name, colon, _ = line.partition(b":")
    if _LOOKED_AT.fullmatch(name.lower()) or name.decode("latin-1").lower() in fields:
        return re.escape(line)
    return re.escape(name + colon) + _ANY_VALUE


def _is_loose(response: Response) -> bool:
    """Return True for short JSON, without content coding, in which each character is an octet."""
    media, charset = split_content_type(response.field("content-type") or "")
    return (
        is_json(media)
        and charset in _ASCII_BEFORE_ALL
        and response.field("content-encoding") is None
        and len(response.body) <= _LONGEST_LOOSE
    )


def _content_pattern(body: bytes, members: frozenset[str]) -> re.Pattern[bytes] | None:
    """Return the pattern of equal content; None if it must not differ: it is no JSON object."""
    try:
        if not isinstance(json.loads(body.decode("utf-8")), dict):
            return None
    except (ValueError, RecursionError):
        return None
    pieces: list[bytes] = []
    behind = 0
    open_: list[bytes] = []
    is_name = is_free = False
    for found in _PART.finditer(body):
        part = found[0]
        if part in (b"{", b"["):
            open_.append(part)
            is_name = part == b"{"
        elif part in (b"}", b"]"):
            open_.pop()
            is_name = False
        elif part == b",":
            is_name = open_[-1] == b"{"
        elif part == b":":
            is_name = False
        elif is_name and len(open_) == 1:
            is_free = json.loads(part.decode("utf-8")) not in members
        elif is_free and not is_name:
            wanted = _loose(part)
            pieces += [re.escape(body[behind : found.start()]), wanted]
            behind = found.end()
    return re.compile(b"".join([*pieces, re.escape(body[behind:])]))


def _loose(part: bytes) -> bytes:
    """Return the pattern of the values that may replace a JSON text or number."""
    text = _SIMPLE_TEXT.fullmatch(part)
    if text is not None:
        return rb'"[ !#-\[\]-~]{%d}"' % len(text[1])
    if _SIMPLE_NUMBER.fullmatch(part):
        return b"[1-9][0-9]{%d}" % (len(part) - 1)
    return re.escape(part)


def _read(octets: bytes, method: str) -> Response | None:
    """Return the response in `octets`; None if it is not whole, or the connection is not kept."""
    reader = ResponseReader(method, len(octets))
    try:
        reader.feed(octets)
        if not (reader.is_complete and reader.is_kept):
            return None
        return reader.response(octets)
    except (UnreadableResponse, ContentTooLarge):
        return None
    finally:
        reader.close()
