"""tshark reads all our messages, as exported PDUs of kind sua."""

from support.tshark import complaints, dissect, shown

from tsvc.protocols.m3ua import answers, messages, params
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.messages import encode, message
from tsvc.protocols.m3ua.params import ErrorCode, Parameter, PointCode, Status, UserCause
from tsvc.protocols.sccp.address import Address, GlobalTitle
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.association import Association, from_m3ua
from tsvc.protocols.sua.connectionless import DataTransfer, returned
from tsvc.protocols.sua.params import ProtocolClass, Segmentation
from tsvc.protocols.tcap.ids import IdRange

CONTEXT = params.ROUTING_CONTEXT.of((7,))
NETWORK = (params.NETWORK_APPEARANCE.of(1), CONTEXT)
AFFECTED = params.AFFECTED_POINT_CODE.of((PointCode(6045), PointCode(6000, 4)))
INFO = params.INFO_STRING.of("hello")
ACTIVATION = (params.TRAFFIC_MODE_TYPE.of(2), params.ROUTING_CONTEXT.of((7, 8)), INFO)
KEY = params.ROUTING_KEY.of(
    (
        params.LOCAL_ROUTING_KEY_IDENTIFIER.of(4),
        CONTEXT,
        params.TRAFFIC_MODE_TYPE.of(2),
        params.DESTINATION_POINT_CODE.of(PointCode(6045)),
        params.NETWORK_APPEARANCE.of(1),
    )
)
REGISTERED = params.REGISTRATION_RESULT.of(
    (params.LOCAL_ROUTING_KEY_IDENTIFIER.of(4), params.REGISTRATION_STATUS.of(0), CONTEXT)
)
DEREGISTERED = params.DEREGISTRATION_RESULT.of((CONTEXT, params.DEREGISTRATION_STATUS.of(0)))

CONTENTS: dict[messages.MessageId, tuple[Parameter, ...]] = {
    messages.ERR: (params.ERROR_CODE.of(0x19), *NETWORK, params.DIAGNOSTIC_INFORMATION.of(b"abc")),
    messages.NTFY: (params.STATUS.of(Status(1, 3)), params.ASP_IDENTIFIER.of(3), CONTEXT, INFO),
    messages.DUNA: (CONTEXT, AFFECTED, INFO),
    messages.DAVA: (CONTEXT, AFFECTED, INFO),
    messages.DAUD: (CONTEXT, AFFECTED, INFO),
    messages.SCON: (CONTEXT, AFFECTED, params.CONGESTION_INDICATIONS.of(2), INFO),
    messages.DUPU: (CONTEXT, AFFECTED, params.USER_CAUSE.of(UserCause(1, 3)), INFO),
    messages.DRST: (CONTEXT, AFFECTED, INFO),
    messages.ASPUP: (params.ASP_IDENTIFIER.of(3), INFO),
    messages.ASPDN: (INFO,),
    messages.BEAT: (params.HEARTBEAT_DATA.of(b"12345"),),
    messages.ASPUP_ACK: (INFO,),
    messages.ASPDN_ACK: (INFO,),
    messages.BEAT_ACK: (params.HEARTBEAT_DATA.of(b"12345"),),
    messages.ASPAC: ACTIVATION,
    messages.ASPIA: ACTIVATION[1:],
    messages.ASPAC_ACK: ACTIVATION,
    messages.ASPIA_ACK: ACTIVATION[1:],
    messages.REG_REQ: (KEY,),
    messages.REG_RSP: (REGISTERED,),
    messages.DEREG_REQ: (CONTEXT,),
    messages.DEREG_RSP: (DEREGISTERED,),
}
TCAP_ABORT = bytes.fromhex("6709 4904 00000001 4a01 01")
CALLED = Address(0, 146, 6045, GlobalTitle(4, "15550", 0, 1, 4))
CALLING = Address(1, 6, 6172)
TRANSFER = DataTransfer(
    CALLING,
    CALLED,
    TCAP_ABORT,
    ProtocolClass(1, return_on_error=True),
    9,
    7,
    15,
    4,
    1,
    0xABCD,
)
SEGMENT = DataTransfer(
    CALLING,
    Address(0, None, None, GlobalTitle(1, "123", noa=4)),
    b"\x01\x02",
    routing_context=7,
    segmentation=Segmentation(is_first=True, remaining=2, reference=0x123456),
)
HOST = DataTransfer(
    Address(1, 8, excess=bytes.fromhex("8004 0008 c0000201")),
    Address(1, 6, excess=bytes.fromhex("8005 000c 7363702e 74657374")),
    TCAP_ABORT,
    routing_context=7,
)


