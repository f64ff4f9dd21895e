"""Dialogues and messages that the other side would not have, as status and the log tell them.

An application context that it does not know, a subsystem or point code that SCCP returns: each
instance is told by its own checks, and here it is one line for whoever looks after the tester.
"""

from tsvc.clock import Clock
from tsvc.log import QuietLog, get_logger
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap.dialogue import Indication, Kind

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

    def see(self, indication: Indication) -> None:
        """Look at what happened to a dialogue. Never raises, never switches."""
        text = _text(indication)
        if not text:
            return
        self.count += 1
        self._last, self._until = text, self._clock.now() + _SHOWN_S
        self._log.warning("dialogue refused", text=text)


def _text(indication: Indication) -> str:
    if indication.kind is Kind.NOTICE:
        return indication.text
    pdu = indication.pdu
    if isinstance(pdu, portion.Aare) and pdu.result != portion.RESULT_ACCEPTED:
        return f"the peer refused the dialogue: {portion.text_of(pdu)}"
    return ""
