"""The few things of a component that tell a reader what happened, as short texts.

One table, operation -> tellers. A teller looks at one place of the decoded arguments and says
nothing where it finds nothing, so arguments of any shape can be shown.
"""

from collections.abc import Iterator
from typing import Any

from tsvc.results import telling_map
from tsvc.results.tellers import Teller, Tree, at, fact, flag

_MOST_FACTS = 8  # of an operation that has no entry in the table

ABBREVIATIONS = {
    "ActivityTest": "AT",
    "ApplyCharging": "AC",
    "ApplyChargingReport": "ACR",
    "AssistRequestInstructions": "ARI",
    "CallInformationReport": "CIRp",
    "CallInformationRequest": "CIRq",
    "Cancel": "CAN",
    "Connect": "CON",
    "ConnectToResource": "CTR",
    "Continue": "CUE",
    "ContinueWithArgument": "CWA",
    "DisconnectForwardConnection": "DFC",
    "EstablishTemporaryConnection": "ETC",
    "EventReportBCSM": "ERB",
    "FurnishChargingInformation": "FCI",
    "InitialDP": "IDP",
    "PlayAnnouncement": "PA",
    "PromptAndCollectUserInformation": "PC",
    "ReleaseCall": "RC",
    "RequestReportBCSMEvent": "RRBE",
    "ResetTimer": "RT",
    "SendChargingInformation": "SCI",
    "SpecializedResourceReport": "SRR",
}

# Cause values of Q.850 that calls usually end with.
_CAUSES = {
    1: "unallocated number",
    3: "no route to destination",
    16: "normal call clearing",
    17: "user busy",
    18: "no user responding",
    19: "no answer from user",
    20: "subscriber absent",
    21: "call rejected",
    22: "number changed",
    27: "destination out of order",
    28: "invalid number format",
    31: "normal, unspecified",
    34: "no circuit available",
    38: "network out of order",
    41: "temporary failure",
    42: "switching equipment congestion",
    44: "requested circuit not available",
    47: "resource unavailable",
    63: "service not available",
    102: "recovery on timer expiry",
    111: "protocol error",
    127: "interworking",
}
_MODES = {"notifyAndContinue": "notify"}
_KEYS = {"0b": "*", "0c": "#"}


def abbreviated(name: str) -> str:
    """Return the short name of an operation of any protocol, else its name."""
    return ABBREVIATIONS.get(name) or telling_map.ABBREVIATIONS.get(name, name)


def tell(component: Tree) -> list[str]:
    """Return the telling facts of a decoded component, most telling first."""
    arguments = component.get("arguments")
    if not isinstance(arguments, dict):
        return []
    kind = component.get("component")
    if kind == "error":
        return _error(arguments)
    if kind == "reject":
        problem = arguments.get("problem_name", arguments.get("problem"))
        return [f"{arguments.get('problem_type')} problem {problem}"]
    if kind == "malformed":
        return []
    table = _RESULTS if kind == "result" else _INVOKES
    tellers = table.get(str(component.get("operation")), (_anything,))
    return [text for teller in tellers for text in teller(arguments)]


def _error(arguments: Tree) -> list[str]:
    found = [str(arguments.get("errorCode_name", arguments.get("errorCode")))]
    parameter = arguments.get("parameter")
    if isinstance(parameter, dict):
        return [*found, *_anything(parameter)]
    detail = arguments.get("parameter_name", arguments.get("parameter_hex"))
    return found if detail is None else [*found, str(detail)]


# -- tellers ------------------------------------------------------------------------------------


def _key(label: str, path: str) -> Teller:
    """Tell telephone keys, as they are printed on a telephone."""

    def teller(tree: Tree) -> list[str]:
        octets = at(tree, path)
        return [f"{label} {_KEYS.get(octets, octets)}"] if octets else []

    return teller


def _tenths(label: str, path: str) -> Teller:
    """Tell a time in steps of 100 ms in seconds."""

    def teller(tree: Tree) -> list[str]:
        value = at(tree, path)
        return [f"{label} {value / 10:g} s"] if isinstance(value, int) else []

    return teller


def _cause(path: str) -> Teller:
    """Tell a cause by number and name."""

    def teller(tree: Tree) -> list[str]:
        cause = at(tree, path)
        if cause is None:
            return []
        name = _CAUSES.get(cause) if isinstance(cause, int) else None
        return [f"cause {cause} ({name})" if name else f"cause {cause}"]

    return teller


