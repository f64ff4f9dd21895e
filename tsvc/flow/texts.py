"""Texts for a mobile: buffers of the session stand in them in braces, as in {user.balance}."""

import re
from dataclasses import dataclass

from tsvc.flow.buffers import read_buffer
from tsvc.flow.call import CallFacts
from tsvc.protocols.map import alphabet

_PLACE = re.compile(r"\{((?:user|system)\.[A-Za-z0-9_.]*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """`texts` with the buffer of a name between each two of them. Other braces are text."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """Return the template that a text is."""
        parts = _PLACE.split(text)
        return cls(tuple(parts[::2]), tuple(parts[1::2]))

    def filled(self, call: CallFacts) -> str:
        """Return the text with what the buffers hold."""
        found = [read_buffer(call, name) for name in self.names]
        return "".join(
            part for pair in zip(self.texts, [*found, ""], strict=True) for part in pair
        )


def ussd_octets(text: str) -> int:
    """Return how many octets a text takes: GSM 7-bit if it can, else UCS2."""
    if alphabet.is_in_alphabet(text):
        return len(alphabet.pack(alphabet.codes_of(text)))
    return len(text.encode("utf-16-be", "replace"))
