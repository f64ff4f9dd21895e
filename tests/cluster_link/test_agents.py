"""The limits that a coordinator sets for agents, tested by agents that send any message."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cluster_links import NotedSpoke
from support.waiting import until

from tsvc import __version__
from tsvc.cluster.curve import SpokeKeys, new_pair
from tsvc.cluster.link import LinkError
from tsvc.cluster.workers import Workers
from tsvc.config.load import load_config

FACTS = {"version": __version__}
LEASE_S = 50.0


class Coordinator:
    """A coordinator without workers of its own, in this process; two agents are allowed."""

    def __init__(self, folder: Path) -> None:
        self.public, secret = new_pair()
        self.first, self.second = new_pair(), new_pair()
        (folder / "key").write_text(secret)
        (folder / "key").chmod(0o600)
        self.path = folder / "tsvc.toml"
        self.allow(self.first, self.second)
        self.workers = Workers(load_config(self.path, {}))
        self.workers.start()
        assert self.workers._hub is not None
        self.endpoint = self.workers._hub.endpoint

    def allow(self, *pairs: tuple[str, str]) -> None:
        keys = ", ".join(f'"{public}"' for public, _ in pairs)
        table = f'listen = "127.0.0.1:0"\nkey_file = "key"\nallow = [{keys}]\n'
        table += f"lost_after_s = 60\nlease_s = {LEASE_S}\n"  # nobody is lost because of a timeout
        self.path.write_text(f"[cluster]\n{table}")

    def keys(self, pair: tuple[str, str]) -> SpokeKeys:
        return SpokeKeys(*pair, self.public)

    def states(self) -> dict[str, str]:
        return {row["name"]: row["state"] for row in self.workers.describe()}


@pytest.fixture
def coordinator(tmp_path: Path) -> Iterator[Coordinator]:
    made = Coordinator(tmp_path)
    yield made
    made.workers.stop()


@pytest.fixture
def agent(coordinator: Coordinator, join: Any) -> Callable[..., NotedSpoke]:
    """A function that makes an agent that has joined: agent(name, pair=…, facts=…)."""

    def make(name: str = "lab/", pair: Any = None, facts: Any = FACTS) -> NotedSpoke:
        keys = coordinator.keys(pair or coordinator.first)
        made: NotedSpoke = join(coordinator.endpoint, name, keys=keys, facts=facts)
        return made

    return make


def start(agent: NotedSpoke, worker: str = "lab/w1") -> tuple[str, str]:
    """Report that a worker is about to start; return its keys once the worker is admitted."""
    pair = new_pair()
    before = len(agent.of("admitted"))
    agent.send("starting", {"worker": worker, "key": pair[0], "weight": 1})
    until(lambda: len(agent.of("admitted")) > before, what=lambda: agent.seen)
    told = agent.of("admitted")[-1]
    assert told.pop("number") >= 1
    assert told == {"worker": worker, "key": pair[0], "lease_s": LEASE_S}
    return pair


def test_from_starting_to_ended(coordinator, agent, join) -> None:
    lab = agent()
    pair = start(lab)
    assert coordinator.states() == {"lab/w1": "starting"}
    worker = join(coordinator.endpoint, "lab/w1", keys=coordinator.keys(pair), facts={"pid": 7})
    assert coordinator.workers.ready() == [], "nothing is known of its clock"
    worker.send("clock", {"error_s": 0.0004, "round_trip_s": 0.1})
    lab.wait_for("ready")
    (row,) = coordinator.workers.describe()
    assert (row["state"], row["pid"], row["clock_error_ms"]) == ("ready", 7, 0.4)
    assert coordinator.workers.lead_s(["lab/w1"]) == pytest.approx(0.4)
    lab.send("ended", {"worker": "lab/w1", "key": pair[0], "why": "status 3"})
    until(lambda: coordinator.states() == {"lab/w1": "down"})
    assert coordinator.workers.describe()[0]["reason"] == "status 3"
    assert worker.wait_for("lost") == "status 3"


def test_what_is_said_of_a_process_that_is_gone_changes_nothing(coordinator, agent) -> None:
    lab = agent()
    old, new = start(lab), start(lab)
    lab.send("ended", {"worker": "lab/w1", "key": old[0], "why": "late"})
    lab.send("starting", {"worker": "lab/w1", "key": new[0], "weight": 1})
    until(lambda: len(lab.of("admitted")) == 3)
    (row,) = coordinator.workers.describe()
    assert (row["state"], row["starts"]) == ("starting", 2)


def test_a_worker_shows_the_key_of_its_process(coordinator, agent, join) -> None:
    lab = agent()
    pair = start(lab)
    for name, own in (
        ("lab/w1", coordinator.first),  # an agent's key
        ("lab/w1", coordinator.second),
        ("lab/w2", pair),  # the worker's own key, with another name
        ("other/", pair),  # as an agent
    ):
        stranger = join(coordinator.endpoint, name, keys=coordinator.keys(own), facts=FACTS)
        assert stranger.wait_for("lost") in (
            "no worker of that name has this key",
            "this key is not allowed there",
        )
    with pytest.raises(LinkError, match="this key is not allowed there"):
        join(coordinator.endpoint, "lab/w1", keys=coordinator.keys(new_pair()))
    assert coordinator.states() == {"lab/w1": "starting"}


def test_another_version(coordinator, agent) -> None:
    old = agent(facts={"version": "0.0.1"})
    assert old.wait_for("lost") == f"it is tsvc 0.0.1, the coordinator {__version__}"


@pytest.mark.parametrize(
    "body",
    [
        {"worker": "other/w1", "key": new_pair()[0]},
        {"worker": "w1", "key": new_pair()[0]},
        {"worker": "lab/", "key": new_pair()[0]},
        {"worker": "lab/w1", "key": "short"},
        {"worker": "lab/w1", "key": new_pair()[0], "weight": 0},
        {"worker": "lab/w1", "key": new_pair()[0], "weight": 17},
        {"worker": "lab/w1"},
        {},
        None,
        [1],
    ],
)
def test_what_no_agent_says(coordinator, agent, body: object) -> None:
    lab = agent()
    for kind in ("starting", "ended", "clock", "else"):
        lab.send(kind, body)
    start(lab, "lab/w7")
    assert coordinator.states() == {"lab/w7": "starting"}
    assert lab.of("lost") == []


def test_no_agent_has_more_workers_than_any_machine(coordinator, agent) -> None:
    lab = agent()
    for number in range(257):
        key = new_pair()[0]
        lab.send("starting", {"worker": f"lab/w{number}", "key": key, "weight": 1})
    lab.send("starting", {"worker": "lab/w0", "key": key, "weight": 1})
    until(lambda: len(lab.of("admitted")) == 257, what=lambda: len(lab.of("admitted")))
    assert len(coordinator.states()) == 256


def test_a_key_that_is_removed_takes_the_workers_with_it(coordinator, agent, join) -> None:
    lab, other = agent(), agent("other/", coordinator.second)
    pairs = start(lab), start(other, "other/w1")
    workers = [
        join(coordinator.endpoint, name, keys=coordinator.keys(pair))
        for name, pair in zip(("lab/w1", "other/w1"), pairs, strict=True)
    ]
    coordinator.allow(coordinator.second)
    coordinator.workers.reload(load_config(coordinator.path, {}))
    assert lab.wait_for("lost") == workers[0].wait_for("lost") == "its key is no longer allowed"
    assert coordinator.states() == {"lab/w1": "down", "other/w1": "starting"}
    assert other.of("lost") == workers[1].of("lost") == []


@pytest.mark.usefixtures("patient_close")
def test_an_agent_that_is_gone(coordinator, agent, join) -> None:
    """A worker with its own link stays; a worker that was about to connect is down."""
    lab = agent()
    pair = start(lab, "lab/w1")
    start(lab, "lab/w2")
    worker = join(coordinator.endpoint, "lab/w1", keys=coordinator.keys(pair))
    lab.stop()
    until(lambda: coordinator.states()["lab/w2"] == "down", what=coordinator.states)
    assert coordinator.workers.describe()[1]["reason"] == "its agent is gone: it has left"
    assert coordinator.states()["lab/w1"] == "starting"
    again = agent()
    again.send("starting", {"worker": "lab/w1", "key": pair[0], "weight": 1})
    again.wait_for("admitted")
    assert worker.of("lost") == [], "it is said twice"
