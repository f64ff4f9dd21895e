"""Calls are recorded, and the resulting definitions are run against the recording."""

from itertools import groupby
from pathlib import Path

import pytest
from kinds.sigtran.map_scp import MapScp, registered
from record.calls import CALLS
from record.replayed import assert_passes, assert_tells_changes, definition_of, said_in, trace
from support.daemons import EXAMPLES, FLOW, Daemon, example
from support.scripted_scp import ScriptedDaemon, reason

EXTENSIONS = sorted(path.stem for path in EXAMPLES.glob("*.json"))


def test_there_is_a_capture_of_each_kind():
    """Captures of Diameter, SMPP and HTTP, and segmented ones, have their own files."""
    contexts = {call.params.get("ssp_ac") for call in CALLS.values()}
    assert contexts >= {"cs1", "camel2", "camel3", "camel4"}
    types = [[entry["type"] for entry in call.operations] for call in CALLS.values()]
    assert sum(any(one.startswith("map.") for one in call) for call in types) >= 3
    for abort in ("tcap.ssp_from_scp.Abort", "tcap.ssp_to_scp.Abort"):
        assert any(abort in call for call in types)
    turns = [
        [name for name, _ in groupby(entry.get("dialogue") for entry in call.operations)]
        for call in CALLS.values()
    ]
    assert any(len(one) > len(set(one)) >= 2 for one in turns), "two dialogues, interleaved"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", CALLS)
def test_a_recorded_call(tmp_path, daemon, name):
    call = CALLS[name]
    scp = MapScp(*call.reactions)
    tsvc = daemon(scp=scp)
    scp.attach(tsvc)
    run_id = tsvc.execute(*call.operations, **call.params)
    if call.begins is not None:
        tsvc.until(lambda: registered(tsvc))
        call.begins(scp)
    result = tsvc.finish(run_id)
    assert result["verdict"] == "pass", reason(result)
    made = definition_of(trace(tsvc, run_id), None if call.begins is None else "server")
    said = said_in(result)
    assert_passes(tsvc, made, said)
    assert_tells_changes(tsvc, made, said)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", EXTENSIONS)
def test_a_call_that_a_flow_answered(tmp_path, daemon, name):
    folder = tmp_path / "flow"
    folder.mkdir()
    with_flow = Daemon(folder, flows=(Path(FLOW),))
    try:
        definition = example(name)
        definition.pop("name", None)
        result = with_flow.run(*definition.pop("operations"), run_id="run", **definition)
        made = definition_of(trace(with_flow, "run"))
    finally:
        with_flow.stop()
    said = said_in(result)
    tsvc = daemon()
    assert isinstance(tsvc, ScriptedDaemon)
    assert_passes(tsvc, made, said)
    assert_tells_changes(tsvc, made, said)
