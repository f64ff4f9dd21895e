"""tshark reads all our messages, as exported PDUs of kind m3ua."""

from support.tshark import complaints, dissect, shown

from tsvc.protocols.m3ua import answers, messages, params
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus
from tsvc.protocols.m3ua.messages import encode, message
from tsvc.protocols.m3ua.params import Parameter, PointCode, Status, TrafficMode, UserCause
from tsvc.protocols.m3ua.routing_keys import RoutingKey, RoutingKeys
from tsvc.protocols.m3ua.servers import ApplicationServers

NETWORK = (params.NETWORK_APPEARANCE.of(1), params.ROUTING_CONTEXT.of((7,)))
AFFECTED = params.AFFECTED_POINT_CODE.of((PointCode(6045), PointCode(6000, 4)))
INFO = params.INFO_STRING.of("hello")
KEY = (
    params.LOCAL_ROUTING_KEY_IDENTIFIER.of(4),
    params.ROUTING_CONTEXT.of((7,)),
    params.TRAFFIC_MODE_TYPE.of(2),
    params.DESTINATION_POINT_CODE.of(PointCode(6045)),
    params.NETWORK_APPEARANCE.of(1),
    params.SERVICE_INDICATORS.of((3, 5)),
    params.ORIGINATING_POINT_CODE_LIST.of((PointCode(1), PointCode(2))),
)
REGISTERED = (
    params.LOCAL_ROUTING_KEY_IDENTIFIER.of(4),
    params.REGISTRATION_STATUS.of(0),
    params.ROUTING_CONTEXT.of((7,)),
)
DEREGISTERED = (params.ROUTING_CONTEXT.of((7,)), params.DEREGISTRATION_STATUS.of(0))
ACTIVATION = (params.TRAFFIC_MODE_TYPE.of(2), params.ROUTING_CONTEXT.of((7, 8)), INFO)

CONTENTS: dict[messages.MessageId, tuple[Parameter, ...]] = {
    messages.ERR: (params.ERROR_CODE.of(0x19), *NETWORK, params.DIAGNOSTIC_INFORMATION.of(b"abc")),
    messages.NTFY: (
        params.STATUS.of(Status(1, 3)),
        params.ASP_IDENTIFIER.of(3),
        params.ROUTING_CONTEXT.of((7,)),
        INFO,
    ),
    messages.DUNA: (*NETWORK, AFFECTED, INFO),
    messages.DAVA: (*NETWORK, AFFECTED, INFO),
    messages.DAUD: (*NETWORK, AFFECTED, INFO),
    messages.SCON: (
        *NETWORK,
        AFFECTED,
        params.CONCERNED_DESTINATION.of(PointCode(5)),
        params.CONGESTION_INDICATIONS.of(2),
        INFO,
    ),
    messages.DUPU: (*NETWORK, AFFECTED, params.USER_CAUSE.of(UserCause(1, 3)), INFO),
    messages.DRST: (*NETWORK, AFFECTED, INFO),
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
    messages.REG_REQ: (params.ROUTING_KEY.of(KEY),),
    messages.REG_RSP: (params.REGISTRATION_RESULT.of(REGISTERED),),
    messages.DEREG_REQ: (params.ROUTING_CONTEXT.of((7,)),),
    messages.DEREG_RSP: (params.DEREGISTRATION_RESULT.of(DEREGISTERED),),
}
# A UDT between subsystems 1 that says "subsystem 8 of point code 1 is allowed".
UDT = bytes.fromhex("09 00 03 05 07  02 4201  02 4201  05 01 08 0100 00")
DATA = encode_data(6045, 6172, 3, 2, 0, 9, UDT, routing_context=7, network_appearance=1)


