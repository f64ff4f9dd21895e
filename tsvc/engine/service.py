"""The service that the JSON-RPC methods call: runs by id, from creation to collection.

Methods have no logic, and this module has no wire format: it takes checked params and returns JSON
values or raises TsvcError.
"""

import base64
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gevent

from tsvc import turns
from tsvc.archive.archive import Archive, Pending
from tsvc.archive.store import ArchiveError, Store
from tsvc.archive.wanted import Wanted
from tsvc.clock import SYSTEM_CLOCK, Clock, sec_usec
from tsvc.config.pools import of_process
from tsvc.config.tables import Config
from tsvc.engine.compiler.compile import CompiledTest, bounded
from tsvc.engine.compiler.judge import Judged, judge
from tsvc.engine.compiler.thresholds import settle_thresholds
from tsvc.engine.description import describe
from tsvc.engine.gateway_table import GatewayTable
from tsvc.engine.give_way import slices
from tsvc.engine.housekeeping import Keeper
from tsvc.engine.limits.locks import LockTable
from tsvc.engine.limits.memory import MemoryWatch, ceiling_mib
from tsvc.engine.limits.run_limits import check_start, client, waiting
from tsvc.engine.load import pacing
from tsvc.engine.load.counters import Traffic
from tsvc.engine.result.archived import ArchivedResults
from tsvc.engine.result.leaks import audit
from tsvc.engine.result.otlp import TraceExporter
from tsvc.engine.result.result import (
    COMPLETED,
    WHOLE,
    Part,
    final_result,
    progress,
    result_of,
    summary,
)
from tsvc.engine.result.traces import EVERYTHING, Excerpt, run_trace, stored_trace, to_archive
from tsvc.engine.run import Run
from tsvc.engine.run_table import RunTable
from tsvc.engine.sharing import Sharing
from tsvc.errors import DefinitionError, Problem, RequestError, StartError
from tsvc.expr.functions import FUNCTIONS
from tsvc.gateways.gateway import Gateway, GatewayContext
from tsvc.kind import are_from_outside
from tsvc.log import get_logger
from tsvc.operations.context import RunContext
from tsvc.operations.operation import OPERATION_TYPES, RUN_PARTS
from tsvc.protocols.tcap.ids import ALL_IDS, IdRange
from tsvc.registry import Registry
from tsvc.results.exchanges import PRESENTATIONS
from tsvc.schema.load import LoadedParams
from tsvc.schema.style import integer_of
from tsvc.ss7.scp_host import ScpHost
from tsvc.words import json_pointer, quoted, shown

log = get_logger("service")

_TRACES_S = 2.0  # for traces that wait to be sent when the daemon ends
_STOP_GRACE_S = 0.5  # drain() has given its grace before; stop() alone is immediate


