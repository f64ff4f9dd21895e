"""Charts of a run over time, as SVG elements that take their colours from the page's CSS.

A chart is drawn from bands and lines. A band is a value for a period of time, such as a rate. A
line joins values at points in time. Every period has its values as a title, which browsers show
under the pointer, so no script is needed.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10

from tsvc.values import dataclass

WIDTH, HEIGHT = 540, 210
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 14, 26
_PLOT_X = WIDTH - _LEFT - _RIGHT
_PLOT_Y = HEIGHT - _TOP - _BOTTOM
_TIME_STEPS_S = (
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    14400,
    43200,
    86400,
)
_MOST_TIMES = 8


@dataclass(frozen=True, slots=True)
class Band:
    """A value for the time from `start` to `end`, seconds; None: no value was measured."""

    start: float
    end: float
    value: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """One curve of bands, or of points (seconds, value). `style`: the CSS class of its colour."""

    name: str
    style: str
    bands: tuple[Band, ...] = ()
    points: tuple[tuple[float, float], ...] = ()
    is_filled: bool = False

    @property
    def highest(self) -> float:
        """The largest value, 0 if there is none."""
        values = [band.value for band in self.bands if band.value is not None]
        return max([*values, *(value for _, value in self.points)], default=0.0)


def time_chart(
    title: str, unit: str, series: Sequence[Series], end_s: float, *, least_top: float = 0.0
) -> str:
    """Return a figure with its legend and the curves from 0 to end_s seconds.

    The vertical axis always starts at 0, so that noise does not look like a change. It ends at
    least_top or above.
    """
    end_s = max(end_s, 1e-3)
    top = nice_top(max([least_top, *(one.highest for one in series)]))
    body = [*_grid(top, end_s)]
    for one in series:
        body += _curve(one, top, end_s)
    body += _hints(series, unit, end_s)
    legend = "".join(
        f'<span class="key"><i class="{one.style}"></i>{escape(one.name)}</span>' for one in series
    )
    return (
        f'<figure class="chart"><figcaption><b>{escape(title)}</b>'
        f'<span class="unit">{escape(unit)}</span><span class="legend">{legend}</span>'
        f'</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape(title)}">{"".join(body)}</svg></figure>'
    )


def bar_chart(
    title: str, unit: str, bars: Sequence[tuple[str, float, str]], style: str, note: str = ""
) -> str:
    """Return a figure of horizontal bars, each (name, value, the value as text)."""
    longest = max((value for _, value, _ in bars), default=0.0) or 1.0
    step = min(44.0, (HEIGHT - 30) / max(len(bars), 1))
    room = WIDTH - 190.0
    body = []
    for row, (name, value, text) in enumerate(bars):
        y = 22 + row * step
        long = max(1.5, value / longest * room)
        middle = y + step * 0.28 + 4
        body.append(
            f'<text x="78" y="{middle:.1f}" text-anchor="end" class="name">{escape(name)}</text>'
            f'<rect x="90" y="{y:.1f}" width="{long:.1f}" height="{step * 0.56:.1f}" rx="3"'
            f' class="bar {style}"/>'
            f'<text x="{98 + long:.1f}" y="{middle:.1f}" class="value">{escape(text)}</text>'
        )
    if note:
        body.append(f'<text x="90" y="{HEIGHT - 12}" class="axis">{escape(note)}</text>')
    return (
        f'<figure class="chart"><figcaption><b>{escape(title)}</b>'
        f'<span class="unit">{escape(unit)}</span></figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{''.join(body)}</svg></figure>"
    )


def nice_top(highest: float) -> float:
    """Return the end of an axis: the next 1, 2, 2.5, 4 or 5 times a power of ten."""
    if highest <= 0:
        return 1.0
    power: float = 10.0 ** floor(log10(highest))
    for factor in (1, 2, 2.5, 4, 5, 10):
        if highest <= factor * power * 1.0001:
            return factor * power
    return 10 * power


def time_text(seconds: float) -> str:
    """Return a time of a run as `12 s`, `3:05` or `1:00:00`."""
    if seconds < 60:
        return f"{seconds:g} s"
    hours, rest = divmod(round(seconds), 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def number_text(value: float) -> str:
    """Return a number with at most three decimals, and with separated thousands."""
    text = measure_text(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def measure_text(value: float) -> str:
    """Return a measured value for a column, with three significant digits or more."""
    size = abs(value)
    digits = 3 if size < 1 else 2 if size < 10 else 1 if size < 1000 else 0
    return f"{value:,.{digits}f}" if value else "0"


def _grid(top: float, end_s: float) -> Iterator[str]:
    for quarter in range(5):
        value = top * quarter / 4
        y = _y(value, top)
        style = "grid" if quarter else "base"
        yield (
            f'<line class="{style}" x1="{_LEFT}" x2="{WIDTH - _RIGHT}"'
            f' y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="axis" x="{_LEFT - 7}" y="{y + 3.5:.1f}" text-anchor="end">'
            f"{number_text(value)}</text>"
        )
    for seconds in _times(end_s):
        yield (
            f'<text class="axis" x="{_x(seconds, end_s):.1f}" y="{HEIGHT - 8}"'
            f' text-anchor="middle">{time_text(seconds)}</text>'
        )


def _times(end_s: float) -> list[float]:
    step = next((step for step in _TIME_STEPS_S if end_s / step <= _MOST_TIMES), None)
    if step is None:
        step = ceil(end_s / _MOST_TIMES / 86400) * 86400
    return [float(number * step) for number in range(floor(end_s / step) + 1)]


def _curve(one: Series, top: float, end_s: float) -> Iterator[str]:
    for stretch in _stretches(one.bands):
        points = [(x, band.value or 0.0) for band in stretch for x in (band.start, band.end)]
        yield from _path(one, points, top, end_s)
    if one.points:
        yield from _path(one, one.points, top, end_s)


def _stretches(bands: Iterable[Band]) -> Iterator[list[Band]]:
    """Yield groups of adjacent bands with values; nothing is drawn between the groups."""
    found: list[Band] = []
    for band in bands:
        if band.value is not None:
            found.append(band)
        elif found:
            yield found
            found = []
    if found:
        yield found


def _path(
    one: Series, points: Sequence[tuple[float, float]], top: float, end_s: float
) -> Iterator[str]:
    places = [f"{_x(seconds, end_s):.1f},{_y(value, top):.1f}" for seconds, value in points]
    line = "M" + "L".join(places)
    if one.is_filled:
        first, last = (_x(points[at][0], end_s) for at in (0, -1))
        base = _y(0, top)
        yield (
            f'<path class="fill {one.style}" d="{line}L{last:.1f},{base:.1f}'
            f'L{first:.1f},{base:.1f}Z"/>'
        )
    yield f'<path class="line {one.style}" d="{line}"/>'


def _hints(series: Sequence[Series], unit: str, end_s: float) -> Iterator[str]:
    """Yield invisible elements on top of the chart, with the values of each period as title."""
    banded = max((one.bands for one in series), key=len, default=())
    for band in banded:
        x = _x(band.start, end_s)
        wide = max(1.0, _x(band.end, end_s) - x)
        parts = [time_text(round(band.start, 3))]
        for one in series:
            value = _value_at(one, (band.start + band.end) / 2)
            if value is not None:
                parts.append(f"{one.name}: {number_text(value)} {unit}")
        yield (
            f'<rect class="hint" x="{x:.1f}" y="{_TOP}" width="{wide:.1f}" height="{_PLOT_Y}">'
            f"<title>{escape(chr(10).join(parts))}</title></rect>"
        )


def _value_at(one: Series, seconds: float) -> float | None:
    for band in one.bands:
        if band.start <= seconds < band.end:
            return band.value
    for (start, first), (end, last) in zip(one.points, one.points[1:], strict=False):
        if start <= seconds <= end and end > start:
            return first + (last - first) * (seconds - start) / (end - start)
    return None


def _x(seconds: float, end_s: float) -> float:
    return _LEFT + min(seconds / end_s, 1.0) * _PLOT_X


def _y(value: float, top: float) -> float:
    return _TOP + (1 - value / top) * _PLOT_Y
