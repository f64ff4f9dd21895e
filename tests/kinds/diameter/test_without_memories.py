"""Charging with all memories (caches) on and off: the same requests, octet by octet.

AVPs with and without expressions, filled in and given, of the standard and of the configuration.
"""

import random

from kinds.diameter.credit import units
from kinds.diameter.testbed import NUMBER, World, ccr
from support.without_memories import Recorder, compare, keep_dictionary

from tsvc.clock import Clock

INSTANCES = 50
AVPS = [
    {"name": "Our-Text", "code": 5001, "vendor_id": 99999, "type": "UTF8String"},
    {"name": "Our-Units", "code": 5002, "vendor_id": 99999, "type": "Unsigned32"},
]
OURS = {"avps": AVPS, "force_destination_host": False}
ASK = units("Requested-Service-Unit", 10)
ANSWER = {
    "result_code": 2001,
    "avps": [
        {"name": "CC-Request-Type", "value": "INITIAL_REQUEST"},
        {"name": "Granted-Service-Unit", "value": [{"name": "CC-Time", "value": 10}]},
    ],
}
CALL = [
    # Every other instance begins in the middle: it does not know yet who answers.
    {"type": "branch", "expression": "$r->{idx} % 2", "on_true": "update"},
    ccr(
        1,
        ASK,
        {"name": "Our-Text", "value": "constant"},
        {"name": "Our-Units", "value": "{$r->{idx}}"},
        arguments={"answer": ANSWER},
    ),
    ccr("2", units("Used-Service-Unit", "{$r->{idx} % 3}"), ASK, label="update"),
    # The list itself is an expression: every AVP is made as it runs.
    {
        "type": "diameter.Request",
        "arguments": {
            "name": "Credit-Control-Request",
            "avps": "{[{name => 'Session-Id_auto', value => 1},"
            " {name => 'CC-Request-Type', value => 2}, {name => 'Our-Units', value => 5}]}",
        },
    },
    ccr("TERMINATION_REQUEST", units("Used-Service-Unit", 4)),
]


def test_a_load_of_sessions(tmp_path, monkeypatch):
    """The balance is used up during the load: later instances fail."""
    recorder = Recorder(monkeypatch)
    keep_dictionary(monkeypatch)
    monkeypatch.setattr(Clock, "wall", lambda self: 1_800_000_000.0)

    def run(**way):
        random.seed(1)
        here = World(tmp_path, OURS, {"subscribers": {NUMBER: 60}})
        try:
            load = {"type": "load", "total": INSTANCES, "backlog": 1}
            result = here.run(*CALL, vars={"msisdn": NUMBER}, distribution=load, seed=3, **way)
            told = recorder.told("r", result)
            told["seen by the OCS"] = list(here.ocs.requests)
            return told
        finally:
            here.stop()

    told = compare(run)
    assert 0 < told["counts"]["passed"] < INSTANCES, told["first"]
    texts = [one["messages"][0]["hex"].count(b"constant".hex()) for one in told["instances"]]
    assert texts == [1, 0] * (INSTANCES // 2)
