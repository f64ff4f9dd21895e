"""The GSM 7-bit default alphabet with its extension table, and how its characters are packed.

Source: TS 23.038 (default alphabet, extension table, 7-bit packing)
"""

from tsvc.words import quoted

# Code -> character. ESC (0x1B) leads to the extension table.
_DEFAULT = (
    "@£$¥èéùìòÇ\nØø\rÅå"
    "Δ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ"
    " !\"#¤%&'()*+,-./"
    "0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNO"
    "PQRSTUVWXYZÄÖÑÜ§"
    "¿abcdefghijklmno"
    "pqrstuvwxyzäöñüà"
)
_MOST_CHARACTERS = 0xFFFF
_ESCAPE = 0x1B
_CR = 0x0D
_EXTENSION = {
    0x0A: "\f",
    0x14: "^",
    0x28: "{",
    0x29: "}",
    0x2F: "\\",
    0x3C: "[",
    0x3D: "~",
    0x3E: "]",
    0x40: "|",
    0x65: "€",
}
_CODES = {character: (code,) for code, character in enumerate(_DEFAULT) if code != _ESCAPE} | {
    character: (_ESCAPE, code) for code, character in _EXTENSION.items()
}


def codes_of(text: str) -> list[int]:
    """Return the 7-bit codes of a text.

    Errors: ValueError, with a character that has no code, or with the length of a text that is
    longer than any message.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"a text of {len(text)} characters, at most {_MOST_CHARACTERS}")
    found: list[int] = []
    for character in text:
        codes = _CODES.get(character)
        if codes is None:
            raise ValueError(f"{quoted(character)} is not in the GSM default alphabet")
        found += codes
    return found


def text_of(codes: list[int]) -> str:
    """Return the text of 7-bit codes; an escape without a valid code reads as a blank, as the
    standard requires of a receiver without such a table."""
    characters: list[str] = []
    is_escaped = False
    for code in codes:
        if is_escaped:
            characters.append(_EXTENSION.get(code, _DEFAULT[code] if code != _ESCAPE else " "))
            is_escaped = False
        elif code == _ESCAPE:
            is_escaped = True
        else:
            characters.append(_DEFAULT[code])
    return "".join(characters) + (" " if is_escaped else "")


def pack(codes: list[int]) -> bytes:
    """Return codes packed into octets, the first code in the lowest bits.

    If seven bits are left, they are filled with CR; otherwise a receiver would read a last `@`. A
    CR that ends on an octet boundary is doubled; otherwise it would be taken for that filler.
    """
    if len(codes) % 8 == 7 or (codes and len(codes) % 8 == 0 and codes[-1] == _CR):
        codes = [*codes, _CR]
    bits = 0
    for place, code in enumerate(codes):
        bits |= code << 7 * place
    return bits.to_bytes((len(codes) * 7 + 7) // 8, "little")


def unpack(octets: bytes) -> list[int]:
    """Return the codes packed in octets, without a CR that is only a filler."""
    bits = int.from_bytes(octets, "little")
    codes = [bits >> 7 * place & 0x7F for place in range(len(octets) * 8 // 7)]
    if codes and len(codes) % 8 == 0 and codes[-1] == _CR:
        codes.pop()
    return codes


def is_in_alphabet(text: str) -> bool:
    """Return True if the alphabet has every character of a text."""
    return all(character in _CODES for character in text)