class Service:
    """All runs of one daemon."""

    def __init__(
        self, config: Config, clock: Clock = SYSTEM_CLOCK, sharing: Sharing | None = None
    ) -> None:
        """`sharing` has workers for large runs; None: this process executes all runs."""
        self.config = config = of_process(config, 0)
        self.sharing = sharing
        self.clock = clock
        self.started_at = clock.now()
        self.table = RunTable(clock, lambda: self.config.results)
        self.runs = self.table.by_id
        deadline_s = config.results.deadline_s
        store = Store(_archive_url(config), config.service.name, deadline_s)
        self.archive = Archive(store, config.service.state_dir, deadline_s)
        self.archived = ArchivedResults(self.archive, clock)
        self.keeper = Keeper(
            self.archive, clock, self.table.in_progress, lambda: self.config.results
        )
        self.locks = LockTable()
        self.is_draining = False
        self.traffic = Traffic()
        self.counters = {"runs_started": 0, "runs_refused": 0, "runs_completed": 0}
        ids = ALL_IDS if sharing is None else IdRange.of_process(0)
        is_any = config.service.free_ports
        self.scp = ScpHost(config.scp, clock, ids, takes_free_ports=is_any)
        services = self.scp, ids
        self.gateways = GatewayTable(GatewayContext(clock, random.random, services, is_any))
        self.gateways.build(config.applications)
        self.ceiling_mib = ceiling_mib(config.engine.max_memory_mib)
        self.memory = MemoryWatch(self.table, lambda: self.ceiling_mib)
        self.traces = TraceExporter(config.telemetry, config.service.name)

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Open the archive, start the SCP and the gateways. Errors: whatever prevents that."""
        load_registries(self.config)
        self.archive.start()
        self.traces.start()
        self.scp.start()
        self.gateways.start()
        self.keeper.start()
        self.memory.start()
        if self.sharing is not None:
            self.sharing.start(self.gateways)

    def reload(self, config: Config) -> None:
        """Apply the difference to a new configuration, all of it or nothing.

        Gateways whose table changed restart, with the instances that use them; all others, and
        their instances, are untouched. Errors: FlowProblems, GatewayConfigError.
        """
        own = of_process(config, 0)
        load_registries(own)
        apply_scp = self.scp.prepare(own.scp)
        apply_gateways = self.gateways.prepare(own.applications)
        apply_scp()
        apply_gateways()
        self.config = own
        self.ceiling_mib = ceiling_mib(config.engine.max_memory_mib)
        if self.sharing is not None:
            self.sharing.reload(config, self.gateways)

    def is_busy(self) -> bool:
        """Return True if a run is in progress."""
        return bool(self.table.in_progress())

    def drain(self, drain_s: float) -> None:
        """Refuse new runs, let others finish, cancel the rest. Blocks: up to drain_s and grace."""
        self.is_draining = True
        deadline = self.clock.now() + drain_s
        for run in self.table.in_progress():
            run.wait(max(deadline - self.clock.now(), 0.0))
        self._cancel_all(self.config.engine.cancel_grace_s)

    def stop(self) -> None:
        """Cancel the runs in progress and stop everything."""
        self.is_draining = True
        self._cancel_all(_STOP_GRACE_S)
        if self.sharing is not None:
            self.sharing.stop()
        self.memory.stop()
        self.keeper.stop()
        self.gateways.stop(1.0)
        self.scp.stop()
        self.traces.stop(_TRACES_S)
        self.archive.stop()

    def _cancel_all(self, grace_s: float) -> None:
        rest = self.table.in_progress()
        gevent.joinall([gevent.spawn(run.cancel, grace_s) for run in rest])

    # -- creating ----------------------------------------------------------------------------

    def require_free(self, run_id: str) -> None:
        """Check that a run_id is free. Errors: RunIdInUse if it is not."""
        self.table.require_free(run_id)

    def execute(self, run_id: str, params: Mapping[str, Any]) -> str:
        """Create and start a run from the unchecked params of a request with a definition.

        Errors: RunIdInUse, DefinitionError, StartError.
        """
        self.require_free(run_id)
        judged = self._judge(params)
        if judged.params is None:
            raise DefinitionError.of(judged.problems)
        try:
            self._execute(run_id, judged)
        except (DefinitionError, StartError):
            self.counters["runs_refused"] += 1
            raise
        self.counters["runs_started"] += 1
        return "ok"

    def _execute(self, run_id: str, judged: Judged) -> None:
        if judged.params is None or judged.compiled is None or not judged.is_good:
            raise DefinitionError.of(judged.problems)
        self.require_free(run_id)  # again: others ran while this was compiled
        if judged.lock_failure is not None:
            raise StartError(judged.lock_failure, kind="lock.expression")
        params, gateways = judged.params, judged.gateways
        compiled = replace(judged.compiled, problems=judged.problems)
        names = self._workers_of(judged)
        if names:  # the workers do the kinds' part of the run
            compiled = replace(compiled, parts=())
        self._check_start(compiled, gateways)
        taken = self.locks.acquire(run_id, judged.lock_keys, compiled)
        if taken is not None:
            key, holder = taken
            raise StartError(
                f"lock {quoted(key)} is held by run {quoted(holder)}",
                kind="lock.taken",
                key=key,
                holder=holder,
            )
        try:
            run = self._make_run(run_id, params, compiled, gateways, names)
        except BaseException:
            self.locks.release(compiled)
            raise
        self.table.add(run, client())
        try:
            with waiting(may_end=False):
                run.prepare()
                run.result_id = self.archive.begin(summary(run), dict(params))
        except ArchiveError as error:
            self._undo(run)
            raise StartError(f"the archive fails: {error}", kind="archive.down") from None
        except BaseException:
            self._undo(run)
            raise
        self.traffic.begin(run.counters, run.service)
        run.start()
        log.info("run started", run_id=run_id, type=compiled.plan.type, seed=run.seed)

    def _workers_of(self, judged: Judged) -> list[str]:
        """Return the workers that execute a run; empty if this process does."""
        if self.sharing is not None:
            return self.sharing.chosen(judged)
        if judged.params is not None and judged.params.get("workers") is not None:
            raise StartError("this service has no workers", kind="cluster.worker", ready=0)
        return []

    def _undo(self, run: Run) -> None:
        """Clean up after a run that could not be started."""
        self.table.drop(run)
        self.locks.release(run.compiled)
        run.undo()

    def _make_run(
        self,
        run_id: str,
        params: LoadedParams,
        compiled: CompiledTest,
        gateways: Mapping[str, Gateway],
        workers: list[str],
    ) -> Run:
        engine = self.config.engine
        seed = params.get("seed")
        context = RunContext(params, gateways, self.ports())
        more: dict[str, Any] = {
            "seed": random.getrandbits(48) if seed is None else seed,
            "max_steps": engine.max_steps,
            "max_trace_octets": engine.max_trace_octets,
            "late_ms": engine.late_ms,
            "on_completed": self._completed,
        }
        if workers and self.sharing is not None:
            return self.sharing.make(workers, run_id, compiled, context, self.clock, **more)
        return Run(run_id, compiled, context, self.clock, **more)

    def ports(self) -> dict[str, Any]:
        """Return the ports that are listened on, as `$r` has them: gateway.NAME.port, scp.port."""
        found = {one.name: one.own_port() for one in self.gateways.all()}
        own = {name: {"port": port} for name, port in found.items() if port}
        scp = self.scp.own_port()
        return {**({"gateway": own} if own else {}), **({"scp": {"port": scp}} if scp else {})}

    def _completed(self, run: Run) -> None:
        """Release all that a run held and settle its thresholds; called once for each run."""
        self.traffic.end(run.counters)
        self.locks.release(run.compiled)
        for part in run.compiled.parts:
            part.end()
        run.leaks += audit(run, self.locks)
        if run.leaks:
            run.worsen("fail")
            log.error("run left something behind", run_id=run.run_id, leaks="; ".join(run.leaks))
        settle_thresholds(run)
        self._archive_run(run)
        self.counters["runs_completed"] += 1
        log.info("run completed", run_id=run.run_id, verdict=run.verdict)

    def _archive_run(self, run: Run) -> None:
        """Archive the result; only then does the run count as completed."""
        result = final_result(run)
        if run.result_id is not None:
            short = {**summary(run), **COMPLETED}
            definition = dict(run.context.params)
            pending = Pending(run.result_id, short, result, to_archive(run), definition)
            self.archive.finish(pending)
        self.traces.offer(result)
        for part in run.compiled.parts:
            part.forget()

    def _judge(self, params: Mapping[str, Any]) -> Judged:
        return judge(params, self.config, self.gateways)

    def _check_start(self, compiled: CompiledTest, gateways: Mapping[str, Gateway]) -> None:
        if self.is_draining:
            raise StartError("the daemon is draining", kind="draining")
        backlog = compiled.plan.backlog
        self.memory.relieve()
        check_start(self.config, self.table, client(), backlog, self.ceiling_mib, gateways)

    def validate(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Check all that execute() checks, without starting a run. A run_id is ignored."""
        judged = self._judge({name: params[name] for name in params if name != "run_id"})
        return {
            "valid": judged.is_good,
            "problems": [_placed(problem, "params", params) for problem in judged.problems],
            "operations": judged.operations,
        }

    def check_flow(self, document: object) -> dict[str, Any]:
        """Check a flow document as the embedded SCP does before it runs the flow.

        Blocks: for turns of others.
        """
        with turns.given(slices()):
            from tsvc.flow.document import compile_flow

            flow, problems = compile_flow(document, self.config.scp)
            turns.hold(flow, problems)
            return {
                "valid": flow is not None,
                "problems": [_placed(problem, "flow", document) for problem in bounded(problems)],
            }

    # -- looking -----------------------------------------------------------------------------

    def query(
        self, run_id: str, wait_s: float = 0.0, part: Part = WHOLE, *, is_collected: bool = True
    ) -> dict[str, Any]:
        """Return the result, or a part of it. Blocks: up to wait_s.

        A completed run is collected, unless is_collected is False.
        """
        run = self.table.find(run_id)
        if run is None:
            return part.of(self.archived.result(run_id=run_id))
        if wait_s > 0 and not run.completed.is_set():
            with waiting(may_end=True):
                run.wait(wait_s)
        return self._answer(run, part, is_collected=is_collected)

    def _answer(
        self, run: Run, part: Part = WHOLE, *, is_collected: bool = True
    ) -> dict[str, Any]:
        """Return the result; free the run_id of a completed run that is collected."""
        result = result_of(run, part)
        # Not by run.state: the run may have completed while its result was being made.
        is_over = bool(result["completed"])
        result["archived"] = int(is_over and not self.archive.is_waiting(run.result_id))
        if is_over and is_collected:
            self.table.drop(run)
        return result

    def list_results(self, wanted: Wanted) -> dict[str, Any]:
        """Return summaries from the archive, latest first."""
        return self.archived.list(wanted)

    def get_result(self, result_id: int, *, has_definition: bool = False) -> dict[str, Any]:
        """Return a result from the archive, optionally with its definition. Errors: UnknownRun."""
        result = self.archived.result(result_id=result_id)
        if has_definition:
            result["definition"] = self.archived.stored(
                result_id=result_id, parts=("definition",)
            ).definition
        return result

    def query_all(self) -> dict[str, Any]:
        """Return a summary of every run that is in progress or not yet collected."""
        self.table.forget_old()
        return {
            "time_now": sec_usec(self.clock.wall()),
            "tests": [{**summary(run), "progress": progress(run)} for run in self.runs.values()],
        }

    def cancel(self, run_id: str) -> dict[str, Any]:
        """Cancel a run and collect it. Blocks: up to engine.cancel_grace_s."""
        run = self.table.get(run_id)
        with waiting(may_end=False):
            was_running = run.cancel(self.config.engine.cancel_grace_s)
        return {**self._answer(run), "cancelled": int(was_running)}

    def resume(self, run_id: str, instance_id: str) -> dict[str, Any]:
        """Resume a halted instance. Errors: UnknownRun, RequestError if it is not halted."""
        run = self.table.get(run_id)
        index = integer_of(instance_id)
        instance = None if index is None else run.halted.get(index)
        if instance is None or not instance.resume():
            raise RequestError(
                f"instance {shown(instance_id)} of run {quoted(run_id)} is not halted",
                kind="instance.not_halted",
            )
        return {"resumed": 1}

    def change_rate(self, run_id: str, cps: Mapping[str, Any]) -> dict[str, Any]:
        """Change the rate of a run. Errors: UnknownRun, RequestError (see pacing)."""
        run = self.table.get(run_id)
        return {"run_id": run_id, "asked": pacing.change_rate(run, cps)}

    def set_paused(self, run_id: str, is_paused: bool) -> dict[str, Any]:
        """Pause or resume the starts of a run. Errors: UnknownRun, RequestError (see pacing)."""
        pacing.set_paused(self.table.get(run_id), is_paused)
        return {"run_id": run_id, "paused": int(is_paused)}

    def trace(
        self,
        run_id: str | None,
        result_id: int | None,
        idx: int,
        form: str,
        wanted: Excerpt = EVERYTHING,
    ) -> dict[str, Any]:
        """Return the trace of an instance that was kept in detail; octets in base64."""
        if result_id is not None:
            run = self.table.of_result(result_id)
        else:
            run = None if run_id is None else self.table.find(run_id)
        if run is not None:
            run_id, content = run.run_id, run_trace(run, idx, form, wanted)
        else:
            found = self.archived.stored(run_id=run_id, result_id=result_id)
            run_id, content = found.run_id, stored_trace(found, idx, form, wanted)
        if isinstance(content, bytes):
            content = base64.b64encode(content).decode("ascii")
        return {"run_id": run_id, "instance": idx, "format": form, "content": content}

    def list_workers(self) -> list[dict[str, Any]]:
        """Return a row for each worker."""
        return [] if self.sharing is None else self.sharing.describe()

    def drain_worker(self, name: str) -> dict[str, Any]:
        """Assign no more runs to a worker. Errors: RequestError."""
        if self.sharing is None:
            raise RequestError("this service has no workers", kind="worker.unknown")
        self.sharing.drain(name)
        return {"worker": name}

    def describe(self) -> dict[str, Any]:
        """Return version, uptime, gateways, limits and counters."""
        return describe(self)


