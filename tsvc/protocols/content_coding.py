"""Content codings of HTTP: gzip and deflate undone, with a bound.

RFC 9110 8.4.1: `deflate` is the zlib format; some servers send the bare deflate stream instead,
and both are read. Pure; blocks: for turns of others in long content.
"""

import zlib
from collections.abc import Callable, Iterable

from tsvc import turns
from tsvc.errors import ProtocolError, RemoteProtocolError

_PORTION = 65536  # octets decoded in one go: some hundred microseconds
_MOST = 4  # codings of one message; each of them may cost as much as the content is long
_RAW, _ZLIB, _GZIP = -zlib.MAX_WBITS, zlib.MAX_WBITS, zlib.MAX_WBITS | 16


class ContentTooLarge(ProtocolError):
    """Content is beyond its bound once it is decoded."""


def codings_of(fields: Iterable[tuple[str, str]]) -> list[str]:
    """Return the codings that header fields name, in the order they were applied.

    Codings of the transfer come last (RFC 9112 7: nobody asked for them, but they are said);
    `chunked` is undone by who reads messages, `identity` says nothing.
    """
    content: list[str] = []
    transfer: list[str] = []
    for name, value in fields:
        if len(name) in (16, 17):
            lowered = name.lower()
            if lowered == "content-encoding":
                content += value.lower().split(",")
            elif lowered == "transfer-encoding":
                transfer += value.lower().split(",")
    if not content and not transfer:
        return content
    stripped = (one.strip() for one in (*content, *transfer))
    return [one for one in stripped if one not in ("", "identity", "chunked")]


def decoded(octets: bytes, codings: list[str], max_octets: int) -> bytes:
    """Return content with its codings undone, the last one first.

    Errors: ContentTooLarge beyond max_octets; RemoteProtocolError for a coding that nobody here
    knows and for content that is cut, damaged or followed by something.
    """
    if len(codings) > _MOST:
        raise RemoteProtocolError(f"the content has {len(codings)} codings, more than {_MOST}")
    for coding in reversed(codings):
        undo = _UNDO.get(coding)
        if undo is None:
            raise RemoteProtocolError(f"unknown content coding {coding[:40]!r}")
        try:
            octets = undo(octets, max_octets)
        except zlib.error as error:
            text = str(error).rpartition(": ")[2]
            raise RemoteProtocolError(f"the content is not {coding}: {text}") from None
    return octets


def _gunzipped(octets: bytes, max_octets: int) -> bytes:
    found = bytearray()
    at = _inflated(octets, 0, _GZIP, found, max_octets)
    while at < len(octets):  # RFC 1952 2.2: there may be several members
        at = _inflated(octets, at, _GZIP, found, max_octets)
    return bytes(found)


def _deflated(octets: bytes, max_octets: int) -> bytes:
    # RFC 1950 2.2: the method is 8, and the first two octets are a multiple of 31.
    is_zlib = len(octets) > 1 and octets[0] & 0x0F == 8 and not (octets[0] << 8 | octets[1]) % 31
    found = bytearray()
    if _inflated(octets, 0, _ZLIB if is_zlib else _RAW, found, max_octets) < len(octets):
        raise zlib.error("octets follow it")
    return bytes(found)


def _inflated(octets: bytes, at: int, window: int, found: bytearray, max_octets: int) -> int:
    """Append what the stream that begins at an octet holds; return where it ends."""
    stream = zlib.decompressobj(window)
    while not stream.eof:
        given = octets[at : at + _PORTION]
        portion = stream.decompress(given, _PORTION)
        at += len(given) - len(stream.unconsumed_tail) - len(stream.unused_data)
        found += portion
        if len(found) > max_octets:
            text = f"the content is larger than {max_octets} octets once it is decoded"
            raise ContentTooLarge(text)
        if not portion and at == len(octets) and not stream.eof:
            raise zlib.error("it is cut")
        turns.walked(turns.PORTION // 16)
    return at


_UNDO: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,  # RFC 9110 8.4.1.3
    "deflate": _deflated,
}
