"""Components of TCAP as values, with their encoding and decoding.

A parameter is a whole TLV and stays encoded here: code that knows the operation decodes it.
Source: Q.773 §4.2 (06/97)
"""

from dataclasses import field
from enum import IntEnum

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.memo import Memo
from tsvc.protocols import ber
from tsvc.values import dataclass

Code = int | str  # local INTEGER, or global OBJECT IDENTIFIER as dotted text


class ComponentTag(IntEnum):
    """Identifier octet of each component kind."""

    INVOKE = 0xA1
    RETURN_RESULT_LAST = 0xA2
    RETURN_ERROR = 0xA3
    REJECT = 0xA4
    RETURN_RESULT_NOT_LAST = 0xA7


ANSWER_TAGS = (
    ComponentTag.RETURN_RESULT_LAST,
    ComponentTag.RETURN_RESULT_NOT_LAST,
    ComponentTag.RETURN_ERROR,
)


class ProblemType(IntEnum):
    """The CHOICE alternative of a Reject's problem; the value is its context tag number."""

    GENERAL = 0
    INVOKE = 1
    RETURN_RESULT = 2
    RETURN_ERROR = 3


PROBLEMS: dict[ProblemType, dict[int, str]] = {
    ProblemType.GENERAL: {
        0: "unrecognizedComponent",
        1: "mistypedComponent",
        2: "badlyStructuredComponent",
    },
    ProblemType.INVOKE: {
        0: "duplicateInvokeID",
        1: "unrecognizedOperation",
        2: "mistypedParameter",
        3: "resourceLimitation",
        4: "initiatingRelease",
        5: "unrecognizedLinkedID",
        6: "linkedResponseUnexpected",
        7: "unexpectedLinkedOperation",
    },
    ProblemType.RETURN_RESULT: {
        0: "unrecognizedInvokeID",
        1: "returnResultUnexpected",
        2: "mistypedParameter",
    },
    ProblemType.RETURN_ERROR: {
        0: "unrecognizedInvokeID",
        1: "returnErrorUnexpected",
        2: "unrecognizedError",
        3: "unexpectedError",
        4: "mistypedParameter",
    },
}


# General problems that the component sublayer itself finds.
UNRECOGNIZED_COMPONENT, MISTYPED, BADLY_STRUCTURED = 0, 1, 2
# The invoke problems that the component sublayer finds; its user reports all others.
DUPLICATE_INVOKE_ID, UNRECOGNIZED_LINKED_ID = 0, 5


@dataclass(slots=True)
class Invoke:
    """A request to perform an operation. Never changed once made: received ones are cached.

    `linked_code` is filled in by the receiving dialogue: the code of our operation to which this
    invoke is linked.
    """

    invoke_id: int
    code: Code
    parameter: bytes | None = None
    linked_id: int | None = None
    linked_code: Code | None = field(default=None, compare=False)


@dataclass(slots=True)
class ReturnResult:
    """An operation succeeded. `code` is None on the wire when the result is empty; the
    receiving dialogue then fills in the code of the invocation, which is `operation_code`."""

    invoke_id: int
    code: Code | None = None
    parameter: bytes | None = None
    is_last: bool = True
    operation_code: Code | None = field(default=None, compare=False)


@dataclass(slots=True)
class ReturnError:
    """An operation failed. `operation_code` is filled in by the receiving dialogue."""

    invoke_id: int
    code: Code
    parameter: bytes | None = None
    operation_code: Code | None = None


@dataclass(slots=True)
class Reject:
    """A component was refused; invoke_id is None when it could not be derived."""

    invoke_id: int | None
    problem_type: ProblemType
    problem: int
    is_local: bool = False  # detected by our own component sublayer
    operation_code: Code | None = None

    @property
    def text(self) -> str:
        """The problem in words."""
        name = PROBLEMS[self.problem_type].get(self.problem, str(self.problem))
        return f"{self.problem_type.name.lower().replace('_', ' ')} problem {name}"


@dataclass(slots=True)
class LocalCancel:
    """The invocation timer of an operation of ours ran out (TC-L-CANCEL)."""

    invoke_id: int
    code: Code


@dataclass(slots=True)
class Malformed:
    """A component that can't be read, and the problem to reject it with."""

    invoke_id: int | None
    problem_type: ProblemType
    problem: int
    octets: bytes  # contents of the component
    tag: int = 0  # which component it is


Component = Invoke | ReturnResult | ReturnError | Reject | LocalCancel | Malformed


def _code(code: Code) -> bytes:
    if isinstance(code, int):
        return ber.tlv(b"\x02", ber.encode_integer(code))
    try:
        return ber.tlv(b"\x06", ber.encode_oid(code))
    except ValueError as error:
        raise LocalProtocolError(str(error)) from None