def test_tshark_reads_every_management_message_without_complaint(tmp_path):
    assert set(CONTENTS) == set(messages.LAYOUTS) - {messages.DATA}
    units = [encode(from_m3ua(message(number, *CONTENTS[number]))) for number in CONTENTS]
    offending = encode(message(messages.ASPUP))
    units.append(encode(answers.error(ErrorCode.UNEXPECTED_MESSAGE, offending)))
    numbers = [*CONTENTS, messages.ERR]
    packets = dissect(tmp_path, units, "sua")
    found = dict(zip(CONTENTS, packets, strict=False))
    for number, packet in zip(numbers, packets, strict=True):
        assert not complaints(packet), messages.LAYOUTS[number].name
        assert shown(packet, "sua.message_class") == [str(number[0])]
        assert shown(packet, "sua.message_type") == [str(number[1])]
        assert not shown(packet, "sua.parameter_value"), "a parameter tshark does not know"
    assert shown(found[messages.SCON], "sua.congestion_level") == ["2"]
    assert shown(found[messages.DUPU], "sua.cause_user_user") == ["3"]
    assert shown(found[messages.DUPU], "sua.cause_user_cause") == ["1"]
    assert shown(found[messages.ERR], "sua.network_appearance") == ["1"]
    assert shown(found[messages.REG_REQ], "sua.local_routing_key_identifier") == ["4"]
    assert shown(found[messages.REG_REQ], "sua.destination.point_code") == ["6045"]
    assert shown(found[messages.REG_RSP], "sua.registration_status") == ["0"]
    assert shown(found[messages.DEREG_RSP], "sua.deregistration_status") == ["0"]


def test_tshark_reads_whose_transaction_ids_are_whose(tmp_path):
    asp = Association(Role.ASP, routing_contexts=(7,))
    asp.tid_label = IdRange.of_process(5).label
    asp.connected(0.0)
    asp.receive_message(encode(message(messages.ASPUP_ACK)), 0.0)
    _, active = asp.data_to_send()
    (packet,) = dissect(tmp_path, [active], "sua")
    assert not complaints(packet)
    fields = ("sua.tid_label_start", "sua.tid_label_end", "sua.tid_label_value")
    assert [int(one, 0) for name in fields for one in shown(packet, name)] == [21, 31, 5]


def test_tshark_reads_user_data_as_we_mean_them(tmp_path):
    sent = [TRANSFER, returned(TRANSFER, 3), SEGMENT, HOST]
    packets = dissect(tmp_path, [connectionless.encode(item) for item in sent], "sua")
    for packet in packets:
        assert not complaints(packet)
        assert shown(packet, "sua.routing_context") == ["7"]
    first, back, segment, host = packets
    expected = {
        "sua.protocol_class_class": "1",
        "sua.protocol_class_return_on_error_bit": "1",
        "sua.source.routing_indicator": "2",
        "sua.source.point_code": "6172",
        "sua.source.ssn": "6",
        "sua.destination.routing_indicator": "1",
        "sua.destination.point_code": "6045",
        "sua.destination.ssn": "146",
        "sua.destination.gti": "4",
        "sua.destination.global_title_number_of_digits": "5",
        "sua.destination.global_title_numbering_plan": "1",
        "sua.destination.global_title_nature_of_address": "4",
        "sua.sequence_control_sequence_control": "9",
        "sua.ss7_hop_counter_counter": "15",
        "sua.importance_importance": "4",
        "sua.message_priority_priority": "1",
        "sua.correlation_id": "43981",
    }
    read = {name: shown(first, name) for name in expected}
    assert {name: [int(v, 0) for v in found] for name, found in read.items()} == {
        name: [int(v)] for name, v in expected.items()
    }
    (digits,) = shown(first, "sua.destination.global_title_digits")
    assert digits == "15550"
    assert "tcap" in [proto.get("name") for proto in first.iter("proto")]
    assert [int(v, 0) for v in shown(back, "sua.sccp_cause_type")] == [1]
    assert [int(v, 0) for v in shown(back, "sua.sccp_cause_value")] == [3]
    assert shown(segment, "sua.segmentation_number_of_remaining_segments") == ["2"]
    assert [int(v, 0) for v in shown(segment, "sua.segmentation_reference")] == [0x123456]
    assert shown(host, "sua.source.ipv4_address") == ["192.0.2.1"]
