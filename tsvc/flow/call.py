"""The actions and events that a flow and the network exchange about one call.

A flow has a call, yields actions, and gets events as answers. No protocol is known here.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Literal

from tsvc.flow.announcements import Announcement
from tsvc.values import dataclass

# Actions of the telephone network: the values that nodes yield and a run returns.
#
# An action defines what shall happen to the call, never how: the service control point knows how
# to connect and disconnect a resource, arm events and choose messages.


ControlKey = Literal["default", "none"]  # the site's key, or no such key
END_OF_FLOW_CAUSE = 31  # releases a caller who is still there when a flow ends


@dataclass(frozen=True, slots=True)
class Play:
    """Play an announcement to its end. Answered by Played."""

    announcement: Announcement


@dataclass(frozen=True, slots=True)
class Collect:
    """Play a prompt and collect digits. Answered by EnteredDigits or NoDigits.

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
                        False: the last action of the flow, nothing is armed; see FlowRun.
    monitor_disconnect: also watch for the end of the conversation, and end the call on it.
    """

    destination: str
    ring_seconds: int | None = None
    wants_failures: bool = True
    monitor_disconnect: bool = False


@dataclass(frozen=True, slots=True)
class Charge:
    """Allow the parties to talk for some time; connect them first if they are not talking yet.

    Answered by Used, Ended or ChargingFailed; by Busy, NoAnswer or RouteSelectFailure if the
    destination was not reached.

    seconds:       how long they may talk before the network has to report.
    leg:           who is charged: 1 the calling party, 2 the called party.
    releases:      the network releases the call by itself when the time is over.
    warns:         a tone is played before the time is over.
    inap_octets:   characteristics for networks of INAP, in hex; "" = those of CAP v2.
    destination:   where to connect to; None = where the caller wanted to go.
    ring_seconds:  how long to ring; None = system default.
    """

    seconds: int
    leg: int = 1
    releases: bool = False
    warns: bool = False
    inap_octets: str = ""
    destination: str | None = None
    ring_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Furnish:
    """Put octets (hex) into the charging record of a leg. Answered by Furnished, at once.

    is_appended: after the data that is there already, if the network can do that.
    """

    data_hex: str
    leg: int = 1
    is_appended: bool = False


@dataclass(frozen=True, slots=True)
class AskUssd:
    """Show a text on a mobile and wait for an entry. Answered by UssdInput or UssdFailed."""

    text: str


@dataclass(frozen=True, slots=True)
class SayUssd:
    """Show a text on a mobile and go on. Answered by UssdShown or UssdFailed."""

    text: str


@dataclass(frozen=True, slots=True)
class EndUssd:
    """Answer the request that began the session: the flow is over. `text` None = show nothing."""

    text: str | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for some time, while the caller waits. Answered by PauseOver."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Release:
    """Release the caller: the flow is over. `cause` None = the site's release cause (31)."""

    cause: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The flow is over and the call needs nothing more from it."""


Action = (
    Play
    | Collect
    | Terminate
    | Charge
    | Furnish
    | AskUssd
    | SayUssd
    | EndUssd
    | Pause
    | Release
    | Finished
)


# Events: the answers of the service control point to the actions of a waiting run.
#
# A caller who hangs up and a resource that fails are no events: no node may go on after them, so
# the service control point calls `FlowRun.stop` instead.


@dataclass(frozen=True, slots=True)
class Played:
    """The announcement was played to its end."""


@dataclass(frozen=True, slots=True)
class EnteredDigits:
    """The digits that the caller entered, without start and end digits.

    `text` may still be too short or too long, or contain a digit that is not decimal (A-F, *, #).
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
    """The destination rang until the timer expired."""


@dataclass(frozen=True, slots=True)
class RouteSelectFailure:
    """There was no route to the destination; `cause` as reported, None if it was not."""

    cause: int | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """The time of a Charge is used up, and the parties still talk.

    `seconds` since the answer as the network reports it, None if it does not. The same in Ended.
    """

    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The parties don't talk any more: one has left, or the network has released them."""

    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class ChargingFailed:
    """The network does not charge the call, or has not reported in time."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Furnished:
    """The data of a Furnish are on their way."""


@dataclass(frozen=True, slots=True)
class UssdInput:
    """The entry of a mobile's user; "" for nothing, or for an entry without a text form."""

    text: str


@dataclass(frozen=True, slots=True)
class UssdShown:
    """The mobile has shown the text."""


@dataclass(frozen=True, slots=True)
class UssdFailed:
    """The mobile could not show the text, or did not answer; `reason` is for the trace."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class PauseOver:
    """The time of a Pause has passed."""


Failure = Busy | NoAnswer | RouteSelectFailure
Event = (
    Played
    | EnteredDigits
    | NoDigits
    | Answered
    | Failure
    | Used
    | Ended
    | ChargingFailed
    | Furnished
    | UssdInput
    | UssdShown
    | UssdFailed
    | PauseOver
)


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call: its numbers, its buffers, and the randomness and time that a pure engine needs.

    service_key:    of the trigger; None if the network gave none.
    called_number:  digits 0-9 A-F, "" if unknown; calling_number likewise.
    random:         draws a number in 0 <= n < 1.
    wall:           seconds since the epoch.
    buffers:        named texts that operations read and write: `user.*`, `system.*`.
    ussd_string:    the text with which a mobile began a USSD session; "" of a call.
    """

    service_key: int | None
    called_number: str
    calling_number: str
    random: Callable[[], float]
    wall: Callable[[], float]
    buffers: dict[str, str] = field(default_factory=dict)
    ussd_string: str = ""
