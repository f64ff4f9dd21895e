"""Routing key management between two associations, and each cell of its table."""

import itertools

import pytest
from support.playbook import indicated, playbook, received, sent
from unit.protocols.m3ua.associations import M3UA, conversation, err

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.indications import (
    ActiveInd,
    CloseInd,
    InactiveInd,
    NotifyInd,
    ProtocolErrorInd,
    RegistrationInd,
)
from tsvc.protocols.m3ua.messages import message
from tsvc.protocols.m3ua.params import ErrorCode, PointCode
from tsvc.protocols.m3ua.registration import (
    KEY_TRANSITIONS,
    KeyEvent,
    KeyState,
    Registrations,
)
from tsvc.protocols.m3ua.routing_keys import RegistrationStatus, RoutingKey, RoutingKeys
from tsvc.protocols.m3ua.servers import Transfer

ONE = RoutingKey(PointCode(1), (3,))
TWO = RoutingKey(PointCode(2), (3,))

IDLE, ASKED, REGISTERED, LEAVING, REFUSED = KeyState
# REGISTER, GRANTED, REFUSED, DEREGISTER, LEFT, GIVEN_UP
TABLE = {
    IDLE: [ASKED, None, None, None, None, None],
    ASKED: [None, REGISTERED, REFUSED, None, None, REFUSED],
    REGISTERED: [None, None, None, LEAVING, None, None],
    LEAVING: [None, None, IDLE, None, IDLE, IDLE],
    REFUSED: [None] * 6,
}


@pytest.mark.parametrize(("state", "event"), list(itertools.product(KeyState, KeyEvent)))
def test_every_cell(state, event):
    column = list(KeyEvent).index(event)
    assert KEY_TRANSITIONS.get((state, event)) is TABLE[state][column]


def result(identifier, status, context):
    return params.REGISTRATION_RESULT.of(
        (
            params.LOCAL_ROUTING_KEY_IDENTIFIER.of(identifier),
            params.REGISTRATION_STATUS.of(status),
            params.ROUTING_CONTEXT.of((context,)),
        )
    )


def left(context, status):
    return params.DEREGISTRATION_RESULT.of(
        (params.ROUTING_CONTEXT.of((context,)), params.DEREGISTRATION_STATUS.of(status))
    )


def test_results_of_each_key_in_responses_of_their_own():
    ours = Registrations([ONE, TWO])
    request = ours.register(0.0)
    assert request.name == "REG_REQ"
    assert len(request.get_all(params.ROUTING_KEY)) == 2
    assert ours.register(0.0) is None, "it is open"
    (first,) = ours.on_registered(message(messages.REG_RSP, result(2, 0, 40)))
    assert (first.key, first.routing_context, first.text) == (TWO, 40, "registered")
    assert ours.is_open
    (second,) = ours.on_registered(message(messages.REG_RSP, result(1, 7, 0)))
    assert (second.routing_context, second.text) == (None, "not provisioned")
    assert (ours.state(1), ours.state(2)) == (REFUSED, REGISTERED)
    assert ours.deadline is None
    request = ours.deregister(1.0)
    assert request.get(params.ROUTING_CONTEXT) == (40,)
    assert ours.on_deregistered(message(messages.DEREG_RSP, left(40, 0))) == [40]
    assert ours.state(2) is IDLE


@pytest.mark.parametrize("status", [1, 5, 99])
def test_a_refused_deregistration_is_left_all_the_same(status):
    ours = Registrations([ONE])
    ours.register(0.0)
    ours.on_registered(message(messages.REG_RSP, result(1, 0, 40)))
    ours.deregister(0.0)
    ours.on_deregistered(message(messages.DEREG_RSP, left(40, status)))
    assert ours.state(1) is IDLE


def test_already_registered_is_good_if_the_context_is_known():
    ours = Registrations([RoutingKey(PointCode(1), routing_context=40)])
    ours.register(0.0)
    status = RegistrationStatus.ALREADY_REGISTERED
    (found,) = ours.on_registered(message(messages.REG_RSP, result(1, status, 0)))
    assert (found.routing_context, ours.state(1)) == (40, REGISTERED)


@pytest.mark.parametrize(
    "response",
    [
        message(messages.REG_RSP, result(9, 0, 40)),
        message(messages.REG_RSP, params.REGISTRATION_RESULT.of(())),
    ],
)
def test_a_result_that_was_not_asked_for(response):
    ours = Registrations([ONE])
    ours.register(0.0)
    with pytest.raises(RemoteProtocolError):
        ours.on_registered(response)
    assert ours.is_open


def test_no_answer_is_repeated_and_given_up():
    ours = Registrations([ONE], 2.0, 2)
    ours.register(0.0)
    assert ours.handle_timer(1.9) == (None, [])
    request, _ = ours.handle_timer(2.0)
    assert request.name == "REG_REQ"
    request, given_up = ours.handle_timer(4.0)
    assert request is None
    assert given_up == [RegistrationInd(ONE, None, None, "no answer")]
    assert ours.are_all_refused


def pair(keys, routing_keys, **options):
    asp = Association(Role.ASP, keys=keys, **options)
    sgp = Association(Role.SGP, routing_keys=routing_keys)
    asp.connected(0.0)
    sgp.connected(0.0)
    return asp, sgp


