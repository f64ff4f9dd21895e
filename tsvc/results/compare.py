"""Comparison of two results: the same numbers of both, and the numbers in which one is worse.

Pure: results are JSON, as GetResult and files have them. Members that one result lacks (a run that
was lost, a result of an earlier version) are null, and are not judged.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tsvc import turns
from tsvc.values import dataclass

Result = Mapping[str, Any]

LOWER, HIGHER = "lower", "higher"  # which value is better
MOST_DIFFERENCES = 100  # of two definitions, and of failures
NOISE_MS = 1.0  # a smaller difference of times comes from the machine, not from the tested system
NOISE_LATE = 0.01  # the same for a smaller share of late starts, which `limited_by` ignores too
VERDICTS = ("pass", "fail", "abort", "cancelled")  # each worse than the one before
_SHARES = ("mean", "p50", "p90", "p99", "p999", "max")


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that both results have: its path, its unit, and which value is better."""

    name: str
    path: tuple[str, ...]
    unit: str = ""
    better: str | None = None


def _counts() -> Iterator[Measure]:
    for name in ("passed", "started"):
        yield Measure(name, ("counts", name), better=None)
    for name in ("failed", "aborted", "malformed", "late_messages", "unchecked_refusals"):
        yield Measure(name, ("counts", name), better=LOWER)


# With the names of thresholds, if there is a threshold for the number.
MEASURES: tuple[Measure, ...] = (
    *_counts(),
    Measure("achieved_cps", ("rate", "achieved"), "1/s", HIGHER),
    Measure("peak_cps", ("rate", "peak"), "1/s"),
    Measure("late", ("rate", "late"), "", LOWER),
    Measure("never_started", ("rate", "never_started"), "", LOWER),
    Measure("lateness_p50_ms", ("rate", "lateness_ms", "p50"), "ms", LOWER),
    Measure("lateness_p99_ms", ("rate", "lateness_ms", "p99"), "ms", LOWER),
    Measure("lateness_max_ms", ("rate", "lateness_ms", "max"), "ms"),
    *(
        Measure(f"{kind}_{share}_ms", ("latency", kind, f"{share}_ms"), "ms", LOWER)
        for kind in ("response", "service")
        for share in _SHARES
    ),
    Measure("duration", ("duration",), "s"),
)


def number_of(result: Result, measure: Measure) -> float | None:
    """Return the number of a measure in a result, None if the result lacks it."""
    return _number(result, measure.path)


def compare(a: Result, b: Result) -> dict[str, Any]:
    """Return the comparison of two results, b against a.

    Shape: verdict {a, b, is_worse}, metrics [{name, unit, better, a, b, delta, percent}],
           operations [{op, name, a_p99_ms, b_p99_ms, delta, percent}], thresholds [{metric, op,
           value, a, b}], failures [{state, op, cause, a, b}], of them at most MOST_DIFFERENCES,
           check: the first one of the first instances that differs, {index, a, b}, or null.
           percent is null if a is 0 or null.
    Blocks: while other greenlets run, inside turns.given().
    """
    return {
        "verdict": {
            "a": a["verdict"],
            "b": b["verdict"],
            "is_worse": int(VERDICTS.index(b["verdict"]) > VERDICTS.index(a["verdict"])),
        },
        "metrics": [_measured(one, a, b) for one in MEASURES],
        "operations": list(_operations(a, b)),
        "thresholds": list(_thresholds(a, b)),
        "failures": list(_failures(a, b))[:MOST_DIFFERENCES],
        "check": _first_check(a, b),
    }


def worse(compared: Mapping[str, Any], tolerance: float) -> list[str]:
    """Return a line for each thing in which b is worse than a by more than a share (0.1: 10 %).

    These are a worse verdict, thresholds that are missed now, and worse numbers. A number counts
    only if `better` is known, and if the difference is at least NOISE_MS, or NOISE_LATE of the
    starts: two equal runs differ by less. A number that was 0 is worse as soon as it is more.
    """
    found = []
    verdict = compared["verdict"]
    if verdict["is_worse"]:
        found.append(f"verdict: {verdict['a']} became {verdict['b']}")
    found += [
        f"threshold {one['metric']} {one['op']} {one['value']:g} is missed"
        for one in compared["thresholds"]
        if one["a"] and one["b"] is False
    ]
    numbers = {one["name"]: one["b"] for one in compared["metrics"]}
    least = {"late": NOISE_LATE * (numbers["started"] or 0)}
    for one in compared["metrics"]:
        was, now = one["a"], one["b"]
        if one["better"] is None or was is None or now is None:
            continue
        loss = now - was if one["better"] == LOWER else was - now
        noise = NOISE_MS if one["unit"] == "ms" else least.get(one["name"], 0.0)
        if loss > tolerance * abs(was) and loss >= noise:
            share = "" if one["percent"] is None else f" ({one['percent']:+.1f} %)"
            found.append(f"{one['name']}: {was:g} became {now:g}{share}")
    return found