def _leg(tree: Any) -> str:
    octets = at(tree, "sendingSideID_hex") or at(tree, "receivingSideID_hex")
    return f"leg {int(octets, 16)}" if octets else ""


def _leg_at(path: str) -> Teller:
    """Tell which leg."""

    def teller(tree: Tree) -> list[str]:
        leg = _leg(at(tree, path))
        return [leg] if leg else []

    return teller


def _armed(tree: Tree) -> list[str]:
    """Tell each armed event: name, leg, monitor mode, timer."""
    events = tree.get("bcsmEvents")
    found = []
    for event in events if isinstance(events, list) else []:
        mode = at(event, "monitorMode_name")
        timer = at(event, "dpSpecificCriteria.applicationTimer")
        parts = (
            str(at(event, "eventTypeBCSM_name") or at(event, "eventTypeBCSM")),
            _leg(at(event, "legID")),
            _MODES.get(mode, str(mode)),
            f"{timer} s" if timer is not None else "",
        )
        found.append(" ".join(part for part in parts if part))
    return found


def _reported(tree: Tree) -> list[str]:
    """Tell a reported event: name and leg, interrupted or notified, cause."""
    event = tree.get("eventTypeBCSM_name", tree.get("eventTypeBCSM"))
    found = [f"{event} {_leg(tree.get('legID'))}".strip()]
    kind = at(tree, "miscCallInfo.messageType_name")
    if kind is not None:
        found.append({"request": "interrupted", "notification": "notify"}.get(kind, kind))
    specific = tree.get("eventSpecificInformationBCSM")
    for information in specific.values() if isinstance(specific, dict) else ():
        for name in ("busyCause_cause", "releaseCause_cause", "failureCause_cause"):
            found += _cause(name)(information)
    return found


def _resource(tree: Tree) -> list[str]:
    """Tell where the resource is."""
    for path in ("resourceAddress.ipRoutingAddress", "resourceAddress.both.ipRoutingAddress"):
        digits = at(tree, path + "_digits")
        if digits is not None:
            return [f"resource {digits}"]
    return ["resource in the switch"] if at(tree, "resourceAddress.none") else []


def _announced(tree: Tree) -> list[str]:
    """Tell what is played."""
    played = at(tree, "informationToSend.inbandInfo.messageID")
    if isinstance(played, dict):
        text = at(played, "text.messageContent")
        number = played.get("elementaryMessageID")
        several = played.get("elementaryMessageIDs")
        variable = at(played, "variableMessage.elementaryMessageID")
        for value in (number, several, variable, text):
            if value is not None:
                return [f"message {value}"]
    tone = at(tree, "informationToSend.tone.toneID")
    return [] if tone is None else [f"tone {tone}"]


def _repeated(tree: Tree) -> list[str]:
    """Tell how often a message is played, if not once."""
    times = at(tree, "informationToSend.inbandInfo.numberOfRepetitions")
    return [] if times in (None, 1) else [f"{times} times"]


def _own_octets(tree: Tree) -> list[str]:
    """Tell charging characteristics that only the operator knows how to read."""
    name = "aChBillingChargingCharacteristics"
    octets = tree.get(name + "_hex")
    return [] if octets is None or name in tree else [f"octets {octets}"]


_DIGITS = "collectedInfo.collectedDigits."


def _wanted(tree: Tree) -> list[str]:
    """Tell how many digits are wanted."""
    low, high = at(tree, _DIGITS + "minimumNbOfDigits"), at(tree, _DIGITS + "maximumNbOfDigits")
    if high is None:
        return []
    return [f"{high} digits" if low in (None, high) else f"{low}-{high} digits"]


def _anything(tree: Tree) -> list[str]:
    """Tell what there is, for want of better knowledge."""
    found = []
    for text in _walk(tree):
        found.append(text)
        if len(found) == _MOST_FACTS:
            return [*found, "..."]
    return found


def _walk(tree: Tree) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _walk(value)
        elif isinstance(value, list):
            for item in value:
                yield from _walk(item if isinstance(item, dict) else {key: item})
        elif not _is_said_better(tree, key):
            yield f"{_label(key)} {value}"


def _label(key: str) -> str:
    for suffix in ("_digits", "_cause", "_name", "_hex"):
        key = key.removesuffix(suffix) or key
    return key


