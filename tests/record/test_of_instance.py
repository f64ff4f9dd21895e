"""tsvc trace --format definition: the messages kept by an instance, from the tester's side."""

import json
from base64 import b64decode

import pytest
from kinds.sigtran.map_scp import MapScp, registered
from record.calls import CALLS
from record.replayed import assert_passes, said_in
from support.scripted_scp import reason

from tsvc.commands.trace import definition_of_instance


class Near:
    """A client of a daemon in this process: its requests call the daemon's methods."""

    def __init__(self, daemon):
        self._daemon = daemon

    def trace(self, run_id, format, instance):
        found = self._daemon.call("GetTrace", run_id=run_id, format=format, instance=instance)
        return b64decode(found["content"]) if format == "pcap" else found["content"]


@pytest.mark.parametrize("name", ["CAP 2, armed, answered, released", "MAP, the SCP begins"])
def test_who_began_is_known(daemon, name):
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
    text, lacks = definition_of_instance(Near(tsvc), run_id, 0)
    made = json.loads(text)
    assert (made.pop("name"), lacks) == (run_id, [])
    types = [entry["type"] for entry in made["operations"]]
    assert ("map.hlr_from_scp.Register" in types) is (call.begins is not None)
    assert_passes(tsvc, made, said_in(result))
