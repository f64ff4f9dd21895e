"""Several dialogues of one instance, and how they end."""

import pytest
from support.scripted_scp import (
    CONTINUE,
    END,
    INITIAL_DP,
    checks,
    expect,
    operation,
    reason,
    send,
    sends,
)

from tsvc.protocols.inap.operation import OPERATIONS

CONNECT = operation("Connect", {"destinationRoutingAddress_digits": "1"})
ARM = operation(
    "RequestReportBCSMEvent", {"oAnswer": 1, "oCalledPartyBusy": 1, "oDisconnectLeg2": 1}
)
CHARGE = operation(
    "ApplyCharging",
    {
        "aChBillingChargingCharacteristics": {
            "timeDurationCharging": {"maxCallPeriodDuration": 600}
        },
        "partyToCharge": {"sendingSideID_hex": "01"},
    },
)


def by_service_key(reactions):
    """Return a reaction that is chosen by the service key of the InitialDP."""

    def react(scp, dialogue, indication):
        declared = OPERATIONS.get("InitialDP")
        tree = declared.decode_argument(indication.components[0].parameter, "camel2", [])
        reactions[tree["serviceKey"]](scp, dialogue, indication)

    return react


def initial_dp(key, **more):
    return send("InitialDP", {"serviceKey": key}, **more)


