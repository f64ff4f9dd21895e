"""Long walks, and releasing objects: others run in between, and shared objects stay."""

import gc
import weakref
from dataclasses import dataclass
from typing import Any

import pytest

from tsvc import turns


@dataclass
class Node:
    below: Any


def nested(levels: int) -> Any:
    made: Any = 1
    for _ in range(levels):
        made = [made]
    return made


def closing_over(value: Any) -> Any:
    return lambda: value


@pytest.mark.parametrize(
    "make",
    [
        lambda: [[n] for n in range(20_000)],
        lambda: {f"n{n}": {"a": n} for n in range(20_000)},
        lambda: tuple([n] for n in range(20_000)),
        lambda: Node([Node(n) for n in range(20_000)]),
        lambda: closing_over([closing_over([n]) for n in range(20_000)]),
        lambda: [nested(50) for _ in range(400)],
    ],
    ids=["lists", "dict", "tuple", "objects", "closures", "nests"],
)
def test_what_holds_much_goes_in_portions(make: Any) -> None:
    """This holds for containers of any kind. Once only JSON values were released in portions."""
    looks: list[int] = []
    gc.collect()
    things = [make()]
    with turns.given(lambda: looks.append(gc.get_count()[0])):
        turns.let_go(things)
    assert len(looks) > 20_000 // turns.PORTION // 4
    assert not things


def test_what_somebody_else_knows_stays_as_it_is() -> None:
    kept = {"list": [[1], [2]], "dict": {"a": [3]}, "node": Node([4])}
    known = weakref.ref(kept["node"])
    things: list[Any] = [[kept["list"], kept["dict"]], {"x": kept["node"], "y": kept}]
    turns.let_go(things)
    assert kept["list"] == [[1], [2]]
    assert kept["dict"] == {"a": [3]}
    assert known() is kept["node"]
    assert kept["node"].below == [4]
    del kept
    assert known() is None
