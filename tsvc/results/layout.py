"""The layout of a ladder, in columns of one character: shared by text and SVG.

Times are on the left, then the lifelines of the tester's roles close together, and those of the
peers on the right. Texts are between the last role and the first peer.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tsvc import turns
from tsvc.printable import printable
from tsvc.results.arrow import LIFELINES, PEER, Arrow, Detail
from tsvc.results.exchanges import arrows_of
from tsvc.values import dataclass

MIN_WIDTH = 72
_FIRST = 13  # column of the first lifeline
_BETWEEN = 7  # columns between the tester's lifelines
_MARGIN = 3  # right of the last lifeline
_MIN_ROOM = 40  # columns for texts
_SHORTEST_NAME, _LONGEST_NAME = 4, 12  # of a peer, if several are side by side
_INDENT = 3  # columns from the last of the tester's lifelines to the text
_CONTINUED = 4  # further columns of a continued line
_A_ROW = 8  # items as turns counts them


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
    names: dict[str, str]  # the headings of lifelines, cut if there is little room
    rows: tuple[Row, ...]
    width: int
    left: int  # column of the last lifeline before the text
    peer: int  # column of the first lifeline after it

    @property
    def right(self) -> int:
        """The column of the last lifeline."""
        return max(self.columns.values())

    @property
    def text_column(self) -> int:
        """The column where text lines start."""
        return self.left + _INDENT


def lay_out(decoded: Iterable[dict[str, Any]], width: int, *, is_ascii: bool) -> Ladder:
    """Return the layout of a ladder; `width` below 72 counts as 72."""
    arrows = arrows_of(decoded)
    width = max(width, MIN_WIDTH)
    roles, peers = lifelines_of(arrows)
    columns = {name: _FIRST + _BETWEEN * position for position, name in enumerate(roles)}
    left = max(columns.values())
    names = dict(zip(peers, _headings(peers, width - left), strict=True))
    columns |= _peer_columns(names, width)
    peer = columns[peers[0]]
    room = peer - left - _INDENT - 1
    tagged = _told_apart(arrows)
    rows = []
    for arrow in arrows:
        turns.walked(_A_ROW)
        tag = f"[{arrow.dialogue}] " if arrow.dialogue in tagged else ""
        label = printable(tag + arrow.label, is_ascii=is_ascii)
        lines = [line for detail in arrow.details for line in _wrap(detail, room, is_ascii)]
        rows.append(Row(arrow, _cut(label, room - 8), tuple(lines)))
    return Ladder(columns, {name: name for name in roles} | names, tuple(rows), width, left, peer)


def lifelines_of(arrows: list[Arrow]) -> tuple[list[str], list[str]]:
    """Return the names of the tester's roles and of its peers, from left to right."""
    used = dict.fromkeys(arrow.role for arrow in turns.over(arrows))
    roles = [name for name in LIFELINES if name in used]
    roles += [name for name in used if name not in LIFELINES]
    peers = list(dict.fromkeys(arrow.peer for arrow in turns.over(arrows)))
    peers.sort(key=lambda name: name != PEER)  # first, next to the roles of its dialogues
    return roles or [LIFELINES[1]], peers or [PEER]


def _headings(peers: list[str], room: int) -> list[str]:
    """Return the names of peers, cut so that they fit side by side and leave room for texts."""
    if len(peers) == 1:
        return [printable(name, is_ascii=True) for name in peers]
    each = (room - _MIN_ROOM) // len(peers) - 2
    longest = min(max(each, _SHORTEST_NAME), _LONGEST_NAME)
    return [printable(name, is_ascii=True)[:longest] for name in peers]


def _peer_columns(names: dict[str, str], width: int) -> dict[str, int]:
    """Return the columns of peers: the last at the right margin, the others left of it."""
    columns: dict[str, int] = {}
    at, after = width - _MARGIN, 0
    for name, heading in reversed(names.items()):
        if columns:
            at -= max((after + len(heading)) // 2 + 2, _BETWEEN)
        columns[name] = at
        after = len(heading)
    return dict(reversed(columns.items()))


def _told_apart(arrows: list[Arrow]) -> set[str]:
    """Return the dialogues that share lifelines with another; their arrows show their names."""
    by_line: dict[tuple[str, str], set[str]] = {}
    for arrow in turns.over(arrows):
        by_line.setdefault((arrow.role, arrow.peer), set()).add(arrow.dialogue)
    return {name for names in by_line.values() if len(names) > 1 for name in names}


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 3] + "..."


def _wrap(detail: Detail, room: int, is_ascii: bool) -> Iterator[str]:
    """Yield the lines of a detail, broken between facts, or inside a fact that is too long."""
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
