"""Where things stand in a ladder, in columns of one character: shared by text and SVG.

Times are on the left, then the lifelines of the tester's roles close together, the peer's on the
right. What is written stands between the last of the former and the latter.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tsvc.results.arrow import LIFELINES, PEER, Arrow, Detail, arrows_of
from tsvc.results.shown import printable

MIN_WIDTH = 72
_FIRST = 13  # column of the first lifeline
_BETWEEN = 7  # columns between the tester's lifelines
_INDENT = 3  # from the last of them to the text
_CONTINUED = 4  # more, where a line goes on


@dataclass(frozen=True, slots=True)
class Row:
    """One arrow with the text lines below it."""

    arrow: Arrow
    label: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ladder:
    """Rows, and the columns of their lifelines by name, from left to right."""

    columns: dict[str, int]
    rows: tuple[Row, ...]
    width: int

    @property
    def left(self) -> int:
        """Column of the last lifeline before the text."""
        return sorted(self.columns.values())[-2]

    @property
    def right(self) -> int:
        """Column of the peer's lifeline."""
        return self.columns[PEER]

    @property
    def text_column(self) -> int:
        """Column where text lines start."""
        return self.left + _INDENT


def lay_out(decoded: Iterable[dict[str, Any]], width: int, *, is_ascii: bool) -> Ladder:
    """Return where everything stands; `width` below 72 counts as 72."""
    arrows = arrows_of(decoded)
    width = max(width, MIN_WIDTH)
    columns = _columns(arrows, width)
    room = columns[PEER] - sorted(columns.values())[-2] - _INDENT - 1
    tagged = _told_apart(arrows)
    rows = []
    for arrow in arrows:
        tag = f"[{arrow.dialogue}] " if arrow.dialogue in tagged else ""
        label = printable(tag + arrow.label, is_ascii=is_ascii)
        lines = [line for detail in arrow.details for line in _wrap(detail, room, is_ascii)]
        rows.append(Row(arrow, _cut(label, room - 8), tuple(lines)))
    return Ladder(columns, tuple(rows), width)


def _columns(arrows: list[Arrow], width: int) -> dict[str, int]:
    used = dict.fromkeys(name for arrow in arrows for name in (arrow.source, arrow.target))
    used.pop(PEER, None)
    names = [name for name in LIFELINES if name in used]
    names += [name for name in used if name not in LIFELINES]
    columns = {name: _FIRST + _BETWEEN * position for position, name in enumerate(names)}
    return {**(columns or {LIFELINES[0]: _FIRST}), PEER: width - 3}


def _told_apart(arrows: list[Arrow]) -> set[str]:
    """Return the dialogues that share a lifeline with another: their arrows say which they are."""
    by_line: dict[str, set[str]] = {}
    for arrow in arrows:
        line = arrow.source if arrow.target == PEER else arrow.target
        by_line.setdefault(line, set()).add(arrow.dialogue)
    return {name for names in by_line.values() if len(names) > 1 for name in names}


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 3] + "..."


def _wrap(detail: Detail, room: int, is_ascii: bool) -> Iterator[str]:
    """Yield the lines of a detail: broken between facts, within one only if it is too long."""
    line = _cut(printable(detail.name, is_ascii=is_ascii), room)
    for position, fact in enumerate(detail.facts):
        text = printable(fact, is_ascii=is_ascii)
        if position < len(detail.facts) - 1:
            text += ","
        gap = "  " if position == 0 else " "
        if len(line) + len(gap) + len(text) <= room:
            line += gap + text
            continue
        for piece in _pieces(text, room - _CONTINUED):
            yield line
            line = " " * _CONTINUED + piece
    yield line


def _pieces(text: str, room: int) -> Iterator[str]:
    while len(text) > room:
        at = text.rfind(" ", room // 2, room + 1)
        at = at if at > 0 else room
        yield text[:at]
        text = text[at:].lstrip()
    yield text
