"""AVPs as JSON trees: encoding and decoding by a dictionary.

    {"name": "CC-Request-Type", "code": 416, "mandatory": true, "value": 1,
     "value_name": "INITIAL_REQUEST"}

`vendor_id` is there if the V bit is set, `protected` if P is, `reserved` (the other five bits) if
one of them is. `value` is a list of such trees for a group; it is absent if the octets can only be
shown in hex. `value_hex` is added for an OctetString, and replaces a value that can't be shown; an
unknown AVP has only `value_hex`. `value_time` is added for a Time. A decoded tree is encoded to
the same octets, except for padding.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.diameter.dictionary import AvpDefinition, Dictionary
from tsvc.protocols.diameter.message import (
    HEADER_OCTETS,
    AvpFlag,
    encode_raw,
    read_avps,
    whole_header,
)
from tsvc.protocols.diameter.types import (
    OCTET_STRING,
    TIME,
    integer_of,
    iso_time,
    octets_of_hex,
)
from tsvc.words import quoted

MAX_NESTING = 16
_MANDATORY, _PROTECTED = int(AvpFlag.MANDATORY), int(AvpFlag.PROTECTED)
_RESERVED = 0x1F
_UNUSUAL = _PROTECTED | _RESERVED

_FAILED_AVP = "Failed-AVP"

Tree = dict[str, Any]
Notes = list[str]

# Members with which an AVP may be given; other members are ignored.
MEMBERS = frozenset(
    {
        "name",
        "code",
        "vendor_id",
        "vendor_specific",
        "mandatory",
        "protected",
        "reserved",
        "value",
        "value_hex",
        "value_name",
        "value_time",
    }
)


def decode_avps(
    octets: bytes,
    start: int,
    stop: int,
    dictionary: Dictionary,
    depth: int = 1,
    notes: Notes | None = None,
) -> list[Tree]:
    """Return the trees of the AVPs in octets[start:stop].

    With `notes` it continues after an error if it can, and adds a text with the path there. Notes
    are also added for groups that break the rules of the dictionary, and for an unknown AVP that
    must be understood (M).
    Errors: RemoteProtocolError with name and offset: an AVP is cut off, its value has not the
            length of its type, or groups are nested deeper than MAX_NESTING. None with `notes`.
    """
    if depth > MAX_NESTING:
        text = f"groups in groups, more than {MAX_NESTING}"
        if notes is None:
            raise RemoteProtocolError(text, offset=start)
        notes.append(text)
        return []
    known = dictionary.avps
    trees: list[Tree] = []
    for code, vendor_id, flags, at, end in read_avps(octets, start, stop, notes):
        definition = known.get((code, vendor_id or 0))
        tree: Tree = {
            "name": definition.name if definition else f"AVP {code}",
            "code": code,
            "mandatory": flags & _MANDATORY != 0,
        }
        trees.append(tree)
        if vendor_id is not None:
            tree["vendor_id"] = vendor_id
        if flags & _UNUSUAL:
            _note_flags(tree, flags)
        if definition is None:
            tree["value_hex"] = octets[at:end].hex()
            if notes is not None and flags & _MANDATORY:
                vendor = f" of vendor {vendor_id}" if vendor_id else ""
                notes.append(f"AVP {code}{vendor} has the M bit and is not known")
        elif definition.is_plain:
            data = octets[at:end]
            tree["value"] = value = _value(definition, data, at, notes)
            if value is None:
                del tree["value"]
                tree["value_hex"] = data.hex()
        elif definition.type.is_grouped:
            inner: Notes | None = None if notes is None else []
            below = decode_avps(octets, at, end, dictionary, depth + 1, inner)
            tree["value"] = below
            if notes is not None and inner is not None:
                _note_group(definition.name, below, inner, dictionary, notes)
        else:
            _fill_value(tree, definition, octets[at:end], at, notes)
    return trees


def _note_group(
    name: str, avps: list[Tree], inner: Notes, dictionary: Dictionary, notes: Notes
) -> None:
    """Add the notes of a group, with its name."""
    if name == _FAILED_AVP:
        return  # it contains the wrong AVPs of the request
    rule = dictionary.groups.get(name)
    if rule is not None:
        inner += rule.problems([avp["name"] for avp in avps])
    if inner:
        notes += [f"{name}.{text}" for text in inner]


def _value(definition: AvpDefinition, data: bytes, offset: int, notes: Notes | None) -> Any:
    """Return a value; None if it has no JSON form, or if it is malformed and `notes` is given."""
    type_ = definition.type
    try:
        value = type_.decode(data)
    except ValueError as error:
        if notes is None:
            raise RemoteProtocolError(str(error), path=definition.name, offset=offset) from None
        notes.append(f"{definition.name}: {error}")
        return None
    if value is None and notes is not None and type_.is_text:
        notes.append(f"{definition.name}: the octets are no {type_.name}")
    return value


def _note_flags(tree: Tree, flags: int) -> None:
    if flags & _PROTECTED:
        tree["protected"] = True
    if flags & _RESERVED:
        tree["reserved"] = flags & _RESERVED


def _fill_value(
    tree: Tree, definition: AvpDefinition, data: bytes, offset: int, notes: Notes | None
) -> None:
    type_ = definition.type
    value = _value(definition, data, offset, notes)
    if value is not None:
        tree["value"] = value
    if type_.shows_hex or value is None:
        tree["value_hex"] = data.hex()
    if definition.names:
        name = definition.names.get(value)
        if name is not None:
            tree["value_name"] = name
    elif type_ is TIME and value is not None:
        tree["value_time"] = iso_time(value)


def encode_avps(avps: Sequence[Any], dictionary: Dictionary, path: str, depth: int = 1) -> bytes:
    """Return the octets of AVPs given as trees. Errors: LocalProtocolError with the path."""
    parts: list[bytes] = []
    try:
        for avp in avps:
            parts.append(_encode(avp, dictionary, depth))  # noqa: PERF401 - its length is used
    except LocalProtocolError as error:
        raise _at(f"{path}[{len(parts)}]", error) from None
    return b"".join(parts)


def encode_avp(avp: Any, dictionary: Dictionary, path: str) -> bytes:
    """Return the octets of one AVP; b"" if its value is null, so that it is not sent.

    `name` or `code` identifies it; the other members have the dictionary's defaults.
    Errors: LocalProtocolError with the path.
    """
    try:
        return _encode(avp, dictionary, 1)
    except LocalProtocolError as error:
        raise _at(path, error) from None


def _at(path: str, error: LocalProtocolError) -> LocalProtocolError:
    """Return an error with `path` put before its own path."""
    return LocalProtocolError(error.text, path=f"{path}{error.path}")


def _encode(avp: Any, dictionary: Dictionary, depth: int) -> bytes:
    """Return the octets of one AVP; paths of errors are relative to it."""
    if not isinstance(avp, dict):
        raise LocalProtocolError("an AVP is an object with name and value")
    definition = definition_of(avp, dictionary)
    value = avp.get("value")
    try:
        if len(avp) == 2 and value is not None and "name" in avp:
            # By far the usual case: nothing but a name and a value.
            flags = _MANDATORY if definition.is_mandatory else 0
            data = _data_of(value, definition, dictionary, depth)
            return encode_raw(definition.code, definition.vendor_id or None, flags, data)
        if value is None and avp.get("value_hex") is None and avp.get("value_name") is None:
            return b""
        data = _data(avp, definition, dictionary, depth)
        return encode_raw(definition.code, _vendor(avp, definition), _flags(avp, definition), data)
    except ValueError as error:
        raise LocalProtocolError(f"{definition.name}: {error}") from None


def definition_of(avp: Mapping[str, Any], dictionary: Dictionary) -> AvpDefinition:
    """Return the definition of a given AVP. Errors: LocalProtocolError if there is none."""
    code, name = avp.get("code"), avp.get("name")
    if code is None:
        definition = dictionary.avp(name) if isinstance(name, str) else None
        if definition is not None:
            return definition
        if name is None:
            raise LocalProtocolError("an AVP needs a name or a code")
        raise LocalProtocolError(f"no AVP is named {quoted(name)}")
    try:
        number = integer_of(code)
        vendor = integer_of(avp.get("vendor_id") or 0)
    except ValueError as error:
        raise LocalProtocolError(str(error)) from None
    known = dictionary.avps.get((number, vendor))
    return known or AvpDefinition(f"AVP {number}", number, vendor, OCTET_STRING, False)


def _data(
    avp: Mapping[str, Any], definition: AvpDefinition, dictionary: Dictionary, depth: int
) -> bytes:
    given_hex = avp.get("value_hex")
    if given_hex is not None:
        return octets_of_hex(given_hex)
    value = avp.get("value")
    if value is None:
        value = avp.get("value_name")
    return _data_of(value, definition, dictionary, depth)


def _data_of(value: Any, definition: AvpDefinition, dictionary: Dictionary, depth: int) -> bytes:
    type_ = definition.type
    if not type_.is_grouped:
        return type_.encode(definition.number(value) if definition.names else value)
    if not isinstance(value, list):
        raise ValueError("its value is a list of AVPs")
    if depth >= MAX_NESTING:
        raise LocalProtocolError(f"groups in groups, more than {MAX_NESTING}")
    return encode_avps(value, dictionary, ".value", depth + 1)


def _flags(avp: Mapping[str, Any], definition: AvpDefinition) -> int:
    mandatory = avp.get("mandatory")
    is_mandatory = definition.is_mandatory if mandatory is None else _truth(mandatory)
    flags = _MANDATORY if is_mandatory else 0
    if _truth(avp.get("protected")):
        flags |= _PROTECTED
    reserved = avp.get("reserved")
    return flags | (integer_of(reserved) & _RESERVED) if reserved else flags


def _vendor(avp: Mapping[str, Any], definition: AvpDefinition) -> int | None:
    """Return the vendor to send, None for a clear V bit."""
    given = avp.get("vendor_id")
    vendor_id = definition.vendor_id if given is None else integer_of(given)
    is_specific = avp.get("vendor_specific")
    if is_specific is not None:
        return vendor_id if _truth(is_specific) else None
    return vendor_id if vendor_id or given is not None else None


def _truth(value: Any) -> bool:
    return value not in (None, False, 0, 0.0, "", "0")


def by_name(avps: Sequence[Tree]) -> dict[str, Any]:
    """Return the values by name, groups as nested objects; the first of repeated AVPs."""
    found: dict[str, Any] = {}
    for avp in avps:
        name = avp["name"]
        if name in found:
            continue
        value = avp.get("value", avp.get("value_hex"))
        found[name] = by_name(value) if isinstance(value, list) else value
    return found


def message_tree(octets: bytes, dictionary: Dictionary, notes: Notes | None = None) -> Tree:
    """Return a whole message as JSON. Errors: RemoteProtocolError; see decode_avps() for `notes`.

    Shape: name, code, application_id, is_request, is_error, hop_by_hop_id, end_to_end_id,
           avps, and avp: their values by name.
    """
    header = whole_header(octets)
    avps = decode_avps(octets, HEADER_OCTETS, len(octets), dictionary, notes=notes)
    return {
        "name": dictionary.command_name(header.command_code, is_request=header.is_request),
        "code": header.command_code,
        "application_id": header.application_id,
        "is_request": header.is_request,
        "is_error": header.is_error,
        "hop_by_hop_id": header.hop_by_hop_id,
        "end_to_end_id": header.end_to_end_id,
        "avps": avps,
        "avp": by_name(avps),
    }


def message_spans(octets: bytes, dictionary: Dictionary) -> Iterator[tuple[str, int, int]]:
    """Yield (path in message_tree(), first octet, number of octets) of the parts of a message.

    Errors: RemoteProtocolError where octets can't be read, after the parts before them.
    """
    yield "code", 5, 3
    yield "application_id", 8, 4
    yield "hop_by_hop_id", 12, 4
    yield "end_to_end_id", 16, 4
    yield from _avp_spans(octets, HEADER_OCTETS, len(octets), dictionary, "avps", 1)


def _avp_spans(
    octets: bytes, start: int, stop: int, dictionary: Dictionary, path: str, depth: int
) -> Iterator[tuple[str, int, int]]:
    for position, (code, vendor_id, _, at, end) in enumerate(read_avps(octets, start, stop, None)):
        one = f"{path}[{position}]"
        yield one, at, end - at
        definition = dictionary.avps.get((code, vendor_id or 0))
        if definition is not None and definition.type.is_grouped and depth < MAX_NESTING:
            yield from _avp_spans(octets, at, end, dictionary, f"{one}.value", depth + 1)
