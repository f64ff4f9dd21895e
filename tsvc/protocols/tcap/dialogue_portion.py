"""The dialogue portion of TCAP: AARQ, AARE, ABRT, AUDT inside their EXTERNAL.

Source: Q.773 §4.2.3 (06/97)
"""

from tsvc.errors import RemoteProtocolError
from tsvc.memo import Memo
from tsvc.protocols import ber
from tsvc.values import dataclass

DIALOGUE_AS_ID = bytes.fromhex("00118605010101")  # 0.0.17.773.1.1.1
UNIDIALOGUE_AS_ID = bytes.fromhex("00118605010201")  # 0.0.17.773.1.2.1

RESULT_ACCEPTED = 0
RESULT_REJECT_PERMANENT = 1
SOURCE_USER = 1  # context tag of the diagnostic
SOURCE_PROVIDER = 2
DIAGNOSTIC_NULL = 0
DIAGNOSTIC_NO_REASON = 1
DIAGNOSTIC_CONTEXT_NOT_SUPPORTED = 2
ABORT_SOURCE_USER = 0
ABORT_SOURCE_PROVIDER = 1
DIAGNOSTIC_NO_COMMON_VERSION = 2  # source: provider
VERSION_1 = bytes.fromhex("0780")  # one bit, set

_LONGEST_KNOWN = 256  # octets of a cached entry: longer ones are rare, and would fill the memory


@dataclass(slots=True, frozen=True)
class Aarq:
    """Dialogue request: the proposal of the side that begins.

    `is_unidirectional`: it is an AUDT, the same PDU for a message that opens no dialogue.
    """

    application_context: bytes
    user_information: bytes = b""  # EXTERNALs as they are on the wire
    version: bytes = VERSION_1  # contents of the BIT STRING, or its default if that is absent
    is_unidirectional: bool = False

    @property
    def is_version_1(self) -> bool:
        """True if version 1 is among those offered."""
        return _has_version_1(self.version)


@dataclass(slots=True, frozen=True)
class Aare:
    """Dialogue response."""

    application_context: bytes
    result: int = RESULT_ACCEPTED
    diagnostic_source: int = SOURCE_USER
    diagnostic: int = DIAGNOSTIC_NULL
    user_information: bytes = b""


@dataclass(slots=True, frozen=True)
class Abrt:
    """Dialogue abort."""

    source: int
    user_information: bytes = b""


DialoguePdu = Aarq | Aare | Abrt

DIAGNOSTICS: dict[int, dict[int, str]] = {
    SOURCE_USER: {
        0: "null",
        1: "no-reason-given",
        2: "application-context-name-not-supported",
    },
    SOURCE_PROVIDER: {0: "null", 1: "no-reason-given", 2: "no-common-dialogue-portion"},
}
_SIDES = {SOURCE_USER: "user", SOURCE_PROVIDER: "provider"}


def text_of(pdu: DialoguePdu) -> str:
    """Return a dialogue PDU as readable text: result, diagnostic and source by name."""
    match pdu:
        case Aarq():
            name = "AUDT" if pdu.is_unidirectional else "AARQ"
            return f"{name} with context {_oid_text(pdu.application_context)}"
        case Aare(context, result, source, diagnostic):
            known = DIAGNOSTICS.get(source, {}).get(diagnostic)
            reason = f"{diagnostic} ({known})" if known else str(diagnostic)
            words = {RESULT_ACCEPTED: "accepted", RESULT_REJECT_PERMANENT: "reject-permanent"}
            return (
                f"AARE {words.get(result, f'result {result}')}, diagnostic of the dialogue service"
                f" {_SIDES[source]}: {reason}, context {_oid_text(context)}"
            )
        case Abrt(source):
            sides = {ABORT_SOURCE_USER: "user", ABORT_SOURCE_PROVIDER: "provider"}
            return f"ABRT, source dialogue service {sides.get(source, str(source))}"


def _oid_text(octets: bytes) -> str:
    try:
        return ber.decode_oid(octets)
    except (RemoteProtocolError, ValueError):
        return octets.hex()


