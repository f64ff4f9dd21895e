"""Every kind of member of operations, with values of a mebibyte, or large values at run time.

The members come from the catalogue of operations; of members with the same declaration one is
taken.
"""

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from slices.requests import Candidate, Params, nested, size

_OCTETS = 950_000
_DEPTH = 3
Way = tuple[str | int, ...]


def _many(value: Any) -> list[Any]:
    return [value] * (_OCTETS // (size(value) + 1))


# Values that a member may have instead, as JSON.
GIVEN: dict[str, Callable[[], Any]] = {
    "text": lambda: "x" * _OCTETS,
    "digits": lambda: "1" * _OCTETS,
    "hex": lambda: "a1" * (_OCTETS // 2),
    "wide": lambda: "€" * (_OCTETS // 3),
    "dots": lambda: "1." * (_OCTETS // 2),
    "lines": lambda: "a\n" * (_OCTETS // 3),
    "blanks": lambda: "$" + " " * _OCTETS,
    "braces": lambda: "{}" * (_OCTETS // 2),
    "parameters": lambda: ":a " * (_OCTETS // 3),
    "comments": lambda: "/*" * (_OCTETS // 2),
    "pairs": lambda: "&a=b" * (_OCTETS // 4),
    "expression": lambda: "{" + "1+" * 25_000 + "1}",
    "large": lambda: 10**4_290,
    "numbers": lambda: _many(1),
    "lists": lambda: _many([]),
    "objects": lambda: _many({}),
    "pairs of name and value": lambda: _many({"name": "User-Name", "value": "x"}),
    "names": lambda: {f"n{number}": 1 for number in range(70_000)},
    "nests": lambda: [nested(50)] * 8_500,
}
# Expressions that make such a value at run time.
MADE = {
    "digits": "'9' x 6000000",
    "hex": "'a1' x 3000000",
    "wide": "chr(0x20ac) x 2000000",
    "percents": "'%41' x 2000000",
    "lines": '"a\\n" x 3000000',
    "dots": "'1.' x 3000000",
    "list": "[1 .. 90000]",
    "objects": "[map { {} } 1 .. 60000]",
    "hash": "{map { $_ => 1 } 1 .. 40000}",
    "large": "10**300",
}


Make = Callable[[], Candidate]  # a function: all of them at once would be gigabytes


def validated(operations: list[Params]) -> Iterator[tuple[str, Make]]:
    """Yield requests for ValidateTest, from a catalogue in the form of DescribeOperations."""
    for type_, entry, way in _members(operations):
        for name, make in GIVEN.items():
            what = f"{type_}: {'.'.join(map(str, way))}: {name}"
            yield what, partial(_validated, entry, way, make)


def executed(operations: list[Params]) -> Iterator[tuple[str, Make]]:
    """Yield runs that send the values made by expressions."""
    for type_, entry, way in _members(operations):
        if way[0] != "arguments" or "_from_" in type_:
            continue
        for name, source in MADE.items():
            what = f"{type_}: {'.'.join(map(str, way))}: made {name}"
            yield what, partial(_executed, entry, way, source)


def _validated(entry: Params, way: Way, make: Callable[[], Any]) -> Candidate:
    return "ValidateTest", {"operations": [_put(entry, way, make())]}


def _executed(entry: Params, way: Way, source: str) -> Candidate:
    making = {"type": "eval", "expression": f"$v->{{a}} = {source}; 1"}
    sending = _put(entry, way, "{$v->{a}}")
    return "ExecuteTest", {"operations": [making, sending], "vars": {"a": 1}, "trace_level": 3}


def _members(operations: list[Params]) -> Iterator[tuple[str, Params, Way]]:
    """Yield (type, valid entry, path to a member), one for each kind of member."""
    seen = set()
    for one in operations:
        type_ = one["type"].replace("<label>", "x").replace("<method>", "m")
        entry = {**copy.deepcopy(one.get("example") or {}), "type": type_}
        room = type_.split(".")[0].replace("map", "inap")
        ways = [((name,), name) for name in one["attributes"]]
        for way, declared in _below(one["arguments"] or {}, ("arguments",)):
            told = json.dumps(declared, sort_keys=True)
            ways.append((way, told if room == "inap" else f"{way[-1]} {told}"))
        for way, told in ways:
            key = (room, "_from_" in type_, told)
            if key not in seen:
                seen.add(key)
                yield type_, entry, way


def _below(declared: Params, way: Way) -> Iterator[tuple[Way, Params]]:
    for name, member in (declared.get("members") or {}).items():
        yield (*way, name), {"type": member.get("type")}
        for key in member.get("keys", ())[1:]:
            yield (*way, key), {"type": member.get("type"), "key": key.rpartition("_")[2]}
        if len(way) < _DEPTH:
            yield from _below(member, (*way, name))
            yield from _below(member.get("items") or {}, (*way, name, 0))


def _put(entry: Params, way: Way, value: Any) -> Params:
    """Return an operation with a value at its path, and with the containers that it needs."""
    changed: Params = copy.deepcopy(entry)
    holder: Any = changed
    for step, following in pairwise(way):
        wanted: Any = [{}] if following == 0 else {}
        if isinstance(step, str):
            if type(holder.get(step)) is not type(wanted) or not holder[step]:
                holder[step] = wanted
        elif not isinstance(holder[step], dict):
            holder[step] = wanted
        holder = holder[step]
    holder[way[-1]] = value
    return changed
