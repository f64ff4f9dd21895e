"""Two other decoders read all PDUs that we encode."""

from dataclasses import replace

import pytest
from smpplib import command_codes, consts, smpp
from smpplib.client import Client
from support.tshark import complaints, dissect, shown
from unit.protocols.smpp.samples import MESSAGE, PDUS, id_of

from tsvc.protocols.smpp.commands import (
    COMMAND_IDS,
    TLV_TYPES,
    Command,
    Number,
    Octets,
    Status,
    Text,
    Tlv,
)
from tsvc.protocols.smpp.pdus import Pdu, encode

# tshark's fields of our parameters, if they are not "smpp." and the name. If tshark shows a
# parameter in parts: the part that the samples set.
FIELDS = {
    "schedule_delivery_time": "smpp.schedule_delivery_time_r",
    "validity_period": "smpp.validity_period_r",
    "registered_delivery": "smpp.regdel.receipt",
    "esm_class": "smpp.esm.submit.msg_mode",
    "short_message": "smpp.message",
}
# Values that tshark shows in another form.
TEXTS = {
    ("service_type", ""): "(Default)",
    ("schedule_delivery_time", "000000010000000R"): "3600.000000000",
    ("validity_period", "000001000000000R"): "86400.000000000",
    ("schedule_delivery_time", ""): "0.000000000",
    ("validity_period", ""): "0.000000000",
    ("final_date", "261121120000000+"): "Nov 21, 2026 12:00:00.000000000 UTC",
}
VALUES = {
    Number: lambda kind: bytes(kind.octets - 1) + b"\1",
    Text: lambda kind: b"a\0",
    Octets: lambda kind: bytes.fromhex("80a1b2"),
}
SIZED = {0x130C: b"", 0x1383: b"\x01\x02"}  # of a fixed size, though not numbers
# One of each declared optional parameter.
EVERY_TLV = Pdu(
    Command.SUBMIT_SM,
    99,
    0,
    {**MESSAGE, "short_message": b""},
    tuple(
        Tlv(one.tag, SIZED.get(one.tag, VALUES[type(one.kind)](one.kind)))
        for one in TLV_TYPES.values()
    ),
)
# tshark's fields of parameters that it shows in parts, or under another name.
PARTS = {
    "ms_msg_wait_facilities": "msg_wait.type",
    "sc_interface_version": "SC_interface_version",
    "callback_num_pres_ind": "callback_num.pres",
    "network_error_code": "network_error.code",
    "alert_on_message_delivery": "alert_on_message_delivery_null",
    "its_session_info": "its_session.number",
}


@pytest.fixture(scope="module")
def packets(tmp_path_factory):
    units = [encode(pdu) for pdu in (*PDUS, EVERY_TLV)]
    return dissect(tmp_path_factory.mktemp("smpp"), units, "smpp")


@pytest.mark.parametrize("number", range(len(PDUS)), ids=[id_of(pdu) for pdu in PDUS])
def test_tshark_reads_every_pdu(packets, number):
    pdu, packet = PDUS[number], packets[number]
    assert not complaints(packet)
    assert shown(packet, "smpp.command_id") == [f"0x{pdu.command_id:08x}"]
    assert shown(packet, "smpp.sequence_number") == [str(pdu.sequence_number)]
    for name, value in pdu.parameters.items():
        found = shown(packet, FIELDS.get(name, f"smpp.{name}"))
        if not found and value == "":
            continue
        (got,) = found
        if (name, value) in TEXTS:
            assert got == TEXTS[name, value]
        elif isinstance(value, int):
            assert int(got, 0) == value, name
        elif isinstance(value, bytes):
            assert bytes.fromhex(got.replace(":", "")) == value
        else:
            assert got == value
    assert tlvs_shown(packet) == [(tlv.tag, len(tlv.value)) for tlv in pdu.tlvs]


def tlvs_shown(packet):
    tags, lengths = shown(packet, "smpp.opt_param_tag"), shown(packet, "smpp.opt_param_len")
    return [(int(tag, 0), int(length)) for tag, length in zip(tags, lengths, strict=True)]


def test_tshark_knows_every_optional_parameter_by_our_name(packets):
    packet = packets[-1]
    assert tlvs_shown(packet) == [(tlv.tag, len(tlv.value)) for tlv in EVERY_TLV.tlvs]
    assert not complaints(packet)
    names = {item.get("name") for item in packet.iter()}
    wanted = {f"smpp.{PARTS.get(type_.name, type_.name)}" for type_ in TLV_TYPES.values()}
    assert wanted - names == set()


# -- smpplib --------------------------------------------------------------------------------------

# PDUs for which smpplib has no class, or which it can't read (data_sm_resp without body).
UNREAD = {"outbind", "cancel_sm", "cancel_sm_resp", "replace_sm", "replace_sm_resp"}
READABLE = [pdu for pdu in PDUS if pdu.name not in UNREAD]


@pytest.mark.parametrize("pdu", READABLE, ids=id_of)
def test_smpplib_reads_what_it_knows(pdu):
    client = Client("127.0.0.1", 1, allow_unknown_opt_params=True)  # not connected
    if pdu.name == "submit_sm":
        pdu = replace(pdu, tlvs=())  # smpplib knows none that only deliver_sm may have
    read = smpp.parse_pdu(encode(pdu), client=client, allow_unknown_opt_params=True)
    assert (read.command, read.status, read.sequence) == (
        pdu.name,
        pdu.command_status,
        pdu.sequence_number,
    )
    for name, value in pdu.parameters.items():
        got = getattr(read, name)
        assert (got or b"") == value.encode() if isinstance(value, str) else got == value, name


def test_smpplib_has_the_same_numbers():
    for name, code in command_codes.commands.items():
        assert COMMAND_IDS.get(name) == code or name.startswith("submit_multi"), name
    theirs = {
        name.removeprefix("SMPP_"): value
        for name, value in vars(consts).items()
        if name.startswith("SMPP_ESME_")
    }
    assert {status.name: int(status) for status in Status} == theirs
    ours = {type_.name: type_.tag for type_ in TLV_TYPES.values()}
    assert ours == consts.OPTIONAL_PARAMS
