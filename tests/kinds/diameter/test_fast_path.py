"""The fast path of Diameter: whatever a peer does, a run reports the same with and without it.

An OCS answers, and deviates in some sessions: another result, changed octets, nothing, twice, too
late, with identifiers of others, with requests of its own. Instances run one after the other, so
that two runs of one seed have the same identifiers and the same deviations. Results, checks,
octets and counts are equal then; only times differ.
"""

import json
import os
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from kinds.diameter.credit import avp
from kinds.diameter.testbed import World
from kinds.diameter.unsteady import (
    ASKED,
    ONE_IN,
    SESSION,
    VARS,
    WAIT_S,
    Choosing,
    Peer,
    Unsteady,
    request,
)
from mutate.play import shuffled
from mutate.protocols import DIAMETER
from mutate.wire import Change, changes
from support.loads import assert_adds_up, load
from support.waiting import until
from support.without_memories import Recorder, begun_of_thirty, difference

from tsvc.clock import Clock
from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.diameter.fake import OcsFake
from tsvc.kinds.diameter.fast_path.replay import RequestReplay
from tsvc.protocols.diameter.message import session_id_of

MUTANTS = int(os.environ.get("TSVC_MUTANTS", "60"))
SESSIONS = int(os.environ.get("TSVC_SESSIONS", "120"))
DEFAULT = {"default_balance": 10**9, "subscribers": {}}


