"""`doubts` of faults(): what a receiver would find wrong with values that can be encoded."""

from random import Random

import pytest
from support.each import each
from unit.protocols.asn1.values import Values

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import Octets, Sequence, SequenceOf, m
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.inap.operation import OPERATIONS as INAP
from tsvc.protocols.map.operation import OPERATIONS as MAP

FORMS = [
    pytest.param(operation, variant, id=f"{operation.name}-{variant}")
    for operations in (INAP, MAP)
    for operation in operations
    for variant in sorted(operation.variants)
]
DRAWN = 6


def is_open(value):
    return value == "{open}"


def doubts_of(operation, variant, args):
    doubts = []
    faults = operation.faults(args, variant, is_open, doubts=doubts)
    return faults, doubts


def lengthened(tree, random):
    """Return the values with 40 octets more in one `_hex` of them; None if there is none."""
    places = []
    waiting = [tree]
    while waiting:
        value = waiting.pop()
        for key, item in value.items():
            if isinstance(item, dict):
                waiting.append(item)
            elif isinstance(item, list):
                waiting += [one for one in item if isinstance(one, dict)]
            elif key.endswith("_hex") and item:
                places.append((value, key))
    if not places:
        return None
    inner, key = random.choice(places)
    inner[key] += "00" * 40
    return tree


@each(("operation", "variant"), FORMS)
def test_doubts_are_what_decoding_notes(operation, variant):
    type_ = operation.argument_in(variant)
    if type_ is None:
        return
    for number in range(DRAWN):
        random = Random(f"{operation.name} {variant} {number}")
        tree = Values(random, number % 3 / 2).of(type_)
        for args in (tree, lengthened(tree, random)):
            if args is None:
                continue
            faults, doubts = doubts_of(operation, variant, args)
            try:
                octets = operation.encode_argument(args, variant)
            except LocalProtocolError:
                assert faults
                continue
            notes = []
            operation.decode_argument(octets, variant, notes)
            assert bool(doubts) == bool(malformations(notes)), (args, doubts, notes)


LIST = Sequence(
    m("one", 0, Octets(1, 2)),
    m("names", 1, SequenceOf(Sequence(m("a", 0, Octets(1, 1))), 1, 2)),
    m("leaves", 2, SequenceOf(Octets(1, 2), 1, 2)),
)


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"one_hex": "00"}, []),
        ({"one_hex": "000000", "leaves": "{open}"}, ["one_hex: 3 octets, not 1..2"]),
        ({"names": [{"a_hex": "00"}] * 3}, ["names: 3 elements, not 1..2"]),
        ({"names": ["{open}", {"a_hex": "0000"}]}, ["names[1].a_hex: 2 octets, not 1..1"]),
        ({"leaves_hex": ["00"]}, []),
        ({"leaves": [{"leaves_hex": "00"}] * 3}, ["leaves: 3 elements, not 1..2"]),
        ({"one_hex": "{open}" * 2}, []),
    ],
)
def test_paths_and_counts(args, found):
    doubts = []
    LIST.faults(args, is_open, doubts=doubts)
    assert [f"{one.path}: {one.text}" for one in doubts] == found
