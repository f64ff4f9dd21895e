"""Presentation of SMPP PDUs: what an SMSC (the tester) and an ESME send to each other."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tsvc.protocols.smpp.commands import TLV_TYPES, status_name
from tsvc.protocols.smpp.pdus import Pdu, Refused, decode, places
from tsvc.protocols.smpp.tree import Tree, tree_of
from tsvc.results.arrow import Arrow, exchange_arrow
from tsvc.results.exchanges import Exchange, Span, exchange_presentation, present

_LONGEST_TEXT = 40
_TOLD = ("message_id", "receipted_message_id", "message_state")


def decode_pdu(octets: bytes, is_sent: bool) -> Exchange:
    """Return the contents of a PDU; a PDU that can't be read is marked as unreadable."""
    try:
        pdu = decode(octets)
    except Refused as refused:
        return Exchange("unreadable PDU", (str(refused),), {"hex": octets.hex()}, True)
    tree = tree_of(pdu)
    return Exchange(
        pdu.name,
        tuple(_facts(pdu, tree["parameters"])),
        tree,
        bool(pdu.command_status),
        lambda: _spans(octets),
    )


def _spans(octets: bytes) -> Iterator[Span]:
    yield "command", 4, 4
    yield "command_status", 8, 4
    yield "sequence_number", 12, 4
    for name, start, length in places(octets):
        if isinstance(name, int):
            type_ = TLV_TYPES.get(name)
            yield f"parameters.{f'tlv_{name:04x}' if type_ is None else type_.name}", start, length
        elif name == "short_message":
            # Its length stands before it.
            yield "parameters.sm_length", start, 1
            yield "parameters.short_message", start + 1, length - 1
        else:
            yield f"parameters.{name}", start, length


def _facts(pdu: Pdu, parameters: Tree) -> list[str]:
    facts: list[str] = []
    if pdu.name.endswith("_resp") or pdu.command_status:
        facts.append(status_name(pdu.command_status))
    source, destination = parameters.get("source_addr"), parameters.get("destination_addr")
    if destination:
        facts.append(f"{source} to {destination}" if source else f"to {destination}")
    text = parameters.get("short_message_text")
    if text:
        cut = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
        facts.append(f'"{cut}"')
    elif parameters.get("short_message_hex"):
        facts.append(f"{len(parameters['short_message_hex']) // 2} octets")
    facts += [f"{name} {parameters[name]}" for name in _TOLD if parameters.get(name)]
    return facts


def _arrow(message: dict[str, Any]) -> Arrow:
    """Return the arrow of a PDU: `peer` is the system_id of the ESME."""
    peer = f"ESME {message['peer']}".strip()
    return replace(exchange_arrow(message), dialogue=peer, role="SMSC", peer=peer)


present("smpp", exchange_presentation(decode_pdu, _arrow))
