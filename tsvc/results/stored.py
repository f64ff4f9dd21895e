"""Recorded messages as JSON, for the archive, and back."""

from collections.abc import Iterable
from typing import Any

from tsvc.protocols.sccp.address import Address, decode_address, encode_address
from tsvc.results.records import MessageRecord


def to_json(records: Iterable[MessageRecord]) -> list[list[Any]]:
    """Return one list per record; octets and addresses in hex."""
    return [
        [
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


def from_json(rows: Iterable[list[Any]]) -> list[MessageRecord]:
    """Return the records that to_json() was given."""
    return [
        MessageRecord(
            t,
            dialogue,
            role,
            is_sent,
            bytes.fromhex(octets),
            _address(called),
            _address(calling),
            variant,
        )
        for t, dialogue, role, is_sent, octets, called, calling, variant in rows
    ]


def _address_hex(address: Address | None) -> str | None:
    return None if address is None else encode_address(address).hex()


def _address(text: str | None) -> Address | None:
    return None if text is None else decode_address(bytes.fromhex(text))
