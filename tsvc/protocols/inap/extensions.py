"""Values of extensions by their number: `inap.extensions` of ExecuteTest.

An element of `extensions` may have `value_inner` instead of `value` or `value_hex`: a number or
text, which is encoded as the ASN.1 type that the run declares for the element's `type`. On receipt
`value_inner` is filled in if the octets are of the declared type.

A run has one ExtensionTypes: `expand` is called before encoding, `fill` after decoding.
"""

from collections.abc import Mapping
from typing import Any

from tsvc import turns
from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1 import (
    Boolean,
    Enumerated,
    Integer,
    Null,
    ObjectIdentifier,
    Octets,
    Text,
    Tree,
    Type,
)
from tsvc.protocols.asn1.base import Notes, hex_octets
from tsvc.words import quoted

_KEY = "extensions"
_INNER = "value_inner"
_WIDEST = 2**63


class _Utf8(Text):
    """UTF8String, as text."""

    tag = 0x0C

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        out[name] = octets[start:stop].decode("utf-8")

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        return str(args[name]).encode("utf-8")


class _Hex(Octets):
    """OCTET STRING, as hex digits."""

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        out[name] = octets[start:stop].hex()

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        return hex_octets(args[name], name)


TYPES: Mapping[str, Type] = {
    "BOOLEAN": Boolean(),
    "ENUMERATED": Enumerated({}),
    "HEX": _Hex(),
    "IA5STRING": Text(0, 65535),
    "INTEGER": Integer(-_WIDEST, _WIDEST - 1),
    "NULL": Null(),
    "OBJECT IDENTIFIER": ObjectIdentifier(),
    "OCTET STRING": Octets(),
    "UTF8STRING": _Utf8(0, 65535),
}


class ExtensionTypes:
    """The types of extension values that one run declares.

    `declared`: extension number, in decimal, -> name of an ASN.1 type, in any case.
    Errors: LocalProtocolError whose path is the number.
    """

    def __init__(self, declared: Mapping[str, str]) -> None:
        self._types = {
            _number(key): _type(key, name) for key, name in turns.over(declared.items())
        }

    def expand(self, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return arguments with every `value_inner` encoded as `value_hex`, at any depth.

        Errors: LocalProtocolError with the path of the member, also if the number has no type.
        """
        changed: Tree = {}
        for key, value in args.items():
            if key == _KEY and isinstance(value, list):
                changed[key] = [
                    self._expanded(item, f"{key}[{at}]") for at, item in enumerate(value)
                ]
            elif isinstance(value, Mapping):
                inner = self._below(value, key)
                if inner is not value:
                    changed[key] = inner
            elif isinstance(value, list) and value and isinstance(value[0], Mapping):
                changed[key] = [
                    self._below(item, f"{key}[{at}]") if isinstance(item, Mapping) else item
                    for at, item in enumerate(value)
                ]
        return {**args, **changed} if changed else args

    def fill(self, tree: Tree) -> None:
        """Add `value_inner` to the extensions of a decoded argument, at any depth."""
        for key, value in tree.items():
            if isinstance(value, Mapping):
                self.fill(tree[key])
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, dict):
                        if key == _KEY:
                            self._fill_one(item)
                        self.fill(item)

    def _below(self, value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        try:
            return self.expand(value)
        except LocalProtocolError as error:
            raise LocalProtocolError(error.text, path=f"{name}.{error.path}") from None

    def _expanded(self, item: Any, path: str) -> Any:
        """Return one extension without `value_inner`; `value` and `value_hex` have precedence."""
        if not isinstance(item, Mapping) or item.get(_INNER) is None:
            return item
        given = {key: value for key, value in item.items() if key != _INNER}
        if given.get("value") is not None or given.get("value_hex") is not None:
            return given
        type_ = self._type_of(item)
        if type_ is None:
            text = f"inap.extensions declares no type for extension {item.get('type')}"
            raise LocalProtocolError(text, path=f"{path}.{_INNER}")
        try:
            contents = type_.encode({_INNER: item[_INNER]}, _INNER)
        except LocalProtocolError as error:
            raise LocalProtocolError(error.text, path=f"{path}.{error.path}") from None
        assert type_.tag is not None
        given["value_hex"] = ber.tlv(ber.tag_octets(type_.tag), contents).hex()
        return given

    def _fill_one(self, item: Tree) -> None:
        type_ = self._type_of(item)
        octets = bytes.fromhex(item.get("value_hex", ""))
        if type_ is None or not octets:
            return
        found: Tree = {}
        notes: Notes = []
        try:
            tag, start, stop, end = ber.read(octets, 0, len(octets))
            if tag == type_.tag and end == len(octets):
                type_.decode(octets, start, stop, found, _INNER, notes)
        except (RemoteProtocolError, UnicodeDecodeError):
            return  # not of the declared type: only the octets are shown
        if _INNER in found:
            item[_INNER] = found[_INNER]

    def _type_of(self, item: Mapping[str, Any]) -> Type | None:
        try:
            return self._types.get(_number(item.get("type")))
        except LocalProtocolError:
            return None


def _number(value: object) -> int:
    try:
        return int(str(value), 10)
    except ValueError:
        raise LocalProtocolError("is no extension number", path=str(value)) from None


def _type(number: str, name: object) -> Type:
    type_ = TYPES.get(" ".join(str(name).upper().split()))
    if type_ is None:
        text = f"{quoted(name)} is none of {', '.join(TYPES)}"
        raise LocalProtocolError(text, path=number)
    return type_
