"""What a flow may know of the call it runs for."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call: who calls whom, its buffers, and the two things a pure engine can't have itself.

    service_key:    of the trigger; None if the network gave none.
    called_number:  digits 0-9 A-F, "" if unknown; calling_number likewise.
    random:         draws a number in 0 <= n < 1.
    wall:           seconds since the epoch.
    buffers:        named texts that operations read and write: `user.*`, `system.*`.
    """

    service_key: int | None
    called_number: str
    calling_number: str
    random: Callable[[], float]
    wall: Callable[[], float]
    buffers: dict[str, str] = field(default_factory=dict)
