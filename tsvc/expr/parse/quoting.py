"""Quoted texts of the language: "..." with variables, patterns, tr lists, qw words."""

import re

from tsvc import turns
from tsvc.errors import ExpressionSyntaxError
from tsvc.expr.parse.descent import Parser
from tsvc.expr.parse.lexer import Scanner
from tsvc.expr.regex import PATTERN_FLAGS, PatternError, compile_pattern, escape, translate
from tsvc.expr.syntax import Constant, Join, Node, Pattern

_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\x1b", "f": "\f"}
_TR_MAX = 70_000  # characters in the ranges of all lists of an expression


def literal_text(scanner: Scanner, bounds: tuple[int, int], delimiter: str) -> str:
    """Return the text of '...': a backslash escapes only itself and the delimiter."""
    inside = scanner.source[bounds[0] : bounds[1]]
    if "\\" not in inside:
        return inside
    hidden = {"\\", delimiter, {"(": ")", "[": "]", "{": "}", "<": ">"}.get(delimiter, delimiter)}

    def shown(found: re.Match[str]) -> str:
        turns.walked()
        return found[1]

    return re.sub(rf"\\([{re.escape(''.join(hidden))}])", shown, inside)


def interpolated(parser: Parser, bounds: tuple[int, int]) -> Node:
    """Return the node of "...": texts and the variables between them."""
    reader = parser.inside(*bounds)
    parts: list[Node] = []
    text: list[str] = []
    while reader.scanner.position < reader.scanner.end:
        turns.walked()
        text.append(reader.scanner.until("\\$"))
        sign = reader.scanner.ahead()
        if sign == "\\":
            text.append(escape_sequence(reader.scanner))
            continue
        node = reader.interpolated_variable(in_pattern=False) if sign == "$" else None
        if node is None:
            text.append(sign)
            reader.scanner.position += 1
            continue
        if any(text):
            parts.append(Constant("".join(text)))
        text = []
        parts.append(node)
    if any(text) or not parts:
        parts.append(Constant("".join(text)))
    if len(parts) == 1 and isinstance(parts[0], Constant):
        return parts[0]
    return Join(tuple(parts))


def escape_sequence(scanner: Scanner) -> str:
    """Step over a backslash escape of "..." and return its character."""
    start = scanner.position
    letter = scanner.ahead(1)
    scanner.position += 2
    if letter in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[letter]
    if letter == "x":
        return _hex_escape(scanner, start)
    if letter in "01234567" and letter:
        digits = letter
        while len(digits) < 3 and scanner.ahead() in tuple("01234567"):
            digits += scanner.ahead()
            scanner.position += 1
        return chr(int(digits, 8))
    if letter.isalnum():
        advice = {"U": "uc()", "L": "lc()", "u": "ucfirst()", "l": "lcfirst()"}.get(letter)
        more = f": use {advice}" if advice else ""
        raise scanner.error(f"the escape \\{letter} is not supported{more}", start)
    return letter


def _hex_escape(scanner: Scanner, start: int) -> str:
    if scanner.ahead() == "{":
        bounds = scanner.delimited("the escape \\x{")
        digits = scanner.source[bounds[0] : bounds[1]].strip()
    else:
        digits = ""
        while len(digits) < 2 and scanner.ahead() and scanner.ahead() in "0123456789abcdefABCDEF":
            digits += scanner.ahead()
            scanner.position += 1
    try:
        number = int(digits or "0", 16)
    except ValueError:
        raise scanner.error("\\x{...} takes hex digits", start) from None
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        raise scanner.error("\\x{...} names no character", start)
    return chr(number)


def flags(scanner: Scanner, allowed: str, what: str) -> str:
    """Step over the flags right after a pattern."""
    start = scanner.position
    found = scanner.word()
    for offset, flag in enumerate(found):
        if flag not in allowed:
            raise scanner.error(f"the flag '{flag}' of {what} is not supported", start + offset)
    return found


