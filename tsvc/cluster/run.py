"""A Test Run that several workers share; Service uses it in place of a Run.

It starts no instance itself. It assigns the stripes and the backlog, sets the times of the start
and of changes, and adds up the workers' reports. If a worker is lost, it reports that and gives
the worker's stripes to the others. Every worker receives a time before this time has come.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

import gevent
from gevent.event import Event

from tsvc.cluster.dealing import Player, Takeover, deal
from tsvc.cluster.files import digest, piece_of
from tsvc.cluster.kept import Generators, Groups, Halted, kept_instance
from tsvc.cluster.snapshot import Merge, Snapshot
from tsvc.cluster.workers import Workers
from tsvc.engine.compiler.parameters import Pace, pace_of
from tsvc.engine.fast_path import Waiting
from tsvc.engine.instance import Instance
from tsvc.engine.load.counters import InstanceState
from tsvc.engine.load.share import divided
from tsvc.engine.result.kept_instances import SLOWEST
from tsvc.engine.run import Run, RunState
from tsvc.errors import Problem, StartError, reason
from tsvc.log import get_logger
from tsvc.numbers import encode_exactly
from tsvc.results.records import messages_from_json

log = get_logger("cluster")

_PREPARE_S = 30.0  # in which every worker must compile the definition
_BEGIN_S = 0.5  # from when all are ready to the start
_LEAD_S = 0.25  # at least, from the sending of a change to its time; or four worst round trips
_TAKEOVER_S = 0.5
_LOOK_S = 0.2
_SAY_AGAIN_S = 1.0  # after which an unacknowledged message is repeated
_ASK_S = 2.5  # without a snapshot, after which it is requested again
_SILENT_S = 15.0  # without a snapshot, after which a worker is ended as useless


class SharedRun(Run):
    """A run that workers share."""

    def __init__(self, workers: Workers, names: Iterable[str], *args: Any, **more: Any) -> None:
        """`names`: of the workers of the run; the other arguments are those of Run."""
        super().__init__(*args, **more)
        params = self.compiled.params
        self._workers = workers
        self._allows_lost: bool = params.get("allow_lost", False)
        self._on_lost: str = params.get("on_lost", "takeover")
        weights = {name: workers.weight(name) for name in names}
        dealt, self._modulus, remarks = deal(self.compiled.plan, weights)
        self._players = {one.name: one for one in dealt}
        self.remarks += remarks
        self._number = workers.enter(self)
        self.merge = Merge(self._players)
        self.counters = self.merge.counters
        self.response, self.service = self.merge.response, self.merge.service
        self.lateness, self.operations = self.merge.lateness, self.merge.operations
        self.failures = Groups(self.merge)
        self.generator = Generators(self.clock.now(), self.merge)
        self._serial = 0
        self._changed = Event()
        self._closed = False
        self._is_unwanted = False  # cancelled before it began
        self._takeovers: list[Takeover] = []
        self._slow: dict[int, Instance] = {}
        self._files: dict[str, Path] = {}  # CSV files by their SHA-256
        self._asked_at = 0.0  # when a worker last requested a piece of a file

    # -- life --------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Ask every worker to compile the definition and to check its gateways.

        Blocks: until all have, or one can't. Errors: StartError, after an undo().
        """
        plan = self.compiled.plan
        definition = encode_exactly(dict(self.compiled.params))
        try:
            shas = {name: digest(path) for name, path in self.compiled.files.items()}
        except OSError as error:
            self.undo()
            raise StartError(f"a file can't be read any more: {reason(error)}") from None
        self._files = {shas[name]: path for name, path in self.compiled.files.items()}
        first = min(self._players.values(), key=lambda one: min(one.stripes))
        for player in self._players.values():
            body = {
                "params": definition,
                "files": shas,
                "seed": self.seed,
                "modulus": self._modulus * plan.modulus,
                "stripes": list(player.stripes),
                "backlog": player.backlog,
                "burst": player.burst,
                "is_first": player is first,
            }
            if not self._send(player, "prepare", body):
                player.problem = "it is not there"
        self._asked_at = self.clock.now()
        while not self._until(self._is_prepared, _PREPARE_S):
            if self.clock.now() - self._asked_at < _PREPARE_S:
                continue  # files are on their way
            for player in self._players.values():
                if not player.has_answered:
                    player.problem = f"not ready in {_PREPARE_S:g} s"
            break
        if self._is_unwanted:
            self.undo()
            raise StartError("the run was cancelled before it began", kind="start.refused")
        for player in self._players.values():
            if player.problem is not None:
                self.undo()
                text = f"worker {player.name}: {player.problem}"
                raise StartError(text, kind="cluster.worker", worker=player.name)

    def _is_prepared(self) -> bool:
        return self._is_unwanted or all(one.has_answered for one in self._players.values())

    def undo(self) -> None:
        """Remove the run from all workers, because it is not started."""
        self._leave()

    def _leave(self) -> None:
        for player in self._players.values():
            self._send(player, "forget", {})
        self._workers.leave(self._number)

    def start(self) -> None:
        """Send all workers the time at which they begin. Returns at once."""
        super().start()
        # This process makes no instances: the fast path is in the workers.
        self._fast_path = self.kept.ordinary = None
        soonest = self.clock.now() + max(_BEGIN_S, self._lead_s())
        if self.started_at < soonest:  # also if `start_at` has passed meanwhile
            self.begin_at(soonest)
        for player in self._players.values():
            if player.problem is not None:
                self.lose(player.name, player.problem, 0.0, 0.0)
            else:
                self.say(player.name, "start", {"at": self.started_at})
        if self._is_unwanted:
            gevent.spawn(self.cancel, self._grace_s)

    def _execute(self) -> None:
        try:
            while not all(map(self._is_over, self._players.values())):
                self._changed.wait(_LOOK_S)
                self._changed.clear()
                self._settle(self.clock.now() - self.started_at)
                self._close_if_made()
                self._say_again()
            if self._on_lost == "cancel" and self.lost:
                self.worsen("cancelled")
        except BaseException as error:  # noqa: BLE001 - the run must end, whatever happened
            self.bugs += 1
            self.worsen("abort")
            log.failure("run failed", error, run_id=self.run_id)
        self._leave()
        ended = self.clock.now() - self.started_at
        self._settle(ended, is_end=True)
        self.starter.stop()
        self.starter.stopped_at = ended
        self.halted.clear()
        for idx in sorted(self._slow, key=lambda one: -self._slow[one].finished_at)[SLOWEST:]:
            del self._slow[idx]
        if self._slow:
            self.kept.slowest = sorted(self._slow.values(), key=lambda one: -one.finished_at)
        self._complete()

    def _is_over(self, player: Player) -> bool:
        """Return True if no instance of a worker's part is in progress any more.

        A lost worker may still have calls at a peer during its grace; locks are held until then.
        """
        return player.is_done or (player.is_lost and self.clock.now() >= player.over_at)

    def _close_if_made(self) -> None:
        """Send `close` when all starts are made: no worker will get stripes of another one."""
        live = [one for one in self._players.values() if not one.is_lost]
        if not self._closed and all(one.is_made or one.is_done for one in live):
            self._closed = True
            for player in live:
                self.say(player.name, "close", {})

    def _say_again(self) -> None:
        """Repeat unacknowledged messages, and request missing snapshots."""
        now = self.clock.now()
        for player in self._players.values():
            if player.is_lost or player.is_done:
                continue
            for serial, (kind, body, said_at) in list(player.unheard.items()):
                if now - said_at > _SAY_AGAIN_S:
                    player.unheard[serial] = kind, body, now
                    self._send(player, kind, body)
            silent_s = now - max(self.started_at, player.told_at or 0.0)
            if silent_s > _SILENT_S:
                self._workers.end(player.name, f"it has told nothing for {silent_s:.0f} s")
            elif silent_s > _ASK_S and now - player.asked_at > _SAY_AGAIN_S:
                player.asked_at = now
                following = self.merge.players[player.name].last_n + 1
                self._send(player, "again", {"n": following})

    def _throw_cancel(self) -> None:
        for player in self._players.values():
            self.say(player.name, "cancel", {"grace_s": self._grace_s})

    def cancel(self, grace_s: float) -> bool:
        """Cancel the run as Run does; workers get the grace, and some time to report after it."""
        self._grace_s = grace_s
        if self.state is RunState.STARTING:  # prepare() then refuses it
            self._is_unwanted = True
            self._changed.set()
            return True
        return super().cancel(grace_s + _LOOK_S)

    _grace_s = 1.0

    # -- changes -----------------------------------------------------------------------------

    def set_pace(self, pace: Pace, cps: Mapping[str, Any]) -> None:
        """Change the rate at a time that all workers receive in advance."""
        at = self._moment()
        # Ramps begin at this rate. Workers that computed it themselves could differ.
        before = self.starter.current_cps()
        self.starter.set_pace(pace_of(cps, before), at)
        live = [one for one in self._players.values() if not one.is_lost]
        bursts = divided(cps.get("burst") or 0, [len(one.stripes) or 1 for one in live])
        for player, burst in zip(live, bursts, strict=True):
            own = {**cps, "burst": max(burst, 1)} if cps.get("burst") else dict(cps)
            change = {"what": "rate", "cps": own, "before": before}
            self._say_change(at, change, to=player.name)

    def set_paused(self, is_paused: bool) -> None:
        """Pause the starts, or resume them."""
        at = self._moment()
        self.starter.set_paused(is_paused, at)
        self._say_change(at, {"what": "pause" if is_paused else "resume"})

    def stop_starting(self) -> None:
        """Make no more starts."""
        at = self._moment()
        self.starter.end_at(at)
        self._say_change(at, {"what": "end"})

    def _moment(self) -> float:
        return self.clock.now() + self._lead_s() - self.started_at

    def _lead_s(self) -> float:
        """Return how many seconds before its time a change has to be sent."""
        live = [one.name for one in self._players.values() if not one.is_lost]
        return max(_LEAD_S, self._workers.lead_s(live))

    def _say_change(self, at: float, change: Mapping[str, Any], to: str | None = None) -> None:
        for player in self._players.values():
            if not player.is_lost and (to is None or player.name == to):
                self.say(player.name, "change", {"at": at, **change})

    def say(self, worker: str, kind: str, body: dict[str, Any]) -> bool:
        """Send a message to a worker until it is acknowledged; return False if it is not there."""
        player = self._players[worker]
        self._serial += 1
        body = {**body, "serial": self._serial}
        player.unheard[self._serial] = kind, body, self.clock.now()
        if kind == "change" and body["what"] == "share":
            player.share_serial = self._serial
        return self._send(player, kind, body)

    def _send(self, player: Player, kind: str, body: dict[str, Any]) -> bool:
        return self._workers.send(player.name, kind, {**body, "run": self._number})

    # -- messages of workers: called by the link, must not block -----------------------------

    def take(self, worker: str, kind: str, body: dict[str, Any]) -> None:
        """Handle a message of a worker."""
        player = self._players.get(worker)
        if player is None or (player.is_lost and kind != "snapshot"):
            return
        if kind == "prepared":
            player.is_ready, player.problem = body["problem"] is None, body["problem"]
        elif kind == "snapshot":
            self._take_snapshot(player, body)
        elif kind == "kept":
            self._take_kept(body)
        elif kind == "want":
            self._asked_at = self.clock.now()
            piece = piece_of(self._files.get(body["sha"]), body["at"])
            self._send(player, "piece", {"sha": body["sha"], "at": body["at"], **piece})
        elif kind == "heard":
            player.unheard.pop(body["serial"], None)
            if body["is_late"]:
                # Its starts since then differ from those that the other workers assume.
                self._workers.end(worker, "it heard of a change after its moment")
        self._changed.set()

    def lose(self, worker: str, why: str, within_s: float, over_s: float) -> None:
        """Handle the loss of a worker. It may start instances until `within_s` from now, and have
        some in progress until `over_s` from now."""
        player = self._players.get(worker)
        if player is None or player.is_done:
            return
        now = self.clock.now()
        if player.is_lost:  # it was silent, and is known to have ended by now
            player.over_at = min(player.over_at, now + over_s)
            return
        player.over_at = now + over_s
        if self.state is RunState.STARTING:
            player.problem = why
            self._changed.set()
            return
        player.is_lost = True
        self._note_lost(player, why, within_s)
        if self._on_lost == "takeover" and self.state is RunState.RUNNING:
            self._take_over(player, within_s)
        elif self._on_lost == "cancel" and self.state is RunState.RUNNING:
            self.worsen("cancelled")
            self._throw_cancel()
        self._changed.set()

    def _take_snapshot(self, player: Player, snapshot: Snapshot) -> None:
        player.told_at = self.clock.now()
        if not player.is_lost:
            self._note_clock(player)
        # A snapshot from before it got more stripes is about its earlier stripes only.
        player.is_made = snapshot["is_made"] and snapshot["heard"] >= player.share_serial
        for name in ("slowest", "halted", "first"):
            snapshot[name] = json.loads(snapshot[name])
        before = self._done_by(player)
        try:
            missing = self.merge.take(player.name, snapshot)
        except ValueError as error:
            self.bugs += 1
            self.worsen("abort")
            log.error("snapshots don't add up", run_id=self.run_id, reason=error)
            missing = []
        for number in missing:
            self._send(player, "again", {"n": number})
        done = self._done_by(player)
        self._workers.tally(player.name, {what: done[what] - before[what] for what in done})
        self._note()
        last = self.merge.players[player.name].last
        if player.is_lost:
            self._note_facts(player)
        elif "done" in last and not player.is_done:
            self._take_done(player, json.loads(last["done"]))

    def _done_by(self, player: Player) -> dict[str, int]:
        record = self.merge.players[player.name]
        late = record.last["sums"]["late"] if record.last else 0
        return {
            "started": record.count("started"),
            "finished": record.count("finished"),
            "late": late,
        }

    def load_of(self, worker: str) -> tuple[int, float]:
        """Return a worker's instances in progress, and how much of a core its process uses."""
        record = self.merge.players.get(worker)
        if record is None or record.is_lost or not record.last:
            return 0, 0.0
        return record.count("in_progress"), record.last["generator"]["cpu"]

    def _note_clock(self, player: Player) -> None:
        """Note a worker's largest clock error of the run, and remark on one that is too large."""
        error_ms = self._workers.clock_error_ms(player.name)
        most_ms = self._workers.config.cluster.max_clock_error_ms
        if player.clock_error_ms <= most_ms < error_ms < math.inf:
            text = f"worker {player.name}: its clock may be {error_ms:.1f} ms off ({most_ms:g})"
            self.remarks.append(Problem("workers", text, severity="warning"))
        if error_ms < math.inf:
            player.clock_error_ms = max(player.clock_error_ms, error_ms)

    def fast_path(self) -> dict[str, Any]:
        """Return the member `fast_path` of the result, for all workers."""
        return self.merge.fast_path()

    def _note(self) -> None:
        """Set the members that a result uses to the sums of the snapshots."""
        merge, began = self.merge, self.started_at
        self.late, self.late_with_place = merge.sum("late"), merge.sum("late_with_place")
        self.crowd, self.crowd_at_peers = merge.sum("crowd"), merge.sum("crowd_at_peers")
        self.warm_up_started = merge.sum("warm_up_started")
        self.warm_up_finished = merge.sum("warm_up_finished")
        first, last = merge.moment("first_start"), merge.moment("last_start")
        self.first_start = None if first is None else began + first
        self.last_start = None if last is None else began + last
        self.closings = merge.closings()
        if merge.sum("bugs"):
            self.worsen("abort")
        if self.counters.aborted and "aborted" not in self.decided:
            self.worsen("abort")
        failed = self.counters.failed or self.counters.failed_then_cancelled
        if failed and "failed" not in self.decided:
            self.worsen("fail")
        slow: list[Instance] = []
        halted: dict[int, Waiting] = {}
        for player in merge.players.values():
            if not player.last:
                continue
            slow += [kept_instance(one, []) for one in player.last["slowest"]]
            for one in () if player.is_lost else player.last["halted"]:
                resume = partial(self.say, player.name, "resume", {"idx": one["idx"]})
                halted[one["idx"]] = cast(Waiting, Halted(resume))
            first_one = player.last["first"]
            if first_one is not None and self.first is None:
                self.first = kept_instance(first_one, [])
        if self.finished_at is None:
            self.kept.slowest = sorted(slow, key=lambda one: -one.finished_at)[:SLOWEST]
            self.halted = halted

    def _take_kept(self, body: Mapping[str, Any]) -> None:
        if not body["text"]:
            text = f"instance {body['idx']} is too long to be kept"
            self.remarks.append(Problem("workers", text, severity="warning"))
            return
        kept = json.loads(body["text"])
        instance = kept_instance(kept["detail"], messages_from_json(kept["messages"]))
        if body["role"] == "first":
            self.first = instance
        elif body["role"] == "slow":
            self._slow[instance.idx] = instance
        else:
            state, position, text = body["cause"]
            found = self.kept.fails if body["role"] == "fail" else self.kept.aborts
            cause = (InstanceState(state), position, text)
            if cause not in found or instance.idx < found[cause].idx:
                found[cause] = instance

    def _take_done(self, player: Player, body: Mapping[str, Any]) -> None:
        player.is_done = True
        self.leaks += [f"worker {player.name}: {leak}" for leak in body["leaks"]]
        own = ("counts", "distribution.warm_up_s")  # made again from the sums
        self.remarks += [
            Problem(one["path"], f"worker {player.name}: {one['text']}", one["severity"])
            for one in body["remarks"]
            if one["path"] not in own
        ]

    # -- losses ------------------------------------------------------------------------------

    def _note_lost(self, player: Player, why: str, within_s: float) -> None:
        # Add the clock error, because the worker's time may be ahead of this one.
        error_s = player.clock_error_ms / 1000
        player.starts_until = self.clock.now() - self.started_at + within_s + error_s
        self.merge.lose(player.name)
        self._workers.tally(player.name, {"losses": 1})
        self.lost.append({"worker": player.name, "reason": why, "taken_over_s": None})
        self._note_facts(player)
        if not self._allows_lost:
            self.worsen("fail")
        text = f"worker {player.name} was lost: {why}"
        self.remarks.append(Problem("workers", text, severity="warning"))
        log.error("worker lost in a run", run_id=self.run_id, worker=player.name, reason=why)

    def _note_facts(self, player: Player) -> None:
        """Note the known results of a lost worker, and how many starts may be unknown.

        If the worker comes back while the run is in progress, it reports what it has kept.
        """
        record = self.merge.players[player.name]
        most = self._planned_of(player, player.starts_until) - record.count("started")
        is_all = not {"is_abandoned", "done"}.isdisjoint(record.last)
        facts = {
            "last_n": record.last_n,
            "since_s": round(record.last.get("seconds", 0.0), 3),
            "in_progress": record.count("in_progress"),
            "unknown_starts_max": 0 if is_all else max(most, 0),
        }
        for one in self.lost:
            if one["worker"] == player.name:
                one.update(facts)
        player.unknown_measured = 0 if is_all else self._unknown_measured(player)
        lost = [one for one in self._players.values() if one.is_lost]
        self.unknown_starts = sum(one.unknown_measured for one in lost)
        if is_all:
            player.over_at = self.clock.now()
            self._send(player, "forget", {})

    def _unknown_measured(self, player: Player) -> int:
        """Return how many starts after the warm-up a lost worker may have made, at most."""
        first = self.starter.measured_from()
        if first is None:  # it was lost in the warm-up
            return 0
        record = self.merge.players[player.name]
        planned = self._planned_of(player, player.starts_until) - player.share.before(first)
        started = record.count("started") - record.sum("warm_up_started")
        return max(planned - started, 0)

    def _planned_of(self, player: Player, until_s: float) -> int:
        """Return how many starts of a worker were planned until a time; without a rate all."""
        if self.starter.schedule is None:
            return player.share.count
        return player.share.before(self.starter.planned_by(until_s))

    def _take_over(self, lost: Player, within_s: float) -> None:
        """Give the stripes of a lost worker to the others, from a time when its lease is over.

        Without a rate (`load`) its progress is unknown, so its remaining starts are not made.
        """
        live = [one for one in self._players.values() if not one.is_lost and not one.is_done]
        if self.starter.schedule is None or not live:
            return
        lead_s = max(_TAKEOVER_S, self._lead_s(), within_s + lost.clock_error_ms / 1000)
        at = self.clock.now() + lead_s - self.started_at
        backlogs = divided(lost.backlog, [1] * len(live))
        heirs = []
        for number, player in enumerate(live):
            taken = lost.stripes[number :: len(live)]
            player.stripes = tuple(sorted((*player.stripes, *taken)))
            player.backlog += backlogs[number]
            player.is_made = False
            heirs.append((player, player.stripes))
            change = {"what": "share", "stripes": list(player.stripes)}
            self._say_change(at, {**change, "backlog": player.backlog}, to=player.name)
        lost.stripes = ()
        self.lost[-1]["taken_over_s"] = round(at, 3)
        self._takeovers.append(Takeover(at, lost, tuple(heirs)))

    def _settle(self, now: float, *, is_end: bool = False) -> None:
        """Apply each takeover to the shares once its time has come; update lost workers' plans."""
        while self._takeovers and (is_end or self._takeovers[0].at <= now):
            takeover = self._takeovers.pop(0)
            start = self.starter.planned_by(min(takeover.at, now))
            for player, stripes in takeover.heirs:
                player.share = player.share.changed(start, stripes)
            takeover.lost.share = takeover.lost.share.changed(start, ())
        for player in self._players.values():
            if player.is_lost:
                record = self.merge.players[player.name]
                due = max(self._planned_of(player, now), record.count("started"))
                player.planned = due - record.count("planned")

    # -- for results -------------------------------------------------------------------------

    def planned(self) -> int:
        """Return the number of starts that were due by the last snapshots."""
        lost = sum(one.planned for one in self._players.values())
        return max(self.merge.planned() + lost, self.counters.started)

    def warm_up_planned(self, planned: int) -> int:
        """Return how many of the planned starts were planned in the warm-up."""
        if self.starter.schedule is None:
            return self.warm_up_started
        found = self.merge.sum("warm_up_planned")
        found += sum(map(self._warm_up_unreported, self._players.values()))
        return min(found, planned)

    def _warm_up_unreported(self, player: Player) -> int:
        """Return how many starts a lost worker had in the warm-up after its last snapshot."""
        if not player.is_lost:
            return 0
        record = self.merge.players[player.name]
        planned = record.count("planned") + player.planned
        first = self.starter.measured_from()
        in_warm_up = planned if first is None else min(player.share.before(first), planned)
        return max(in_warm_up - record.sum("warm_up_planned"), 0)

    def lost_with_place(self, planned: int) -> int:
        """Return the number of starts that were not made although the backlog had a free slot.

        All missing starts of lost workers count, because they are the tester's own fault.
        """
        gone = 0
        for player in self._players.values():
            record = self.merge.players[player.name]
            if player.is_lost:
                gone += record.count("planned") + player.planned - record.count("started")
                gone -= record.sum("warm_up_planned") - record.sum("warm_up_started")
                gone -= self._warm_up_unreported(player)
        return self.merge.sum("lost_with_place") + max(gone, 0)

    def halted_instances(self) -> list[Mapping[str, Any]]:
        """Return the `halted` list of a result."""
        live = [one for one in self.merge.players.values() if one.last and not one.is_lost]
        return [halted for one in live for halted in one.last["halted"]]

    def workers(self) -> list[dict[str, Any]]:
        """Return the `workers` list of a result: a row for each worker."""
        now = self.clock.now() - self.started_at
        records = self.merge.players
        return [one.row(records[one.name], now) for one in self._players.values()]

    def _until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition; return False if it is not met in time. Blocks: up to `seconds`."""
        until = self.clock.now() + seconds
        while not is_so():
            left = until - self.clock.now()
            if left <= 0:
                return False
            self._changed.wait(left)
            self._changed.clear()
            gevent.sleep(0)
        return True
