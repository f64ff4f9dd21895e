"""FurnishChargingInformation: octets of the flow or of a buffer; the flow goes on at once."""

import pytest

from tsvc.flow.call import Furnish, Furnished, Release

CONFIG = "flow.operations.2.config."


def test_writes_and_goes_on(flows):
    config = {"data_hex": "01AB", "party": "called", "append": True}
    run = flows.run(flows.document("FurnishChargingInformation", config))
    assert flows.walk(run, Furnished()) == [Furnish("01ab", 2, True), Release(1)]


def test_writes_what_a_buffer_holds(flows):
    config = {"source_buffer": "system.network_calling_party"}
    run = flows.run(flows.document("FurnishChargingInformation", config), calling="6421")
    assert run.start() == Furnish("36343231", 1, False)


@pytest.mark.parametrize(("text", "data_hex"), [("é\u20ac", "e93f"), ("1" * 300, "31" * 160)])
def test_a_text_becomes_octets_that_fit(flows, text, data_hex):
    config = {"source_buffer": "user.any"}
    document = flows.document("FurnishChargingInformation", config)
    assert flows.run(document, buffers={"user.any": text}).start() == Furnish(data_hex)


def test_an_empty_buffer_writes_nothing(flows):
    config = {"source_buffer": "user.any"}
    run = flows.run(flows.document("FurnishChargingInformation", config))
    assert flows.walk(run) == [Release(1)]


@pytest.mark.parametrize(
    ("config", "member", "text"),
    [
        ({}, "data_hex", "is required, or source_buffer instead"),
        (
            {"data_hex": "01", "source_buffer": "user.a"},
            "source_buffer",
            "can't be given together with data_hex",
        ),
        ({"data_hex": "0"}, "data_hex", 'must be 1 to 160 octets in hex, not the string "0"'),
        ({"data_hex": ""}, "data_hex", 'must be 1 to 160 octets in hex, not the string ""'),
    ],
)
def test_each_rule_has_its_own_message(flows, config, member, text):
    document = flows.document("FurnishChargingInformation", config)
    assert flows.problems(document) == [(CONFIG + member, text, "error")]