def test_from_registration_to_deregistration():
    asp, sgp = pair((ONE, TWO), RoutingKeys(may_add=True, first_context=40))
    at_asp, at_sgp, said = conversation(asp, sgp)
    assert [line for line in said if line != "< NTFY"] == [
        "> ASPUP",
        "< ASPUP_ACK",
        "> REG_REQ",
        "< REG_RSP",
        "> ASPAC",
        "< ASPAC_ACK",
    ]
    assert [item.routing_context for item in at_asp if isinstance(item, RegistrationInd)] == [
        40,
        41,
    ]
    assert at_sgp[-1] == ActiveInd((40, 41))
    assert at_asp[-3] == ActiveInd((40, 41)), "then both become AS-ACTIVE"
    asp.send_transfer(Transfer(9, 1, 3, 2, 0, 0, b"x"), 41)
    assert conversation(asp, sgp)[1][0].routing_context == 41

    asp.shut_down(1.0)
    at_asp, at_sgp, said = conversation(asp, sgp, 1.0)
    assert [line for line in said if line != "< NTFY"] == [
        "> ASPIA",
        "< ASPIA_ACK",
        "> DEREG_REQ",
        "< DEREG_RSP",
        "> ASPDN",
        "< ASPDN_ACK",
    ]
    assert at_asp[-1] == CloseInd("shut down")
    assert asp.next_timer() is None


def test_one_refused_key_does_not_stop_the_other():
    asp, sgp = pair((ONE, TWO), RoutingKeys([TWO], first_context=40))
    at_asp, _, _ = conversation(asp, sgp)
    found = {item.key: item for item in at_asp if isinstance(item, RegistrationInd)}
    assert found[ONE].text == "not provisioned"
    assert found[TWO].routing_context == 40
    assert asp.state_in(40) is AspState.ACTIVE


def test_nothing_registered_ends_the_association():
    asp, sgp = pair((ONE,), RoutingKeys([TWO]))
    at_asp, _, _ = conversation(asp, sgp)
    assert at_asp[-1] == CloseInd("no routing key is registered: not provisioned")


def test_a_peer_without_routing_key_management():
    asp, sgp = pair((ONE,), None)
    at_asp, at_sgp, _ = conversation(asp, sgp)
    assert at_asp[-1] == CloseInd("no routing key is registered: unsupported message class")
    assert ProtocolErrorInd("routing key management is not supported") in at_sgp


def test_static_contexts_go_on_without_registration():
    asp = Association(Role.ASP, keys=(ONE,), routing_contexts=(7,))
    sgp = Association(Role.SGP, routing_contexts=(7,))
    asp.connected(0.0)
    conversation(asp, sgp)
    assert asp.state_in(7) is AspState.ACTIVE


def test_ntfy_follows_the_registration():
    asp, sgp = pair((ONE,), RoutingKeys(may_add=True, first_context=40))
    at_asp, _, _ = conversation(asp, sgp)
    told = [item for item in at_asp if isinstance(item, NotifyInd)]
    assert [(item.text, item.routing_contexts) for item in told] == [
        ("AS-INACTIVE", (40,)),
        ("AS-ACTIVE", (40,)),
    ]


def test_a_lost_association_gives_its_keys_back():
    keys = RoutingKeys(may_add=True, first_context=40)
    asp, sgp = pair((ONE,), keys)
    conversation(asp, sgp)
    sgp.disconnected(1.0)
    assert keys.context_for(1, 9, 3) is None


def test_an_sgp_that_is_asked_too_early_or_without_need():
    assert (
        playbook(Association(Role.SGP, routing_keys=RoutingKeys(may_add=True)), M3UA)
        >> received(message(messages.REG_REQ, params.ROUTING_KEY.of(())))
        << sent(err(ErrorCode.UNEXPECTED_MESSAGE))
        << indicated(ProtocolErrorInd)
        >> received(message(messages.DEREG_REQ, params.ROUTING_CONTEXT.of((1,))))
        << sent(err(ErrorCode.UNEXPECTED_MESSAGE))
        << indicated(ProtocolErrorInd)
        >> received(message(messages.ASPUP))
        << sent("ASPUP_ACK")
        << indicated(InactiveInd((None,), "ASPUP"))
        >> received(message(messages.ASPAC))
        << sent(err(ErrorCode.NO_CONFIGURED_AS_FOR_ASP))
        << indicated(ProtocolErrorInd)
    )


def test_an_active_asp_keeps_its_key():
    asp, sgp = pair((ONE,), RoutingKeys(may_add=True, first_context=40))
    conversation(asp, sgp)
    assert (
        playbook(sgp, M3UA, now=1.0)
        >> received(message(messages.DEREG_REQ, params.ROUTING_CONTEXT.of((40,))))
        << sent(message(messages.DEREG_RSP, left(40, 5)))
    )
    assert sgp.state_in(40) is AspState.ACTIVE


def test_two_ipsps_register_with_each_other():
    options = {"is_double_exchange": True}
    first = Association(
        Role.IPSP, keys=(ONE,), routing_keys=RoutingKeys(may_add=True, first_context=50), **options
    )
    second = Association(
        Role.IPSP, keys=(TWO,), routing_keys=RoutingKeys(may_add=True, first_context=60), **options
    )
    first.connected(0.0)
    second.connected(0.0)
    conversation(first, second)
    assert (first.is_active, second.is_active) == (True, True)
    assert first.state_in(50) is AspState.ACTIVE, "what the second one registered here"
    assert second.state_in(60) is AspState.ACTIVE