def test_tshark_reads_every_message_without_complaint(tmp_path):
    order = [number for number in messages.LAYOUTS if number != messages.DATA]
    units = [encode(message(number, *CONTENTS[number])) for number in order]
    offending = encode(message(messages.ASPUP))
    refused = answers.error(params.ErrorCode.UNEXPECTED_MESSAGE, offending)
    packets = dissect(tmp_path, [*units, DATA, encode(refused)], "m3ua")
    numbers = [*order, messages.DATA, messages.ERR]
    for number, packet in zip(numbers, packets, strict=True):
        assert not complaints(packet), (messages.LAYOUTS[number].name, complaints(packet))
        assert shown(packet, "m3ua.message_class") == [str(number[0])]
        assert shown(packet, "m3ua.message_type") == [str(number[1])]
    data = packets[-2]
    assert shown(data, "m3ua.protocol_data_opc") == ["6045"]
    assert shown(data, "m3ua.protocol_data_dpc") == ["6172"]
    assert shown(data, "m3ua.protocol_data_si") == ["3"]
    assert shown(data, "m3ua.protocol_data_sls") == ["9"]
    assert shown(data, "m3ua.routing_context") == ["7"]
    assert shown(data, "sccp.message_type") == ["0x09"]


KEY_OF_AS = RoutingKey(
    PointCode(6045),
    (3,),
    (PointCode(1),),
    network_appearance=1,
    traffic_mode=TrafficMode.LOADSHARE,
)


def conversation():
    """The real messages of two ASPs, their SGP and the SGP's management, one by one."""
    servers = ApplicationServers(TrafficMode.LOADSHARE, needed_asps=2)
    keys = RoutingKeys(may_add=True, first_context=40)
    said = []

    def carry(asp, sgp, now):
        for _ in range(20):
            for source, target in ((asp, sgp), (sgp, asp)):
                for octets in source.data_to_send():
                    said.append(octets)
                    target.receive(octets, now)

    ends = []
    for number in (1, 2):
        asp = Association(
            Role.ASP, keys=(KEY_OF_AS, RoutingKey(PointCode(0, 4))), asp_identifier=number
        )
        sgp = Association(Role.SGP, routing_keys=keys, servers=servers)
        asp.connected(0.0)
        carry(asp, sgp, 0.0)
        ends.append((asp, sgp))
    (first, first_sgp), (second, second_sgp) = ends
    audit = DestinationInd(
        DestinationStatus.AUDIT,
        (PointCode(1), PointCode(2), PointCode(3)),
        (40,),
        1,
        None,
        None,
        None,
    )
    known = {
        1: (DestinationStatus.AVAILABLE, 0),
        2: (DestinationStatus.UNAVAILABLE, 0),
        3: (DestinationStatus.RESTRICTED, 3),
    }
    first.send_destination_status(audit, 0.0)
    for answer in answers.audit_answers(audit, lambda code: known.get(code.pc)):
        first_sgp.send_destination_status(answer, 0.0)
    carry(first, first_sgp, 0.0)
    second_sgp.receive(encode(message(messages.ASPIA)), 1.0)  # too few ASPs are left
    carry(second, second_sgp, 1.0)
    first_sgp.disconnected(2.0)  # a failure
    carry(second, second_sgp, 2.0)
    second.shut_down(3.0)
    carry(second, second_sgp, 3.0)
    return said


def test_tshark_reads_a_conversation_without_complaint(tmp_path):
    units = conversation()
    names = {messages.decode(unit).name for unit in units}
    assert names >= {"REG_REQ", "REG_RSP", "DEREG_REQ", "DEREG_RSP", "NTFY"}
    assert names >= {"DAUD", "DAVA", "DUNA", "DRST", "SCON"}
    told = [messages.decode(unit) for unit in units if messages.decode(unit).id == messages.NTFY]
    statuses = {
        (item.get(params.STATUS).status_type, item.get(params.STATUS).information) for item in told
    }
    assert statuses >= {(1, 2), (1, 3), (2, 1), (2, 3)}
    packets = dissect(tmp_path, units, "m3ua")
    for unit, packet in zip(units, packets, strict=True):
        assert not complaints(packet), (messages.decode(unit).name, complaints(packet))
    registered = [
        value for packet in packets for value in shown(packet, "m3ua.registration_status")
    ]
    assert registered
    assert set(registered) <= {"0"}
