"""Buffers: short texts that one call stores under dotted names.

`user.*` belongs to the flow, which reads and writes it. `system.*` has data of the network; a
flow only reads it. A buffer that was never written contains "". Texts for a mobile may contain
buffers of the session in braces, as in {user.balance}.
"""

import re
from collections.abc import Callable, Mapping

from tsvc.flow.call import CallFacts
from tsvc.protocols.map import alphabet
from tsvc.values import dataclass
from tsvc.words import described, did_you_mean

MAX_NAME_LENGTH = 64
MAX_TEXT_LENGTH = 64  # of a text in a flow document; numbers are far shorter

_NAME = re.compile(r"(user|system)(\.[A-Za-z0-9_]+)+")
_PLACE = re.compile(r"\{((?:user|system)\.[A-Za-z0-9_.]*)\}")


def _service_key(call: CallFacts) -> str:
    return "" if call.service_key is None else str(call.service_key)


SYSTEM_BUFFERS: Mapping[str, tuple[str, Callable[[CallFacts], str]]] = {
    "system.dialled_number": ("the number that was called", lambda call: call.called_number),
    "system.network_calling_party": ("the number of the caller", lambda call: call.calling_number),
    "system.service_key": ("the service key of the trigger", _service_key),
    "system.ussd_string": ("what began the USSD session", lambda call: call.ussd_string),
}


def read_buffer(call: CallFacts, name: str) -> str:
    """Return the text in a buffer, "" if it is empty."""
    text = call.buffers.get(name)
    if text is not None:
        return text
    system = SYSTEM_BUFFERS.get(name)
    return system[1](call) if system else ""


def buffer_complaint(name: str, *, is_written: bool) -> str:
    """Return why a flow can't use a buffer with that name (to write or to read); "" if it can."""
    if len(name) > MAX_NAME_LENGTH:
        return f"a buffer name has at most {MAX_NAME_LENGTH} characters"
    if not _NAME.fullmatch(name):
        return f'must be a buffer name such as "user.input", not {described(name)}'
    if name.startswith("user."):
        return ""
    if is_written:
        return f'"{name}" can only be read; buffers to write are "user.…"'
    if name not in SYSTEM_BUFFERS:
        return f'no buffer is named "{name}"' + did_you_mean(name, sorted(SYSTEM_BUFFERS))
    return ""


@dataclass(frozen=True, slots=True)
class Template:
    """`texts`, with the buffer of a name between each two of them. Other braces are text."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """Return the template of a text."""
        parts = _PLACE.split(text)
        return cls(tuple(parts[::2]), tuple(parts[1::2]))

    def filled(self, call: CallFacts) -> str:
        """Return the text with the contents of the buffers."""
        found = [read_buffer(call, name) for name in self.names]
        return "".join(
            part for pair in zip(self.texts, [*found, ""], strict=True) for part in pair
        )


def ussd_octets(text: str) -> int:
    """Return how many octets a text takes: GSM 7-bit if possible, otherwise UCS2."""
    if alphabet.is_in_alphabet(text):
        return len(alphabet.pack(alphabet.codes_of(text)))
    return len(text.encode("utf-16-be", "replace"))
