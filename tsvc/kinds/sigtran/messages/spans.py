"""Positions of a decoded TCAP message's parts in its octets: for GetTrace, never for a call."""

from collections.abc import Callable, Iterator

from tsvc.protocols import ber
from tsvc.protocols.asn1.spans import Span, part_spans
from tsvc.protocols.asn1.structures import Structure
from tsvc.protocols.tcap.components import ComponentTag

# (number of a component) -> the type of its parameter, None if it is not known
TypeOf = Callable[[int], Structure | None]
Part = tuple[int, int, int, int]  # tag, first octet of the TLV, first of its contents, stop

_PORTIONS = {0x48: "otid", 0x49: "dtid", 0x4A: "p_abort_cause"}
_DIALOGUE, _COMPONENTS = 0x6B, 0x6C
_EXTERNAL, _ABSTRACT, _PDUS = 0x28, 0xA0, (0x60, 0x61, 0x64)
_CONTEXT, _RESULT, _USER_INFORMATION = 0xA1, 0xA2, 0xBE
_OID, _LINKED = 0x06, 0x80


def spans(octets: bytes, type_of: TypeOf) -> Iterator[Span]:
    """Yield the position of each part that a decoded message names.

    The path is that of the decoded message: `otid`, `components[0].arguments.serviceKey`.
    Errors: RemoteProtocolError for unreadable octets, after the readable parts.
    """
    _, start, stop, _ = ber.read(octets, 0, len(octets))
    for tag, _, at, end in _parts(octets, start, stop):
        if tag in _PORTIONS:
            yield _PORTIONS[tag], at, end - at
        elif tag == _DIALOGUE:
            yield "dialogue_pdu", at, end - at
            yield from _dialogue(octets, at, end)
        elif tag == _COMPONENTS:
            for number, part in enumerate(_parts(octets, at, end)):
                yield from _component(octets, number, part, type_of)


def _parts(octets: bytes, at: int, stop: int) -> Iterator[Part]:
    while at < stop:
        tag, contents, end, after = ber.read(octets, at, stop)
        yield tag, at, contents, end
        at = after


def _dialogue(octets: bytes, at: int, end: int) -> Iterator[Span]:
    """Yield the parts of AARQ, AARE or ABRT, which stands in an EXTERNAL (Q.773 §4.2.3)."""
    for wanted in ((_EXTERNAL,), (_ABSTRACT,), _PDUS):
        inner = [part for part in _parts(octets, at, end) if part[0] in wanted]
        if not inner:
            return
        _, _, at, end = inner[0]
    for tag, _, start, stop in _parts(octets, at, end):
        if tag == _CONTEXT:
            for inside, _, first, last in _parts(octets, start, stop):
                if inside == _OID:
                    yield "application_context", first, last - first
                    yield "dialogue_pdu.application_context", first, last - first
        elif tag == _RESULT:
            yield "dialogue_pdu.result", start, stop - start
        elif tag == _USER_INFORMATION:
            yield "dialogue_pdu.user_information_hex", start, stop - start


def _component(octets: bytes, number: int, part: Part, type_of: TypeOf) -> Iterator[Span]:
    kind, _, at, end = part
    path = f"components[{number}]"
    yield path, at, end - at
    parts = list(_parts(octets, at, end))
    if parts:
        yield f"{path}.invoke_id", parts[0][2], parts[0][3] - parts[0][2]
    rest = parts[1:]
    if kind == ComponentTag.INVOKE and rest and rest[0][0] == _LINKED:
        yield f"{path}.linked_id", rest[0][2], rest[0][3] - rest[0][2]
        rest = rest[1:]
    elif kind in (ComponentTag.RETURN_RESULT_LAST, ComponentTag.RETURN_RESULT_NOT_LAST) and rest:
        end = rest[0][3]
        rest = list(_parts(octets, rest[0][2], end))
    if not rest:
        return
    name = "arguments.problem" if kind == ComponentTag.REJECT else "code"
    yield f"{path}.{name}", rest[0][2], rest[0][3] - rest[0][2]
    if len(rest) < 2:
        return
    start = rest[1][1]
    yield f"{path}.arguments", start, end - start
    type_ = type_of(number)
    if type_ is not None:
        yield from part_spans(type_, octets, start, end, f"{path}.arguments")
