"""A response that was judged, and which others are the same: all octets of it, but for values of
header fields at which nothing looks, such as Date. Pure.

Nothing looks at a field if HTTP does not (this package, llhttp), and no test of the definition:
usual.py says which they look at. What its value may be is what a value may be anyway.
"""

import re

from tsvc.transport.http.message import MAX_HEAD_OCTETS, ResponseReader, UnreadableResponse

_HEAD_END = b"\r\n\r\n"
_ANY_VALUE = rb"[ -~]{0,256}"
_LONGEST_VALUE = 256
_LONGEST = 65536  # what one read may bring
# Fields that say what the message is, what becomes of the connection, or what to ask next.
_LOOKED_AT = re.compile(
    rb"connection|proxy-connection|keep-alive|transfer-encoding|te|trailer|upgrade|location"
    rb"|set-cookie|.*-authenticate|.*authentication-info|content-.*"
)


class KnownAnswer:
    """One response. `fields`: names, in small letters, of those that must be the same too.

    Errors: ValueError for a response that others can't be held against: it ends the connection,
    or more than it came with it.
    """

    __slots__ = ("_head", "_last", "_rest")

    def __init__(self, octets: bytes, method: str, fields: frozenset[str]) -> None:
        if len(octets) > _LONGEST or not _is_whole(octets, method):
            raise ValueError("a response after which a connection does not go on")
        if _is_whole(octets[:-1], method):
            raise ValueError("more than a response")
        head, _, self._rest = octets.partition(_HEAD_END)
        first, *lines = head.split(b"\r\n")
        if b"\n" in head.replace(b"\r\n", b"") or first.partition(b" ")[2][:1] == b"1":
            raise ValueError("a header that can't be told from content")
        if any(line[:1] in (b" ", b"\t") for line in lines):
            raise ValueError("a field on several lines")
        if len(head) + _LONGEST_VALUE * len(lines) > MAX_HEAD_OCTETS:
            raise ValueError("a long header")
        wanted = [re.escape(first), *(_pattern(line, fields) for line in lines)]
        self._head = re.compile(rb"\r\n".join(wanted) + re.escape(_HEAD_END))
        self._last = octets

    def is_same(self, octets: bytes) -> bool:
        """Whether a response is the same."""
        if octets == self._last:
            return True
        head = self._head.match(octets)
        if head is None or octets[head.end() :] != self._rest:
            return False
        self._last = octets
        return True

    def is_begun(self, octets: bytes) -> bool:
        """Whether octets are the header of a response that is the same, so far."""
        head = self._head.match(octets)
        return head is not None and self._rest.startswith(octets[head.end() :])


def _pattern(line: bytes, fields: frozenset[str]) -> bytes:
    name, colon, _ = line.partition(b":")
    if _LOOKED_AT.fullmatch(name.lower()) or name.decode("latin-1").lower() in fields:
        return re.escape(line)
    return re.escape(name + colon) + _ANY_VALUE


def _is_whole(octets: bytes, method: str) -> bool:
    """Whether octets are a response after which the connection is kept."""
    reader = ResponseReader(method, len(octets))
    try:
        reader.feed(octets)
    except UnreadableResponse:
        return False
    finally:
        reader.close()
    return reader.is_complete and reader.is_kept
