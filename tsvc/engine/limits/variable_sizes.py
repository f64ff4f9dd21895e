"""Sizes of the variables of a run: an instance that makes them grow without end is ended.

Variables that are known to be small are not weighed: an instance is weighed when its evaluations
have made more memory than its variables had when they were weighed last.
"""

from collections.abc import Callable, Iterable
from sys import getsizeof
from typing import Any

MEBIBYTE = 1 << 20
MAX_INSTANCE = 64 * MEBIBYTE  # the variables of one Test Instance
MAX_RUN = 512 * MEBIBYTE  # $g, and the variables of all instances that are in progress
FIRST_LOOK = MEBIBYTE // 16  # octets that an instance may make before it is weighed
_SMALL = 1024  # octets: a smaller text is counted wherever it occurs, a larger one once
_PORTION = 1000  # values weighed before other greenlets run


def weigh(roots: Iterable[Any], limit: int, tick: Callable[[], object]) -> int:
    """Return the octets that JSON values and all in them occupy; stop counting at `limit`.

    `tick` is called now and then and may yield: the values may change meanwhile.
    """
    octets = 0
    seen: set[int] = set()
    waiting: list[Any] = [*roots]
    looked_at = 0
    while waiting and octets < limit:
        looked_at += 1
        if looked_at % _PORTION == 0:
            tick()
        value = waiting.pop()
        size = getsizeof(value)
        is_container = isinstance(value, dict | list)
        if is_container or size > _SMALL:
            if id(value) in seen:
                continue
            seen.add(id(value))
        octets += size
        if is_container:
            if isinstance(value, dict):
                waiting += value.keys()
                waiting += value.values()
            else:
                waiting += value
    return octets


class Weights:
    """The octets of the variables of a run's instances, when they were weighed last."""

    def __init__(self) -> None:
        self._of_instances: dict[int, int] = {}
        self._sum = 0

    def note(self, idx: int, octets: int) -> None:
        """Store the weight of an instance."""
        self._sum += octets - self._of_instances.get(idx, 0)
        self._of_instances[idx] = octets

    def forget(self, idx: int) -> None:
        """Remove an instance that is over."""
        self._sum -= self._of_instances.pop(idx, 0)

    @property
    def octets(self) -> int:
        """The weight of the variables of all instances in progress."""
        return self._sum

    def problem(self, own: int, shared: int) -> str | None:
        """Return why an instance of this weight must end, given that of $g; or None."""
        if own >= MAX_INSTANCE:
            return f"the variables take more than {MAX_INSTANCE // MEBIBYTE} MiB"
        if self._sum + shared >= MAX_RUN:
            return f"$g and the variables of the run take more than {MAX_RUN // MEBIBYTE} MiB"
        return None
