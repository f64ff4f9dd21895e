"""A worker's parts of Test Runs: it runs some stripes of each, and reports their results.

Messages of the coordinator, by kind; `run` is the number that the coordinator gives to a run:
    prepare   {run, params (JSON), files, seed, modulus, stripes, backlog, burst, is_first}
              -> prepared {run, problem: text or null}: compiled, gateways up
    start     {run, serial, at: monotonic seconds}
    change    {run, serial, at: seconds of the run, what, …}
              what: rate (cps, before: the rate at which ramps begin), pause, resume,
              share (stripes, backlog), end
    close     {run, serial}: no more stripes will come
    cancel    {run, serial, grace_s}
    resume    {run, serial, idx}
    piece     of a file: see `files`
    again     {run, n} -> snapshot {run, …}
    forget    {run}: the run is no longer needed here

A message with a serial is repeated until it is answered: -> heard {run, serial, is_late}. It is
done only once. `is_late`: the change came too late, after a start that it would have changed. Once
a second of the run, and when all starts are made: -> snapshot {run, …, is_made, heard}. For an
instance that is kept in detail: -> kept {run, role, cause, text (JSON)}. The last snapshot, when
all is over, has `done`: {leaks, remarks}, or `is_abandoned` if there was no coordinator any more;
this snapshot is kept until the coordinator can be reached again. Lists of a result are JSON texts,
because a link can't carry all their values. Times are of the coordinator's monotonic clock; a
worker on another machine computes them (see moments.py).
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import gevent
from gevent.event import Event

from tsvc import turns
from tsvc.clock import Clock
from tsvc.cluster.errors import LinkError
from tsvc.cluster.files import Files
from tsvc.cluster.snapshot import SUMS, Ledger, Snapshot
from tsvc.config.tables import Config
from tsvc.engine.compiler.judge import judge
from tsvc.engine.compiler.parameters import pace_of
from tsvc.engine.gateway_table import GatewayTable, require_up
from tsvc.engine.give_way import slices
from tsvc.engine.instance import Instance
from tsvc.engine.limits.locks import LockTable
from tsvc.engine.load.generator import GeneratorLoad
from tsvc.engine.result.leaks import audit
from tsvc.engine.result.result import brief, detail, first_call
from tsvc.engine.run import Run, RunState
from tsvc.errors import DefinitionError, StartError, TsvcError
from tsvc.gateways.gateway import Gateway, GatewayState
from tsvc.log import get_logger
from tsvc.operations.context import RunContext
from tsvc.results.records import messages_to_json
from tsvc.rpc.strict_json import parse_object
from tsvc.words import quoted

log = get_logger("player")

SNAPSHOT_S = 1.0
_CONNECT_S = 10.0  # for the gateways of a new process to connect; a run waits for them
_LOOK_S = 0.02
Send = Callable[[str, dict[str, Any]], object]


class Part:
    """The part of one run that this worker runs."""

    def __init__(
        self, number: int, run: Run, send: Send, *, is_allowed: Callable[[], bool]
    ) -> None:
        self.number = number
        self.run = run
        self.is_abandoned = False  # the coordinator was lost, so the part did not end by its plan
        self._send = send
        self._kept: set[tuple[Any, ...]] = set()
        self._leaks: list[str] = []
        self._is_made = False
        self._heard: set[int] = set()
        self._looks = Event()
        run.starter.is_allowed = is_allowed
        run.starter.stays = True
        run.starter.on_made = self._made
        histograms = {"response": run.response, "service": run.service, "lateness": run.lateness}
        self.ledger = Ledger(run.counters, lambda: histograms, run.operations)

    def hear(self, kind: str, body: Mapping[str, Any]) -> None:
        """Execute a message of the coordinator, once only, and answer with `heard`."""
        serial = body["serial"]
        passed = self.run.clock.now() - self.run.started_at
        is_late = kind == "change" and body["at"] < passed and self._is_beyond(body)
        if serial not in self._heard:
            self._heard.add(serial)
            self._do(kind, body)
        self._send("heard", {"run": self.number, "serial": serial, "is_late": is_late})

    def _is_beyond(self, change: Mapping[str, Any]) -> bool:
        """Return True if a start was already made that the change would have changed."""
        return change["what"] != "end" and self.run.starter.has_passed(change["at"])

    def _do(self, kind: str, body: Mapping[str, Any]) -> None:
        run = self.run
        if kind == "start":
            self.start(body["at"])
        elif kind == "change":
            _change(run, body)
        elif kind == "close":
            run.starter.stop()
        elif kind == "cancel":
            gevent.spawn(run.cancel, body["grace_s"])
        elif kind == "resume":
            halted = run.halted.get(body["idx"])
            if halted is not None:
                halted.resume()

    def start(self, at: float) -> None:
        """Begin the run at a time of the clock."""
        if self.run.state is not RunState.STARTING:
            return  # it was cancelled before
        self.run.begin_at(at)
        self.run.start()
        gevent.spawn(self._tell)

    def end(self, run: Run) -> None:
        """Release the resources of the run, as soon as its last instance is over."""
        for part in run.compiled.parts:
            part.end()
        self._leaks = audit(run, LockTable())
        self._tell_kept(is_last=True)
        for part in run.compiled.parts:
            part.forget()

    def again(self, number: int | None = None) -> None:
        """Send a snapshot again; None: the last one."""
        found = self.ledger.again(number)
        if found is not None:
            self._say("snapshot", found)

    def _made(self) -> None:
        """Send a snapshot at once, because all starts of the stripes are made."""
        self._is_made = True
        self._looks.set()

    def _tell(self) -> None:
        run = self.run
        while not run.completed.is_set():
            passed = run.clock.now() - run.started_at
            wait_s = SNAPSHOT_S - passed % SNAPSHOT_S if passed > 0 else -passed
            # Wait for whichever comes first: the next second, the last start, the end.
            gevent.wait([self._looks, run.completed], timeout=wait_s, count=1)
            self._looks.clear()
            if not run.completed.is_set():
                self._tell_kept(is_last=False)
                self._say("snapshot", self._snapshot(is_last=False))
        self._say("snapshot", self._snapshot(is_last=True))

    def _say(self, kind: str, body: Mapping[str, Any]) -> None:
        """Send a message; if it is too long for a link, send it without its longest members."""
        try:
            self._send(kind, {**body, "run": self.number})
        except LinkError as error:
            log.warning("told in part", run_id=self.run.run_id, kind=kind, reason=error)
            short = {"halted": "[]", "slowest": "[]"} if kind == "snapshot" else {"text": ""}
            self._send(kind, {**body, "run": self.number, **short})

    def _snapshot(self, *, is_last: bool) -> Snapshot:
        run, now = self.run, self.run.clock.now()
        planned = run.planned()
        own = {
            "lost_with_place": run.lost_with_place(planned),
            "warm_up_planned": run.warm_up_planned(planned),
        }
        sums = {name: own[name] if name in own else getattr(run, name) for name in SUMS}
        snapshot: Snapshot = {
            "seconds": now - run.started_at,
            "is_made": self._is_made and run.starter.is_made,
            "heard": max(self._heard, default=0),
            "state": run.state.value,
            "counts": run.counters.as_dict(planned),
            "sums": sums,
            "moments": {
                "first_start": _since(run, run.first_start),
                "last_start": _since(run, run.last_start),
            },
            "slowest": json.dumps([brief(run, instance) for instance in run.kept.slowest]),
            "halted": json.dumps(run.halted_instances()),
            "closings": dict(run.closings),
            "generator": run.generator.as_dict(now),
            "fast_path": json.dumps(run.fast_path()),
            "first": json.dumps(None if run.first is None else brief(run, run.first)),
        }
        # It is unknown how an abandoned part would have ended, so its end counts as a loss.
        if is_last and self.is_abandoned:
            snapshot["is_abandoned"] = True
        elif is_last:
            remarks = [problem.as_dict() for problem in run.remarks]
            snapshot["done"] = json.dumps({"leaks": self._leaks, "remarks": remarks})
        return self.ledger.take(snapshot, json.dumps(run.failures.as_list()))

    def _tell_kept(self, *, is_last: bool) -> None:
        """Send instances that are kept in detail, each once, when they are over."""
        run = self.run
        found: list[tuple[str, list[Any], Instance | None]] = [("first", [], run.first)]
        found += [("fail", _cause(cause), one) for cause, one in list(run.kept.fails.items())]
        found += [("abort", _cause(cause), one) for cause, one in list(run.kept.aborts.items())]
        if is_last:
            found += [("slow", [], one) for one in run.kept.slowest]
        for role, cause, instance in found:
            if instance is None or (role, *cause, instance.idx) in self._kept:
                continue
            if is_last or instance.finished_at:
                self._kept.add((role, *cause, instance.idx))
                self._say("kept", self._as_kept(role, cause, instance))

    def _as_kept(self, role: str, cause: list[Any], instance: Instance) -> dict[str, Any]:
        run = self.run
        with turns.given(slices()):
            shown = first_call(run) if role == "first" else detail(run, instance)
            records = messages_to_json(instance.recorded())
        # As text, because a link can't carry all numbers that a definition may have.
        text = json.dumps({"detail": shown, "messages": records})
        return {"role": role, "idx": instance.idx, "cause": cause, "text": text}


def _since(run: Run, moment: float | None) -> float | None:
    return None if moment is None else moment - run.started_at


def _cause(cause: tuple[Any, ...]) -> list[Any]:
    state, position, text = cause
    return [state.value, position, text]


class Player:
    """All parts of runs that a worker runs."""

    def __init__(
        self,
        config: Config,
        gateways: GatewayTable,
        clock: Clock,
        send: Send,
        is_allowed: Callable[[], bool],
    ) -> None:
        self._config = config
        self._gateways = gateways
        self._clock = clock
        self._send = send
        self._is_allowed = is_allowed
        self._parts: dict[int, Part] = {}
        self._files = Files(config.service.state_dir / "csv", config.engine.data_dir, self._want)
        self._forgotten: set[int] = set()
        self._settled_at = clock.now() + _CONNECT_S

    def loads(self) -> list[GeneratorLoad]:
        """Return the load meters of this process, one for each run."""
        return [part.run.generator for part in self._parts.values()]

    def is_busy(self) -> bool:
        """Return True if a run is in progress or about to start."""
        return any(part.run.state is not RunState.COMPLETED for part in self._parts.values())

    def take(self, kind: str, body: dict[str, Any]) -> None:
        """Handle a message of the coordinator. Never blocks."""
        number = body["run"]
        part = self._parts.get(number)
        if kind == "prepare":
            gevent.spawn(self._prepare, number, body)  # other messages must not wait for it
        elif kind == "forget":
            self._forgotten.add(number)
            self._forget(number)
        elif kind == "piece":
            self._files.take(body)
        elif part is None:
            pass  # this worker has given the run up; the message was already on its way
        elif kind == "again":
            part.again(body["n"])
        else:
            part.hear(kind, body)

    def _want(self, number: int, sha: str, at: int) -> None:
        self._send("want", {"run": number, "sha": sha, "at": at})

    def _forget(self, number: int) -> None:
        part = self._parts.pop(number, None)
        if part is not None and part.run.state is RunState.STARTING:
            part.run.undo()

    def abandon(self, grace_s: float) -> None:
        """End all parts, because the coordinator is lost. Blocks: up to grace_s and a second."""
        for number, part in list(self._parts.items()):
            if part.run.state is RunState.STARTING:
                self._forget(number)
            part.is_abandoned = True
        runs = [part.run for part in self._parts.values() if part.run.state is RunState.RUNNING]
        gevent.joinall([gevent.spawn(run.cancel, grace_s) for run in runs])

    def tell_last(self) -> int:
        """Send the last snapshot of each part that is not forgotten; return how many there are."""
        for part in self._parts.values():
            part.again()
        return len(self._parts)

    def _prepare(self, number: int, body: Mapping[str, Any]) -> None:
        """Prepare a run, and report `prepared` with the problem that prevents it, if any."""
        problem: str | None = None
        try:
            self._parts[number] = self._part(number, body)
        except TsvcError as error:
            problem = error.message
        except Exception as error:  # noqa: BLE001 - reported to the coordinator
            log.failure("run not prepared", error)
            problem = f"{type(error).__name__}: {error}"
        if number in self._forgotten:
            self._forget(number)
        self._send("prepared", {"run": number, "problem": problem})

    def _part(self, number: int, body: Mapping[str, Any]) -> Part:
        """Return the part of a prepared run. Errors: DefinitionError, StartError."""
        files = self._files.of_run(number, body["files"])
        judged = judge(parse_object(body["params"]), self._config, self._gateways, files)
        if judged.params is None or judged.compiled is None or not judged.is_good:
            raise DefinitionError.of(judged.problems)
        for part in judged.compiled.parts:
            if (alone := part.alone(judged.gateways)) is not None:
                name, why = alone
                text = f"gateway {quoted(name)} can't be played by workers: {why}"
                raise StartError(text, kind="cluster.gateway", gateway=name)
        engine = self._config.engine
        if not engine.start_when_down:
            self._await_gateways(judged.gateways.values())
            for gateway in judged.gateways.values():
                require_up(gateway)
        plan = replace(
            judged.compiled.plan,
            modulus=body["modulus"],
            stripes=tuple(body["stripes"]),
            backlog=body["backlog"],
            burst=body["burst"],
            start_at=None,
        )
        compiled = replace(judged.compiled, problems=judged.problems, plan=plan)
        found: Part
        run = Run(
            str(judged.params.get("run_id", number)),
            compiled,
            RunContext(judged.params, judged.gateways),
            self._clock,
            seed=body["seed"],
            max_steps=engine.max_steps,
            max_trace_octets=engine.max_trace_octets,
            late_ms=engine.late_ms,
            on_completed=lambda run: found.end(run),
            keeps_first=body["is_first"],
        )
        try:
            run.prepare()
        except StartError:
            run.undo()
            raise
        found = Part(number, run, self._send, is_allowed=self._is_allowed)
        return found

    def _await_gateways(self, gateways: Collection[Gateway]) -> None:
        """Blocks: while a gateway still connects after the start of this process."""
        while self._clock.now() < self._settled_at and any(map(_connects, gateways)):
            gevent.sleep(_LOOK_S)


def _connects(gateway: Gateway) -> bool:
    return gateway.status().state is GatewayState.CONNECTING


def _change(run: Run, body: Mapping[str, Any]) -> None:
    starter, at, what = run.starter, body["at"], body["what"]
    if what == "rate":
        starter.set_pace(pace_of(body["cps"], body["before"]), at)
    elif what == "share":
        starter.set_share(body["stripes"], body["backlog"], at)
    elif what == "end":
        starter.end_at(at)
    else:
        starter.set_paused(what == "pause", at)
