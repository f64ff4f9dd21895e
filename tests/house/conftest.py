"""Modules of tests about the tree leave nothing behind."""

from collections.abc import Iterator

import pytest
from house.source import tree_of


@pytest.fixture(autouse=True, scope="module")
def trees() -> Iterator[None]:
    yield
    tree_of.cache_clear()
