"""The possible actions of a caller, and of his SSP and SRF, in a call. A script is a list of them.

`at` is in seconds since the call began. Printed scripts are Python: pasted, they run again.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Digits:
    """The SRF returns digits (text of 0-9 a-f, b = * and c = #) for the last prompt."""

    at: float
    keyed: str
    is_ia5: bool = False
    times: int = 1


@dataclass(frozen=True, slots=True)
class PromptError:
    """The SRF answers the last prompt with an error, or rejects it (code None)."""

    at: float
    code: int | None


@dataclass(frozen=True, slots=True)
class ConnectError:
    """The SSP answers ConnectToResource with an error, and the prompt too, given `prompt_code`."""

    at: float
    code: int
    prompt_code: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """EventReportBCSM. `leg` None: left out. `ends`: it is sent in the SSP's own TC-END."""

    at: float
    event: int
    leg: int | None = None
    is_request: bool = False
    times: int = 1
    ends: bool = False


@dataclass(frozen=True, slots=True)
class LastWords:
    """The SRF's last answer and the report that the caller left, in this order in one message."""

    at: float
    answer: Digits | PromptError
    event: int


@dataclass(frozen=True, slots=True)
class HangUp:
    """The SSP ends the dialogue: `end`, `abort` (by its user) or `p-abort`."""

    at: float
    how: str


@dataclass(frozen=True, slots=True)
class StrayResult:
    """A result for an unused invoke id."""

    at: float


@dataclass(frozen=True, slots=True)
class StrayOperation:
    """The SSP invokes an operation that is wrong here, or that does not exist."""

    at: float
    code: int


@dataclass(frozen=True, slots=True)
class Empty:
    """A TC-CONTINUE without components."""

    at: float


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing is sent from `at` until `until`; a deaf SSP stops answering ActivityTests, too."""

    at: float
    until: float
    is_deaf: bool = False


Doing = (
    Digits
    | PromptError
    | ConnectError
    | Report
    | LastWords
    | HangUp
    | StrayResult
    | StrayOperation
    | Empty
    | Silence
)
