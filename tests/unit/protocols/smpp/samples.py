"""PDUs of every kind that the tests share."""

from tsvc.protocols.smpp.commands import GENERIC_NACK, LAYOUTS, RESPONSE, Command, Tlv
from tsvc.protocols.smpp.pdus import Pdu

MESSAGE = {
    "service_type": "CMT",
    "source_addr_ton": 1,
    "source_addr_npi": 1,
    "source_addr": "6421000001",
    "dest_addr_ton": 2,
    "dest_addr_npi": 8,
    "destination_addr": "777",
    "esm_class": 3,
    "protocol_id": 0x41,
    "priority_flag": 1,
    "schedule_delivery_time": "000000010000000R",
    "validity_period": "000001000000000R",
    "registered_delivery": 1,
    "replace_if_present_flag": 1,
    "data_coding": 3,
    "sm_default_msg_id": 9,
    "short_message": b"hello",
}
BIND = {
    "system_id": "esme1",
    "password": "secret",
    "system_type": "VMS",
    "interface_version": 0x34,
    "addr_ton": 1,
    "addr_npi": 1,
    "address_range": "^64",
}
TLVS = (
    Tlv(0x0204, b"\x00\x07"),
    Tlv(0x001E, b"17\0"),
    Tlv(0x0381, bytes.fromhex("0101013634")),
    Tlv(0x0427, b"\x02"),
)
PDUS = [
    Pdu(Command.BIND_RECEIVER, 1, 0, BIND),
    Pdu(Command.BIND_TRANSMITTER, 2, 0, BIND),
    Pdu(Command.BIND_TRANSCEIVER, 3, 0, BIND),
    Pdu(
        RESPONSE | Command.BIND_TRANSCEIVER,
        3,
        0,
        {"system_id": "tsvc"},
        (Tlv(0x0210, b"\x34"),),
    ),
    Pdu(RESPONSE | Command.BIND_RECEIVER, 1, 0x0E),
    Pdu(Command.OUTBIND, 4, 0, {"system_id": "smsc", "password": "x"}),
    Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE, TLVS),
    Pdu(RESPONSE | Command.SUBMIT_SM, 5, 0, {"message_id": "0000000a"}),
    Pdu(RESPONSE | Command.SUBMIT_SM, 6, 0x58),
    Pdu(Command.DELIVER_SM, 7, 0, MESSAGE, TLVS),
    Pdu(RESPONSE | Command.DELIVER_SM, 7, 0, {"message_id": ""}),
    Pdu(
        Command.DATA_SM,
        8,
        0,
        {
            "service_type": "",
            "source_addr_ton": 5,
            "source_addr_npi": 0,
            "source_addr": "Bank",
            "dest_addr_ton": 1,
            "dest_addr_npi": 1,
            "destination_addr": "6421000001",
            "esm_class": 0,
            "registered_delivery": 0,
            "data_coding": 8,
        },
        (Tlv(0x0424, "Grüße".encode("utf-16-be") * 100),),
    ),
    Pdu(RESPONSE | Command.DATA_SM, 8, 0, {"message_id": "b"}),
    Pdu(
        Command.QUERY_SM,
        9,
        0,
        {
            "message_id": "a",
            "source_addr_ton": 1,
            "source_addr_npi": 1,
            "source_addr": "64",
        },
    ),
    Pdu(
        RESPONSE | Command.QUERY_SM,
        9,
        0,
        {
            "message_id": "a",
            "final_date": "261121120000000+",
            "message_state": 2,
            "error_code": 0,
        },
    ),
    Pdu(
        Command.CANCEL_SM,
        10,
        0,
        {
            "service_type": "CMT",
            "message_id": "a",
            "source_addr_ton": 1,
            "source_addr_npi": 1,
            "source_addr": "64",
            "dest_addr_ton": 1,
            "dest_addr_npi": 1,
            "destination_addr": "65",
        },
    ),
    Pdu(RESPONSE | Command.CANCEL_SM, 10),
    Pdu(
        Command.REPLACE_SM,
        11,
        0,
        {
            "message_id": "a",
            "source_addr_ton": 1,
            "source_addr_npi": 1,
            "source_addr": "64",
            "schedule_delivery_time": "",
            "validity_period": "",
            "registered_delivery": 0,
            "sm_default_msg_id": 0,
            "short_message": b"new",
        },
    ),
    Pdu(RESPONSE | Command.REPLACE_SM, 11),
    Pdu(
        Command.ALERT_NOTIFICATION,
        12,
        0,
        {
            "source_addr_ton": 1,
            "source_addr_npi": 1,
            "source_addr": "64",
            "esme_addr_ton": 2,
            "esme_addr_npi": 1,
            "esme_addr": "777",
        },
        (Tlv(0x0422, b"\x00"),),
    ),
    Pdu(Command.ENQUIRE_LINK, 13),
    Pdu(RESPONSE | Command.ENQUIRE_LINK, 13),
    Pdu(Command.UNBIND, 14),
    Pdu(RESPONSE | Command.UNBIND, 14),
    Pdu(GENERIC_NACK, 15, 0x03),
]


def id_of(pdu):
    return f"{pdu.name}-{pdu.sequence_number}"


assert {pdu.command_id for pdu in PDUS} | {RESPONSE | Command.BIND_TRANSMITTER} == set(LAYOUTS)
