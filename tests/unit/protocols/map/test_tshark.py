"""tshark reads every MAP operation that we encode, in every version, without complaint.

Each of our own vectors is in a separate dialogue, with the application context of its version:
invokes in a Begin, results in an End that follows the Begin of an invoke.
"""

from typing import Any
from xml.etree import ElementTree

import pytest
from support.tshark import complaints, dissect, shown
from unit.protocols.map.by_tshark import context_of, frames
from unit.protocols.map.waivers import IN_VECTORS, WAIVERS
from unit.protocols.waivers import is_at_odds

from tsvc.protocols.contexts import BY_ALIAS


@pytest.fixture(scope="module", name="dissected")
def dissected_fixture(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Any, ElementTree.Element]]:
    owners, messages = [], []
    for number, one in enumerate(request.param):
        example = one.operation.encode_argument(one.operation.example, max(one.operation.variants))
        argument = one.octets if one.component == "invoke" else example
        for message in frames(number, one, argument):
            owners.append(one)
            messages.append(message)
    packets = dissect(tmp_path_factory.mktemp("tshark"), messages, "tcap")
    return list(zip(owners, packets, strict=True))


def test_tshark_has_nothing_to_say(dissected: list[tuple[Any, ElementTree.Element]]) -> None:
    wrong = {
        f"{one.operation.name}-{one.component}-{one.id}-{one.variant}": said
        for one, packet in dissected
        if (said := complaints(packet)) and not is_at_odds(one, "tshark", (*WAIVERS, *IN_VECTORS))
    }
    assert not wrong
    for waiver in IN_VECTORS:
        said = [
            text
            for one, packet in dissected
            if is_at_odds(one, "tshark", (waiver,))
            for text in complaints(packet)
        ]
        assert any(waiver.tshark in text for text in said), waiver


def test_tshark_finds_operation_and_context(
    dissected: list[tuple[Any, ElementTree.Element]],
) -> None:
    for one, packet in dissected:
        assert str(one.operation.code) in shown(packet, "gsm_old.localValue"), one.operation.name
        dotted = {context.octets: context.oid for context in BY_ALIAS.values()}[context_of(one)]
        assert shown(packet, "tcap.application_context_name") == [dotted]


def test_tshark_reads_the_ussd_text(dissected: list[tuple[Any, ElementTree.Element]]) -> None:
    texts = {
        one.given["ussdString_text"]: shown(packet, "gsm_map.ussd_string")
        for one, packet in dissected
        if one.id in ("code", "menu", "greek", "text", "choice", "answer")
    }
    for text, found in texts.items():
        # tshark shows a line feed as a blank.
        assert text.replace("\n", " ") in found
