"""MAP operations that are refused before a run."""

import pytest
from kinds.sigtran.map_scp import ATI, IDLE, PUSSR, expect, register, send

from tsvc.protocols.map.operation import OPERATIONS


@pytest.mark.parametrize(
    ("entry", "path", "text"),
    [
        (send("SendRoutingInfo", {}), "arguments.msisdn", "is mandatory"),
        (send("SendRoutingInfo", {"msidn_digits": "1"}), "arguments.msidn_digits", "unknown"),
        (send(PUSSR, {"ussdString_text": "ж" * 81}), "arguments.ussdString_text", "162 octets"),
        (
            send(PUSSR, {"ussdString_text": "1"}, send_and_close=True),
            "send_and_close",
            "can't end",
        ),
        (send(PUSSR, {"ussdString_text": "1"}, variant="camel3"), "variant", "'camel3'"),
        (
            send("MT-ForwardSM", OPERATIONS.get("MT-ForwardSM").example, variant="map2"),
            "variant",
            "does not exist in map2",
        ),
        (
            send("AnyTimeInterrogation", ATI, tcap_ac="ussd2"),
            "",
            "AnyTimeInterrogation does not exist in map2",
        ),
        (
            send(PUSSR, {"ussdString_text": "1", "tcap": {"map_open": {}}}),
            "arguments.tcap",
            "needs an application context",
        ),
        (
            send(PUSSR, {"ussdString_text": "1", "tcap": {"open": {}}}, tcap_ac="ussd2"),
            "arguments.tcap",
            "member map_open",
        ),
        (
            send(
                PUSSR,
                {"ussdString_text": "1", "tcap": {"map_open": {"to": 1}}},
                tcap_ac="ussd2",
            ),
            "arguments.tcap.map_open.to",
            "no such member",
        ),
        (
            send("AnyTimeInterrogationResult", {**IDLE, "tcap": {"map_open": {}}}),
            "arguments.tcap",
            "member map_accept",
        ),
        (
            send("AnyTimeInterrogationError", {"errorCode": 1, "tcap": {"map_accept": {"x": 1}}}),
            "arguments.tcap.map_accept.x",
            "no such member",
        ),
        (send("AnyTimeInterrogationError", {}), "arguments.errorCode", "is missing"),
        (send("AnyTimeInterrogationError", {"errorCode": "x"}), "arguments.errorCode", "no error"),
        (
            send("AnyTimeInterrogationError", {"errorCode": 34, "parameter": {"x": 1}}),
            "arguments.parameter.x",
            "no such member",
        ),
        (expect("AnyTimeInterrogation", {"requested": {}}), "arguments.requested", "unknown"),
        (expect("AnyTimeInterrogationError", {"code": 1}), "arguments.code", "unknown"),
        (
            register(code=72),
            "arguments.opcode",
            "72 is none of 2 UpdateLocation, 4 ProvideRoaming",
        ),
        (register(code="nonsense"), "arguments.opcode", "'nonsense' is none of"),
        (register(msisdn_digits="12x"), "arguments.msisdn_digits", "no digit"),
        (register(msisdn="1"), "arguments.msisdn", "unknown member"),
        (
            {"type": "map.hlr_from_scp.Register", "arguments": {}},
            "arguments.opcode",
            "is missing",
        ),
    ],
)
def test_refused(daemon, entry, path, text):
    fields = daemon().refused(entry)
    place = f"operations[0].{path}".rstrip(".")
    fields = {key.removeprefix("params."): found for key, found in fields.items()}
    assert place in fields, fields
    assert any(text in one for one in fields[place]), fields
