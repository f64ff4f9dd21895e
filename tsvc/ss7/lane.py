"""A lane: the octets that a link puts around one kind of message, found once.

Where all messages to a destination go by one connection of one association, in UDTs, everything
around the TCAP message is the same for messages of one length but for the SLS. A lane is good as
long as nothing but user data has come on any link of the network, none came up or went, and what
is known of destinations stays: `epoch` of the network counts these.
"""

from typing import TYPE_CHECKING

from tsvc.protocols.tcap.dialogue import Trail

if TYPE_CHECKING:
    from tsvc.ss7.links import Link, Owner


class Lane:
    """For TCAP messages of `octets` octets, as long as the network's epoch is this one."""

    __slots__ = (
        "_after",
        "_before",
        "_heads",
        "_mask",
        "_network",
        "_sls_at",
        "epoch",
        "link",
        "octets",
    )

    def __init__(
        self, network: "Owner", link: "Link", frame: bytes, message: bytes, sls_at: int
    ) -> None:
        """`frame`: what carries a message; its SLS may be any."""
        at = frame.index(message)
        self.epoch = network.epoch
        self.link = link
        self.octets = len(message)
        self._network = network
        self._before, self._after = frame[:at], frame[at + len(message) :]
        self._sls_at = sls_at
        self._mask = network.sls_mask
        self._heads: dict[int, bytes] = {}

    @property
    def is_good(self) -> bool:
        """True if a message that is sent the ordinary way would go the same way now."""
        return bool(self.epoch == self._network.epoch and self.link.machine.is_active)

    def send(self, octets: bytes, last: int, trail: Trail | None) -> None:
        """Queue a message, for link.push(); `last`: octet of the transaction id."""
        sls = last & self._mask
        head = self._heads.get(sls)
        if head is None:
            at, before = self._sls_at, self._before
            head = self._heads[sls] = before[:at] + bytes((sls,)) + before[at + 1 :]
        self.link.machine.queue(head + octets + self._after, trail)
        self._network.count("sent")
