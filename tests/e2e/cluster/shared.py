"""Definitions and helpers for runs over several worker processes."""

import json
import urllib.request
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S
from support.shared_runs import PATIENT
from support.waiting import GUARD_S
from support.witness import PATIENT_HTTP, Witness

# Not importorskip: importing it patches the process of the tests.
needs_locust = pytest.mark.skipif(
    find_spec("locust") is None, reason="the extra cluster is not installed"
)
ROOT = Path(__file__).parents[3]
CALL = json.loads((ROOT / "etc/examples/extension_dialing.json").read_text())
Params = dict[str, Any]

CLUSTER = """
[http]
listen = "127.0.0.1:{http}"
[cluster]
workers = 3
single_max = 900
{lost}
[application.BSS]
module = "rest"
base_uri = "http://127.0.0.1:{port}"
{patient_http}
[application.LINK]
module = "sigtran"
[[application.LINK.connections]]
name = "a"
type = "m3ua"
role = "asp"
remote_host = "127.0.0.1"
remote_port = 1
"""

# Each instance fails, is aborted or passes, by its own random number.
CHANCE: Params = {
    "vars": {"n": {"$random": {"min": 0, "max": 10}}, "idx": {"$sequence": {}}},
    "operations": [
        {"type": "wait", "arguments": {"seconds": 0.01}},
        {"type": "branch", "expression": "$v->{n} < 9", "on_true": "end"},
        {"type": "branch", "expression": "$v->{n} < 9.5", "on_true": "bad"},
        {"type": "abort"},
        {"type": "fail", "label": "bad"},
        {"type": "pass", "label": "end"},
    ],
    "seed": 42,
}
ADDRESS = {"dpc": 2, "dssn": 146}
WAIT = {"type": "wait", "arguments": {"seconds": 0.05}}
TELL = {"type": "rest.Request", "arguments": {"path": "{'/' . $r->{idx}}", "method": "GET"}}


def configuration(witness: Witness, http: int, lost: str = PATIENT) -> str:
    port = witness.server_address[1]
    return CLUSTER.format(port=port, http=http, lost=lost, patient_http=PATIENT_HTTP)


def in_time(play: Callable[[float], Params | None]) -> Params:
    """Return the result of `play` as soon as `play` was quick enough.

    `play` gets the seconds until a moment of its run, and returns None if it was late. Each
    attempt gets more seconds, because the machine may be busy.
    """
    for lead_s in (2.0, 8.0, GUARD_S):
        if (result := play(lead_s)) is not None:
            return result
    raise AssertionError("not in time")


def scraped(http: int) -> dict[str, float]:
    """Return the samples of the metrics page on a port."""
    address = f"http://127.0.0.1:{http}/metrics"
    with urllib.request.urlopen(address, timeout=HANG_GUARD_S) as got:
        lines = got.read().decode().splitlines()
    told = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {place: float(value) for place, _, value in told}


def groups(result: Params) -> list[tuple[Any, ...]]:
    """Return the failures by cause: their number, and the first instance."""
    return sorted(
        (one["state"], one["op"], one["cause"], one["count"], int(one["instance_id"]))
        for one in result["failures"]
    )
