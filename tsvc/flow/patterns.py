"""Number patterns: they select Final Destinations and numbers.

A pattern matches a whole number. The language "acs":

    pattern := item+
    item    := atom repeat*
    atom    := character | "?" | "." | class | "(" item+ ")"
    class   := "[" "^"? (character | character "-" character)+ "]"
    repeat  := "%" | "<" n ">" | "<" m ":" n ">"

A character is one of 0-9 A-F * #; letters are upper case, as numbers are written. `?` and `.`
stand for any single character; `%` repeats the item before it any number of times, or never. A
range is in the order 0-9 A-F. The language "regex" is RE2's.

Every pattern becomes one anchored RE2 program, so a match takes time linear in the number, for
any pattern. The parser is our own, so that an error can name its position.
"""

import re
from dataclasses import field
from typing import Literal, Protocol

import re2

from tsvc import turns
from tsvc.values import dataclass
from tsvc.words import quoted

PatternSyntax = Literal["acs", "regex"]

ALPHABET = "0123456789ABCDEF*#"
RANGE_ORDER = "0123456789ABCDEF"
MAX_PATTERN_LENGTH = 256
MAX_COUNT = 100  # far above the length of any number
MAX_SIZE = 1000  # characters of the pattern with every repetition written out
MAX_DEPTH = 16  # of groups

_ANY = "[" + ALPHABET + "]"
_NUMBER = re.compile(r"[0-9A-F*#]*")


class PatternError(ValueError):
    """A pattern can't be used. `column` is zero-based; the message counts from 1."""

    def __init__(self, text: str, column: int) -> None:
        super().__init__(f"column {column + 1}: {text}")
        self.text = text
        self.column = column


class _Program(Protocol):
    def fullmatch(self, text: str) -> object | None: ...


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern; equal to another of the same text and syntax."""

    text: str
    syntax: PatternSyntax
    _program: _Program = field(repr=False, compare=False)

    def matches(self, number: str) -> bool:
        """Return True if the whole number matches. A text that is no number never matches."""
        return _NUMBER.fullmatch(number) is not None and (
            self._program.fullmatch(number) is not None
        )


def compile_pattern(text: str, syntax: PatternSyntax = "acs") -> Pattern:
    """Return the compiled pattern; raises PatternError."""
    if not text:
        raise PatternError("the pattern is empty", 0)
    if len(text) > MAX_PATTERN_LENGTH:
        raise PatternError(f"longer than {MAX_PATTERN_LENGTH} characters", MAX_PATTERN_LENGTH)
    if syntax == "regex":
        return Pattern(text, syntax, _compile_regex(text))
    expression = _Parser(text).parse()
    # The parser has limited the size, so RE2 has no reason left to refuse it.
    return Pattern(text, syntax, re2.compile(expression, _options()))


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False  # RE2 would write to standard error
    return options


def _compile_regex(text: str) -> _Program:
    for column, character in enumerate(text):
        if not (character.isascii() and character.isprintable()):
            raise PatternError(f"{quoted(character)} can't be in a pattern", column)
    program, reason = _try_regex(text)
    if program is None:
        raise PatternError(reason, _column_of(reason, text))
    return program


def _try_regex(text: str) -> tuple[_Program | None, str]:
    """Return the program, or None and RE2's reason."""
    try:
        return re2.compile(text, _options()), ""
    except re2.error as error:
        return None, error.args[0].decode("utf-8", "replace")


def _column_of(reason: str, text: str) -> int:
    """Return the column of an error, which RE2 does not report."""
    kind, _, fragment = reason.partition(": ")
    if fragment and fragment != text:
        return max(text.find(fragment), 0)  # RE2 quotes the part; the first such part is a guess
    if kind.startswith("missing"):
        return len(text)
    # RE2 quotes all or nothing: the shortest beginning with the same error ends at the error.
    beginnings = (text[:length] for length in range(1, len(text)))
    wrong = (
        len(one) for one in turns.over(beginnings) if _try_regex(one)[1].partition(": ")[0] == kind
    )
    return next(wrong, len(text)) - 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """A translated part: RE2 text, and its number of characters when written out."""

    expression: str
    size: int


