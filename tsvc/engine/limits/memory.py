"""What the process takes of the machine's memory, what it may take, and when that is too much."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_STATM = Path("/proc/self/statm")
_PAGE_OCTETS = os.sysconf("SC_PAGE_SIZE")
_MEBIBYTE = 1 << 20

AUTOMATIC = -1  # engine.max_memory_mib: a share of what the machine or the cgroup allows
_OWN_SHARE = 0.8
_START_SHARE = 0.9  # of the ceiling: runs that are in progress need the rest
_END_SHARE = 0.95  # from here on a run has to go, before the system ends all of them

_PROC_CGROUP = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")


def resident_octets() -> int | None:
    """Return the octets of memory that the process occupies, None where Linux does not say."""
    try:
        return int(_STATM.read_text("ascii").split()[1]) * _PAGE_OCTETS
    except (OSError, ValueError, IndexError):
        return None


def allowed_octets() -> int | None:
    """Return what the process may occupy: the lowest limit of its cgroups, else all there is.

    None where the system says neither.
    """
    limits = [*_cgroup_limits()]
    with suppress(OSError, ValueError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * _PAGE_OCTETS)
    return min((limit for limit in limits if limit > 0), default=None)


def ceiling_mib(configured: int) -> int:
    """Return the ceiling in MiB that engine.max_memory_mib means; 0 = none."""
    if configured != AUTOMATIC:
        return configured
    allowed = allowed_octets()
    return 0 if allowed is None else int(allowed * _OWN_SHARE) // _MEBIBYTE


def memory_problem(ceiling: int) -> str | None:
    """Return why no further run may start under a ceiling of MiB (0 = none), or None."""
    occupied = _occupied_mib(ceiling, _START_SHARE)
    if occupied is None:
        return None
    return f"{occupied} MiB of memory are in use, of {ceiling} (engine.max_memory_mib)"


def memory_emergency(ceiling: int) -> str | None:
    """Return why a run has to be ended under a ceiling of MiB (0 = none), or None."""
    occupied = _occupied_mib(ceiling, _END_SHARE)
    if occupied is None:
        return None
    return (
        f"ended to save the service: {occupied} MiB of memory were in use,"
        f" of {ceiling} (engine.max_memory_mib), and this run held most"
    )


def _occupied_mib(ceiling: int, share: float) -> int | None:
    """Return the MiB in use if they are that share of the ceiling or more."""
    occupied = resident_octets() if ceiling else None
    if occupied is None or occupied < ceiling * _MEBIBYTE * share:
        return None
    return occupied // _MEBIBYTE


def _cgroup_limits() -> Iterator[int]:
    """Yield the limits of the process's cgroups and of those around them, versions 1 and 2."""
    try:
        lines = _PROC_CGROUP.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            yield from _limits_upwards(_CGROUPS, path, "memory.max")
        elif "memory" in controllers.split(","):
            yield from _limits_upwards(_CGROUPS / "memory", path, "memory.limit_in_bytes")


def _limits_upwards(root: Path, path: str, file: str) -> Iterator[int]:
    # Inside a container the path may be that of the host, and what is mounted only its end.
    place = root / path.lstrip("/")
    for folder in (place, *place.parents):
        if not folder.is_relative_to(root):
            return
        try:
            yield int((folder / file).read_text("ascii"))
        except (OSError, ValueError):  # no such folder, no limit ("max")
            continue
