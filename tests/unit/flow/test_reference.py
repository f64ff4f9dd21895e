"""The reference of flows: complete, and its examples are right."""

import json
import re

import pytest

from tsvc.config.scp_tables import Scp
from tsvc.flow.catalogue import describe_types
from tsvc.flow.document import compile_flow
from tsvc.flow.node import NODES, OpenNode
from tsvc.reference.flows import example_operation, text

PROMPTS = ["Enter Account", "Enter Extension", "Main Menu", "No Key", "Try Again", "Welcome"]
SITE = Scp(announcements={"Site Prompts": dict.fromkeys([*PROMPTS, "Wrong Key"], 1)})
TYPES = describe_types()


def test_every_type_has_its_section_and_content_line():
    for name in NODES.names():
        assert f"\n### {name}\n" in text()
        assert f"\n* [{name}](#{name.lower()}): " in text()


@pytest.mark.parametrize("entry", TYPES, ids=lambda entry: entry.type)
def test_every_exit_is_explained(entry):
    node = NODES.get(entry.type)
    if issubclass(node, OpenNode):
        assert list(entry.exit_help) == [node.first_exit, "Exit n"]
    else:
        assert set(entry.exit_help) == {name for names in entry.layouts for name in names}


def members(entries):
    for entry in entries:
        yield entry
        yield from members(entry.members)


@pytest.mark.parametrize("entry", TYPES, ids=lambda entry: entry.type)
def test_every_member_has_a_shape_and_is_in_the_text(entry):
    section = text().split(f"\n### {entry.type}\n")[1].split("\n### ")[0]
    for member in members(entry.members):
        assert member.shape, member.name
        assert f"\n| `{member.name}` | {member.shape}" in section
        assert member.help in section


@pytest.mark.parametrize("entry", TYPES, ids=lambda entry: entry.type)
def test_every_example_compiles_without_problems(flows, entry):
    operation = example_operation(entry)
    if entry.type == "Start":
        operations = [operation]
    else:
        operations = [{"id": 1, "type": "Start", "exits": [operation["id"]]}, operation]
    targets = sorted({target for target in operation["exits"] if target is not None})
    last = "UssdEnd" if NODES.get(entry.type).serves == "USSD sessions" else "ReleaseCall"
    operations += [{"id": target, "type": last, "exits": []} for target in targets]
    flow, problems = compile_flow({"operations": operations}, SITE)
    assert problems == []
    assert flow is not None


def test_examples_in_the_text_are_the_declared_ones():
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text(), re.DOTALL)]
    assert shown == [example_operation(entry) for entry in TYPES]


def test_tables_are_well_formed():
    for block in text().split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1, block
