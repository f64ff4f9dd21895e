import subprocess
import sys

import pytest
from support.daemons import HANG_GUARD_S, ROOT

from tsvc.engine.limits import memory
from tsvc.engine.limits.memory import memory_problem, resident_octets

OCCUPYING = """
from tsvc.engine.limits.memory import resident_octets

before = resident_octets()
kept = bytearray(64 << 20)
kept[::4096] = b"x" * len(kept[::4096])
assert resident_octets() - before > 48 << 20
"""


def test_a_process_occupies_memory():
    """It runs in its own process: a process that has freed memory may not need more."""
    subprocess.run([sys.executable, "-c", OCCUPYING], cwd=ROOT, check=True, timeout=HANG_GUARD_S)


@pytest.mark.parametrize(
    ("occupied_mib", "ceiling", "is_refused"),
    [(500, 0, False), (89, 100, False), (90, 100, True), (200, 100, True), (None, 1, False)],
)
def test_runs_are_refused_from_90_percent(monkeypatch, occupied_mib, ceiling, is_refused):
    occupied = None if occupied_mib is None else occupied_mib << 20
    monkeypatch.setattr(memory, "resident_octets", lambda: occupied)
    problem = memory_problem(ceiling)
    assert (problem is not None) == is_refused
    if is_refused:
        assert problem.startswith(f"{occupied_mib} MiB of memory are in use, of {ceiling}")


def test_where_the_system_does_not_say(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_STATM", tmp_path / "absent")
    assert resident_octets() is None
