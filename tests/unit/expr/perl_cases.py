"""The lines of perl_cases.txt, and the variables that they use."""

from pathlib import Path

CASES = [
    line
    for line in (Path(__file__).parent / "perl_cases.txt").read_text("utf-8").split("\n")
    if line and not line.startswith("##")
]

V = {
    "n": 5,
    "s": "abc",
    "zero": 0,
    "one": 1,
    "key": "a",
    "prefix": "ab",
    "dot": "a.c",
    "undefined": None,
    "h": {"a": "abc", "b": {"c": "deep"}},
    "l": [3, "1", 2.5],
    "nested": [{"x": 1, "w": "first"}, {"x": "two", "y": [7]}],
    "nums": {"a": 1, "b": 2, "c": 3},
    "small": {"k": "v"},
    "one_pair": {"k": 1},
    "words": ["pear", "fig", "apple", "b"],
    "empty": [],
    "emptyh": {},
}
I = {"Connect": {"destinationRoutingAddress": ["83901234"], "cut": 4}}  # noqa: E741
G = {"count": 10}
R = {"run_id": "run 1", "idx": 0}
