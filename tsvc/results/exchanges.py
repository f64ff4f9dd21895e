"""Presentation of messages: each protocol defines it, in the part `messages` of its kind.

For a protocol of requests and answers this is a function from octets to an Exchange, marked
@exchange. A protocol whose messages depend on each other gives its own Presentation. The content
of a message never raises an error: octets that can't be read are shown as octets.
decode_messages() and arrows_of() do this for recorded messages.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tsvc import turns
from tsvc.errors import RemoteProtocolError
from tsvc.kind import parts
from tsvc.registry import Registry
from tsvc.results.arrow import Arrow, exchange_arrow
from tsvc.results.json_values import json_value
from tsvc.results.records import ExchangeRecord, Record
from tsvc.values import dataclass

Decoded = dict[str, Any]

_A_MESSAGE = 16  # items as turns counts them: to decode or draw a message takes some 50 µs

# Path of a value in a decoded message, the index of its first octet, the number of its octets.
Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Presentation:
    """The functions that present the messages of a protocol.

    `reader` returns a function that decodes the records of one instance, in their order. It makes
    a dict that JSON can carry, with `protocol`, `t` and `hex`, or None if another record says the
    same. The argument of `reader` is True if `spans` are needed. `arrow` draws such a dict.
    """

    reader: Callable[[bool], Callable[[Any], Decoded | None]]
    arrow: Callable[[Decoded], Arrow] = exchange_arrow


@dataclass(frozen=True, slots=True)
class Exchange:
    """The decoded content of a message.

    `title`: the text on its arrow, such as "CCR-Initial". `facts`: the few most important values.
    `content`: everything, as JSON can carry it. `spans`: returns the positions of the values'
    octets, by paths in `content`.
    """

    title: str
    facts: tuple[str, ...] = ()
    content: Any = None
    is_failure: bool = False
    spans: Callable[[], Iterable[Span]] = tuple


# (octets of a message, True if it was sent) -> its content, None if another record says the same.
# Never raises, whatever the octets. The third argument is the record's grammar, if it has one.
Decoder = Callable[..., Exchange | None]

PRESENTATIONS: Registry[Presentation] = Registry("protocol", near=parts("messages"))


def present(protocol: str, presentation: Presentation) -> None:
    """Register the presentation of a protocol's messages."""
    PRESENTATIONS.register(protocol, presentation)


def exchange(protocol: str) -> Callable[[Decoder], Decoder]:
    """Register the decoder of a protocol's messages."""

    def register(decoder: Decoder) -> Decoder:
        present(protocol, exchange_presentation(decoder))
        return decoder

    return register


def exchange_presentation(
    decoder: Decoder, arrow: Callable[[Decoded], Arrow] = exchange_arrow
) -> Presentation:
    """Return the presentation of messages that do not depend on each other."""
    return Presentation(
        lambda spans: lambda record: _decoded(record, decoder, with_spans=spans), arrow
    )


def presentation_of(protocol: str) -> Presentation:
    """Return the presentation of a protocol's messages; for an unknown protocol, as octets."""
    # The archive may have messages of a kind that no longer exists.
    return PRESENTATIONS.get(protocol) or _UNKNOWN


def _decoded(record: ExchangeRecord, decoder: Decoder, *, with_spans: bool) -> Decoded | None:
    grammar = (record.grammar,) if record.grammar else ()
    shows = decoder(record.octets, record.is_sent, *grammar)
    if shows is None:
        return None
    turns.hold(shows.content)  # json_value() makes a copy; the original may take long to free
    ends: Decoded = {} if record.ends is None else {"ends": record.ends._asdict()}
    if with_spans:
        places = ((f"content.{path}", start, length) for path, start, length in shows.spans())
        ends["spans"] = spans_json(places)
    return {
        "protocol": record.protocol,
        "t": round(record.t, 6),
        "peer": record.peer,
        "direction": "sent" if record.is_sent else "received",
        "title": shows.title,
        "facts": list(shows.facts),
        "content": json_value(shows.content),
        "is_failure": shows.is_failure,
        **ends,
        "hex": record.octets.hex(),
    }


def spans_json(spans: Iterable[Span]) -> list[dict[str, Any]]:
    """Return spans as JSON, up to the first value that can't be read."""
    found = []
    try:
        for path, start, length in spans:
            found.append({"path": path, "start": start, "length": length})
    except RemoteProtocolError:
        pass
    return found


_UNKNOWN = exchange_presentation(lambda *_: Exchange("message"))


def decode_messages(records: Iterable[Record], *, with_spans: bool = False) -> list[Decoded]:
    """Return a dict for each message to be shown, in the order recorded.

    Shape:   protocol, and what its presentation gives; of an exchange t (seconds), peer,
             direction, title, facts, content, is_failure, hex, ends if they are known, and
             spans if requested: the position of each value in hex.
    Errors:  none, whatever the octets.
    """
    shown = read_messages(records, with_spans=with_spans)
    return [message for message in shown if message is not None]


def read_messages(
    records: Iterable[Record], *, with_spans: bool = False
) -> Iterator[Decoded | None]:
    """Yield the decoded message of each record; None if another record says the same."""
    readers: dict[str, Callable[[Any], Decoded | None]] = {}
    for record in records:
        turns.walked(_A_MESSAGE)
        reader = readers.get(record.protocol)
        if reader is None:
            reader = readers[record.protocol] = presentation_of(record.protocol).reader(with_spans)
        yield reader(record)


def arrows_of(decoded: Iterable[Decoded]) -> list[Arrow]:
    """Return the arrows of decoded messages, in their order."""
    return [arrow_of(message) for message in decoded]


def arrow_of(message: Decoded) -> Arrow:
    """Return the arrow of a decoded message."""
    turns.walked(_A_MESSAGE)
    return presentation_of(message["protocol"]).arrow(message)
