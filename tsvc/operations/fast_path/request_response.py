"""The base of paths whose operations send requests and await responses: Diameter, REST.

An instance sends its requests one after the other, each when the response to the previous request
has come. A kind adds the contents of a request, how it is sent, and which response is known.
Nothing here switches.
"""

from collections.abc import Callable
from typing import Any

from tsvc.operations.fast_path.contract import Pending, Recorded
from tsvc.operations.fast_path.frame import ReplayedInstance
from tsvc.operations.fast_path.replay import PathReplay, Replay
from tsvc.results.records import ExchangeRecord


class ExchangeReplay(PathReplay):
    """The past of requests. `past.answers`: each (when, octets), in the order of requests; the
    last request may have no answer."""

    waits_at_once = True

    def __init__(self, past: Any, whole: Replay) -> None:
        super().__init__(whole)
        self.past: Any = past

    @property
    def came(self) -> int:
        """Number of responses that came in the past."""
        return len(self.past.answers)

    def bring(self) -> None:
        """Deliver the next response that came."""
        self.whole.time.at = self.past.answers[self.fed][0]
        self.fed += 1


class ExchangeState:
    """The requests of one instance; a recording.PathState.

    sent:     an entry for each request.
    received: (when, octets) of each response.
    """

    __slots__ = ("instance", "path", "received", "replay", "sent", "taken", "values")

    def __init__(self, path: Any, instance: ReplayedInstance) -> None:
        self.path = path
        self.instance: ReplayedInstance | None = instance
        self.values = instance.values
        self.replay: Any = None  # made when it fell back; gets the messages that came since
        self.sent: list[Any] = []
        self.received: list[tuple[float, bytes]] = []
        self.taken = 0

    @property
    def pending(self) -> list[Pending] | None:
        """Functions to call once the ordinary instance is live; None: it has not fallen back."""
        return [] if self.instance is None else self.instance.pending

    def fall_back(self, then: Callable[[], object] | None = None, why: str = "") -> None:
        """Create the ordinary instance."""
        if self.instance is not None:
            self.instance.fall_back(then, why)

    def carriers_spoke(self, since: float) -> bool:
        """Return False: connections keep no messages of their own."""
        return False


def exchanged(
    instance: Recorded, protocol: str
) -> tuple[list[ExchangeRecord], list[ExchangeRecord]]:
    """Return the messages that an instance has sent, and those received, of one protocol.

    Errors: ValueError unless each request was followed by its response.
    """
    records = [
        one
        for one in instance.messages or ()
        if isinstance(one, ExchangeRecord) and one.protocol == protocol
    ]
    sent, received = records[::2], records[1::2]
    if (
        len(sent) != len(received)
        or not sent
        or not all(one.is_sent for one in sent)
        or any(one.is_sent for one in received)
    ):
        raise ValueError("several requests on their way, or none")
    return sent, received
