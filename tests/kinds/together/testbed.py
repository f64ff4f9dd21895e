"""A service with three gateways, their peers, and definitions that use several of them."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from kinds.diameter.testbed import TwistedOcs
from kinds.diameter.unsteady import SESSION
from kinds.diameter.unsteady import VARS as DIAMETER_VARS
from kinds.diameter.unsteady import Unsteady as UnsteadyOcs
from kinds.rest.unsteady import Server
from kinds.rest.unsteady import Unsteady as UnsteadyServer
from kinds.sigtran.unsteady import CALL
from kinds.sigtran.unsteady import VARS as SIGTRAN_VARS
from kinds.sigtran.unsteady import Unsteady as UnsteadyScp
from support.loads import assert_adds_up, load
from support.scripted_scp import ScriptedDaemon, ScriptedScp
from support.waiting import until
from support.without_memories import Recorder

from tsvc.clock import Clock

Params = dict[str, Any]
VARS = {**SIGTRAN_VARS, **DIAMETER_VARS}
TESTS = [
    {"kpath": "rest.code", "type": "integer", "value": 200},
    {"kpath": "rest.content_json.balance", "type": "integer", "value": 1450},
]
GET = {"path": "{'/balance/' . $v->{msisdn}}", "method": "GET"}
POST = {
    "path": "/balance",
    "method": "POST",
    "content_type": "application/json",
    "content": {"msisdn": "{$v->{msisdn}}"},
}
REQUEST = [{"type": "rest.Request", "arguments": GET, "tests": TESTS}]
BOTH = [
    {"type": "rest.SendRequest", "arguments": POST},
    {"type": "rest.ExpectResponse", "tests": TESTS},
]
WAIT_S = 1.5
PATIENT = {"server_timeout_s": 60}
INSTANCES = int(os.environ.get("TSVC_TOGETHER", "60"))


def in_dialogue(name: str) -> list[Params]:
    """Return the operations of the call, in a dialogue with a name."""
    return [{**entry, "dialogue": name} for entry in CALL]


def patient(operations: list[Params]) -> list[Params]:
    """Return operations that wait long for messages."""
    return [
        {**one, "seconds": 60} if "_from_" in one["type"] or "diameter" in one["type"] else one
        for one in operations
    ]


def merged(chance: random.Random, *sequences: list[list[Params]]) -> list[Params]:
    """Return the operations of sequences in a random order; groups stay together."""
    left = [list(one) for one in sequences]
    found: list[Params] = []
    while any(left):
        one = chance.choice([each for each in left if each])
        for _ in range(chance.randint(1, 3)):
            found += one.pop(0) if one else []
    return found


def singly(operations: list[Params]) -> list[list[Params]]:
    """Return operations as groups of one."""
    return [[one] for one in operations]


class World(ScriptedDaemon):
    """The service; `ocs`, `server` and `scp` are its peers, which tests may twist."""

    def __init__(
        self, folder: Path, scp: ScriptedScp, quarantine_s: float = 30, **rest: Any
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.ocs = TwistedOcs("127.0.0.1", 0, default_balance=10**9, subscribers={})
        self.ocs.start()
        self.server = Server()
        host, port = self.ocs.address
        diameter = {
            "remote_host": host,
            "remote_port": port,
            "origin_host": "tester.example.net",
            "reconnect_interval_s": 0.1,
            "watchdog_s": 3600,  # a watchdog request would take an identifier
        }
        rest = {
            "base_uri": f"http://127.0.0.1:{self.server.port}/api",
            "server_timeout_s": WAIT_S,
            "num_client_connections": 20,
            "http_headers": {"Host": "billing.example.net"},
            **rest,
        }
        others = {"DIA": ("diameter", diameter), "R": ("rest", rest)}
        super().__init__(folder, scp=scp, others=others, quarantine_s=quarantine_s)
        self.until_up()

    def stop(self) -> None:
        self.ocs.untwist()
        super().stop()
        self.ocs.stop()
        self.server.stop()

    def assert_idle(self) -> None:
        """Assert that no instance waits for anything, and that no connection is lent."""
        assert self.open_dialogues[0] == 0
        sessions = self.gateway_of("diameter").sessions
        assert sessions._registered == sessions._owners == {}
        assert self.gateway_of("diameter").status().counters["pending"] == 0
        pool = self.gateway_of("rest").pool
        until(lambda: pool.lent == pool.waiting == 0)


def seeded(folder: Path, scp: ScriptedScp, **rest: Any) -> World:
    """Return a world that has the same identifiers as each other world."""
    with pytest.MonkeyPatch.context() as still:  # identifiers contain the time of day
        still.setattr(Clock, "wall", lambda clock: 1.7e9)
        random.seed(7)
        # The order in which gateways draw differs from run to run.
        still.setattr(random, "random", lambda: 0.25)
        return World(folder, scp, **rest)


def told_of(
    here: World, recorder: Recorder, operations: list[Params], instances: int, **params: Any
) -> Params:
    """Return what a run reports."""
    given = {"vars": VARS, "seed": 7, "distribution": load(instances, backlog=1), **params}
    run_id = here.execute(*operations, run_id="r", **given)
    result = here.finish(run_id)
    assert_adds_up(result)
    here.assert_idle()
    told = recorder.told("r", result)
    told["late"] = result["counts"]["late_messages"]
    told["groups"] = [
        {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
        for one in result["failures"]
    ]
    told["gateways"] = [here.gateway_of(kind).status().counters for kind in ("diameter", "rest")]
    told["requests"] = [one.decode("latin-1") for one in here.server.requests]
    for one in told["instances"]:
        one.pop("reason_t", None)  # when a silence is noticed differs from run to run
    text = json.dumps(told).replace(f":{here.ocs.address[1]}", ":<ocs>")
    found: Params = json.loads(text.replace(f":{here.server.port}", ":<server>"))
    return found


def both_ways(
    folder: Path,
    recorder: Recorder,
    operations: list[Params],
    seed: int,
    one_in: float,
    instances: int = INSTANCES,
    rest: Params | None = None,
    **params: Any,
) -> tuple[Params, Params]:
    """Return what a run reports with `track: 0`, and with `track: 1`. `rest`: members of the
    application that sends requests to the server."""
    told = []
    for track in (0, 1):
        here = seeded(folder / str(track), UnsteadyScp(seed, one_in), **(rest or {}))
        here.ocs.twist = UnsteadyOcs(seed, one_in).twist
        here.server.twist = UnsteadyServer(seed, one_in)
        try:
            told.append(told_of(here, recorder, operations, instances, track=track, **params))
        finally:
            here.stop()
    return told[0], told[1]


SEQUENTIAL = [SESSION[0], *CALL, *REQUEST, SESSION[2]]
INTERLEAVED = [SESSION[0], *CALL[:3], *BOTH, SESSION[1], *CALL[3:], SESSION[2], *REQUEST]
EARLY = [CALL[0], SESSION[0], *CALL[1:3], *REQUEST, *CALL[3:5], SESSION[2], *CALL[5:]]