def _id(invoke_id: int) -> bytes:
    if not -128 <= invoke_id <= 127:
        raise LocalProtocolError(f"invoke id {invoke_id} is not in -128..127")
    return bytes((invoke_id & 0xFF,))


def _invoke_id(invoke_id: int) -> bytes:
    return b"\x02\x01" + _id(invoke_id)


def encode(component: Component) -> bytes:
    """Return the octets of a component that can be sent.

    Errors: LocalProtocolError for an id out of range, a global code that is no object identifier,
    a parameter of a result without its operation's code.
    """
    match component:
        case Invoke(invoke_id, code, parameter, linked_id):
            linked = b"" if linked_id is None else b"\x80\x01" + _id(linked_id)
            body = _invoke_id(invoke_id) + linked + _code(code) + (parameter or b"")
            return ber.tlv(b"\xa1", body)
        case ReturnResult(invoke_id, code, parameter, is_last):
            tag = b"\xa2" if is_last else b"\xa7"
            result = b""
            if parameter is not None:
                if code is None:
                    raise LocalProtocolError("a result with a parameter needs the operation code")
                result = ber.tlv(b"\x30", _code(code) + parameter)
            return ber.tlv(tag, _invoke_id(invoke_id) + result)
        case ReturnError(invoke_id, code, parameter):
            return ber.tlv(b"\xa3", _invoke_id(invoke_id) + _code(code) + (parameter or b""))
        case Reject(invoke_id, problem_type, problem):
            lead = b"\x05\x00" if invoke_id is None else _invoke_id(invoke_id)
            tag = bytes((0x80 | problem_type,))
            return ber.tlv(b"\xa4", lead + ber.tlv(tag, ber.encode_integer(problem)))
        case _:
            raise TypeError(f"{type(component).__name__} is never sent")


_LONGEST_KNOWN = 256  # octets of a cached entry: longer ones are rare, and would fill the memory


def _encode_invoke(key: tuple[int, Code, bytes | None, int | None]) -> bytes:
    return encode(Invoke(*key))


_ENCODED = Memo("invokes, encoded", 4096, _encode_invoke, longest=_LONGEST_KNOWN)


def encode_invoke(
    invoke_id: int, code: Code, parameter: bytes | None, linked_id: int | None
) -> bytes:
    """Return the octets of an invoke, cached: many are the same in every call.

    Errors: as encode().
    """
    return _ENCODED[invoke_id, code, parameter, linked_id]


# Only portions with nothing but invokes, by their octets: many are the same in every call.
_DECODED: Memo[bytes, list[Component]] = Memo("component portions of invokes", 2048)


def decode(octets: bytes, start: int, stop: int) -> list[Component]:
    """Return the components of a component portion's contents; bad ones are Malformed.

    From the first component that can't be delimited, the rest is one Malformed. An empty portion,
    which must not be sent, is one Malformed too. Never raises.
    """
    if start == stop:
        return [Malformed(None, ProblemType.GENERAL, BADLY_STRUCTURED, b"")]
    if stop - start > _LONGEST_KNOWN:
        return _decode(octets, start, stop)
    portion = octets[start:stop]
    known = _DECODED.get(portion)
    if known is not None:
        return known.copy()
    components = _decode(octets, start, stop)
    if all(type(component) is Invoke for component in components):
        _DECODED[portion] = components.copy()
    return components


def _decode(octets: bytes, start: int, stop: int) -> list[Component]:
    try:
        cut = ber.walk(octets, start, stop)
    except RemoteProtocolError:
        cut, rest = walk_readable(octets, start, stop)
        readable = [_decode_one(octets, tag, at, end) for tag, at, end in cut]
        lost = Malformed(
            None, ProblemType.GENERAL, BADLY_STRUCTURED, octets[rest:stop], octets[rest]
        )
        return [*readable, lost]
    return [_decode_one(octets, tag, at, end) for tag, at, end in cut]


def walk_readable(octets: bytes, start: int, stop: int) -> tuple[list[ber.Tlv], int]:
    """Return the TLVs before the first that can't be read, and where that one starts."""
    found: list[ber.Tlv] = []
    at = start
    try:
        while at < stop:
            tag, contents, end, following = ber.read(octets, at, stop)
            found.append((tag, contents, end))
            at = following
    except RemoteProtocolError:
        pass
    return found, at


