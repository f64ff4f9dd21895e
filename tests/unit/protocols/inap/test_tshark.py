"""tshark reads every operation that we encode, in every variant, without complaint.

One capture holds all of our own vectors, each in a TCAP Begin of its own with the application
context of its variant (linktype 252, upper PDU "tcap").
"""

from typing import Any
from xml.etree import ElementTree

import pytest
from support.tshark import complaints, dissect, shown
from unit.protocols.inap.by_tshark import CONTEXTS, frame

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