def test_two_dialogues_by_name(daemon):
    tsvc = daemon(
        by_service_key(
            {1: sends("continue", CONNECT), 2: sends("continue", operation("Continue"))}
        )
    )
    report = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"})
    result = tsvc.run(
        initial_dp(1, dialogue="A"),
        initial_dp(2, dialogue="B"),
        expect("Connect", dialogue="A"),
        expect("Continue", dialogue="B"),
        {**report, "dialogue": "A"},
        {"type": "tcap.ssp_to_scp.End", "dialogue": "A"},
        {"type": "tcap.ssp_to_scp.Abort"},
    )
    assert result["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "BEGIN", "CONTINUE", "END", "U-ABORT"]


def test_without_a_name_the_newest_dialogue_of_the_role_is_meant(daemon):
    tsvc = daemon(by_service_key({1: CONTINUE, 2: sends("continue", CONNECT)}))
    result = tsvc.run(initial_dp(1), expect("Continue"), initial_dp(2), expect("Connect"))
    assert result["verdict"] == "pass"


def test_each_dialogue_has_its_own_queue(daemon):
    tsvc = daemon(by_service_key({1: CONTINUE, 2: sends("continue", CONNECT)}))
    result = tsvc.run(initial_dp(1), initial_dp(2), expect("Connect"))
    assert reason(result) == "unexpected Continue at the end of the instance"


def test_an_assist_dialogue_has_the_role_of_the_resource(daemon):
    tsvc = daemon(by_service_key({1: CONTINUE}))
    assist = {
        "type": "inap.srf_to_scp.AssistRequestInstructions",
        "arguments": {"correlationID_digits": "12"},
        "tcap_ac": "camel2-assist",
    }

    def react(scp, dialogue, indication):
        if indication.components[0].code == 0:
            CONTINUE(scp, dialogue, indication)
        else:
            sends("continue", operation("PlayAnnouncement", {
                "informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 1}}}
            }))(scp, dialogue, indication)  # fmt: skip

    tsvc.scp.reactions = (react,)
    play = {"type": "inap.srp_from_scp.PlayAnnouncement"}
    result = tsvc.run(initial_dp(1), assist, expect("Continue"), play)
    assert checks(result, "pass") == ["Received Continue", "Received PlayAnnouncement"]
    assert result["verdict"] == "pass", reason(result)
    assert tsvc.open_dialogues[0] == 0


# -- the end of the instance ---------------------------------------------------------------------


def test_nothing_outstanding_is_a_prearranged_end(daemon):
    tsvc = daemon(CONTINUE)
    result = tsvc.run(INITIAL_DP, expect("Continue"), trace_level=1)
    assert result["dialogues_closed"] == {"prearranged end": 1}
    assert tsvc.scp.kinds == ["BEGIN"]
    texts = [entry["text"] for entry in result["first_call_summary"]["trace_log"]]
    assert "SSP closed by prearranged end" in texts


ANSWERED = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"})
GONE = send("EventReportBCSM", {"eventTypeBCSM_name": "oDisconnectLeg2"})
CHARGED = send(
    "ApplyChargingReport",
    {
        "timeDurationChargingResult": {
            "partyToCharge": {"receivingSideID_hex": "01"},
            "timeInformation": {"timeIfNoTariffSwitch": 5},
        }
    },
)


@pytest.mark.parametrize(
    ("queues", "operations", "outstanding"),
    [
        ([ARM], [], "armed events oCalledPartyBusy, oAnswer, oDisconnect"),
        ([ARM], [ANSWERED], "armed events oDisconnect"),
        ([ARM], [ANSWERED, GONE], None),
        ([CHARGE], [], "a pending ApplyChargingReport"),
        ([CHARGE], [CHARGED], None),
        ([operation("CallInformationRequest", {"requestedInformationTypeList": [2]})], [],
         "a pending CallInformationReport"),
    ],
)  # fmt: skip
def test_what_is_outstanding_is_aborted(daemon, queues, operations, outstanding):
    tsvc = daemon(sends("continue", *queues))
    names = {ARM: "RequestReportBCSMEvent", CHARGE: "ApplyCharging"}
    taken = [expect(names.get(queue, "CallInformationRequest")) for queue in queues]
    result = tsvc.run(INITIAL_DP, *taken, *operations, trace_level=1)
    assert result["verdict"] == "pass", reason(result)
    texts = [entry["text"] for entry in result["first_call_summary"]["trace_log"]]
    if outstanding is None:
        assert result["dialogues_closed"] == {"prearranged end": 1}
        assert tsvc.scp.kinds[-1] == "CONTINUE"
    else:
        assert result["dialogues_closed"] == {"TC-U-ABORT": 1}
        assert f"SSP closed by TC-U-ABORT, outstanding: {outstanding}" in texts
        assert tsvc.scp.kinds[-1] == "U-ABORT"
        assert tsvc.open_dialogues == (0, 0), "the SCP frees its state too"
    assert tsvc.open_dialogues[0] == 0


def test_an_event_that_is_disarmed_is_not_outstanding(daemon):
    disarm = operation(
        "RequestReportBCSMEvent",
        {
            "bcsmEvents": [
                {"eventTypeBCSM": 7, "monitorMode": 2, "legID": {"sendingSideID_hex": "02"}}
            ]
        },
    )
    arm = operation("RequestReportBCSMEvent", {"oAnswer": 1})
    tsvc = daemon(sends("continue", arm, disarm))
    taken = expect("RequestReportBCSMEvent")
    result = tsvc.run(INITIAL_DP, taken, taken)
    assert result["dialogues_closed"] == {"prearranged end": 1}


@pytest.mark.parametrize("end", [{"type": "abort"}, expect("ReleaseCall", seconds=0.01)])
def test_an_aborted_instance_leaves_no_dialogue(daemon, end):
    tsvc = daemon(sends("continue", ARM))
    taken = expect("RequestReportBCSMEvent")
    result = tsvc.run(initial_dp(1), taken, initial_dp(2), taken, end)
    assert result["verdict"] == "abort"
    assert result["dialogues_closed"] == {"TC-U-ABORT": 2}
    assert tsvc.open_dialogues == (0, 0)


def test_a_begin_that_nobody_answered_is_closed_here(daemon):
    tsvc = daemon()
    assert tsvc.run(INITIAL_DP)["verdict"] == "pass"
    assert tsvc.open_dialogues[0] == 0


def test_what_comes_for_a_dialogue_that_is_over_is_refused(daemon):
    late, earlier = sends("continue", CONNECT), []

    def react(*message):
        """Answer the call before this one, which is over by now."""
        for one in earlier:
            late(*one)
        earlier.append(message)

    tsvc = daemon(react)
    for _ in range(2):
        assert tsvc.run(INITIAL_DP, linger_ms=0)["verdict"] == "pass"
    assert tsvc.scp.kinds == ["BEGIN", "BEGIN", "P-ABORT"]


def test_an_scp_that_is_not_there_means_silence(daemon):
    tsvc = daemon()
    tsvc.service.scp.node = None
    result = tsvc.run(INITIAL_DP, expect("Connect", seconds=0.01))
    assert reason(result) == "expected Connect, nothing came within 0.01 s"


def test_the_limit_of_dialogues_aborts(daemon):
    tsvc = daemon()
    tsvc.gateway.endpoint._max_dialogues = 1
    result = tsvc.run(initial_dp(1), initial_dp(2))
    assert reason(result) == "limit of 1 dialogues is reached"
    assert tsvc.open_dialogues[0] == 0


def test_an_end_closes_nothing_twice(daemon):
    tsvc = daemon(END)
    assert tsvc.run(INITIAL_DP)["dialogues_closed"] == {}


def test_level_3_traces_states_and_timers(daemon):
    tsvc = daemon(sends("end", operation("Continue")))
    result = tsvc.run(INITIAL_DP, expect("Continue", seconds=7), trace_level=3)
    log = result["first_call_summary"]["trace_log"]
    assert [entry["text"] for entry in log if entry["level"] == 3] == [
        "InitialDP may be answered for 5 s",
        "SSP is CLOSED",
        "SSP waits up to 7 s for Continue",
    ]
