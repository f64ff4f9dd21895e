"""A dialogue of an instance on the fast path, as it stands among the dialogues of an endpoint.

It has a transaction id as a dialogue has, and is given octets, not what they mean. Whoever finds
it where a dialogue is needed has it fall back: the dialogue is then made, and what was to be done
to it is done afterwards.
"""

from collections.abc import Callable
from typing import Any

from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.frame import Frame
from tsvc.protocols.tcap.states import DialogueState


class ReplayedDialogue:
    """The base class; see kinds/sigtran/fast_path/."""

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
        self,
        octets: bytes,
        called: Address,
        calling: Address,
        route: object,
        now: float,
        frame: Frame | None = None,
    ) -> None:
        """Take a message that names its id; `frame` if that is read already. Never switches."""
        raise NotImplementedError

    def fall_back(self, then: Callable[[], object] | None = None) -> None:
        """Have the dialogue made; call `then` when it is there. Never switches."""
        raise NotImplementedError
