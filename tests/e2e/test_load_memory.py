"""Memory of a load, measured by the benchmark itself in its own process."""

import multiprocessing
from typing import Any

import pytest
from bench.bench_instances import measure

KIB_WAITING = 12
MIB_GROWTH = 8
RESULT_OCTETS = 2 * 1024 * 1024


def measured(part: str, count: int) -> dict[str, Any]:
    with multiprocessing.get_context("spawn").Pool(1) as process:
        found: dict[str, Any] = process.apply(measure, (part, count))
    return found


@pytest.mark.parametrize("count", [10_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_waiting_instances_are_small(count: int) -> None:
    assert measured("waiting", count)["kib_each"] <= KIB_WAITING


@pytest.mark.parametrize("count", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_memory_stays_flat(count: int) -> None:
    found = measured("million", count)
    assert found["growth_mib"] <= MIB_GROWTH, found
    assert found["result_octets"] <= RESULT_OCTETS
