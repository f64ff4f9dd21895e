"""What the engine records of an instance: one value per message, octets as they were.

A message of TCAP that a link carried is followed by what the link sent or received for it: one
ExchangeRecord for each message of M3UA or SUA. The archive keeps them as JSON: messages_to_json()
and back.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from tsvc import turns
from tsvc.protocols.sccp.address import Address, decode_address, encode_address


class MessageRecord(NamedTuple):
    """One TCAP message that a dialogue of the tester sent or received.

    `t`: seconds since the instance started. `dialogue`: its name within the instance. `role`:
    what the tester plays in it, "ssp", "srf" or "hlr". `octets`: the whole TCAP message.
    `variant` is what the dialogue's arguments are coded in, if the tester chose it.
    `called` and `calling` as on the wire, so the peer's come first in what was sent. `is_bare`:
    there is no link; else records of their own show what carried it.
    """

    t: float
    dialogue: str
    role: str
    is_sent: bool
    octets: bytes
    called: Address | None = None
    calling: Address | None = None
    variant: str | None = None
    is_bare: bool = True

    @property
    def protocol(self) -> str:
        """What it speaks, as `protocol` of an ExchangeRecord."""
        return "tcap"


class Ends(NamedTuple):
    """The two ends of a connection, ours first: IP addresses as text, and ports.

    `transport`: "tcp" or "sctp"; "tls" where the octets recorded are those before encryption, "db"
    where they are an account of what a database's driver said and heard.
    """

    transport: str
    host: str
    port: int
    peer_host: str
    peer_port: int


class Tap(Protocol):
    """Is told of messages as they are sent and received, secrets masked."""

    def __call__(self, is_sent: bool, octets: bytes, ends: Ends | None = None) -> None: ...


class ExchangeRecord(NamedTuple):
    """One message to or from a peer that does not speak TCAP, or one of a SIGTRAN link.

    `t`: seconds since the instance started. `protocol`: what it speaks, as results.exchanges has
    it. `peer`: name of the gateway, or of the link's connection. `octets`: the message as before
    encryption, secrets masked; of a database, JSON. `grammar`: what a gateway's configuration
    adds to the protocol, as its decoder reads it; "" if nothing. `ends`: of the connection that
    carried it; None: not known.
    """

    t: float
    protocol: str
    peer: str
    is_sent: bool
    octets: bytes
    grammar: str = ""
    ends: Ends | None = None

    def since(self, started_at: float) -> "ExchangeRecord":
        """Return it with `t` from that moment on: links record by the clock."""
        return ExchangeRecord(self.t - started_at, *self[1:])


Record = MessageRecord | ExchangeRecord


_MESSAGE_COLUMNS = 8  # at least; fewer: a message of another protocol


def messages_to_json(records: Iterable[Record]) -> list[list[Any]]:
    """Return one list per record; octets and addresses in hex."""
    grammars: dict[str, int] = {}
    return [
        _exchange_row(record, position, grammars)
        if isinstance(record, ExchangeRecord)
        else [
            round(record.t, 6),
            record.dialogue,
            record.role,
            record.is_sent,
            record.octets.hex(),
            _address_hex(record.called),
            _address_hex(record.calling),
            record.variant,
            record.is_bare,
        ]
        for position, record in enumerate(turns.over(records))
    ]


def _exchange_row(record: ExchangeRecord, position: int, grammars: dict[str, int]) -> list[Any]:
    row: list[Any] = [
        round(record.t, 6),
        record.protocol,
        record.peer,
        record.is_sent,
        record.octets.hex(),
    ]
    if record.grammar or record.ends:
        # A text, or the number of the first row that has the same.
        first = grammars.setdefault(record.grammar, position)
        row.append(record.grammar if first == position or not record.grammar else first)
    if record.ends:
        row.append(list(record.ends))
    return row


def messages_from_json(rows: Iterable[list[Any]]) -> list[Record]:
    """Return the records that to_json() was given."""
    grammars: dict[int, str] = {}
    return [
        _message(*row) if len(row) >= _MESSAGE_COLUMNS else _exchange(row, position, grammars)
        for position, row in enumerate(turns.over(rows))
    ]


def _exchange(row: list[Any], position: int, grammars: dict[int, str]) -> ExchangeRecord:
    t, protocol, peer, is_sent, octets, *more = row
    grammar: str | int = more[0] if more else ""
    if isinstance(grammar, int):
        grammar = grammars[grammar]
    elif grammar:
        grammars[position] = grammar
    ends = Ends(*more[1]) if len(more) > 1 else None
    return ExchangeRecord(t, protocol, peer, is_sent, bytes.fromhex(octets), grammar, ends)


def _message(
    t: float,
    dialogue: str,
    role: str,
    is_sent: bool,
    octets: str,
    called: str | None,
    calling: str | None,
    variant: str | None,
    is_bare: bool = True,
) -> MessageRecord:
    return MessageRecord(
        t,
        dialogue,
        role,
        is_sent,
        bytes.fromhex(octets),
        _address(called),
        _address(calling),
        variant,
        is_bare,
    )


def _address_hex(address: Address | None) -> str | None:
    return None if address is None else encode_address(address).hex()


def _address(text: str | None) -> Address | None:
    return None if text is None else decode_address(bytes.fromhex(text))
