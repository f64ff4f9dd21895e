"""MAP messages as results show them: by name, with their arguments, in messages and ladder."""

import pytest

from tsvc.kinds.sigtran.messages.arrows import component_facts
from tsvc.protocols.contexts import BY_ALIAS, context_octets
from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.map.operation import OPERATIONS
from tsvc.protocols.tcap import components, dialogue_portion
from tsvc.protocols.tcap.components import Invoke, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.results.exchanges import arrows_of, decode_messages
from tsvc.results.json_values import json_value
from tsvc.results.ladder import ladder_text
from tsvc.results.records import MessageRecord

ATI = OPERATIONS.get("AnyTimeInterrogation")
OPENING = {"map_open": {"destination_reference_digits": "530010000000001"}}


def record(type_, component, *, pdu=None, is_sent=True, **tids):
    dialogue = b"" if pdu is None else dialogue_portion.encode(pdu)
    encoded = [] if component is None else [components.encode(component)]
    octets = encode(type_, dialogue=dialogue, components=encoded, **tids)
    return MessageRecord(0.0, "HLR", "hlr", is_sent, octets)


def begin(operation, arguments, context, opening=None):
    variant = "map3" if context is None else f"map{context[-1]}"
    octets = operation.encode_argument(arguments, variant)
    pdu = None
    if context is not None:
        information = b"" if opening is None else encode_pdu(opening)
        pdu = Aarq(context_octets(context), information)
    return record(
        MessageType.BEGIN, Invoke(1, operation.code, octets), pdu=pdu, is_sent=False, otid=b"\1"
    )


def test_a_query_and_its_result():
    result = {
        "subscriberInfo": {
            "locationInformation": {"vlr-number_digits": "6421000050"},
            "subscriberState": {"netDetNotReachable": 1},
        }
    }
    context = BY_ALIAS["ati3"].octets
    records = [
        begin(ATI, ATI.example, "ati3", OPENING),
        record(
            MessageType.END,
            ReturnResult(1, 71, ATI.encode_result(result, "map3")),
            pdu=Aare(context),
            dtid=b"\1",
        ),
    ]
    asked, answered = decode_messages(records)
    assert asked["application_context"] == "ati3"
    opened = asked["dialogue_pdu"]["map_open"]
    assert opened["destination_reference_digits"] == "530010000000001"
    (invoke,) = asked["components"]
    assert invoke["operation"] == "AnyTimeInterrogation"
    assert invoke["arguments"]["subscriberIdentity"]["msisdn_digits"] == "6421000001"
    assert invoke["notes"] == []
    (found,) = answered["components"]
    assert found["operation"] == "AnyTimeInterrogation"
    assert found["arguments"]["subscriberInfo"]["subscriberState"] == {
        "netDetNotReachable": 1,
        "netDetNotReachable_name": "imsiDetached",
    }
    text = ladder_text([asked, answered])
    for fact in (
        "BEGIN (ati3)  ATI",
        "destination 530010000000001",
        "MSISDN 6421000001",
        "asks locationInformation",
        "ATI result",
        "not reachable, imsiDetached",
        "VLR 6421000050",
    ):
        assert fact in text


def test_the_version_of_the_context_decides():
    operation = OPERATIONS.get("ProvideRoamingNumber")
    bare = operation.encode_result({"roamingNumber_digits": "6421"}, "map2")
    for context, hex_ in (("prn2", "0403914612"), ("prn3", "30050403914612")):
        opened = begin(operation, operation.example, context)
        answer = ReturnResult(1, 4, bytes.fromhex(hex_))
        _, result = decode_messages([opened, record(MessageType.END, answer, dtid=b"\1")])
        (component,) = result["components"]
        assert component["arguments"]["roamingNumber_digits"] == "6421"
        assert component["notes"] == []
    assert bare.hex() == "0403914612"


