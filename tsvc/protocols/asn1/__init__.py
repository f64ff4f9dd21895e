"""Declarative ASN.1 types over the BER core: what INAP, CAP and MAP arguments are made of.

An argument is a dict. A leaf named X may be written in several forms, spread over keys of the
same dict: `X` (its octets, each one character of a string), `X_hex`, and parts such as
`X_digits` or `X_cause` (protocols.party_number). Encoding uses the first form given, in that
order; of a leaf with a value (INTEGER, ENUMERATED, BOOLEAN) `X_hex` comes before the value.
Decoding fills in all of them. A structure named X is a nested dict; `X_hex` gives its contents
as raw octets.

Rule 1: decoding never raises on contents and never loses an octet: what a table does not know
        goes to `_unknown` as {tag, hex, at} (at: place among its peers), what a leaf can't read
        stays in `X_hex`; each deviation is one Note with path and offset.
Rule 2: encoding raises LocalProtocolError with the path of the member.
Rule 3: one declaration serves all variants; `only=` restricts a member, for_variant() resolves.

Start with `base`, what every type has, then `leaves`.
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
