"""Facts (tsvc.protocols.facts) that several MAP operations declare."""

from tsvc.protocols.asn1 import Tree
from tsvc.protocols.facts import Fact, at, fact

MSISDN_FACT = fact("MSISDN", "msisdn_digits")
IMSI_FACT = fact("IMSI", "imsi_digits")


def ussd_text(tree: Tree) -> list[str]:
    """Return the text, otherwise the octets and their coding."""
    text = tree.get("ussdString_text")
    if text is not None:
        return [f'"{text}"']
    octets = tree.get("ussdString_hex")
    coding = tree.get("ussdDataCodingScheme_hex")
    return [] if octets is None else [f"octets {octets}", f"coding {coding}"]


def requested_information(tree: Tree) -> list[str]:
    """Return which information about a subscriber is requested."""
    wanted = tree.get("requestedInfo")
    names = wanted if isinstance(wanted, dict) else ()
    return [f"asks {name}" for name in names if "_" not in name]


def _subscriber_state(tree: Tree) -> list[str]:
    state = at(tree, "subscriberInfo.subscriberState")
    if not isinstance(state, dict):
        return []
    reason = state.get("netDetNotReachable_name")
    return [f"not reachable, {reason}"] if reason else list(state)[:1]


_PLACE = "subscriberInfo.locationInformation."
_CELL = _PLACE + "cellGlobalIdOrServiceAreaIdOrLAI."
SUBSCRIBER_INFO: tuple[Fact, ...] = (
    _subscriber_state,
    fact("VLR", _PLACE + "vlr-number_digits"),
    fact("MSC", _PLACE + "msc-Number_digits"),
    fact("cell", _CELL + "cellGlobalIdOrServiceAreaIdFixedLength_hex"),
    fact("area", _CELL + "laiFixedLength_hex"),
    fact("age", _PLACE + "ageOfLocationInformation", "min"),
)


def message_length(tree: Tree) -> list[str]:
    """Return the length of a short message; its contents belong to the SMS layer."""
    octets = tree.get("sm-RP-UI_hex")
    return [f"{len(octets) // 2} octets"] if octets else []


SHORT_MESSAGE: tuple[Fact, ...] = (
    fact("to centre", "sm-RP-DA.serviceCentreAddressDA_digits"),
    fact("to IMSI", "sm-RP-DA.imsi_digits"),
    fact("from", "sm-RP-OA.msisdn_digits"),
    fact("from centre", "sm-RP-OA.serviceCentreAddressOA_digits"),
    message_length,
)
