"""ApplyChargingReport: the SSP reports the call time used. The argument is a bare OCTET STRING.

It is `callResult`: in CAP a structure (an OCTET STRING that holds BER), in INAP the operator's own
octets. `timeDurationChargingResult` may be given directly, or within `CAMEL-CallResult`; the
octets also as `CallResult_hex`. On receipt all of these are filled in.

Of Genband's own results the members are published, their tags are not: in
`genband` they are octets like any other operator's.

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
from tsvc.protocols.facts import flag
from tsvc.protocols.inap.facts import leg_at, tenths
from tsvc.protocols.inap.operation import (
    CAMEL,
    CAMEL3_UP,
    CAMEL4,
    CS,
    NOT_CAMEL1,
    SSP,
    Operation,
    declare,
)
from tsvc.protocols.inap.operations.apply_charging import APPLY_CHARGING_ERRORS
from tsvc.protocols.inap.parameters import CHARGING_ADDRESS, EXTENSIONS, RECEIVING_SIDE

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
ARGUMENT = Choice(m("callResult", None, ByVariant({CS: Octets(), CAMEL: Containing(CALL_RESULT)})))

_RESULT = "timeDurationChargingResult"
_WRAPPED = "CAMEL-CallResult"
_OCTETS = "CallResult_hex"
_TIME = _RESULT + "."


def expand(tree: Tree) -> Tree:
    """Put what was given directly, wrapped or as octets into `callResult`."""
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


def fill(tree: Tree) -> None:
    """Add the other spellings of what was received."""
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
        argument=ARGUMENT,
        errors=(*APPLY_CHARGING_ERRORS, "unknownLegID", "unknownCSID"),
        expand=expand,
        fill=fill,
        shorthands=frozenset({_RESULT, _WRAPPED, _OCTETS}),
        facts=(
            tenths("used", _TIME + "timeInformation.timeIfNoTariffSwitch"),
            tenths("used", _TIME + "timeInformation.timeIfTariffSwitch.timeSinceTariffSwitch"),
            leg_at(_TIME + "partyToCharge"),
            flag("call active", _TIME + "callActive"),
            flag("call over", _TIME + "callActive", 0),
            flag("leg active", _TIME + "legActive"),
            flag("leg over", _TIME + "legActive", 0),
        ),
        # Leg 1, 60 s, call no longer active: raw, so that it is valid in INAP too.
        example={"callResult_hex": "a00ea003810101a10480020258820100"},
    )
)
