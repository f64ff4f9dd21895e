"""A corpus of flows with one mistake each: each is refused with its own message and path."""

import json
from pathlib import Path

import pytest
from support.each import each

from tsvc.config.scp_tables import Scp
from tsvc.docs_generator.flows import items_of
from tsvc.flow.document import compile_flow
from tsvc.flow.node import NODES

FOLDER = Path(__file__).parent / "invalid"
CASES = [
    pytest.param(case, id=f"{file.stem} {number}")
    for file in sorted(FOLDER.glob("*.json"))
    for number, case in enumerate(json.loads(file.read_text(encoding="utf-8")), 1)
]


@each("case", CASES)
def test_refused_with_its_own_message(case):
    flow, problems = compile_flow(case["flow"], Scp())
    errors = [(one.path, one.text) for one in problems if one.severity == "error"]
    assert errors == [(case["path"], case["text"])]
    assert flow is None


def test_no_mistake_is_there_twice():
    mistakes = [
        (json.dumps(case["flow"], sort_keys=True), case["path"])
        for (case,) in (param.values for param in CASES)
    ]
    assert len(set(mistakes)) == len(mistakes) >= 60


def places(type_):
    """Return {path in config, without indexes: texts} of the cases of an operation type."""
    found = {}
    for (case,) in (param.values for param in CASES):
        steps = case["path"].split(".")
        operations = case["flow"].get("operations")
        if len(steps) > 4 and steps[3] == "config" and operations[steps[2]]["type"] == type_:
            place = tuple(step for step in steps[4:] if not step.isdigit())
            found.setdefault(place, []).append(case["text"])
    return found


def members(schema, above=()):
    for name, field in schema.fields.items():
        yield (*above, name)
        inner = items_of(field)
        if inner is not None:
            yield from members(inner, (*above, name))


@each("node", list(NODES), ids=lambda node: node.type)
def test_every_member_of_every_type_has_a_mistake(node):
    found = places(node.type)
    missing = {".".join(one) for one in set(members(node.Config())) - set(found)}
    assert not missing, f"{FOLDER.name}/ has no mistake of {node.type} in {sorted(missing)}"
    texts = [text for texts in found.values() for text in texts]
    is_there = any(text.startswith("unknown member") for text in texts)
    assert is_there, f"{FOLDER.name}/ has no unknown member in the config of {node.type}"


def test_every_type_is_there():
    present = {
        operation.get("type")
        for (case,) in (param.values for param in CASES)
        if isinstance(case["flow"].get("operations"), dict)
        for operation in case["flow"]["operations"].values()
        if isinstance(operation, dict) and isinstance(operation.get("type"), str)
    }
    missing = set(NODES.names()) - present
    assert not missing, f"{FOLDER.name}/ has no flow with an operation of {sorted(missing)}"
