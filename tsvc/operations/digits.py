"""Where the digits of a number stand in an argument, found by trying.

An argument that has one expression, the digits of a number, is encoded for some numbers. If each
digit is a nibble of its own, whatever the others are, an argument for another number is made by
writing its nibbles; it is tried with each digit at each place before that is believed.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

Encode = Callable[[str], bytes | None]


class Digits(NamedTuple):
    """Octets of an argument that are made of digits: from `first` on, so many."""

    first: int
    octets: int
    width: int  # digits
    pick: Callable[[str], tuple[str, ...]]  # nibbles, of the digits and what stands between them
    others: str  # nibbles that are no digits
    is_text: bool = False  # the octets are the digits, as ASCII

    def of(self, digits: str) -> bytes:
        """Return the octets. Errors: ValueError for a text of other length, or no digits."""
        if len(digits) != self.width or not digits.isdecimal():
            raise ValueError("other digits")
        if self.is_text:
            return digits.encode("ascii")
        return bytes.fromhex("".join(self.pick(digits + self.others)))


def find(encode: Encode, width: int) -> Digits | None:
    """Return where digits stand, None where that can't be told. Errors: those of encode."""
    zeros = encode("0" * width)
    if not zeros or width < 2:
        return None
    shown = zeros.hex()
    places: dict[int, int] = {}  # nibble: which digit
    for at in range(width):
        one = (encode("0" * at + "1" + "0" * (width - at - 1)) or b"").hex()
        changed = [n for n, (old, new) in enumerate(zip(shown, one, strict=False)) if old != new]
        if len(one) != len(shown) or len(changed) != 1 or one[changed[0]] != "1":
            return None
        places[changed[0]] = at
    first, last = min(places) // 2, max(places) // 2
    nibbles = range(2 * first, 2 * last + 2)
    others = [nibble for nibble in nibbles if nibble not in places]
    order = [places.get(n, width + others.index(n) if n in others else 0) for n in nibbles]
    between = "".join(shown[nibble] for nibble in others)
    found = Digits(first, last - first + 1, width, itemgetter(*order), between)
    after = first + found.octets
    for turn in range(10):
        digits = "".join(str((at + turn) % 10) for at in range(width))
        if encode(digits) != zeros[:first] + found.of(digits) + zeros[after:]:
            return None
    one = "".join(str(at % 10) for at in range(width))
    return found._replace(is_text=found.of(one) == one.encode())
