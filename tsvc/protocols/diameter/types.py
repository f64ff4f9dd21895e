"""Values of AVPs: the basic and derived data formats of RFC 6733 §4.2 and §4.3.

encode(value) takes a JSON value and returns the data octets, without header and padding;
decode(data) returns a JSON value. Both raise ValueError with the end of a sentence.
Data without a faithful JSON form are decoded to None: their octets are shown in hex.
"""

import ipaddress
import math
import re
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tsvc.values import dataclass
from tsvc.words import quoted

# Seconds from the epoch of NTP (1900) to that of Unix (1970), and the era that begins in 2036.
_NTP_TO_UNIX = 2_208_988_800
_NTP_ERA = 1 << 32
_FIRST_ERA = 1 << 31  # a clear highest bit means the second era (RFC 6733 §4.3.1, RFC 5905)

_IPV4, _IPV6, _E164 = 1, 2, 8  # address families (IANA)
_ADDRESS_OCTETS = {_IPV4: 4, _IPV6: 16}


@dataclass(frozen=True, slots=True)
class AvpType:
    """One format. `shows_hex`: its octets are shown with the value, and may be given in hex.

    `is_text`: octets that are decoded to None do not have this format, instead of only having no
    JSON form.
    """

    name: str
    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    shows_hex: bool = False
    is_grouped: bool = False
    is_number: bool = False
    is_text: bool = False


def integer_of(value: object) -> int:
    """Return an integer given as an int, a whole float or decimal text.

    Errors: ValueError.
    """
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        text = value.strip()
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) <= 20:
            return int(text)
    raise ValueError(f"{quoted(value)} is no integer")


def text_of(value: object) -> str:
    """Return a text; a number is written as in expressions. Errors: ValueError."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    raise ValueError(f"{quoted(value)} is no text")


def octets_of_hex(value: object) -> bytes:
    """Return octets written in hex, blanks allowed. Errors: ValueError."""
    try:
        return bytes.fromhex(text_of(value))
    except ValueError:
        raise ValueError(f"{quoted(value)} is no hex") from None


def _integer(name: str, form: str, low: int, high: int) -> AvpType:
    packer = struct.Struct(form)
    size, unpack = packer.size, packer.unpack

    def encode(value: Any) -> bytes:
        number = integer_of(value)
        if not low <= number <= high:
            raise ValueError(f"{number} is not in {low}…{high}")
        return packer.pack(number)

    def decode(data: bytes) -> int:
        if len(data) != size:
            raise ValueError(f"{len(data)} octets, where {name} has {size}")
        number: int = unpack(data)[0]
        return number

    return AvpType(name, encode, decode, is_number=True)


def _float(name: str, form: str) -> AvpType:
    packer = struct.Struct(form)

    def encode(value: Any) -> bytes:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError(f"{quoted(value)} is no number")
        try:
            return packer.pack(float(value))
        except (ValueError, OverflowError):
            raise ValueError(f"{quoted(value)} is no {name}") from None

    def decode(data: bytes) -> float | None:
        if len(data) != packer.size:
            raise ValueError(f"{len(data)} octets, where {name} has {packer.size}")
        number: float = packer.unpack(data)[0]
        return number if math.isfinite(number) else None

    return AvpType(name, encode, decode)


def _encode_octets(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return text_of(value).encode("utf-8", "surrogatepass")


def _decode_octets(data: bytes) -> str | None:
    """Return octets as text if they are printable ASCII, otherwise None: no charset is known."""
    if data.isascii():
        text = data.decode("ascii")
        return text if text.isprintable() else None
    return None


def _encode_text(value: Any) -> bytes:
    try:
        return text_of(value).encode()
    except UnicodeEncodeError:
        raise ValueError(f"{quoted(value)} can't be written in UTF-8") from None


def _decode_text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _encode_ascii(value: Any) -> bytes:
    text = text_of(value)
    if not text.isascii():
        raise ValueError(f"{quoted(value)} has signs that are not ASCII")
    return text.encode("ascii")


def _decode_ascii(data: bytes) -> str | None:
    return data.decode("ascii") if data.isascii() else None


def _encode_address(value: Any) -> bytes:
    text = text_of(value)
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        if text and text.isascii() and text.isdigit():
            return struct.pack(">H", _E164) + text.encode()
        raise ValueError(f"{quoted(value)} is neither an IP address nor digits") from None
    family = _IPV4 if address.version == 4 else _IPV6
    return struct.pack(">H", family) + address.packed


def _decode_address(data: bytes) -> str | None:
    if len(data) < 2:
        raise ValueError(f"{len(data)} octets, where Address has at least 2")
    family = data[0] << 8 | data[1]
    wanted = _ADDRESS_OCTETS.get(family)
    if wanted is not None and len(data) != wanted + 2:
        raise ValueError(f"{len(data)} octets, where this Address has {wanted + 2}")
    if family == _IPV4:
        return f"{data[2]}.{data[3]}.{data[4]}.{data[5]}"
    if family == _IPV6:
        return str(ipaddress.IPv6Address(data[2:]))
    digits = data[2:]
    # Empty digits would be encoded as no address.
    return digits.decode() if family == _E164 and digits.isdigit() else None


def _encode_time(value: Any) -> bytes:
    seconds = _unix_seconds(value) + _NTP_TO_UNIX
    if not _FIRST_ERA <= seconds < _FIRST_ERA + _NTP_ERA:
        raise ValueError(f"{quoted(value)} is not between 1968 and 2104")
    return struct.pack(">I", seconds % _NTP_ERA)


def _unix_seconds(value: Any) -> int:
    if isinstance(value, str) and "-" in value[1:]:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{quoted(value)} is no moment of ISO 8601") from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return int(moment.timestamp())
    if isinstance(value, float) and math.isfinite(value):
        return int(value)
    return integer_of(value)


def _decode_time(data: bytes) -> int:
    if len(data) != 4:
        raise ValueError(f"{len(data)} octets, where Time has 4")
    seconds = int.from_bytes(data)
    if seconds < _FIRST_ERA:
        seconds += _NTP_ERA
    return seconds - _NTP_TO_UNIX


def iso_time(seconds: int) -> str:
    """Return a decoded Time in readable form: 2026-11-21T10:00:00Z."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _no_value(_: Any) -> bytes:
    raise ValueError("a group is a list of AVPs")


