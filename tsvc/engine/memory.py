"""What the process takes of the machine's memory, and when that is too much for another run."""

import os
from pathlib import Path

_STATM = Path("/proc/self/statm")
_PAGE_OCTETS = os.sysconf("SC_PAGE_SIZE")
_MEBIBYTE = 1 << 20
_START_SHARE = 0.9  # of the ceiling: runs that are in progress need the rest


def resident_octets() -> int | None:
    """Return the octets of memory that the process occupies, None where Linux does not say."""
    try:
        return int(_STATM.read_text("ascii").split()[1]) * _PAGE_OCTETS
    except (OSError, ValueError, IndexError):
        return None


def memory_problem(max_mib: int) -> str | None:
    """Return why no further run may start under a ceiling of MiB (0 = none), or None."""
    if not max_mib:
        return None
    occupied = resident_octets()
    if occupied is None or occupied < max_mib * _MEBIBYTE * _START_SHARE:
        return None
    return f"{occupied // _MEBIBYTE} MiB of memory are in use, engine.max_memory_mib is {max_mib}"
