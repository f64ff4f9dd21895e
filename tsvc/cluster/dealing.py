"""Assignment of a run to workers: stripes, backlog slots and bursts; and a result row for each."""

from collections.abc import Mapping
from typing import Any

from tsvc.cluster import snapshot
from tsvc.engine.compiler.parameters import Plan
from tsvc.engine.load.share import Share, dealt, divided
from tsvc.engine.result.result import limit_of
from tsvc.errors import Problem
from tsvc.values import dataclass


class Player:
    """The state of one worker in a run, without its snapshots."""

    def __init__(self, name: str, stripes: tuple[int, ...], backlog: int, burst: int) -> None:
        self.name = name
        self.stripes = stripes
        self.backlog = backlog
        self.burst = burst
        self.share = Share(0)
        self.problem: str | None = None
        self.is_ready = False
        self.is_done = False
        self.is_made = False  # its last snapshot says that all starts of its stripes are made
        self.is_lost = False
        # The next four are for a lost worker.
        self.planned = 0  # starts that its stripes planned after its last snapshot
        self.starts_until = 0.0  # the second of the run until which it may start instances
        self.unknown_measured = 0  # starts after the warm-up that may have been made unreported
        self.over_at = 0.0  # when its instances are surely over, by the run's clock
        self.clock_error_ms = 0.0
        self.share_serial = 0  # of the last change of its stripes
        self.told_at: float | None = None  # when its last snapshot came
        self.asked_at = 0.0
        # Messages without a `heard`, by serial: kind, body, and when the message was last sent.
        self.unheard: dict[int, tuple[str, dict[str, Any], float]] = {}

    @property
    def has_answered(self) -> bool:
        """True if the worker has reported that it is ready, or why not."""
        return self.is_ready or self.problem is not None

    def row(self, record: snapshot.PlayerRecord, now: float) -> dict[str, Any]:
        """Return its row in the `workers` of a result; `now` is in seconds of the run."""
        last = record.last
        age = None if not last or self.is_done else round(max(now - last["seconds"], 0.0), 3)
        return {
            "name": self.name,
            "state": self._state(),
            "stripes": len(self.stripes),
            "planned": record.count("planned"),
            "started": record.count("started"),
            "finished": record.count("finished"),
            "in_progress": record.count("in_progress"),
            "late": last["sums"]["late"] if last else 0,
            "lateness_p99_ms": round(record.lateness.percentile_us(0.99) / 1000, 3),
            "cpu": last["generator"]["cpu"] if last else 0.0,
            "loop_lag_ms": last["generator"]["loop_lag_ms"] if last else None,
            "clock_error_ms": None if self.is_lost else round(self.clock_error_ms, 3),
            "limited_by": _limited_by(record),
            "snapshot_age_s": age,
        }

    def _state(self) -> str:
        if self.is_lost:
            return "lost"
        return "done" if self.is_done else "playing" if self.is_ready else "preparing"


def _limited_by(record: snapshot.PlayerRecord) -> str | None:
    if not record.lateness.count:  # it has started nothing, or not by a schedule
        return None
    sums = record.last["sums"]
    started = record.count("started") - sums["warm_up_started"]
    return limit_of(
        started,
        record.count("planned") - sums["warm_up_planned"] - started,
        sums["late"],
        sums["late_with_place"] + sums["lost_with_place"],
        is_at_peers=sums["crowd_at_peers"] > sums["crowd"] / 2,
    )


@dataclass(frozen=True, slots=True)
class Takeover:
    """The stripes of a lost worker that other workers take over at a second of the run."""

    at: float
    lost: Player
    heirs: tuple[tuple[Player, tuple[int, ...]], ...]  # with all stripes that they have then


def deal(plan: Plan, weights: Mapping[str, int]) -> tuple[list[Player], int, list[Problem]]:
    """Assign a plan to workers, which are given by their names and weights.

    Return their states, the number of stripes in all, and remarks for the result.
    """
    names, remarks = list(weights), []
    if len(names) > plan.backlog:  # each worker needs at least one slot of the backlog
        text = f"{plan.backlog} of {len(names)} play it: a worker needs a place of the backlog"
        remarks.append(Problem("params.workers", text, severity="warning"))
        del names[plan.backlog :]
    hands = dealt([weights[name] for name in names])
    modulus, sizes = sum(map(len, hands)), list(map(len, hands))
    backlogs = [1 + more for more in divided(plan.backlog - len(names), sizes)]
    bursts = [max(one, 1) for one in divided(plan.burst, sizes)]
    players = []
    for name, hand, backlog, burst in zip(names, hands, backlogs, bursts, strict=True):
        # A segment of a run may already have only some stripes: these are divided further.
        stripes = [at * plan.modulus + own for at in hand for own in plan.stripes]
        player = Player(name, tuple(stripes), backlog, burst)
        player.share = Share(plan.total, modulus * plan.modulus, stripes)
        players.append(player)
    if sum(bursts) > plan.burst > 1:
        text = f"{sum(bursts)} of {len(names)} workers, at least 1 of each"
        remarks.append(Problem("distribution.cps.burst", text, severity="warning"))
    return players, modulus, remarks
