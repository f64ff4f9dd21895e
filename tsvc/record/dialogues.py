"""The dialogues of a capture, of all protocols that some kind can record."""

from tsvc.record.capture import Capture
from tsvc.record.packets import Remark
from tsvc.record.recorder import RECORDERS, Dialogue, Wanted


def dialogues_of(capture: Capture, side: str | None = None) -> list[Dialogue]:
    """Return the dialogues of a capture in order of time; what can't be used is among its remarks.

    `side`: who is to be the tester, as Wanted has it.
    """
    wanted = Wanted(side)
    found: list[Dialogue] = []
    known: set[str] = set()
    for recorder in RECORDERS:
        known |= recorder.protocols
        messages = [one for one in capture.messages if one.protocol in recorder.protocols]
        found += recorder.dialogues(messages, wanted, capture.tell)
    for message in capture.messages:
        if message.protocol not in known:
            text = f"nothing makes operations of {message.protocol or 'an unnamed protocol'}"
            capture.tell(Remark(message.packet, 0, text))
    capture.remarks.sort()
    return sorted(found, key=lambda dialogue: (dialogue.steps[0].time, dialogue.steps[0].packet))
