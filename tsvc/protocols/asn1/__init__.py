"""Declarative ASN.1 types over the BER core: the types of INAP, CAP and MAP arguments.

An argument is a dict. A leaf named X may be given in several forms, under different keys of the
same dict: `X` (its octets, one character of a string each), `X_hex`, and parts such as `X_digits`
or `X_cause` (protocols.party_number). Encoding uses the first form given, in that order; for a
leaf with a value (INTEGER, ENUMERATED, BOOLEAN) `X_hex` comes before the value. Decoding fills in
all of them. A structure named X is a nested dict; `X_hex` has its contents as raw octets.

Rule 1: decoding never raises on contents and never loses an octet: a member that a table does not
        know goes to `_unknown` as {tag, hex, at} (at: position among its peers), contents that a
        leaf can't read stay in `X_hex`; each deviation is one Note with path and offset.
Rule 2: encoding raises LocalProtocolError with the path of the member.
Rule 3: one declaration serves all variants; `only=` restricts a member, for_variant() resolves.

Start with `base`, the base of all types, then `leaves`.
"""

from tsvc.protocols.asn1.base import Note, Notes, Tree, Type
from tsvc.protocols.asn1.collections import ByVariant, Containing, SequenceOf
from tsvc.protocols.asn1.leaves import (
    Boolean,
    Enumerated,
    Integer,
    Null,
    ObjectIdentifier,
    Octets,
    OpenType,
    Text,
)
from tsvc.protocols.asn1.structures import (
    Choice,
    Member,
    Sequence,
    Structure,
    decode_value,
    encode_value,
    m,
)

__all__ = [
    "Boolean",
    "ByVariant",
    "Choice",
    "Containing",
    "Enumerated",
    "Integer",
    "Member",
    "Note",
    "Notes",
    "Null",
    "ObjectIdentifier",
    "Octets",
    "OpenType",
    "Sequence",
    "SequenceOf",
    "Structure",
    "Text",
    "Tree",
    "Type",
    "decode_value",
    "encode_value",
    "m",
]
