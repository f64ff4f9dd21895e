"""Messages with slots: octets that differ from one instance to the next.

A message is octets with *slots* and *length fields*. A slot holds octets of an instance, of any
length. A length field depends on how many octets a span of the message has, including the slots in
the span: the length of a BER element, of an AVP, of an SMPP PDU, or the padding of an AVP. An
adapter determines the positions of slots and fields; this module fills them. Pure.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

_MOST_FORMS = 1024  # combinations of lengths that one template keeps


class Slot(NamedTuple):
    """Octets from `start` to `stop` that an instance fills.

    which: index among the values of the instance; below 0: among the values that a gateway adds,
           such as identifiers: -1 is the first of them.
    """

    start: int
    stop: int
    which: int


class LengthField(NamedTuple):
    """Octets from `start` to `stop` that depend on the length of the span from `first` to `last`.

    encode: returns the octets of the field for a length of the span.
    Fields are computed in the order of their spans, inner spans first. If two fields have the same
    span, the second does not count for the first: the length of an AVP excludes its padding.
    """

    start: int
    stop: int
    first: int
    last: int
    encode: Callable[[int], bytes]


class _Form(NamedTuple):
    """A template for slots of certain lengths: pieces, and which of them are filled.

    shared: (index of the piece, index of the value, its length).
    added:  the same for values that a gateway adds.
    """

    pieces: list[bytes]
    shared: list[tuple[int, int, int]]
    added: list[tuple[int, int, int]]


class Template:
    """One message, to be filled with the values of an instance."""

    __slots__ = ("_fields", "_form", "_forms", "_octets", "_slots")

    def __init__(
        self, octets: bytes, slots: Sequence[Slot], fields: Sequence[LengthField] = ()
    ) -> None:
        """Errors: ValueError if slots or fields overlap, or a field has an unusual encoding."""
        self._octets = octets
        self._slots = sorted(slots)
        # Inner spans come first: the length of an outer one depends on the size of inner fields.
        self._fields = sorted(fields, key=lambda field: field.last - field.first)
        for field in self._fields:
            if field.encode(field.last - field.first) != octets[field.start : field.stop]:
                raise ValueError("a length that is not encoded as usual")
        spans = [(slot.start, slot.stop) for slot in self._slots]
        spans = sorted(spans + [(field.start, field.stop) for field in self._fields])
        if any(stop > start for (_, stop), (start, _) in pairwise(spans)):
            raise ValueError("slots that overlap")
        self._forms: dict[tuple[int, ...], _Form] = {}
        # The form that was used last: most messages of a load have the same lengths.
        self._form = self._made(tuple(slot.stop - slot.start for slot in self._slots))

    def fill(self, values: Sequence[bytes], added: Sequence[bytes] = ()) -> bytes:
        """Return the message of an instance; `added`: the values that its gateway adds."""
        if not self._slots:
            return self._octets
        form = self._form
        pieces = form.pieces.copy()
        for at, which, length in form.shared:
            pieces[at] = value = values[which]
            if len(value) != length:
                break
        else:
            for at, which, length in form.added:
                pieces[at] = value = added[which]
                if len(value) != length:
                    break
            else:
                return b"".join(pieces)
        lengths = tuple(
            [len(values[at] if at >= 0 else added[-1 - at]) for _, _, at in self._slots]
        )
        form = self._forms.get(lengths) or self._made(lengths)
        self._form = form
        pieces = form.pieces.copy()
        for at, which, _ in form.shared:
            pieces[at] = values[which]
        for at, which, _ in form.added:
            pieces[at] = added[which]
        return b"".join(pieces)

    def _made(self, lengths: tuple[int, ...]) -> _Form:
        """Return the template for slots of these lengths."""
        # (start, stop, True for a field, octets of the field, index of the slot's value)
        parts: list[tuple[int, int, bool, bytes, int]] = [
            (slot.start, slot.stop, False, bytes(length), slot.which)
            for slot, length in zip(self._slots, lengths, strict=True)
        ]
        for field in self._fields:
            growth = sum(
                len(octets) - (stop - start)
                for start, stop, is_field, octets, _ in parts
                if field.first <= start
                and stop <= field.last
                # An empty field at the start of the span, such as a padding, is before the span.
                and not (is_field and stop == field.first)
            )
            octets = field.encode(field.last - field.first + growth)
            parts.append((field.start, field.stop, True, octets, 0))
        form = _Form([], [], [])
        constant, behind = b"", 0
        for start, stop, is_field, octets, which in sorted(parts, key=lambda part: part[:3]):
            constant += self._octets[behind:start]
            behind = stop
            if is_field:
                constant += octets
                continue
            form.pieces.extend((constant, b""))
            constant = b""
            kind, number = (form.shared, which) if which >= 0 else (form.added, -1 - which)
            kind.append((len(form.pieces) - 1, number, len(octets)))
        form.pieces.append(constant + self._octets[behind:])
        if len(self._forms) < _MOST_FORMS:
            self._forms[lengths] = form
        return form
