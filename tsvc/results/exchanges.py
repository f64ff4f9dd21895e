"""Messages of the protocols beside TCAP, decoded for people: the part `messages` of each kind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tsvc.kind import parts
from tsvc.registry import Registry
from tsvc.results.json_values import json_value
from tsvc.results.records import ExchangeRecord


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a message says.

    `title`: what stands on its arrow, such as "CCR-Initial". `facts`: the few things that tell
    what happened. `content`: everything, as JSON can carry it.
    """

    title: str
    facts: tuple[str, ...] = ()
    content: Any = None
    is_failure: bool = False


# (octets of a message, was it sent) -> what it says; never raises, whatever the octets. Where a
# record has a grammar, that is the third argument.
Decoder = Callable[..., Exchange]

EXCHANGES: Registry[Decoder] = Registry("protocol", parts("messages"))


def exchange(protocol: str) -> Callable[[Decoder], Decoder]:
    """Register the decoder of a protocol's messages."""

    def register(decoder: Decoder) -> Decoder:
        return EXCHANGES.register(protocol, decoder)

    return register


def decode_exchange(record: ExchangeRecord) -> dict[str, Any]:
    """Return the dict of a recorded message.

    Shape:   protocol, t (seconds), peer, direction, title, facts, content, is_failure, hex.
    """
    decoder = EXCHANGES.get(record.protocol)
    grammar = (record.grammar,) if record.grammar else ()
    shows = Exchange("message")
    if decoder is not None:
        shows = decoder(record.octets, record.is_sent, *grammar)
    return {
        "protocol": record.protocol,
        "t": round(record.t, 6),
        "peer": record.peer,
        "direction": "sent" if record.is_sent else "received",
        "title": shows.title,
        "facts": list(shows.facts),
        "content": json_value(shows.content),
        "is_failure": shows.is_failure,
        "hex": record.octets.hex(),
    }
