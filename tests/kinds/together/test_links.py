"""Instances with several peers, one of them an SCP behind a link; many instances at once."""

import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kinds.diameter.testbed import TwistedOcs
from kinds.diameter.unsteady import SESSION
from kinds.diameter.unsteady import VARS as SESSION_VARS
from kinds.together.testbed import patient
from support.daemons import FLOW, Daemon, DaemonProcess, configure, example, launch
from support.loads import assert_adds_up, load
from support.ports import free_port
from support.waiting import until
from support.without_memories import Recorder, difference, without_ids

from tsvc.clock import Clock
from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.sigtran.fast_path.paths import SlimDialogue

DEFINITION = example("extension_dialing")
CALL: list[Any] = DEFINITION["operations"]
# The first request is sent when the SCP has answered already, the others in the middle and last.
OPERATIONS = patient(
    [CALL[0], SESSION[0], *CALL[1:6], SESSION[1], *CALL[6:], SESSION[2]],
)
TWO_CALLS = patient([{**one, "dialogue": name} for name in "AB" for one in CALL])
CROSSED = patient([{**one, "dialogue": name} for one in CALL for name in "AB"])


class World(Daemon):
    """A tester with a link to an SCP in a process of its own, and an OCS."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        scp_folder = folder / "scp"
        scp_folder.mkdir()
        table = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'
        self.scp: DaemonProcess = launch(scp_folder, configure(scp_folder, table))
        self.ocs = TwistedOcs("127.0.0.1", 0, default_balance=10**9, subscribers={})
        self.ocs.start()
        link = {"name": "scp", "type": "m3ua", "remote_port": port}
        members = {"default_scp": {"dpc": 2, "dssn": 146}, "connections": [link]}
        host, ocs_port = self.ocs.address
        diameter = {
            "remote_host": host,
            "remote_port": ocs_port,
            "origin_host": "tester.example.net",
            "reconnect_interval_s": 0.1,
        }
        super().__init__(folder, {"LAB": ("sigtran", members), "DIA": ("diameter", diameter)})
        self.until_up()

    def stop(self) -> None:
        super().stop()
        self.scp.kill()
        self.ocs.stop()


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Callable[[], World]]:
    """A function that makes worlds with the same identifiers."""
    made: list[World] = []

    def make() -> World:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        with pytest.MonkeyPatch.context() as still:  # identifiers contain the time of day
            still.setattr(Clock, "wall", lambda clock: 1.7e9)
            random.seed(7)
            # The order in which gateways draw differs from run to run.
            still.setattr(random, "random", lambda: 0.25)
            made.append(World(folder))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def world(worlds: Callable[[], World]) -> World:
    return worlds()


def params(operations: list[Any], total: int, backlog: int, **more: Any) -> dict[str, Any]:
    given = {**DEFINITION, "operations": operations, "distribution": load(total, backlog)}
    return {**given, "vars": {**DEFINITION["vars"], **SESSION_VARS}, **more}


@pytest.mark.parametrize("operations", [OPERATIONS, TWO_CALLS, CROSSED])
def test_many_at_once(fast_paths: list[RunFastPath], world: World, operations: list[Any]) -> None:
    world.call("ExecuteTest", run_id="r", **params(operations, 600, 20))
    result = world.finish("r")
    assert_adds_up(result)
    assert result["counts"]["passed"] == 600, result["failures"]
    assert fast_paths[0].begun > 500
    assert fast_paths[0].fell_back < 20
    waits = {one["op"]: one["count"] for one in result["operations"]}
    assert set(waits.values()) == {600}
    assert world.gateway_of("sigtran").status().counters["dialogues"] == 0


@pytest.mark.parametrize("operations", [OPERATIONS, TWO_CALLS, CROSSED])
def test_a_run_says_the_same_both_ways(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    worlds: Callable[[], World],
    operations: list[Any],
) -> None:
    told = []
    for track in (0, 1):
        here = worlds()
        here.call("ExecuteTest", run_id="r", **params(operations, 15, 1, track=track, seed=7))
        told.append(without_ids(recorder.told("r", here.finish("r"))))
        for one in told[-1]["instances"]:  # either peer may be the faster one
            one["messages"].sort(key=lambda message: message["protocol"] == "diameter")
    plain, usual = told
    assert plain["counts"]["passed"] == 15
    assert difference(usual, plain) is None
    assert fast_paths[1].begun - fast_paths[1].fell_back == 14


def awaits(dialogue: SlimDialogue) -> bool:
    """Return True if the instance of a dialogue waits for a message of this dialogue."""
    instance = dialogue.instance
    if instance is None or not instance.awaits:
        return False
    return instance.recording.steps[instance.at].path == dialogue.path.number


def test_a_lost_link_ends_who_waits_for_it(fast_paths: list[RunFastPath], world: World) -> None:
    world.call("ExecuteTest", run_id="r", **params(OPERATIONS, 3000, 20))
    until(lambda: fast_paths[0].begun > 50)
    os.kill(world.scp.process.pid, signal.SIGSTOP)
    endpoint = world.gateway_of("sigtran").endpoint

    def waits() -> bool:
        dialogues = [one for one in endpoint.dialogues.values() if isinstance(one, SlimDialogue)]
        return len(dialogues) == 20 and all(map(awaits, dialogues))

    until(waits)
    os.kill(world.scp.process.pid, signal.SIGKILL)
    result = world.finish("r")
    assert_adds_up(result)
    assert result["counts"]["passed"] + result["counts"]["aborted"] == 3000
    assert all("connection" in one["cause"] for one in result["failures"])
    assert fast_paths[0].fell_back >= 20
    assert world.gateway_of("diameter").sessions._owners == {}
