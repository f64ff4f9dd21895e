"""Leases of workers, and lost workers: the permission to start instances when a link is cut.

A worker regularly sends its time (a stamp), and the coordinator echoes it. The worker holds its
lease for `lease_s` from the time at which an *echoed* stamp was sent. So a cut in either direction
ends the lease. The coordinator regards a worker as lost when it has received nothing from it for
`lost_after_s`; from then on it echoes none of its stamps. Every echoed stamp was received before,
so the lease ends at most `lease_s` after the last message that the coordinator received. As
`lost_after_s` is longer, a worker stops before others take over its part. Only the rates of the
two clocks matter, not their times. Pure: times are seconds of the caller's monotonic clock.
"""

import math

# Two clocks differ by at most this much in a second: the rate of each is off by at most 100 ppm.
DRIFT = 200e-6


def check_times(lease_s: float, lost_after_s: float) -> None:
    """Check that a lease ends before its worker counts as lost, whichever clock is faster.

    Errors: ValueError if it does not.
    """
    if not 0 < lease_s < math.inf or not 0 < lost_after_s < math.inf:
        raise ValueError("lease_s and lost_after_s are seconds above 0")
    if lease_s * (1 + DRIFT) >= lost_after_s * (1 - DRIFT):
        raise ValueError(f"lost_after_s ({lost_after_s:g}) is to be above lease_s ({lease_s:g})")


class Lease:
    """A worker's permission to start instances; there is none before the first echo."""

    __slots__ = ("_lease_s", "_until")

    def __init__(self, lease_s: float) -> None:
        self._lease_s = lease_s
        self._until = -math.inf

    def echoed(self, stamp: float) -> None:
        """Note that the coordinator echoed a stamp. A late echo of an old one changes nothing."""
        self._until = max(self._until, stamp + self._lease_s)

    def is_held(self, now: float) -> bool:
        """Return True if instances may be started now."""
        return now < self._until

    @property
    def until(self) -> float:
        """The time at which it ends unless another stamp is echoed; -inf before the first echo."""
        return self._until


class Heard:
    """The time of a peer's last message. A lost peer stays lost: it comes back as a new one."""

    __slots__ = ("_is_lost", "_last", "lost_after_s")

    def __init__(self, lost_after_s: float, now: float) -> None:
        self.lost_after_s = lost_after_s
        self._last = now
        self._is_lost = False

    def note(self, now: float) -> bool:
        """Note that the peer was heard. Return False, and note nothing, if the peer is lost."""
        if self.is_lost(now):
            return False
        self._last = now
        return True

    def is_lost(self, now: float) -> bool:
        """Return True if the peer was not heard for `lost_after_s`, now or at any time before."""
        self._is_lost = self._is_lost or now - self._last >= self.lost_after_s
        return self._is_lost
