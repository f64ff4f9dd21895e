"""SCCP party addresses: point code, subsystem number, global title; ITU (Q.713) and ANSI form.

Encoded and decoded addresses are cached: a tester sees few different addresses, each very often.
"""

import re
from enum import Enum, IntEnum
from functools import partial

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.memo import Memo
from tsvc.values import dataclass
from tsvc.words import quoted

_MOST_ADDRESSES = 4096
_MAX_OCTETS = 0xFF
_DIGITS = re.compile("(?:[0-9a-f]{2})*")
_SWAPPED = bytes((octet & 0x0F) << 4 | octet >> 4 for octet in range(256))


class Network(Enum):
    """The standard that applies: ITU with 14-bit or ANSI with 24-bit point codes."""

    ITU = "itu"
    ANSI = "ansi"


class RoutingIndicator(IntEnum):
    """The part of an address that a relay routes on."""

    GT = 0
    SSN = 1


class EncodingScheme(IntEnum):
    """The coding of the digits of a global title; other values are national or spare."""

    UNKNOWN = 0
    BCD_ODD = 1
    BCD_EVEN = 2


class _Part(Enum):
    """A member of a global title in front of its digits."""

    NOA_WITH_PARITY = "noa, bit 8 set when the number of digits is odd"
    NOA = "noa"
    TT = "tt"
    NP_ES = "np and es"


# Format (the global title indicator) -> octets in front of the digits.
_LAYOUTS: dict[Network, dict[int, tuple[_Part, ...]]] = {
    Network.ITU: {
        1: (_Part.NOA_WITH_PARITY,),
        2: (_Part.TT,),
        3: (_Part.TT, _Part.NP_ES),
        4: (_Part.TT, _Part.NP_ES, _Part.NOA),
    },
    Network.ANSI: {
        1: (_Part.TT, _Part.NP_ES),
        2: (_Part.TT,),
    },
}


_MEMBERS: dict[_Part, tuple[str, ...]] = {
    _Part.NOA_WITH_PARITY: ("noa",),
    _Part.NOA: ("noa",),
    _Part.TT: ("tt",),
    _Part.NP_ES: ("np",),
}


@dataclass(frozen=True, slots=True)
class GlobalTitle:
    """A global title.

    `indicator`: the format, 1..4; formats without a layout have digits only. `digits`: text of
    0-9a-f. `es` None: BCD, odd or even by the number of digits; otherwise the value to send.
    `filler`: the half octet after an odd number of digits. A `noa` of 128 or more in format 4
    has the spare bit set.
    """

    indicator: int
    digits: str
    tt: int | None = None
    np: int | None = None
    noa: int | None = None
    es: int | None = None
    filler: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """A called or calling party address.

    `ri`: 0 = route on GT, 1 = route on SSN. `national` None: bit 8 of the indicator as usual in
    the network (0 in ITU, 1 in ANSI). `pc_spare`: the two spare bits above an ITU point code.
    `excess`: octets after an address that has no global title; normally none.
    """

    ri: int = RoutingIndicator.GT
    ssn: int | None = None
    pc: int | None = None
    gt: GlobalTitle | None = None
    national: bool | None = None
    pc_spare: int = 0
    excess: bytes = b""


@dataclass(frozen=True, slots=True)
class _Form:
    """The properties of an address that differ between networks."""

    network: Network
    pc_bit: int
    ssn_bit: int
    pc_octets: int
    pc_max: int
    ssn_is_first: bool
    national: bool


_FORMS: dict[Network, _Form] = {
    Network.ITU: _Form(Network.ITU, 0x01, 0x02, 2, 0x3FFF, ssn_is_first=False, national=False),
    Network.ANSI: _Form(Network.ANSI, 0x02, 0x01, 3, 0xFFFFFF, ssn_is_first=True, national=True),
}


