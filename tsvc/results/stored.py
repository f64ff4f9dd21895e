"""Recorded messages as JSON, for the archive, and back."""

from collections.abc import Iterable
from typing import Any

from tsvc.protocols.sccp.address import Address, decode_address, encode_address
from tsvc.results.records import ExchangeRecord, MessageRecord, Record

_EXCHANGE_COLUMNS = 5  # t, protocol, peer, is_sent, octets


def to_json(records: Iterable[Record]) -> list[list[Any]]:
    """Return one list per record; octets and addresses in hex."""
    return [
        [round(record.t, 6), record.protocol, record.peer, record.is_sent, record.octets.hex()]
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
        for record in records
    ]


def from_json(rows: Iterable[list[Any]]) -> list[Record]:
    """Return the records that to_json() was given."""
    return [_exchange(*row) if len(row) == _EXCHANGE_COLUMNS else _message(*row) for row in rows]


def _exchange(t: float, protocol: str, peer: str, is_sent: bool, octets: str) -> ExchangeRecord:
    return ExchangeRecord(t, protocol, peer, is_sent, bytes.fromhex(octets))


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
