"""Drawings of flows: they contain every operation and exit, for flows of any shape."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from support.daemons import EXAMPLES

from tsvc.config.scp_tables import Scp
from tsvc.flow import drawing
from tsvc.flow.document import compile_flow

FLOWS = sorted((EXAMPLES / "flows").glob("*.json"))


def flow_of(document):
    flow, problems = compile_flow(document, Scp())
    assert flow is not None, problems
    return flow


@pytest.mark.parametrize("file", FLOWS, ids=lambda file: file.stem)
def test_samples(file):
    flow = flow_of(json.loads(file.read_text()))
    text = drawing.text(flow)
    root = ElementTree.fromstring(drawing.svg(flow))
    labels = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for operation_id, operation in flow.operations.items():
        if operation_id in drawing.levels(flow):
            assert f"[{operation_id}] {operation.type}" in text
            assert f"operation {operation_id}" in labels


def test_text_of_a_loop():
    flow = flow_of(
        {
            "name": "loop <&>",
            "triggers": [{"default": True}],
            "operations": {
                "1": {"id": 1, "type": "Start", "exits": [2]},
                "2": {"id": 2, "type": "Wait", "config": {"seconds": 1}, "exits": [1]},
            },
        }
    )
    lines = drawing.text(flow).splitlines()
    assert lines[:2] == ["loop <&>", "[1] Start"]
    assert lines[2].strip().endswith("[2] Wait")
    assert lines[3].strip().endswith("[1] Start (above)")
    ElementTree.fromstring(drawing.svg(flow))


def test_a_long_chain_is_no_recursion():
    count = 3000
    operations = [{"id": 1, "type": "Start", "exits": [2]}]
    operations += [
        {
            "id": n,
            "type": "Wait",
            "config": {"seconds": 1},
            "exits": [n + 1 if n < count else None],
        }
        for n in range(2, count + 1)
    ]
    flow = flow_of({"name": "long", "triggers": [{"default": True}], "operations": operations})
    assert len(drawing.text(flow).splitlines()) == count + 2
