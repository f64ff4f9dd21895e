"""Small plots as SVG, made by hand: a line for each series, sizes in powers of ten."""

import math
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 34, 40
COLOURS = ("#1f6fb2", "#c2571a")  # distinguishable for colour-blind people, too

Points = dict[str, dict[str, float]]


def chart(title: str, below: str, series: dict[str, Points]) -> str:
    """Return a plot of medians with their spread; keys of points are sizes as text."""
    sizes = sorted({int(size) for points in series.values() for size in points})
    highest = max(point["highest"] for points in series.values() for point in points.values())
    step = _step(highest)
    top = math.ceil(highest / step) * step
    low, high = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size: int) -> float:
        share = (math.log10(size) - low) / ((high - low) or 1)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM), 1)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="16" font-size="13">{escape(title)}</text>',
    ]
    out.extend(
        f'<path d="M{LEFT} {y(value)}H{WIDTH - RIGHT}" stroke="#dddddd"/>'
        f'<text x="{LEFT - 6}" y="{y(value) + 4}" text-anchor="end">{value}</text>'
        for value in range(0, round(top) + 1, step)
    )
    out.extend(
        f'<text x="{x(size)}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{size:,}</text>'
        for size in sizes
    )
    out.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}"'
        f' text-anchor="middle">{escape(below)}</text>'
    )
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number]
        line = " ".join(f"{x(int(size))},{y(one['median'])}" for size, one in points.items())
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for size, one in points.items():
            at = x(int(size))
            out.append(
                f'<path d="M{at} {y(one["lowest"])}V{y(one["highest"])}" stroke="{colour}"/>'
                f'<circle cx="{at}" cy="{y(one["median"])}" r="3" fill="{colour}"/>'
            )
        out.append(
            f'<text x="{LEFT + 8 + number * 290}" y="30" fill="{colour}">{escape(name)}</text>'
        )
    return "\n".join([*out, "</svg>", ""])


def _step(highest: float) -> int:
    """Return a round distance of grid lines, for four to ten lines."""
    for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        if highest / step <= 8:
            return step
    return 10_000


def draw_growth(found: dict[str, Any], folder: Path) -> None:
    """Write the plots of bench_growth.py's figures into a folder."""
    if not found:
        return
    folder.mkdir(parents=True, exist_ok=True)
    plots = {
        "open.svg": (
            "CPU µs per call, by calls in progress",
            "calls in progress",
            {"a call beside others that are open": "beside", "calls all open at once": "burst"},
        ),
        "calls.svg": ("CPU µs per call, by length of the run", "calls", {"INAP calls": "calls"}),
        "noops.svg": (
            "CPU µs per instance, by length of the run",
            "instances",
            {"no-op instances": "noops"},
        ),
    }
    for name, (title, below, series) in plots.items():
        text = chart(title, below, {label: found[key] for label, key in series.items()})
        (folder / name).write_text(text, encoding="utf-8")