def _placed(problem: Problem, root: str, given: object) -> dict[str, str]:
    """Return the JSON form of a problem, with a pointer to its place in the given value."""
    pointer = json_pointer(problem.path.removeprefix(root), given)
    return {**problem.as_dict(), "pointer": pointer}


def _archive_url(config: Config) -> str:
    """Return the URL of the configured database, or of SQLite in the state folder."""
    if config.results.url:
        return config.results.url
    if config.service.state_dir == Path():
        return "sqlite://"  # a configuration made in code has no folder: kept in memory
    return f"sqlite:///{config.service.state_dir / 'archive.sqlite'}"


def load_registries(config: Config) -> None:
    """Import what a run can need of the configured kinds. Blocks: on their files.

    A registry loads on first use. For the first run of a daemon that would mean to import dozens
    of modules while the event loop stands still, for tens of milliseconds. Modules of kinds that
    are not configured can wait: a request that needs them gets an error anyway. An external kind
    may give its operations any names: then all modules are imported, to compare the names.
    """
    FUNCTIONS.load()
    of_kinds: tuple[Registry[Any], ...] = (OPERATION_TYPES, RUN_PARTS, PRESENTATIONS)
    configured = sorted({application.module for application in config.applications.values()})
    for registry in of_kinds:
        if are_from_outside() or any(":" in module for module in configured):
            registry.load()
        for kind in configured:
            registry.near(kind)
