"""Several cases in one test: all cases are tried, and failed cases are named."""

from pathlib import Path

import pytest

from support import tiers
from support.each import CASES, each

SEEN: list[tuple[int, str]] = []


@each(("number", "text"), [(1, "a"), pytest.param(2, "b", id="second")])
def test_it_is_called_with_each(tmp_path, text, number):
    assert tmp_path.is_dir()
    SEEN.append((number, text))


def test_all_were_tried():
    test_it_is_called_with_each(tmp_path=Path("/"))
    assert SEEN[-2:] == [(1, "a"), (2, "b")]


def test_who_fails_is_named_and_the_others_are_tried():
    tried = []

    @each("case", [1, pytest.param(2, id="two"), 3, 4], ids=lambda one: f"<{one}>")
    def test(case):
        tried.append(case)
        assert case % 2, "is even"

    with pytest.raises(
        AssertionError, match=r"(?s)^2 of 4:\ntwo: is even.*\n<4>: is even"
    ) as told:
        test()
    assert tried == [1, 2, 3, 4]
    assert "is even" in str(told.value.__cause__)


def test_of_many_a_sample_is_tried(monkeypatch):
    tried = []

    @each("case", range(500))
    def test(case):
        tried.append(case)

    monkeypatch.setattr(tiers, "SAMPLES", False)
    test()
    assert tried == [*range(500)]
    tried.clear()
    monkeypatch.setattr(tiers, "SAMPLES", True)
    test()
    assert len(tried) == CASES
    assert tried == sorted(tried)


def test_without_cases_it_fails():
    with pytest.raises(AssertionError, match="no cases"):
        each("case", [])(lambda case: None)()