def test_errors_are_maps():
    error = ReturnError(1, 34, bytes.fromhex("30030a0101"))
    records = [begin(ATI, ATI.example, "ati3"), record(MessageType.END, error, dtid=b"\1")]
    messages = decode_messages(records)
    (component,) = messages[1]["components"]
    assert component["arguments"]["errorCode_name"] == "systemFailure"
    assert component["arguments"]["parameter"]["networkResource_name"] == "hlr"
    assert component_facts(component) == ["systemFailure", "networkResource hlr"]
    assert arrows_of(messages)[1].is_failure


@pytest.mark.parametrize("oid", ["0.4.0.0.1.0.5.4", "0.4.0.0.1.0.6.4"])
def test_versions_that_are_not_known_stay_opaque(oid):
    octets = ATI.encode_argument(ATI.example, "map3")
    pdu = Aarq(context_octets(oid))
    (message,) = decode_messages(
        [record(MessageType.BEGIN, Invoke(1, 22, octets), pdu=pdu, otid=b"\1")]
    )
    (component,) = message["components"]
    assert component["operation"] is None
    assert component["arguments"] == {"parameter_hex": octets.hex()}


def test_what_a_map_user_says_when_it_aborts():
    information = encode_pdu({"map_user_abort": {"choice": {"user_specific_reason": 1}}})
    records = [
        begin(ATI, ATI.example, "ati3"),
        record(MessageType.ABORT, None, pdu=Abrt(0, information), dtid=b"\1"),
    ]
    text = ladder_text(decode_messages(records))
    assert "user specific reason" in text


@pytest.mark.parametrize(
    ("name", "component", "arguments", "expected"),
    [
        ("ProcessUnstructuredSSRequest", "invoke", {"ussdString_text": "*1#"}, ['"*1#"']),
        ("UnstructuredSSRequest", "result", {"ussdString_text": "é"}, ['"é"']),
        (
            "UnstructuredSSNotify",
            "invoke",
            {"ussdString_hex": "01", "ussdDataCodingScheme_hex": "44"},
            ["octets 01", "coding 44"],
        ),
        (
            "SendRoutingInfo",
            "result",
            {"extendedRoutingInfo": {"routingInfo": {"roamingNumber_digits": "6421"}}},
            ["roaming number 6421"],
        ),
        (
            "SendRoutingInfo",
            "invoke",
            OPERATIONS.get("SendRoutingInfo").example,
            ["MSISDN 6421000001", "basicCall"],
        ),
        (
            "MO-ForwardSM",
            "invoke",
            OPERATIONS.get("MO-ForwardSM").example,
            ["to centre 6421000077", "from 6421000001", "17 octets"],
        ),
        (
            "SendRoutingInfoForSM",
            "result",
            {
                "imsi_digits": "53001",
                "locationInfoWithLMSI": {"networkNode-Number_digits": "6421000050"},
            },
            ["IMSI 53001", "node 6421000050"],
        ),
        (
            "ProvideSubscriberInfo",
            "result",
            {"subscriberInfo": {"subscriberState": {"camelBusy": 1}}},
            ["camelBusy"],
        ),
        (
            "UpdateLocation",
            "invoke",
            OPERATIONS.get("UpdateLocation").example,
            ["IMSI 530010000000001", "VLR 6421000050", "MSC 6421000050"],
        ),
        ("UpdateLocation", "result", {"hlr-Number_digits": "6421"}, ["HLR 6421"]),
    ],
)
def test_what_components_show(name, component, arguments, expected):
    operation = OPERATIONS.get(name)
    version = max(operation.variants)
    if component == "result":
        octets = operation.encode_result(arguments, version)
        tree = operation.decode_result(octets, version, [])
    else:
        octets = operation.encode_argument(arguments, version)
        tree = operation.decode_argument(octets, version, [])
    decoded = {"component": component, "operation": name, "arguments": json_value(tree)}
    assert component_facts(decoded) == expected


def test_every_operation_has_a_short_name_of_its_own():
    names = [operation.short_name for operation in OPERATIONS]
    assert all(names)
    assert len(set(names)) == len(names)
