"""Each path through ExtensionDialing: exit and message sequence, seen from the SSP.

The exit shows in the release cause (17 = exit 0, 28 = exit 1, 1 = exit 2); arguments are checked
by the sample definitions themselves, which also assert the monitor modes, legs and timers.
"""

import re
from typing import Any

import pytest
from support.daemons import EXAMPLES, DaemonProcess, example

VARIANTS = ("cs1", "camel2", "camel3", "camel4")
Sequence = list[tuple[str, str, list[str]]]

OUT, IN = "sent", "received"
BEGIN = (OUT, "BEGIN", ["InitialDP"])
PROMPT = (
    IN,
    "CONTINUE",
    ["RequestReportBCSMEvent", "ConnectToResource", "PromptAndCollectUserInformation"],
)
REPROMPT = (IN, "CONTINUE", ["PromptAndCollectUserInformation"])
DIGITS = (OUT, "CONTINUE", ["PromptAndCollectUserInformation"])
TERMINATE = (
    IN,
    "CONTINUE",
    ["DisconnectForwardConnection", "RequestReportBCSMEvent", "Connect"],
)
REPORT = (OUT, "CONTINUE", ["EventReportBCSM"])
END = (IN, "END", [])
RELEASE = (IN, "END", ["ReleaseCall"])
DISCONNECT_AND_RELEASE = (IN, "END", ["DisconnectForwardConnection", "ReleaseCall"])

SEQUENCES: dict[str, Sequence] = {
    "extension_dialing": [BEGIN, PROMPT, DIGITS, TERMINATE, REPORT, END],
    "extension_dialing_busy": [BEGIN, PROMPT, DIGITS, TERMINATE, REPORT, RELEASE],
    "extension_dialing_no_answer": [BEGIN, PROMPT, DIGITS, TERMINATE, REPORT, RELEASE],
    "extension_dialing_insufficient": [
        BEGIN,
        PROMPT,
        DIGITS,
        REPROMPT,
        DIGITS,
        REPROMPT,
        DIGITS,
        DISCONNECT_AND_RELEASE,
    ],
    "extension_dialing_no_match": [BEGIN, PROMPT, DIGITS, DISCONNECT_AND_RELEASE],
    "extension_dialing_hang_up": [BEGIN, PROMPT, REPORT, END],
    "extension_dialing_second_try": [
        BEGIN,
        PROMPT,
        DIGITS,
        REPROMPT,
        DIGITS,
        TERMINATE,
        REPORT,
        END,
    ],
}
for _name in ("no_match_reprompt", "mixed", "mixed_no_match"):
    SEQUENCES[f"extension_dialing_{_name}"] = SEQUENCES["extension_dialing_insufficient"]

RELEASE_CAUSES = {
    "extension_dialing_busy": 17,
    "extension_dialing_no_answer": 17,
    "extension_dialing_insufficient": 28,
    "extension_dialing_no_match": 1,
    "extension_dialing_no_match_reprompt": 1,
    "extension_dialing_mixed": 28,
    "extension_dialing_mixed_no_match": 1,
}


def sequence(result: dict[str, Any]) -> Sequence:
    return [
        (
            message["direction"],
            message["primitive"],
            [component["operation"] for component in message["components"]],
        )
        for message in result["first_call_summary"]["messages"]
    ]


def test_every_sample_has_its_sequence() -> None:
    assert {file.stem for file in EXAMPLES.glob("extension_dialing*.json")} == set(SEQUENCES)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", SEQUENCES)
def test_path_over_the_loopback(daemon: DaemonProcess, name: str, variant: str) -> None:
    result = daemon.run(example(name), ssp_ac=variant)
    first = result["first_call_summary"]
    assert result["verdict"] == "pass", first["check_log"]
    assert sequence(result) == SEQUENCES[name]
    last = first["messages"][-1]["components"]
    if name in RELEASE_CAUSES:
        assert last[-1]["arguments"]["initialCallSegment_cause"] == RELEASE_CAUSES[name]
    assert first["messages"][1]["dialogue_pdu"], "the AARE comes in the first message back"


def test_no_application_context_no_dialogue_portion(daemon: DaemonProcess) -> None:
    """The first backward message carries the AARE only if the BEGIN carried an AARQ."""
    definition = example("extension_dialing")
    del definition["ssp_ac"]
    definition["operations"][1]["tcap_ac"] = None
    result = daemon.run(definition)
    assert result["verdict"] == "pass", result["first_call_summary"]["check_log"]
    assert not result["first_call_summary"]["messages"][1].get("dialogue_pdu")


@pytest.mark.parametrize("name", [name for name in SEQUENCES if "flow" not in example(name)])
def test_same_octets_over_m3ua_between_two_processes(
    daemon: DaemonProcess, m3ua_pair: tuple[DaemonProcess, DaemonProcess], name: str
) -> None:
    """Loopback and M3UA/TCP carry the same TCAP octets, transaction ids aside."""
    tester, scp = m3ua_pair
    before = scp.result("DescribeService")["scp"]["calls"]
    over_m3ua = tester.run(example(name))
    assert over_m3ua["verdict"] == "pass", over_m3ua["first_call_summary"]["check_log"]
    assert scp.result("DescribeService")["scp"]["calls"] == before + 1, "the other process"
    over_loopback = daemon.run(example(name))
    assert _octets(over_m3ua) == _octets(over_loopback)


def _octets(result: dict[str, Any]) -> list[str]:
    """Return the messages in hex with the transaction ids blanked."""
    found = []
    for message in result["first_call_summary"]["messages"]:
        octets = message["hex"]
        for tid in (message.get("otid"), message.get("dtid")):
            if tid:
                octets = octets.replace(tid, "--------", 1)
        found.append(octets)
    assert all(re.fullmatch(r"[0-9a-f-]+", octets) for octets in found)
    return found


def test_a_flow_needs_a_loopback(m3ua_pair: tuple[DaemonProcess, DaemonProcess]) -> None:
    tester, _ = m3ua_pair
    params = {**example("extension_dialing_no_match_reprompt"), "run_id": "flow over m3ua"}
    error = tester.call("ExecuteTest", params)["error"]
    assert error["code"] == 2002
    assert error["data"]["fields"] == {"params.flow": ["needs a loopback SIGTRAN instance"]}


def test_linear_load_over_both(
    daemon: DaemonProcess, m3ua_pair: tuple[DaemonProcess, DaemonProcess]
) -> None:
    """A short load passes every call, and the counts add up."""
    distribution = {"type": "linear", "total": 200, "backlog": 50, "cps": 200}
    for where in (daemon, m3ua_pair[0]):
        result = where.run(example("extension_dialing"), distribution=distribution)
        counts, rate = result["counts"], result["rate"]
        assert counts["passed"] == counts["started"] == counts["finished"] == 200, counts
        assert rate["planned"] == rate["started"] + rate["never_started"]
        assert rate["started"] == rate["on_time"] + rate["late"]


def test_nothing_remains(
    daemon: DaemonProcess, m3ua_pair: tuple[DaemonProcess, DaemonProcess]
) -> None:
    """No dialogue is left on the tester's side after all of the above."""
    for where in (daemon, m3ua_pair[0]):
        for gateway in where.result("DescribeService")["gateways"]:
            assert gateway["counters"]["dialogues"] == 0
