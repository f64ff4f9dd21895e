"""A call that no flow of the embedded SCP serves: the result of its run says so, and why."""

from pathlib import Path

import pytest
from support.daemons import EXAMPLES, FLOW, Daemon, example
from support.loads import load

UNSERVED = {
    "ssp_ac": "camel2",
    "operations": [
        {
            "type": "inap.ssp_to_scp.InitialDP",
            "arguments": {
                "serviceKey": 98,
                "calledPartyNumber_digits": "0411222444",
                "eventTypeBCSM": "collectedInfo",
            },
        },
        {"type": "inap.ssp_from_scp.ReleaseCall"},
    ],
}
USSD = {
    "hlr_ac": "ussd2",
    "operations": [
        {
            "type": "map.hlr_to_scp.ProcessUnstructuredSSRequest",
            "arguments": {"ussdString_text": "*199#", "ussdDataCodingScheme": 15},
        },
        {"type": "map.hlr_from_scp.ProcessUnstructuredSSRequestError", "optional": 1},
    ],
}


def texts(result):
    return [one["text"] for one in result["problems"] if "no flow" in one["text"]]


@pytest.mark.parametrize("distribution", [None, load(20, backlog=5)], ids=["one", "load"])
def test_the_service_key_the_number_and_the_flows_are_named(
    tmp_path: Path, distribution: dict[str, object] | None
) -> None:
    daemon = Daemon(tmp_path, flows=(FLOW,))
    try:
        given = {} if distribution is None else {"distribution": distribution}
        (text,) = texts(daemon.run(**UNSERVED, **given))
        assert (
            "serves the call (service key 98, called '0411222444'): released with cause 31" in text
        )
        assert "flows: extension dialing" in text
    finally:
        daemon.stop()


def test_a_session_of_ussd(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, flows=(EXAMPLES / "flows/ussd.json",))
    try:
        (text,) = texts(daemon.run(**USSD))
        assert "called '*199#'" in text
    finally:
        daemon.stop()


def test_a_call_that_a_flow_serves_has_no_such_note(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, flows=(FLOW,))
    try:
        assert texts(daemon.run(**example("extension_dialing"))) == []
    finally:
        daemon.stop()


def test_a_dialogue_without_the_context_that_it_needs(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, flows=(EXAMPLES / "flows/ussd.json",))
    try:
        result = daemon.run(*USSD["operations"])
        (text,) = [one["text"] for one in result["problems"] if "context" in one["text"]]
        assert "the BEGIN has no application context" in text
        assert "operation 59 begins nothing: give the context by ssp_ac or hlr_ac" in text
    finally:
        daemon.stop()
