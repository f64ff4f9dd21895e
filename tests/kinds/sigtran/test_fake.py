"""The simulated SSP: each path through the sample flow, distinguished by its exit."""

import json

import pytest
from support.daemons import EXAMPLES

from tsvc.config.scp_tables import Scp
from tsvc.flow.document import compile_flow
from tsvc.kinds.sigtran.fake import BadDoing, FakeSsp, read_doing
from tsvc.results.exchanges import decode_messages

INITIAL_DP = {"serviceKey": 45, "calledPartyNumber_digits": "0800123456", "eventTypeBCSM": 2}


def play(name, script, *, variant="camel2", event=2):
    settings = Scp()
    document = json.loads((EXAMPLES / "flows" / f"{name}.json").read_text())
    flow, _ = compile_flow(document, settings)
    assert flow is not None
    doings = [read_doing(text) for text in script]
    return FakeSsp(flow, settings, variant=variant).play(
        doings, {**INITIAL_DP, "eventTypeBCSM": event}
    )


@pytest.mark.parametrize("variant", ["cs1", "camel2", "camel3", "camel4"])
@pytest.mark.parametrize("event", [2, 12])
@pytest.mark.parametrize(
    ("script", "outcome", "exit_index"),
    [
        (["100", "answer"], "answered", None),
        (["1", "100", "answer"], "answered", None),
        (["100", "busy"], "released", 0),
        (["100", "no-answer"], "released", 0),
        (["silence", "12", "silence"], "released", 1),
        (["999"], "released", 2),
        (["hang-up"], "abandoned", None),
        (["100", "abandon"], "abandoned", None),
        (["srf-failure"], "failed", None),
    ],
)
def test_paths_of_extension_dialing(variant, event, script, outcome, exit_index):
    report = play("extension_dialing", script, variant=variant, event=event)
    assert report.outcome == outcome
    dialing = next(step for step in report.path if step.type == "ExtensionDialing")
    assert dialing.exit_index == exit_index
    assert report.unused == []
    decoded = decode_messages(report.messages)
    assert decoded[0]["primitive"] == "BEGIN"
    assert decoded[-1]["primitive"] == "END"


def test_camel_1_has_no_resource():
    assert play("extension_dialing", ["100"], variant="camel1").outcome == "failed"


def test_a_silent_ssp_is_given_up():
    """Nobody does anything: the guard timers end the call."""
    assert play("extension_dialing", []).outcome in ("abandoned", "failed")


def test_doings_that_nothing_asks_for_are_told():
    report = play("extension_dialing", ["999", "answer"])
    assert [doing.outcome for doing in report.unused] == ["answer"]


def test_a_bad_doing_names_the_words():
    with pytest.raises(BadDoing, match="'ring' is neither digits nor one of hang-up, silence"):
        read_doing("ring")
