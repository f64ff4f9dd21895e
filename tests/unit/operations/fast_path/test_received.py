"""Received contents that expressions of later instances read: those of the recording."""

import pytest

from tsvc.operations.fast_path.recording import _received

LOG = [(1, {"A": {"b": 1}}), (4, {"A": {"b": {"c": 2}}, "B": [3]})]


@pytest.mark.parametrize(
    "lookups", [[], [("B", "b"), ("A", "x")], [("A", "b", "c")], [("A", "b", "c", "d")]]
)
def test_what_came_is_kept_by_the_operation_that_has_taken_it(
    lookups: list[tuple[str, ...]],
) -> None:
    assert _received(LOG, lookups) == dict(LOG)


@pytest.mark.parametrize("path", [("A",), ("A", "b"), ("B",)])
def test_what_has_members_could_be_changed_for_all(path: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="members"):
        _received(LOG, [path])


def test_an_operation_that_takes_something_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        _received([LOG[0], LOG[0]], [])
