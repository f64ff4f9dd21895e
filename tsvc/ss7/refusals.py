"""Dialogues and messages that the other side would not have, as status and the log tell them.

An application context that it does not know, a subsystem or point code that SCCP returns: each
instance is told by its own checks, and here it is one line for whoever looks after the tester.
"""

from tsvc.clock import Clock
from tsvc.log import QuietLog, get_logger
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap.dialogue_portion import DialoguePdu

_SHOWN_S = 60.0  # how long the last one is told


class Refusals:
    """Of one gateway: how many there were, and what the last one said."""

    def __init__(self, clock: Clock) -> None:
        self.count = 0
        self._clock = clock
        self._log = QuietLog(get_logger("tcap"), clock)
        self._last, self._until = "", 0.0

    @property
    def text(self) -> str:
        """What the other side said last, on one line; empty if it is a minute ago."""
        return self._last if self._clock.now() < self._until else ""

    def see(self, pdu: DialoguePdu) -> None:
        """Look at the dialogue portion of a message that came. Never raises, never switches."""
        if isinstance(pdu, portion.Aare) and pdu.result != portion.RESULT_ACCEPTED:
            self._tell(f"the peer refused the dialogue: {portion.text_of(pdu)}")

    def returned(self, text: str) -> None:
        """The network gave a message of a dialogue back, for this reason."""
        self._tell(text)

    def _tell(self, text: str) -> None:
        self.count += 1
        self._last, self._until = text, self._clock.now() + _SHOWN_S
        self._log.warning("dialogue refused", text=text)
