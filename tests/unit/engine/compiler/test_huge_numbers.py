"""Huge numbers in every member that takes a number: error 2002 with the path."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemons import Daemon

from tsvc.engine.compiler.parameters import TestParameters
from tsvc.schema.describe import describe_members

HUGE = (10**400, -(10**400))
WORDS = ("not a number", "internal")


def numeric(described: dict[str, Any], way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all members that take numbers, at any depth of objects."""
    for name, member in described.items():
        if member.get("type") in ("integer", "number"):
            yield (*way, name)
        if isinstance(member.get("members"), dict):
            yield from numeric(member["members"], (*way, name))


def put(holder: dict[str, Any], way: tuple[str, ...], value: Any) -> dict[str, Any]:
    whole = holder = copy.deepcopy(holder)
    for step in way[:-1]:
        holder = holder.setdefault(step, {})
    holder[way[-1]] = value
    return whole


@pytest.fixture
def daemon(tmp_path):
    made = Daemon(tmp_path)
    yield made
    made.stop()


def definitions(daemon: Daemon) -> Iterator[tuple[str, dict[str, Any]]]:
    passing = {"operations": [{"type": "pass"}]}
    for value in HUGE:
        for way in numeric(describe_members(TestParameters())):
            yield ".".join(way), put(passing, way, value)
        for type_ in daemon.call("DescribeOperations")["operations"]:
            arguments = (type_["arguments"] or {}).get("members") or {}
            members = {**type_["attributes"], "arguments": {"members": arguments}}
            for way in numeric(members):
                entry = put({"type": type_["type"], **type_["example"]}, way, value)
                yield f"{type_['type']} {'.'.join(way)}", {"operations": [entry]}


@pytest.mark.slow
def test_no_member_of_any_schema_fails_inside(daemon):
    for what, definition in definitions(daemon):
        answer = json.dumps(daemon.ask("ValidateTest", definition))
        assert not any(word in answer for word in WORDS), f"{what}: {answer[:500]}"


@pytest.mark.parametrize(
    ("var", "path"),
    [
        ({"$random": {"min": 0, "max": 10**400}}, "vars.a.$random.max"),
        ({"$random": {"min": -(10**400), "max": 1}}, "vars.a.$random.min"),
        ({"$random": {"min": -(10**4000), "max": 1}}, "vars.a.$random.min"),
    ],
)
def test_the_generator_is_named(daemon, var, path):
    problems = daemon.problems({"type": "pass"}, vars={"a": var})
    assert problems == {f"params.{path}": "expected a number"}


@pytest.mark.parametrize(
    "var",
    [
        {"$sequence": {"start": 10**400}},
        {"$sequence": {"start": 10**4290, "step": 10**4299}},
        {"$choice": [10**400]},
        10**4000,
    ],
)
def test_as_a_value_it_is_one(daemon, var):
    result = daemon.run({"type": "eval", "expression": "$v->{a} + 1"}, vars={"a": var})
    assert "internal" not in json.dumps(result["first_call_summary"]["reason"])


def test_a_wait_is_out_of_bounds(daemon):
    (text,) = daemon.problems({"type": "wait", "arguments": {"seconds": 10**400}}).values()
    assert "from 0 to" in text or "too large" in text
    assert len(text) < 200
