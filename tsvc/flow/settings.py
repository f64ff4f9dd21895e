"""What a site decides about flows: the part of `[scp]` that compiling a flow needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

NoMatch = Literal["exit", "reprompt"]


@dataclass(frozen=True, slots=True)
class FlowSettings:
    """Defaults and limits of a site.

    announcements:         message ids by set and entry, for what a flow's own table lacks.
    default_message_id:    played, with a warning, for an announcement found in neither.
    no_answer_seconds:     ring time where an operation gives none, in seconds.
    no_answer_max_seconds: longest ring time; a flow that asks for more gets this, with a warning.
    no_match:              what ExtensionDialing does about a Final Destination that no pattern
                           allows: take the exit at once, or prompt again.
    """

    announcements: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    default_message_id: int = 1
    no_answer_seconds: int = 15
    no_answer_max_seconds: int = 300
    no_match: NoMatch = "exit"
