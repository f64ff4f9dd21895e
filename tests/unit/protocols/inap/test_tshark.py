"""tshark reads every operation that we encode, in every variant, without complaint.

One capture holds all of our own vectors, each in a TCAP Begin of its own with the application
context of its variant (linktype 252, upper PDU "tcap").
"""

import struct
from typing import Any
from xml.etree import ElementTree

import pytest
from support.tshark import complaints, dissect, shown

from tsvc.protocols import ber
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import CAP

# tshark knows no context of the vendors' variants; their arguments are those of cs1 and cs2.
CONTEXTS = {"cs1": "cs1", "cs2": "cs1"} | {name: name for name in CAP}

# Faults of tshark 4.0, one by one. It reads INAP by the CS-4 modules (Q.1248) and all of CAP by
# one set of modules, but for the few types it keeps for v2.
FAULTS = {
    # sendCalculationToSCPIndication [1] is in ETS 300 374-1 only: CS-4 has no member on [1].
    ("ApplyCharging", "octets"),
    # The dissector fails an assertion of its own on bcsmEventCorrelationID.
    ("RequestReportBCSMEvent", "digits"),
    # It stops with a bounds error at userCSGInformation.
    ("InitialDPSMS", "csg"),
    # It does not step over the open types of scripts ("FIX ME" in its own sources).
    *(
        (name, "opaque")
        for name in ("ScriptRun", "ScriptInformation", "ScriptEvent", "ScriptClose")
    ),
    # It has these two SEQUENCEs down as 32-bit integers, and warns; it reads their members.
    *(
        (name, one)
        for name in ("FurnishChargingInformationGPRS", "SendChargingInformationGPRS")
        for one in ("example", "all-1")
    ),
}


def frame(number: int, one: Any) -> bytes:
    """Return a TCAP Begin with the context of the vector's variant and its component."""
    opcode = ber.tlv(b"\x02", ber.encode_integer(one.operation.code))
    tag, contents = b"\xa1", b"\x02\x01\x01" + opcode + (one.octets or b"")
    if one.component == "result":
        tag = b"\xa2"
        contents = b"\x02\x01\x01" + ber.tlv(b"\x30", opcode + (one.octets or b""))
    context = ber.tlv(b"\xa1", ber.tlv(b"\x06", BY_ALIAS[CONTEXTS[one.variant]].octets))
    request = ber.tlv(b"\x60", b"\x80\x02\x07\x80" + context)
    external = b"\x06\x07" + ber.encode_oid("0.0.17.773.1.1.1") + ber.tlv(b"\xa0", request)
    dialogue = ber.tlv(b"\x6b", ber.tlv(b"\x28", external))
    otid = b"\x48\x04" + struct.pack(">I", number)
    components = ber.tlv(b"\x6c", ber.tlv(tag, contents))
    return ber.tlv(b"\x62", otid + dialogue + components)


@pytest.fixture(scope="module", name="dissected")
def dissected_fixture(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Any, ElementTree.Element]]:
    vectors = [one for one in request.param if one.variant in CONTEXTS]
    frames = [frame(0x01000000 + number, one) for number, one in enumerate(vectors)]
    packets = dissect(tmp_path_factory.mktemp("tshark"), frames, "tcap")
    return list(zip(vectors, packets, strict=True))


def test_tshark_has_nothing_to_say(dissected: list[tuple[Any, ElementTree.Element]]) -> None:
    wrong = {}
    for one, packet in dissected:
        said = complaints(packet)
        if said and (one.operation.name, one.id) not in FAULTS:
            wrong[f"{one.operation.name}-{one.id}-{one.variant}"] = said
    assert not wrong


def test_tshark_finds_the_operation(dissected: list[tuple[Any, ElementTree.Element]]) -> None:
    for one, packet in dissected:
        codes = shown(packet, "inap.code.local", "camel.local")
        assert codes[:1] == [str(one.operation.code)], (one.operation.name, one.id, one.variant)


def test_faults_are_still_there(dissected: list[tuple[Any, ElementTree.Element]]) -> None:
    seen = {(one.operation.name, one.id) for one, packet in dissected if complaints(packet)}
    assert seen == FAULTS
