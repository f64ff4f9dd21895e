"""A dialogue of an instance on the fast path, as an entry among the dialogues of an endpoint.

It has a transaction id like a Dialogue, but it gets octets instead of decoded messages. Code that
finds it where a Dialogue is needed calls fall_back(): then the Dialogue is made, and the intended
action follows.
"""

from collections.abc import Callable
from typing import Any

from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.frame import Frame
from tsvc.protocols.tcap.states import DialogueState


class ReplayedDialogue:
    """The base class; see kinds/sigtran/fast_path/."""

    __slots__ = ("otid", "route")

    user: Any = None  # as in a Dialogue without a user
    remote_tid: bytes | None = None

    def __init__(self) -> None:
        self.otid = b""
        self.route: object = None

    @property
    def state(self) -> DialogueState:
        """The state, as in a Dialogue."""
        raise NotImplementedError

    @property
    def remote_address(self) -> Any:
        """The address of the peer, as in a Dialogue."""
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
        """Process a message for its id; `frame`: its ids, if already read. Never switches."""
        raise NotImplementedError

    def fall_back(self, then: Callable[[], object] | None = None) -> None:
        """Request the ordinary Dialogue; `then` is called when it exists. Never switches."""
        raise NotImplementedError
