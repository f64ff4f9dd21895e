"""Snapshots: the numbered reports of a worker (player) about its part of a run, and their sum.

A snapshot has counts since the run began, and histograms and the series over time since the last
snapshot. The coordinator adds the durations of all players bucket by bucket, so that percentiles
of the sum are those of all durations. The counts prove that no duration is missing. Snapshots of a
player are added in their order; a missing snapshot is requested again. Pure.

Shape of a snapshot, in values that a link carries (numbers, texts, lists, objects):
    n, seconds      its number, from 0, and its time in the run
    counts          counts.as_dict() of a result, `planned` included
    sums            of the names in SUMS, since the run began
    moments         of the first and the last start, seconds of the run, or null
    state           as in a result
    response, service, lateness     histograms (Histogram.as_list) since the last snapshot
    operations      [[position, name, histogram], …], likewise
    series          [[seconds, started, finished, failed, aborted, histogram], …], likewise
    failures        groups of a result as JSON, since the run began, or null: unchanged
    slowest, halted lists of a result as JSON
    closings        object of counts, since the run began
    generator       as in a result
    fast_path       as in a result, as JSON
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any

from tsvc.engine.fast_path import MOST_GUARDS
from tsvc.engine.load.counters import MOST_GROUPS, MOST_VALUES, Bucket, Counters
from tsvc.engine.load.histogram import Histogram
from tsvc.values import dataclass

Snapshot = dict[str, Any]

KEPT = 60  # snapshots that can be requested again
SUMS = (
    *("late", "late_with_place", "lost_with_place", "crowd", "crowd_at_peers", "bugs"),
    *("warm_up_planned", "warm_up_started", "warm_up_finished"),
)
_POINTS = ("response", "service", "lateness")


class Ledger:
    """The snapshots that a player has made; `histograms` and `operations` are those of its run."""

    def __init__(
        self,
        counters: Counters,
        histograms: Callable[[], dict[str, Histogram]],
        operations: dict[tuple[int, str], Histogram],
    ) -> None:
        self._counters = counters
        self._histograms = histograms
        self._operations = operations
        self._before: dict[str, Histogram] = {}
        self._told_operations: dict[tuple[int, str], Histogram] = {}
        self._failures = ""
        self._series: list[list[Any]] = []
        self._last = Bucket()  # a copy of the last noted bucket, and its index
        self._last_index = 0
        self._number = 0
        self._kept: list[Snapshot] = []
        counters.on_halve = self._halving

    def take(self, snapshot: Snapshot, failures: str) -> Snapshot:
        """Return the next snapshot: the members of `snapshot`, and the changes since the last."""
        self._note_series()
        found: Snapshot = {"n": self._number, **snapshot, "series": self._series}
        for name, histogram in self._histograms().items():
            found[name] = histogram.since(self._before.get(name, Histogram())).as_list()
            self._before[name] = histogram.copy()
        found["operations"] = []
        for (position, name), histogram in self._operations.items():
            earlier = self._told_operations.get((position, name), Histogram())
            if histogram.count != earlier.count:
                found["operations"].append([position, name, histogram.since(earlier).as_list()])
                self._told_operations[position, name] = histogram.copy()
        found["failures"] = None if failures == self._failures else failures
        self._failures = failures
        self._series = []
        self._number += 1
        self._kept = [*self._kept[1 - KEPT :], found]
        return found

    def again(self, number: int | None) -> Snapshot | None:
        """Return an earlier snapshot, or None if it is too old. `number` None: the last one."""
        number = self._number - 1 if number is None else number
        return next((one for one in self._kept if one["n"] == number), None)

    def _note_series(self) -> None:
        buckets = self._counters.series(self._last_index)
        for offset, bucket in enumerate(buckets):
            new = bucket.since(self._last) if offset == 0 else bucket
            if new.started or new.finished:
                seconds = (self._last_index + offset) * self._counters.bucket_s
                counts = [new.started, new.finished, new.failed, new.aborted]
                self._series.append([seconds, *counts, new.durations.as_list()])
        if buckets:
            self._last_index += len(buckets) - 1
            self._last = buckets[-1].copy()

    def _halving(self) -> None:
        """Note the series before two buckets become one, and join the last bucket as well."""
        self._note_series()
        if self._last_index % 2:
            both = self._counters.series(self._last_index - 1)[0].copy()
            both.add(self._last)
            self._last = both
        self._last_index //= 2


class MergedCounters(Counters):
    """Counts of all players. started = finished + in_progress + lost."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = 0

    @property
    def in_progress(self) -> int:
        """The number of instances that are not over, without those of lost players."""
        return self.started - self.finished - self.lost

    def set(self, counts: dict[str, int], lost: int) -> None:
        """Set the sums; `lost` is the number of instances whose end is unknown."""
        for name in (
            "started",
            "passed",
            "failed",
            "aborted",
            "cancelled",
            "halted",
            "failed_then_cancelled",
            "malformed",
            "late_messages",
            "unchecked_refusals",
            "undefined_sent",
        ):
            setattr(self, name, counts[name])
        self.lost = lost

    def add(self, seconds: float, new: Bucket) -> None:
        """Add one player's counts of a bucket that begins at `seconds`."""
        self._bucket(seconds + 1e-9).add(new)

    def as_dict(self, planned: int) -> dict[str, int]:
        """Return the `counts` of a result."""
        return {**super().as_dict(planned), "lost": self.lost}

    def buckets(self, together: int = 1) -> list[dict[str, Any]]:
        """Return the series over time; `in_progress` is computed from the sums."""
        in_progress = 0
        for bucket in self.series():
            in_progress += bucket.started - bucket.finished
            bucket.in_progress = in_progress
        return super().buckets(together)


