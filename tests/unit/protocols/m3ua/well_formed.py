"""A well-formed message of each kind, for tests that change them."""

from hypothesis import strategies as st

from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.messages import Message, encode, message
from tsvc.protocols.m3ua.params import Parameter, PointCode
from tsvc.protocols.m3ua.routing_keys import RoutingKey, encode_key

KEY = RoutingKey(PointCode(2), (3,))


def well_formed():
    for number, layout in messages.LAYOUTS.items():
        yield encode(Message(*number))
        mandatory = (Parameter(declared.tag, bytes(12)) for declared in layout.mandatory)
        yield encode(Message(*number, tuple(mandatory)))
    for identifier in (1, 2):
        yield encode(message(messages.REG_REQ, encode_key(KEY, identifier)))
        yield encode(
            message(
                messages.REG_RSP,
                params.REGISTRATION_RESULT.of(
                    (
                        params.LOCAL_ROUTING_KEY_IDENTIFIER.of(identifier),
                        params.REGISTRATION_STATUS.of(0),
                        params.ROUTING_CONTEXT.of((8 + identifier,)),
                    )
                ),
            )
        )
        context = params.ROUTING_CONTEXT.of((identifier,))
        yield encode(message(messages.DEREG_REQ, context))
        status = params.DEREGISTRATION_STATUS.of(0)
        yield encode(
            message(messages.DEREG_RSP, params.DEREGISTRATION_RESULT.of((context, status)))
        )


KNOWN = st.sampled_from(list(well_formed()))
