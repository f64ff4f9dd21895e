"""Definitions that a hostile client may send, and the expected answer to each.

REFUSED: name -> (params, code, a part of the message). ABORTED: name -> (params, a part of the
reason of the first instance). ENDLESS: runs that never end by themselves.
"""

import os
from typing import Any

Params = dict[str, Any]


def evaluate(expression: str, **more: Any) -> Params:
    return {"type": "eval", "expression": expression, **more}


def again(expression: str) -> list[Params]:
    """Return operations that evaluate an expression until the instance is stopped."""
    branch = {"type": "branch", "expression": "1", "on_true": "again"}
    return [evaluate(expression, label="again"), branch]


ONE = [evaluate("1")]
MANY = int(os.environ.get("TSVC_CROWD", "10000"))
LOAD_OF_MANY = {"type": "load", "total": MANY, "backlog": MANY}
WAIT = [{"type": "wait", "arguments": {"seconds": 60}}]
CALL = {"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 1}}
# The two nodes lead to each other, and neither of them waits.
ENDLESS_FLOW = {
    "name": "endless",
    "triggers": [{"service_key": 1}],
    "operations": [
        {"id": 1, "type": "Start", "exits": [2]},
        {"id": 2, "type": "SetBuffer", "config": {"buffer": "user.a", "value": "1"}, "exits": [3]},
        {"id": 3, "type": "SetBuffer", "config": {"buffer": "user.b", "value": "1"}, "exits": [2]},
    ],
}

REFUSED: dict[str, tuple[Params, int, str]] = {
    "backlog of 10^6": (
        {"operations": ONE, "distribution": {"type": "load", "total": 10**6, "backlog": 10**6}},
        2002,
        "distribution.backlog: must be at most 100000",
    ),
    "total of 10^30": (
        {
            "operations": ONE,
            "distribution": {"type": "linear", "total": 10**30, "backlog": 1, "cps": 1e6},
        },
        2002,
        "distribution.total",
    ),
    "unknown threshold": (
        {"operations": ONE, "thresholds": [{"metric": "ponies", "op": "<", "value": 1}]},
        2002,
        'no metric is named "ponies"',
    ),
    "1,000 unknown thresholds": (
        {"operations": ONE, "thresholds": [{"metric": "x", "op": "<", "value": 1}] * 1_000},
        2002,
        "and 100 more",
    ),
    "200,000 thresholds": (
        {"operations": ONE, "thresholds": [{}] * 200_000},
        2002,
        "200000 thresholds, at most 1000",
    ),
    "20,000 stages": (
        {
            "operations": ONE,
            "distribution": {
                "type": "linear",
                "total": 1,
                "backlog": 1,
                "cps": {"stages": [{"target": 1, "seconds": 1}] * 20_000},
            },
        },
        2002,
        "20000 stages, at most 1000",
    ),
    "60,000 locks": (
        {"operations": ONE, "locks": [{"key": "k"}] * 60_000},
        2002,
        "60000 locks, at most 10000",
    ),
    "10,000 unknown types": (
        {"operations": [{"type": f"inap.ssp_to_scp.InitialDQ{n}"} for n in range(10_000)]},
        2002,
        'did you mean "inap.ssp_to_scp.InitialDP"? (and 100 more)',
    ),
    "9,000 unknown arguments": (
        {"operations": [{**CALL, "arguments": {"servceKey": n}} for n in range(9_000)]},
        2002,
        "(and 100 more)",
    ),
    "10,000 unknown tests": (
        {"operations": [evaluate("1", tests=[{"type": f"intger{n}"} for n in range(10_000)])]},
        2002,
        "(and 100 more)",
    ),
    "200,000 tests": (
        {"operations": [evaluate("1", tests=[{}] * 200_000)]},
        2002,
        "params.operations[0].tests: 200000 tests, at most 10000",
    ),
    "9,000 unknown labels": (
        {
            "operations": [
                {"type": "branch", "label": f"l{n}", "expression": "1", "on_true": f"m{n}"}
                for n in range(9_000)
            ]
        },
        2002,
        '"l19", and 8980 more) (and 100 more)',
    ),
    "50,000 operations": ({"operations": [{}] * 50_000}, 2002, "at most 10000"),
    "40,000 unknown members": (
        {"operations": ONE, **{f"opertions{n}": 1 for n in range(40_000)}},
        2002,
        "unknown member",
    ),
    "40,000 selections": (
        {"operations": ONE, **{f"db_{n}": "nowhere" for n in range(40_000)}},
        2002,
        "40002 members, at most 1000",
    ),
    "parentheses 20,000 deep": (
        {"operations": [evaluate("(" * 20_000 + "1" + ")" * 20_000)]},
        2002,
        "nested deeper than 100",
    ),
    "an expression of 400,000 characters": (
        {"operations": [evaluate("1" + "+1" * 200_000)]},
        2002,
        "longer than 65536 characters",
    ),
    "a pattern that repeats a repetition": (
        {"operations": [evaluate("'a' =~ /(?:(?:a{1000}){1000}){1000}/")]},
        2002,
        "invalid repetition size",
    ),
    "a device as $csv": (
        {"operations": ONE, "vars": {"a": {"$csv": {"file": "/dev/zero", "column": "a"}}}},
        2002,
        "no files may be read",
    ),
    "an endless wait": (
        {"operations": [{"type": "wait", "arguments": {"seconds": 1e308}}]},
        2002,
        "must be a number of seconds",
    ),
    "lock keys of a megabyte": (
        {"operations": ONE, "locks": [{"key": "{'x' x 1000000 . 1}"}] * 2_000},
        2002,
        "is 1000001 characters long, at most 1024",
    ),
    "vars of 16 MiB for a lock key": (
        {
            "operations": ONE,
            "vars": {f"a{n}": "{'x' x 16000000}" for n in range(5_000)},
            "locks": [{"key": "{$v->{a1}}"}],
        },
        2003,
        "the keys use more than 64 MiB",
    ),
    "a flow of nonsense": (
        {"operations": [CALL], "flow": {"operations": [{"id": [[]], "type": {}}] * 5_000}},
        2002,
        "params.flow",
    ),
    "a run_id of 10^5 characters": ({"operations": ONE, "run_id": "x" * 100_000}, 2002, "run_id"),
    "a run_id that is no text": ({"operations": ONE, "run_id": {"a": 1}}, 2002, "run_id"),
}

ABORTED: dict[str, tuple[Params, str]] = {
    "endless branches": ({"operations": again("$v->{x} = 1")}, "more than 100000 operations"),
    "large texts in $v": (
        {"operations": again("$v->{a}{uuid()} = 'x' x 1000000")},
        "the variables take more than 64 MiB",
    ),
    "small texts in $v": (
        {"operations": again("push @{$v->{a}}, map { uuid() } 1 .. 300")},
        "the variables take more than 64 MiB",
    ),
    "vars that are large at once": (
        {"operations": ONE, "vars": {f"a{n}": "{'x' x 900000 . uuid()}" for n in range(5_000)}},
        "the variables take more than 64 MiB",
    ),
    "large texts in $g": (
        {"operations": again("push @{$g->{a}}, 'x' x 1000000 . uuid()")},
        "$g and the variables of the run take more than 512 MiB",
    ),
    "a text that doubles": (
        {"operations": again("$v->{s} = ($v->{s} // 'x') . ($v->{s} // 'x')")},
        "the expression uses more than 16 MiB",
    ),
    "a terabyte at once": (
        {"operations": [evaluate("'a' x 10**12")]},
        "the expression uses more than 16 MiB",
    ),
    "a long range": ({"operations": [evaluate("[1 .. 10**9]")]}, "more than"),
    "a pattern that grows": (
        {
            "operations": again(
                "$v->{n} += 1; ('a' x 1000) =~ /((a{0,$v->{n}}){0,$v->{n}}){0,$v->{n}}b/"
            )
        },
        "invalid repetition size",
    ),
    "checks of 10 KB without end": (
        {
            "operations": [
                {"type": "fail", "arguments": {"text": "{'x' x 10000}"}, "label": "again"},
                {"type": "branch", "expression": "1", "on_true": "again"},
            ]
        },
        "more than 100000 operations",
    ),
    "a flow that never waits": (
        {"operations": [CALL], "flow": ENDLESS_FLOW},
        "unexpected ReleaseCall",
    ),
}

# These look like bombs but are not: they pass quickly and with little memory.
HARMLESS: dict[str, Params] = {
    "a pattern that backtracks": {
        "operations": [evaluate("$v->{s} =~ /^(?:(?:a+)+)+$/")],
        "vars": {"s": "a" * 100_000 + "b"},
    },
    "cycles and doublings": {"operations": [evaluate("$v->{a} = [$v->{a}, $v->{a}]")] * 40},
    "10,000 locks": {"operations": ONE, "locks": [{"key": f"key {n}"} for n in range(10_000)]},
    "one lock 10,000 times": {"operations": ONE, "locks": [{"key": "k"}] * 10_000},
    "900 selections": {"operations": ONE, **{f"db_{n}": "nowhere" for n in range(900)}},
    "a run_id of signs": {"operations": ONE, "run_id": "\0\n\x1b[2J😀\"'\\../%s{}" * 6},
}
