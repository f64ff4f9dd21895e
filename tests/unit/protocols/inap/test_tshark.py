"""tshark reads every operation that we encode, in every variant, without complaint.

One capture holds all of our own vectors (linktype 252, upper PDU "tcap"). Each vector is in its
own TCAP Begin, with the application context of its variant.
"""

from typing import Any
from xml.etree import ElementTree

import pytest
from support.tshark import complaints, dissect, shown
from unit.protocols.inap.by_tshark import CONTEXTS, frame
from unit.protocols.inap.waivers import WAIVERS
from unit.protocols.waivers import is_at_odds


def is_waived(one: Any) -> bool:
    return is_at_odds(one, "tshark", WAIVERS)


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
        if said and not is_waived(one):
            wrong[f"{one.operation.name}-{one.id}-{one.variant}"] = said
    assert not wrong


def test_tshark_finds_the_operation(dissected: list[tuple[Any, ElementTree.Element]]) -> None:
    for one, packet in dissected:
        codes = shown(packet, "inap.code.local", "camel.local")
        assert codes[:1] == [str(one.operation.code)], (one.operation.name, one.id, one.variant)
