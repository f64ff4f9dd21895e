"""Calls over SUA and TCP between processes: every sample, the same octets, a lost association."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import EXAMPLES, example
from support.links import Lab, lab, lose_one_of_two

pytestmark = pytest.mark.e2e
NAMES = sorted(file.stem for file in EXAMPLES.glob("extension_dialing*.json"))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("sua"), "sua", "tcp", 1) as made:
        yield made


@pytest.mark.parametrize("name", [name for name in NAMES if "flow" not in example(name)])
def test_every_sample_passes_in_the_other_process(pair: Lab, name: str) -> None:
    before = pair.calls(0)
    result = pair.tester.run(example(name))
    assert result["verdict"] == "pass", result["first_call_summary"]["check_log"]
    assert pair.calls(0) == before + 1


def test_a_message_longer_than_any_udt_goes_in_one_piece(pair: Lab) -> None:
    definition = example("extension_dialing")
    definition["ssp_ac"] = "cs1"
    definition["operations"][0]["arguments"] |= {
        "serviceInteractionIndicators_hex": "00" * 120,
        "callingPartyBusinessGroupID_hex": "01" * 20,
        "callingPartySubaddress_hex": "80" * 21,
        "serviceProfileIdentifier_hex": "31" * 20,
        "iPSSPCapabilities_hex": "01" * 10,
        "iPAvailable_hex": "01" * 10,
    }
    sent = pair.gateway()["counters"]["sent"]
    result = pair.tester.run(definition)
    first = result["first_call_summary"]
    assert result["verdict"] == "pass", first["check_log"]
    assert len(first["messages"][0]["hex"]) > 2 * 255
    from_us = [item for item in first["messages"] if item["direction"] == "sent"]
    assert pair.gateway()["counters"]["sent"] == sent + len(from_us)


def test_the_gateway_says_what_it_speaks(pair: Lab) -> None:
    status = pair.gateway()
    assert (status["state"], status["detail"]) == ("up", "sua")


def test_a_lost_association_aborts_exactly_its_calls(tmp_path: Path) -> None:
    with lab(tmp_path, "sua", "tcp", 2) as made:
        lose_one_of_two(made)
