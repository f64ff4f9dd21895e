"""Expressions that read received messages: the fast path where safe, the same results."""

from pathlib import Path
from typing import Any

import pytest
from kinds.diameter.credit import avp
from kinds.diameter.unsteady import request
from kinds.rest.unsteady import Server
from kinds.sigtran.unsteady import CALL, USUAL
from kinds.sigtran.unsteady import VARS as CALL_VARS
from kinds.together.testbed import BOTH, PATIENT, REQUEST, VARS, Params, World, both_ways, patient
from support.loads import load
from support.scripted_scp import ScriptedScp, evaluate
from support.without_memories import Recorder, difference

from tsvc.engine.fast_path import RunFastPath

GRANTED = "$i->{DIAMETER}{response}{avp}{'Granted-Service-Unit'}{'CC-Time'}"
DIALLED = "$i->{Connect}{destinationRoutingAddress_digits}"
BALANCE = "$i->{REST}{content_json}{balance}"
NUMBERS = {name: one for name, one in VARS.items() if name != "asked"}
ASKED = avp("Requested-Service-Unit", [avp("CC-Time", 100)])
INITIAL, LAST = request(1, 0, ASKED), request(3, 1, avp("User-Name", f"{{'to-' . {DIALLED}}}"))
ASKS = {"path": "{'/x/' . $v->{granted} . '/' . $v->{msisdn}}", "method": "GET"}
OPERATIONS = [
    INITIAL,
    evaluate(f"$v->{{granted}} = {GRANTED} + 1"),
    *CALL[:3],
    evaluate(f"$v->{{dialled}} = {DIALLED} . '#'"),
    {**REQUEST[0], "arguments": ASKS},
    {"type": "log", "arguments": {"text": f"{{'has ' . {BALANCE}}}"}},
    {"type": "branch", "expression": BALANCE, "on_true": "rich"},
    {"type": "fail", "arguments": {"text": "poor"}},
    {**CALL[3], "label": "rich"},
    *CALL[4:],
    LAST,
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_peers_say_is_read_the_same_way(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path, seed: int
) -> None:
    plain, told = both_ways(tmp_path, recorder, OPERATIONS, seed, 12, vars=NUMBERS)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] > 20
    assert any(f"/x/101/64210000{1:02d}" in one for one in plain["requests"])
    assert fast_paths[1].begun > 30
    assert 0 < fast_paths[1].fell_back < fast_paths[1].begun


def richer(server: Server, octets: bytes, sock: Any) -> None:
    """Answer with a different balance each time."""
    sock.sendall(octets.replace(b"1450", b"%04d" % (1000 + len(server.requests)), 1))


def test_a_member_that_is_read_is_looked_at(fast_paths: list[RunFastPath], tmp_path: Path) -> None:
    here = World(tmp_path, ScriptedScp(*USUAL), **PATIENT)
    here.server.twist = richer
    asks = [BOTH[0], {**BOTH[1], "tests": []}]
    try:
        for reads, begun in (([], 19), ([evaluate(f"$v->{{has}} = {BALANCE}")], 0)):
            fast_paths.clear()
            operations = [*asks, {"type": "log", "arguments": {"text": "on"}}, *reads]
            here.server.requests.clear()
            result = here.run(*operations, vars=NUMBERS, distribution=load(20, backlog=1))
            assert result["counts"]["passed"] == 20
            assert fast_paths[0].begun - fast_paths[0].fell_back == begun
    finally:
        here.stop()


@pytest.mark.parametrize(
    ("operations", "is_fast"),
    [
        ([*CALL, evaluate(f"$v->{{a}} = {DIALLED}")], True),
        ([*CALL, evaluate("$v->{a} = $i->{Connect}{nothing}")], True),
        ([*CALL, evaluate("$v->{a} = $i->{RequestReportBCSMEvent}{bcsmEvents}")], False),
        ([*CALL, evaluate("$v->{a} = $i->{Connect}")], False),
        ([*CALL, evaluate(f"{DIALLED} = 1")], False),
        ([*CALL, evaluate(f"$v->{{a}} = {DIALLED} =~ /1/")], True),
        ([*CALL, evaluate(f"$v->{{a}} = $v->{{b}} = {DIALLED} == 5 ? 1 : {DIALLED}")], True),
        ([*CALL, evaluate(f"$v->{{a}} = {DIALLED}; 1 # $i->{{Connect}} = 1")], True),
        ([*CALL, evaluate("$v->{a} = $i->{$v->{msisdn}}{b}")], False),
        ([*CALL, evaluate(f"{DIALLED} =~ s/1/2/")], False),
        ([*CALL, evaluate("$v->{a} = $v->{__INBOUND}{Connect}{nothing}")], False),
        ([INITIAL, evaluate(f"$v->{{a}} = {GRANTED}")], True),
        ([INITIAL, evaluate("$v->{a} = $i->{DIAMETER}{response}{code}")], True),
        ([INITIAL, evaluate("$v->{a} = $i->{DIAMETER}{session_id}")], False),
        ([INITIAL, evaluate("$v->{a} = $i->{DIAMETER}{response}{hop_by_hop_id}")], False),
        ([INITIAL, evaluate("$v->{a} = $i->{DIAMETER}{response}{avp}{'Session-Id'}")], False),
        ([*REQUEST, evaluate("$v->{a} = $i->{REST}{code}")], True),
        ([*REQUEST, evaluate("$v->{a} = $i->{REST}{content}")], False),
    ],
)
def test_which_instances_are_on_the_fast_path(
    fast_paths: list[RunFastPath], tmp_path: Path, operations: list[Params], is_fast: bool
) -> None:
    here = World(tmp_path, ScriptedScp(*USUAL), **PATIENT)
    try:
        given = {**NUMBERS, **CALL_VARS}
        result = here.run(*patient(operations), vars=given, distribution=load(20, backlog=1))
    finally:
        here.stop()
    assert result["counts"]["passed"] == 20, result["first_call_summary"]["check_log"]
    assert fast_paths[0].begun - fast_paths[0].fell_back == (19 if is_fast else 0)
