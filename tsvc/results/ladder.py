"""The ladder of an instance: its messages between the lifelines, as text and as SVG."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from tsvc import turns
from tsvc.printable import printable
from tsvc.results.layout import Ladder, Row, lay_out

_INSET = 3  # columns from a lifeline to the label of an arrow that starts there
_A_ROW = 8  # items as turns counts them

# -- text ---------------------------------------------------------------------------------------


_ASCII = {"line": "|", "dash": "-", "cross": "+", "to": ">", "from": "<"}
_UNICODE = {"line": "│", "dash": "─", "cross": "┼", "to": "▶", "from": "◀"}


def ladder_text(
    decoded: Iterable[dict[str, Any]], width: int = 100, *, is_unicode: bool = False
) -> str:
    """Return the ladder of decoded messages as lines of at most `width` characters, 72 or more.

    Shape:   times in seconds since the instance started, then an arrow per message, with each
             component on its own lines below it. ASCII only, unless `is_unicode`. Ends with
             a newline; empty without messages.
    """
    ladder = lay_out(decoded, width, is_ascii=not is_unicode)
    if not ladder.rows:
        return ""
    signs = _UNICODE if is_unicode else _ASCII
    lines = [_heading(ladder)]
    for row in ladder.rows:
        turns.walked(_A_ROW)
        lines += _row(ladder, row, signs)
    lines.append(_lifelines(ladder, signs))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _heading(ladder: Ladder) -> str:
    line = "   seconds"
    for name, column in ladder.columns.items():
        heading = ladder.names[name]
        line = line.ljust(column - len(heading) // 2) + heading
    return line


def _row(ladder: Ladder, row: Row, signs: dict[str, str]) -> Iterator[str]:
    yield _lifelines(ladder, signs)
    yield _arrow(ladder, row, signs)
    for text in row.lines:
        line = list(_lifelines(ladder, signs))
        line[ladder.text_column : ladder.text_column + len(text)] = text
        yield "".join(line)


def _lifelines(ladder: Ladder, signs: dict[str, str]) -> str:
    line = [" "] * (ladder.right + 1)
    for column in ladder.columns.values():
        line[column] = signs["line"]
    return "".join(line)


def _arrow(ladder: Ladder, row: Row, signs: dict[str, str]) -> str:
    arrow = row.arrow
    start, end = ladder.columns[arrow.source], ladder.columns[arrow.target]
    low, high = min(start, end), max(start, end)
    line = list(_lifelines(ladder, signs))
    for column in range(low + 1, high):
        line[column] = signs["cross" if line[column] == signs["line"] else "dash"]
    is_right = start < end
    line[high - 1 if is_right else low + 1] = signs["to" if is_right else "from"]
    label = f" {row.label} "
    at = ladder.left + _INSET if is_right else ladder.peer - _INSET - len(label) + 1
    line[at : at + len(label)] = label
    return f"{arrow.t:10.4f}" + "".join(line)[10:]


# -- SVG ----------------------------------------------------------------------------------------


_SVG_WIDTH = 112  # characters
_STEP_X, _STEP_Y = 7.25, 17  # pixels of a character at the font size below
_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_FONT_SIZE = 12
_TOP = 34  # where the lifelines start
_SENT, _RECEIVED, _FAILURE = "#1c5d99", "#2e6b34", "#b3261e"


def ladder_svg(decoded: Iterable[dict[str, Any]]) -> str:
    """Return the ladder as one SVG element without external references.

    Hovering over a message shows its whole decoded content.
    """
    ladder = lay_out(decoded, _SVG_WIDTH, is_ascii=False)
    body: list[str] = []
    y = _TOP + 8.0
    for row in ladder.rows:
        turns.walked(_A_ROW)
        height = (1 + len(row.lines)) * _STEP_Y + 14
        body += _svg_row(ladder, row, y, height)
        y += height
    frame = f'width="{_x(ladder.width):g}" height="{y + 12:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame}'
        f' viewBox="0 0 {_x(ladder.width):g} {y + 12:g}"'
        f' font-family="{_FONT}" font-size="{_FONT_SIZE}" role="img">',
        "<title>Ladder of messages</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *_svg_lifelines(ladder, y),
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _svg_lifelines(ladder: Ladder, bottom: float) -> Iterator[str]:
    for name, column in ladder.columns.items():
        x = _x(column)
        yield (
            f'<text x="{x:g}" y="20" text-anchor="middle" font-weight="bold" fill="#1f2328">'
            f"{_xml(ladder.names[name])}</text>"
        )
        yield (
            f'<line x1="{x:g}" y1="{_TOP - 6}" x2="{x:g}" y2="{bottom:g}"'
            ' stroke="#8c959f" stroke-dasharray="4 3"/>'
        )


def _svg_row(ladder: Ladder, row: Row, y: float, height: float) -> Iterator[str]:
    arrow = row.arrow
    start, end = _x(ladder.columns[arrow.source]), _x(ladder.columns[arrow.target])
    is_right = start < end
    color = _FAILURE if arrow.is_failure else _SENT if is_right else _RECEIVED
    tip = end - 8 if is_right else end + 8
    line_y = y + _STEP_Y
    yield f"<g><title>{_xml(arrow.title, keeps_lines=True)}</title>"
    # This rectangle makes the title show between the texts too.
    yield (
        f'<rect x="0" y="{y:g}" width="{_x(ladder.width):g}" height="{height:g}"'
        ' fill="none" pointer-events="all"/>'
    )
    yield f'<text x="8" y="{line_y + 4:g}" fill="#57606a">{arrow.t:.4f} s</text>'
    yield (
        f'<line x1="{start:g}" y1="{line_y:g}" x2="{tip:g}" y2="{line_y:g}"'
        f' stroke="{color}" stroke-width="1.5"/>'
    )
    yield (
        f'<polygon points="{end:g},{line_y:g} {tip:g},{line_y - 4:g} {tip:g},{line_y + 4:g}"'
        f' fill="{color}"/>'
    )
    anchor = "start" if is_right else "end"
    label_x = _x(ladder.text_column if is_right else ladder.peer - 3)
    yield (
        f'<text x="{label_x:g}" y="{line_y - 5:g}" text-anchor="{anchor}" font-weight="bold"'
        f' fill="{color}">{_xml(row.label)}</text>'
    )
    for position, text in enumerate(row.lines, start=1):
        yield (
            f'<text x="{_x(ladder.text_column):g}" y="{line_y + position * _STEP_Y:g}"'
            f' xml:space="preserve" fill="#1f2328">{_xml(text)}</text>'
        )
    yield "</g>"


def _x(column: int) -> float:
    return column * _STEP_X


def _xml(text: str, *, keeps_lines: bool = False) -> str:
    """Return text for use between tags, escaped because XML does not allow control characters."""
    if keeps_lines:
        return "\n".join(escape(printable(line), quote=False) for line in text.split("\n"))
    return escape(printable(text), quote=False)