def gti_for(
    noa: int | None, np: int | None, tt: int | None, network: Network = Network.ITU
) -> int:
    """Return the format that carries exactly these members in a network.

    Errors: LocalProtocolError if no format does.
    """
    members = {"noa": noa, "np": np, "tt": tt}
    given = {name for name, value in members.items() if value is not None}
    for indicator, layout in _LAYOUTS[network].items():
        if given == {name for part in layout for name in _MEMBERS[part]}:
            return indicator
    raise LocalProtocolError(
        f"no global title format of {network.name} carries noa={noa}, np={np}, tt={tt}",
        path="globalTitle",
    )


# Keyed by identity, which is cheaper than a hash of all members: the dialogues of a run share
# their addresses. Each entry holds its address, so no other address can get the same identity.
_RECENT: Memo[int, tuple[Address, Network, bytes]] = Memo(
    "SCCP addresses, encoded, by identity", _MOST_ADDRESSES
)


def encode_address(address: Address, network: Network = Network.ITU) -> bytes:
    """Write an address without its length octet.

    Errors: LocalProtocolError if a value does not fit or a member of the format is missing.
    """
    known = _RECENT.get(id(address))
    if known is not None and known[0] is address and known[1] is network:
        return known[2]
    octets = (_ENCODED_ITU if network is Network.ITU else _ENCODED_ANSI)[address]
    _RECENT[id(address)] = (address, network, octets)
    return octets


def decode_address(octets: bytes, network: Network = Network.ITU) -> Address:
    """Read an address without its length octet; encode_address gives the same octets again.

    Errors: RemoteProtocolError with the offset if it is empty or cut off.
    """
    return (_DECODED_ITU if network is Network.ITU else _DECODED_ANSI)[octets]


def _encode(form: _Form, address: Address) -> bytes:
    pc, ssn = _encode_pc(form, address), b"" if address.ssn is None else _octet(address.ssn, "ssn")
    gt = address.gt
    title = _encode_gt(form.network, gt) if gt else b""
    national = form.national if address.national is None else address.national
    if address.ri not in (0, 1) or (gt and not 0 < gt.indicator <= 15):
        raise LocalProtocolError("routing or global title indicator does not fit", path="address")
    first = (
        (0x80 if national else 0)
        | address.ri << 6
        | (gt.indicator << 2 if gt else 0)
        | (form.ssn_bit if ssn else 0)
        | (form.pc_bit if pc else 0)
    )
    members = ssn + pc if form.ssn_is_first else pc + ssn
    octets = bytes((first,)) + members + title + address.excess
    if len(octets) > _MAX_OCTETS:
        raise LocalProtocolError(f"{len(octets)} octets do not fit", path="address")
    return octets


def _encode_pc(form: _Form, address: Address) -> bytes:
    pc = address.pc
    if pc is None:
        return b""
    if not 0 <= pc <= form.pc_max:
        raise LocalProtocolError(f"{pc} is not within 0 and {form.pc_max}", path="pc")
    if not 0 <= address.pc_spare <= (3 if form.network is Network.ITU else 0):
        raise LocalProtocolError(f"{address.pc_spare} does not fit", path="pc_spare")
    return (address.pc_spare << 14 | pc).to_bytes(form.pc_octets, "little")


def _encode_gt(network: Network, gt: GlobalTitle) -> bytes:
    digits = gt.digits
    is_odd = bool(len(digits) & 1)
    parts: list[bytes] = []
    layout = _LAYOUTS[network].get(gt.indicator, ())
    for part in layout:
        if part is _Part.TT:
            parts.append(_octet(gt.tt, "tt"))
        elif part is _Part.NOA:
            parts.append(_octet(gt.noa, "noa"))
        elif part is _Part.NOA_WITH_PARITY:
            parts.append(_octet(gt.noa, "noa", 0x7F, 0x80 if is_odd else 0))
        else:
            usual = EncodingScheme.BCD_ODD if is_odd else EncodingScheme.BCD_EVEN
            es = int(usual) if gt.es is None else gt.es
            if not 0 <= es <= 15:
                raise LocalProtocolError(f"{es} does not fit", path="es")
            np = _octet(gt.np, "np", 0x0F)[0]
            parts.append(bytes((np << 4 | es,)))
    if is_odd:
        # A layout without the parity has no end mark except F.
        has_parity = bool(layout) and layout != (_Part.TT,)
        digits += f"{gt.filler:x}" if has_parity else "f"
    if not _DIGITS.fullmatch(digits):
        raise LocalProtocolError(f"{quoted(gt.digits)} are no digits", path="digits")
    return b"".join(parts) + _swap_nibbles(bytes.fromhex(digits))


