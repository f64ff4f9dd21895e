"""Source and Destination Address (RFC 3868), converted from and to the addresses of SCCP.

Global title, point code and subsystem number are parameters inside the parameter. Parameters
without a member in SCCP (host name, IP addresses, unknown ones) are kept whole in
`Address.excess`. So a reply to such an address has them too.
"""

import re
import struct
from functools import partial

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.memo import Memo
from tsvc.protocols.m3ua.params import (
    LEVEL,
    U32,
    Parameter,
    ParameterType,
    decode_parameters,
    encode_parameters,
)
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network, RoutingIndicator
from tsvc.words import quoted

GLOBAL_TITLE_TAG = 0x8001
POINT_CODE = ParameterType(0x8002, "point_code", U32)
SSN = ParameterType(0x8003, "ssn", LEVEL)
IPV4_TAG = 0x8004
HOST_NAME_TAG = 0x8005
IPV6_TAG = 0x8006

_MOST_ADDRESSES = 4096
_DIGITS = re.compile("(?:[0-9a-f]{2})*")
_HEADER = struct.Struct(">HH")
_TITLE = struct.Struct(">BBBBBBBB")  # 3 reserved, GTI, digits, TT, NP, NoA
_HAS_SSN, _HAS_PC, _HAS_GT = 1, 2, 4

# The routing indicator: GT, SSN + point code, host name, SSN + IP address.
_ON_GT, _ON_PC, _ON_HOST, _ON_IP = 1, 2, 3, 4
_MAX_PC = {Network.ITU: 0x3FFF, Network.ANSI: 0xFFFFFF}

# The members of a global title by its indicator, as in SCCP.
_MEMBERS: dict[Network, dict[int, tuple[str, ...]]] = {
    Network.ITU: {1: ("noa",), 2: ("tt",), 3: ("tt", "np"), 4: ("tt", "np", "noa")},
    Network.ANSI: {1: ("tt", "np"), 2: ("tt",)},
}


def encode_address(address: Address, network: Network = Network.ITU) -> bytes:
    """Write the value of a Source or Destination Address parameter.

    Errors: LocalProtocolError if a value does not fit its field.
    """
    return (_ENCODED_ITU if network is Network.ITU else _ENCODED_ANSI)[address]


def decode_address(octets: bytes, network: Network = Network.ITU) -> Address:
    """Read the value of a Source or Destination Address parameter.

    Shape:   2 octets routing indicator, 2 octets with a bit for each parameter that is present,
             then parameters; only the parameters count, not the bits.
    Errors:  RemoteProtocolError with the offset.
    """
    return (_DECODED_ITU if network is Network.ITU else _DECODED_ANSI)[octets]


def _encode(network: Network, address: Address) -> bytes:
    present = 0
    parameters: list[Parameter] = []
    if address.gt is not None:
        present |= _HAS_GT
        parameters.append(Parameter(GLOBAL_TITLE_TAG, _encode_title(address.gt)))
    if address.pc is not None:
        if not 0 <= address.pc <= _MAX_PC[network]:
            text = f"{address.pc} is not within 0 and {_MAX_PC[network]}"
            raise LocalProtocolError(text, path="pc")
        present |= _HAS_PC
        parameters.append(POINT_CODE.of(address.pc))
    if address.ssn is not None:
        present |= _HAS_SSN
        parameters.append(SSN.of(address.ssn))
    indicator = _routing_indicator(address)
    return _HEADER.pack(indicator, present) + encode_parameters(parameters) + address.excess


def _routing_indicator(address: Address) -> int:
    if address.ri == RoutingIndicator.GT:
        return _ON_GT
    if address.ri != RoutingIndicator.SSN:
        raise LocalProtocolError(f"{address.ri} does not fit", path="ri")
    try:
        tags = {parameter.tag for parameter in decode_parameters(address.excess)}
    except RemoteProtocolError as error:
        raise LocalProtocolError(error.text, path="excess") from error
    if HOST_NAME_TAG in tags:
        return _ON_HOST
    return _ON_IP if tags & {IPV4_TAG, IPV6_TAG} else _ON_PC


