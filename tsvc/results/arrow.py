"""The arrows of a ladder: one Arrow per message, made by the protocol's own function."""

from typing import Any

from tsvc.results.text import message_text
from tsvc.values import dataclass

# Lifelines of the tester's roles, left to right; their peers stand on the right.
LIFELINES = ("TSVC", "SSP", "SRF", "HLR")
TESTER = LIFELINES[0]  # for protocols in which the tester has no network role
PEER = "SCP"


@dataclass(frozen=True, slots=True)
class Detail:
    """One line below an arrow: a name, then facts; a long line is broken between facts."""

    name: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrow:
    """One message between two lifelines. `message`: the decoded message."""

    t: float
    dialogue: str
    role: str  # lifeline of the tester
    peer: str
    is_sent: bool
    label: str
    details: tuple[Detail, ...]
    message: dict[str, Any]
    is_failure: bool = False

    @property
    def source(self) -> str:
        """The lifeline where the arrow starts."""
        return self.role if self.is_sent else self.peer

    @property
    def target(self) -> str:
        """The lifeline where the arrow ends."""
        return self.peer if self.is_sent else self.role

    @property
    def title(self) -> str:
        """The whole decoded message as text, made on each access."""
        return message_text(self.message, with_octets=False)


def exchange_arrow(message: dict[str, Any]) -> Arrow:
    """Return the arrow of a message to or from a gateway's peer: title, facts."""
    peer = message["peer"]
    if peer in LIFELINES:
        peer += "'"  # a gateway may have any name
    return Arrow(
        message["t"],
        peer,
        TESTER,
        peer,
        message["direction"] == "sent",
        message["title"],
        (Detail("", tuple(message["facts"])),) if message["facts"] else (),
        message,
        message["is_failure"],
    )


def arrow_json(arrow: Arrow) -> dict[str, Any]:
    """Return an arrow as JSON for programs that draw ladders.

    Shape: from, to, label, details (name and facts of each), is_failure.
    """
    return {
        "from": arrow.source,
        "to": arrow.target,
        "label": arrow.label,
        "details": [{"name": one.name, "facts": list(one.facts)} for one in arrow.details],
        "is_failure": arrow.is_failure,
    }
