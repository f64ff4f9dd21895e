"""A log-linear histogram of durations: bounded memory, at most 1 % error, mergeable. Pure.

Durations are kept in microseconds. Below 128 µs every microsecond has a bucket. Above, each
power of two is cut into 64 parts. A bucket is therefore at most 1/64 of its value wide, and its
middle is off by less than 0.8 %.
"""

from bisect import bisect_left
from itertools import accumulate

_PARTS = 64
_PARTS_BITS = 6


class Histogram:
    """Counts of durations."""

    __slots__ = ("_buckets", "count", "highest_us", "lowest_us", "sum_us")

    def __init__(self) -> None:
        self.count = 0
        self.sum_us = 0
        self.lowest_us = 0
        self.highest_us = 0
        self._buckets: dict[int, int] = {}

    def add(self, seconds: float) -> None:
        """Count one duration; a negative one (a clock can't do that) counts as 0."""
        micros = int(seconds * 1_000_000)
        if micros < 0:
            micros = 0
        self.count += 1
        self.sum_us += micros
        if micros > self.highest_us:
            self.highest_us = micros
        if micros < self.lowest_us or self.count == 1:
            self.lowest_us = micros
        shift = micros.bit_length() - _PARTS_BITS - 1
        key = micros if shift <= 0 else (shift << _PARTS_BITS) + (micros >> shift)
        buckets = self._buckets
        buckets[key] = buckets.get(key, 0) + 1

    def merge(self, other: "Histogram") -> None:
        """Add all durations of another histogram."""
        if not other.count:
            return
        self.lowest_us = min(self.lowest_us, other.lowest_us) if self.count else other.lowest_us
        self.highest_us = max(self.highest_us, other.highest_us)
        self.count += other.count
        self.sum_us += other.sum_us
        for key, count in other._buckets.items():
            self._buckets[key] = self._buckets.get(key, 0) + count

    def copy(self) -> "Histogram":
        """Return a histogram with the same durations."""
        found = Histogram()
        found.merge(self)
        return found

    def since(self, earlier: "Histogram") -> "Histogram":
        """Return the durations that were added after an earlier copy of this histogram.

        Their lowest and highest are those of all durations: merged with the copy, they give this
        histogram.
        """
        found = Histogram()
        found.count = self.count - earlier.count
        found.sum_us = self.sum_us - earlier.sum_us
        found.lowest_us, found.highest_us = self.lowest_us, self.highest_us
        before = earlier._buckets
        found._buckets = {
            key: count - before.get(key, 0)
            for key, count in self._buckets.items()
            if count != before.get(key, 0)
        }
        return found

    def as_list(self) -> list[int]:
        """Return [count, sum, lowest, highest, then bucket and its count, …], in microseconds."""
        found = [self.count, self.sum_us, self.lowest_us, self.highest_us]
        for key, count in self._buckets.items():
            found += (key, count)
        return found

    @classmethod
    def of_list(cls, numbers: list[int]) -> "Histogram":
        """Return the histogram of a list that as_list() returned."""
        found = cls()
        found.count, found.sum_us, found.lowest_us, found.highest_us = numbers[:4]
        found._buckets = dict(zip(numbers[4::2], numbers[5::2], strict=True))
        return found

    def counts_up_to(self, bounds_us: tuple[int, ...]) -> list[int]:
        """Return for each bound, ascending, how many durations do not exceed it.

        A bucket counts by its middle, so bounds are kept to 0.8 %.
        """
        found = [0] * (len(bounds_us) + 1)
        for key, count in self._buckets.items():
            found[bisect_left(bounds_us, _middle(key))] += count
        return list(accumulate(found[:-1]))

    def percentile_us(self, share: float) -> float:
        """Return the duration that `share` (0..1) of all do not exceed, 0.0 if there are none."""
        return self.percentiles_us((share,))[0]

    def percentiles_us(self, shares: tuple[float, ...]) -> list[float]:
        """Return several percentiles, in one pass."""
        if not self.count:
            return [0.0] * len(shares)
        keys = sorted(self._buckets)
        seen = list(accumulate(map(self._buckets.__getitem__, keys)))
        places = [bisect_left(seen, share * self.count) for share in shares]
        # The middle of a bucket may lie beyond what was really seen.
        return [
            min(max(_middle(keys[at]), self.lowest_us), self.highest_us)
            if at < len(keys)
            else float(self.highest_us)
            for at in places
        ]

    def summary(self, name: str) -> dict[str, object]:
        """Return the JSON form of a latency point, in milliseconds."""
        p50, p90, p99, p999 = self.percentiles_us((0.5, 0.9, 0.99, 0.999))
        mean = self.sum_us / self.count if self.count else 0.0
        return {
            "name": name,
            "count": self.count,
            "mean_ms": round(mean / 1000, 3),
            "p50_ms": round(p50 / 1000, 3),
            "p90_ms": round(p90 / 1000, 3),
            "p99_ms": round(p99 / 1000, 3),
            "p999_ms": round(p999 / 1000, 3),
            "max_ms": round(self.highest_us / 1000, 3),
        }


def _middle(key: int) -> float:
    """Return the middle of a bucket in microseconds."""
    if key < 2 * _PARTS:
        return float(key)
    shift = (key >> _PARTS_BITS) - 1
    part = key - (shift << _PARTS_BITS)
    return float((part << shift) + (1 << shift) / 2)
