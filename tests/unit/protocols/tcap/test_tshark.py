"""Two other decoders read all kinds of messages and components that we encode."""

import pytest
from support.tshark import complaints, dissect, shown

from tsvc.protocols import ber
from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap.components import Invoke, ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.dialogue_portion import encode as encode_portion
from tsvc.protocols.tcap.messages import MessageType, PAbortCause, encode

CONTEXT = ber.encode_oid("0.4.0.0.1.0.50.1")
CHARGING = b"\x04\x05\x01\x02\x03\x04\x05"  # FurnishChargingInformation: a bare OCTET STRING
DIGITS = b"\x80\x03\x03\x00\x21"  # PromptAndCollectUserInformation: digitsResponse
# Component, its fields in tshark, its kind and id in pycrate.
READ = [
    (Invoke(1, 34, CHARGING), "invoke", {"local": "34"}, ("invoke", 1)),
    (Invoke(-1, 31), "invoke", {"local": "31"}, ("invoke", -1)),
    (Invoke(127, 34, CHARGING, -128), "invoke", {"linkedId": "0"}, ("invoke", 127)),
    (ReturnResult(2), "returnResult", {"present": "2"}, ("returnResult", 2)),
    (ReturnResult(3, 48, DIGITS), "returnResult", {"local": "48"}, ("returnResult", 3)),
    (
        # tshark's CAP has no such component and shows nothing of it: only pycrate reads it.
        ReturnResult(3, 48, DIGITS, is_last=False),
        None,
        {},
        ("returnResultNotLast", 3),
    ),
    (ReturnError(4, 14), "returnError", {"error_code_local": "14"}, ("returnError", 4)),
    (Reject(5, ProblemType.INVOKE, 1), "reject", {"invoke": "1"}, ("reject", 5)),
    (Reject(6, ProblemType.RETURN_RESULT, 2), "reject", {"returnResult": "2"}, ("reject", 6)),
    (Reject(7, ProblemType.RETURN_ERROR, 3), "reject", {"returnError": "3"}, ("reject", 7)),
    (Reject(8, ProblemType.GENERAL, 0), "reject", {"general": "0"}, ("reject", 8)),
    (Reject(None, ProblemType.GENERAL, 2), "reject", {"general": "2"}, ("reject", None)),
]
COMPONENTS = [component for component, _, _, _ in READ]


def message(type_, otid=None, dtid=None, pdu=None, components=(), **options):
    dialogue = b"" if pdu is None else encode_portion(pdu)
    encoded = [codec.encode(component) for component in components]
    return encode(type_, otid=otid, dtid=dtid, dialogue=dialogue, components=encoded, **options)


# Each dialogue has other ids, of each length; fields that tshark must show.
MESSAGES = [
    (message(MessageType.BEGIN, b"\x01"), {"tcap.otid": "01"}),
    (
        message(MessageType.BEGIN, b"\x02\x02", None, Aarq(CONTEXT), COMPONENTS[:1]),
        {"tcap.otid": "02:02", "tcap.application_context_name": "0.4.0.0.1.0.50.1"},
    ),
    *(
        (
            message(
                MessageType.CONTINUE,
                b"\x03\x03\x03",
                bytes((4, 0, 0, number)),
                Aare(CONTEXT),
                [one],
            ),
            {
                "tcap.otid": "03:03:03",
                "tcap.dtid": f"04:00:00:{number:02x}",
                "tcap.components": "1",
                **({} if name is None else {f"camel.{name}_element": ""}),
                **{f"camel.{member}": value for member, value in members.items()},
            },
        )
        for number, (one, name, members, _) in enumerate(READ)
    ),
    (
        message(MessageType.CONTINUE, b"\x05", b"\x06", Aare(CONTEXT), COMPONENTS[:2]),
        {"tcap.result": "0", "tcap.dialogue_service_user": "0", "tcap.components": "2"},
    ),
    (message(MessageType.END, None, b"\x06", None, COMPONENTS[3:4]), {"tcap.dtid": "06"}),
    (message(MessageType.END, None, b"\x07"), {"tcap.dtid": "07"}),
    (
        message(MessageType.ABORT, None, b"\x08", Abrt(0)),
        {"tcap.dtid": "08", "tcap.abort_source": "0"},
    ),
    (message(MessageType.ABORT, None, b"\x08", Abrt(1)), {"tcap.abort_source": "1"}),
    (
        message(MessageType.ABORT, None, b"\x08", Aare(CONTEXT, 1, 1, 2)),
        {"tcap.result": "1", "tcap.dialogue_service_user": "2"},
    ),
    (
        message(MessageType.ABORT, None, b"\x08", Aare(CONTEXT, 1, 2, 2)),
        {"tcap.result": "1", "tcap.dialogue_service_provider": "2"},
    ),
    *(
        (
            message(MessageType.ABORT, None, b"\x08", p_abort_cause=cause),
            {"tcap.p_abortCause": str(int(cause))},
        )
        for cause in PAbortCause
    ),
    (message(MessageType.ABORT, None, b"\x08"), {"tcap.dtid": "08"}),
    (
        encode(
            MessageType.UNIDIRECTIONAL,
            dialogue=encode_portion(Aarq(CONTEXT, is_unidirectional=True)),
            components=[codec.encode(COMPONENTS[0])],
        ),
        {"tcap.oid": "0.0.17.773.1.2.1", "tcap.application_context_name": "0.4.0.0.1.0.50.1"},
    ),
]
ELEMENTS = {0x61: "unidirectional", 0x62: "begin", 0x64: "end", 0x65: "continue", 0x67: "abort"}


def test_tshark_reads_every_message_without_complaint(tmp_path):
    packets = dissect(tmp_path, [octets for octets, _ in MESSAGES], "tcap")
    for (octets, fields), packet in zip(MESSAGES, packets, strict=True):
        assert not complaints(packet), octets.hex()
        assert shown(packet, f"tcap.{ELEMENTS[octets[0]]}_element"), octets.hex()
        for name, value in fields.items():
            assert shown(packet, name) == [value], (name, octets.hex())


def test_pycrate_reads_every_message():
    modules = pytest.importorskip("pycrate_asn1dir.TCAP_CAP", reason="pycrate is not installed")
    pdu = modules.CAP_gsmSSF_gsmSCF_pkgs_contracts_acs.GenericSSF_gsmSCF_PDUs
    found = []
    for octets, _ in MESSAGES:
        pdu.from_ber(octets)
        kind, values = pdu.get_val()
        assert kind == ELEMENTS[octets[0]]
        assert pdu.to_ber() == octets
        if values.get("otid") == b"\x03\x03\x03":
            (component,) = values["components"]
            found.append(component)
    kinds = [
        (value[0], value[1]) if outer == "basicROS" else (outer, value) for outer, value in found
    ]
    ids = [(kind, value["invokeId"]) for kind, value in kinds]
    assert ids == [
        (kind, ("absent", 0) if invoke_id is None else ("present", invoke_id))
        for _, _, _, (kind, invoke_id) in READ
    ]
