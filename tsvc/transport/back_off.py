"""The pause before the next attempt: longer each time, and random to avoid synchronous retries."""

from collections.abc import Callable

_FIRST_S = 0.2


def pause_s(failures: int, longest_s: float, random: Callable[[], float]) -> float:
    """Return the seconds after the n-th failure in a row: doubling, jittered down to half."""
    pause: float = min(_FIRST_S * 2 ** min(failures - 1, 30), longest_s)
    return pause * (0.5 + random() / 2)
