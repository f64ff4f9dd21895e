"""The fast path of DATA against the general codec."""

import itertools

import pytest

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.data import decode_data, encode_data, of_message
from tsvc.protocols.m3ua.indications import DataInd
from tsvc.protocols.m3ua.params import Parameter, ProtocolData

LABEL = {"opc": 6045, "dpc": 0xFFFFFF, "si": 3, "ni": 2, "mp": 1, "sls": 15}


def general(user_data, na, rc, correlation):
    return messages.encode(
        messages.message(
            messages.DATA,
            None if na is None else params.NETWORK_APPEARANCE.of(na),
            None if rc is None else params.ROUTING_CONTEXT.of((rc,)),
            params.PROTOCOL_DATA.of(ProtocolData(**LABEL, user_data=user_data)),
            None if correlation is None else params.CORRELATION_ID.of(correlation),
        )
    )


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 200, 0xFFFF - 16])
@pytest.mark.parametrize(
    ("na", "rc", "correlation"), list(itertools.product([None, 0], [None, 7], [None, 9]))
)
def test_same_octets_and_same_value_as_the_general_codec(size, na, rc, correlation):
    user_data = bytes(range(256)) * 256
    user_data = user_data[:size]
    octets = encode_data(
        *LABEL.values(),
        user_data,
        routing_context=rc,
        network_appearance=na,
        correlation_id=correlation,
    )
    assert octets == general(user_data, na, rc, correlation)
    expected = DataInd(*LABEL.values(), user_data, rc, na, correlation)
    assert of_message(messages.decode(octets)) == expected
    assert decode_data(octets) == (expected if correlation is None else None)


def test_other_layouts_are_left_to_the_general_codec():
    octets = messages.encode(
        messages.message(
            messages.DATA,
            params.PROTOCOL_DATA.of(ProtocolData(**LABEL, user_data=b"abc")),
            params.ROUTING_CONTEXT.of((6,)),
        )
    )
    assert decode_data(octets) is None
    assert of_message(messages.decode(octets)).routing_context == 6


@pytest.mark.parametrize("rc", [None, 1])
@pytest.mark.parametrize("na", [None, 1])
def test_every_cut_and_every_changed_header_is_left_alone_or_agrees(rc, na):
    octets = encode_data(*LABEL.values(), b"12345", routing_context=rc, network_appearance=na)
    for cut in range(len(octets)):
        assert decode_data(octets[:cut]) is None
    for at, value in itertools.product(range(len(octets)), (0, 1, 6, 9, 255)):
        changed = octets[:at] + bytes((value,)) + octets[at + 1 :]
        fast = decode_data(changed)
        if fast is not None:
            assert fast == of_message(messages.decode(changed))


def test_protocol_data_is_mandatory():
    with pytest.raises(RemoteProtocolError, match="missing"):
        of_message(messages.message(messages.DATA))


def test_one_routing_context_only():
    two = messages.message(
        messages.DATA,
        params.ROUTING_CONTEXT.of((1, 2)),
        Parameter(params.PROTOCOL_DATA.tag, bytes(12)),
    )
    with pytest.raises(RemoteProtocolError, match="2 routing contexts"):
        of_message(two)


@pytest.mark.parametrize(
    "changed", [{"opc": 1 << 32}, {"si": 256}, {"sls": -1}, {"routing_context": -1}]
)
def test_values_that_do_not_fit(changed):
    with pytest.raises(LocalProtocolError):
        encode_data(**{**LABEL, "user_data": b"", **changed})


def test_too_much_user_data():
    with pytest.raises(LocalProtocolError, match="65519 fit"):
        encode_data(*LABEL.values(), bytes(0xFFFF - 15))
