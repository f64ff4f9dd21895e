"""The language of definitions through the socket: the sample call, written in other words."""

import pytest
from support.daemons import DaemonProcess, example

pytestmark = pytest.mark.e2e


def test_attributes_may_be_expressions(daemon: DaemonProcess) -> None:
    """If expressions replace the constants of the sample, the call is the same."""
    definition = example("extension_dialing")
    definition["vars"].update(context="camel2", patience="20", no=0, accepted="0")
    del definition["ssp_ac"]
    first, expected, *_ = definition["operations"]
    first.update(tcap_ac="{$v->{context}}", invoke_id="{$r->{idx} + 1}")
    expected.update(tcap_ac="{$v -> {context}}", tcap_result="{$v->{accepted}}")
    for operation in definition["operations"]:
        if "inap.ssp_from_scp" in operation["type"]:
            operation.update(seconds="{$v->{patience}}", optional="{$v->{no}}")
        elif "inap.ssp_to_scp" in operation["type"]:
            operation.update(send_and_close="{$v->{no}}", send_with_next="{!1}")
    plain = daemon.run(example("extension_dialing"))
    result = daemon.run(definition)
    assert result["verdict"] == plain["verdict"] == "pass", result["first_call_summary"]["reason"]
    texts = [entry["text"] for entry in result["first_call_summary"]["check_log"]]
    known = [entry["text"] for entry in plain["first_call_summary"]["check_log"]]
    assert [text for text in texts if text not in ("tcap_ac", "tcap_result")] == known
    assert len(texts) == len(known) + 2


def test_a_wrong_attribute_aborts_with_its_name(daemon: DaemonProcess) -> None:
    definition = example("extension_dialing")
    definition["operations"][0]["invoke_id"] = "{$v->{caller}}"
    result = daemon.run(definition)
    assert result["verdict"] == "abort"
    reason = result["first_call_summary"]["reason"]
    assert reason == "invoke_id must be from -128 to 127, not 6421000001"


def test_a_wrong_expression_is_refused_with_a_caret(daemon: DaemonProcess) -> None:
    definition = example("extension_dialing")
    definition["operations"][1]["seconds"] = "{$v->{patience} + }"
    error = daemon.call("ExecuteTest", {**definition, "run_id": "caret"})["error"]
    assert error["code"] == 2002
    (text,) = error["data"]["fields"]["params.operations[1].seconds"]
    told, shown, caret = text.splitlines()[:3]
    assert told.startswith("column 19: ")
    assert shown[caret.index("^") :] == "}"
