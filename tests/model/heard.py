"""The messages that an SSP receives from the SCP, in readable form: their parts, and all facts."""

from dataclasses import dataclass
from typing import Any

NOTIFY, INTERRUPTED, TRANSPARENT = 1, 0, 2


@dataclass(frozen=True, slots=True)
class Part:
    """An operation, or another part of a message, with every fact that it must contain."""

    name: str
    facts: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        """Return it on one line, each member by the end of its path."""
        said = (f"{'.'.join(path.split('.')[-2:])}={value}" for path, value in self.facts)
        return " ".join([self.name, *said])


@dataclass(frozen=True, slots=True)
class Heard:
    """One message of the SCP."""

    at: float
    type: str
    parts: tuple[Part, ...] = ()

    def __str__(self) -> str:
        return f"{self.at:9.3f} <- {self.type}" + "".join(f"\n{'':16}{p}" for p in self.parts)


@dataclass(frozen=True, slots=True)
class Bcsm:
    """The events of one half of a call."""

    answer: int
    busy: int
    no_answer: int
    route_select_failure: int | None
    abandon: int

    @property
    def exit_events(self) -> tuple[int, ...]:
        """Events that lead to the Busy/NoAnswer exit."""
        found = (self.busy, self.no_answer, self.route_select_failure)
        return tuple(event for event in found if event is not None)


ORIGINATING = Bcsm(answer=7, busy=5, no_answer=6, route_select_failure=4, abandon=10)
TERMINATING = Bcsm(answer=15, busy=13, no_answer=14, route_select_failure=None, abandon=18)


def armed(events: list[tuple[int, int, int, int | None]]) -> Part:
    """Return a RequestReportBCSMEvent of (event, leg, monitor mode, application timer)."""
    facts: list[tuple[str, Any]] = []
    for at, (event, leg, mode, timer) in enumerate(events):
        where = f"bcsmEvents.{at}."
        facts += [(where + "eventTypeBCSM", event), (where + "monitorMode", mode)]
        facts.append((where + "legID.sendingSideID", f"{leg:02x}"))
        if timer is not None:
            facts.append((where + "dpSpecificCriteria.applicationTimer", timer))
    return Part("RequestReportBCSMEvent", tuple(sorted(facts)))


DISCONNECT = Part("DisconnectForwardConnection")
UNKNOWN_RESULT = Part("Reject return result problem unrecognizedInvokeID")
UNKNOWN_ERROR = Part("Reject return error problem unrecognizedInvokeID")
UNKNOWN_OPERATION = Part("Reject invoke problem unrecognizedOperation")
USER_ABORT = Part("Abrt(source=0, user_information=b'')")
