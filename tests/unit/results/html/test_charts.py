import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from tsvc.results.html.charts import (
    Band,
    Series,
    bar_chart,
    measure_text,
    nice_top,
    number_text,
    time_chart,
    time_text,
)

NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


def parsed(figure: str) -> Element:
    return ElementTree.fromstring(figure)


def path_points(figure: Element, style: str) -> list[list[tuple[float, float]]]:
    """Return the corners of every line of that style, in pixels."""
    lines = [path.get("d", "") for path in figure.iter("path") if path.get("class") == style]
    return [
        list(zip(*[iter(map(float, NUMBERS.findall(line)))] * 2, strict=True)) for line in lines
    ]


@pytest.mark.parametrize(
    ("highest", "top"),
    [(0, 1), (-3, 1), (0.07, 0.1), (1, 1), (1.1, 2), (23, 25), (26, 40), (41, 50), (501, 1000)],
)
def test_axes_end_at_round_numbers(highest: float, top: float) -> None:
    assert nice_top(highest) == pytest.approx(top)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (12.5, "12.5 s"), (185, "3:05"), (3600, "1:00:00")]
)
def test_times(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("value", "short", "long"),
    [
        (0, "0", "0"),
        (0.0005, "0.001", "0.001"),
        (2, "2", "2.00"),
        (12.04, "12", "12.0"),
        (1234567.8, "1,234,568", "1,234,568"),
    ],
)
def test_numbers(value: float, short: str, long: str) -> None:
    assert (number_text(value), measure_text(value)) == (short, long)


def test_a_curve_keeps_to_its_axes() -> None:
    series = [Series("started", "c-rate", (Band(0, 1, 50.0), Band(1, 2, 100.0)), is_filled=True)]
    figure = parsed(time_chart("Rate", "calls/s", series, 2.0))
    ((left, middle, corner, right),) = path_points(figure, "line c-rate")
    assert left[1] == middle[1] > corner[1] == right[1]  # twice the rate is higher up
    base = next(line for line in figure.iter("line") if line.get("class") == "base")
    bottom = float(base.get("y1", "0"))
    assert bottom - left[1] == pytest.approx((bottom - right[1]) / 2, abs=0.1)
    assert left[0] == float(base.get("x1", "0"))
    assert right[0] == float(base.get("x2", "0"))


def test_nothing_is_drawn_where_nothing_was_measured() -> None:
    bands = (Band(0, 1, 5.0), Band(1, 2, None), Band(2, 3, 7.0))
    figure = parsed(time_chart("Latency", "ms", [Series("slowest", "c-max", bands)], 3.0))
    assert [len(line) for line in path_points(figure, "line c-max")] == [2, 2]


def test_every_stretch_says_its_values() -> None:
    asked = Series("asked", "c-asked", points=((0.0, 0.0), (2.0, 100.0)))
    started = Series("started <1>", "c-rate", (Band(0, 1, 24.0), Band(1, 2, 76.5)))
    figure = parsed(time_chart("Rate", "calls/s", [started, asked], 2.0))
    assert [title.text for title in figure.iter("title")] == [
        "0 s\nstarted <1>: 24 calls/s\nasked: 25 calls/s",
        "1 s\nstarted <1>: 76.5 calls/s\nasked: 75 calls/s",
    ]


def test_an_empty_chart_is_a_chart() -> None:
    assert list(parsed(time_chart("Rate", "calls/s", [], 0.0)).iter("svg"))


def test_bars_are_as_long_as_their_values() -> None:
    bars = [("p50", 1.0, "1 ms"), ("max", 4.0, "4 ms")]
    figure = parsed(bar_chart("Lateness", "ms", bars, "c-late", "2 late"))
    short, long = (float(bar.get("width", "0")) for bar in figure.iter("rect"))
    assert long == pytest.approx(4 * short, abs=0.2)
    assert [text.text for text in figure.iter("text")] == ["p50", "1 ms", "max", "4 ms", "2 late"]