def _decode_one(octets: bytes, tag: int, start: int, stop: int) -> Component:
    decoder = _DECODERS.get(tag)
    problem = UNRECOGNIZED_COMPONENT
    if decoder is not None:
        try:
            found = ber.walk(octets, start, stop)
            if not found:
                raise RemoteProtocolError("component is empty", offset=start)
            invoke_id = _read_invoke_id(octets, found[0])
            if invoke_id is not None or tag == ComponentTag.REJECT:
                return decoder(octets, invoke_id, found)
            problem = MISTYPED
        except RemoteProtocolError:
            problem = BADLY_STRUCTURED
        except (IndexError, ValueError):
            problem = MISTYPED
    readable, _ = walk_readable(octets, start, stop)
    derived = _derive_invoke_id(octets, readable)
    return Malformed(derived, ProblemType.GENERAL, problem, octets[start:stop], tag)


def _read_invoke_id(octets: bytes, item: ber.Tlv) -> int | None:
    """Return the invoke id, None for a NULL; ValueError if it is neither."""
    tag, at, end = item
    if tag == 0x02 and end - at == 1:
        return int.from_bytes(octets[at:end], "big", signed=True)
    if tag == 0x05 and end == at:
        return None
    raise ValueError("neither an invoke id nor NULL")


def _derive_invoke_id(octets: bytes, readable: list[ber.Tlv]) -> int | None:
    try:
        return _read_invoke_id(octets, readable[0])
    except (IndexError, ValueError):
        return None


def _read_integer(octets: bytes, at: int, end: int) -> int:
    """Return an integer of at most 8 octets: no code or problem is longer.

    Errors: RemoteProtocolError without octets, ValueError if long or not in the shortest form.
    """
    if end - at > 8:
        raise ValueError(f"integer of {end - at} octets")
    value = ber.decode_integer(octets[at:end])
    if end - at > 1 and len(ber.encode_integer(value)) < end - at:
        raise ValueError("integer with needless octets in front")
    return value


def _read_code(octets: bytes, item: ber.Tlv) -> Code:
    tag, at, end = item
    if tag == 0x02:
        return _read_integer(octets, at, end)
    if tag == 0x06:
        return ber.decode_oid(octets[at:end])
    raise ValueError("neither a local nor a global code")


def _parameter(octets: bytes, found: list[ber.Tlv], position: int) -> bytes | None:
    """Return the whole TLV at a position of the component, None if there is none."""
    if len(found) <= position:
        return None
    if len(found) > position + 1:
        raise ValueError("more than one parameter")
    start = found[position - 1][2]
    # A code is never constructed, so no end-of-contents octets can follow it: the parameter
    # starts where the contents of the code stop.
    return octets[start : ber.read(octets, start, len(octets))[3]]


def _decode_invoke(octets: bytes, invoke_id: int | None, found: list[ber.Tlv]) -> Component:
    assert invoke_id is not None
    position = 1
    linked_id = None
    if found[1][0] == 0x80:
        linked_id = _read_invoke_id(octets, (0x02, *found[1][1:]))
        position = 2
    code = _read_code(octets, found[position])
    parameter = _parameter(octets, found, position + 1)
    return Invoke(invoke_id, code, parameter, linked_id)


def _decode_result(
    octets: bytes, invoke_id: int | None, found: list[ber.Tlv], *, is_last: bool = True
) -> Component:
    assert invoke_id is not None
    if len(found) == 1:
        return ReturnResult(invoke_id, None, None, is_last)
    tag, start, stop = found[1]
    if tag != 0x30 or len(found) > 2:
        raise ValueError("result is no sequence")
    inner = ber.walk(octets, start, stop)
    code = _read_code(octets, inner[0])
    return ReturnResult(invoke_id, code, _parameter(octets, inner, 1), is_last)


def _decode_result_not_last(
    octets: bytes, invoke_id: int | None, found: list[ber.Tlv]
) -> Component:
    return _decode_result(octets, invoke_id, found, is_last=False)


def _decode_error(octets: bytes, invoke_id: int | None, found: list[ber.Tlv]) -> Component:
    assert invoke_id is not None
    code = _read_code(octets, found[1])
    return ReturnError(invoke_id, code, _parameter(octets, found, 2))


def _decode_reject(octets: bytes, invoke_id: int | None, found: list[ber.Tlv]) -> Component:
    tag, at, end = found[1]
    if len(found) > 2:
        raise ValueError("more than one problem")
    return Reject(invoke_id, ProblemType(tag - 0x80), _read_integer(octets, at, end))


_DECODERS = {
    int(ComponentTag.INVOKE): _decode_invoke,
    int(ComponentTag.RETURN_RESULT_LAST): _decode_result,
    int(ComponentTag.RETURN_RESULT_NOT_LAST): _decode_result_not_last,
    int(ComponentTag.RETURN_ERROR): _decode_error,
    int(ComponentTag.REJECT): _decode_reject,
}
