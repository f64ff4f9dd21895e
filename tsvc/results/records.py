"""The engine's records of an instance: one per message, with the octets as they were.

A TCAP message that a link carried is followed by ExchangeRecords: one for each message of M3UA or
SUA that the link sent or received for it. The archive keeps records as JSON: see
messages_to_json() and messages_from_json().
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from tsvc import turns
from tsvc.protocols.sccp.address import Address, decode_address, encode_address


class MessageRecord(NamedTuple):
    """One TCAP message that a dialogue of the tester sent or received.

    `t`: seconds since the instance started. `dialogue`: its name within the instance. `role`: of
    the tester in it, "ssp", "srf" or "hlr". `octets`: the whole TCAP message. `variant`: the
    encoding of the dialogue's arguments, if the tester chose it. `called`, `calling`: as on the
    wire, so in a sent message `called` is the peer's. `is_bare`: there is no link; otherwise
    separate records show the messages that carried it.
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
        """The protocol, as in an ExchangeRecord."""
        return "tcap"


class Ends(NamedTuple):
    """The two ends of a connection, ours first: IP addresses as text, and ports.

    `transport`: "tcp" or "sctp"; "tls" if the recorded octets are those before encryption, "db"
    if they are an account of what a database driver sent and received.
    """

    transport: str
    host: str
    port: int
    peer_host: str
    peer_port: int


class Tap(Protocol):
    """Gets messages as they are sent and received, with secrets masked."""

    def __call__(self, is_sent: bool, octets: bytes, ends: Ends | None = None) -> None: ...


class ExchangeRecord(NamedTuple):
    """One message to or from a peer that does not speak TCAP, or one of a SIGTRAN link.

    `t`: seconds since the instance started. `protocol`: its name in results.exchanges. `peer`: the
    name of the gateway, or of the link's connection. `octets`: the message before encryption, with
    secrets masked; for a database, JSON. `grammar`: the additions of a gateway's configuration to
    the protocol, in the form that its decoder reads; "" if there are none. `ends`: of the
    connection that carried it; None: not known.
    """

    t: float
    protocol: str
    peer: str
    is_sent: bool
    octets: bytes
    grammar: str = ""
    ends: Ends | None = None

    def since(self, started_at: float) -> "ExchangeRecord":
        """Return a copy with `t` relative to `started_at`, because links record clock times."""
        return ExchangeRecord(self.t - started_at, *self[1:])


Record = MessageRecord | ExchangeRecord


_MESSAGE_COLUMNS = 8  # of a TCAP message at least; fewer: a message of another protocol


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
        # The grammar as text, or the number of the first row with the same grammar.
        first = grammars.setdefault(record.grammar, position)
        row.append(record.grammar if first == position or not record.grammar else first)
    if record.ends:
        row.append(list(record.ends))
    return row


def messages_from_json(rows: Iterable[list[Any]]) -> list[Record]:
    """Return the records that messages_to_json() was given."""
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
