"""Messages that an association writes by itself."""

import pytest

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua import answers, messages, params
from tsvc.protocols.m3ua.answers import Refused
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.messages import encode, message
from tsvc.protocols.m3ua.params import ErrorCode, Status, TrafficMode


def test_err_by_hand():
    error = answers.error(
        ErrorCode.INVALID_ROUTING_CONTEXT, bytes(50), [params.ROUTING_CONTEXT.of((8,))]
    )
    assert encode(error) == bytes.fromhex(
        "01 00 00 00 00000044"  # ERR, length 68
        "000c 0008 00000019"  # error code: invalid routing context
        "0006 0008 00000008"  # the routing context at fault
        "0007 002c" + "00" * 40  # the first 40 octets of the message
    )


def test_ntfy_by_hand():
    octets = bytes.fromhex("01 00 00 01 00000018  000d 0008 0001 0003  0006 0008 00000007")
    assert encode(answers.notify(7, Status(1, 3))) == octets
    assert len(encode(answers.notify(None, Status(1, 3)))) == 16


def test_maintenance_carries_what_its_layout_allows():
    named = [
        parameter.tag for parameter in answers.maintenance(messages.ASPUP, (7,), 2, 3).parameters
    ]
    assert named == [params.ASP_IDENTIFIER.tag]
    named = [
        parameter.tag for parameter in answers.maintenance(messages.ASPAC, (7,), 2, 3).parameters
    ]
    assert named == [params.TRAFFIC_MODE_TYPE.tag, params.ROUTING_CONTEXT.tag]
    assert answers.maintenance(messages.ASPDN, (7,), 2, 3).parameters == ()


@pytest.mark.parametrize(
    ("octets_hex", "offset", "code"),
    [
        ("02", 0, ErrorCode.INVALID_VERSION),
        ("01", 4, ErrorCode.PROTOCOL_ERROR),
        ("", 0, ErrorCode.PROTOCOL_ERROR),
        ("01", 8, ErrorCode.PARAMETER_FIELD_ERROR),
    ],
)
def test_code_of_octets_that_do_not_decode(octets_hex, offset, code):
    error = RemoteProtocolError("x", offset=offset)
    assert answers.code_of(error, bytes.fromhex(octets_hex)) is code


@pytest.mark.parametrize(
    ("asked", "ours", "agreed"),
    [
        (None, None, None),
        (None, TrafficMode.OVERRIDE, 1),
        (2, None, 2),
        (2, TrafficMode.LOADSHARE, 2),
    ],
)
def test_agreed_traffic_mode(asked, ours, agreed):
    parameter = None if asked is None else params.TRAFFIC_MODE_TYPE.of(asked)
    assert answers.traffic_mode_of(message(messages.ASPAC, parameter), ours) == agreed


@pytest.mark.parametrize(("asked", "ours"), [(4, None), (0, None), (1, TrafficMode.LOADSHARE)])
def test_refused_traffic_mode(asked, ours):
    contexts = params.ROUTING_CONTEXT.of((7,))
    request = message(messages.ASPAC, params.TRAFFIC_MODE_TYPE.of(asked), contexts)
    with pytest.raises(Refused) as caught:
        answers.traffic_mode_of(request, ours)
    assert caught.value.parameters == (contexts,)


def test_every_message_can_be_received_by_somebody():
    maintenance = {number for number in messages.LAYOUTS if number[0] in (3, 4)}
    received = set().union(*answers.RECEIVABLE.values()) | maintenance
    management = {number for number in messages.LAYOUTS if number[0] == 9}
    assert received | management == set(messages.LAYOUTS)
    assert not answers.RECEIVABLE[Role.SGP] & {messages.NTFY, messages.DUNA}
    assert messages.DAUD not in answers.RECEIVABLE[Role.ASP]