class _Parser:
    """Recursive descent over one acs pattern, translating as it goes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def parse(self) -> str:
        piece = self._sequence()
        if self._at < len(self._text):  # only a ")" stops a sequence early
            raise PatternError('")" without "("', self._at)
        return piece.expression

    def _peek(self) -> str:
        return self._text[self._at] if self._at < len(self._text) else ""

    def _sequence(self) -> _Piece:
        pieces = []
        while self._peek() not in ("", ")"):
            pieces.append(self._item())
        return _Piece(
            "".join(piece.expression for piece in pieces), sum(piece.size for piece in pieces)
        )

    def _item(self) -> _Piece:
        piece = self._atom()
        while self._peek() in ("%", "<"):
            column = self._at
            piece = self._repeat(piece)
            if piece.size > MAX_SIZE:
                raise PatternError("repetitions make the pattern too large", column)
        return piece

    def _atom(self) -> _Piece:
        column = self._at
        character = self._peek()
        if character == "(":
            return self._group()
        if character == "[":
            return self._class()
        self._at += 1
        if character in "?.":
            return _Piece(_ANY, 1)
        if character in ALPHABET:
            return _Piece(re.escape(character), 1)
        raise PatternError(_complaint(character), column)

    def _group(self) -> _Piece:
        opened = self._at
        self._at += 1
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PatternError(f"groups nested deeper than {MAX_DEPTH}", opened)
        inner = self._sequence()
        if self._peek() != ")":
            raise PatternError('"(" is never closed', opened)
        if not inner.expression:
            raise PatternError("the group is empty", opened)
        self._at += 1
        self._depth -= 1
        return _Piece(f"(?:{inner.expression})", inner.size)

    def _class(self) -> _Piece:
        opened = self._at
        self._at += 1
        is_negated = self._peek() == "^"
        self._at += is_negated
        members: set[str] = set()
        while self._peek() != "]":
            if self._peek() == "":
                raise PatternError('"[" is never closed', opened)
            members |= self._class_members()
        self._at += 1
        if not members:
            raise PatternError("the class is empty", opened)
        wanted = [one for one in ALPHABET if (one in members) != is_negated]
        if not wanted:
            raise PatternError("the class leaves no character to match", opened)
        return _Piece("[" + "".join(wanted) + "]", 1)

    def _class_members(self) -> set[str]:
        first = self._class_character()
        if self._peek() != "-":
            return {first}
        dash = self._at
        self._at += 1
        if self._peek() in ("", "]"):
            raise PatternError('"-" needs a character on both sides', dash)
        last = self._class_character()
        start, stop = RANGE_ORDER.find(first), RANGE_ORDER.find(last)
        if start < 0 or stop < 0:
            raise PatternError(f"{first}-{last}: a range runs within 0-9 A-F", dash - 1)
        if start > stop:
            raise PatternError(f"{first}-{last}: the range runs backwards", dash - 1)
        return set(RANGE_ORDER[start : stop + 1])

    def _class_character(self) -> str:
        character = self._peek()
        if character not in ALPHABET:
            raise PatternError(_complaint(character, inside_class=True), self._at)
        self._at += 1
        return character

    def _repeat(self, piece: _Piece) -> _Piece:
        # Wrapped, because an atom that already has a repetition can't take a second one bare.
        if self._peek() == "%":
            self._at += 1
            return _Piece(f"(?:{piece.expression})*", piece.size)
        opened = self._at
        self._at += 1
        low = high = self._count()
        if self._peek() == ":":
            self._at += 1
            high = self._count()
        if self._peek() != ">":
            raise PatternError('expected ">" to close the repetition count', self._at)
        self._at += 1
        if high == 0:
            raise PatternError("a repetition count of 0 matches nothing", opened)
        if low > high:
            raise PatternError(f"{low} is more than {high}", opened)
        return _Piece(f"(?:{piece.expression}){{{low},{high}}}", piece.size * high)

    def _count(self) -> int:
        start = self._at
        while self._peek() in tuple("0123456789"):
            self._at += 1
        digits = self._text[start : self._at]
        if not digits:
            raise PatternError("expected a repetition count", start)
        if len(digits) > 3 or int(digits) > MAX_COUNT:
            raise PatternError(f"a repetition count is at most {MAX_COUNT}", start)
        return int(digits)


def _complaint(character: str, *, inside_class: bool = False) -> str:
    """Return why a character can't be at the place where it was found."""
    if character in ("%", "<") and not inside_class:
        return f'nothing before "{character}" to repeat'
    if character.isascii() and character.upper() in ALPHABET:
        return f'"{character}": letters are upper case'
    if character in ("]", ">") and not inside_class:
        return f'"{character}" without "{"[" if character == "]" else "<"}"'
    if character in ("?", ".") and inside_class:
        return f'"{character}" stands for any character and makes no sense in a class'
    return f"{quoted(character)} can't be in a pattern; characters are 0-9 A-F * #"
