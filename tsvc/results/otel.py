"""A result as spans of a distributed trace, as OpenTelemetry defines them.

There is a span for the run, and below it one for each instance that the result has in detail.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from tsvc import turns
from tsvc.results.exchanges import arrow_of
from tsvc.values import dataclass

Value = str | int | float | bool
MOST_EVENTS = 128  # of an instance, the usual limit of receivers; failures come first
_DETAILED = ("first_call_summary", "first_fails", "first_aborts", "slowest")
_GOOD = ("pass", "passed")


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its time in nanoseconds of the wall clock."""

    at_ns: int
    name: str
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Span:
    """A span with its start and end in nanoseconds of the wall clock.

    The id of a trace has 16 octets, that of a span 8; parent_id is empty for the run. problem:
    why it did not pass, None if it did. left_out: the number of events above MOST_EVENTS.
    """

    trace_id: bytes
    span_id: bytes
    parent_id: bytes
    name: str
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Value]
    problem: str | None = None
    events: tuple[Event, ...] = ()
    left_out: int = field(default=0)


def spans_of(result: Mapping[str, Any]) -> list[Span]:
    """Return the spans of a completed run; the span of the run itself is the first.

    The same result gives the same ids, so that a result that is sent twice is one trace.
    Blocks: while other greenlets run, inside turns.given().
    """
    run = _run_span(result)
    found = {run.span_id: run}
    for instance in _instances(result):
        turns.walked()
        span = _instance_span(run, instance)
        found.setdefault(span.span_id, span)  # entries of `slowest` have no logs, and come last
    return list(found.values())


def _run_span(result: Mapping[str, Any]) -> Span:
    what = f"{result['run_id']} {result.get('seed')} {result['time_start']}"
    trace_id = hashlib.blake2b(what.encode("utf-8", "replace"), digest_size=16).digest()
    verdict = result["verdict"]
    own = {
        f"tsvc.{name}": result.get(name) for name in ("run_id", "name", "type", "client", "seed")
    }
    counts = {f"tsvc.counts.{name}": count for name, count in result["counts"].items()}
    rate = result.get("rate") or {}
    rates = {f"tsvc.rate.{name}": rate.get(name) for name in ("asked", "achieved", "limited_by")}
    return Span(
        trace_id,
        _id_of(trace_id, "run"),
        b"",
        result.get("name") or "test run",
        _ns(result["time_start"]),
        _ns(result["time_finish"]),
        _given({**own, "tsvc.verdict": verdict, **counts, **rates}),
        None if verdict in _GOOD else _why(result),
    )


def _why(result: Mapping[str, Any]) -> str:
    causes = [one.get("cause") for one in result.get("failures") or ()]
    return "; ".join([result["verdict"], *(cause for cause in causes[:3] if cause)])


def _instances(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of instances that ended; the most detailed of an instance comes first."""
    for name in _DETAILED:
        found = result.get(name) or ()
        for one in [found] if isinstance(found, Mapping) else found:
            if (
                isinstance(one, Mapping) and "time_finish" in one
            ):  # others never ended, or were cut
                yield one


def _instance_span(run: Span, instance: Mapping[str, Any]) -> Span:
    start_ns = _ns(instance["time_start"])
    idx, state = instance["idx"], instance["state"]
    events = [*_failures(instance, start_ns), *_messages(instance, start_ns)]
    kept = sorted(events[:MOST_EVENTS], key=lambda event: event.at_ns)
    return Span(
        run.trace_id,
        _id_of(run.trace_id, f"instance {idx}"),
        run.span_id,
        "test instance",
        start_ns,
        start_ns + round(instance["duration"] * 1e9),
        _given({"tsvc.instance": int(idx), "tsvc.state": state}),
        None if state in _GOOD else instance.get("reason") or state,
        tuple(kept),
        len(events) - len(kept),
    )


def _failures(instance: Mapping[str, Any], start_ns: int) -> Iterator[Event]:
    for entry in turns.over(instance.get("check_log") or ()):
        if entry["level"] in ("fail", "abort"):
            about = {"tsvc.operation": entry["op"], "tsvc.operation.type": entry["type"]}
            values = {f"tsvc.{name}": entry.get(name) for name in ("expected", "got")}
            shown = {"tsvc.text": entry["text"], **about, **values}
            yield Event(_at(start_ns, entry), "check failed", _given(shown))


def _messages(instance: Mapping[str, Any], start_ns: int) -> Iterator[Event]:
    for message in instance.get("messages") or ():
        arrow = arrow_of(message)
        about = {
            "tsvc.dialogue": arrow.dialogue,
            "tsvc.from": arrow.source,
            "tsvc.to": arrow.target,
        }
        yield Event(_at(start_ns, message), arrow.label, about)


def _at(start_ns: int, entry: Mapping[str, Any]) -> int:
    after_ns = round(float(entry["t"]) * 1e9)
    return start_ns + after_ns


def _ns(moment: tuple[int, int] | list[int]) -> int:
    seconds, micros = moment
    return seconds * 1_000_000_000 + micros * 1000


def _id_of(trace_id: bytes, what: str) -> bytes:
    return hashlib.blake2b(what.encode(), key=trace_id, digest_size=8).digest()


def _given(values: Mapping[str, Any]) -> dict[str, Value]:
    """Return the members that have a value; values of other types become text."""
    return {
        name: value if isinstance(value, str | bool | int | float) else str(value)
        for name, value in values.items()
        if value is not None and value != ""
    }