@dataclass(slots=True)
class PlayerRecord:
    """The snapshots of one player of a run."""

    name: str
    last_n: int = -1
    last: Snapshot = field(default_factory=dict)
    is_lost: bool = False
    waiting: dict[int, Snapshot] = field(default_factory=dict)  # came before earlier ones
    durations: int = 0  # the number of durations in its snapshots
    lateness: Histogram = field(default_factory=Histogram)  # of this player alone
    failures: list[dict[str, Any]] = field(default_factory=list)

    def count(self, name: str) -> int:
        counts: dict[str, int] = self.last.get("counts", {})
        return counts.get(name, 0)

    def sum(self, name: str) -> int:
        sums: dict[str, int] = self.last.get("sums", {})
        return sums.get(name, 0)


class Merge:
    """The sum of the snapshots of all players of a run."""

    def __init__(self, names: Iterable[str]) -> None:
        self.players = {name: PlayerRecord(name) for name in names}
        self.counters = MergedCounters()
        self.response, self.service, self.lateness = Histogram(), Histogram(), Histogram()
        self.operations: dict[tuple[int, str], Histogram] = {}

    def take(self, name: str, snapshot: Snapshot) -> list[int]:
        """Add a snapshot, and return the numbers of snapshots that must be requested again.

        A snapshot that was added before changes nothing. Errors: ValueError, if durations don't
        add up to the counts: a duration was lost, or was reported twice.
        """
        player = self.players[name]
        if snapshot["n"] > player.last_n:
            player.waiting[snapshot["n"]] = snapshot
        while (following := player.waiting.pop(player.last_n + 1, None)) is not None:
            self._add(player, following)
        self._set()
        return [n for n in range(player.last_n + 1, max(player.waiting, default=-1))
                if n not in player.waiting]  # fmt: skip

    def lose(self, name: str) -> None:
        """Count the instances that a player had in progress as lost."""
        self.players[name].is_lost = True
        self._set()

    def sum(self, name: str) -> int:
        """Return the sum of one of SUMS."""
        return sum(one.last["sums"][name] for one in self.players.values() if one.last)

    def planned(self) -> int:
        """Return the number of starts that were due by the last snapshots."""
        return sum(one.count("planned") for one in self.players.values())

    def moment(self, name: str) -> float | None:
        """Return the earliest `first_start`, or the latest `last_start`; None if there is none."""
        moments = [one.last["moments"][name] for one in self.players.values() if one.last]
        found = [moment for moment in moments if moment is not None]
        if not found:
            return None
        return float(min(found) if name == "first_start" else max(found))

    def failures(self) -> list[dict[str, Any]]:
        """Return the groups of all players as one list, the largest first."""
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for player in self.players.values():
            for group in player.failures:
                key = (group["state"], group["op"], group["cause"])
                found[key] = _both(found[key], group) if key in found else dict(group)
        groups = sorted(found.values(), key=lambda one: (-one["count"], one["first_s"]))
        if len(groups) <= MOST_GROUPS:
            return groups
        return _with_others(groups)

    def closings(self) -> dict[str, int]:
        """Return the counts of how dialogues were closed."""
        found: dict[str, int] = {}
        for player in self.players.values():
            for how, count in player.last.get("closings", {}).items():
                found[how] = found.get(how, 0) + count
        return found

    def fast_path(self) -> dict[str, Any]:
        """Return the member `fast_path` of the result: sums, and reasons of all players."""
        last = [one.last for one in self.players.values() if "fast_path" in one.last]
        told = [json.loads(one["fast_path"]) for one in last]
        guards: dict[tuple[int, str], int] = {}
        for guard in (guard for one in told for guard in one["guards"]):
            key = guard["operation"], guard["why"]
            guards[key] = guards.get(key, 0) + guard["count"]
        most = sorted(guards.items(), key=lambda item: -item[1])[:MOST_GUARDS]
        return {
            "instances": sum(one["instances"] for one in told),
            "fell_back": sum(one["fell_back"] for one in told),
            "branches": sum(one["branches"] for one in told),
            "not_eligible": next((one["not_eligible"] for one in told), []),
            "guards": [
                {"operation": operation, "why": why, "count": count}
                for (operation, why), count in most
            ],
        }

    def _add(self, player: PlayerRecord, snapshot: Snapshot) -> None:
        for name in _POINTS:
            getattr(self, name).merge(Histogram.of_list(snapshot[name]))
        player.lateness.merge(Histogram.of_list(snapshot["lateness"]))
        for position, name, numbers in snapshot["operations"]:
            histogram = self.operations.setdefault((position, name), Histogram())
            histogram.merge(Histogram.of_list(numbers))
        for seconds, started, finished, failed, aborted, numbers in snapshot["series"]:
            durations = Histogram.of_list(numbers)
            self.counters.add(
                seconds, Bucket(started, finished, failed, aborted, durations=durations)
            )
        if snapshot["failures"] is not None:
            player.failures = json.loads(snapshot["failures"])
        player.last, player.last_n = snapshot, snapshot["n"]
        player.durations += snapshot["service"][0]
        measured = player.count("finished") - snapshot["sums"]["warm_up_finished"]
        if player.durations != measured:
            text = f"{player.durations} durations of {measured} instances"
            raise ValueError(f"snapshot {player.last_n} of {player.name}: {text}")

    def _set(self) -> None:
        counts: dict[str, int] = {}
        lost = 0
        for player in self.players.values():
            for name, count in player.last.get("counts", {}).items():
                # Halted instances of a lost worker can't be resumed.
                is_gone = player.is_lost and name == "halted"
                counts[name] = counts.get(name, 0) + (0 if is_gone else count)
            lost += player.count("in_progress") if player.is_lost else 0
        if counts:
            self.counters.set(counts, lost)
            told = self.fast_path()
            self.counters.replayed, self.counters.fell_back = told["instances"], told["fell_back"]


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    first = min(one, other, key=lambda group: group["first_s"])
    values = [*one["values"], *(value for value in other["values"] if value not in one["values"])]
    return {
        **first,
        "count": one["count"] + other["count"],
        "last_s": max(one["last_s"], other["last_s"]),
        "values": values[:MOST_VALUES],
    }


def _with_others(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the largest groups, and one group for each state with all the others."""
    kept = groups[:MOST_GROUPS]
    others: dict[str, dict[str, Any]] = {}
    for group in groups[MOST_GROUPS:]:
        state = group["state"]
        rest = {**group, "op": None, "cause": "other causes"}
        others[state] = _both(others[state], rest) if state in others else rest
    return [*kept, *others.values()]
