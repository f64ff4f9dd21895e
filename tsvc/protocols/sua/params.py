"""Parameters of SUA messages (RFC 3868) that M3UA does not have, or has under another tag.

Codings and parameter types are those of M3UA; common parameters (0x0004 to 0x0013) are the same.
"""

from tsvc.protocols.m3ua import params
from tsvc.protocols.m3ua.params import LEVEL, NESTED, OCTETS, U32, Coding, ParameterType
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The position of a segment in its message. `remaining`: 0..127; `reference`: 24 bits."""

    is_first: bool
    remaining: int
    reference: int


@dataclass(frozen=True, slots=True)
class SccpCause:
    """The cause of a failure. Type 1: return cause; 2 refusal, 3 release, 4 reset, 5 error."""

    cause_type: int
    value: int


@dataclass(frozen=True, slots=True)
class TidLabel:
    """The transaction ids of an ASP: their bits `start` to `end` (0 is the lowest) are `value`.

    RFC 3868, 3.10.16.
    """

    start: int
    end: int
    value: int


@dataclass(frozen=True, slots=True)
class ProtocolClass:
    """Class 0 or 1 (in sequence), and whether an undeliverable message is to be returned."""

    number: int
    return_on_error: bool = False


def _decode_segmentation(octets: bytes) -> Segmentation:
    word = U32.decode(octets)
    return Segmentation(bool(word >> 31), word >> 24 & 0x7F, word & 0xFFFFFF)


def _encode_segmentation(value: Segmentation) -> bytes:
    if not (0 <= value.remaining <= 0x7F and 0 <= value.reference <= 0xFFFFFF):
        raise ValueError(f"{value} does not fit")
    return U32.encode(value.is_first << 31 | value.remaining << 24 | value.reference)


def _decode_label(octets: bytes) -> TidLabel:
    word = U32.decode(octets)
    return TidLabel(word >> 24, word >> 16 & 0xFF, word & 0xFFFF)


def _encode_label(value: TidLabel) -> bytes:
    if not (0 <= value.start <= value.end <= 31 and 0 <= value.value <= 0xFFFF):
        raise ValueError(f"{value} does not fit")
    return U32.encode(value.start << 24 | value.end << 16 | value.value)


def _decode_cause(octets: bytes) -> SccpCause:
    return SccpCause(U32.decode(octets) >> 8 & 0xFF, octets[3])


def _encode_class(value: ProtocolClass) -> bytes:
    if not 0 <= value.number <= 0x7F:
        raise ValueError(f"{value} does not fit")
    return LEVEL.encode(value.return_on_error << 7 | value.number)


def _decode_class(octets: bytes) -> ProtocolClass:
    octet = LEVEL.decode(octets)
    return ProtocolClass(octet & 0x7F, bool(octet & 0x80))


SEGMENTATION_VALUE: Coding[Segmentation] = Coding(_decode_segmentation, _encode_segmentation)
CAUSE_VALUE: Coding[SccpCause] = Coding(
    _decode_cause, lambda cause: bytes((0, 0, cause.cause_type, cause.value))
)
LABEL_VALUE: Coding[TidLabel] = Coding(_decode_label, _encode_label)
CLASS_VALUE: Coding[ProtocolClass] = Coding(_decode_class, _encode_class)

HOP_COUNT = ParameterType(0x0101, "ss7_hop_count", LEVEL)
SOURCE_ADDRESS = ParameterType(0x0102, "source_address", OCTETS)
DESTINATION_ADDRESS = ParameterType(0x0103, "destination_address", OCTETS)
SCCP_CAUSE = ParameterType(0x0106, "sccp_cause", CAUSE_VALUE)
ASP_CAPABILITIES = ParameterType(0x0109, "asp_capabilities", U32)
DATA = ParameterType(0x010B, "data", OCTETS)
USER_CAUSE = ParameterType(0x010C, "user_cause", params.USER_CAUSE_VALUE)
NETWORK_APPEARANCE = ParameterType(0x010D, "network_appearance", U32)
ROUTING_KEY = ParameterType(0x010E, "routing_key", NESTED)
DRN_LABEL = ParameterType(0x010F, "drn_label", U32)
TID_LABEL = ParameterType(0x0110, "tid_label", LABEL_VALUE)
ADDRESS_RANGE = ParameterType(0x0111, "address_range", NESTED)
SMI = ParameterType(0x0112, "smi", LEVEL)
IMPORTANCE = ParameterType(0x0113, "importance", LEVEL)
MESSAGE_PRIORITY = ParameterType(0x0114, "message_priority", LEVEL)
PROTOCOL_CLASS = ParameterType(0x0115, "protocol_class", CLASS_VALUE)
SEQUENCE_CONTROL = ParameterType(0x0116, "sequence_control", U32)
SEGMENTATION = ParameterType(0x0117, "segmentation", SEGMENTATION_VALUE)
CONGESTION_LEVEL = ParameterType(0x0118, "congestion_level", U32)
REGISTRATION_RESULT = ParameterType(0x0014, "registration_result", NESTED)
DEREGISTRATION_RESULT = ParameterType(0x0015, "deregistration_result", NESTED)
REGISTRATION_STATUS = ParameterType(0x0016, "registration_status", U32)
DEREGISTRATION_STATUS = ParameterType(0x0017, "deregistration_status", U32)
LOCAL_ROUTING_KEY_IDENTIFIER = ParameterType(0x0018, "local_routing_key_identifier", U32)