class _PatternReader:
    """Collects the parts of one pattern: RE2 text, and values in between."""

    def __init__(self, parser: Parser, bounds: tuple[int, int], flag_text: str) -> None:
        self.reader = parser.inside(*bounds)
        self.flags = flag_text
        self.parts: list[Node] = []
        self.quoted: list[bool] = []
        self.columns: list[int] = []  # of each sign of the pattern text, to place an error
        self.text: list[str] = []

    def read(self) -> Pattern:
        """Read the whole pattern."""
        scanner = self.reader.scanner
        run_start, is_quoted = scanner.position, False
        while scanner.position < scanner.end:
            turns.walked()
            scanner.until("\\$")
            if scanner.starts("\\Q") or scanner.starts("\\E"):
                self._literal(run_start, scanner.position, is_quoted)
                is_quoted = scanner.ahead(1) == "Q"
                scanner.position += 2
                run_start = scanner.position
            elif scanner.ahead() == "\\":
                scanner.position += 1 if is_quoted else 2
            elif scanner.ahead() == "$":
                here = scanner.position
                node = self.reader.interpolated_variable(in_pattern=True)
                if node is None:
                    scanner.position += 1
                    continue
                self._literal(run_start, here, is_quoted)
                self._flush()
                self.parts.append(node)
                self.quoted.append(is_quoted)
                run_start = scanner.position
        self._literal(run_start, min(scanner.position, scanner.end), is_quoted)
        self._flush()
        return self._checked()

    def _literal(self, start: int, end: int, is_quoted: bool) -> None:
        source = self.reader.scanner.source[start:end]
        pieces = [(escape(source), 0)] if is_quoted else translate(source, self.flags)
        for text, offset in pieces:
            turns.walked()
            self.text.append(text)
            self.columns.extend([start + offset] * len(text))

    def _flush(self) -> None:
        if self.text:
            self.parts.append(Constant("".join(self.text)))
            self.quoted.append(False)
            self.text = []

    def _checked(self) -> Pattern:
        """Compile a pattern without variables now, so that its error has a column."""
        pattern = Pattern(tuple(self.parts), tuple(self.quoted), self.flags)
        if len(self.parts) <= 1 and all(isinstance(part, Constant) for part in self.parts):
            text = str(self.parts[0].value) if self.parts else ""  # type: ignore[union-attr]  # checked above
            try:
                compile_pattern(text, self.flags)
            except PatternError as failure:
                column = self.columns[failure.offset] if failure.offset < len(self.columns) else 0
                source = self.reader.scanner.source
                raise ExpressionSyntaxError(failure.text, source, column) from None
        return pattern


def pattern(parser: Parser, bounds: tuple[int, int], flag_text: str) -> Pattern:
    """Return the pattern between two delimiters."""
    kept = "".join(flag for flag in flag_text if flag in PATTERN_FLAGS)
    return _PatternReader(parser, bounds, kept).read()


def character_list(parser: Parser, bounds: tuple[int, int]) -> str:
    """Return the characters of one side of tr///, with all characters of its ranges."""
    reader = parser.inside(*bounds)
    scanner = reader.scanner
    signs: list[str] = []
    while scanner.position < scanner.end:
        turns.walked()
        start = scanner.position
        sign = _tr_sign(scanner)
        if sign == "-" and start != bounds[0] and scanner.position < scanner.end and signs:
            last = _tr_sign(scanner)
            if ord(last) < ord(signs[-1]):
                raise scanner.error(f"the range {signs[-1]}-{last} runs backwards", start - 1)
            first = ord(signs[-1]) + 1
            parser.scope.tr_signs += ord(last) + 1 - first
            if parser.scope.tr_signs > _TR_MAX:
                raise scanner.error("the lists of characters of tr/// are too long", start)
            signs.extend(map(chr, range(first, ord(last) + 1)))
        else:
            signs.append(sign)
    return "".join(signs)


def _tr_sign(scanner: Scanner) -> str:
    if scanner.ahead() == "\\":
        if scanner.ahead(1) in ("-", "\\"):
            scanner.position += 2
            return scanner.source[scanner.position - 1]
        return escape_sequence(scanner)
    scanner.position += 1
    return scanner.source[scanner.position - 1]
