"""Runs one call through one flow.

    run = FlowRun(flow, call)
    action = run.start()
    while not run.is_over:
        action = run.resume(perform(action))

The run returns actions and takes the event that answers each. The last action ends the call:

* Release: a ReleaseCall operation, a null exit (cause 31) or the step limit;
* EndUssd: a UssdEnd operation;
* Finished: the destination has answered, and no further action is needed;
* Terminate with wants_failures False: the final connect. Its result is not reported, so the run
  is over as soon as the action is returned, and the performer of the action ends the dialogue.

A run that is over answers Finished to any event, because late reports are normal. `stop` ends a
run from outside: the caller is gone, or a resource failed. An exception of a node is a fault in
the code. It is raised by start or resume, and then the run can only be stopped.
"""

from enum import StrEnum

from tsvc.flow.call import (
    END_OF_FLOW_CAUSE,
    Action,
    Answered,
    AskUssd,
    Busy,
    CallFacts,
    Charge,
    ChargingFailed,
    Collect,
    Ended,
    EndUssd,
    EnteredDigits,
    Event,
    Finished,
    Furnish,
    Furnished,
    NoAnswer,
    NoDigits,
    Pause,
    PauseOver,
    Play,
    Played,
    Release,
    RouteSelectFailure,
    SayUssd,
    Terminate,
    Used,
    UssdFailed,
    UssdInput,
    UssdShown,
)
from tsvc.flow.flow import Flow, Operation, PathStep
from tsvc.flow.node import NodeRun

STEP_LIMIT = 1000  # operations per call; loops are allowed, endless loops are not

ANSWERS: dict[type[Action], tuple[type[Event], ...]] = {
    Play: (Played,),
    Collect: (EnteredDigits, NoDigits),
    Terminate: (Answered, Busy, NoAnswer, RouteSelectFailure),
    Charge: (Used, Ended, ChargingFailed, Busy, NoAnswer, RouteSelectFailure),
    Furnish: (Furnished,),
    AskUssd: (UssdInput, UssdFailed),
    SayUssd: (UssdShown, UssdFailed),
    Pause: (PauseOver,),
}


class FlowEnd(StrEnum):
    """The end of a run."""

    ANSWERED = "answered"
    CONNECTED = "connected"  # final connect: the result isn't known
    RELEASED = "released"  # by an operation
    END_OF_FLOW = "end of flow"  # a null exit
    STEP_LIMIT = "step limit"
    STOPPED = "stopped"  # from outside; see stop_reason


class UnexpectedEvent(Exception):
    """A run was given an event that can't answer its action: a fault in the code."""


class FlowRun:
    """One call in one flow. `path` = the operations so far; `outcome` None while it runs."""

    __slots__ = (
        "_node_run",
        "_operation",
        "action",
        "call",
        "flow",
        "outcome",
        "path",
        "stop_reason",
    )

    def __init__(self, flow: Flow, call: CallFacts) -> None:
        self.flow = flow
        self.call = call
        self.path: list[PathStep] = []
        self.outcome: FlowEnd | None = None
        self.stop_reason: str | None = None
        self.action: Action | None = None  # the one that waits for its event, or the last one
        self._operation: Operation | None = None
        self._node_run: NodeRun | None = None

    @property
    def is_over(self) -> bool:
        """True if the run needs no further event."""
        return self.outcome is not None

    def start(self) -> Action:
        """Return the first action. Raises UnexpectedEvent if the run was started before."""
        if self.path:
            raise UnexpectedEvent("the run was started already")
        self._enter(self.flow.start_id)
        return self._advance(None)

    def resume(self, event: Event) -> Action:
        """Return the next action after the event; raises UnexpectedEvent if it does not fit."""
        if self.is_over:
            return Finished()
        action = self.action
        if action is None or not isinstance(event, ANSWERS[type(action)]):
            waiting = "before start" if action is None else f"to {type(action).__name__}"
            raise UnexpectedEvent(f"{type(event).__name__} is no answer {waiting}")
        if isinstance(event, Answered):
            return self._end(FlowEnd.ANSWERED, Finished())
        return self._advance(event)

    def stop(self, reason: str) -> None:
        """End the run where it waits; no operation follows. A run that is over is unchanged."""
        if not self.is_over:
            self.stop_reason = reason
            self._end(FlowEnd.STOPPED, Finished())

    def _advance(self, event: Event | None) -> Action:
        """Run nodes until one of them yields an action or the flow is over."""
        while True:
            node_run, operation = self._node_run, self._operation
            assert node_run is not None
            assert operation is not None
            try:
                action = next(node_run) if event is None else node_run.send(event)
            except StopIteration as left:
                exit_index: int = left.value
            else:
                return self._hand_out(action)
            self.path[-1] = operation.left[exit_index]
            next_id = operation.exits[exit_index]
            if next_id is None:
                return self._end(FlowEnd.END_OF_FLOW, Release(END_OF_FLOW_CAUSE))
            if len(self.path) >= STEP_LIMIT:
                return self._end(FlowEnd.STEP_LIMIT, Release(END_OF_FLOW_CAUSE))
            self._enter(next_id)
            event = None

    def _enter(self, operation_id: int) -> None:
        operation = self.flow.operations[operation_id]
        self._operation = operation
        self._node_run = operation.node.run(self.call)
        self.path.append(operation.entered)

    def _hand_out(self, action: Action) -> Action:
        if isinstance(action, Release | EndUssd):
            return self._end(FlowEnd.RELEASED, action)
        if isinstance(action, Terminate) and not action.wants_failures:
            return self._end(FlowEnd.CONNECTED, action)
        self.action = action
        return action

    def _end(self, outcome: FlowEnd, action: Action) -> Action:
        self.outcome = outcome
        self.action = action
        if self._node_run is not None:
            self._node_run.close()
            self._node_run = None
        return action
