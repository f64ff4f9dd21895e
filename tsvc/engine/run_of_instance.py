"""The part of a run that its Test Instances use."""

from typing import Any, Protocol, TypeVar

from tsvc.clock import Clock
from tsvc.engine.compiler.compile import CompiledTest
from tsvc.engine.limits.variable_sizes import Weights
from tsvc.engine.load.counters import Counters
from tsvc.operations.context import RunContext
from tsvc.operations.operation import Execute

T = TypeVar("T")  # Instance of the engine, which imports this module


class RunOfInstance(Protocol[T]):
    """The attributes and methods of its run that an instance may use."""

    run_id: str
    seed: int
    clock: Clock
    counters: Counters
    compiled: CompiledTest
    context: RunContext
    executes: tuple[Execute, ...]
    globals: dict[str, Any]  # $g
    weights: Weights
    first: T | None
    trace_level: int
    keeps_messages: bool
    keeps_details: bool
    is_turbo: bool
    max_steps: int
    fails_refusals: bool
    is_strict: bool
    max_trace_octets: int

    def note_latency(self, idx: int, position: int, name: str, seconds: float) -> None:
        """Record the wait of an operation."""

    def note_halt(self, instance: T, *, is_halted: bool) -> None:
        """Count an instance as halted, or no longer."""

    def note_malformed(self) -> None:
        """Count something received in a form that it must not have."""

    def wall_at(self, moment: float) -> float:
        """Return the wall time of a moment of the clock."""

    def linger_s(self, instance: T) -> float:
        """Return how long an instance waits at its end for messages that are on their way."""

    def note_closing(self, how: str) -> None:
        """Count a dialogue that the end of an instance had to close."""

    def report_bug(self, instance: T, error: BaseException) -> None:
        """Log an internal failure with its traceback."""
