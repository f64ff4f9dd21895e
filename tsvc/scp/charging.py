"""Charging in each variant: what a grant and charging data look like, what a report says.

In CAP all of them have a coding; in INAP they are octets of the operator's own. There a grant that
the flow does not spell out is coded as in CAP v2, and a report is read so if it can be: else all
that is known of it is that it came.
"""

from tsvc.flow.call import Charge, Furnish
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.inap.operation import CAMEL3_UP, CAMEL4, CS
from tsvc.protocols.inap.operations.apply_charging import CHARACTERISTICS
from tsvc.values import dataclass

_SPOKEN_IN_INAP = "camel2"
_CHARACTERISTICS_CAP2 = CHARACTERISTICS.for_variant(_SPOKEN_IN_INAP)
_NAME = "aChBillingChargingCharacteristics"


@dataclass(frozen=True, slots=True)
class TimeReported:
    """ApplyChargingReport. `seconds` since the answer, None if that can't be read; `leg` likewise:
    who is charged.

    is_active: the parties talk still; so it is understood where nothing says it.
    """

    seconds: int | None
    is_active: bool
    leg: int | None = None


def grant_argument(charge: Charge, variant: str) -> Tree:
    """Return the argument of ApplyCharging."""
    argument: Tree = {"partyToCharge": {"sendingSideID_hex": f"{charge.leg:02x}"}}
    if variant not in CS:
        argument[_NAME] = _characteristics(charge, variant)
    elif charge.inap_octets:
        argument[_NAME + "_hex"] = charge.inap_octets
    else:
        characteristics = {_NAME: _characteristics(charge, _SPOKEN_IN_INAP)}
        argument[_NAME + "_hex"] = _CHARACTERISTICS_CAP2.encode(characteristics, _NAME).hex()
    return argument


def _characteristics(charge: Charge, variant: str) -> Tree:
    period: Tree = {"maxCallPeriodDuration": charge.seconds * 10}
    if variant not in CAMEL3_UP:
        if charge.releases:
            period["releaseIfdurationExceeded"] = {"tone": charge.warns}
        return {"timeDurationCharging": period}
    if charge.releases:
        period["releaseIfdurationExceeded"] = True
    if charge.warns:
        tone: Tree = {"audibleIndicator": {"tone": True}} if variant in CAMEL4 else {"tone": True}
        period |= tone
    return {"timeDurationCharging": period}


def data_argument(furnish: Furnish, variant: str) -> Tree:
    """Return the argument of FurnishChargingInformation."""
    if variant in CS:
        return {"fCIBillingChargingCharacteristics_hex": furnish.data_hex}
    sequence: Tree = {
        "freeFormatData_hex": furnish.data_hex,
        "partyToCharge": {"sendingSideID_hex": f"{furnish.leg:02x}"},
    }
    if furnish.is_appended and variant in CAMEL3_UP:
        sequence["appendFreeFormatData"] = 1
    return {"fCIBCCCAMELsequence1": sequence}


def report_variant(variant: str) -> str:
    """Return the variant to read a report as."""
    return _SPOKEN_IN_INAP if variant in CS else variant


def time_reported(tree: Tree) -> TimeReported:
    """Return what a report says; of one without a result, that the time is used up."""
    result = tree.get("timeDurationChargingResult")
    if not isinstance(result, dict):
        return TimeReported(None, True)
    is_active = result.get("callActive", result.get("legActive", 1))
    party = result.get("partyToCharge", {}).get("receivingSideID_hex")
    leg = int(party, 16) if party else None
    return TimeReported(_seconds(result.get("timeInformation", {})), bool(is_active), leg)


def _seconds(information: Tree) -> int:
    """Return whole seconds since the answer, a begun one counted."""
    switched = information.get("timeIfTariffSwitch")
    if isinstance(switched, dict):
        tenths = switched.get("timeSinceTariffSwitch", 0) + switched.get("tariffSwitchInterval", 0)
    else:
        tenths = information.get("timeIfNoTariffSwitch", 0)
    return -(-int(tenths) // 10)
