"""A definition made from a capture passes against a peer that sends the recorded octets, and sends
the recorded octets itself; with one octet of an argument changed it does not pass."""

import base64
import json

from kinds.sigtran.map_scp import registered
from support.replay import ABORT, Replay, essence, parameters
from support.scripted_scp import reason

from tsvc.clock import SYSTEM_CLOCK
from tsvc.record.capture import dialogues_of, read_capture
from tsvc.record.definition import make_definition
from tsvc.ss7.scp_node import ScpNode

# A changed message may not be understood: then the test waits for a message that never comes.
SHORT = {"scp": {"tcap_timeout": 0.2}}


def definition_of(capture, side=None):
    """Return the definition made from a complete capture, as a file would give it."""
    found = read_capture(capture)
    dialogues = dialogues_of(found, side)
    assert found.remarks == []
    assert [dialogue.problems for dialogue in dialogues] == [[] for _ in dialogues]
    made = json.loads(json.dumps(make_definition(dialogues, "recorded")))
    assert made.pop("name") == "recorded"
    return made


def said_in(result):
    """Return the messages of each dialogue, as recorded by the dialogue: (is it ours, octets)."""
    said = {}
    for message in result["first_call_summary"]["messages"]:
        octets = bytes.fromhex(message["hex"])
        said.setdefault(message["dialogue"], []).append((message["direction"] == "sent", octets))
    return list(said.values())


def trace(daemon, run_id):
    found = daemon.call("GetTrace", run_id=run_id, format="pcap")
    return base64.b64decode(found["content"])


def play(daemon, made, replay, **more):
    """Run a definition against a recording."""
    daemon.service.scp.node = ScpNode(replay, SYSTEM_CLOCK)
    definition = {"ssp_ac": None, **made, **more}
    operations = definition.pop("operations")
    run_id = daemon.execute(*operations, strict=1, **definition)
    if any(entry["type"] == "map.hlr_from_scp.Register" for entry in operations):
        daemon.until(lambda: registered(daemon))
        replay.begin(daemon.gateway.node.network)
        daemon.service.scp.node._flush()
    return daemon.finish(run_id)


def assert_passes(daemon, made, said):
    checked = daemon.call("ValidateTest", strict=1, **{"ssp_ac": None, **made})
    assert (checked["valid"], checked["problems"]) == (True, [])
    replay = Replay(*said)
    result = play(daemon, made, replay)
    failed = [one for one in result["first_call_summary"]["check_log"] if one["level"] != "pass"]
    assert result["verdict"] == "pass", (reason(result), failed)
    sent = [essence(octets) for dialogue in said for is_ours, octets in dialogue if is_ours]
    heard = list(map(essence, replay.heard))
    while len(heard) > len(sent) and heard[-1][0] == ABORT:
        # The recording ends inside the dialogue, which the tester does not leave open.
        heard.pop()
    assert sorted(heard, key=repr) == sorted(sent, key=repr)


def changed(said):
    """Yield the dialogues with one octet of a peer's argument changed, each octet in turn."""
    for at, dialogue in enumerate(said):
        for number, (is_ours, octets) in enumerate(dialogue):
            for start, stop in [] if is_ours else parameters(octets):
                for place in range(start, stop):
                    # All bits are changed, since some of them may be spare.
                    other = bytearray(octets)
                    other[place] ^= 0xFF
                    again = list(dialogue)
                    again[number] = (False, bytes(other))
                    yield (at, number, place), [*said[:at], again, *said[at + 1 :]]


def assert_tells_changes(daemon, made, said):
    def passes(said):
        return play(daemon, made, Replay(*said), **SHORT, linger_ms=0)["verdict"] == "pass"

    assert play(daemon, made, Replay(*said), linger_ms=0)["verdict"] == "pass"
    changes, passed = dict(changed(said)), None
    if changes and len(said) == 1 and said[0][0][0]:
        # One after the other in one run, each instance on the ordinary path: `track`.
        replay = Replay(*(dialogue for (dialogue,) in changes.values()))
        load = {"type": "load", "total": len(changes), "backlog": 1}
        params = {**SHORT, "linger_ms": 0, "track": 0, "distribution": load}
        counts = play(daemon, made, replay, **params)["counts"]
        assert counts["finished"] == len(changes)
        assert replay.is_over, "each has met an instance"
        if (passed := counts["passed"]) == 0:
            return
    assert [place for place, other in changes.items() if passes(other)] == []
    assert not passed, "among others they pass"
