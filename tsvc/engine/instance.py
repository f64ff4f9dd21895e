"""A Test Instance: one pass through the operations, in a greenlet of its own.

execute() calls the compiled operations one by one. They are plain blocking code that gets the
instance and may return the index of the next operation. An instance ends as passed, or as failed
if a check failed. It ends as aborted if an operation raises, and as cancelled if the run throws
InstanceCancelled into it. At the end, sessions that operations have opened (`dialogues`) are
checked for messages that no operation took. They are closed in any case.

Records are kept small: tuples that become text only on request.
"""

from collections.abc import Callable
from math import inf
from random import Random
from typing import Any, cast

import gevent
from gevent.event import Event

from tsvc import turns
from tsvc.engine.give_way import SLICE_S, give_way
from tsvc.engine.limits.collector import note_made
from tsvc.engine.limits.variable_sizes import (
    FIRST_LOOK,
    MAX_INSTANCE,
    MAX_RUN,
    MEBIBYTE,
    weigh,
)
from tsvc.engine.load.counters import InstanceState
from tsvc.engine.result.copies import (
    bounded_text,
    cause_of,
    failure_text,
    shown_copy,
    weighed_copy,
)
from tsvc.engine.result.kept_messages import Carrier, KeptMessages
from tsvc.engine.result.logs import CheckLog, Moment, TraceLog
from tsvc.engine.run_of_instance import RunOfInstance
from tsvc.errors import ExpressionError, ExpressionFailed, GatewayError, ProtocolError
from tsvc.expr import Environment
from tsvc.matching.outcome import Outcome
from tsvc.operations.context import Session
from tsvc.operations.operation import InstanceAborted, Watched
from tsvc.protocols.sccp.address import Address
from tsvc.results.records import Ends, ExchangeRecord, MessageRecord, Record
from tsvc.words import cut

_READ_S = 1e-6
_PORTIONS = 10  # parts of the time that an instance lingers
_MOST_PORTIONS = 40  # if the tester itself is late …
_LATE_S = 0.002  # … by this much
# Operations make small values too, which are not counted one by one.
_STEPS_A_LOOK = 256
_OCTETS_A_STEP = 1024


class InstanceCancelled(BaseException):
    """The run was cancelled: thrown into an instance wherever it waits."""


class _Trail:
    """Follows a message that an instance has sent; a tcap.dialogue.Trail."""

    __slots__ = ("_instance", "_record")

    def __init__(self, instance: "Instance", record: MessageRecord) -> None:
        self._instance = instance
        self._record = record

    def carried(self, by: Carrier, octets: bytes) -> None:
        """Keep the octets that a link has queued for the message."""
        if self._instance.kept is not None:
            self._instance.kept.note_sent(by, octets)

    def lost(self) -> None:
        """Forget the message, which can't be sent."""
        self._instance.take_back(self._record)


