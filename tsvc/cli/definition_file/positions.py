"""The positions of all members and elements of a JSON or TOML text.

The text has been parsed before. So this module only follows brackets, names and headers. It checks
nothing.
"""

import json
import re
import tomllib
from bisect import bisect_right

Steps = tuple[str | int, ...]
Position = tuple[int, int]  # line and column, counted from 1

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def json_positions(text: str) -> dict[Steps, Position]:
    """Return the position of every member and element of a JSON text that is known to be valid.

    The position of a member is that of its name; an array element has its start; () is the whole.
    """
    at = _Lines(text).at
    positions: dict[Steps, Position] = {}
    steps: list[str | int] = []
    is_object: list[bool] = []
    is_name_next = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ("}", "]"):
            is_object.pop()
            steps.pop()
            is_name_next = False
        elif token == ",":
            is_name_next = is_object[-1]
            last = steps[-1]
            if isinstance(last, int):
                steps[-1] = last + 1
        elif token == ":":
            pass
        elif is_name_next:
            steps[-1] = json.loads(token)
            positions[tuple(steps)] = at(match.start())
            is_name_next = False
        else:
            positions.setdefault(tuple(steps), at(match.start()))
            if token in ("{", "["):
                is_name_next = token == "{"
                is_object.append(is_name_next)
                steps.append("" if is_name_next else 0)
    return positions


def toml_positions(text: str) -> dict[Steps, Position]:
    """Return the position of every member and element of a TOML text that is known to be valid.

    The position of a member is that of the first occurrence of its name, which may be in a header.
    The position of an element of an array of tables is that of its header.
    """
    return _Toml(text).positions


class _Lines:
    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def at(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class _Toml:
    """A single pass over a text; white space and comments are skipped."""

    _NOTHING = re.compile(r"(?:\s|#[^\n]*)*")
    _NAME = re.compile(
        r'[ \t]*(?P<name>[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')[ \t]*(?P<dot>\.?)'
    )
    _STRING = re.compile(
        r'"""(?:[^\\]|\\.)*?"""+|\'\'\'.*?\'\'\'+|"(?:[^"\\]|\\.)*"|\'[^\']*\'', re.DOTALL
    )
    _SCALAR = re.compile(r"[^,\]}#\n]+")

    def __init__(self, text: str) -> None:
        self._text = text
        self._where = _Lines(text).at
        self._at = 0
        self._tables: dict[Steps, int] = {}  # number of elements of each array of tables
        self.positions: dict[Steps, Position] = {}
        base: Steps = ()
        while self._next():
            if self._next() == "[":
                base = self._header()
            else:
                self._member(base)

    def _next(self) -> str:
        """Skip white space and comments; return the next character, "" at the end."""
        match = self._NOTHING.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return self._text[self._at : self._at + 1]

    def _header(self) -> Steps:
        start = self._at
        is_array = self._text.startswith("[[", start)
        self._at += 1 + is_array
        names = self._names()
        self._at = self._text.index("]", self._at) + 1 + is_array
        steps: Steps = ()
        for name, _ in names[:-1]:
            steps = self._newest((*steps, name), start)
        steps = (*steps, names[-1][0])
        self._note(steps, start)
        if is_array:
            self._tables[steps] = self._tables.get(steps, 0) + 1
            steps = self._newest(steps, start)
        return steps

    def _newest(self, steps: Steps, start: int) -> Steps:
        """Return the path that a name in a header refers to: for an array, its last element."""
        self._note(steps, start)
        count = self._tables.get(steps)
        if count is None:
            return steps
        self._note((*steps, count - 1), start)
        return (*steps, count - 1)

    def _member(self, base: Steps) -> None:
        steps = base
        for name, start in self._names():
            steps = (*steps, name)
            self._note(steps, start)
        self._at += 1  # =
        self._value(steps)

    def _names(self) -> list[tuple[str, int]]:
        names = []
        is_more = True
        while is_more:
            match = self._NAME.match(self._text, self._at)
            assert match is not None
            name = match["name"]
            if name[0] in "\"'":
                name = tomllib.loads(f"name = {name}")["name"]
            names.append((name, match.start("name")))
            self._at = match.end()
            is_more = bool(match["dot"])
        return names

    def _value(self, steps: Steps) -> None:
        first = self._next()
        self._note(steps, self._at)
        if first in ("[", "{"):
            self._at += 1
            position = 0
            while self._next() not in ("]", "}"):
                if first == "[":
                    self._value((*steps, position))
                    position += 1
                else:
                    self._member(steps)
                if self._next() == ",":
                    self._at += 1
            self._at += 1
            return
        match = (self._STRING if first in "\"'" else self._SCALAR).match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _note(self, steps: Steps, start: int) -> None:
        self.positions.setdefault(steps, self._where(start))