def _encode_title(gt: GlobalTitle) -> bytes:
    digits = gt.digits + (f"{gt.filler:x}" if len(gt.digits) & 1 else "")
    if not _DIGITS.fullmatch(digits):
        raise LocalProtocolError(f"{quoted(gt.digits)} are no digits", path="digits")
    try:
        head = _TITLE.pack(
            0, 0, 0, gt.indicator, len(gt.digits), gt.tt or 0, gt.np or 0, gt.noa or 0
        )
        return head + bytes.fromhex(_swapped(digits))
    except struct.error as error:
        raise LocalProtocolError(str(error), path="globalTitle") from error


def _decode(network: Network, octets: bytes) -> Address:
    if len(octets) < _HEADER.size:
        raise RemoteProtocolError("the address is cut off", offset=0)
    indicator, _ = _HEADER.unpack_from(octets)
    if not _ON_GT <= indicator <= _ON_IP:
        raise RemoteProtocolError(f"routing indicator {indicator}", offset=0)
    gt: GlobalTitle | None = None
    pc: int | None = None
    ssn: int | None = None
    others: list[Parameter] = []
    at = _HEADER.size
    for parameter in decode_parameters(octets, at):
        try:
            if parameter.tag == GLOBAL_TITLE_TAG and gt is None:
                gt = _decode_title(parameter.octets, network)
            elif parameter.tag == POINT_CODE.tag and pc is None:
                pc = _checked_pc(POINT_CODE.value_of(parameter), network)
            elif parameter.tag == SSN.tag and ssn is None:
                ssn = SSN.value_of(parameter)
            else:
                others.append(parameter)
        except RemoteProtocolError as error:
            raise RemoteProtocolError(error.text, path=error.path, offset=at) from error
        at += 4 + len(parameter.octets) + (-len(parameter.octets) & 3)
    ri = RoutingIndicator.GT if indicator == _ON_GT else RoutingIndicator.SSN
    return Address(ri, ssn, pc, gt, excess=encode_parameters(others))


def _checked_pc(pc: int, network: Network) -> int:
    if pc > _MAX_PC[network]:
        raise RemoteProtocolError(f"{pc} is above {_MAX_PC[network]}", path="point_code")
    return pc


def _decode_title(octets: bytes, network: Network) -> GlobalTitle:
    if len(octets) < _TITLE.size:
        raise RemoteProtocolError(f"{len(octets)} octets are no global title", path="gt")
    _, _, _, indicator, count, tt, np, noa = _TITLE.unpack_from(octets)
    digits = _swapped(octets[_TITLE.size :].hex())
    if not count <= len(digits) <= count + (count & 1):
        raise RemoteProtocolError(f"{count} digits in {len(digits) // 2} octets", path="gt")
    values = {"tt": tt, "np": np, "noa": noa}
    members = _MEMBERS[network].get(indicator, ())
    filler = int(digits[count], 16) if count & 1 else 0
    return GlobalTitle(
        indicator, digits[:count], **{name: values[name] for name in members}, filler=filler
    )


def _swapped(digits: str) -> str:
    """Return digits with each two of them swapped: the first of two is in the low half."""
    return "".join(digits[at + 1] + digits[at] for at in range(0, len(digits), 2))


def _encoded(network: Network) -> Memo[Address, bytes]:
    name = f"SUA addresses, encoded, {network.value}"
    return Memo(name, _MOST_ADDRESSES, partial(_encode, network))


def _decoded(network: Network) -> Memo[bytes, Address]:
    return Memo(f"SUA addresses, {network.value}", _MOST_ADDRESSES, partial(_decode, network))


_ENCODED_ITU = _encoded(Network.ITU)
_ENCODED_ANSI = _encoded(Network.ANSI)
_DECODED_ITU = _decoded(Network.ITU)
_DECODED_ANSI = _decoded(Network.ANSI)
