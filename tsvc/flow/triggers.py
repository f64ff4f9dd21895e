"""Chooses the flow that serves a call or a USSD session.

Precedence: a flow that names the service key; then the longest prefix of the called number or
of the USSD string; then the longest calling prefix; then the default. The first kind that matches
decides alone; kinds are never combined. Of two flows with the same trigger the first is chosen.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Generic, Protocol, TypeVar

from tsvc import turns
from tsvc.errors import Problem
from tsvc.flow.call import CallFacts
from tsvc.values import dataclass
from tsvc.words import described, did_you_mean

MAX_SERVICE_KEY = 2**31 - 1
_NUMBER_CHARACTERS = set("0123456789ABCDEF*#")


class TriggerKind(Enum):
    """The member of a trigger entry, in order of precedence."""

    SERVICE_KEY = "service_key"
    CALLED_PREFIX = "called_prefix"
    CALLING_PREFIX = "calling_prefix"
    USSD_PREFIX = "ussd_prefix"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Trigger:
    """One reason to choose a flow; `value` = a service key, a prefix, or True for the default."""

    kind: TriggerKind
    value: int | str


class Triggered(Protocol):
    """An object that can be chosen: a Flow."""

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """The reasons to choose it; none: it is never chosen from a table."""


F = TypeVar("F", bound=Triggered)


class TriggerTable(Generic[F]):
    """Flows by trigger, for many choices; a choice costs a few dictionary look-ups."""

    def __init__(self, flows: Iterable[F]) -> None:
        self._by: dict[TriggerKind, dict[int | str, F]] = {kind: {} for kind in TriggerKind}
        for flow in flows:
            for trigger in flow.triggers:
                self._by[trigger.kind].setdefault(trigger.value, flow)
        self._lengths = {
            kind: sorted(
                {len(prefix) for prefix in table if isinstance(prefix, str)}, reverse=True
            )
            for kind, table in self._by.items()
        }

    def choose(self, call: CallFacts) -> F | None:
        """Return the flow that serves the call, or None."""
        if call.service_key is not None:
            flow = self._by[TriggerKind.SERVICE_KEY].get(call.service_key)
            if flow is not None:
                return flow
        return (
            self._by_prefix(TriggerKind.CALLED_PREFIX, call.called_number)
            or self._by_prefix(TriggerKind.USSD_PREFIX, call.ussd_string)
            or self._by_caller(call)
            or self._by[TriggerKind.DEFAULT].get(True)
        )

    def _by_caller(self, call: CallFacts) -> F | None:
        """Return the flow of a calling prefix. Reads the number only if needed: scp/usual.py."""
        if not self._by[TriggerKind.CALLING_PREFIX]:
            return None
        return self._by_prefix(TriggerKind.CALLING_PREFIX, call.calling_number)

    def _by_prefix(self, kind: TriggerKind, number: str) -> F | None:
        table = self._by[kind]
        for length in self._lengths[kind]:  # longest first
            flow = table.get(number[:length]) if length <= len(number) else None
            if flow is not None:
                return flow
        return None


def choose(flows: Iterable[F], call: CallFacts) -> F | None:
    """Return the flow that serves the call, or None; for many calls use a TriggerTable."""
    return TriggerTable(flows).choose(call)


def takes(flow: Triggered, call: CallFacts) -> bool:
    """Return True if a run's own flow serves the call; without triggers it serves every call."""
    return not flow.triggers or choose([flow], call) is not None


def read_triggers(value: object, path: str) -> tuple[tuple[Trigger, ...], list[Problem]]:
    """Return the triggers of a document and all their problems. Never raises."""
    if not isinstance(value, list):
        return (), [Problem(path, f"must be an array of triggers, not {described(value)}")]
    triggers: list[Trigger] = []
    problems: list[Problem] = []
    for index, entry in enumerate(turns.over(value)):
        result = _read_entry(entry, f"{path}.{index}")
        if isinstance(result, Trigger):
            triggers.append(result)
        else:
            problems += result
    return tuple(triggers), problems


def _read_entry(entry: object, path: str) -> Trigger | list[Problem]:
    """Return the trigger, or the problems; for `default: false` there are none of either."""
    if not isinstance(entry, dict):
        return [Problem(path, f"must be an object, not {described(entry)}")]
    known = [kind.value for kind in TriggerKind]
    problems = [
        Problem(f"{path}.{key}", "unknown member" + did_you_mean(key, known))
        for key in turns.over(entry)
        if key not in known
    ]
    given = [kind for kind in TriggerKind if kind.value in entry]
    if len(given) != 1:
        named = " and ".join(kind.value for kind in given) or "none"
        problems.append(Problem(path, f"must have exactly one of {', '.join(known)}, not {named}"))
        return problems
    return _read_value(given[0], entry, path, problems)


def _read_value(
    kind: TriggerKind, entry: Mapping[str, object], path: str, problems: list[Problem]
) -> Trigger | list[Problem]:
    value = entry[kind.value]
    text = _complaint(kind, value)
    if text:
        problems.append(Problem(f"{path}.{kind.value}", f"must be {text}, not {described(value)}"))
    if problems or value is False or not isinstance(value, int | str):
        return problems
    return Trigger(kind, value)


def _complaint(kind: TriggerKind, value: object) -> str:
    """Return the description of a valid value, "" if the value is valid."""
    if kind is TriggerKind.DEFAULT:
        return "" if isinstance(value, bool) else "true or false"
    if kind is TriggerKind.SERVICE_KEY:
        is_key = type(value) is int and 0 <= value <= MAX_SERVICE_KEY
        return "" if is_key else f"an integer from 0 to {MAX_SERVICE_KEY}"
    is_prefix = isinstance(value, str) and value != "" and set(value) <= _NUMBER_CHARACTERS
    return "" if is_prefix else "digits (0-9, A-F, *, #)"
