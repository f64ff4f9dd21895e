"""A lane: a frame template with the octets that a link puts around one kind of message.

All messages to a destination may use one connection with one association, in UDTs. Then messages
of one length differ only in the TCAP message and the SLS. A lane is valid while all links receive
only user data, none comes up or goes down, and the state of destinations does not change.
`epoch` of the network counts these events.
"""

from typing import TYPE_CHECKING

from tsvc.protocols.tcap.dialogue import Trail

if TYPE_CHECKING:
    from tsvc.ss7.links import Link, Owner


class Lane:
    """A template for TCAP messages of `octets` octets, valid for one epoch of the network."""

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
        """`frame`: a frame that carries the message, with any SLS."""
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
        """True if the ordinary way of sending would produce the same frame now."""
        return bool(self.epoch == self._network.epoch and self.link.machine.is_active)

    def send(self, octets: bytes, last: int, trail: Trail | None) -> None:
        """Queue a message for link.push(); `last`: the last octet of the transaction id."""
        sls = last & self._mask
        head = self._heads.get(sls)
        if head is None:
            at, before = self._sls_at, self._before
            head = self._heads[sls] = before[:at] + bytes((sls,)) + before[at + 1 :]
        self.link.machine.queue(head + octets + self._after, trail)
        self._network.count("sent")
