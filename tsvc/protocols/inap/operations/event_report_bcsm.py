"""EventReportBCSM: the SSP reports a detection point that was armed.

`eventTypeBCSM_name` may also be oDisconnectLeg1/2 or tDisconnectLeg1/2, which set the leg as well.
On receipt an absent legID is filled in with the event's usual leg, marked `legID_defaulted: 1`;
a legID with this mark is not sent.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Enumerated,
    Integer,
    Null,
    Octets,
    Sequence,
    SequenceOf,
    Tree,
    m,
)
from tsvc.protocols.facts import at
from tsvc.protocols.inap.bcsm import DEFAULT_LEG, LEG_EVENT_NAMES
from tsvc.protocols.inap.facts import cause, leg_text
from tsvc.protocols.inap.operation import ALL, CAMEL, CAMEL4, CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import (
    BASIC_SERVICE,
    EVENT_AND_LEG,
    EXTENSIONS,
    LEG_ID,
    LOCATION_INFORMATION,
    MISC_CALL_INFO,
    RECEIVING_SIDE,
)
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CAUSE,
    GENERIC_DIGITS,
    GENERIC_NUMBER,
)

_CONNECT_TIME = Integer(0, 2147483647, unit="100 ms")

DIALLED = Sequence(m("calledPartynumber", 0, CALLED_PARTY_NUMBER))
ANSWER = Sequence(
    m("destinationAddress", 50, CALLED_PARTY_NUMBER, only=CAMEL),
    m("or-Call", 51, Null(), only=CAMEL),
    m("forwardedCall", 52, Null(), only=CAMEL),
    m("chargeIndicator", 53, Octets(1, 1), only=CAMEL),
    m("ext-basicServiceCode", 54, BASIC_SERVICE, only=CAMEL),
    m("ext-basicServiceCode2", 55, BASIC_SERVICE, only=CAMEL),
)
MID_CALL = Sequence(
    m("connectTime", 0, _CONNECT_TIME, only=CS),
    m(
        "midCallEvents",
        1,
        Choice(
            m("dTMFDigitsCompleted", 3, GENERIC_DIGITS), m("dTMFDigitsTimeOut", 4, GENERIC_DIGITS)
        ),
        only=CAMEL4,
    ),
)
DISCONNECT = Sequence(m("releaseCause", 0, CAUSE), m("connectTime", 1, _CONNECT_TIME, only=CS))
MET_DP_CRITERION = Choice(
    m("enteringCellGlobalId", 0, Octets(7, 7)),
    m("leavingCellGlobalId", 1, Octets(7, 7)),
    m("enteringServiceAreaId", 2, Octets(7, 7)),
    m("leavingServiceAreaId", 3, Octets(7, 7)),
    m("enteringLocationAreaId", 4, Octets(5, 5)),
    m("leavingLocationAreaId", 5, Octets(5, 5)),
    m("inter-SystemHandOverToUMTS", 6, Null()),
    m("inter-SystemHandOverToGSM", 7, Null()),
    m("inter-PLMNHandOver", 8, Null()),
    m("inter-MSCHandOver", 9, Null()),
    m("metDPCriterionAlt", 10, Sequence()),
)
LOCATED = Sequence(m("locationInformation", 50, LOCATION_INFORMATION))
POSITION = Sequence(
    m("locationInformation", 50, LOCATION_INFORMATION),
    m("metDPCriteriaList", 51, SequenceOf(MET_DP_CRITERION, 1, 10)),
)
SERVICE_CHANGE = Sequence(
    m("ext-basicServiceCode", 0, BASIC_SERVICE),
    m("initiatorOfServiceChange", 1, Enumerated({0: "a-side", 1: "b-side"})),
    m("natureOfServiceChange", 2, Enumerated({0: "userInitiated", 1: "networkInitiated"})),
)
SPECIFIC_INFORMATION = Choice(
    m("collectedInfoSpecificInfo", 0, DIALLED, only=CS),
    m("analyzedInfoSpecificInfo", 1, DIALLED, only=CS),
    m("routeSelectFailureSpecificInfo", 2, Sequence(m("failureCause", 0, CAUSE))),
    m("oCalledPartyBusySpecificInfo", 3, Sequence(m("busyCause", 0, CAUSE))),
    m("oNoAnswerSpecificInfo", 4, Sequence()),
    m("oAnswerSpecificInfo", 5, ANSWER),
    m("oMidCallSpecificInfo", 6, MID_CALL),
    m("oDisconnectSpecificInfo", 7, DISCONNECT),
    m(
        "tBusySpecificInfo",
        8,
        Sequence(
            m("busyCause", 0, CAUSE),
            m("callForwarded", 50, Null(), only=CAMEL),
            m("routeNotPermitted", 51, Null(), only=CAMEL),
            m("forwardingDestinationNumber", 52, CALLED_PARTY_NUMBER, only=CAMEL),
        ),
    ),
    m(
        "tNoAnswerSpecificInfo",
        9,
        Sequence(
            m("callForwarded", 50, Null(), only=CAMEL),
            m("forwardingDestinationNumber", 52, CALLED_PARTY_NUMBER, only=CAMEL),
        ),
    ),
    m("tAnswerSpecificInfo", 10, ANSWER),
    m("tMidCallSpecificInfo", 11, MID_CALL),
    m("tDisconnectSpecificInfo", 12, DISCONNECT),
    m("oTermSeizedSpecificInfo", 13, LOCATED, only=CAMEL4),
    m("callAcceptedSpecificInfo", 20, LOCATED, only=CAMEL4),
    m(
        "oAbandonSpecificInfo",
        21,
        Sequence(m("routeNotPermitted", 50, Null())),
        only=CAMEL,
    ),
    m("oChangeOfPositionSpecificInfo", 50, POSITION, only=CAMEL4),
    m("tChangeOfPositionSpecificInfo", 51, POSITION, only=CAMEL4),
    m(
        "dpSpecificInfoAlt",
        52,
        Sequence(
            m("oServiceChangeSpecificInfo", 0, SERVICE_CHANGE),
            m("tServiceChangeSpecificInfo", 1, SERVICE_CHANGE),
            m(
                "collectedInfoSpecificInfo",
                2,
                Sequence(m("calledPartyNumber", 0, CALLED_PARTY_NUMBER)),
            ),
        ),
        only=CAMEL4,
    ),
)
ARGUMENT = Sequence(
    m("eventTypeBCSM", 0, EVENT_AND_LEG, required=True),
    m("bcsmEventCorrelationID", 1, GENERIC_NUMBER, only=CS),
    m("eventSpecificInformationBCSM", 2, SPECIFIC_INFORMATION),
    m("legID", 3, ByVariant({CS: LEG_ID, CAMEL: RECEIVING_SIDE})),
    m("miscCallInfo", 4, MISC_CALL_INFO),
    m("extensions", 5, EXTENSIONS),
)


def _leg(leg: int) -> Tree:
    return {"receivingSideID": chr(leg), "receivingSideID_hex": f"{leg:02x}"}


def expand(tree: Tree) -> Tree:
    """Resolve names that include a leg; remove a leg that was only filled in."""
    if tree.pop("legID_defaulted", None):
        tree.pop("legID", None)
    for key in ("eventTypeBCSM", "eventTypeBCSM_name"):
        event_and_leg = LEG_EVENT_NAMES.get(str(tree.get(key)))
        if event_and_leg is not None:
            tree.pop("eventTypeBCSM_name", None)
            tree["eventTypeBCSM"], leg = event_and_leg
            if tree.get("legID") is None and tree.get("legID_hex") is None:
                tree["legID"] = _leg(leg)
    return tree


def fill(tree: Tree) -> None:
    """Fill in the usual leg of the event if none was sent."""
    if "legID" in tree:
        return
    leg = DEFAULT_LEG.get(tree.get("eventTypeBCSM", 0))
    if leg is not None:
        tree["legID"] = _leg(leg)
        tree["legID_defaulted"] = 1


def reported_event(tree: Tree) -> list[str]:
    """Return the event in words: name and leg, interrupted or notified, cause."""
    event = tree.get("eventTypeBCSM_name", tree.get("eventTypeBCSM"))
    found = [f"{event} {leg_text(tree.get('legID'))}".strip()]
    kind = at(tree, "miscCallInfo.messageType_name")
    if kind is not None:
        found.append({"request": "interrupted", "notification": "notify"}.get(kind, kind))
    specific = tree.get("eventSpecificInformationBCSM")
    for information in specific.values() if isinstance(specific, dict) else ():
        for name in ("busyCause_cause", "releaseCause_cause", "failureCause_cause"):
            found += cause(name)(information)
    return found


EVENT_REPORT_BCSM = declare(
    Operation(
        name="EventReportBCSM",
        short_name="ERB",
        code=24,
        operation_class=4,
        sent_by=SSP,
        variants=ALL,
        summary="report a detection point that was armed",
        argument=ARGUMENT,
        expand=expand,
        fill=fill,
        shorthands=frozenset({"legID_defaulted"}),
        facts=(reported_event,),
        example={
            "eventTypeBCSM_name": "oDisconnectLeg2",
            "eventSpecificInformationBCSM": {
                "oDisconnectSpecificInfo": {"releaseCause_cause": 16}
            },
            "miscCallInfo": {"messageType": 0},
        },
    )
)
