"""Draws a flow: as text for a terminal, as SVG for people. Pure."""

from collections.abc import Iterator
from html import escape

from tsvc.flow.flow import Flow, Operation

_NO_MORE = object()
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 190, 46, 60, 84, 24


def exits_of(operation: Operation) -> Iterator[tuple[str, int | None]]:
    """Yield (name of the exit, id of its target or None) in order."""
    for index, target in enumerate(operation.exits):
        name = operation.left[index].exit_name or str(index)
        yield f"{index} {name}", target


def levels(flow: Flow) -> dict[int, int]:
    """Return the row of each reachable operation: below all that lead to it, except by loops."""
    order, backward = _walk(flow)
    found = dict.fromkeys(order, 0)
    for current in order:
        for target in flow.operations[current].exits:
            if target is not None and (current, target) not in backward:
                found[target] = max(found[target], found[current] + 1)
    return found


def _walk(flow: Flow) -> tuple[list[int], set[tuple[int, int]]]:
    """Return the reachable operations, each after all that lead to it, and the exits that close
    a loop. A stack instead of recursion: a flow may be deeper than Python's stack."""
    finished: list[int] = []
    backward: set[tuple[int, int]] = set()
    is_open = {flow.start_id: True}
    stack = [(flow.start_id, iter(flow.operations[flow.start_id].exits))]
    while stack:
        current, exits = stack[-1]
        target = next(exits, _NO_MORE)
        if target is _NO_MORE:
            stack.pop()
            is_open[current] = False
            finished.append(current)
        elif isinstance(target, int):
            if target not in is_open:
                is_open[target] = True
                stack.append((target, iter(flow.operations[target].exits)))
            elif is_open[target]:
                backward.add((current, target))
    return finished[::-1], backward


def text(flow: Flow) -> str:
    """Return the flow as a tree; an operation that is reached again is only named."""
    lines = [flow.name]
    shown: set[int] = set()
    # A stack instead of recursion: a flow may be deeper than Python's stack.
    stack: list[tuple[str, str, int | None]] = [("", "", flow.start_id)]
    while stack:
        indent, label, target = stack.pop()
        lead = f"{indent}{label}"
        if target is None:
            lines.append(f"{lead}end: a caller still there is released")
            continue
        operation = flow.operations[target]
        if target in shown:
            lines.append(f"{lead}[{target}] {operation.type} (above)")
            continue
        shown.add(target)
        lines.append(f"{lead}[{target}] {operation.type}")
        deeper = indent + "    "
        stack += [
            (deeper, f"{name} -> ", behind) for name, behind in reversed(list(exits_of(operation)))
        ]
    return "\n".join(lines)


def svg(flow: Flow) -> str:
    """Return the flow as a self-contained SVG: operations in rows by distance from Start."""
    level_of = levels(flow)
    rows: dict[int, list[int]] = {}
    for operation_id, level in sorted(level_of.items()):
        rows.setdefault(level, []).append(operation_id)
    widest = max(len(row) for row in rows.values())
    place: dict[int, tuple[float, float]] = {}
    width = 2 * _MARGIN + widest * _WIDTH + (widest - 1) * _GAP_X
    for level, row in rows.items():
        used = len(row) * _WIDTH + (len(row) - 1) * _GAP_X
        left = (width - used) / 2
        for position, operation_id in enumerate(row):
            x = left + position * (_WIDTH + _GAP_X)
            place[operation_id] = (x, _MARGIN + 30 + level * (_HEIGHT + _GAP_Y))
    height = _MARGIN * 2 + 30 + len(rows) * (_HEIGHT + _GAP_Y)
    parts = [_arrow(flow, place, operation_id) for operation_id in level_of]
    parts += [
        _box(flow.operations[operation_id], *place[operation_id]) for operation_id in level_of
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'font-family="system-ui, sans-serif" font-size="12">'
        f"<style>rect{{fill:#eef3fb;stroke:#3b5b92}}path{{fill:none;stroke:#667}}"
        f".e{{fill:#555;font-size:10px}}.t{{font-weight:600;font-size:15px}}</style>"
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" style="fill:#667"/></marker>'
        f'</defs><text class="t" x="{_MARGIN}" y="{_MARGIN}">{escape(flow.name)}</text>'
        + "".join(parts)
        + "</svg>"
    )


def _box(operation: Operation, x: float, y: float) -> str:
    middle = x + _WIDTH / 2
    return (
        f'<g><rect x="{x:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<text x="{middle:g}" y="{y + 20:g}" text-anchor="middle">{escape(operation.type)}</text>'
        f'<text class="e" x="{middle:g}" y="{y + 36:g}" text-anchor="middle">'
        f"operation {operation.id}</text></g>"
    )


def _arrow(flow: Flow, place: dict[int, tuple[float, float]], operation_id: int) -> str:
    operation = flow.operations[operation_id]
    x, y = place[operation_id]
    exits = list(exits_of(operation))
    parts = []
    for index, (name, target) in enumerate(exits):
        start = x + _WIDTH * (index + 1) / (len(exits) + 1)
        bottom = y + _HEIGHT
        label_y = bottom + 12 + index % 3 * 11  # at the same height they would overlap
        if target is None:
            parts.append(
                f'<path d="M{start:g} {bottom:g}v14" stroke-dasharray="3 2"/>'
                f'<text class="e" x="{start + 3:g}" y="{label_y + 12:g}">{escape(name)}: end'
                "</text>"
            )
            continue
        to_x, to_y = place[target]
        end_x = to_x + _WIDTH / 2
        bend = (to_y - bottom) / 2 if to_y > bottom else 40
        parts.append(
            f'<path marker-end="url(#a)" d="M{start:g} {bottom:g}C{start:g} {bottom + bend:g} '
            f'{end_x:g} {to_y - bend:g} {end_x:g} {to_y:g}"/>'
            f'<text class="e" x="{start + 3:g}" y="{label_y:g}">{escape(name)}</text>'
        )
    return "".join(parts)