def patient(operations: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return operations that wait long for answers, so that a busy machine is no problem."""
    return [{**one, "seconds": 60} if one.get("seconds") == WAIT_S else one for one in operations]


PATIENT = patient(SESSION)


@pytest.fixture
def world(tmp_path: Any) -> Iterator[Callable[..., World]]:
    made: list[World] = []

    def make(**members: Any) -> World:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(World(folder, members, DEFAULT))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def played(
    here: World,
    recorder: Recorder,
    ocs: Peer,
    track: int,
    sessions: int,
    operations: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return what a run reports."""
    here.ocs.twist = ocs.twist
    params = {"vars": VARS, "track": track, "seed": 7}
    result = here.run(*operations, distribution=load(sessions, backlog=1), **params)
    assert_adds_up(result)
    told = recorder.told("r", result)
    told["late"] = result["counts"]["late_messages"]
    told["groups"] = [
        {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
        for one in result["failures"]
    ]
    told["gateway"] = here.gateway.status().counters
    for one in told["instances"]:
        one.pop("reason_t", None)  # when a silence is noticed differs from run to run
    text = json.dumps(told).replace(f":{here.ocs.address[1]}", ":<port>")
    found: dict[str, Any] = json.loads(text)
    return found


def both_ways(
    world: Callable[..., World],
    recorder: Recorder,
    peers: tuple[Peer, Peer],
    sessions: int,
    operations: list[dict[str, Any]] = SESSION,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a run reports with `track: 0`, and with `track: 1`: identifiers are the same."""
    told = []
    for track, ocs in enumerate(peers):
        with pytest.MonkeyPatch.context() as still:  # identifiers contain the time of day
            still.setattr(Clock, "wall", lambda clock: 1.7e9)
            random.seed(7)
            here = world()
        told.append(played(here, recorder, ocs, track, sessions, operations))
    return told[0], told[1]


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_a_peer_does_the_result_is_the_same(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    seed: int,
) -> None:
    ocs, again = Unsteady(seed), Unsteady(seed)
    plain, told = both_ways(world, recorder, (ocs, again), SESSIONS)
    assert difference(told, plain) is None
    assert ocs.deviated == again.deviated > SESSIONS / ONE_IN / 3
    assert fast_paths[0].begun == 0
    assert fast_paths[1].begun > SESSIONS / 2
    assert 0 < fast_paths[1].fell_back < fast_paths[1].begun
    assert plain["counts"]["passed"] > SESSIONS / 3
    assert len(plain["groups"]) > 5


def test_each_way_in_which_a_peer_answers_becomes_a_branch(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    """For each different answer, only the first instance that gets it falls back."""
    plain, told = both_ways(world, recorder, (Choosing(3), Choosing(3)), 30, PATIENT)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 2)
    assert fast_paths[1].result()["branches"] == 2


class Changing(Peer):
    """Makes the given changes, each of them in the last of three sessions."""

    def __init__(self, wanted: list[Change], before: list[bytes]) -> None:
        self._wanted = wanted
        self._before = before
        self._session: str | None = None
        self._sessions, self._answers = -1, 0
        self.deviated = 0

    def twist(self, octets: bytes) -> list[bytes]:
        session = session_id_of(octets)
        if session != self._session:
            self._session, self._answers = session, 0
            self._sessions += 1
        number = self._answers
        self._answers += 1
        which, at = divmod(self._sessions, 3)
        change = self._wanted[which] if which < len(self._wanted) else None
        if change is None or at != 2 or change.message != number:
            return [octets]
        self.deviated += 1
        return change.apply(octets, self._before)


def is_whole(octets: bytes) -> bool:
    """Return True if octets can be a message; other octets end the connection."""
    size = int.from_bytes(octets[1:4], "big")
    return len(octets) == size >= 20 and size % 4 == 0 and octets[0] == 1


def test_mutants_of_answers_are_judged_the_same(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    """The mutants are those of `make mutate`, in the middle of a load."""
    before: list[bytes] = []

    def keep(octets: bytes) -> list[bytes]:
        before.append(octets)
        return [octets]

    here = world()
    here.ocs.twist = keep
    assert here.run(*SESSION, vars=VARS)["verdict"] == "pass"
    fast_paths.clear()
    every = [
        one
        for one in shuffled(list(changes(DIAMETER, before)), 11)
        if all(map(is_whole, one.apply(before[one.message], before)))
    ]
    wanted = every[:MUTANTS]
    peers = Changing(wanted, before), Changing(wanted, before)
    plain, told = both_ways(world, recorder, peers, 3 * len(wanted))
    assert difference(told, plain) is None
    assert peers[0].deviated == peers[1].deviated > len(wanted) / 2
    assert fast_paths[1].fell_back > len(wanted) / 3


# -- what ends or steers a run ------------------------------------------------------------------


class Halting:
    """Answers a number of messages, then nothing."""

    def __init__(self, answers: int) -> None:
        self.left = answers

    def twist(self, octets: bytes) -> list[bytes]:
        self.left -= 1
        return [octets] if self.left >= 0 else []


@pytest.mark.parametrize("track", [0, 1])
@pytest.mark.parametrize("answers", [3 * 20, 3 * 20 + 10])
def test_a_cancel_ends_instances_wherever_they_wait(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int, answers: int
) -> None:
    here = world()
    halting = Halting(answers)
    here.ocs.twist = halting.twist
    params = {"vars": VARS, "track": track, "linger_ms": 0}
    here.start(*PATIENT, distribution=load(1000, backlog=10), run_id="s", **params)
    until(lambda: halting.left == -10)
    here.call("CancelTest", run_id="s")
    result = here.finish("s")
    assert_adds_up(result)
    counts = result["counts"]
    assert (counts["cancelled"], counts["started"]) == (10, 10 + counts["passed"])
    assert counts["aborted"] == counts["failed"] == 0
    assert here.gateway.status().counters["pending"] == 0
    assert fast_paths[-1].fell_back == (10 if track else 0)


def test_what_waits_is_given_up_in_its_time(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    here.ocs.twist = Halting(100).twist
    result = here.run(*SESSION, vars=VARS, distribution=load(60, backlog=20), linger_ms=0)
    assert_adds_up(result)
    assert fast_paths[0].begun > 20
    assert (
        fast_paths[0].fell_back == result["counts"]["aborted"] == 60 - result["counts"]["passed"]
    )
    (group,) = {one["cause"] for one in result["failures"]}
    assert "no answer from" in group
    assert min(one["duration"] for one in result["first_aborts"]) >= WAIT_S


def test_a_lost_connection_aborts_who_waits_for_it(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    halting = Halting(3 * 30)
    here.ocs.twist = halting.twist
    run_id = here.start(*PATIENT, vars=VARS, distribution=load(300, backlog=10), linger_ms=0)
    until(lambda: halting.left == -10)
    here.ocs.twist = lambda octets: [octets]
    for connection in list(here.ocs._connections._live):
        connection.driver.close("the test says so")
    result = here.finish(run_id)
    assert_adds_up(result)
    counts = result["counts"]
    assert counts["passed"] + counts["aborted"] == 300
    causes = {one["cause"] for one in result["failures"]}
    assert any("closed by peer" in one for one in causes)
    assert all("connection" in one for one in causes)
    assert fast_paths[0].fell_back >= 10


def test_the_next_host_goes_on(fast_paths: list[RunFastPath], world: Callable[..., World]) -> None:
    first, second = (OcsFake("127.0.0.1", 0, **DEFAULT) for _ in range(2))
    first.start()
    second.start()
    try:
        hosts = [f"127.0.0.1:{one.address[1]}" for one in (first, second)]
        here = world(remote_hosts=hosts)
        pace = {"type": "linear", "cps": 300, "total": 100_000, "backlog": 100}
        run_id = here.start(*PATIENT, vars=VARS, distribution=pace)
        until(lambda: fast_paths[0].begun > 30)
        first.stop()
        until(lambda: len(second.requests) > 300)
        here.call("CancelTest", run_id=run_id)
        result = here.finish(run_id)
    finally:
        first.stop()
        second.stop()
    assert_adds_up(result)
    counts = result["counts"]
    ends = ("passed", "aborted", "failed", "cancelled")
    assert sum(counts[name] for name in ends) == counts["started"]
    assert fast_paths[0].begun > fast_paths[0].fell_back
    # The second OCS knows all of its own sessions, and none that the first one has begun.
    own = sum(one["avp"]["CC-Request-Type"] == 1 for one in second.requests)
    assert counts["passed"] + counts["cancelled"] >= own > 80


def test_a_peer_that_calls_itself_otherwise_is_another(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    halting = Halting(3 * 30)
    here.ocs.twist = halting.twist
    run_id = here.start(*PATIENT, vars=VARS, distribution=load(60, backlog=5), linger_ms=0)
    until(lambda: halting.left == -5)
    begun_before = fast_paths[0].begun
    (connection,) = here.gateway._connections._live
    # A second CER of the peer has this effect.
    connection.peer.remote = replace(connection.peer.remote, origin_realm="else.invalid")
    here.ocs.twist = lambda octets: [octets]
    here.call("CancelTest", run_id=run_id)
    result = here.finish(run_id)
    assert_adds_up(result)
    # Each of the five instances in progress has received at most two of the 90 answers.
    assert 27 <= result["counts"]["passed"] <= 30
    assert result["counts"]["cancelled"] == 5
    assert fast_paths[0].fell_back == 5
    assert begun_before > 5
    assert len(result["slowest"]) == 10

    again = here.run(*PATIENT, vars=VARS, distribution=load(30, backlog=1), run_id="again")
    assert again["counts"]["passed"] == 30
    realms = [one["avp"]["Destination-Realm"] for one in here.ocs.requests]
    assert realms[-90:] == ["else.invalid"] * 90


# -- what may be on the fast path ----------------------------------------------------------------


def begun(
    fast_paths: list[RunFastPath], here: World, *operations: dict[str, Any], **params: Any
) -> tuple[int, int]:
    """Return how many of 30 instances were on the fast path, and how many stayed on it."""
    here.ocs.requests.clear()
    given = {"vars": VARS, **params}
    return begun_of_thirty(fast_paths, here, *patient(operations), **given)


def test_who_is_on_the_fast_path(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    all_of_them, none = (29, 29), (0, 0)
    assert begun(fast_paths, here, *SESSION) == all_of_them
    assert begun(fast_paths, here, *SESSION, trace_messages=0) == all_of_them
    assert begun(fast_paths, here, *SESSION, load_details=0) == all_of_them
    assert begun(fast_paths, here, *SESSION, linger_ms=1) == none
    assert begun(fast_paths, here, *SESSION, track=0) == none
    assert begun(fast_paths, here, *SESSION, turbo=1) == none
    register = {"type": "diameter.from_server.Register"}
    assert begun(fast_paths, here, SESSION[0], register) == none
    reads = {"type": "eval", "expression": "$v->{x} = $i->{DIAMETER}{session_id}"}
    assert begun(fast_paths, here, *SESSION, reads) == none


@pytest.mark.parametrize(
    ("more", "is_fast"),
    [
        (avp("Event-Timestamp", "{1700000000 + $r->{idx}}"), True),
        (avp("User-Name", "{'user' . ($r->{idx} % 10)}"), True),
        (avp("User-Name", "{'user' . 10 ** ($r->{idx} % 3 * 4)}"), True),  # of different lengths
        (avp("Auth-Application-Id", "{4 + 0 * $r->{idx}}"), False),  # looked at twice
        (avp("User-Name", "{$v->{msisdn}}"), True),
        (avp("Destination-Host", "{'ocs.tsvc.invalid'}"), True),
    ],
)
def test_what_may_differ(
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    more: dict[str, Any],
    is_fast: bool,
) -> None:
    here = world()
    ways, whole = begun(fast_paths, here, request(1, 0, more))
    assert ways == whole == (29 if is_fast else 0)
    names = {name: value for one in here.ocs.requests for name, value in one["avp"].items()}
    assert more["name"] in names
    numbers = [one["avp"]["Subscription-Id"]["Subscription-Id-Data"] for one in here.ocs.requests]
    assert numbers == [str(6421000001 + idx) for idx in range(30)]


def test_arguments_of_any_length(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    """The padding of AVPs differs, and so does the length of the message."""
    user = avp("User-Name", "{'user' . 10 ** ($r->{idx} % 5)}")
    operations = patient([request(1, 0, ASKED, user), request(3, 1, user)])
    plain, told = both_ways(world, recorder, (Choosing(1), Choosing(1)), 30, operations)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 0)


@pytest.mark.parametrize(
    ("more", "is_fast"),
    [
        (
            {"tests": [{"kpath": "response.avp.Result-Code", "type": "integer", "value": 2001}]},
            True,
        ),
        ({"tests": [{"kpath": "response.avp.Session-Id", "type": "exists", "value": 1}]}, False),
        ({"tests": [{"kpath": "session_id", "type": "exists", "value": 1}]}, False),
        ({"tests": [{"kpath": "response.avps[0].value", "type": "exists", "value": 1}]}, False),
        ({"tests": [{"kpath": "response.end_to_end_id", "type": "exists", "value": 1}]}, False),
        ({"seconds": 30}, True),
        ({"check_identity": "note"}, True),
    ],
)
def test_what_is_checked_must_be_the_same_in_all(
    fast_paths: list[RunFastPath], world: Callable[..., World], more: dict[str, Any], is_fast: bool
) -> None:
    expected = 29 if is_fast else 0
    assert begun(fast_paths, world(), request(1, 0, ASKED, **more)) == (expected, expected)


def test_an_expected_session_id_is_looked_at(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    for avps, count in (
        ([avp("Session-Id", "{'tester' . '.*'}")], None),
        ([{"name": "Session-Id"}], 0),
        ([{"code": 263}], 0),
        ([{"name": "Origin-Realm"}], 29),
    ):
        entry = request(1, 0, ASKED)
        entry["arguments"]["answer"] = {"avps": avps}
        if count is not None:
            assert begun(fast_paths, here, entry) == (count, count)


def test_sessions_are_their_own(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    result = here.run(*PATIENT, vars=VARS, distribution=load(200, backlog=20))
    assert result["counts"]["passed"] == 200
    assert fast_paths[0].fell_back == 0
    seen: dict[str, list[int]] = {}
    for one in here.ocs.requests:
        kind = one["avp"]["CC-Request-Type"]
        seen.setdefault(one["avp"]["Session-Id"], []).append(kind)
    assert len(seen) == 200
    assert {tuple(kinds) for kinds in seen.values()} == {(1, 2, 3)}
    assert len(set(map(len, seen))) == 1
    ids = {one["end_to_end_id"] for one in here.ocs.requests}
    assert len(ids) == 600
    waits = {(one["op"], one["name"]): one["count"] for one in result["operations"]}
    assert waits == {(at, "Credit-Control-Request"): 200 for at in range(3)}


def test_a_new_session_for_each_that_begins_one(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    assert begun(fast_paths, here, SESSION[0], SESSION[2], SESSION[0], SESSION[2]) == (29, 29)
    assert len({one["avp"]["Session-Id"] for one in here.ocs.requests}) == 60


def test_what_a_replay_swallows_is_what_was_sent(
    fast_paths: list[RunFastPath], world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the fast path had sent anything else, the instance would report it."""
    swallow = RequestReplay.swallow

    def wrong(replay: RequestReplay, *message: Any) -> Any:
        *others, avps = message
        return swallow(replay, *others, avps + bytes(0 if replay.whole.is_over else 4))

    here = world()
    here.ocs.twist = Halting(30).twist
    run_id = here.start(*SESSION, vars=VARS, distribution=load(30, backlog=1))
    until(lambda: fast_paths[0].begun > 2)
    monkeypatch.setattr(RequestReplay, "swallow", wrong)
    result = here.finish(run_id)
    causes = {one["cause"] for one in result["failures"]}
    assert any("the fast path went wrong: it had sent something else" in one for one in causes)
