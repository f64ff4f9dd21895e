"""What stands among the dialogues of an endpoint for one that goes the usual way.

It has a transaction id as a dialogue has, and is given octets, not what they mean. Whoever finds
it where a dialogue is needed asks it to leave: the dialogue is then made, and what was to be done
to it is done afterwards.
"""

from collections.abc import Callable
from typing import Any

from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.states import DialogueState


class Passage:
    """The base of those; see kinds/sigtran/track/."""

    __slots__ = ("otid", "route")

    user: Any = None  # as a dialogue without one: who looks for a user finds none
    remote_tid: bytes | None = None

    def __init__(self) -> None:
        self.otid = b""
        self.route: object = None

    @property
    def state(self) -> DialogueState:
        """As a dialogue's."""
        raise NotImplementedError

    @property
    def remote_address(self) -> Any:
        """As a dialogue's."""
        raise NotImplementedError

    def on_message(
        self, octets: bytes, called: Address, calling: Address, route: object, now: float
    ) -> None:
        """Take a message that names its id. Never raises, never switches."""
        raise NotImplementedError

    def leave(self, then: Callable[[], object] | None = None) -> None:
        """Have the dialogue made; call `then` when it is there. Never switches."""
        raise NotImplementedError


def named_id(octets: bytes) -> bytes | None:
    """Return the destination id of a CONTINUE or END of the usual form, None of anything else."""
    try:
        kind, length = octets[0], octets[1]
        at = 2 if length < 0x80 else length - 0x7E  # 81: one octet more, 82: two
        if kind == 0x65:
            at += 2 + octets[at + 1]
        elif kind != 0x64:
            return None
        return octets[at + 2 : at + 2 + octets[at + 1]] if octets[at] == 0x49 else None
    except IndexError:
        return None
