"""MAP: versions, the set of operations, and the types that its tables need in addition to INAP's.

Each file in operations/ declares an operation or related ones as MapOperation values. The variant
of a dialogue is the version of MAP, `map1` to `map3`, which its application context determines.
Version 1 has no dialogue portion on the wire: its context only names the version and is not sent.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1 import (
    Containing,
    Member,
    Note,
    Notes,
    Sequence,
    SequenceOf,
    Structure,
    Tree,
    Type,
)
from tsvc.protocols.asn1.base import prefix_notes
from tsvc.protocols.asn1.structures import Choice, IsOpen
from tsvc.protocols.contexts import alias_of
from tsvc.protocols.ros import Operation, OperationSet
from tsvc.registry import modules_of
from tsvc.values import dataclass

MAP1 = frozenset({"map1"})
MAP2 = frozenset({"map2"})
MAP3 = frozenset({"map3"})
MAP1_2 = MAP1 | MAP2
MAP2_3 = MAP2 | MAP3
VERSIONS = MAP1 | MAP2 | MAP3

VARIANT_ALIASES = {"map": "map3"}
DEFAULT_VARIANT = "map3"

HLR_OR_SCP = frozenset({"hlr", "scp"})

# Invocation timers: TS 29.002 defines ranges (m: 15 to 30 s, ml: 1 to 10 min); these are inside.
TIMER_M_S = 30.0
TIMER_ML_S = 60.0
TIMER_USSD_S = 600.0

_CONTEXT_PREFIX = ber.encode_oid("0.4.0.0.1.0")
_CAMEL_CONTEXTS = (50, 51, 52)  # the same prefix, but CAP's: gsmSSF, assist and SRF


class InOrder(Sequence):
    """A SEQUENCE whose members may have the same tag; their order identifies them.

    A TLV is the first member with its tag after the members that came before it.
    """

    def __init__(self, *members: Member) -> None:
        super().__init__(*members)
        self._places = [(member, tags_of(member)) for member in members]

    def _decode_found(
        self, octets: bytes, start: int, found: list[ber.Tlv], out: Tree, notes: Notes
    ) -> None:
        following = 0
        seen: set[str] = set()
        for place, tlv in enumerate(found):
            position = self._next_of(tlv[0], following)
            if position is None:
                is_known = any(tlv[0] in tags for _, tags in self._places)
                text = "occurs again or out of order" if is_known else None
                self._keep_unknown(octets, tlv, place, out, notes, text)
                continue
            following = position + 1
            member = self.members[position]
            seen.add(member.name)
            _decode_member(member, octets, tlv, out, notes)
        for member in self.members:
            if member.is_required and member.name not in seen:
                notes.append(Note(member.name, start, "mandatory member is missing"))

    def _next_of(self, tag: int, following: int) -> int | None:
        for position, (_, tags) in enumerate(self._places[following:], start=following):
            if tag in tags:
                return position
        return None


def _decode_member(member: Member, octets: bytes, tlv: ber.Tlv, out: Tree, notes: Notes) -> None:
    tag, at, end = tlv
    if member.tag is not None or not isinstance(member.type, Choice):
        member.type.decode(octets, at, end, out, member.name, notes)
        return
    inner: Tree = {}
    out[member.name] = inner
    since = len(notes)
    member.type.decode_one(octets, tag, at, end, inner, notes)
    prefix_notes(notes, since, member.name)


def tags_of(member: Member) -> tuple[int, ...]:
    """Return the tags that a member may have: several for an untagged CHOICE."""
    if member.tag is not None:
        return (member.tag,)
    if isinstance(member.type, Choice):
        return tuple(tag for inner in member.type.members for tag in tags_of(inner))
    return ()


@dataclass(frozen=True)
class MapOperation(Operation):
    """An operation of MAP. `contexts`: aliases of its application contexts, by variant.

    `other_contexts`: aliases of other contexts in which it may come.
    Members have their ASN.1 names. Names without hyphens (vlrNumber, smRPDA) are accepted too, in
    arguments, results and the values that a test expects.
    """

    contexts: Mapping[str, str] = field(default_factory=dict)
    other_contexts: tuple[str, ...] = ()

    def context_problem(self, octets: bytes | None) -> str:
        """Return why the operation can't be in a dialogue of a context, "" if it can.

        None: no context was named; that is version 1 (TS 29.002 has no dialogue portion there).
        """
        if octets is None:
            return "" if "map1" in self.variants else f"{self.name} does not exist in map1"
        alias = alias_of(octets)
        if alias in self.contexts.values() or alias in self.other_contexts:
            return ""
        return f"{self.name} has no application context {alias}"

    def encode_argument(self, args: Mapping[str, Any], variant: str) -> bytes | None:
        return super().encode_argument(self.respelled(args, variant), variant)

    def faults(
        self,
        args: Mapping[str, Any],
        variant: str,
        is_open: IsOpen,
        *,
        is_result: bool = False,
        doubts: list[LocalProtocolError] | None = None,
    ) -> list[LocalProtocolError]:
        spelled = self.respelled(args, variant, is_result=is_result)
        return super().faults(spelled, variant, is_open, is_result=is_result, doubts=doubts)

    def encode_result(self, args: Mapping[str, Any], variant: str) -> bytes | None:
        return super().encode_result(self.respelled(args, variant, is_result=True), variant)

    def respelled(
        self, args: Mapping[str, Any], variant: str, *, is_result: bool = False
    ) -> Mapping[str, Any]:
        """Return arguments with all names in the spelling of the declaration."""
        type_ = self.result_in(variant) if is_result else self.argument_in(variant)
        return args if type_ is None else respelled(args, type_)


OPERATIONS: OperationSet[MapOperation] = OperationSet(
    "MAP operation", modules_of("tsvc.protocols.map.operations")
)
declare = OPERATIONS.declare
by_code = OPERATIONS.by_code


def variant_named(name: str) -> str | None:
    """Return the variant of a name or alias, None if it is unknown."""
    name = VARIANT_ALIASES.get(name, name)
    return name if name in VERSIONS else None


def is_map_context(octets: bytes) -> bool:
    """Return True if an application context is one of MAP, of any version."""
    has_form = octets.startswith(_CONTEXT_PREFIX) and len(octets) == len(_CONTEXT_PREFIX) + 2
    return has_form and octets[-2] not in _CAMEL_CONTEXTS


def variant_of(octets: bytes | None) -> str | None:
    """Return the variant of an application context, None if it is not of MAP 1 to 3."""
    if octets is None or not is_map_context(octets):
        return None
    return variant_named(f"map{octets[-1]}")


# -- spelling -----------------------------------------------------------------------------------


def respelled(args: Mapping[str, Any], type_: Structure) -> Mapping[str, Any]:
    """Return a dict with the names of a structure's members as declared, at every level.

    Names that are declared exactly, and unknown names, stay; so does the `!` of a negation.
    """
    changed: Tree | None = None
    for key, value in args.items():
        name = key.removeprefix("!")
        usual = name if type_.member_of(name) is not None else _usual(name, type_)
        inner = _respelled_below(value, type_.member_of(usual))
        if usual != name or inner is not value:
            changed = dict(args) if changed is None else changed
            if usual != name:
                del changed[key]
            changed[key[: len(key) - len(name)] + usual] = inner
    return args if changed is None else changed


def _usual(name: str, type_: Structure) -> str:
    plain = _plain(name)
    for known in type_.known_keys():
        if _plain(known) == plain:
            return known
    return name


def _plain(name: str) -> str:
    return name.replace("-", "").lower()


def _respelled_below(value: Any, member: Member | None) -> Any:
    type_: Type | None = None if member is None else member.type
    if isinstance(type_, Containing):
        type_ = type_.inner
    if isinstance(type_, Structure) and isinstance(value, Mapping):
        return respelled(value, type_)
    is_list_of_structures = isinstance(type_, SequenceOf) and isinstance(type_.element, Structure)
    if is_list_of_structures and isinstance(value, list):
        assert isinstance(type_, SequenceOf)
        element = type_.element
        assert isinstance(element, Structure)
        items = [respelled(item, element) if isinstance(item, dict) else item for item in value]
        is_same = all(new is old for new, old in zip(items, value, strict=True))
        return value if is_same else items
    return value
