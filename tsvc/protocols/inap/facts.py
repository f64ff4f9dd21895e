"""Facts (tsvc.protocols.facts) that several INAP and CAP operations declare."""

from typing import Any

from tsvc.protocols.asn1 import Tree
from tsvc.protocols.facts import Fact, at

# Cause values of Q.850 with which calls usually end.
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


def cause(path: str) -> Fact:
    """Return the fact of a cause, by number and name."""

    def texts(tree: Tree) -> list[str]:
        value = at(tree, path)
        if value is None:
            return []
        name = _CAUSES.get(value) if isinstance(value, int) else None
        return [f"cause {value} ({name})" if name else f"cause {value}"]

    return texts


def tenths(label: str, path: str) -> Fact:
    """Return the fact of a time in steps of 100 ms, in seconds."""

    def texts(tree: Tree) -> list[str]:
        value = at(tree, path)
        return [f"{label} {value / 10:g} s"] if isinstance(value, int) else []

    return texts


def leg_at(path: str) -> Fact:
    """Return the fact of the leg at a path."""

    def texts(tree: Tree) -> list[str]:
        leg = leg_text(at(tree, path))
        return [leg] if leg else []

    return texts


def leg_text(tree: Any) -> str:
    """Return the text of a decoded LegID, empty without one."""
    octets = at(tree, "sendingSideID_hex") or at(tree, "receivingSideID_hex")
    return f"leg {int(octets, 16)}" if octets else ""


def announcement(tree: Tree) -> list[str]:
    """Return the message or tone that is played."""
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


def repetitions(tree: Tree) -> list[str]:
    """Return how often a message is played, if not once."""
    times = at(tree, "informationToSend.inbandInfo.numberOfRepetitions")
    return [] if times in (None, 1) else [f"{times} times"]
