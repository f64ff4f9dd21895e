"""Reads an expression's source: blanks, operators, words, numbers, delimited texts.

Some signs of Perl mean different things after a value and before one (`/`, `%`, `.`, `<`). So
there is no list of tokens: the parser asks for an operator or for a term, whichever is allowed.
"""

import re

from tsvc import turns
from tsvc.errors import ExpressionSyntaxError
from tsvc.expr.values import to_float

SOURCE_MAX = 65_536

_BLANK = re.compile(r"(?:\s+|#[^\n]*)*")
_OPERATOR = re.compile(
    r"<=>|\*\*=|\*\*|&&=|\|\|=|//=|\.\.\.|\.\.|=>|==|=~|!~|!=|<=|>=|<<|>>|&&|\|\||//"
    r"|\+=|-=|\*=|/=|\.=|%=|x=(?![=~>])|\+\+|--|->|[-+*/%.<>=?:,;)\]}|&^]"
    r"|x(?=[0-9])|(?:x|lt|gt|le|ge|eq|ne|cmp|and|or|xor|if|unless|for|foreach|while|until)\b"
)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F_]+|0[bB][01_]+"
    r"|(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?",
    re.ASCII,
)
_CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Scanner:
    """A position in a source; reading stops at `end`, so that a part can be read in place."""

    __slots__ = ("end", "position", "source")

    def __init__(self, source: str, position: int = 0, end: int | None = None) -> None:
        self.source = source
        self.position = position
        self.end = len(source) if end is None else end

    def error(self, text: str, column: int | None = None) -> ExpressionSyntaxError:
        """Return the error to raise, at the current position unless another is given."""
        at = self.position if column is None else column
        return ExpressionSyntaxError(text, self.source, min(at, len(self.source)))

    def skip(self) -> None:
        """Step over blanks and comments."""
        turns.walked()
        found = _BLANK.match(self.source, self.position, self.end)
        if found is not None:
            self.position = found.end()

    def at_end(self) -> bool:
        """Return True if only blanks remain."""
        self.skip()
        return self.position >= self.end

    def peek(self) -> str:
        """Return the next sign after blanks, "" at the end."""
        self.skip()
        return self.source[self.position] if self.position < self.end else ""

    def ahead(self, offset: int = 0) -> str:
        """Return the sign at an offset from here, blanks included, "" at the end."""
        at = self.position + offset
        return self.source[at] if at < self.end else ""

    def starts(self, text: str) -> bool:
        """Return True if the source continues with a text, exactly here."""
        return self.source.startswith(text, self.position, self.end)

    def operator(self) -> str:
        """Return the next operator, "" if there is none; does not move."""
        self.skip()
        found = _OPERATOR.match(self.source, self.position, self.end)
        return found[0] if found else ""

    def take(self, text: str) -> bool:
        """Step over a sign if it comes next; return True if it did."""
        self.skip()
        if not self.starts(text):
            return False
        self.position += len(text)
        return True

    def expect(self, text: str, after: str) -> None:
        """Step over a sign that must come next. Errors: ExpressionSyntaxError if it does not."""
        if not self.take(text):
            raise self.error(f"expected '{text}' {after}")

    def word(self) -> str:
        """Return the word exactly here and step over it, "" if none is."""
        found = _WORD.match(self.source, self.position, self.end)
        if found is None:
            return ""
        self.position = found.end()
        return found[0]

    def until(self, signs: str) -> str:
        """Return the text up to one of these signs and step over it, "" if one is here."""
        found = re.compile(rf"[^{re.escape(signs)}]*").match(self.source, self.position, self.end)
        assert found is not None  # it matches anything
        self.position = found.end()
        return found[0]

    def number(self) -> int | float | None:
        """Return the number exactly here and step over it."""
        found = _NUMBER.match(self.source, self.position, self.end)
        if found is None:
            return None
        start, self.position = self.position, found.end()
        return self._number_value(found[0].replace("_", ""), start)

    def _number_value(self, text: str, start: int) -> int | float:
        if text[:2] in ("0x", "0X"):
            number = int(text[2:] or "0", 16)
        elif text[:2] in ("0b", "0B"):
            number = int(text[2:] or "0", 2)
        elif text.isdigit() and text[0] == "0" and len(text) > 1:
            if not set(text) <= set("01234567"):
                raise self.error("an octal number has digits 0 to 7 only", start)
            number = int(text, 8)
        elif text.isdigit() and len(text) <= 20:
            number = int(text)
        else:
            return float(text)
        return number if number < 1 << 64 else to_float(number)

    def delimited(self, what: str) -> tuple[int, int]:
        """Step over a delimited text that begins here; return the bounds of its inside.

        Bracket pairs nest; a backslash escapes the sign after it.
        """
        start = self.position
        opener = self.source[start]
        closer = _CLOSERS.get(opener, opener)
        depth = 1
        signs = re.compile(rf"\\.|[{re.escape(opener)}{re.escape(closer)}]", re.DOTALL)
        for found in signs.finditer(self.source, start + 1, self.end):
            turns.walked()
            if found[0] == closer:
                depth -= 1
                if depth == 0:
                    self.position = found.end()
                    return start + 1, found.start()
            elif found[0] == opener:
                depth += 1
        raise self.error(f"{what} is not closed", start)
