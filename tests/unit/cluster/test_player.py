"""A worker's part of runs: how it handles the coordinator's messages, and what it sends."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gevent
import pytest
from support.daemons import Daemon
from support.waiting import GUARD_S, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.player import Player

Body = dict[str, Any]
WAIT = {"type": "wait", "arguments": {"seconds": 60}}


class Told:
    """A player, and the messages that it has sent to the coordinator."""

    def __init__(self, folder: Path) -> None:
        self.daemon = Daemon(folder)
        self.messages: list[tuple[str, Body]] = []
        service = self.daemon.service
        self.player = Player(
            service.config,
            service.gateways,
            SYSTEM_CLOCK,
            lambda kind, body: self.messages.append((kind, body)),
            lambda: True,
        )

    def of(self, kind: str) -> list[Body]:
        return [body for found, body in self.messages if found == kind]

    def prepare(self) -> None:
        distribution = {"type": "linear", "total": 100_000, "backlog": 50_000, "cps": 500}
        params = {"run_id": "r", "operations": [WAIT], "distribution": distribution}
        body = {
            "params": json.dumps(params).encode(),
            "files": {},
            "seed": 1,
            "modulus": 256,
            "stripes": list(range(0, 256, 2)),
            "backlog": 50_000,
            "burst": 1,
            "is_first": True,
        }
        self.player.take("prepare", {"run": 7, **body})
        until(lambda: bool(self.of("prepared")))
        assert self.of("prepared") == [{"run": 7, "problem": None}]

    def start(self) -> None:
        """Start the run, and wait until the player has started some instances."""
        self.player.take("start", {"run": 7, "serial": 1, "at": SYSTEM_CLOCK.now()})
        until(lambda: any(one["counts"]["started"] > 100 for one in self.of("snapshot")))

    def change(self, serial: int, at: float, **change: Any) -> bool:
        """Send a change to the player; return True if the change was late."""
        self.player.take("change", {"run": 7, "serial": serial, "at": at, **change})
        heard = self.of("heard")[-1]
        assert heard["serial"] == serial
        return bool(heard["is_late"])


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    made = Told(tmp_path)
    yield made
    made.player.abandon(GUARD_S)
    made.daemon.stop()


def test_who_hears_of_a_change_after_a_start_that_it_moves(told: Told) -> None:
    told.prepare()
    told.start()
    slower = {"what": "rate", "cps": {"target": 1}, "before": 50.0}
    assert told.change(2, 0.1, **slower), "starts of 0.4 s on were not planned so"
    assert not told.change(3, 1000.0, **slower), "it is to come"
    assert not told.change(4, 0.1, what="end"), "there are no others in their place"


def test_who_stood_still_has_started_nothing_that_a_change_moves(told: Told) -> None:
    """The player receives the change after its moment, and still plans what all others plan."""
    told.prepare()
    at = SYSTEM_CLOCK.now() - 60  # as if the process had stood still since the begin
    told.player.take("start", {"run": 7, "serial": 1, "at": at})
    assert not told.change(2, 0.0, what="rate", cps={"target": 1}, before=50.0)
    assert not told.change(3, 30.0, what="pause")


def test_who_is_alone_ends_its_calls_and_keeps_what_it_knows(told: Told) -> None:
    told.prepare()
    told.start()
    told.player.abandon(GUARD_S)
    gevent.sleep(0)
    until(lambda: "is_abandoned" in told.of("snapshot")[-1])
    last = told.of("snapshot")[-1]
    counts = last["counts"]
    assert counts["in_progress"] == 0
    assert counts["cancelled"] == counts["started"] > 100
    assert "done" not in last, "nobody knows how it would have ended"
    told.messages.clear()
    assert told.player.tell_last() == 1
    assert told.of("snapshot") == [last]
    told.player.take("again", {"run": 7, "n": 0})
    assert told.of("snapshot")[-1]["n"] == 0
    told.player.take("forget", {"run": 7})
    assert told.player.tell_last() == 0


def test_a_run_that_has_not_begun_is_nothing_to_tell(told: Told) -> None:
    told.prepare()
    told.player.abandon(GUARD_S)
    assert told.player.tell_last() == 0
