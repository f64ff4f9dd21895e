"""Routing contexts of one association: which belong to it, and their states."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.answers import Refused
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.contexts import Contexts
from tsvc.protocols.m3ua.messages import message
from tsvc.protocols.m3ua.params import ErrorCode

DOWN, INACTIVE, ACTIVE = AspState


def naming(*contexts, number=messages.ASPAC):
    return message(number, params.ROUTING_CONTEXT.of(contexts))


def test_enter_tells_what_moved():
    contexts = Contexts((1, 2), Role.ASP)
    assert contexts.best is DOWN
    assert contexts.enter({1: INACTIVE, 2: DOWN}) == {1: INACTIVE}
    assert contexts.best is INACTIVE


def test_known_and_unknown():
    contexts = Contexts((1, 2), Role.ASP)
    assert contexts.about(message(messages.ASPAC)) == ((1, 2), ())
    assert contexts.about(naming(2, 9)) == ((2,), (9,))
    # ASPUP concerns the whole ASP, even if it names contexts.
    assert contexts.about(naming(9, number=messages.ASPUP)) == ((1, 2), ())


@pytest.mark.parametrize("role", [Role.ASP, Role.IPSP])
def test_without_configured_contexts_any_name_is_ours(role):
    contexts = Contexts((), role)
    assert contexts.about(naming(9)) == ((None,), ())
    assert contexts.state_for_data(9) is DOWN


def test_an_sgp_without_configured_contexts_refuses_names():
    contexts = Contexts((), Role.SGP)
    assert contexts.about(naming(9)) == ((), (9,))
    with pytest.raises(Refused) as caught:
        contexts.state_for_data(9)
    assert caught.value.code is ErrorCode.INVALID_ROUTING_CONTEXT
    assert caught.value.parameters == (params.ROUTING_CONTEXT.of((9,)),)


def test_state_for_data():
    contexts = Contexts((1, 2), Role.SGP)
    contexts.enter({1: INACTIVE, 2: ACTIVE})
    assert contexts.state_for_data(1) is INACTIVE
    assert contexts.state_for_data(2) is ACTIVE
    assert contexts.state_for_data(None) is ACTIVE


def test_active_context_to_send_in():
    contexts = Contexts((1, 2), Role.ASP)
    with pytest.raises(LocalProtocolError, match="DOWN"):
        contexts.active(None)
    contexts.enter({1: INACTIVE, 2: ACTIVE})
    assert contexts.active(None) == 2
    assert contexts.active(2) == 2
    with pytest.raises(LocalProtocolError, match="context 1"):
        contexts.active(1)
