"""Registrations of one SMPP gateway: which instance receives the messages for an address."""

from collections import deque
from collections.abc import Callable, MutableMapping
from typing import Protocol

from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.commands import Tlv
from tsvc.protocols.smpp.pdus import Pdu, Value
from tsvc.results.records import Ends
from tsvc.transport.mailbox import Mailbox
from tsvc.values import dataclass

# (command_status, parameters, TLVs) -> octets of the response; empty if the ESME is gone.
Respond = Callable[[int, dict[str, Value], tuple[Tlv, ...]], bytes]


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message of an ESME that waits for its response."""

    pdu: Pdu
    octets: bytes
    system_id: str
    respond: Respond
    ends: Ends | None = None
    notes: tuple[str, ...] = ()  # what is malformed in it


@dataclass(frozen=True, slots=True)
class Lost:
    """No ESME is left that could send a message."""

    reason: str


MOST_ASKED = 64  # requests, the newest, of which a second answer is recognised


class Owner(Protocol):
    """Receives the messages for some addresses, and the PDUs that nobody expects. No method
    switches."""

    def put(self, message: Inbound) -> None:
        """Add a message."""

    def hear(self, pdu: Pdu) -> None:
        """Receive a second answer, or a message whose sequence number was in use."""

    def lose(self, reason: str) -> None:
        """End a wait: no message can come any more."""


class Taker(Owner, Protocol):
    """An owner that may accept octets before they are decoded."""

    def take(self, link: object, octets: bytes) -> bool:
        """Accept a message from an ESME if it is expected. Return True if it was accepted."""


class Inbox:
    """Holds the messages for the addresses of one instance until an operation takes them.

    `unexpected`: second answers to its requests, and messages whose sequence number was in use.
    """

    def __init__(self) -> None:
        self._mailbox: Mailbox[Inbound | Lost] = Mailbox()
        self.addresses: set[str] = set()
        self.unexpected: list[Pdu] = []
        self._asked: deque[tuple[MutableMapping[int, Owner], int]] = deque()
        self._is_waiting = False

    def get(self, seconds: float) -> Inbound | Lost | None:
        """Return the next message, None if none comes in time. Blocks: up to `seconds`."""
        self._is_waiting = True
        try:
            return self._get(seconds)
        finally:
            self._is_waiting = False

    def _get(self, seconds: float) -> Inbound | Lost | None:
        return self._mailbox.get(seconds)

    def put(self, message: Inbound) -> None:
        """Add a message; never switches."""
        self._mailbox.put(message)

    def hear(self, pdu: Pdu) -> None:
        """Store a PDU that nobody expects."""
        self.unexpected.append(pdu)

    def note_asked(self, asked: MutableMapping[int, Owner], number: int) -> None:
        """Watch for a second answer to a request; `asked`: owners of its connection, by number."""
        asked[number] = self
        self._asked.append((asked, number))
        if len(self._asked) > MOST_ASKED:
            self._forget_asked()

    @property
    def has_asked(self) -> bool:
        """True if a second answer may come."""
        return bool(self._asked)

    def _forget_asked(self) -> None:
        asked, number = self._asked.popleft()
        if asked.get(number) is self:
            del asked[number]

    def close(self) -> None:
        """Stop watching for second answers."""
        while self._asked:
            self._forget_asked()

    def lose(self, reason: str) -> None:
        """End a wait. An instance that does not wait now is not notified."""
        if self._is_waiting:
            self._mailbox.put(Lost(reason))

    def take_all(self) -> list[Inbound]:
        """Take the messages that have come, without waiting."""
        return [one for one in self._mailbox.take_all() if isinstance(one, Inbound)]


class Registrations:
    """The owner of each destination address.

    `takers`: owners that may accept octets before they are decoded, by the octets of the address.
    """

    def __init__(self) -> None:
        self._owners: dict[str, Owner] = {}
        self.takers: dict[bytes, Taker] = {}

    def __len__(self) -> int:
        return len(self._owners)

    def add(self, address: str, inbox: Inbox) -> None:
        """Register an inbox for an address; a second call changes nothing.

        Errors: LocalProtocolError if another owner has the address.
        """
        self._add(address, inbox)
        inbox.addresses.add(address)

    def _add(self, address: str, owner: Owner) -> None:
        if self._owners.setdefault(address, owner) is not owner:
            raise LocalProtocolError(f"{address} is registered already by another instance")

    def add_taker(self, address: bytes, taker: Taker) -> None:
        """Register a taker for an address. Errors: LocalProtocolError as for add()."""
        self._add(address.decode("latin-1"), taker)
        self.takers[address] = taker

    def remove_taker(self, address: bytes, taker: Taker) -> None:
        """Remove an address, unless another taker has it by now."""
        if self.takers.get(address) is taker:
            del self.takers[address]
            del self._owners[address.decode("latin-1")]

    def hand_over(self, address: str, taker: Taker, inbox: Inbox) -> None:
        """Replace a taker by an inbox as the owner of an address."""
        if self._owners.get(address) is taker:
            self.remove_taker(address.encode("latin-1"), taker)
            self.add(address, inbox)

    def remove(self, inbox: Inbox) -> None:
        """Remove all addresses of an inbox."""
        for address in inbox.addresses:
            self._owners.pop(address, None)
        inbox.addresses.clear()

    def find(self, address: str) -> Owner | None:
        """Return the owner of an address."""
        return self._owners.get(address)

    def lose(self, reason: str) -> None:
        """End the wait of every owner that waits now: no message can come."""
        for owner in set(self._owners.values()):
            owner.lose(reason)
