"""What the service control point tells a waiting run: the answers to actions.

A caller who hangs up and a resource that fails are not events: no node may go on after them, so
the service control point calls `FlowRun.stop` instead.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Played:
    """The announcement was played to its end."""


@dataclass(frozen=True, slots=True)
class Digits:
    """What the caller entered, without start and end digits.

    `text` may still be too short or too long, or hold a digit that is not decimal (A-F, *, #).
    """

    text: str


@dataclass(frozen=True, slots=True)
class NoDigits:
    """Nothing usable was entered: timer, or ImproperCallerResponse; `reason` is for the trace."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """The destination answered."""


@dataclass(frozen=True, slots=True)
class Busy:
    """The destination is busy; `cause` as reported, None if it was not."""

    cause: int | None = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The destination rang until the timer was over."""


@dataclass(frozen=True, slots=True)
class RouteSelectFailure:
    """There was no way to the destination; `cause` as reported, None if it was not."""

    cause: int | None = None


@dataclass(frozen=True, slots=True)
class PauseOver:
    """The time of a Pause has passed."""


Event = Played | Digits | NoDigits | Answered | Busy | NoAnswer | RouteSelectFailure | PauseOver
