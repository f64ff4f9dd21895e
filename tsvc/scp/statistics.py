"""The counts of the service control point: calls by ending, errors, flows by operation."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from enum import StrEnum
from typing import Any

from tsvc.flow.flow import PathStep


class Ending(StrEnum):
    """The end of a call; each call ends in exactly one way."""

    ANSWERED = "answered"
    CONNECTED = "connected"  # final connect: the result isn't known
    RELEASED = "released"  # by an operation, a null exit or the step limit
    ABANDONED = "abandoned"  # the caller is gone
    FAILED = "failed"  # see the errors
    NO_TRIGGER = "no_trigger"  # no flow serves it


class FlowCounts:
    """The counts of one flow."""

    __slots__ = ("calls", "endings", "exits", "operations")

    def __init__(self) -> None:
        self.calls = 0
        self.endings: Counter[str] = Counter()
        self.operations: Counter[int] = Counter()
        self.exits: Counter[tuple[int, int]] = Counter()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form; an exit is named `operation id:exit index`."""
        return {
            "calls": self.calls,
            "endings": dict(self.endings),
            "operations": {str(one): count for one, count in self.operations.items()},
            "exits": {f"{one}:{index}": count for (one, index), count in self.exits.items()},
        }


class Statistics:
    """The counts of a service control point.

    calls:    InitialDPs and USSD requests that were read; each ends in one of `endings`.
    errors:   by kind: what went wrong with calls.
    messages: by kind: messages refused, rejected or ignored on dialogues.
    """

    __slots__ = ("_flows", "calls", "endings", "errors", "messages")

    def __init__(self) -> None:
        self.calls = 0
        self.endings: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.messages: Counter[str] = Counter()
        self._flows: dict[str, FlowCounts] = {}

    def flow(self, name: str) -> FlowCounts:
        """Return the counts of a flow."""
        counts = self._flows.get(name)
        if counts is None:
            counts = self._flows[name] = FlowCounts()
        return counts

    @property
    def noted(self) -> int:
        """The number of counted errors and messages."""
        return self.errors.total() + self.messages.total()

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Ignore counts in the block: they were counted before."""
        kept = {name: deepcopy(getattr(self, name)) for name in self.__slots__}
        try:
            yield
        finally:
            for name, value in kept.items():
                setattr(self, name, value)

    def end_call(self, flow_name: str, ending: Ending, path: Sequence[PathStep]) -> None:
        """Count a call of a flow that is over, with the operations on its path."""
        self.endings[ending.value] += 1
        counts = self.flow(flow_name)
        counts.endings[ending.value] += 1
        for step in path:
            counts.operations[step.operation_id] += 1
            if step.exit_index is not None:
                counts.exits[step.operation_id, step.exit_index] += 1

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: all endings, and the other counts that aren't zero."""
        return {
            "calls": self.calls,
            **{ending.value: self.endings[ending.value] for ending in Ending},
            "errors": dict(self.errors),
            "messages": dict(self.messages),
            "flows": {name: counts.as_dict() for name, counts in self._flows.items()},
        }
