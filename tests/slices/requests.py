"""Requests of up to 1 MiB: one to start with for everything that iterates, and their mutations."""

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from random import Random
from typing import Any

OCTETS = 1 << 20
_ROOM = 200  # octets of the envelope
_SOURCE = 60_000  # characters of an expression

Params = dict[str, Any]
Candidate = tuple[str, Params]  # method, params


def body(method: str, params: object) -> bytes:
    """Return the octets of a request."""
    request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
    return json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def size(value: object) -> int:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def filled(unit: str, limit: int = _SOURCE, begin: str = "", end: str = "") -> str:
    """Return a text with as many units as fit."""
    return begin + unit * ((limit - len(begin) - len(end)) // len(unit)) + end


def nested(levels: int, inner: Any = 1) -> Any:
    for _ in range(levels):
        inner = [inner]
    return inner


def _many(make: Callable[[int], Any], limit: int = OCTETS - 2_000) -> list[Any]:
    """Return as many made values as fit into a request."""
    each = max(size(make(10_000)), size(make(0))) + 1
    return [make(number) for number in range(limit // each)]


def _named(make: Callable[[int], Any], limit: int = OCTETS - 2_000) -> dict[str, Any]:
    each = max(size(make(10_000)), size(make(0))) + 10
    return {f"n{number}": make(number) for number in range(limit // each)}


# Expressions that are slow because of their length: to read, to compile, to evaluate.
SOURCES = {
    "list": filled("1,", begin="[", end="1]"),
    "sum": filled("1+", end="1"),
    "sums": filled("$v->{a}+", end="1"),
    "join": filled("1,", begin="join ',',", end="1"),
    "hash": filled("a=>1,", begin="{", end="}"),
    "dots": filled("'a'.", end="'b'"),
    "statements": filled("$v->{a}=1;"),
    "declarations": filled("my $a;"),
    "uuids": filled("uuid;"),
    "randoms": filled("rand;"),
    "random distributions": filled("exponential 1;normal(1,1);"),
    "moments": filled("gmtime;"),
    "formats": filled("sprintf('%s %d',1,2);"),
    "text": "'" + "x" * _SOURCE + "'",
    "variables in a text": '"' + filled("$v->{a}", _SOURCE - 2) + '"',
    "escapes": '"' + filled("\\n", _SOURCE - 2) + '"',
    "single escapes": "'" + filled("\\\\", _SOURCE - 2) + "'",
    "pattern": "$v->{a} =~ /" + "a?" * 2_000 + "/",
    "patterns": filled("$v->{a}=~/a(b|c)*d$v->{b}/;"),
    "fixed patterns": "".join(f"$v->{{a}}=~/{number}x*/;" for number in range(3_000))[:_SOURCE],
    "repetitions": filled("/(a{30}){30}/;"),
    "transliterations": filled("tr/a-z/A-Z/;"),
    "all characters": filled("tr/\\x{1}-\\x{fff}/a/;"),
    "blanks": " " * (_SOURCE - 1) + "1",
    "comments": filled("#\n", end="1"),
    "maps": "map{" * 90 + "1" + "} 1" * 90,
    "maps of hashes": "map{" * 90 + "1" + ",1},1" * 90,
    "brackets": "(" * 90 + "$v->{a}" + "=1)" * 90,
    "sorted": filled("1,", begin="join ',', sort ", end="1"),
    "words": filled("qw(a b c),", begin="[", end="1]"),
    "nested substitutions": "s{a}{" * 40 + "1" + "}e" * 40,
    "indexes": "$v->" + filled("[0]", _SOURCE - 4),
    "keys": "$v->" + filled("{a}", _SOURCE - 4),
    "octals": filled("0777,", begin="[", end="1]"),
    "long number": "1" * _SOURCE,
    "hex": "0x" + "f" * _SOURCE,
    "floats": filled("1.5e3,", begin="[", end="1]"),
    "wrong at the end": filled("1,", begin="[", end="1"),
    "unknown word": filled("1+", end="lenght"),
    "ternaries": "1?" * 90 + "1" + ":1" * 90,
    "or": filled("0||", end="1"),
    "bytes": filled("$v->{a}.", end="'b'"),
}

FLOWS: dict[str, Params] = {
    "operations": {
        "operations": {
            str(number): {"id": number, "type": "SetBuffer", "exits": [number + 1],
                          "config": {"buffer": "user.a", "value": "1"}}
            for number in range(9_000)
        }
    },
    "starts": {"operations": [{"id": number, "type": "Start", "exits": [1]}
                              for number in range(14_000)]},
    "exits": {"operations": {"1": {"id": 1, "type": "Switch", "exits": [1] * 400_000}}},
    "triggers": {"triggers": [{"service_key": 1}] * 40_000, "operations": {}},
    "prefixes": {"triggers": [{"called_prefix": "1"}] * 35_000, "operations": {}},
    "announcements": {"announcements": {"a": {f"e{number}": number for number in range(60_000)}},
                      "operations": {}},
    "unknown": {**{f"m{number}": 1 for number in range(80_000)}, "operations": {}},
    "unknown triggers": {"triggers": [{f"called_{n}": 1 for n in range(50_000)}],
                         "operations": {}},
    "patterns": {
        "operations": {
            "1": {"id": 1, "type": "NumberMatching", "exits": [1, 1],
                  "config": {"rules": [{"pattern": "?%", "exit_idx": 0}] * 20_000}},
        }
    },
}  # fmt: skip


@cache
def validated() -> dict[str, Params]:
    """Return definitions for ValidateTest, by their large part."""
    passing = [{"type": "pass"}]

    def evaluating(source: str) -> list[Params]:
        return [{"type": "eval", "expression": source}] * min(8, OCTETS // (len(source) + 60))

    found: dict[str, Params] = {
        "20,000 expressions": {"vars": _named(lambda n: f"{{$v->{{n{n}}}+1}}")},
        "expressions that read what is not there": {"vars": _named(lambda n: f"{{$v->{{q{n}}}}}")},
        "wrong expressions": {"vars": _named(lambda n: "{1+}")},
        "generators": {"vars": _named(lambda n: {"$random": {"min": 1, "max": 2}})},
        "wrong generators": {"vars": _named(lambda n: {"$random": {"mix": 1}})},
        "small values": {"vars": {"a": [1] * 400_000}},
        "empty lists": {"vars": {"a": [[]] * 340_000}},
        "empty objects": {"vars": {"a": [{}] * 340_000}},
        "objects": {"vars": {"a": [{"a": 1}] * 120_000}},
        "texts": {"vars": {"a": ["a"] * 240_000}},
        "floats": {"vars": {"a": [1.5] * 240_000}},
        "surrogates": {"vars": {"a": ["\ud800"] * 120_000}},
        "nests": {"vars": {"a": [nested(55)] * 9_000}},
        "too deep": {"vars": {"a": [nested(55)] * 9_000 + [nested(90)]}},
        "names": {"vars": {f"{number}": 1 for number in range(90_000)}},
        "locks": {"locks": _many(lambda n: {"key": f"k{n}"})[:10_000]},
        "wrong locks": {"locks": _many(lambda n: {"kye": f"k{n}"})[:10_000]},
        "keys of locks": {"locks": _many(lambda n: {"key": f"{{'k' . {n}}}"})[:10_000]},
        "thresholds": {"thresholds": [{"metric": "x", "op": "<", "value": 1}] * 1000},
        "members": {f"member{number}": 1 for number in range(70_000)},
        "free members": {f"x_{number}": 1 for number in range(90_000)},
        "selections": {f"db_{number}": "a" for number in range(60_000)},
        "operations": {"operations": passing * 10_000},
        "unknown operations": {"operations": [{"type": "pas"}] * 10_000},
        "labels": {"operations": _many(lambda n: {"type": "pass", "label": f"l{n}"})[:10_000]},
        "branches": {"operations": _many(lambda n: {
            "type": "branch", "expression": "1", "on_true": f"l{n}"})[:10_000]},
        "tests": {"operations": [{"type": "eval", "expression": "1", "tests": _many(
            lambda n: {"kpath": "a", "value": n})[:10_000]}]},
        "patterns": {"operations": [{"type": "eval", "expression": "1", "tests": _many(
            lambda n: {"kpath": "a", "pattern": f"a{n}*(b|c)"})[:9_000]}]},
        "a pattern": {"operations": [{"type": "eval", "expression": "1", "tests": [
            {"kpath": "a", "pattern": "a" * 1_000_000}]}]},
        "kpaths": {"operations": [{"type": "eval", "expression": "1", "tests": _many(
            lambda n: {"kpath": "a.b.c.[name=x].d" * 100, "value": 1})}]},
        "arguments": {"operations": [{"type": "inap.ssp_to_scp.InitialDP", "arguments": _named(
            lambda n: n)}]},
        "nested arguments": {"operations": [{"type": "inap.ssp_to_scp.InitialDP", "arguments": {
            "serviceKey": 1, "extensions": [nested(50)] * 3_000}}]},
        "listed arguments": {"operations": [{"type": "inap.ssp_from_scp.RequestReportBCSMEvent",
            "arguments": {"bcsmEvents": _many(lambda n: {"eventTypeBCSM": "oAnswer"})}}]},
        "set arguments": {"operations": [{"type": "inap.ssp_from_scp.RequestReportBCSMEvent",
            "arguments": {"bcsmEvents_set": [1] * 300_000}}]},
        "rest": {"rest": "default", "operations": [{"type": "rest.Request", "arguments": {
            "path": "/", "method": "POST", "content": [nested(40)] * 9_000}}]},
        "diameter": {"operations": [{"type": "diameter.Request", "arguments": {
            "avps": _many(lambda n: {"name": "User-Name", "value": "x"})}}]},
        "extensions": {"inap": {"extensions": {str(n): "INTEGER" for n in range(60_000)}}},
        "stages": {"distribution": {"type": "linear", "total": 1, "backlog": 1, "cps": {
            "stages": [{"target": 1, "seconds": 1}] * 1000}}},
    }  # fmt: skip
    found |= {f"8 × {name}": {"operations": evaluating(text)} for name, text in SOURCES.items()}
    found |= {f"flow: {name}": {"flow": flow} for name, flow in FLOWS.items()}
    return {name: {"operations": passing, **params} for name, params in found.items()}


_LOAD = {"type": "load", "total": 200, "backlog": 100}
LAST = {"type": "eval", "expression": "1"}


@cache
def _executed() -> dict[str, Params]:
    """Return definitions that are run, and that make large values."""
    large = "$v->{l} = [1 .. 90000]"

    def evaluating(*sources: str, **more: Any) -> Params:
        steps = [{"type": "eval", "expression": source} for source in sources]
        return {"operations": steps, **more}

    test = {"kpath": "", "type": "string", "value": 1}
    return {
        "a list": evaluating(large),
        "lists": evaluating("$g->{l}{$r->{idx}} = [1 .. 90000]", distribution=_LOAD),
        "a text": evaluating("$v->{t} = 'x' x 6000000", "$v->{t} . 'y'"),
        "wide texts": evaluating("$v->{t} = chr(0x10000) x 1500000", "uc $v->{t}"),
        "a list that is compared": {"operations": [
            {"type": "eval", "expression": large, "tests": [{**test, "kpath": "v.l"}] * 20}]},
        "copies": {"operations": [{"type": "eval", "expression": large}, *(
            {"type": "eval", "expression": "1", "tests": [{**test, "kpath": "v.l"}]}
            for _ in range(20))]},
        "traces": evaluating(large, *(["$v->{l}"] * 20), trace_level=3),
        "names": evaluating("$v->{h} = {map { $_ => 1 } 1 .. 20000}"),
        "failures": evaluating("$v->{x}[0] / 0", distribution=_LOAD),
        "causes": evaluating("$v->{'x' . rand} / 0", distribution=_LOAD),
        "vars": {"vars": {"a": [1] * 300_000}, **evaluating("1")},
        "many vars": {"vars": {f"v{n}": n for n in range(90_000)}, "operations": [
            {"type": "eval", "expression": "$v->{v5} + 1"}], "distribution": _LOAD},
        "rendered vars": {"vars": {"a": "{[1 .. 90000]}", "b": "{$v->{a}}"}, **evaluating("1")},
        "flow": {"flow": FLOWS["operations"], **evaluating("1")},
        "locks": {"locks": [{"key": f"k{n}"} for n in range(9_000)], **evaluating("1")},
        "halted": {"operations": [{"type": "halt", "seconds": 1}], "distribution": {
            "type": "load", "total": 20_000, "backlog": 20_000}},
        "waiting": {"operations": [{"type": "wait", "seconds": 1}], "distribution": {
            "type": "load", "total": 20_000, "backlog": 20_000}},
        **{f"source: {name}": evaluating(text) for name, text in SOURCES.items()},
    }  # fmt: skip


# The other methods, with their large params.
OTHERS: dict[str, list[Params]] = {
    "QueryTest": [{"run_id": "x" * 1_000_000}, {"run_id": "1", "wait_s": "1" * 1_000_000}],
    "CancelTest": [{"run_id": ["x"] * 200_000}],
    "QueryAllTests": [{}, {"x_a": [1] * 400_000}],
    "ListResults": [{"limit": 500}, {"run_id": "x" * 1_000_000}],
    "GetResult": [{"result_id": "1" * 1_000_000}],
    "CompareResults": [{"a": 1, "b": 2}, {"a": "1" * 1_000_000}],
    "GetTrace": [{"run_id": "1", "format": "x" * 1_000_000}],
    "DescribeOperations": [{}, {"type": "x" * 1_000_000}, {"x_a": [[1]] * 200_000}],
    "DescribeFlowOperations": [{}],
    "DescribeMethods": [{}],
    "DescribeDefinition": [{}, {"etag": "x" * 1_000_000}],
    "DescribeService": [{}],
    "CheckFlow": [{"flow": flow} for flow in FLOWS.values()],
    "ListWorkers": [{}],
    "DrainWorker": [{"worker": "x" * 1_000_000}],
    "RateTest": [{"run_id": "1", "cps": {"stages": [{"target": 1, "seconds": 1}] * 30_000}}],
    "PauseTest": [{"run_id": "1", **{f"m{n}": 1 for n in range(90_000)}}],
    "ResumeInstance": [{"run_id": "1", "instance_id": "1" * 1_000_000}],
    "Nobody": [{f"m{n}": 1 for n in range(90_000)}],
}


def candidates() -> Iterator[tuple[str, Candidate]]:
    """Yield all candidates with their names."""
    for name, params in validated().items():
        yield f"ValidateTest, {name}", ("ValidateTest", params)
    for name, params in _executed().items():
        yield f"ExecuteTest, {name}", ("ExecuteTest", params)
    for method, several in OTHERS.items():
        for number, params in enumerate(several):
            yield f"{method}, {number}", (method, params)


# -- mutations ------------------------------------------------------------------------------------

_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**400, -(10**400), 1e308, "", "x", "{1}", "{$v->{a}}", "\ud800",
    [], {}, [[]], [{}], {"a": {}}, nested(50), "x" * 5_000, "9" * 5_000, *SOURCES.values(),
)  # fmt: skip


def mutated(candidate: Candidate, random: Random) -> Candidate:
    """Return another request of at most 1 MiB: some parts are more, longer, deeper or changed."""
    method, params = candidate
    changed = copy.deepcopy(params)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if not changed:
            changed["x_a"] = 1
        holder, key = random.choice(list(_places(changed, random)))
        holder[key] = _changed(holder[key], random)
        if isinstance(holder, dict) and random.random() < 0.2:
            _copy_member(holder, key, random)
        if isinstance(holder, list) and random.random() < 0.3:
            times = _fitting(holder[key], random.choice((1, 10, 100, 1_000)))
            holder += _copies(holder[key], times)
    if method == "ExecuteTest" and random.random() < 0.5:
        method = "ValidateTest"
    return (method, changed) if size(changed) < OCTETS - _ROOM else (method, _cut(changed, random))


def _places(value: Any, random: Random) -> Iterator[tuple[Any, Any]]:
    """Yield some (container, key) of a tree: a path down of each kind."""
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in random.sample(list(keys), min(len(keys), 6)):
            yield holder, key
            if isinstance(holder[key], dict | list) and holder[key]:
                waiting.append(holder[key])


def _copies(value: Any, times: int) -> list[Any]:
    """Return separate copies of a value, so that a change of one copy leaves the others alone."""
    return [copy.deepcopy(value) for _ in range(times)]


def _copy_member(holder: Params, key: str, random: Random) -> None:
    times = _fitting(holder[key], random.choice((1, 10, 1_000, 20_000)))
    for number, one in enumerate(_copies(holder[key], times)):
        holder[f"{key}{number}"] = one


def _fitting(value: Any, times: int) -> int:
    """Return how many copies of a value to make: memory must hold them all before they are cut."""
    return max(1, min(times, 4 * OCTETS // size(value)))


def _changed(value: Any, random: Random) -> Any:
    times = _fitting(value, random.choice((2, 10, 100, 1_000, 10_000)))
    choice = random.random()
    if isinstance(value, list) and value and choice < 0.5:
        return list(chain(*_copies(value, min(times, 400_000 // len(value) + 1))))
    if isinstance(value, str) and value and choice < 0.5:
        return value * min(times, OCTETS // len(value))
    if isinstance(value, int) and not isinstance(value, bool) and choice < 0.3:
        return value * 10**times if times < 1_000 else value + 1
    if choice < 0.7:
        return copy.deepcopy(random.choice(_VALUES))
    return _copies(value, times) if choice < 0.9 else {"a": value}


def _cut(value: Any, random: Random) -> Any:
    """Return a request that is too long with its longest parts shortened until it fits."""
    excess = size(value) / (OCTETS - _ROOM)
    while excess > 1:
        value = _shortened(value, excess * 1.1)
        excess = size(value) / (OCTETS - _ROOM)
    return value


def _shortened(value: Any, by: float) -> Any:
    if isinstance(value, str) and len(value) > 100:
        return value[: int(len(value) / by)]
    if isinstance(value, list):
        kept = value[: max(int(len(value) / by), 1)] if len(value) > 20 else value
        return kept if len(value) > 20 else [_shortened(item, by) for item in kept]
    if isinstance(value, dict):
        names = list(value)
        if len(names) > 100:
            names = names[: int(len(names) / by)]
        return {name: _shortened(value[name], by) for name in names}
    return value
