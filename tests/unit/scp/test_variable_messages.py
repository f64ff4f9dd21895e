"""Announcements with variable parts: read from the flow's table, sent in every variant."""

import json

import pytest
from support.daemons import EXAMPLES

from tsvc.config.scp_tables import Scp
from tsvc.flow.document import compile_flow
from tsvc.kinds.sigtran.fake import FakeSsp, read_doing
from tsvc.results.exchanges import decode_messages

INITIAL_DP = {"serviceKey": 45, "calledPartyNumber_digits": "0800123456", "eventTypeBCSM": 2}


def document_with(entry):
    document = json.loads((EXAMPLES / "flows" / "extension_dialing.json").read_text())
    document["announcements"]["Site Prompts"]["Enter Extension"] = entry
    return document


@pytest.mark.parametrize("variant", ["cs1", "camel2", "camel3", "camel4"])
def test_a_variable_message_is_played(variant):
    parts = [{"integer": 3}, {"number": "4329100"}]
    settings = Scp()
    flow, problems = compile_flow(document_with({"message_id": 9, "parts": parts}), settings)
    assert flow is not None, problems
    report = FakeSsp(flow, settings, variant=variant).play(
        [read_doing("1"), read_doing("100"), read_doing("answer")], INITIAL_DP
    )
    asked = [
        component["arguments"]["informationToSend"]["inbandInfo"]
        for message in decode_messages(report.messages)
        for component in message["components"]
        if component["component"] == "invoke"
        and component["operation"] == "PromptAndCollectUserInformation"
    ]
    first, second = (inband["messageID"] for inband in asked)
    spoken = first["variableMessage"]
    assert spoken["elementaryMessageID"] == 9
    assert spoken["variableParts"][0]["integer"] == 3
    assert spoken["variableParts"][1]["number_digits"] == "4329100"
    assert second == {"elementaryMessageID": 102}, "the reprompt is an elementary message"
    assert report.outcome == "answered"


@pytest.mark.parametrize(
    ("entry", "path", "text"),
    [
        ({"parts": [{"integer": 1}]}, ".message_id", "must be a message id"),
        ({"message_id": 9}, ".parts", "must be an array of 1 to 5 parts"),
        ({"message_id": 9, "parts": []}, ".parts", "must be an array of 1 to 5 parts"),
        ({"message_id": 9, "parts": [{"integer": 1}] * 6}, ".parts", "1 to 5 parts"),
        ({"message_id": 9, "parts": [{"integer": -1}]}, ".parts[0]", 'must be {"integer": n}'),
        ({"message_id": 9, "parts": [{"integer": True}]}, ".parts[0]", 'must be {"integer": n}'),
        ({"message_id": 9, "parts": [{"number": "x"}]}, ".parts[0]", 'must be {"integer": n}'),
        ({"message_id": 9, "parts": [{"integer": 1}], "id": 2}, ".id", "unknown member"),
        ("9", "", "must be a message id"),
    ],
)
def test_a_wrong_entry_is_refused(entry, path, text):
    flow, problems = compile_flow(document_with(entry), Scp())
    assert flow is None
    place = f"flow.announcements.Site Prompts.Enter Extension{path}"
    assert any(problem.path == place and text in problem.text for problem in problems), problems
