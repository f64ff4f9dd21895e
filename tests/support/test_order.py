"""None of the longest files comes last."""

from support.order import LONGEST, SPREAD, TESTS, rank

FILES = sorted(TESTS.rglob("test_*.py"))


def test_every_file_of_the_table_is_there() -> None:
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == []


def test_the_longest_are_spread() -> None:
    """A long file begins when the long files before it have had their share of the run."""
    ranks = [rank(TESTS / name) for name in LONGEST]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0.0
    assert max(ranks) < SPREAD
    files = sorted(FILES, key=rank)
    first, *_, last = LONGEST
    assert files.index(TESTS / last) - files.index(TESTS / first) > len(files) / 2