def _is_said_better(tree: Tree, key: str) -> bool:
    """Tell whether another key says the same for people."""
    base = key.rpartition("_")[0]
    stem = base.removesuffix("_diagnostics")
    better = (f"{key}_name", f"{stem}_digits", f"{stem}_cause", f"{base}_name")
    return any(name in tree and name != key for name in better)


_TIMERS: tuple[Teller, ...] = (
    fact("first digit", _DIGITS + "firstDigitTimeOut", "s"),
    fact("next digit", _DIGITS + "interDigitTimeOut", "s"),
)
_CHARGING = "aChBillingChargingCharacteristics.timeDurationCharging."
_REPORT = "timeDurationChargingResult."

_INVOKES: dict[str, tuple[Teller, ...]] = telling_map.INVOKES | {
    "InitialDP": (
        fact("service key", "serviceKey"),
        fact("called", "calledPartyNumber_digits"),
        fact("called", "calledPartyBCDNumber_digits"),
        fact("dialled", "dialledDigits_digits"),
        fact("calling", "callingPartyNumber_digits"),
        fact("original called", "originalCalledPartyID_digits"),
        fact("redirecting", "redirectingPartyID_digits"),
        fact("IMSI", "iMSI_digits"),
        fact("at", "eventTypeBCSM_name"),
    ),
    "RequestReportBCSMEvent": (_armed,),
    "EventReportBCSM": (_reported,),
    "Connect": (
        fact("to", "destinationRoutingAddress_digits"),
        fact("calling", "callingPartyNumber_digits"),
        fact("original called", "originalCalledPartyID_digits"),
        fact("redirecting", "redirectingPartyID_digits"),
    ),
    "ReleaseCall": (
        _cause("initialCallSegment_cause"),
        _cause("allCallSegmentsWithExtension.allCallSegments_cause"),
    ),
    "ConnectToResource": (_resource,),
    "EstablishTemporaryConnection": (
        fact("to", "assistingSSPIPRoutingAddress_digits"),
        fact("correlation", "correlationID_digits"),
        fact("SCF", "scfID_hex"),
    ),
    "AssistRequestInstructions": (fact("correlation", "correlationID_digits"),),
    "PlayAnnouncement": (
        _announced,
        _repeated,
        fact("duration", "informationToSend.inbandInfo.duration", "s"),
        fact("duration", "informationToSend.tone.duration", "s"),
        flag("report when over", "requestAnnouncementComplete"),
        flag("may disconnect", "disconnectFromIPForbidden", 0),
    ),
    "PromptAndCollectUserInformation": (
        _announced,
        _wanted,
        _key("end", _DIGITS + "endOfReplyDigit_hex"),
        _key("cancel", _DIGITS + "cancelDigit_hex"),
        *_TIMERS,
        _repeated,
        flag("may disconnect", "disconnectFromIPForbidden", 0),
    ),
    "SpecializedResourceReport": (
        flag("all announcements complete", "allAnnouncementsComplete"),
        flag("first announcement started", "firstAnnouncementStarted"),
    ),
    "ApplyCharging": (
        _tenths("at most", _CHARGING + "maxCallPeriodDuration"),
        _leg_at("partyToCharge"),
        fact("tariff switch", _CHARGING + "tariffSwitchInterval", "s"),
        flag("release when exceeded", _CHARGING + "releaseIfdurationExceeded"),
        _own_octets,
    ),
    "ApplyChargingReport": (
        _tenths("used", _REPORT + "timeInformation.timeIfNoTariffSwitch"),
        _tenths("used", _REPORT + "timeInformation.timeIfTariffSwitch.timeSinceTariffSwitch"),
        _leg_at(_REPORT + "partyToCharge"),
        flag("call active", _REPORT + "callActive"),
        flag("call over", _REPORT + "callActive", 0),
        flag("leg active", _REPORT + "legActive"),
        flag("leg over", _REPORT + "legActive", 0),
    ),
    "ResetTimer": (fact("timer", "timerID_name"), fact("set to", "timervalue", "s")),
}
_RESULTS: dict[str, tuple[Teller, ...]] = telling_map.RESULTS | {
    "PromptAndCollectUserInformation": (
        fact("digits", "digitsResponse_digits"),
        fact("text", "iA5Response"),
    ),
}
