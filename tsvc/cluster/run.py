"""A Test Run that several workers play: what Service has in place of a Run.

It starts no instance itself. It deals the stripes and the backlog, says when to begin and what
changes when, adds up what workers tell, and when one is lost says so and gives its stripes to the
others. All moments that it sends are later than any worker hears of them.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

import gevent
from gevent.event import Event

from tsvc.cluster.snapshot import Merge, Snapshot
from tsvc.cluster.workers import Workers
from tsvc.engine.definition.parameters import Pace, pace_of
from tsvc.engine.instance import Instance
from tsvc.engine.load.counters import FailureGroups, InstanceState
from tsvc.engine.load.generator import GeneratorLoad
from tsvc.engine.load.share import STRIPES, Share, dealt, divided
from tsvc.engine.run import Run, RunState
from tsvc.errors import Problem, StartError
from tsvc.log import get_logger
from tsvc.results.records import Record, messages_from_json

log = get_logger("cluster")

_PREPARE_S = 30.0  # in which every worker has compiled the definition
_BEGIN_S = 0.5  # from when all are ready
_LEAD_S = 0.25  # from when a change is said to its moment, four worst round trips and more
_TAKEOVER_S = 0.5
_LOOK_S = 0.2
_SLOWEST = 10


class KeptInstance:
    """An instance that a worker has kept in detail: what a result and a trace look at."""

    def __init__(self, told: Mapping[str, Any], records: list[Record]) -> None:
        """`told` is its detail, or as much of it as is known."""
        self.idx = int(told["idx"])
        self.detail: dict[str, Any] | None = {
            "vars": {},
            "check_log": [],
            "trace_log": [],
            **told,
        }
        self.state = InstanceState(told["state"])
        self.reason = told["reason"]
        seconds, micros = told["time_start"]
        self.wall_start = seconds + micros / 1e6
        self.started_at = 0.0
        self.finished_at = told.get("duration", 0.0)
        self._records = records

    def recorded(self) -> list[Record]:
        """Return its messages."""
        return self._records

    def release_variables(self) -> None:
        """It has none of its own."""


def _kept(told: Mapping[str, Any], records: list[Record]) -> Instance:
    """Return it as what a run keeps: whoever looks at kept ones finds there what is needed."""
    return cast(Instance, KeptInstance(told, records))


class _Halted:
    """A halted instance of a worker."""

    def __init__(self, run: "SharedRun", worker: str, idx: int) -> None:
        self._run, self._worker, self._idx = run, worker, idx

    def resume(self) -> bool:
        """Have its worker let it go on."""
        return self._run.say(self._worker, "resume", {"idx": self._idx})


class _Generators(GeneratorLoad):
    """The loads of all workers: the most loaded one is what the run is limited by."""

    def __init__(self, now: float, merge: Merge) -> None:
        super().__init__(now)
        self._merge = merge

    def as_dict(self, now: float) -> dict[str, Any]:
        told = [one.last["generator"] for one in self._merge.players.values() if one.last]
        lags = [one["loop_lag_ms"] for one in told if one["loop_lag_ms"] is not None]
        return {
            "cpu": max((one["cpu"] for one in told), default=0.0),
            "loop_lag_ms": max(lags, default=None),
        }


class _Groups(FailureGroups):
    """The failure groups of all workers."""

    def __init__(self, merge: Merge) -> None:
        super().__init__()
        self._merge = merge

    def as_list(self) -> list[dict[str, Any]]:
        return self._merge.failures()


class _Player:
    """What the run knows of one of its workers beside its snapshots."""

    def __init__(self, name: str, stripes: tuple[int, ...], backlog: int, burst: int) -> None:
        self.name = name
        self.stripes = stripes
        self.backlog = backlog
        self.burst = burst
        self.share = Share(0)
        self.problem: str | None = None
        self.is_ready = False
        self.is_done = False
        self.is_made = False  # all starts of its stripes, when it was asked last
        self.is_lost = False
        self.planned = 0  # of a lost one: what its stripes planned for it


class SharedRun(Run):
    """A run that workers play."""

    def __init__(self, workers: Workers, names: Iterable[str], *args: Any, **more: Any) -> None:
        """`names` are those of the workers; the rest is as of a Run."""
        super().__init__(*args, **more)
        params = self.compiled.params
        self._workers = workers
        self._allows_lost: bool = params.get("allow_lost", False)
        self._on_lost: str = params.get("on_lost", "takeover")
        names = list(names)
        self._number = workers.enter(self)
        self._players = {one.name: one for one in self._deal(names)}
        self.merge = Merge(names)
        self.counters = self.merge.counters
        self.response, self.service = self.merge.response, self.merge.service
        self.lateness, self.operations = self.merge.lateness, self.merge.operations
        self.failures = _Groups(self.merge)
        self.generator = _Generators(self.clock.now(), self.merge)
        self._serial = 0
        self._changed = Event()
        self._closed = False
        self._slow: dict[int, Instance] = {}

    def _deal(self, names: list[str]) -> list[_Player]:
        plan = self.compiled.plan
        hands = dealt(len(names))
        self._modulus = STRIPES if len(names) <= 64 else sum(map(len, hands))
        weights = [len(hand) for hand in hands]
        backlogs = divided(plan.backlog, weights)
        bursts = [max(one, 1) for one in divided(plan.burst, weights)]
        found = []
        for name, hand, backlog, burst in zip(names, hands, backlogs, bursts, strict=True):
            # A segment deals stripes before this run does: what is its own is dealt again.
            stripes = [at * plan.modulus + own for at in hand for own in plan.stripes]
            player = _Player(name, tuple(stripes), backlog, burst)
            player.share = Share(plan.total, self._modulus * plan.modulus, stripes)
            found.append(player)
        if sum(bursts) > plan.burst > 1:
            text = f"{sum(bursts)} of {len(names)} workers, at least 1 of each"
            self.remarks.append(Problem("distribution.cps.burst", text, severity="warning"))
        return found

    # -- life --------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Have every worker compile the definition and look at its gateways.

        Blocks: until all have, or one can't. Errors: StartError, after which nothing is left.
        """
        plan = self.compiled.plan
        text = json.dumps(dict(self.compiled.params))
        first = min(self._players.values(), key=lambda one: min(one.stripes))
        for player in self._players.values():
            body = {
                "params": text,
                "seed": self.seed,
                "modulus": self._modulus * plan.modulus,
                "stripes": list(player.stripes),
                "backlog": player.backlog,
                "burst": player.burst,
                "is_first": player is first,
            }
            if not self.say(player.name, "prepare", body):
                player.problem = "it is not there"
        if not self._until(lambda: all(map(_has_answered, self._players.values())), _PREPARE_S):
            for player in self._players.values():
                if not _has_answered(player):
                    player.problem = f"not ready in {_PREPARE_S:g} s"
        for player in self._players.values():
            if player.problem is not None:
                self.undo()
                text = f"worker {player.name}: {player.problem}"
                raise StartError(text, kind="cluster.worker", worker=player.name)

    def undo(self) -> None:
        """Leave nothing at the workers: the run is not started."""
        for player in self._players.values():
            self.say(player.name, "forget", {})
        self._workers.leave(self._number)

    def start(self) -> None:
        """Have all begin at one moment; returns at once."""
        if self.compiled.plan.start_at is None:
            self.begin_at(self.clock.now() + _BEGIN_S)
        super().start()
        for player in self._players.values():
            self.say(player.name, "start", {"at": self.started_at})

    def _execute(self) -> None:
        try:
            while not all(one.is_done or one.is_lost for one in self._players.values()):
                self._changed.wait(_LOOK_S)
                self._changed.clear()
                self._close_if_made()
            if self._on_lost == "cancel" and self.lost:
                self.worsen("cancelled")
        except BaseException as error:  # noqa: BLE001 - the run must end, whatever happened
            self.bugs += 1
            self.worsen("abort")
            log.failure("run failed", error, run_id=self.run_id)
        self._workers.leave(self._number)
        self.starter.stop()
        self.starter.stopped_at = self.clock.now() - self.started_at
        self.halted.clear()
        for idx in sorted(self._slow, key=lambda one: -self._slow[one].finished_at)[_SLOWEST:]:
            del self._slow[idx]
        if self._slow:
            self.slowest = sorted(self._slow.values(), key=lambda one: -one.finished_at)
        self._complete()

    def _close_if_made(self) -> None:
        """When all starts are made, no worker need wait for stripes of another one."""
        live = [one for one in self._players.values() if not one.is_lost]
        if not self._closed and all(one.is_made or one.is_done for one in live):
            self._closed = True
            for player in live:
                self.say(player.name, "close", {})

    def _throw_cancel(self) -> None:
        for player in self._players.values():
            self.say(player.name, "cancel", {"grace_s": self._grace_s})

    def cancel(self, grace_s: float) -> bool:
        """As of a Run; workers have the grace, and a moment to tell what became of it."""
        self._grace_s = grace_s
        if self.state is RunState.STARTING:  # prepare() then refuses it
            for player in self._players.values():
                player.problem = player.problem or "the run was cancelled before it began"
            self._changed.set()
            return True
        return super().cancel(grace_s + _LOOK_S)

    _grace_s = 1.0

    # -- what changes it ---------------------------------------------------------------------

    def set_pace(self, pace: Pace, cps: Mapping[str, Any]) -> None:
        """Go on at another rate from a moment on that all workers hear of before."""
        at = self._moment()
        whole = dict(cps)
        if "stages" not in whole:
            # A ramp without it begins at the rate of that moment, which each would compute anew.
            whole.setdefault("initial", self.starter.current_cps())
        self.starter.set_pace(pace_of(whole), at)
        self._say_change(at, {"what": "rate", "cps": whole})

    def set_paused(self, is_paused: bool) -> None:
        """Make no starts, or go on."""
        at = self._moment()
        self.starter.set_paused(is_paused, at)
        self._say_change(at, {"what": "pause" if is_paused else "resume"})

    def stop_starting(self) -> None:
        """Make no more starts."""
        at = self._moment()
        self.starter.end_at(at)
        self._say_change(at, {"what": "end"})

    def _moment(self) -> float:
        return self.clock.now() + _LEAD_S - self.started_at

    def _say_change(self, at: float, change: Mapping[str, Any], to: str | None = None) -> None:
        self._serial += 1
        body = {"serial": self._serial, "at": at, **change}
        for player in self._players.values():
            if not player.is_lost and (to is None or player.name == to):
                self.say(player.name, "change", body)

    def say(self, worker: str, kind: str, body: dict[str, Any]) -> bool:
        """Send a worker something of this run; return whether it is there."""
        return self._workers.send(worker, kind, {**body, "run": self._number})

    # -- what workers tell: called by the link, must not block -------------------------------

    def take(self, worker: str, kind: str, body: dict[str, Any]) -> None:
        """Take a message of a worker in."""
        player = self._players.get(worker)
        if player is None or player.is_lost:
            return
        if kind == "prepared":
            player.is_ready, player.problem = body["problem"] is None, body["problem"]
        elif kind == "snapshot":
            self._take_snapshot(player, body)
        elif kind == "kept":
            self._take_kept(body)
        elif kind == "changed" and body["is_late"]:
            text = f"worker {worker} heard of a change after its moment"
            self.remarks.append(Problem("workers", text, severity="warning"))
        elif kind == "done":
            self._take_done(player, body)
        self._changed.set()

    def lose(self, worker: str, why: str) -> None:
        """A worker is gone."""
        player = self._players.get(worker)
        if player is None or player.is_lost or player.is_done:
            return
        if self.state is RunState.STARTING:
            player.problem = why
            self._changed.set()
            return
        player.is_lost = True
        self._note_lost(player, why)
        if self._on_lost == "takeover" and self.state is RunState.RUNNING:
            self._take_over(player)
        elif self._on_lost == "cancel" and self.state is RunState.RUNNING:
            self.worsen("cancelled")
            self._throw_cancel()
        self._changed.set()

    def _take_snapshot(self, player: _Player, snapshot: Snapshot) -> None:
        player.is_made = snapshot["is_made"]
        try:
            missing = self.merge.take(player.name, snapshot)
        except ValueError as error:
            self.bugs += 1
            self.worsen("abort")
            log.error("snapshots don't add up", run_id=self.run_id, reason=error)
            missing = []
        for number in missing:
            self.say(player.name, "again", {"n": number})
        self._note()

    def _note(self) -> None:
        """Have what a result looks at be the sums of what was told."""
        merge, began = self.merge, self.started_at
        self.late, self.late_with_place = merge.sum("late"), merge.sum("late_with_place")
        self.crowd, self.crowd_at_peers = merge.sum("crowd"), merge.sum("crowd_at_peers")
        first, last = merge.moment("first_start"), merge.moment("last_start")
        self.first_start = None if first is None else began + first
        self.last_start = None if last is None else began + last
        self.closings = merge.closings()
        if merge.sum("bugs"):
            self.worsen("abort")
        if self.counters.aborted:
            self.worsen("abort")
        if self.counters.failed or self.counters.failed_then_cancelled:
            self.worsen("fail")
        slow: list[Instance] = []
        halted: dict[int, Instance] = {}
        for player in merge.players.values():
            if not player.last:
                continue
            slow += [_kept(one, []) for one in player.last["slowest"]]
            for one in () if player.is_lost else player.last["halted"]:
                halted[one["idx"]] = cast(Instance, _Halted(self, player.name, one["idx"]))
            first_one = player.last["first"]
            if first_one is not None and self.first is None:
                self.first = _kept(first_one, [])
        if self.finished_at is None:
            self.slowest = sorted(slow, key=lambda one: -one.finished_at)[:_SLOWEST]
            self.halted = halted

    def _take_kept(self, body: Mapping[str, Any]) -> None:
        told = json.loads(body["text"])
        instance = _kept(told["detail"], messages_from_json(told["messages"]))
        if body["role"] == "first":
            self.first = instance
        elif body["role"] == "slow":
            self._slow[instance.idx] = instance
        else:
            state, position, text = body["cause"]
            kept = self.first_fails if body["role"] == "fail" else self.first_aborts
            cause = (InstanceState(state), position, text)
            if cause not in kept or instance.idx < kept[cause].idx:
                kept[cause] = instance

    def _take_done(self, player: _Player, body: Mapping[str, Any]) -> None:
        player.is_done = True
        self.leaks += [f"worker {player.name}: {leak}" for leak in body["leaks"]]
        own = {"counts", "counts.late_messages"}  # which the sums say again
        self.remarks += [
            Problem(one["path"], f"worker {player.name}: {one['text']}", one["severity"])
            for one in body["remarks"]
            if one["path"] not in own
        ]

    # -- losses ------------------------------------------------------------------------------

    def _note_lost(self, player: _Player, why: str) -> None:
        now = self.clock.now() - self.started_at
        told = self.merge.players[player.name]
        self.merge.lose(player.name)
        self.lost.append(
            {
                "worker": player.name,
                "reason": why,
                "last_n": told.last_n,
                "since_s": round(told.last.get("seconds", 0.0), 3),
                "in_progress": told.count("in_progress"),
                "unknown_starts_max": self._unknown(player, now),
            }
        )
        if not self._allows_lost:
            self.worsen("fail")
        text = f"worker {player.name} was lost: {why}"
        self.remarks.append(Problem("workers", text, severity="warning"))
        log.error("worker lost in a run", run_id=self.run_id, worker=player.name, reason=why)

    def _unknown(self, player: _Player, until_s: float) -> int:
        """Return the starts that it may have made beyond those it has told of."""
        told = self.merge.players[player.name]
        schedule = self.starter.schedule
        if schedule is None:
            return max(player.backlog, 0)
        planned = player.share.before(schedule.grid.planned_by(until_s))
        return max(min(planned, player.share.count) - told.count("started"), 0)

    def _take_over(self, lost: _Player) -> None:
        """Give the stripes of a lost one to the others from a moment on."""
        schedule = self.starter.schedule
        live = [one for one in self._players.values() if not one.is_lost and not one.is_done]
        at = self.clock.now() + _TAKEOVER_S - self.started_at
        if schedule is None or not live:
            return
        start = schedule.grid.planned_by(at)
        lost.planned = lost.share.before(start) - self.merge.players[lost.name].count("planned")
        backlogs = divided(lost.backlog, [1] * len(live))
        for number, player in enumerate(live):
            taken = lost.share.stripes[number :: len(live)]
            player.stripes = tuple(sorted((*player.share.stripes, *taken)))
            player.backlog += backlogs[number]
            player.share = player.share.changed(start, player.stripes)
            player.is_made = False
            change = {"what": "share", "stripes": list(player.stripes)}
            self._say_change(at, {**change, "backlog": player.backlog}, to=player.name)
        lost.share = lost.share.changed(start, ())

    # -- what is known -----------------------------------------------------------------------

    def planned(self) -> int:
        """Return the starts that were due by the last snapshots."""
        lost = sum(max(one.planned, 0) for one in self._players.values())
        return max(self.merge.planned() + lost, self.counters.started)

    def lost_with_place(self, planned: int) -> int:
        """Return the starts that were not made though the backlog had a place: by those that play
        it, and of lost ones all, which is our own fault.
        """
        gone = 0
        for player in self._players.values():
            told = self.merge.players[player.name]
            if player.is_lost:
                gone += told.count("planned") + player.planned - told.count("started")
        return self.merge.sum("lost_with_place") + max(gone, 0)

    def halted_instances(self) -> list[Mapping[str, Any]]:
        """Return the `halted` list of a result."""
        live = [one for one in self.merge.players.values() if one.last and not one.is_lost]
        return [halted for one in live for halted in one.last["halted"]]

    def workers(self) -> list[dict[str, Any]]:
        """Return the `workers` list of a result: a row for each."""
        now = self.clock.now() - self.started_at
        return [self._row(player, now) for player in self._players.values()]

    def _row(self, player: _Player, now: float) -> dict[str, Any]:
        told = self.merge.players[player.name]
        last = told.last
        age = None if not last or player.is_done else round(max(now - last["seconds"], 0.0), 3)
        return {
            "name": player.name,
            "state": _state_of(player),
            "stripes": len(player.share.stripes),
            "planned": told.count("planned"),
            "started": told.count("started"),
            "finished": told.count("finished"),
            "in_progress": told.count("in_progress"),
            "late": last["sums"]["late"] if last else 0,
            "lateness_p99_ms": round(told.lateness.percentile_us(0.99) / 1000, 3),
            "cpu": last["generator"]["cpu"] if last else 0.0,
            "loop_lag_ms": last["generator"]["loop_lag_ms"] if last else None,
            "snapshot_age_s": age,
        }

    def _until(self, is_so: Any, seconds: float) -> bool:
        """Return whether it became so. Blocks: up to `seconds`."""
        until = self.clock.now() + seconds
        while not is_so():
            left = until - self.clock.now()
            if left <= 0:
                return False
            self._changed.wait(left)
            self._changed.clear()
            gevent.sleep(0)
        return True


def _has_answered(player: _Player) -> bool:
    return player.is_ready or player.problem is not None


def _state_of(player: _Player) -> str:
    if player.is_lost:
        return "lost"
    return "done" if player.is_done else "playing" if player.is_ready else "preparing"
