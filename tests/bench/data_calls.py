"""Loads in which each instance has its own data, and the flows of the SCP that answers them.

Callers of four lengths, 8 and 400 extensions that are dialled and connected to, prepaid calls of
50 durations; a USSD session, a Credit-Control-Request with a User-Name and a REST request with a
body, of several lengths; the call of calls.py, equal in all instances, and a call that the SCP
answers in two ways. No check is left out for speed: the SCP's messages are compared by value.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import bench_diameter
import bench_rest
from calls import CALL

Entry = dict[str, Any]

LENGTHS, NUMBER = (8, 9, 10, 11), "64210000012345"
DURATIONS = 50
GRANT_S = 60
FIRST_CALLER = 6421000001
PREFIX = "4329"


def _operation(at: int, type_: str, exits: list[int], **config: Any) -> Entry:
    return {"id": at, "type": type_, "base_node": at, "config": config, "exits": exits}


def _flow(name: str, trigger: Entry, *operations: Entry, **more: Any) -> Entry:
    """Return a flow whose Start leads to the first of the operations, numbered from 2."""
    chain = (_operation(1, "Start", [2]), *operations)
    numbered = {str(one["id"]): one for one in chain}
    return {"name": name, "triggers": [trigger], "operations": numbered, **more}


FLOWS: tuple[Entry, ...] = (
    _flow(
        "ask for an extension and connect to it",
        {"service_key": 47},
        _operation(
            2,
            "ExtensionDialing",
            [3, 3, 3],
            main_announcement={"set": "Bench", "entry": "Extension", "repetition": 1},
            reprompt_announcement={"set": "Bench", "entry": "Again", "repetition": 1},
            max_iterations=2,
            prefix=PREFIX,
            min_digits=3,
            max_digits=4,
            timeout_seconds=20,
            destination_patterns=[f"{PREFIX}???"],
        ),
        _operation(3, "ReleaseCall", [], cause=17),
        announcements={"Bench": {"Extension": 101, "Again": 102}},
    ),
    _flow(
        "grant a minute, and another one",
        {"service_key": 46},
        _operation(
            2,
            "ApplyCharging",
            [3, 3, 3, 3],
            grant_seconds=GRANT_S,
            budget_seconds=2 * GRANT_S,
            buffer="user.charged",
        ),
        _operation(3, "ReleaseCall", [], cause=16),
    ),
    _flow(
        "connect numbers that end in 1 to another desk",
        {"service_key": 48},
        _operation(2, "DialledNumber", [3, 4], rules=[{"prefix": "08001", "exit_idx": 1}]),
        _operation(3, "AttemptTerminate", [5], destinations=[{"address": f"{PREFIX}100"}]),
        _operation(4, "AttemptTerminate", [5], destinations=[{"address": f"{PREFIX}2001"}]),
        _operation(5, "ReleaseCall", [], cause=17),
    ),
    _flow(
        "tell a balance for a PIN",
        {"ussd_prefix": "*123#"},
        _operation(2, "UssdAsk", [3, 4], text="Enter PIN", buffer="user.pin"),
        _operation(3, "UssdEnd", [], text="Balance 12.50"),
        _operation(4, "UssdEnd", [], text="No PIN"),
    ),
)


@dataclass(frozen=True, slots=True)
class Load:
    """A load with the operations of its instances.

    params: further params of the run.
    lines:  the values for SIPp's caller, caller and service, by the number of the call.
    is_data: each instance has its own data; the bound is lower then.
    """

    operations: list[Entry]
    params: Entry = field(default_factory=dict)
    lines: Callable[[int], tuple[str, str]] | None = None
    is_data: bool = True

    def definition(self, first: int) -> Entry:
        """Return the definition of a run whose callers begin at a number."""
        caller = {"$sequence": {"start": FIRST_CALLER + first, "step": 1, "width": 10}}
        given = {"caller": caller, **self.params.get("vars", {})}
        return {**self.params, "operations": self.operations, "vars": given}


def _to_scp(name: str, **arguments: Any) -> Entry:
    return {"type": f"inap.ssp_to_scp.{name}", "arguments": arguments}


def _from_scp(name: str, **arguments: Any) -> Entry:
    entry: Entry = {"type": f"inap.ssp_from_scp.{name}"}
    return {**entry, "arguments": arguments} if arguments else entry


def _idp(key: int, called: str, caller: str = "{$v->{caller}}") -> Entry:
    return _to_scp(
        "InitialDP",
        serviceKey=key,
        calledPartyNumber_digits=called,
        callingPartyNumber_digits=caller,
        eventTypeBCSM_name="collectedInfo",
    )


def _armed(event: str, mode: str, leg: int, **more: Any) -> Entry:
    leg_id = {"sendingSideID_hex": f"{leg:02x}"}
    return {"eventTypeBCSM": event, "monitorMode": mode, "legID": leg_id, **more}


_ABANDON = _armed("oAbandon", "notifyAndContinue", 1)


def _extension_call(caller: str, digits: str, destination: str) -> list[Entry]:
    """Return a call that dials an extension and is connected to it."""
    return [
        _idp(47, "0800432900", caller),
        _from_scp("RequestReportBCSMEvent", bcsmEvents=[_ABANDON]),
        _from_scp("ConnectToResource", resourceAddress={"none": 1}),
        _from_scp(
            "PromptAndCollectUserInformation",
            collectedInfo={
                "collectedDigits": {"minimumNbOfDigits": 3, "maximumNbOfDigits": 4},
            },
            informationToSend={"inbandInfo": {"messageID": {"elementaryMessageID": 101}}},
        ),
        _to_scp("PromptAndCollectUserInformationResult", digitsResponse_digits=digits),
        _from_scp("DisconnectForwardConnection"),
        _from_scp(
            "RequestReportBCSMEvent",
            bcsmEvents=[
                _armed("oAnswer", "notifyAndContinue", 2),
                _armed("oCalledPartyBusy", "interrupted", 2),
                _armed("oNoAnswer", "interrupted", 2, dpSpecificCriteria={"applicationTimer": 20}),
                _armed("routeSelectFailure", "interrupted", 2),
                _ABANDON,
            ],
        ),
        _from_scp("Connect", destinationRoutingAddress_digits=destination),
        _to_scp(
            "EventReportBCSM",
            eventTypeBCSM_name="oAnswer",
            miscCallInfo={"messageType": "notification"},
        ),
        {"type": "tcap.ssp_from_scp.End"},
    ]


def _granted(**more: Any) -> Entry:
    period = {"maxCallPeriodDuration": "{$v->{grant_s} * 10}"}
    charging = {"timeDurationCharging": period}
    return _from_scp("ApplyCharging", aChBillingChargingCharacteristics=charging, **more)


def _charged(tenths: str, *, is_on: bool) -> Entry:
    result = {
        "partyToCharge": {"receivingSideID_hex": "01"},
        "timeInformation": {"timeIfNoTariffSwitch": tenths},
        "callActive": int(is_on),
    }
    return _to_scp("ApplyChargingReport", timeDurationChargingResult=result)


_PREPAID: list[Entry] = [
    _idp(46, "6449301234"),
    _from_scp(
        "RequestReportBCSMEvent",
        oAnswer=1,
        oCalledPartyBusy=1,
        oNoAnswer_timer=15,
        routeSelectFailure=1,
        oAbandon=1,
        oDisconnectLeg1=1,
        oDisconnectLeg2=1,
    ),
    _granted(partyToCharge={"sendingSideID_hex": "01"}),
    _from_scp("Continue"),
    _to_scp(
        "EventReportBCSM",
        eventTypeBCSM_name="oAnswer",
        miscCallInfo={"messageType": "notification"},
    ),
    _charged("{$v->{grant_s} * 10}", is_on=True),
    _granted(),
    {**_charged("{($v->{grant_s} + $v->{last_s}) * 10}", is_on=False), "send_with_next": True},
    _to_scp(
        "EventReportBCSM",
        eventTypeBCSM_name="oDisconnectLeg2",
        eventSpecificInformationBCSM={"oDisconnectSpecificInfo": {"releaseCause_cause": 16}},
        miscCallInfo={"messageType": "request"},
    ),
    {**_from_scp("ReleaseCall", initialCallSegment_cause=16), "last_component": 1},
]
_CAMEL: Entry = {"ssp_ac": "camel2"}


def _extensions(count: int) -> Load:
    """Return calls to so many extensions in rotation, with three digits each."""
    extension = f"(100 + $r->{{idx}} % {count})"
    return Load(
        _extension_call("{$v->{caller}}", f"{{{extension}}}", f"{{'{PREFIX}' . {extension}}}"),
        _CAMEL,
        lambda number: (str(FIRST_CALLER + number), str(100 + number % count)),
    )


CALLS_WITH_DATA: dict[str, Load] = {
    "callers": Load(
        _extension_call(
            f"{{substr('{NUMBER}', 0, {LENGTHS[0]} + $r->{{idx}} % {len(LENGTHS)})}}",
            "100",
            f"{PREFIX}100",
        ),
        _CAMEL,
        lambda number: (NUMBER[: LENGTHS[number % len(LENGTHS)]], "100"),
    ),
    "extensions_8": _extensions(8),
    "extensions_400": _extensions(400),
    "prepaid": Load(
        _PREPAID,
        {**_CAMEL, "vars": {"grant_s": GRANT_S, "last_s": f"{{1 + $r->{{idx}} % {DURATIONS}}}"}},
        lambda number: (str(FIRST_CALLER + number), str(1 + number % DURATIONS)),
    ),
}

_ARGUMENTS = bench_diameter.ENTRY["arguments"]
_OTHER_LENGTHS = "substr('an odd text', 0, $r->{idx} % 12)"  # 0 to 11 characters
OTHERS: dict[str, Load] = {
    "equal": Load(CALL, _CAMEL, is_data=False),
    "two_ways": Load(
        [
            _idp(48, "{'0800' . ($r->{idx} % 2) . '32900'}"),
            _from_scp("RequestReportBCSMEvent"),
            _from_scp("Connect"),
            *CALL[3:4],
            {"type": "tcap.ssp_from_scp.End"},
        ],
        _CAMEL,
        is_data=False,
    ),
    "ussd": Load(
        [
            {
                "type": "map.hlr_to_scp.ProcessUnstructuredSSRequest",
                "arguments": {"ussdString_text": "*123#", "msisdn_digits": "{$v->{caller}}"},
            },
            {
                "type": "map.hlr_from_scp.UnstructuredSSRequest",
                "arguments": {"ussdString_text": "Enter PIN"},
            },
            {
                "type": "map.hlr_to_scp.UnstructuredSSRequestResult",
                "arguments": {"ussdString_text": "{'' . (1000 + $r->{idx} % 9000)}"},
            },
            {
                "type": "map.hlr_from_scp.ProcessUnstructuredSSRequestResult",
                "arguments": {"ussdString_text": "Balance 12.50"},
                "last_component": 1,
            },
        ],
        {"hlr_ac": "ussd2"},
    ),
    "diameter": Load(
        [
            {
                **bench_diameter.ENTRY,
                "arguments": {
                    **_ARGUMENTS,
                    "avps": [
                        *_ARGUMENTS["avps"],
                        {"name": "User-Name", "value": f"{{$v->{{caller}} . {_OTHER_LENGTHS}}}"},
                    ],
                },
            }
        ],
        {"vars": bench_diameter.VARS},
    ),
    "rest": Load(
        [
            {
                **bench_rest.IN_TWO[0],
                "arguments": {
                    **bench_rest.ARGUMENTS,
                    "content": {
                        "msisdn": "{$v->{caller}}",
                        "note": f"{{{_OTHER_LENGTHS}}}",
                    },
                },
            },
            bench_rest.IN_TWO[1],
        ],
        {"vars": bench_rest.VARS},
    ),
}
