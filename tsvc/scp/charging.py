"""Charging in each variant: arguments of grants and charging data, contents of reports.

CAP defines their coding; in INAP they are octets of the operator's own. There a grant that the
flow does not give in octets is coded as in CAP v2. A report is read as CAP v2 if that is possible;
otherwise only its arrival is known.
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
    """ApplyChargingReport. `seconds` since the answer, None if that can't be read; `leg`: who is
    charged, None likewise.

    is_active: the parties still talk; also assumed if the report does not tell.
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
    """Return the variant as which a report is decoded."""
    return _SPOKEN_IN_INAP if variant in CS else variant


def time_reported(tree: Tree) -> TimeReported:
    """Return the contents of a report; one without a result means that the time is used up."""
    result = tree.get("timeDurationChargingResult")
    if not isinstance(result, dict):
        return TimeReported(None, True)
    is_active = result.get("callActive", result.get("legActive", 1))
    party = result.get("partyToCharge", {}).get("receivingSideID_hex")
    leg = int(party, 16) if party else None
    return TimeReported(_seconds(result.get("timeInformation", {})), bool(is_active), leg)


def _seconds(information: Tree) -> int:
    """Return whole seconds since the answer, rounded up."""
    switched = information.get("timeIfTariffSwitch")
    if isinstance(switched, dict):
        tenths = switched.get("timeSinceTariffSwitch", 0) + switched.get("tariffSwitchInterval", 0)
    else:
        tenths = information.get("timeIfNoTariffSwitch", 0)
    return -(-int(tenths) // 10)
