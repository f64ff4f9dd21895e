"""Shared by the tests of MAP: our own vectors."""

from pathlib import Path

import pytest
from unit.protocols.own_vectors import Vector, give, vectors_in

from tsvc.protocols.map.operation import OPERATIONS


def own_vectors() -> list[Vector]:
    return vectors_in(Path(__file__).parent / "vectors", OPERATIONS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    give(metafunc, own_vectors)
