"""The reference of flows: it is complete, and its examples are correct."""

import json
import re

import pytest

from tsvc.config.scp_tables import Scp
from tsvc.docs_generator.flows import example_operation, items_of, shape_of, text
from tsvc.flow.document import compile_flow
from tsvc.flow.node import NODES, OpenNode

PROMPTS = ["Enter Account", "Enter Extension", "Main Menu", "No Key", "Try Again", "Welcome"]
SITE = Scp(announcements={"Site Prompts": dict.fromkeys([*PROMPTS, "Wrong Key"], 1)})
TYPES = list(NODES)


def test_every_type_has_its_section_and_content_line():
    for name in NODES.names():
        assert f"\n### {name}\n" in text()
        assert f"\n* [{name}](#{name.lower()}): " in text()


@pytest.mark.parametrize("node", TYPES, ids=lambda node: node.type)
def test_every_exit_is_explained(node):
    if issubclass(node, OpenNode):
        assert list(node.exit_help) == [node.first_exit, "Exit n"]
    else:
        assert set(node.exit_help) == {name for names in node.layouts for name in names}


def members(schema):
    for field in schema.fields.values():
        yield field
        inner = items_of(field)
        if inner is not None:
            yield from members(inner)


@pytest.mark.parametrize("node", TYPES, ids=lambda node: node.type)
def test_every_member_has_a_shape_and_is_in_the_text(node):
    section = text().split(f"\n### {node.type}\n")[1].split("\n### ")[0]
    for member in members(node.Config()):
        shape = shape_of(member)
        assert shape, member.name
        assert f"\n| `{member.name}` | {shape}" in section
        assert member.help in section


@pytest.mark.parametrize("node", TYPES, ids=lambda node: node.type)
def test_every_example_compiles_without_problems(flows, node):
    operation = example_operation(node)
    if node.type == "Start":
        operations = [operation]
    else:
        operations = [{"id": 1, "type": "Start", "exits": [operation["id"]]}, operation]
    targets = sorted({target for target in operation["exits"] if target is not None})
    last = "UssdEnd" if node.serves == "USSD sessions" else "ReleaseCall"
    operations += [{"id": target, "type": last, "exits": []} for target in targets]
    flow, problems = compile_flow({"operations": operations}, SITE)
    assert problems == []
    assert flow is not None


def test_examples_in_the_text_are_the_declared_ones():
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text(), re.DOTALL)]
    assert shown == [example_operation(node) for node in TYPES]


def test_tables_are_well_formed():
    for block in text().split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1, block
