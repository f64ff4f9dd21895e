"""What a flow asks of the telephone network: the values that nodes yield and a run returns.

An action says what shall happen to the call, never how: connecting and disconnecting a resource,
arming events and choosing messages is the service control point's knowledge.
"""

from dataclasses import dataclass
from typing import Literal

from tsvc.flow.announcements import Announcement

ControlKey = Literal["default", "none"]  # the site's key, or no such key
END_OF_FLOW_CAUSE = 31  # a caller who is still there when a flow ends is released with this


@dataclass(frozen=True, slots=True)
class Play:
    """Play an announcement to its end. Answered by Played."""

    announcement: Announcement


@dataclass(frozen=True, slots=True)
class Collect:
    """Play a prompt and collect digits. Answered by Digits or NoDigits.

    first_digit_timeout_s: how long to wait for the first digit; None = the site's time.
    """

    announcement: Announcement
    min_digits: int
    max_digits: int
    end_character: ControlKey = "default"
    cancel_character: ControlKey = "default"
    first_digit_timeout_s: int | None = None


@dataclass(frozen=True, slots=True)
class Terminate:
    """Connect the caller to a destination.

    ring_seconds:       how long to ring; None = system default.
    wants_failures:     True: answered by Answered, Busy, NoAnswer or RouteSelectFailure.
                        False: the last thing the flow does, nothing is armed; see FlowRun.
    monitor_disconnect: watch for the end of the conversation too, and end the call on it.
    """

    destination: str
    ring_seconds: int | None = None
    wants_failures: bool = True
    monitor_disconnect: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for a while, caller waiting. Answered by PauseOver."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Release:
    """Release the caller: the flow is over. `cause` None = the site's release cause (31)."""

    cause: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The flow is over and the call needs nothing more from it."""


Action = Play | Collect | Terminate | Pause | Release | Finished