def _decode(form: _Form, octets: bytes) -> Address:
    if not octets:
        raise RemoteProtocolError("the address is empty", offset=0)
    first = octets[0]
    at = 1
    ssn = pc = None
    spare = 0
    for is_ssn in (form.ssn_is_first, not form.ssn_is_first):
        if is_ssn and first & form.ssn_bit:
            ssn = _take(octets, at, 1)
            at += 1
        elif not is_ssn and first & form.pc_bit:
            pc = _take(octets, at, form.pc_octets)
            spare, pc = divmod(pc, form.pc_max + 1)
            at += form.pc_octets
    indicator = first >> 2 & 0x0F
    gt = _decode_gt(form.network, indicator, octets, at) if indicator else None
    is_national = bool(first & 0x80)
    return Address(
        first >> 6 & 1,
        ssn,
        pc,
        gt,
        None if is_national is form.national else is_national,
        spare,
        b"" if gt else octets[at:],
    )


def _decode_gt(network: Network, indicator: int, octets: bytes, at: int) -> GlobalTitle:
    tt = np = noa = es = None
    is_odd = False
    layout = _LAYOUTS[network].get(indicator, ())
    for part in layout:
        value = _take(octets, at, 1)
        at += 1
        if part is _Part.TT:
            tt = value
        elif part is _Part.NOA:
            noa = value
        elif part is _Part.NOA_WITH_PARITY:
            noa, is_odd = value & 0x7F, bool(value & 0x80)
        else:
            np, es = value >> 4, value & 0x0F
            is_odd = es == EncodingScheme.BCD_ODD
    digits = _swap_nibbles(octets[at:]).hex()
    filler = 0
    if is_odd and digits:
        filler = int(digits[-1], 16)
        digits = digits[:-1]
    elif layout == (_Part.TT,) and digits.endswith("f"):
        digits = digits[:-1]
    elif layout == (_Part.NOA_WITH_PARITY,) and is_odd:
        raise RemoteProtocolError("an odd number of digits, but none", offset=at)
    usual = EncodingScheme.BCD_ODD if len(digits) & 1 else EncodingScheme.BCD_EVEN
    return GlobalTitle(indicator, digits, tt, np, noa, None if es == usual else es, filler)


def _encoded(network: Network) -> Memo[Address, bytes]:
    name = f"SCCP addresses, encoded, {network.value}"
    return Memo(name, _MOST_ADDRESSES, partial(_encode, _FORMS[network]))


def _decoded(network: Network) -> Memo[bytes, Address]:
    name = f"SCCP addresses, {network.value}"
    return Memo(name, _MOST_ADDRESSES, partial(_decode, _FORMS[network]))


def _swap_nibbles(octets: bytes) -> bytes:
    # The first of two digits is in the low half.
    return octets.translate(_SWAPPED)


def _octet(value: int | None, name: str, highest: int = 0xFF, flag: int = 0) -> bytes:
    if value is None or not 0 <= value <= highest:
        raise LocalProtocolError(f"{value} is not within 0 and {highest}", path=name)
    return bytes((value | flag,))


def _take(octets: bytes, at: int, size: int) -> int:
    if at + size > len(octets):
        raise RemoteProtocolError("the address is cut off", offset=at)
    return int.from_bytes(octets[at : at + size], "little")


_ENCODED_ITU = _encoded(Network.ITU)
_ENCODED_ANSI = _encoded(Network.ANSI)
_DECODED_ITU = _decoded(Network.ITU)
_DECODED_ANSI = _decoded(Network.ANSI)