def _user_information(octets: bytes) -> bytes:
    return ber.tlv(b"\xbe", octets) if octets else b""


def _context(application_context: bytes) -> bytes:
    return ber.tlv(b"\xa1", ber.tlv(b"\x06", application_context))


def encode(pdu: DialoguePdu) -> bytes:
    """Return the octets of the dialogue portion, tag 6B included."""
    return _ENCODED[pdu]


def _encode(pdu: DialoguePdu) -> bytes:
    identifier = DIALOGUE_AS_ID
    match pdu:
        case Aarq(context, information, version):
            identifier = UNIDIALOGUE_AS_ID if pdu.is_unidirectional else DIALOGUE_AS_ID
            apdu = ber.tlv(
                b"\x60",
                ber.tlv(b"\x80", version) + _context(context) + _user_information(information),
            )
        case Aare(context, result, source, diagnostic, information):
            reason = ber.tlv(
                bytes((0xA0 | source,)), ber.tlv(b"\x02", ber.encode_integer(diagnostic))
            )
            apdu = ber.tlv(
                b"\x61",
                ber.tlv(b"\x80", VERSION_1)
                + _context(context)
                + ber.tlv(b"\xa2", ber.tlv(b"\x02", ber.encode_integer(result)))
                + ber.tlv(b"\xa3", reason)
                + _user_information(information),
            )
        case Abrt(source, information):
            apdu = ber.tlv(
                b"\x64",
                ber.tlv(b"\x80", ber.encode_integer(source)) + _user_information(information),
            )
    external = ber.tlv(b"\x06", identifier) + ber.tlv(b"\xa0", apdu)
    return ber.tlv(b"\x6b", ber.tlv(b"\x28", external))


_ENCODED: Memo[DialoguePdu, bytes] = Memo(
    "dialogue portions, encoded",
    512,
    _encode,
    longest=_LONGEST_KNOWN,
    size=lambda pdu: len(pdu.user_information),
)


def decode(contents: bytes) -> DialoguePdu:
    """Return the dialogue PDU in the contents of a dialogue portion (after tag 6B).

    Errors: RemoteProtocolError if it is none of AARQ, AARE, ABRT, AUDT in an EXTERNAL.
    """
    return _DECODED[contents]


def _decode(contents: bytes) -> DialoguePdu:
    tag, external = _only(contents, "dialogue portion")
    if tag != 0x28:
        raise RemoteProtocolError("dialogue portion holds no EXTERNAL", offset=0)
    parts = _members(external, _EXTERNAL, "EXTERNAL")
    syntax = parts.get(0x06, b"")
    if syntax not in (DIALOGUE_AS_ID, UNIDIALOGUE_AS_ID):
        raise RemoteProtocolError("dialogue portion of an unknown syntax", offset=0)
    # Octet-aligned, or a BIT STRING with its count of unused bits.
    forms = [parts.get(0xA0), parts.get(0x81), parts[0x82][1:] if 0x82 in parts else None]
    apdus = [one for one in forms if one]
    if len(apdus) != 1:
        raise RemoteProtocolError(f"dialogue portion with {len(apdus)} PDUs", offset=0)
    tag, apdu = _only(apdus[0], "dialogue PDU's encoding")
    members = _members(apdu, _PDU_MEMBERS.get(tag, ()), "dialogue PDU")
    information = members.get(0xBE, b"")
    is_unidirectional = syntax == UNIDIALOGUE_AS_ID
    if tag == 0x60:
        version = _read_version(members)
        return Aarq(_read_context(members), information, version, is_unidirectional)
    if is_unidirectional:
        raise RemoteProtocolError(f"unidirectional dialogue PDU with tag {tag:x}", offset=0)
    if tag == 0x61:
        if not _has_version_1(_read_version(members)):
            raise RemoteProtocolError("AARE of a protocol version that nobody offers")
        source, diagnostic = _read_diagnostic(members)
        result = _small_integer(_inner(members, 0xA2, 0x02))
        return Aare(_read_context(members), result, source, diagnostic, information)
    if tag == 0x64:
        return Abrt(_small_integer(members.get(0x80, b"")), information)
    raise RemoteProtocolError(f"dialogue PDU with tag {tag:x}", offset=0)


