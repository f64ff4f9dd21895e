"""Decoding of the HTTP content codings gzip and deflate, up to a limit of octets.

RFC 9110 8.4.1: `deflate` is the zlib format. Some servers send the bare deflate stream instead;
both are read. Pure. Blocks: in long content, while other greenlets run.
"""

import zlib
from collections.abc import Callable, Iterable

from tsvc import turns
from tsvc.errors import ProtocolError, RemoteProtocolError

_PORTION = 65536  # octets decoded at once: this takes some hundred microseconds
_MOST = 4  # codings of one message; each takes time in proportion to the length of the content
_RAW, _ZLIB, _GZIP = -zlib.MAX_WBITS, zlib.MAX_WBITS, zlib.MAX_WBITS | 16


class ContentTooLarge(ProtocolError):
    """Decoded content exceeds its limit."""


def codings_of(fields: Iterable[tuple[str, str]]) -> list[str]:
    """Return the codings that header fields name, in the order they were applied.

    Transfer codings come last (RFC 9112 7: a peer may name them, although we never ask for them).
    `chunked` is left out because the reader of messages decodes it; `identity` has no effect.
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
    """Return decoded content; the coding that was applied last is decoded first.

    Errors: ContentTooLarge beyond max_octets; RemoteProtocolError for an unknown coding, and for
    content that is cut off, damaged or followed by other octets.
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
    """Append the contents of the stream that begins at `at`; return where the stream ends."""
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
