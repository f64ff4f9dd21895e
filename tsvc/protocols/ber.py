"""BER tag-length-value core under TCAP, INAP, CAP and MAP.

Rule 1: a tag is the int of its identifier octets as sent (0x30, 0xA1, 0x9F32). So the keys of
        tables are the octets on the wire, including the constructed bit.
Rule 2: octets are not copied: a value is (start, stop) in the message, and is cut out when read.
Rule 3: indefinite lengths are accepted, never sent.

Source: X.690 §8.1
"""

from tsvc.errors import RemoteProtocolError
from tsvc.words import quoted

CONSTRUCTED = 0x20
MAX_DEPTH = 40
MAX_OID_OCTETS = 128

Tlv = tuple[int, int, int]  # tag, start and stop of the contents


def read(octets: bytes, at: int, stop: int) -> tuple[int, int, int, int]:
    """Read one TLV that starts at `at` and must end by `stop`.

    Returns: (tag, start of contents, stop of contents, where the next TLV starts).
    Errors:  RemoteProtocolError with the offset, if cut short or malformed.
    """
    try:
        tag = octets[at]
        position = at + 1
        if tag & 0x1F == 0x1F:
            tag, position = _read_high_tag(octets, at, stop)
        length = octets[position]
    except IndexError:
        raise RemoteProtocolError("cut short in tag or length", offset=at) from None
    position += 1
    if length & 0x80:
        if length == 0x80:
            return _read_indefinite(octets, at, tag, position, stop, 0)
        count = length & 0x7F
        if count > 4 or position + count > stop:
            raise RemoteProtocolError("length of length is unusable", offset=at)
        length = int.from_bytes(octets[position : position + count], "big")
        position += count
    end = position + length
    if end > stop:
        raise RemoteProtocolError(
            f"length {length} runs {end - stop} octets past the end", offset=at
        )
    return tag, position, end, end


def _read_high_tag(octets: bytes, at: int, stop: int) -> tuple[int, int]:
    tag = octets[at]
    position = at + 1
    while True:
        if position >= stop or position - at > 4:
            raise RemoteProtocolError("tag number has no end", offset=at)
        octet = octets[position]
        tag = tag << 8 | octet
        position += 1
        if not octet & 0x80:
            return tag, position


def _read_indefinite(
    octets: bytes, at: int, tag: int, position: int, stop: int, depth: int
) -> tuple[int, int, int, int]:
    if depth > MAX_DEPTH:
        raise RemoteProtocolError("nested too deep", offset=at)
    if not is_constructed(tag):
        raise RemoteProtocolError("indefinite length on a primitive", offset=at)
    start = position
    while True:
        if position + 2 > stop:
            raise RemoteProtocolError("indefinite length without end-of-contents", offset=at)
        if octets[position] == 0 and octets[position + 1] == 0:
            return tag, start, position, position + 2
        position = _skip(octets, position, stop, depth + 1)


def _skip(octets: bytes, at: int, stop: int, depth: int) -> int:
    """Return where the TLV at `at` ends; bounds the recursion that indefinite lengths need."""
    tag = octets[at]
    position = at + 1
    if tag & 0x1F == 0x1F:
        tag, position = _read_high_tag(octets, at, stop)
    if position < stop and octets[position] == 0x80:
        return _read_indefinite(octets, at, tag, position + 1, stop, depth)[3]
    return read(octets, at, stop)[3]


def walk(octets: bytes, start: int, stop: int) -> list[Tlv]:
    """Return the TLVs between start and stop, in order."""
    found: list[Tlv] = []
    at = start
    while at < stop:
        # The usual cases first: tag of one or two octets, short definite length.
        try:
            tag = octets[at]
            contents = at + 2
            if tag & 0x1F == 0x1F:
                tag = tag << 8 | octets[at + 1]
                contents += 1
            length = octets[contents - 1]
        except IndexError:
            raise RemoteProtocolError("cut short in tag or length", offset=at) from None
        end = contents + length
        if length < 0x80 and end <= stop and (tag < 0x100 or not tag & 0x80):
            found.append((tag, contents, end))
            at = end
        else:
            tag, contents, end, at = read(octets, at, stop)
            found.append((tag, contents, end))
    return found


def is_constructed(tag: int) -> bool:
    """Return True if the identifier octets of this tag have the constructed bit."""
    while tag > 0xFF:
        tag >>= 8
    return bool(tag & CONSTRUCTED)


