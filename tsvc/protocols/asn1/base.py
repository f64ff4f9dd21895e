"""The base of all ASN.1 types of the tables: it converts octets to entries of a dict, and back."""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.values import dataclass
from tsvc.words import quoted

Tree = dict[str, Any]


@dataclass(slots=True)
class Note:
    """One deviation in received octets: path, offset into the message, and text.

    `is_tolerable`: a receiver has to accept it, because a later version of the protocol may have
    it: an unknown member, or an unknown value of an enumeration. Any other deviation makes a
    message malformed.
    """

    path: str
    offset: int
    text: str
    is_tolerable: bool = False

    def __str__(self) -> str:
        return f"{self.path or 'argument'} at octet {self.offset}: {self.text}"


Notes = list[Note]


def malformations(notes: Notes) -> list[str]:
    """Return the deviations that make a message malformed, as "PATH: text"."""
    return [
        f"{note.path}: {note.text}" if note.path else note.text
        for note in notes
        if not note.is_tolerable
    ]


def prefix_notes(notes: Notes, since: int, name: str) -> None:
    """Put the parent's name before the paths of the notes from index `since`, its child's."""
    for note in notes[since:]:
        note.path = f"{name}.{note.path}" if note.path else name


class Type:
    """A type: converts contents octets to entries of a dict, and back."""

    tag: int | None = None  # identifier octets of the untagged type; None for CHOICE
    is_constructed = False
    suffixes: tuple[str, ...] = ("",)
    is_raw_any = False  # `_hex` may hold what the type does not allow: it is for wrong values

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        """Put the value between start and stop into `out` under `name` and its suffixes."""
        raise NotImplementedError

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        """Return the contents octets of the value that `args` gives for `name`."""
        raise NotImplementedError

    def for_variant(self, variant: str) -> "Type":
        """Return the form of the type in one protocol variant."""
        return self

    def keys(self, name: str) -> list[str]:
        """Return every key under which a value of this name may be given."""
        return [name + suffix for suffix in self.suffixes]

    def describe(self) -> dict[str, Any]:
        """Return a JSON description for the catalogue of operation types."""
        return {"type": type(self).__name__.lower()}


def given_octets(args: Mapping[str, Any], name: str) -> bytes | None:
    """Return the octets given as `name` (one character each) or `name_hex`, None if neither is."""
    raw = args.get(name)
    if isinstance(raw, str):
        try:
            return raw.encode("latin-1")
        except UnicodeEncodeError:
            raise LocalProtocolError("has a character above octet 255", path=name) from None
    text = args.get(name + "_hex")
    if text is None:
        return None
    return hex_octets(text, name + "_hex")


def hex_octets(text: object, name: str) -> bytes:
    """Return the octets of hex digits (blanks allowed). Errors: LocalProtocolError with `name`."""
    if not isinstance(text, str):
        raise LocalProtocolError("must be a string of hex digits", path=name)
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise LocalProtocolError(f"{quoted(text)} is not octets in hex", path=name) from None


def number_of(value: object, name: str) -> int:
    """Return an int given as int or decimal string. Errors: LocalProtocolError with `name`."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        try:
            return int(value, 10)
        except ValueError:
            pass
    raise LocalProtocolError(f"{quoted(value)} is not an integer", path=name)
