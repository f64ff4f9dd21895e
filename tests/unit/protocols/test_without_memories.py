"""Decoding and encoding give the same with and without memories, in any order.

Each case is a function and a strategy of its inputs. Inputs come twice, forwards and backwards,
so that most of them are remembered; errors count as results.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.asn1.values import Values
from unit.protocols.m3ua.well_formed import KNOWN as M3UA_MESSAGES
from unit.protocols.tcap.arriving import COMPONENTS, PORTIONS, anything, waiting
from unit.ss7.route_table import ROUTES

from tsvc import memo
from tsvc.errors import ExpressionSyntaxError, LocalProtocolError, RemoteProtocolError
from tsvc.expr.regex import compile_user_pattern
from tsvc.protocols.diameter import dictionary
from tsvc.protocols.inap.operation import OPERATIONS as INAP
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.messages import ASPAC_ACK, ASPUP_ACK, Message
from tsvc.protocols.m3ua.messages import encode as encode_m3ua
from tsvc.protocols.map.operation import OPERATIONS as MAP
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CAUSE,
    GENERIC_DIGITS,
    GENERIC_NUMBER,
    ISDN_ADDRESS,
    TBCD,
)
from tsvc.protocols.sccp import address as sccp
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sua import address as sua
from tsvc.protocols.tcap import components, dialogue_portion, messages
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.scp import refusals
from tsvc.ss7.routes import Routes

LONG = 300  # octets: longer than most memories keep
OCTETS = st.binary(max_size=24)
LONG_OCTETS = st.one_of(OCTETS, OCTETS, st.binary(min_size=LONG, max_size=LONG + 20))
NETWORKS = st.sampled_from(list(Network))
NAMES = st.sampled_from(["x", "calledPartyNumber"])
PARTED = st.sampled_from(
    [CALLED_PARTY_NUMBER, CAUSE, GENERIC_DIGITS, GENERIC_NUMBER, ISDN_ADDRESS, TBCD]
)
ROUTING = Routes(ROUTES, ("A", "B"))


def optional(highest):
    return st.one_of(st.none(), st.integers(-1, highest))


DIGITS = st.text("0123456789abcdefg", max_size=12)
TITLES = st.builds(
    GlobalTitle,
    st.integers(0, 16),
    DIGITS,
    optional(256),
    optional(16),
    optional(256),
    optional(16),
    st.integers(0, 15),
)
ADDRESSES = st.builds(
    Address,
    st.sampled_from([0, 1, 2]),
    optional(256),
    optional(20000),
    st.one_of(st.none(), TITLES),
    st.sampled_from([None, True, False]),
    st.integers(0, 4),
    st.sampled_from([b"", b"\xee", bytes.fromhex("8005 0008 73637000")]),
)
# Values that may be given for a part of a number; 1, True and 1.0 are one key of a dict.
PARTS = st.one_of(
    st.none(),
    st.sampled_from([0, 1, 3, 4, 16, True, False, 1.0, 1.5, "1", "0x1", "", [1], {}]),
    st.text("0123456789abcdef", max_size=70),
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(
        [
            *("x", "x_hex", "x_digits", "x_noa", "x_npi", "x_inn", "x_pri", "x_scheme", "x_type"),
            *("x_cause", "x_standard", "x_location", "x_diagnostics_hex"),
        ]
    ),
    PARTS,
    max_size=5,
)
PDUS = st.one_of(
    st.builds(Aarq, OCTETS, LONG_OCTETS, st.binary(min_size=1, max_size=2), st.booleans()),
    st.builds(Aare, OCTETS, st.integers(0, 2), st.integers(1, 2), st.integers(0, 2), LONG_OCTETS),
    st.builds(Abrt, st.integers(0, 1), LONG_OCTETS),
)
CODES = st.one_of(st.integers(-1, 300), st.sampled_from(["2.999.1", "1.2", "x", ""]))
IDS = st.one_of(st.integers(-130, 130), st.sampled_from([0, 1]))
# An operation with an argument, a variant, and the seed of a value.
VALUES = st.tuples(
    st.sampled_from([one for one in [*INAP, *MAP] if one.argument is not None]),
    st.integers(0, 3),
    st.integers(0, 40),
)


def read_number(given):
    type_, octets, name = given
    out, notes = {}, []
    type_.decode(octets, 0, len(octets), out, name, notes)
    return out, notes


def write_and_read(given):
    """Return the octets of an argument, and the values decoded from them and from cut octets."""
    operation, which, seed = given
    variant = sorted(operation.variants)[which % len(operation.variants)]
    type_ = operation.argument_in(variant)
    if type_ is None:
        return None
    value = Values(Random(seed), seed % 3 / 2).of(type_)
    octets = operation.encode_argument(value, variant)
    notes = []
    cut = (octets or b"")[: -1 - seed % 3]
    return octets, *(operation.decode_argument(it, variant, notes) for it in (octets, cut)), notes


def endpoint_says(script):
    endpoint = waiting()
    found = [
        (indication.kind, indication.pdu, list(indication.components))
        for now, octets in enumerate(script)
        for indication in endpoint.receive(octets, "A", "B", float(now))
    ]
    return found, [outgoing.octets for outgoing in endpoint.data_to_send()]


def association_says(script):
    association = Association(Role.ASP, routing_contexts=(0, 7), network_appearance=5)
    found = [association.connected(0.0)]
    for octets in (encode_m3ua(Message(*ASPUP_ACK)), encode_m3ua(Message(*ASPAC_ACK)), *script):
        found.append(association.receive_message(octets, 1.0))
        found.append(association.data_to_send())
    return found


M3UA_DATA = st.builds(
    lambda sls, user_data, context, appearance, cut: encode_data(
        1, 2, 3, 2, 0, sls, user_data, routing_context=context, network_appearance=appearance
    )[: None if cut > 2 else -cut or None],
    st.integers(0, 15),
    OCTETS,
    st.sampled_from([None, 0, 7, 9]),
    st.sampled_from([None, 5, 6]),
    st.integers(0, 20),
)


def matches(given):
    pattern, text = given
    found = compile_user_pattern(pattern).search(text)
    return None if found is None else found.span()


PORTION = st.builds(lambda parts: b"".join(parts), st.lists(st.sampled_from(COMPONENTS)))
CASES = {
    "components": (
        lambda octets: components.decode(octets, 0, len(octets)),
        st.one_of(PORTION, LONG_OCTETS, st.builds(lambda one, cut: one[:cut], PORTION, IDS)),
    ),
    "invokes": (
        lambda given: components.encode_invoke(*given),
        st.tuples(IDS, CODES, st.one_of(st.none(), LONG_OCTETS), st.one_of(st.none(), IDS)),
    ),
    "dialogue portions": (
        lambda octets: dialogue_portion.decode(octets[2:]),
        st.one_of(
            LONG_OCTETS, st.sampled_from(PORTIONS), st.builds(dialogue_portion.encode, PDUS)
        ),
    ),
    "dialogue PDUs": (dialogue_portion.encode, PDUS),
    "TCAP messages": (messages.decode, anything),
    "TCAP endpoints": (endpoint_says, st.lists(anything, max_size=4)),
    "M3UA associations": (association_says, st.lists(st.one_of(M3UA_DATA, M3UA_MESSAGES))),
    "SCCP addresses": (lambda given: sccp.decode_address(*given), st.tuples(OCTETS, NETWORKS)),
    "SCCP addresses, encoded": (
        lambda given: sccp.encode_address(*given),
        st.tuples(ADDRESSES, NETWORKS),
    ),
    "SUA addresses": (
        lambda given: sua.decode_address(*given),
        st.tuples(
            st.one_of(
                OCTETS,
                st.builds(
                    lambda pc, ssn: sua.encode_address(Address(1, ssn, pc)),
                    st.integers(0, 16000),
                    st.integers(0, 255),
                ),
            ),
            NETWORKS,
        ),
    ),
    "SUA addresses, encoded": (
        lambda given: sua.encode_address(*given),
        st.tuples(ADDRESSES, NETWORKS),
    ),
    "numbers": (read_number, st.tuples(PARTED, st.binary(max_size=40), NAMES)),
    "numbers, encoded": (
        lambda given: given[0].encode(given[1], "x"),
        st.tuples(PARTED, ARGUMENTS),
    ),
    "arguments": (write_and_read, VALUES),
    "what SSPs say": (
        lambda given: (
            refusals.read_argument(INAP.get(given[0]), *given[1:]),
            refusals.read_result(INAP.get(given[0]), *given[1:]),
        ),
        st.tuples(
            st.sampled_from(["EventReportBCSM", "PromptAndCollectUserInformation", "InitialDP"]),
            st.one_of(
                st.none(),
                LONG_OCTETS,
                st.builds(lambda event: bytes((0x30, 3, 0x80, 1, event)), st.integers(0, 60)),
            ),
            st.sampled_from(["cs1", "camel2", "camel4"]),
        ),
    ),
    "routes": (ROUTING.hops, ADDRESSES),
    "patterns": (
        matches,
        st.tuples(st.text("ab^$.*+?()[]|\\d", max_size=8), st.text("ab1\n", max_size=8)),
    ),
}


def outcome(call, value):
    try:
        return call(value)
    except (LocalProtocolError, RemoteProtocolError) as error:
        return type(error), str(error), error.path, error.offset
    except (ExpressionSyntaxError, ValueError, TypeError) as error:
        return type(error), str(error)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", CASES)
def test_with_memories_as_without(name):
    call, values = CASES[name]

    @settings(max_examples=examples(100), deadline=None, derandomize=True)
    @given(st.lists(values, min_size=1, max_size=6))
    def check(given):
        given = [*given, *reversed(given)]
        with memo.off():
            expected = [outcome(call, value) for value in given]
        assert [outcome(call, value) for value in given] == expected

    check()


def test_the_dictionary_is_read_alike_every_time():
    with memo.off():
        one = dictionary.standard()
        two = dictionary.standard()
    three = dictionary.standard()
    assert one is not two
    assert dictionary.standard() is three
    for name in dictionary.Dictionary.__slots__:
        assert getattr(one, name) == getattr(two, name) == getattr(three, name)
