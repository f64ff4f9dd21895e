"""Instances with several peers that end while they wait: the fast path reports the same."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kinds.rest.unsteady import Server
from kinds.sigtran.unsteady import USUAL, Reaction
from kinds.together.testbed import INTERLEAVED, PATIENT, VARS, World, patient
from support.loads import assert_adds_up, load
from support.scripted_scp import ScriptedScp
from support.waiting import until

from tsvc.engine.fast_path import RunFastPath

USUALLY = 40  # instances that run to their ends
WAITING = 10
# The silent peer, and the message that it does not answer.
POINTS = [
    ("ocs", 1),
    ("scp", 0),
    ("rest", "POST"),
    ("ocs", 2),
    ("scp", 2),
    ("ocs", 3),
    ("rest", "GET"),
]


class HaltingScp(ScriptedScp):
    """Answers usual calls; from call number USUALLY on, it does not answer one of the messages."""

    def __init__(self, peers: "Halting") -> None:
        super().__init__()
        self._peers = peers
        self._reactions: dict[Any, tuple[Reaction | None, ...]] = {}

    def take(self, indication: Any) -> None:
        dialogue = indication.dialogue
        if dialogue not in self._reactions:
            at = self._peers.point[1] if self._peers.point[0] == "scp" else 9
            is_odd = len(self._reactions) >= USUALLY
            self._reactions[dialogue] = USUAL[: int(at)] if is_odd else USUAL
        reactions = self._reactions[dialogue]
        self.reactions = reactions
        super().take(indication)
        if len(reactions) < len(USUAL) and self._taken[dialogue] == len(reactions):
            self._peers.silent += 1


class Halting:
    """The peers of a world; from instance number USUALLY on, one of them is silent."""

    def __init__(self, point: tuple[str, Any]) -> None:
        self.point = point
        self.silent = 0
        self.is_over = False
        self._seen: dict[Any, int] = {}
        self.scp = HaltingScp(self)

    def is_silent(self, peer: str, what: Any) -> bool:
        """Return True if a peer does not answer this message."""
        number = self._seen[peer, what] = self._seen.get((peer, what), -1) + 1
        if (peer, what) != self.point or number < USUALLY or self.is_over:
            return False
        self.silent += 1
        return True

    def join(self, here: World) -> World:
        """Take the place of the peers of a world, and return the world."""

        def twist(octets: bytes) -> list[bytes]:
            kind = octets[octets.index(b"\0\0\x01\xa0") + 11]  # CC-Request-Type
            return [] if self.is_silent("ocs", kind) else [octets]

        def answer(server: Server, octets: bytes, sock: Any) -> None:
            method = server.requests[-1].split(b" ")[0].decode()
            if not self.is_silent("rest", method):
                sock.sendall(octets)

        here.ocs.twist = twist
        here.server.twist = answer
        return here


Make = Callable[[tuple[str, Any]], tuple[World, Halting]]


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Make]:
    """A function that makes worlds in which a peer is silent at a point."""
    made: list[World] = []

    def make(point: tuple[str, Any], **rest: Any) -> tuple[World, Halting]:
        peers = Halting(point)
        here = World(tmp_path / str(len(made)), peers.scp, **rest)
        made.append(here)
        return peers.join(here), peers

    yield make
    for one in made:
        one.stop()


def started(here: World, total: int = 1000, track: int = 1) -> str:
    """Start a run whose instances wait long at the silent point."""
    return here.execute(
        *patient(INTERLEAVED), vars=VARS, distribution=load(total, backlog=WAITING), track=track
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("point", POINTS)
def test_a_cancel_ends_instances_wherever_they_wait(
    fast_paths: list[RunFastPath], worlds: Make, point: tuple[str, Any]
) -> None:
    ends = []
    for track in (0, 1):
        here, peers = worlds(point, **PATIENT)
        run_id = started(here, track=track)
        until(lambda peers=peers: peers.silent == WAITING)
        here.call("CancelTest", run_id=run_id)
        result = here.finish(run_id)
        assert_adds_up(result)
        here.assert_idle()
        ends.append((result["counts"], result["verdict"], peers.scp.kinds.count("U-ABORT")))
    assert ends[0] == ends[1]
    assert (ends[1][0]["passed"], ends[1][0]["cancelled"]) == (USUALLY, WAITING)
    # Now and then an instance finds no connection free.
    assert fast_paths[1].fell_back >= WAITING


@pytest.mark.sampled(3)
@pytest.mark.parametrize("point", POINTS)
def test_what_waits_is_given_up_in_its_time(
    fast_paths: list[RunFastPath], worlds: Make, point: tuple[str, Any]
) -> None:
    ends = []
    for track in (0, 1):
        here, _ = worlds(point)
        total = USUALLY + WAITING
        distribution = load(total, backlog=WAITING)
        result = here.run(*INTERLEAVED, vars=VARS, distribution=distribution, track=track)
        assert_adds_up(result)
        here.assert_idle()
        groups = [(one["op"], one["cause"], one["count"]) for one in result["failures"]]
        ends.append((result["counts"], groups))
    assert ends[0] == ends[1]
    assert ends[1][0]["aborted"] == WAITING
    # Now and then an instance finds no connection free.
    assert fast_paths[1].fell_back >= WAITING


@pytest.mark.sampled(3)
@pytest.mark.parametrize("point", POINTS)
def test_lost_connections_end_who_waits_for_them(
    fast_paths: list[RunFastPath], worlds: Make, point: tuple[str, Any]
) -> None:
    ends = []
    for track in (0, 1):
        here, peers = worlds(point, **PATIENT)
        run_id = started(here, USUALLY + WAITING, track)
        until(lambda peers=peers: peers.silent == WAITING)
        peers.is_over = True
        for connection in list(here.ocs._connections._live):
            connection.driver.close("the test says so")
        until(lambda here=here: here.gateway_of("diameter").status().state.value == "up")
        here.gateway_of("rest").kill()
        if point[0] == "scp":
            here.call("CancelTest", run_id=run_id)
        result = here.finish(run_id)
        assert_adds_up(result)
        here.assert_idle()
        ends.append((result["counts"], {one["op"] for one in result["failures"]}))
    assert ends[0] == ends[1]
    assert ends[1][0]["passed"] == USUALLY
    assert fast_paths[1].fell_back >= WAITING
