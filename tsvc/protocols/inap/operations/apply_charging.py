"""ApplyCharging, with which the SCP grants a period of call time, and ApplyChargingReport.

In CAP the characteristics are an OCTET STRING that contains BER; in INAP they are octets that the
operator defines. The shape differs by version: releaseIfdurationExceeded is a structure with the
tone in CAP v2 and a flag later; the tone is a flag in CAP v3 and a choice, audibleIndicator, in
CAP v4. The spelling achBillingChargingCharacteristics is accepted too.

The report's argument is a bare OCTET STRING, `callResult`, coded in the same two ways.
`timeDurationChargingResult` may be given directly, or within `CAMEL-CallResult`; the octets may
also be given as `CallResult_hex`. On receipt all of these are filled in.

Genband has published the members of its own characteristics and results, but not their tags. So in
`genband` they are octets, as for any other operator.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import (
    Boolean,
    ByVariant,
    Choice,
    Containing,
    Integer,
    Null,
    Octets,
    Sequence,
    Tree,
    m,
)
from tsvc.protocols.facts import fact, flag
from tsvc.protocols.inap.facts import leg_at, tenths
from tsvc.protocols.inap.operation import (
    CAMEL,
    CAMEL3_UP,
    CAMEL4,
    CS,
    NOT_CAMEL1,
    SCP,
    SSP,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import (
    BURSTS,
    CHARGING_ADDRESS,
    EXTENSIONS,
    LEG_ID,
    RECEIVING_SIDE,
    SENDING_SIDE,
    renamed,
)

# Also for ApplyChargingReport and the GPRS operations; each adds its own errors after these.
APPLY_CHARGING_ERRORS = (
    "missingParameter",
    "unexpectedComponentSequence",
    "unexpectedParameter",
    "unexpectedDataValue",
    "parameterOutOfRange",
    "systemFailure",
    "taskRefused",
)

BURST_LIST = Sequence(m("warningPeriod", 0, Integer(1, 1200)), m("bursts", 1, BURSTS))
AUDIBLE_INDICATOR = Choice(m("tone", None, Boolean()), m("burstList", 1, BURST_LIST))
RELEASE_CAP2 = Sequence(m("tone", None, Boolean()), m("extensions", 10, EXTENSIONS))

CHARACTERISTICS = Choice(
    m(
        "timeDurationCharging",
        0,
        Sequence(
            m("maxCallPeriodDuration", 0, Integer(1, 864000, unit="100 ms"), required=True),
            m(
                "releaseIfdurationExceeded",
                1,
                ByVariant({CAMEL3_UP: Boolean(), CAMEL - CAMEL3_UP: RELEASE_CAP2}),
            ),
            m("tariffSwitchInterval", 2, Integer(1, 86400, unit="s")),
            m("tone", 3, Boolean(), only=CAMEL3_UP - CAMEL4),
            m("audibleIndicator", 3, AUDIBLE_INDICATOR, only=CAMEL4),
            m("extensions", 4, EXTENSIONS, only=CAMEL3_UP),
        ),
    )
)
ARGUMENT = Sequence(
    m(
        "aChBillingChargingCharacteristics",
        0,
        ByVariant({CS: Octets(), CAMEL: Containing(CHARACTERISTICS)}),
        required=True,
    ),
    m("sendCalculationToSCPIndication", 1, Boolean(), only=CS),
    m("partyToCharge", 2, ByVariant({CS: LEG_ID, CAMEL: SENDING_SIDE})),
    m("extensions", 3, EXTENSIONS),
    m("aChChargingAddress", 50, CHARGING_ADDRESS, only=CAMEL4),
)


_SPELLING = "achBillingChargingCharacteristics"


def expand_characteristics(tree: Tree) -> Tree:
    """Accept the second spelling of the characteristics."""
    return renamed(tree, {_SPELLING: "aChBillingChargingCharacteristics"})


_TIME = "aChBillingChargingCharacteristics.timeDurationCharging."


def own_octets(tree: Tree) -> list[str]:
    """Return the octets of characteristics that only the operator can read."""
    name = "aChBillingChargingCharacteristics"
    octets = tree.get(name + "_hex")
    return [] if octets is None or name in tree else [f"octets {octets}"]


APPLY_CHARGING = declare(
    Operation(
        name="ApplyCharging",
        short_name="AC",
        code=35,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="grant a period of call time and ask for a report",
        argument=ARGUMENT,
        errors=(*APPLY_CHARGING_ERRORS, "unknownLegID", "unknownCSID"),
        expand=expand_characteristics,
        shorthands=frozenset({_SPELLING, _SPELLING + "_hex"}),
        facts=(
            tenths("at most", _TIME + "maxCallPeriodDuration"),
            leg_at("partyToCharge"),
            fact("tariff switch", _TIME + "tariffSwitchInterval", "s"),
            flag("release when exceeded", _TIME + "releaseIfdurationExceeded"),
            own_octets,
        ),
        # timeDurationCharging {maxCallPeriodDuration 6000}: raw, so that it is valid in INAP too.
        example={
            "aChBillingChargingCharacteristics_hex": "a00480021770",
            "partyToCharge": {"sendingSideID_hex": "01"},
        },
    )
)


_PERIOD = Integer(0, 864000, unit="100 ms")

TIME_INFORMATION = Choice(
    m("timeIfNoTariffSwitch", 0, _PERIOD),
    m(
        "timeIfTariffSwitch",
        1,
        Sequence(
            m("timeSinceTariffSwitch", 0, _PERIOD, required=True),
            m("tariffSwitchInterval", 1, Integer(1, 864000, unit="100 ms")),
        ),
    ),
)
CALL_RESULT = Choice(
    m(
        "timeDurationChargingResult",
        0,
        Sequence(
            m("partyToCharge", 0, RECEIVING_SIDE, required=True),
            m("timeInformation", 1, TIME_INFORMATION, required=True),
            m("callActive", 2, Boolean(), only=CAMEL - CAMEL4),
            m("legActive", 2, Boolean(), only=CAMEL4),
            m("callReleasedAtTcpExpiry", 3, Null(), only=CAMEL3_UP - CAMEL4),
            m("callLegReleasedAtTcpExpiry", 3, Null(), only=CAMEL4),
            m("extensions", 4, EXTENSIONS, only=CAMEL3_UP),
            m("aChChargingAddress", 5, CHARGING_ADDRESS, only=CAMEL4),
        ),
    )
)
REPORT = Choice(m("callResult", None, ByVariant({CS: Octets(), CAMEL: Containing(CALL_RESULT)})))

_RESULT = "timeDurationChargingResult"
_WRAPPED = "CAMEL-CallResult"
_OCTETS = "CallResult_hex"
_USED = _RESULT + "."


def expand_report(tree: Tree) -> Tree:
    """Put a result that was given directly, wrapped or as octets into `callResult`."""
    given = [key for key in (_RESULT, _WRAPPED, _OCTETS) if tree.get(key) is not None]
    result = {key: tree.pop(key) for key in given}
    if tree.get("callResult") is not None or tree.get("callResult_hex") is not None:
        return tree
    if _RESULT in result:
        tree["callResult"] = {_RESULT: result[_RESULT]}
    elif _WRAPPED in result:
        tree["callResult"] = result[_WRAPPED]
    elif _OCTETS in result:
        tree["callResult_hex"] = result[_OCTETS]
    return tree


def fill_report(tree: Tree) -> None:
    """Add the other spellings of the received result."""
    if "callResult_hex" in tree:
        tree[_OCTETS] = tree["callResult_hex"]
    result = tree.get("callResult")
    if isinstance(result, dict):
        tree[_WRAPPED] = result
        if _RESULT in result:
            tree[_RESULT] = result[_RESULT]


APPLY_CHARGING_REPORT = declare(
    Operation(
        name="ApplyChargingReport",
        short_name="ACR",
        code=36,
        operation_class=2,
        sent_by=SSP,
        variants=NOT_CAMEL1,
        summary="report the call time used",
        argument=REPORT,
        errors=(*APPLY_CHARGING_ERRORS, "unknownLegID", "unknownCSID"),
        expand=expand_report,
        fill=fill_report,
        shorthands=frozenset({_RESULT, _WRAPPED, _OCTETS}),
        facts=(
            tenths("used", _USED + "timeInformation.timeIfNoTariffSwitch"),
            tenths("used", _USED + "timeInformation.timeIfTariffSwitch.timeSinceTariffSwitch"),
            leg_at(_USED + "partyToCharge"),
            flag("call active", _USED + "callActive"),
            flag("call over", _USED + "callActive", 0),
            flag("leg active", _USED + "legActive"),
            flag("leg over", _USED + "legActive", 0),
        ),
        # Leg 1, 60 s, call no longer active: raw, so that it is valid in INAP too.
        example={"callResult_hex": "a00ea003810101a10480020258820100"},
    )
)