# Members by tag, in their order. No type of Q.773 4.2.3 has an extension marker: no other member
# may occur, and no member twice.
_EXTERNAL = (0x06, 0x02, 0x07, 0xA0, 0x81, 0x82)
_PDU_MEMBERS = {
    0x60: (0x80, 0xA1, 0xBE),
    0x61: (0x80, 0xA1, 0xA2, 0xA3, 0xBE),
    0x64: (0x80, 0xBE),
}


_DECODED = Memo("dialogue portions", 512, _decode, longest=_LONGEST_KNOWN, size=len)


def _only(octets: bytes, what: str) -> tuple[int, bytes]:
    """Return tag and contents of the only TLV in octets. Errors: RemoteProtocolError."""
    tag, start, stop, end = ber.read(octets, 0, len(octets))
    if end != len(octets):
        raise RemoteProtocolError(f"{len(octets) - end} octets after the {what}", offset=end)
    return tag, octets[start:stop]


def _members(octets: bytes, known: tuple[int, ...], what: str) -> dict[int, bytes]:
    """Return {tag: contents}; {} for an unknown PDU, which has no `known` members.

    Errors: RemoteProtocolError for a member that is unknown, repeated or out of order.
    """
    found: dict[int, bytes] = {}
    last = -1
    if not known:
        return found
    for tag, start, stop in ber.walk(octets, 0, len(octets)):
        if tag not in known:
            raise RemoteProtocolError(f"{what} with a member {tag:x}", offset=start)
        if known.index(tag) <= last:
            raise RemoteProtocolError(f"{what}: member {tag:x} again or too late", offset=start)
        last = known.index(tag)
        found[tag] = octets[start:stop]
    return found


def _inner(members: dict[int, bytes], tag: int, inner_tag: int) -> bytes:
    """Return the contents of the only TLV in a member."""
    octets = members.get(tag)
    if octets is None:
        raise RemoteProtocolError(f"dialogue PDU without its member {tag:x}")
    found, contents = _only(octets, f"member {tag:x} of a dialogue PDU")
    if found != inner_tag:
        raise RemoteProtocolError(f"member {tag:x} of a dialogue PDU holds a tag {found:x}")
    return contents


def _read_version(members: dict[int, bytes]) -> bytes:
    """Return the contents of the BIT STRING: the count of unused bits, then the bits."""
    version = members.get(0x80, VERSION_1)
    if not version or version[0] > (7 if len(version) > 1 else 0):
        raise RemoteProtocolError("protocol version of a dialogue PDU is no BIT STRING")
    return version


def _has_version_1(version: bytes) -> bool:
    return len(version) > 1 and bool(version[1] & 0x80)


def _small_integer(octets: bytes) -> int:
    """Return an integer of one octet: all integers of these PDUs have one octet."""
    if len(octets) != 1:
        raise RemoteProtocolError(f"integer of {len(octets)} octets in a dialogue PDU")
    return ber.decode_integer(octets)


def _read_context(members: dict[int, bytes]) -> bytes:
    context = _inner(members, 0xA1, 0x06)
    if not context:
        raise RemoteProtocolError("application context name is empty")
    return context


def _read_diagnostic(members: dict[int, bytes]) -> tuple[int, int]:
    octets = members.get(0xA3)
    if octets is None:
        raise RemoteProtocolError("AARE without result source diagnostic")
    tag, contents = _only(octets, "result source diagnostic")
    if tag not in (0xA0 | SOURCE_USER, 0xA0 | SOURCE_PROVIDER):
        raise RemoteProtocolError(f"result source diagnostic with tag {tag:x}")
    diagnostic = _inner({tag: contents}, tag, 0x02)
    return tag & 0x1F, _small_integer(diagnostic)