class Instance:
    """The state of one instance; operations use the part that operation.Instance declares."""

    __slots__ = (
        "_halt_event",
        "_made_before",
        "_random",
        "_slice_start",
        "_weigh_at",
        "_weigh_shared_at",
        "_weight",
        "check_log",
        "clock",
        "comment",
        "context",
        "detail",
        "dialogues",
        "ends_by",
        "env",
        "failed_at",
        "failed_value",
        "failure_cause",
        "finished_at",
        "first_failure",
        "greenlet",
        "halt_until",
        "idx",
        "is_checked",
        "is_played",
        "is_traced",
        "kept",
        "lingered_s",
        "planned_at",
        "position",
        "reason",
        "run",
        "started_at",
        "state",
        "step",
        "trace_log",
        "waited_s",
    )

    def __init__(self, run: RunOfInstance["Instance"], idx: int, planned_at: float) -> None:
        self.run = run
        self.idx = idx
        self.planned_at = planned_at
        self.clock = run.clock
        self.context = run.context
        self.state = InstanceState.RUNNING
        self.reason = ""
        self.position = 0
        self.step = 0
        self.dialogues: list[Session[Any]] = []
        # The first failed check: in words, its cause without values, where, and the value seen.
        self.first_failure: str | None = None
        self.failure_cause = ""
        self.failed_at = 0
        self.failed_value: Any = None
        is_first = run.first is None
        self.is_traced = is_first and run.trace_level > 0
        self.is_checked = is_first or not run.is_turbo
        has_detail = is_first or run.keeps_details
        most = run.max_trace_octets
        self.check_log = CheckLog(most) if has_detail else None
        self.trace_log = TraceLog(run.trace_level, most) if is_first else None
        keeps_messages = has_detail and run.keeps_messages
        self.kept = KeptMessages(with_links=True) if keeps_messages else None
        # The value of result.detail(), once the instance is over.
        self.detail: dict[str, Any] | None = None
        self.greenlet: gevent.Greenlet[..., Any] | None = None
        self.is_played = False  # True while a past is replayed (fast_path.py): nothing switches
        self.ends_by: BaseException | type[BaseException] | None = None  # raised once live
        self.started_at = 0.0
        self.finished_at = 0.0
        self.waited_s = 0.0
        self.lingered_s = 0.0  # after the last operation, for late messages
        self.halt_until: float | None = None
        self.comment: str | None = None
        self._halt_event: Event | None = None
        # Octets of the variables when weighed last, and the `env.made` at which to weigh again.
        self._weight = 0
        self._weigh_at = self._weigh_shared_at = FIRST_LOOK
        self._made_before, self._slice_start = 0, inf
        self._random: Random | None = None
        facts = {"run_id": run.run_id, "idx": idx, "seed": run.seed, **run.context.ports}
        self.env = Environment(
            {},
            {},
            run.globals,
            facts,
            random=self._chance,
            now=run.clock.wall,
            tick=self.tick,
            look_at=FIRST_LOOK,
            undefined=self._note_undefined,
        )

    @property
    def wall_start(self) -> float:
        """The wall time of its start, s since the epoch; 0.0 before the start."""
        return self.run.wall_at(self.started_at) if self.started_at else 0.0

    def let_go(self) -> None:
        """Break the reference cycles: an instance that is over is freed with its last user."""
        self.env.tick = self.env.undefined = None
        self.env.random = _no_chance

    # -- life --------------------------------------------------------------------------------

    def go_live(self) -> None:
        """Continue as a live instance in this greenlet. Errors: `ends_by`, if it is set."""
        self.is_played = False
        self.greenlet = cast("gevent.Greenlet[..., Any]", gevent.getcurrent())
        self._slice_start = self.clock.now()
        if self.ends_by:
            raise self.ends_by

    def execute(self) -> InstanceState:
        """Run the operations to the end and return the final state. Blocks: that long."""
        if not self.started_at:  # otherwise set when the start was counted
            self.started_at = self.clock.now()
        if not self.is_played:
            self.go_live()
        self.env.r["time"] = self.clock.wall()
        try:
            self.run.compiled.vars.fill(self.env, self.idx)
            self._execute_steps()
            self._check_leftovers()
            if not self.is_played and self._linger():
                self._check_leftovers()
            state = InstanceState.FAILED if self.first_failure else InstanceState.PASSED
        except InstanceAborted as aborted:
            state = self._abort(str(aborted), is_logged=aborted.is_logged)
        except (ExpressionError, GatewayError, ProtocolError) as error:
            state = self._abort(str(error))
        except InstanceCancelled:
            state = InstanceState.CANCELLED
            self.reason = "cancelled"
        except BaseException as error:  # noqa: BLE001 - it ends this instance, not the daemon
            # Even SystemExit is a failure of the operation, wherever it comes from.
            state = self._abort(f"internal failure: {type(error).__name__}: {error}")
            self.run.report_bug(self, error)
        self._close_dialogues(state)
        self.state = state
        self.finished_at = self.clock.now() - self.lingered_s
        if self.env.made > MEBIBYTE:
            # The instance may be kept for its detail, like fifty others: keep a bounded copy.
            try:
                with turns.given(self._let_others_run):
                    self.env.v = shown_copy(self.env.v)
            except InstanceCancelled:  # too late: it is over
                self.env.v = shown_copy(self.env.v)
            self.env.i = {}
        return state

    def release_variables(self) -> None:
        """Forget the variables; the detail has its own copies.

        Blocks: for turns of others, if yielding is enabled.
        """
        old = [self.env.i.copy(), self.env.v.copy()]
        self.env.v.clear()
        self.env.i.clear()
        turns.let_go(old)

    def _execute_steps(self) -> None:
        steps = self.run.executes
        count = len(steps)
        limit = self.run.max_steps
        position = 0
        env = self.env
        clock_now = self.clock.now
        is_traced = self.is_traced
        while position < count:
            self.position = position
            self.step += 1
            if self.step > limit:
                raise InstanceAborted(f"more than {limit} operations executed")
            if clock_now() - self._slice_start > SLICE_S:
                self.tick()
            if self.step % _STEPS_A_LOOK == 0:
                env.made += _STEPS_A_LOOK * _OCTETS_A_STEP
            if env.made >= self._weigh_at:
                self._weigh()
            self._made_before = env.made
            if is_traced:
                self._trace_operation(position)
            target = steps[position](self)
            position = position + 1 if target is None else target

    def _check_leftovers(self) -> None:
        """Abort if something was received that no operation took, or was never sent."""
        for dialogue in self.dialogues:
            unsent = dialogue.unsent()
            if unsent is not None:
                raise InstanceAborted(f"{unsent} was never sent: no next message took it along")
            for inbound in dialogue.leftovers():
                what = dialogue.describe(inbound)
                raise InstanceAborted(f"unexpected {what} at the end of the instance")

    def _linger(self) -> bool:
        """Wait for messages that may still come; return True if it waited.

        Without a time to linger, only what has arrived is read, so that no verdict depends on
        which greenlet ran first. The time is waited in portions. A portion after which this
        process is late itself does not count: the peer may be on the same busy machine. Blocks: up
        to linger_ms, on a busy machine several times that.
        """
        if not any(session.may_hear for session in self.dialogues):
            return False
        began = self.clock.now()
        # Even the shortest timer fires after all readable sockets were read.
        portion = max(self.run.linger_s(self) / _PORTIONS, _READ_S)
        left = _PORTIONS if portion > _READ_S else 1
        for _ in range(_MOST_PORTIONS):
            slept_at = self.clock.now()
            gevent.sleep(portion)
            left -= self.clock.now() - slept_at < portion + _LATE_S
            if left <= 0:
                break
        gevent.sleep(0)
        self.lingered_s = self.clock.now() - began
        return True

    def _abort(self, reason: str, *, is_logged: bool = False) -> InstanceState:
        self.reason = reason = bounded_text(reason)
        if not is_logged:
            self._log_check(False, reason, None, None, is_abort=True)
        return InstanceState.ABORTED

    def _close_dialogues(self, state: InstanceState) -> None:
        for dialogue in self.dialogues:
            try:
                dialogue.tell_late(self.run.counters.note_late)
                if state is InstanceState.CANCELLED:
                    dialogue.abort()
                    continue
                how = dialogue.close()
            except InstanceCancelled:  # while it waited for its peer
                dialogue.abort()
                continue
            except BaseException as error:  # noqa: BLE001 - the others must be closed all the same
                self.run.report_bug(self, error)
                continue
            if how is not None:
                self.run.note_closing(how)
                self.trace(1, f"{dialogue.name} closed by {how}")

    # -- checks and traces -------------------------------------------------------------------

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Add a check; a failed one with `abort` ends the instance."""
        text = bounded_text(text)
        if not ok and self.first_failure is None:
            self._note_failure(text, expected, got)
        self._log_check(ok, text, expected, got, is_abort=abort and not ok)
        if abort and not ok:
            raise InstanceAborted(failure_text(text, expected, got), is_logged=True)

    def add(self, outcome: Outcome) -> None:
        """Add all findings of a comparison."""
        kept = outcome.kept
        if kept is None:
            kept = []
            with turns.given(self._let_others_run):
                for ok, text, expected, got in outcome.findings:
                    wanted, found = weighed_copy(expected), weighed_copy(got)
                    kept.append((ok, bounded_text(text), wanted[0], found[0]))
                    outcome.kept_octets += len(text) + wanted[1] + found[1]
            outcome.kept = kept
        if not outcome.is_ok and self.first_failure is None:
            self._note_failure(*next(rest for ok, *rest in kept if not ok))
        if self.check_log is not None:
            self.check_log.add_outcome(self._moment(), outcome)

    def _note_failure(self, text: str, expected: object, got: object) -> None:
        self.first_failure = failure_text(text, expected, got)
        self.failure_cause = cause_of(text, expected, got)
        self.failed_at = self.position
        self.failed_value = got

    def _log_check(
        self, ok: bool, text: str, expected: object, got: object, *, is_abort: bool
    ) -> None:
        if self.check_log is not None:
            add, moment = self.check_log.add, self._moment()
            if isinstance(expected, dict | list) or isinstance(got, dict | list):
                with turns.given(self._let_others_run):
                    add(moment, ok, text, expected, got, is_abort=is_abort)
            else:
                add(moment, ok, text, expected, got, is_abort=is_abort)

    def _moment(self) -> Moment:
        return self.clock.now() - self.started_at, self.position, self.step

    def trace(self, level: int, text: str, detail: Callable[[], Any] | None = None) -> None:
        """Add to the trace log; level 0 is for `log` operations."""
        if self.trace_log is not None:
            t = self.clock.now() - self.started_at
            with turns.given(self._let_others_run):
                self.trace_log.add(t, self.position, level, text, detail)

    def _trace_operation(self, position: int) -> None:
        step = self.run.compiled.steps[position]
        if step.type != "log":  # it writes its own entry, at every level
            self.trace(1, step.type if step.label is None else f"{step.type}, {step.label}")

    def watch(self, dialogue: Watched, name: str) -> None:
        """Keep and trace the messages of a dialogue, keep its path through an embedded SCP."""
        if self is self.run.first:
            dialogue.follow()
        is_traced = self.is_traced
        if self.kept is None and not is_traced:
            return
        role, is_bare = dialogue.role, dialogue.is_bare

        def tap(
            is_sent: bool, octets: bytes, called: Address, calling: Address, route: Any
        ) -> _Trail | None:
            if not is_sent and not is_bare and self.kept is not None:
                self.kept.note_received(route)
            if not octets:
                return None
            t = self.clock.now() - self.started_at
            variant = dialogue.variant
            record = MessageRecord(
                t, name, role, is_sent, octets, called, calling, variant, is_bare
            )
            if is_traced:
                way = "sent" if is_sent else "received"
                self.trace(2, f"{name} {way} {len(octets)} octets", lambda: record)
            if self.kept is not None:
                self.kept.keep(record)
            return _Trail(self, record) if is_sent else None

        dialogue.tcap.tap = tap

    @property
    def messages(self) -> list[Record] | None:
        """The messages kept, in the order in which they were noted; None if none are kept."""
        return None if self.kept is None else self.kept.records

    def recorded(self) -> list[Record]:
        """Return the messages kept, in the order of time, with those of links."""
        if self.kept is None:
            return []
        return self.kept.between(self.started_at, self.finished_at or self.clock.now())

    def keep_records(self) -> None:
        """Store messages that links would forget, once the instance is over and is kept."""
        if self.kept is not None:
            self.kept.settle(self.started_at, self.finished_at or self.clock.now())

    def take_back(self, record: MessageRecord) -> None:
        """Forget a message that could not be sent."""
        self.trace(2, f"{record.dialogue} could not send it")
        if self.kept is not None:
            self.kept.take_back(record)

    @property
    def keeps_messages(self) -> bool:
        """True if note_message() keeps messages; otherwise their octets need not be made."""
        return self.kept is not None

    def note_message(
        self,
        protocol: str,
        peer: str,
        is_sent: bool,
        octets: bytes,
        grammar: str = "",
        ends: Ends | None = None,
    ) -> None:
        """Keep a message of a protocol other than TCAP for the detail of the instance."""
        if self.kept is not None:
            t = self.clock.now() - self.started_at
            self.kept.keep(ExchangeRecord(t, protocol, peer, is_sent, octets, grammar, ends))

    def note_latency(self, name: str, seconds: float) -> None:
        """Record how long an operation waited for a peer."""
        self.waited_s += seconds
        self.run.note_latency(self.idx, self.position, name, seconds)

    def note_malformed(self) -> None:
        """Count something received in a form that it must not have."""
        self.run.note_malformed()

    def note_refusal(self, what: str) -> None:
        """Count and log a peer's refusal that no operation checks; it may fail the instance."""
        self.run.counters.unchecked_refusals += 1
        text = f"refused with {what}; nobody looked"
        if self.run.fails_refusals:
            self.entry(False, text, None, None)
        else:
            self._remark(text)

    def _note_undefined(self, path: str, source: str) -> None:
        """Count and log an undefined value in what is sent; with `strict` it is an error."""
        shown = cut(f"{{{source}}}", 80)
        if self.run.is_strict:
            raise ExpressionFailed(f"{shown} is undefined")
        self.run.counters.undefined_sent += 1
        self._remark(f"undefined, left out or sent empty: {path}: {shown}")

    def _remark(self, text: str) -> None:
        if self.check_log is not None:
            self.check_log.add(self._moment(), None, text, None, None, is_abort=False)

    # -- waiting -----------------------------------------------------------------------------

    def sleep(self, seconds: float) -> None:
        """Wait some seconds. Blocks: that long; a cancel ends it."""
        gevent.sleep(seconds)
        self._slice_start = self.clock.now()

    def halt(self, seconds: float, comment: str | None) -> bool:
        """Halt; return True if resumed, False if not. Blocks: until resumed, or that long."""
        resumed = self._halt_event = Event()
        self.halt_until = self.clock.now() + seconds
        self.comment = comment
        self.state = InstanceState.HALTED
        self.run.note_halt(self, is_halted=True)
        self.trace(1, f"halted for {seconds:g} s" + (f": {comment}" if comment else ""))
        try:
            return bool(resumed.wait(seconds))
        finally:
            self.state = InstanceState.RUNNING
            self.halt_until = None
            self._halt_event = None
            self.run.note_halt(self, is_halted=False)
            self._slice_start = self.clock.now()

    def resume(self) -> bool:
        """End a halt. Return False if the instance is not halted, or was resumed already."""
        resumed, self._halt_event = self._halt_event, None
        if resumed is None:
            return False
        resumed.set()
        return True

    def tick(self) -> None:
        """Yield after long work. Errors: InstanceAborted if the variables are too large."""
        env = self.env
        if env.made >= env.look_at:
            note_made(env.made - env.look_at + FIRST_LOOK)
            # All that the operation has made may still be in memory.
            env.look_at = env.made + FIRST_LOOK
            self._hold(self._weight + env.made - self._made_before, 0)
        self._let_others_run()

    def _let_others_run(self) -> None:
        if self.clock.now() - self._slice_start > SLICE_S:
            give_way()
            self._slice_start = self.clock.now()

    def _weigh(self) -> None:
        """Weigh the variables, between operations. Errors: InstanceAborted if too large."""
        env, run = self.env, self.run
        self._weight = weigh((env.v, env.i), MAX_INSTANCE, self._let_others_run)
        shared = 0
        if env.made >= self._weigh_shared_at:
            shared = weigh((run.globals,), MAX_RUN, self._let_others_run)
            self._weigh_shared_at = env.made + max(shared, FIRST_LOOK)
        self._weigh_at = env.made + max(self._weight, FIRST_LOOK)
        self._hold(self._weight, shared)

    def _hold(self, own: int, shared: int) -> None:
        self.run.weights.note(self.idx, own)
        problem = self.run.weights.problem(own, shared)
        if problem is not None:
            raise InstanceAborted(problem)

    def _chance(self) -> float:
        """Return the next random number; same seed and index give the same sequence."""
        if self._random is None:
            self._random = Random(f"{self.run.seed}:{self.idx}")
        return self._random.random()


def _no_chance() -> float:
    """Replace _chance() of an instance that is over: nothing is evaluated any more."""
    return 0.0
