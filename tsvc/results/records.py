"""What the engine records of an instance: one value per message, octets as they were."""

from dataclasses import dataclass
from typing import NamedTuple

from tsvc.protocols.sccp.address import Address


class MessageRecord(NamedTuple):
    """One TCAP message that a dialogue of the tester sent or received.

    `t`: seconds since the instance started. `dialogue`: its name within the instance. `role`:
    what the tester plays in it, "ssp", "srf" or "hlr". `octets`: the whole TCAP message.
    `variant` is what the dialogue's arguments are coded in, if the tester chose it.
    `called` and `calling` as on the wire, so the peer's come first in what was sent.
    """

    t: float
    dialogue: str
    role: str
    is_sent: bool
    octets: bytes
    called: Address | None = None
    calling: Address | None = None
    variant: str | None = None


@dataclass(frozen=True, slots=True)
class ExchangeRecord:
    """One message to or from a peer that does not speak TCAP.

    `t`: seconds since the instance started. `protocol`: the name of a file in results/exchanges.
    `peer`: name of the gateway. `octets`: the message as before encryption, secrets masked; of a
    database, JSON. `grammar`: what a gateway's configuration adds to the protocol, as the file
    in results/exchanges reads it; "" if nothing.
    """

    t: float
    protocol: str
    peer: str
    is_sent: bool
    octets: bytes
    grammar: str = ""


Record = MessageRecord | ExchangeRecord
