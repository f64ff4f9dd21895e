"""Shared by the benchmarks: the spread of rounds, the CPU time of processes, the machine."""

import os
import platform
import subprocess
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]


def spread(values: Iterable[float], digits: int = 2) -> dict[str, float]:
    """Return median, lowest and highest of the rounds."""
    found = list(values)
    return {
        "median": round(median(found), digits),
        "lowest": round(min(found), digits),
        "highest": round(max(found), digits),
    }


def cpu_s(process: int) -> float:
    """Return the CPU seconds, user and system, of another process.

    They are those of its live threads, from the scheduler's own account in nanoseconds; the usual
    count of ticks misses work that takes less than a tick.
    """
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9


def resident_kib(process: int | str = "self") -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def expect(holds: bool, what: object = "") -> None:
    """Stop the part if a condition does not hold; asserts may be switched off (python -O).

    Errors: RuntimeError with `what`.
    """
    if not holds:
        raise RuntimeError(f"not as it has to be: {what}")


class Others:
    """The other work of the machine since this object was made; shown with wall-clock figures."""

    def __init__(self) -> None:
        self._begun = _processors(), _ours()

    def share(self) -> float:
        """Return the share of all processors that was used neither by us nor by our children.

        Children count after they have been waited for.
        """
        (busy, total), ours = self._begun
        busy_now, total_now = _processors()
        passed = total_now - total
        return max(busy_now - busy - (_ours() - ours), 0.0) / passed if passed else 0.0


def _processors() -> tuple[float, float]:
    """Return the busy seconds of all processors, and all their seconds."""
    first = Path("/proc/stat").read_text().partition("\n")[0]
    # user nice system idle iowait irq softirq steal; later columns are part of user.
    ticks = [int(word) for word in first.split()[1:9]]
    idle = ticks[3] + ticks[4]
    a_second = os.sysconf("SC_CLK_TCK")
    return (sum(ticks) - idle) / a_second, sum(ticks) / a_second


def _ours() -> float:
    return sum(os.times()[:4])


def machine() -> dict[str, Any]:
    """Return what the figures depend on, and how busy other work keeps the machine now."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if "model name" in line), "?")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "build": _build(),
        "commit": _commit(),
        "load_average": [round(one, 2) for one in os.getloadavg()],
    }


def _build() -> str:
    """Return how this Python was built, as far as it affects the costs."""
    flags = str(sysconfig.get_config_var("CONFIG_ARGS") or "")
    ways = [name if flag in flags else f"no {name}" for name, flag in _WAYS.items()]
    return f" ({', '.join([platform.python_compiler(), *ways])})"


_WAYS = {"PGO": "--enable-optimizations", "LTO": "--with-lto"}


def _commit() -> str:
    """Return the commit, with a + if the package or the benchmarks differ from it."""

    def git(*words: str) -> str:
        found = subprocess.run(
            ["git", "--no-optional-locks", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        return found.stdout.strip()

    changed = git("status", "--porcelain", "--", "tsvc", "tests/bench")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
