"""Pointers and variable parts of an SCCP message: called address, calling address, data, options.

A pointer is 1 octet, in long messages 2 octets; it counts from itself (its last octet) to the
length octet of its part; for the optional part 0 means that there is none.
"""

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import Address, Network, decode_address

LONG_MAX_DATA_OCTETS = 3952

Parts = tuple[Address, Address, bytes]


def encode_parts(
    called: bytes, calling: bytes, data: bytes, options: bytes | None, is_long: bool, path: str
) -> bytes:
    """Write pointers and parts; `options` None: the message has no pointer to them.

    Errors: LocalProtocolError naming the sizes if a length or a pointer does not fit.
    """
    width, most = (2, LONG_MAX_DATA_OCTETS) if is_long else (1, 0xFF)
    if len(data) > most:
        raise LocalProtocolError(f"{len(data)} octets of data, {most} fit", path=path)
    parts = [
        bytes((len(called),)) + called,
        bytes((len(calling),)) + calling,
        len(data).to_bytes(width, "little") + data,
    ]
    if options is not None:
        parts.append(options)
    pointers = b""
    target = width * len(parts)
    for index, part in enumerate(parts):
        pointer = target - (index * width + width - 1) if part else 0
        if pointer >> 8 * width:
            raise LocalProtocolError(
                f"{len(data)} octets of data push the optional part too far away", path=path
            )
        pointers += pointer.to_bytes(width, "little")
        target += len(part)
    return pointers + b"".join(parts)


def decode_short(octets: bytes, at: int, path: str, network: Network) -> Parts:
    """Read the three parts whose 1-octet pointers begin at `at`."""
    try:
        first, second, third = octets[at], octets[at + 1], octets[at + 2]
        called_at = at + first + 1
        calling_at = at + second + 2
        data_at = at + third + 3
        called_end = called_at + octets[called_at - 1]
        calling_end = calling_at + octets[calling_at - 1]
        data_end = data_at + octets[data_at - 1]
    except IndexError:
        raise RemoteProtocolError("a pointer leads outside", path=path, offset=at) from None
    size = len(octets)
    if called_end > size or calling_end > size or data_end > size:
        raise RemoteProtocolError("a part is cut off", path=path, offset=size)
    if not (first and second and third):
        raise RemoteProtocolError("a mandatory part has pointer 0", path=path, offset=at)
    try:
        called = decode_address(octets[called_at:called_end], network)
        calling = decode_address(octets[calling_at:calling_end], network)
    except RemoteProtocolError:
        _locate(octets, (called_at, called_end), (calling_at, calling_end), path, network)
        raise
    return called, calling, octets[data_at:data_end]


def decode_long(octets: bytes, at: int, path: str, network: Network) -> Parts:
    """Read the three parts whose 2-octet pointers begin at `at`."""
    starts = []
    for pointer_at in (at, at + 2, at + 4):
        pointer = int.from_bytes(octets[pointer_at : pointer_at + 2], "little")
        if not pointer or pointer_at + 1 + pointer >= len(octets):
            raise RemoteProtocolError(f"pointer {pointer}", path=path, offset=pointer_at)
        starts.append(pointer_at + 1 + pointer)
    called_at, calling_at, data_at = starts
    called_end = called_at + 1 + octets[called_at]
    calling_end = calling_at + 1 + octets[calling_at]
    data_end = data_at + 2 + int.from_bytes(octets[data_at : data_at + 2], "little")
    if max(called_end, calling_end, data_end) > len(octets):
        raise RemoteProtocolError("a part is cut off", path=path, offset=len(octets))
    spans = ((called_at + 1, called_end), (calling_at + 1, calling_end))
    called, calling = _locate(octets, *spans, path, network)
    return called, calling, octets[data_at + 2 : data_end]


def _locate(
    octets: bytes, called: tuple[int, int], calling: tuple[int, int], path: str, network: Network
) -> tuple[Address, Address]:
    """Decode both addresses; an error says which one, and its offset counts in the message."""
    found = []
    for name, (start, end) in (("calledPartyAddress", called), ("callingPartyAddress", calling)):
        try:
            found.append(decode_address(octets[start:end], network))
        except RemoteProtocolError as error:
            raise RemoteProtocolError(
                error.text, path=f"{path}.{name}", offset=start + (error.offset or 0)
            ) from None
    return found[0], found[1]
