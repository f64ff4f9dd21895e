"""Makes a result smaller that would be larger than a client can take.

STEPS are made in their order until the result fits; each that has removed something adds a note to
`problems`. The counts, the rate and the latency always stay.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tsvc.engine.load.counters import Counters
from tsvc.engine.result.copies import shown_copy
from tsvc.rpc import strict_json

MAX_OCTETS = 2 * 1024 * 1024
_RESERVE = 16 * 1024  # for the notes, and for members that are added to an archived result
_FEWEST_BUCKETS = 60
_MOST_LISTED = 500  # halted instances, operations
_LARGE = 16 * 1024  # octets of all variables; above this, those larger than 1/16 of it go
_SHORT_LOG = 100
_WEIGHT = MAX_OCTETS // 64  # characters of any part, when all else was not enough
_LOGS = ("messages", "check_log", "trace_log")
_FAILURES = ("first_fails", "first_aborts")

Result = dict[str, Any]


def fit(result: Result, counters: Counters, limit: int = MAX_OCTETS) -> Result:
    """Return a result of at most `limit` octets of JSON: the given one, or a smaller one."""
    spare = limit - _RESERVE
    if _size(result) <= spare:
        return result
    for what, trim in STEPS:
        smaller = trim(result, counters)
        if smaller == {name: result[name] for name in smaller}:
            continue
        note = {"path": "result", "text": f"too large: {what}", "severity": "warning"}
        result = {**result, **smaller}
        result["problems"] = [*result["problems"], note]
        if _size(result) <= spare:
            break
    return result


def _size(value: Any) -> int:
    return len(strict_json.encode(value))


# -- steps: each returns the members that it would replace -----------------------------------


def _shorten_halted(result: Result, counters: Counters) -> Result:
    return {"halted": result["halted"][:_MOST_LISTED]}


def _drop_slowest(result: Result, counters: Counters) -> Result:
    return {"slowest": []}


def _drop_messages(result: Result, counters: Counters) -> Result:
    return _failures(result, lambda detail: {**detail, "messages": [], "ladder": ""})


def _merge_buckets(result: Result, counters: Counters) -> Result:
    together = 1
    while len(result["buckets"]) > _FEWEST_BUCKETS * together:
        together *= 2
    return {
        "bucket_s": counters.bucket_s * together,
        "buckets": counters.buckets(together),
    }


def _drop_large_variables(result: Result, counters: Counters) -> Result:
    def without(detail: Result) -> Result:
        return {**detail, "vars": _small(detail["vars"])} if "vars" in detail else detail

    return {
        "globals": _small(result["globals"]),
        "first_call_summary": without(result["first_call_summary"]),
        **_failures(result, without),
    }


def _shorten_logs(result: Result, counters: Counters) -> Result:
    def shorter(detail: Result) -> Result:
        return {**detail, **{log: detail[log][:_SHORT_LOG] for log in _LOGS if log in detail}}

    return _failures(result, shorter)


def _shorten_first(result: Result, counters: Counters) -> Result:
    first = dict(result["first_call_summary"])
    for log in _LOGS:
        while len(first.get(log, ())) > 1 and _size(first[log]) > MAX_OCTETS / 8:
            first[log] = first[log][: len(first[log]) // 2]
    if len(first.get("ladder", "")) > MAX_OCTETS / 16:
        first["ladder"] = ""
    return {"first_call_summary": first}


def _cut_everything(result: Result, counters: Counters) -> Result:
    cut = {
        name: shown_copy(result[name], _WEIGHT)
        for name in ("globals", "first_call_summary", "thresholds", "problems", *_FAILURES)
    }
    return {**cut, "operations": result["operations"][:_MOST_LISTED]}


def _failures(result: Result, change: Callable[[Result], Result]) -> Result:
    return {name: [change(detail) for detail in result[name]] for name in _FAILURES}


def _small(variables: Mapping[str, Any]) -> Mapping[str, Any]:
    if _size(variables) <= _LARGE:
        return variables
    kept = {}
    for name, value in list(variables.items())[:_SHORT_LOG]:
        octets = _size(value)
        kept[name] = value if octets <= _LARGE / 16 else f"({octets} octets, left out)"
    return kept


STEPS: tuple[tuple[str, Callable[[Result, Counters], Result]], ...] = (
    (f"halted instances after the first {_MOST_LISTED} are left out", _shorten_halted),
    ("the slowest instances are left out", _drop_slowest),
    ("messages of failed and aborted instances are left out", _drop_messages),
    ("buckets are merged", _merge_buckets),
    ("large variables are left out", _drop_large_variables),
    (f"logs of failed and aborted instances end after {_SHORT_LOG} entries", _shorten_logs),
    ("logs of the first instance are cut", _shorten_first),
    ("all that is long is cut", _cut_everything),
)
