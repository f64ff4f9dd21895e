"""Subsystem numbers that are not equipped, at the embedded SCP and at the tester."""

import json

import pytest
from kinds.sigtran.map_scp import ATI, GSMSCF, register
from kinds.sigtran.map_scp import start as start
from support.daemons import FLOW, Daemon
from support.scripted_scp import INITIAL_DP, reason

from tsvc.config.load import load_config
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.frame import originating_id

FIRST = ("RequestReportBCSMEvent", "ConnectToResource", "PromptAndCollectUserInformation")
CALL = (
    *({"type": f"inap.ssp_from_scp.{name}", "seconds": 5} for name in FIRST),
    {"type": "tcap.ssp_to_scp.Abort"},
)
TEXT = """
[scp]
flows = ["{flow}"]
{more}
[application."LOOP"]
module = "sigtran"
"""


@pytest.fixture
def served(tmp_path):
    """Make daemons whose embedded SCP runs the sample flow, with more lines of [scp]."""
    made = []

    def make(more=""):
        text = TEXT.format(flow=FLOW, more=more)
        made.append(Daemon.of_toml(tmp_path, text))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def call(daemon, **scp):
    return daemon.run(INITIAL_DP, *CALL, **({"scp": scp} if scp else {}))


@pytest.mark.parametrize(
    ("scp", "is_served"),
    [
        ({}, True),
        ({"dssn": 106, "dpc": 4114}, True),  # what N2SVCD's run_test sends
        ({"dssn": 146, "dpc": 2}, True),
        ({"dgt_digits": "64210001", "dgt_noa": 4, "dgt_np": 1, "dgt_tt": 0}, True),
        ({"dssn": 8, "dpc": 2}, False),
        ({"dssn": 250, "dpc": 2}, False),
        ({"dssn": 250, "dgt_digits": "64210001", "dgt_noa": 4, "dgt_np": 1, "dgt_tt": 0}, False),
    ],
)
def test_the_embedded_scp_gives_back_what_is_for_others(served, scp, is_served):
    daemon = served()
    result = call(daemon, **scp)
    counters = daemon.service.scp.counters()
    assert counters["dialogues"]["accepted"] == is_served
    if is_served:
        assert result["verdict"] == "pass", reason(result)
    else:
        assert result["verdict"] == "abort"
        assert "SCCP returned the message: unequipped user" in reason(result)
        assert counters["messages"] == {"unequipped subsystem": 1}


def test_a_long_message_for_others_comes_back_too(served):
    daemon = served()
    long = {
        **INITIAL_DP,
        "arguments": {
            **INITIAL_DP["arguments"],
            "extensions": [{"type": 1, "value_hex": "04820190" + "00" * 400}],
        },
    }
    result = daemon.run(long, *CALL, scp={"dssn": 8, "dpc": 2})
    assert "unequipped user" in reason(result)


def test_the_list_is_the_sites(served):
    daemon = served("ssn = [8]")
    assert call(daemon, dssn=8, dpc=2)["verdict"] == "pass"
    assert call(daemon, dssn=146, dpc=2)["verdict"] == "abort"


def test_a_flow_of_a_definition_has_the_same_list(served):
    daemon = served()
    flow, scp = json.loads(FLOW.read_text()), {"dssn": 8, "dpc": 2}
    result = daemon.run(INITIAL_DP, *CALL, scp=scp, flow=flow)
    assert "unequipped user" in reason(result)


def test_the_list_can_come_from_the_environment(tmp_path):
    path = tmp_path / "tsvc.toml"
    path.write_text("[scp]\n")
    config = load_config(path, {"STATE_DIRECTORY": str(tmp_path), "TSVC_SCP_SSN": "8, 146"})
    assert config.scp.ssn == (8, 146)


@pytest.mark.parametrize(
    ("called", "hlr", "is_served"),
    [
        (Address(1, 6), None, True),
        (Address(1, 8), None, True),
        (Address(1, 9), None, False),
        (Address(1, 9), {"ssn": 9}, True),
        (Address(1, 250), None, False),
        (Address(1), None, False),
    ],
)
def test_the_tester_gives_back_what_is_for_others(start, called, hlr, is_served):
    daemon, scp = start()
    daemon.run(register(), **({"hlr": hlr} if hlr else {}))
    dialogue = scp.endpoint.new_dialogue(0.0)
    dialogue.route = daemon.gateway.node.network
    scp._own[dialogue] = []
    scp.invoke(dialogue, "AnyTimeInterrogation", ATI, "map3")
    dialogue.begin(called, GSMSCF, application_context=BY_ALIAS["ati3"].octets)
    scp.flush()
    assert [originating_id(octets) for octets in scp.returned] == (
        [] if is_served else [dialogue.otid]
    )
    assert daemon.gateway.status().counters["unequipped"] == (not is_served)
    assert daemon.gateway.status().counters["dialogues_accepted"] == is_served
