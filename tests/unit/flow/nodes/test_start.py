"""Start: one exit, no config."""

from tsvc.flow.call import Release
from tsvc.flow.engine import FlowEnd


def test_start_with_nothing_behind_it_releases(flows):
    run = flows.run({"operations": [{"id": 1, "type": "Start", "exits": [None]}]})
    assert run.start() == Release(31)
    assert run.outcome is FlowEnd.END_OF_FLOW
    assert [(step.exit_index, step.exit_name) for step in run.path] == [(0, "Next")]


def test_start_has_no_config_and_one_exit(flows):
    start = {"id": 1, "type": "Start", "config": {"x": 1}, "exits": []}
    assert flows.problems({"operations": {"1": start}}) == [
        ("flow.operations.1.exits", "Start has exactly 1 exit (0 Next), not 0", "error"),
        ("flow.operations.1.config.x", "unknown member", "error"),
    ]
