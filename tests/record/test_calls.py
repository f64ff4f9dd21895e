"""Calls are recorded, and what is made of them is played against what was recorded."""

from pathlib import Path

import pytest
from kinds.sigtran.map_scp import MapScp, registered
from record.calls import CALLS
from record.replayed import assert_passes, assert_tells_changes, definition_of, said_in, trace
from support.daemons import EXAMPLES, FLOW, Daemon, example
from support.scripted_scp import ScriptedDaemon, reason

EXTENSIONS = sorted(path.stem for path in EXAMPLES.glob("*.json"))


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
