"""The sample that make test runs, of functions with many cases and of expensive files."""

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from support.tiers import CASES, FILES, TESTS, sample_of

ELSEWHERE = "unit/test_some.py"


@dataclass
class Marker:
    """The mark that sets how many cases of a function run."""

    args: tuple[int]


@dataclass(eq=False)
class Item:
    """The part of a pytest item that sampling reads."""

    nodeid: str
    path: Path
    marker: Marker | None

    def get_closest_marker(self, name: str) -> Marker | None:
        return self.marker


def items(function: str, count: int, file: str = ELSEWHERE, sampled: int | None = None) -> Any:
    """Return the cases of a function."""
    marker = None if sampled is None else Marker((sampled,))
    return [
        Item(f"tests/{file}::{function}[{number}]", TESTS / file, marker)
        for number in range(count)
    ]


def names(found: Any) -> list[str]:
    return [one.nodeid for one in found]


def test_of_a_long_function_some_cases_run() -> None:
    given = items("test_long", CASES + 20)
    kept, left_out = sample_of(given, "1")
    assert len(kept) == CASES
    assert sorted(names(kept + left_out)) == sorted(names(given))
    assert names(kept) == [name for name in names(given) if name in names(kept)], "their order"


def test_the_seed_chooses() -> None:
    given = items("test_long", CASES + 20)
    assert names(sample_of(given, "1")[0]) == names(sample_of(given, "1")[0])
    assert names(sample_of(given, "1")[0]) != names(sample_of(given, "2")[0])


def test_each_function_has_a_sample_of_its_own() -> None:
    given = [*items("test_a", CASES + 1), *items("test_b", CASES), *items("test_c", CASES * 2)]
    assert len(sample_of(given, "1")[0]) == CASES * 3


def test_a_mark_says_another_number() -> None:
    given = [*items("test_a", 50, sampled=40), *items("test_b", 50, sampled=3)]
    assert len(sample_of(given, "1")[0]) == 43


def test_a_test_without_cases_runs() -> None:
    (one,) = items("test_one", 1)
    one.nodeid = one.nodeid.partition("[")[0]
    assert sample_of([one], "1") == ([one], [])


def test_a_file_of_the_table_has_its_own_number() -> None:
    name = max((one for one in FILES if "*" not in one), key=lambda name: FILES[name])
    given = items("test_long", FILES[name] + 30, name)
    assert len(sample_of(given, "1")[0]) == FILES[name] > CASES


def test_files_may_share_a_number() -> None:
    key = "e2e/test_load_*.py"
    given = [
        *items("test_a", FILES[key], "e2e/test_load_pace.py"),
        *items("test_b", FILES[key], "e2e/test_load_stamps.py"),
    ]
    kept, left_out = sample_of(given, "1")
    assert len(kept) == len(left_out) == FILES[key]


def test_every_file_of_the_table_is_there_and_in_one_group() -> None:
    names = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")]
    patterns = [one for key in FILES for one in key.split()]
    assert [one for one in patterns if not fnmatch_any(names, one)] == []
    for name in names:
        assert sum(fnmatch(name, one) for one in patterns) <= 1, name


def fnmatch_any(found: list[str], pattern: str) -> bool:
    """Return True if a pattern matches a name."""
    return any(fnmatch(name, pattern) for name in found)
