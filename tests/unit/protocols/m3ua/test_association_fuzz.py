"""Any octets from a peer: an association answers or closes, and never raises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.m3ua.well_formed import KEY, KNOWN

from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.messages import decode, encode
from tsvc.protocols.m3ua.routing_keys import RoutingKeys


def changed(octets, at, value):
    at %= len(octets)
    return octets[:at] + bytes((value,)) + octets[at + 1 :]


PIECES = st.one_of(
    KNOWN,
    st.builds(changed, KNOWN, st.integers(0, 60), st.integers(0, 255)),
    st.binary(max_size=40),
)


@pytest.mark.parametrize("role", Role)
@settings(max_examples=examples(150), deadline=None)
@given(pieces=st.lists(PIECES, max_size=12), is_stream=st.booleans())
def test_no_octets_crash_an_association(role, pieces, is_stream):
    association = Association(role, routing_contexts=(0, 7), heartbeat_s=1.0)
    drive(association, pieces, is_stream)


@pytest.mark.parametrize("role", Role)
@settings(max_examples=examples(150), deadline=None)
@given(pieces=st.lists(PIECES, max_size=12), is_double=st.booleans())
def test_no_octets_crash_an_association_with_routing_keys(role, pieces, is_double):
    association = Association(
        role,
        is_double_exchange=is_double,
        keys=(KEY,),
        routing_keys=None if role is Role.ASP else RoutingKeys(may_add=True),
    )
    drive(association, pieces, is_stream=False)


def drive(association, pieces, is_stream):
    association.connected(0.0)
    for now, piece in enumerate(pieces):
        receive = association.receive if is_stream else association.receive_message
        receive(piece, float(now))
        timer = association.next_timer()
        if timer is not None:
            association.handle_timer(max(timer, float(now)))
    for octets in association.data_to_send():
        assert encode(decode(octets)) == octets
    association.shut_down(99.0)
    association.disconnected(99.0)
    assert association.state is AspState.DOWN