# RFC 6733 4.3.1: a name (any text except an empty one), and a URI with its own scheme.
_IDENTITY = re.compile(r".+", re.DOTALL)
_URI = re.compile(r"aaas?://[!-~]+", re.IGNORECASE)


def _ascii(name: str, form: re.Pattern[str] | None = None) -> AvpType:
    """Return a type of ASCII texts; `form`: the pattern that each must match."""

    def decode(octets: bytes) -> str | None:
        text = _decode_ascii(octets)
        if text is None or form is None or form.fullmatch(text):
            return text
        return None

    return AvpType(name, _encode_ascii, decode, is_text=True)


_I32, _I64 = 1 << 31, 1 << 63
INTEGER32 = _integer("Integer32", ">i", -_I32, _I32 - 1)
OCTET_STRING = AvpType("OctetString", _encode_octets, _decode_octets, shows_hex=True)
GROUPED = AvpType("Grouped", _no_value, _decode_octets, is_grouped=True)
TIME = AvpType("Time", _encode_time, _decode_time)

TYPES: dict[str, AvpType] = {
    type_.name: type_
    for type_ in (
        OCTET_STRING,
        INTEGER32,
        _integer("Integer64", ">q", -_I64, _I64 - 1),
        _integer("Unsigned32", ">I", 0, 2 * _I32 - 1),
        _integer("Unsigned64", ">Q", 0, 2 * _I64 - 1),
        _float("Float32", ">f"),
        _float("Float64", ">d"),
        GROUPED,
        AvpType("Address", _encode_address, _decode_address),
        TIME,
        AvpType("UTF8String", _encode_text, _decode_text, is_text=True),
        _ascii("DiameterIdentity", _IDENTITY),
        _ascii("DiameterURI", _URI),
        _ascii("IPFilterRule"),
        _ascii("QoSFilterRule"),
        AvpType("Enumerated", INTEGER32.encode, INTEGER32.decode, is_number=True),
    )
}
