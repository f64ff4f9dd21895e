"""Helpers for the tests of flows: small documents, calls, and a way through a flow."""

import copy
import json
from pathlib import Path

import pytest

from tsvc.config.scp_tables import Scp
from tsvc.flow.call import CallFacts
from tsvc.flow.document import compile_flow
from tsvc.flow.engine import FlowRun
from tsvc.flow.node import NODES

EXAMPLES = Path(__file__).parents[3] / "etc/examples/flows"
SETTINGS = Scp(announcements={"S": {"main": 101, "again": 102}})

EXTENSION_CONFIG = {
    "main_announcement": {"set": "S", "entry": "main"},
    "reprompt_announcement": {"set": "S", "entry": "again"},
    "prefix": "4329",
    "min_digits": 3,
    "max_digits": 4,
    "destination_patterns": ["43291??"],
}

# The number of exits, as many as the tests need, of types that allow any number.
OPEN_EXIT_COUNTS = {
    "BusinessHours": 3,
    "CallingParty": 3,
    "DialledNumber": 3,
    "Menu": 4,
    "ProportionalDistribution": 3,
    "Switch": 3,
}


def exit_targets(type_):
    """Return the targets of a tested operation's exits, at least as many as its type needs."""
    node = NODES.get(type_)
    layouts = node.layouts if node else ()
    count = len(layouts[0]) if layouts else OPEN_EXIT_COUNTS.get(type_, 1)
    return [10 + index for index in range(count)]


class Flows:
    """Documents with one tested operation (id 2); each of its exits leads to its own release."""

    settings = SETTINGS

    def document(self, type_, config, exits=None, **top):
        """Return a document; an exit to 10 + n leads to ReleaseCall with cause n + 1."""
        targets = exit_targets(type_) if exits is None else exits
        operations = {
            "1": {"id": 1, "type": "Start", "exits": [2]},
            "2": {"id": 2, "type": type_, "config": copy.deepcopy(config), "exits": targets},
        }
        for target in targets:
            if target is not None:
                operations[str(target)] = {
                    "id": target,
                    "type": "ReleaseCall",
                    "config": {"cause": target - 9},
                    "exits": [],
                }
        return {"name": "tested", "operations": operations, **top}

    def extension(self, exits=None, **changes):
        """Return an ExtensionDialing document; a change to None removes the member."""
        config = {**EXTENSION_CONFIG, **changes}
        config = {key: value for key, value in config.items() if value is not None}
        return self.document("ExtensionDialing", config, exits)

    def problems(self, document, settings=SETTINGS):
        """Return the problems as (path, text, severity)."""
        _, problems = compile_flow(document, settings)
        return [(problem.path, problem.text, problem.severity) for problem in problems]

    def run(self, document, settings=SETTINGS, **facts):
        """Return a run of a document, which must have no errors; `facts` are passed to call()."""
        flow, problems = compile_flow(document, settings)
        assert flow is not None, problems
        return FlowRun(flow, self.call(**facts))

    def call(self, service_key=45, called="08001", calling="021", draw=0.5, wall=0.0, **more):
        """Return the facts of a call, with a fixed draw and a fixed clock."""
        return CallFacts(
            service_key, called, calling, random=lambda: draw, wall=lambda: wall, **more
        )

    def walk(self, run, *events):
        """Start the run, pass it the events in their order, and return all actions."""
        return [run.start(), *(run.resume(event) for event in events)]

    def path(self, run):
        """Return (operation id, exit index) of every operation that the call has passed."""
        return [(step.operation_id, step.exit_index) for step in run.path]

    def example(self, name):
        """Return a sample document of the source tree."""
        return json.loads((EXAMPLES / name).read_text())

    def example_names(self):
        """Return the file names of all samples."""
        return sorted(path.name for path in EXAMPLES.glob("*.json"))


@pytest.fixture(scope="session")
def flows():
    return Flows()
