"""ApplyCharging: the SCP grants a period of call time and asks for a report.

In CAP the characteristics are an OCTET STRING that holds BER; in INAP they are the operator's own
octets. The shape differs by version: releaseIfdurationExceeded is a structure with the tone in
CAP v2 and a flag later; the tone is a flag in CAP v3 and a choice, audibleIndicator, in CAP v4.
The spelling achBillingChargingCharacteristics is taken too.

Of Genband's own characteristics the members are published, their tags are not: in
`genband` they are octets like any other operator's.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import (
    Boolean,
    ByVariant,
    Choice,
    Containing,
    Integer,
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
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import (
    BURSTS,
    CHARGING_ADDRESS,
    EXTENSIONS,
    LEG_ID,
    SENDING_SIDE,
    renamed,
)

# Of ApplyChargingReport and those for GPRS too, each with its own behind.
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


def expand(tree: Tree) -> Tree:
    """Take the second spelling of the characteristics."""
    return renamed(tree, {_SPELLING: "aChBillingChargingCharacteristics"})


_TIME = "aChBillingChargingCharacteristics.timeDurationCharging."


def own_octets(tree: Tree) -> list[str]:
    """Show characteristics that only the operator knows how to read."""
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
        expand=expand,
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
