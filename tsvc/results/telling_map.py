"""What MAP tells in a ladder: tables that telling.py joins to its own, and dialogue PDUs."""

from tsvc.results.tellers import Teller, Tree, at, fact

ABBREVIATIONS = {
    "AnyTimeInterrogation": "ATI",
    "MO-ForwardSM": "MO-FSM",
    "MT-ForwardSM": "MT-FSM",
    "ProcessUnstructuredSSRequest": "PUSSR",
    "ProvideRoamingNumber": "PRN",
    "ProvideSubscriberInfo": "PSI",
    "SendRoutingInfo": "SRI",
    "SendRoutingInfoForSM": "SRI-SM",
    "UnstructuredSSNotify": "USSN",
    "UnstructuredSSRequest": "USSR",
    "UpdateLocation": "UL",
}


def _ussd(tree: Tree) -> list[str]:
    """Tell the text, else the octets and how they are coded."""
    text = tree.get("ussdString_text")
    if text is not None:
        return [f'"{text}"']
    octets = tree.get("ussdString_hex")
    coding = tree.get("ussdDataCodingScheme_hex")
    return [] if octets is None else [f"octets {octets}", f"coding {coding}"]


def _asked(tree: Tree) -> list[str]:
    """Tell what is asked about a subscriber."""
    wanted = tree.get("requestedInfo")
    names = wanted if isinstance(wanted, dict) else ()
    return [f"asks {name}" for name in names if "_" not in name]


def _state(tree: Tree) -> list[str]:
    """Tell the state of a subscriber."""
    state = at(tree, "subscriberInfo.subscriberState")
    if not isinstance(state, dict):
        return []
    reason = state.get("netDetNotReachable_name")
    return [f"not reachable, {reason}"] if reason else list(state)[:1]


def _message(tree: Tree) -> list[str]:
    """Tell how long a short message is: what it says is the SMS layer's."""
    octets = tree.get("sm-RP-UI_hex")
    return [f"{len(octets) // 2} octets"] if octets else []


_MSISDN = fact("MSISDN", "msisdn_digits")
_IMSI = fact("IMSI", "imsi_digits")
_PLACE = "subscriberInfo.locationInformation."
_CELL = _PLACE + "cellGlobalIdOrServiceAreaIdOrLAI."
_FORWARDED = "forwardingData.forwardedToNumber_digits"
_SUBSCRIBER_INFO: tuple[Teller, ...] = (
    _state,
    fact("VLR", _PLACE + "vlr-number_digits"),
    fact("MSC", _PLACE + "msc-Number_digits"),
    fact("cell", _CELL + "cellGlobalIdOrServiceAreaIdFixedLength_hex"),
    fact("area", _CELL + "laiFixedLength_hex"),
    fact("age", _PLACE + "ageOfLocationInformation", "min"),
)
_SHORT_MESSAGE: tuple[Teller, ...] = (
    fact("to centre", "sm-RP-DA.serviceCentreAddressDA_digits"),
    fact("to IMSI", "sm-RP-DA.imsi_digits"),
    fact("from", "sm-RP-OA.msisdn_digits"),
    fact("from centre", "sm-RP-OA.serviceCentreAddressOA_digits"),
    _message,
)

INVOKES: dict[str, tuple[Teller, ...]] = {
    "AnyTimeInterrogation": (
        fact("MSISDN", "subscriberIdentity.msisdn_digits"),
        fact("IMSI", "subscriberIdentity.imsi_digits"),
        _asked,
    ),
    "MO-ForwardSM": _SHORT_MESSAGE,
    "MT-ForwardSM": _SHORT_MESSAGE,
    "ProcessUnstructuredSSRequest": (_ussd, _MSISDN),
    "ProvideRoamingNumber": (_IMSI, _MSISDN, fact("MSC", "msc-Number_digits")),
    "ProvideSubscriberInfo": (_IMSI, _asked),
    "SendRoutingInfo": (_MSISDN, fact("", "interrogationType_name")),
    "SendRoutingInfoForSM": (_MSISDN, fact("centre", "serviceCentreAddress_digits")),
    "UnstructuredSSNotify": (_ussd,),
    "UnstructuredSSRequest": (_ussd,),
    "UpdateLocation": (
        _IMSI,
        fact("VLR", "vlr-Number_digits"),
        fact("MSC", "msc-Number_digits"),
        fact("roaming number", "roamingNumber_digits"),
    ),
}
RESULTS: dict[str, tuple[Teller, ...]] = {
    "AnyTimeInterrogation": _SUBSCRIBER_INFO,
    "MO-ForwardSM": (_message,),
    "MT-ForwardSM": (_message,),
    "ProcessUnstructuredSSRequest": (_ussd,),
    "ProvideRoamingNumber": (fact("roaming number", "roamingNumber_digits"),),
    "ProvideSubscriberInfo": _SUBSCRIBER_INFO,
    "SendRoutingInfo": (
        _IMSI,
        fact("roaming number", "extendedRoutingInfo.routingInfo.roamingNumber_digits"),
        fact("forwarded to", "extendedRoutingInfo.routingInfo." + _FORWARDED),
        fact("roaming number", "routingInfo.roamingNumber_digits"),
        fact("forwarded to", "routingInfo." + _FORWARDED),
    ),
    "SendRoutingInfoForSM": (
        _IMSI,
        fact("node", "locationInfoWithLMSI.networkNode-Number_digits"),
    ),
    "UnstructuredSSRequest": (_ussd,),
    "UpdateLocation": (fact("HLR", "hlr-Number_digits"),),
}


def tell_dialogue_pdu(pdu: Tree) -> list[str]:
    """Return what a MAP PDU in a decoded dialogue portion says, nothing if it has none."""
    return [text for teller in _DIALOGUE for text in teller(pdu)]


def _user_abort(pdu: Tree) -> list[str]:
    """Tell why a user of MAP aborts."""
    choice = at(pdu, "map_user_abort.choice")
    if not isinstance(choice, dict):
        return []
    names = [text for key, text in choice.items() if key.endswith("_name")]
    return names or [key.replace("_", " ") for key in choice][:1]


_DIALOGUE: tuple[Teller, ...] = (
    fact("destination", "map_open.destination_reference_digits"),
    fact("origination", "map_open.origination_reference_digits"),
    fact("MAP-Refuse", "map_refuse.reason_name"),
    _user_abort,
    fact("MAP provider", "map_provider_abort.reason_name"),
)
