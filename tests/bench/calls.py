"""The INAP call of the speed table, which benchmarks run in one process or between two.

Five messages, six components: BEGIN InitialDP; CONTINUE RequestReportBCSMEvent + Connect;
CONTINUE EventReportBCSM oAnswer; CONTINUE EventReportBCSM oDisconnect; END ReleaseCall. The
SCP's messages are checked, the armed events one by one.
"""

from typing import Any

FLOW: dict[str, Any] = {
    "name": "connect, and wait for the end of the conversation",
    "triggers": [{"service_key": 45}],
    "operations": {
        "1": {"id": 1, "type": "Start", "base_node": 1, "exits": [2]},
        "2": {
            "id": 2,
            "type": "AttemptTerminate",
            "base_node": 2,
            "config": {
                "destinations": [{"address": "4329100", "timeout_seconds": 20}],
                "monitor_disconnect": True,
            },
            "exits": [3],
        },
        "3": {
            "id": 3,
            "type": "ReleaseCall",
            "base_node": 3,
            "config": {"cause": 17},
            "exits": [],
        },
    },
}

_ARMED = [
    ("routeSelectFailure", "interrupted"),
    ("oAnswer", "notifyAndContinue"),
    ("oCalledPartyBusy", "interrupted"),
    ("oNoAnswer", "interrupted"),
    ("oAbandon", "notifyAndContinue"),
    ("oDisconnect", "interrupted"),
    ("oDisconnect", "interrupted"),
]

CALL: list[dict[str, Any]] = [
    {
        "type": "inap.ssp_to_scp.InitialDP",
        "arguments": {
            "serviceKey": 45,
            "calledPartyNumber_digits": "0800432900",
            "callingPartyNumber_digits": "6421000001",
            "callingPartyNumber_noa": 4,
            "callingPartysCategory_hex": "0a",
            "iMSI_digits": "530010123456789",
            "eventTypeBCSM_name": "collectedInfo",
        },
    },
    {
        "type": "inap.ssp_from_scp.RequestReportBCSMEvent",
        "arguments": {
            "bcsmEvents": [
                {"eventTypeBCSM_name": event, "monitorMode_name": mode} for event, mode in _ARMED
            ],
        },
    },
    {
        "type": "inap.ssp_from_scp.Connect",
        "arguments": {"destinationRoutingAddress_digits": "4329100"},
    },
    {
        "type": "inap.ssp_to_scp.EventReportBCSM",
        "arguments": {"eventTypeBCSM_name": "oAnswer"},
    },
    {
        "type": "inap.ssp_to_scp.EventReportBCSM",
        "arguments": {"eventTypeBCSM_name": "oDisconnectLeg2"},
    },
    {
        "type": "inap.ssp_from_scp.ReleaseCall",
        "arguments": {"initialCallSegment_cause": 16},
    },
]

# The same call, each time from another number.
CALLERS: dict[str, Any] = {"caller": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}}
NUMBERED: list[dict[str, Any]] = [
    {
        **CALL[0],
        "arguments": {**CALL[0]["arguments"], "callingPartyNumber_digits": "{$v->{caller}}"},
    },
    *CALL[1:],
]