def differences(a: Any, b: Any) -> list[dict[str, Any]]:
    """Return at most MOST_DIFFERENCES differences of two JSON values, by JSON pointer (RFC 6901).

    Shape: [{pointer, a, b}]; null is also used for a member that is not there.
    """
    found = []
    for pointer, was, now in _differences(a, b, ""):
        found.append({"pointer": pointer, "a": was, "b": now})
        if len(found) == MOST_DIFFERENCES:
            break
    return found


def _measured(measure: Measure, a: Result, b: Result) -> dict[str, Any]:
    was, now = _number(a, measure.path), _number(b, measure.path)
    named = {"name": measure.name, "unit": measure.unit, "better": measure.better}
    return {**named, "a": was, "b": now, **_change(was, now)}


def _number(result: Result, path: tuple[str, ...]) -> float | None:
    value: Any = result
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, int | float) else None


def _change(was: float | None, now: float | None) -> dict[str, float | None]:
    if was is None or now is None:
        return {"delta": None, "percent": None}
    delta = now - was
    return {"delta": delta, "percent": 100 * delta / was if was else None}


def _paired(
    a: Result, b: Result, member: str, key: Callable[[Any], Any]
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (key, item of a, item of b) of two arrays in a's order; None for a missing item."""
    first = {key(one): one for one in a.get(member, ())}
    second = {key(one): one for one in b.get(member, ())}
    for name in dict.fromkeys((*first, *second)):
        yield name, first.get(name), second.get(name)


def _operations(a: Result, b: Result) -> Iterator[dict[str, Any]]:
    pairs = _paired(a, b, "operations", lambda one: (one["op"], one["name"]))
    for (op, name), was, now in pairs:
        before, after = (None if one is None else one["p99_ms"] for one in (was, now))
        change = _change(before, after)
        yield {"op": op, "name": name, "a_p99_ms": before, "b_p99_ms": after, **change}


def _thresholds(a: Result, b: Result) -> Iterator[dict[str, Any]]:
    pairs = _paired(a, b, "thresholds", lambda one: (one["metric"], one["op"], one["value"]))
    for (metric, op, value), was, now in pairs:
        verdicts = {name: one and one["is_met"] for name, one in (("a", was), ("b", now))}
        yield {"metric": metric, "op": op, "value": value, **verdicts}


def _failures(a: Result, b: Result) -> Iterator[dict[str, Any]]:
    """Yield the counts of each cause in both results; the largest change comes first."""
    pairs = _paired(a, b, "failures", lambda one: (one["state"], one["op"], one["cause"]))
    found = [
        {"state": state, "op": op, "cause": cause, "a": _count(was), "b": _count(now)}
        for (state, op, cause), was, now in pairs
    ]
    yield from sorted(found, key=lambda one: -abs(one["b"] - one["a"]))


def _first_check(a: Result, b: Result) -> dict[str, Any] | None:
    """Return the first check of the first instances that differs in its text or its outcome."""
    logs = [(one.get("first_call_summary") or {}).get("check_log") or [] for one in (a, b)]
    for index in range(max(map(len, logs))):
        turns.walked()
        was, now = (log[index] if index < len(log) else None for log in logs)
        if _judged(was) != _judged(now):
            return {"index": index, "a": was, "b": now}
    return None


def _judged(check: Mapping[str, Any] | None) -> tuple[Any, ...] | None:
    return None if check is None else (check["op"], check["level"], check["text"])


def _count(failure: Mapping[str, Any] | None) -> int:
    return 0 if failure is None else int(failure["count"])


def _differences(a: Any, b: Any, pointer: str) -> Iterator[tuple[str, Any, Any]]:
    turns.walked()
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in dict.fromkeys((*a, *b)):
            step = str(name).replace("~", "~0").replace("/", "~1")
            yield from _differences(a.get(name), b.get(name), f"{pointer}/{step}")
    elif isinstance(a, list) and isinstance(b, list):
        for at in range(max(len(a), len(b))):
            was, now = (one[at] if at < len(one) else None for one in (a, b))
            yield from _differences(was, now, f"{pointer}/{at}")
    elif a != b or type(a) is not type(b):
        yield pointer, a, b
