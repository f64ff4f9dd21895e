"""Recorded messages as JSON, for the archive, and back."""

from collections.abc import Iterable
from typing import Any

from tsvc.protocols.sccp.address import Address, decode_address, encode_address
from tsvc.results.records import ExchangeRecord, MessageRecord, Record

_MESSAGE_COLUMNS = 8  # fewer: a message of another protocol


def to_json(records: Iterable[Record]) -> list[list[Any]]:
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
        ]
        for position, record in enumerate(records)
    ]


def _exchange_row(record: ExchangeRecord, position: int, grammars: dict[str, int]) -> list[Any]:
    row: list[Any] = [
        round(record.t, 6),
        record.protocol,
        record.peer,
        record.is_sent,
        record.octets.hex(),
    ]
    if record.grammar:
        # A text, or the number of the first row that has the same.
        first = grammars.setdefault(record.grammar, position)
        row.append(record.grammar if first == position else first)
    return row


def from_json(rows: Iterable[list[Any]]) -> list[Record]:
    """Return the records that to_json() was given."""
    grammars: dict[int, str] = {}
    return [
        _message(*row) if len(row) == _MESSAGE_COLUMNS else _exchange(row, position, grammars)
        for position, row in enumerate(rows)
    ]


def _exchange(row: list[Any], position: int, grammars: dict[int, str]) -> ExchangeRecord:
    t, protocol, peer, is_sent, octets, *more = row
    grammar: str | int = more[0] if more else ""
    if isinstance(grammar, int):
        grammar = grammars[grammar]
    elif grammar:
        grammars[position] = grammar
    return ExchangeRecord(t, protocol, peer, is_sent, bytes.fromhex(octets), grammar)


def _message(
    t: float,
    dialogue: str,
    role: str,
    is_sent: bool,
    octets: str,
    called: str | None,
    calling: str | None,
    variant: str | None,
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
    )


def _address_hex(address: Address | None) -> str | None:
    return None if address is None else encode_address(address).hex()


def _address(text: str | None) -> Address | None:
    return None if text is None else decode_address(bytes.fromhex(text))