def is_writable(tag: int) -> bool:
    """Return True if a value may have this tag: it has a number, in the shortest form.

    Universal 0 ends contents of indefinite length. A number below 31 takes one octet; a higher
    number has no leading octet without bits (X.690 8.1.2.4, 8.1.5).
    """
    first, *number = tag_octets(tag)
    if not number:
        return first & ~CONSTRUCTED != 0
    return number[0] != 0x80 and (len(number) > 1 or number[0] > 30)


def other_form(tag: int) -> int:
    """Return the same tag with the constructed bit inverted."""
    lead_shift = (tag.bit_length() + 7) // 8 * 8 - 8
    return tag ^ CONSTRUCTED << max(lead_shift, 0)


def tag_octets(tag: int) -> bytes:
    """Return the identifier octets of a tag."""
    return tag.to_bytes((tag.bit_length() + 7) // 8 or 1, "big")


def context_tag(number: int, *, constructed: bool) -> int:
    """Return the tag of context class [number]."""
    lead = 0xA0 if constructed else 0x80
    if number < 31:
        return lead | number
    if number < 128:
        return (lead | 0x1F) << 8 | number
    return (lead | 0x1F) << 16 | (0x80 | number >> 7) << 8 | (number & 0x7F)


def encode_length(length: int) -> bytes:
    """Return the shortest definite length."""
    if length < 0x80:
        return bytes((length,))
    if length < 0x100:
        return bytes((0x81, length))
    octets = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes((0x80 | len(octets),)) + octets


_OCTETS = [bytes((octet,)) for octet in range(0x80)]


def tlv(tag: bytes, contents: bytes) -> bytes:
    """Return identifier octets + length + contents."""
    length = len(contents)
    if length < 0x80:
        return tag + _OCTETS[length] + contents
    return tag + encode_length(length) + contents


def encode_integer(value: int) -> bytes:
    """Return the shortest two's complement contents of an INTEGER or ENUMERATED."""
    if 0 <= value < 0x80:
        return _OCTETS[value]
    magnitude = value if value >= 0 else ~value  # -128 needs 7 bits beside the sign, not 8
    return value.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def decode_integer(octets: bytes) -> int:
    """Return the value of INTEGER or ENUMERATED contents; empty contents are an error."""
    if not octets:
        raise RemoteProtocolError("integer without octets")
    return int.from_bytes(octets, "big", signed=True)


def encode_oid(dotted: str) -> bytes:
    """Return OBJECT IDENTIFIER contents of a dotted name; ValueError if it is not one."""
    # An octet holds 7 bits of an arc: at most three digits and a dot.
    parts = dotted.split(".") if len(dotted) <= 4 * MAX_OID_OCTETS else []
    arcs = [int(part) if part.isascii() and part.isdigit() else -1 for part in parts]
    if len(arcs) < 2 or arcs[0] > 2 or min(arcs) < 0 or (arcs[0] < 2 and arcs[1] > 39):
        raise ValueError(f"{quoted(dotted)} is not an object identifier")
    octets = bytearray()
    for arc in (arcs[0] * 40 + arcs[1], *arcs[2:]):
        groups = [arc & 0x7F]
        while arc := arc >> 7:
            groups.append(arc & 0x7F | 0x80)
        octets += bytes(reversed(groups))
    return bytes(octets)


def decode_oid(octets: bytes) -> str:
    """Return the dotted name of OBJECT IDENTIFIER contents."""
    if not octets or octets[-1] & 0x80:
        raise RemoteProtocolError("object identifier is cut short")
    if len(octets) > MAX_OID_OCTETS:
        raise RemoteProtocolError(f"object identifier of {len(octets)} octets")
    values: list[int] = []
    value = 0
    for octet in octets:
        value = value << 7 | octet & 0x7F
        if not octet & 0x80:
            values.append(value)
            value = 0
    first = min(values[0] // 40, 2)
    return ".".join(str(arc) for arc in (first, values[0] - first * 40, *values[1:]))


def lengths_around(octets: bytes, start: int, stop: int) -> list[tuple[int, int, int]]:
    """Return the elements whose contents hold the span from start to stop, outer ones first.

    Each is (start of its length, start of its contents, stop of its contents). An element whose
    contents are exactly the span is included.
    Errors: RemoteProtocolError if the octets are not BER, ValueError for an indefinite length.
    """
    found: list[tuple[int, int, int]] = []
    at, end = 0, len(octets)
    while at < end:
        tag, first, last, following = read(octets, at, end)
        if not (first <= start and stop <= last):
            at = following
            continue
        if following != last:
            raise ValueError("an indefinite length")
        found.append((at + len(tag_octets(tag)), first, last))
        if not is_constructed(tag):
            break
        at, end = first, last
        if start == first and stop == last:
            break
    return found
