"""Who may start instances when some can't hear each other: leases of workers, and who is lost.

A worker sends its time, its stamp, every now and then; the coordinator echoes it. The worker
holds its lease for `lease_s` from the moment that an *echoed* stamp was sent at, so that a cut in
either direction ends it. The coordinator calls a worker lost when it has heard nothing for
`lost_after_s`, and from then on echoes nothing of it any more. As every stamp that was echoed had
been heard, the lease ended at the latest `lease_s` after what was heard last, by when the
coordinator still has to wait: a worker stops before anybody takes over. Only the rates of two
clocks are compared, never their times. Pure: moments are seconds of the monotonic clock of
whoever asks.
"""

import math

# Two clocks count a second alike to within this, of a second: both are off by 100 ppm at most.
DRIFT = 200e-6


def check_times(lease_s: float, lost_after_s: float) -> None:
    """Check that a lease is over before its worker is called lost, whichever clock is fast.

    Errors: ValueError.
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
        """Return whether instances may be started now."""
        return now < self._until

    @property
    def until(self) -> float:
        """When it ends unless another stamp is echoed; -inf before the first."""
        return self._until


class Heard:
    """When somebody was heard last. Once lost it stays lost: who comes back is somebody new."""

    __slots__ = ("_is_lost", "_last", "lost_after_s")

    def __init__(self, lost_after_s: float, now: float) -> None:
        self.lost_after_s = lost_after_s
        self._last = now
        self._is_lost = False

    def note(self, now: float) -> bool:
        """Note that it is heard; return whether it counts: what comes from the lost does not."""
        if self.is_lost(now):
            return False
        self._last = now
        return True

    def is_lost(self, now: float) -> bool:
        """Return whether it has not been heard for `lost_after_s`, now or at any time before."""
        self._is_lost = self._is_lost or now - self._last >= self.lost_after_s
        return self._is_lost
