"""The fast path of REST: whatever a server does, a run reports the same with and without it.

A server answers, and deviates for some requests: another status, changed octets, pieces, nothing,
too much, the end of the connection. Instances run one after the other, so that two runs of one
seed see the same deviations. Results, checks, octets and counts are equal then; only times differ.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kinds.rest.unsteady import (
    BODY,
    ONE_IN,
    WAIT_S,
    Halting,
    Server,
    Twist,
    Unsteady,
    World,
    choosing,
    pieces,
    resets,
    usual,
)
from support.daemons import require_peer
from support.loads import assert_adds_up, load
from support.nginx import OPENSSL, make_certificates
from support.waiting import until
from support.without_memories import Recorder, begun_of_thirty, difference

from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.rest.fast_path.replay import RequestReplay
from tsvc.kinds.rest.gateway import RestGateway

REQUESTS = int(os.environ.get("TSVC_REST_REQUESTS", "100"))
VARS = {"msisdn": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}, "asked": "100"}
TESTS = [
    {"kpath": "rest.code", "type": "integer", "value": 200},
    {"kpath": "rest.content_type", "value": "application/json"},
    {"kpath": "rest.content_json.balance", "type": "integer", "value": 1450},
]
POST = {
    "path": "{'/balance/' . $v->{msisdn}}",
    "method": "POST",
    "query": {"n": "{$v->{msisdn}}"},
    "content_type": "application/json",
    "content": {"msisdn": "{$v->{msisdn}}", "asked": "{$v->{asked}}"},
    "http_headers": [{"name": "X-Request-Id", "value": "{'id-' . $v->{msisdn} . '-x'}"}],
}
GET = {"path": "{'/balance/' . $v->{msisdn}}", "method": "GET"}
SEND = {"type": "rest.SendRequest", "arguments": POST}
EXPECT = {"type": "rest.ExpectResponse", "tests": TESTS}
REQUEST = {"type": "rest.Request", "arguments": GET, "tests": TESTS}
BOTH = [SEND, EXPECT, REQUEST]
PATIENT = {"server_timeout_s": 60}


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_peer(OPENSSL, "apt-get install openssl")
    folder = tmp_path_factory.mktemp("tls")
    make_certificates(folder)
    return folder


@pytest.fixture
def world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Callable[..., World]]:
    """A function that makes worlds; `tls`: with TLS."""
    made: list[World] = []
    # Otherwise the gateway may make one connection more, when it has none at that moment.
    monkeypatch.setattr(RestGateway, "look_s", 3600)

    def make(*, tls: bool = False, **members: Any) -> World:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        of_tls = request.getfixturevalue("certificates") if tls else None
        made.append(World(folder, of_tls, **members))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def told_of(
    here: World,
    recorder: Recorder,
    operations: list[dict[str, Any]],
    sessions: int,
    **params: Any,
) -> dict[str, Any]:
    """Return what a run reports."""
    given = {"vars": VARS, "seed": 7, "distribution": load(sessions, backlog=1), **params}
    result = here.run(*operations, run_id="r", **given)
    assert_adds_up(result)
    told = recorder.told("r", result)
    told["groups"] = [
        {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
        for one in result["failures"]
    ]
    told["gateway"] = here.gateway.status().counters
    told["requests"] = [one.decode("latin-1") for one in here.server.requests]
    for one in told["instances"]:
        one.pop("reason_t", None)  # when a silence is noticed differs from run to run
    found: dict[str, Any] = json.loads(json.dumps(told).replace(f":{here.server.port}", ":<port>"))
    return found


def both_ways(
    world: Callable[..., World],
    recorder: Recorder,
    operations: list[dict[str, Any]],
    twists: tuple[Twist, Twist],
    sessions: int = REQUESTS,
    **members: Any,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a run reports with `track: 0`, and with `track: 1`."""
    told = []
    for track, twist in enumerate(twists):
        here = world(**members)
        here.server.twist = twist
        told.append(told_of(here, recorder, operations, sessions, track=track))
    return told[0], told[1]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("operations", "members"),
    [
        (BOTH, {}),
        (BOTH, {"num_client_connections": 1}),
        (BOTH, {"tls": True}),
        ([REQUEST], {"max_redirects": 2}),  # a GET is asked again, where nobody has seen it
    ],
)
def test_whatever_a_server_does_the_result_is_the_same(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    operations: list[dict[str, Any]],
    members: dict[str, Any],
    seed: int,
) -> None:
    twists = Unsteady(seed), Unsteady(seed)
    plain, told = both_ways(world, recorder, operations, twists, **members)
    assert difference(told, plain) is None
    assert twists[0].deviated == twists[1].deviated > REQUESTS / ONE_IN / 2
    assert fast_paths[0].begun == 0
    assert fast_paths[1].begun > REQUESTS / 4
    assert 0 < fast_paths[1].fell_back < fast_paths[1].begun
    assert len(plain["groups"]) > 4
    assert plain["counts"]["passed"] > REQUESTS / 6


@pytest.mark.sampled(2)
@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("twist", [pieces(-len(BODY)), pieces(-3), pieces(-len(BODY), -7)])
def test_pieces_of_the_known_answer_are_the_known_answer(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    twist: Twist,
    tls: bool,
) -> None:
    plain, told = both_ways(world, recorder, BOTH, (twist, twist), 20, tls=tls, **PATIENT)
    assert plain["groups"] == []
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == 20
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (19, 0)


def ids(server: Server, octets: bytes, sock: Any) -> None:
    """Send a different text each time, always of the same length."""
    sock.sendall(octets.replace(b"active", b"%06d" % len(server.requests), 1))


@pytest.mark.parametrize(("looks", "is_fast"), [("content_json.balance", 1), ("content", 0)])
def test_members_of_the_content_that_differ(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    looks: str,
    is_fast: int,
) -> None:
    operations = [*BOTH, looking_at(f"rest.{looks}")]
    plain, told = both_ways(world, recorder, operations, (ids, ids), 20, **PATIENT)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == 20
    assert fast_paths[1].begun - fast_paths[1].fell_back == 19 * is_fast


def test_each_way_in_which_a_server_answers_becomes_a_branch(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    """For each different answer, only the first instance that gets it falls back."""
    twists = choosing(3, 2), choosing(3, 2)
    plain, told = both_ways(world, recorder, BOTH, twists, 30, **PATIENT)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 2)
    assert fast_paths[1].result()["branches"] == 2


def closes_now_and_then(server: Server, octets: bytes, sock: Any) -> bool | None:
    """Announce the end of the connection at each fifth request, as some servers do."""
    if len(server.requests) % 5:
        return usual(server, octets, sock)
    sock.sendall(octets.replace(b"Date", b"Connection: close\r\nDate", 1))
    return True


def test_a_server_that_ends_connections_now_and_then(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    twists = closes_now_and_then, closes_now_and_then
    plain, told = both_ways(world, recorder, BOTH, twists, **PATIENT)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == REQUESTS
    assert plain["gateway"]["connects"] > REQUESTS / 4
    assert fast_paths[1].begun > REQUESTS / 2


# -- what ends or steers a run ------------------------------------------------------------------


def is_idle(here: World) -> bool:
    """Return True if no connection is lent, and none is lost."""
    pool = here.gateway.pool
    here.service.gateways.status()
    return pool.lent == pool.waiting == 0 and pool._slots.counter == 20


@pytest.mark.parametrize(("track", "tls"), [(0, False), (1, False), (1, True)])
@pytest.mark.parametrize("answers", [2 * 90, 2 * 90 + 10])
def test_a_cancel_ends_instances_wherever_they_wait(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int, tls: bool, answers: int
) -> None:
    here = world(tls=tls, **PATIENT)
    here.server.twist = halting = Halting(answers)
    here.execute(*BOTH, distribution=load(1000, backlog=10), run_id="s", vars=VARS, track=track)
    until(lambda: halting.left == -10)
    here.call("CancelTest", run_id="s")
    result = here.finish("s")
    assert_adds_up(result)
    counts = result["counts"]
    assert (counts["cancelled"], counts["started"]) == (10, 10 + counts["passed"])
    assert counts["aborted"] == counts["failed"] == 0
    # Instances that had to wait for a connection at their start are not counted here.
    assert 10 >= fast_paths[-1].fell_back >= track
    assert is_idle(here)
    counters = here.gateway.status().counters
    assert counters["requests"] - counters["responses"] == 10
    assert counters["failures"] == 0


@pytest.mark.parametrize("operations", [BOTH, [REQUEST, *BOTH]])
def test_what_waits_is_given_up_in_its_time(
    fast_paths: list[RunFastPath], world: Callable[..., World], operations: list[dict[str, Any]]
) -> None:
    here = world()
    here.server.twist = Halting(150)
    result = here.run(*operations, vars=VARS, distribution=load(80, backlog=20))
    assert_adds_up(result)
    assert fast_paths[0].begun > 20
    assert fast_paths[0].fell_back >= 5
    assert result["counts"]["passed"] == 80 - result["counts"]["aborted"] > 20
    assert all("no response within" in one["cause"] for one in result["failures"])
    assert min(one["duration"] for one in result["first_aborts"]) >= WAIT_S
    counters = here.gateway.status().counters
    assert counters["failures"] == result["counts"]["aborted"]
    assert counters["requests"] - counters["responses"] == counters["failures"]
    assert is_idle(here)


def test_a_gateway_that_is_killed_ends_who_waits_in_it(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    told = []
    for track in (0, 1):
        here = world(**PATIENT)
        here.server.twist = halting = Halting(25)
        here.execute(REQUEST, distribution=load(30, backlog=5), run_id="s", vars=VARS, track=track)
        until(lambda halting=halting: halting.left == -5)
        here.gateway.kill()
        result = here.finish("s")
        assert_adds_up(result)
        assert result["counts"]["aborted"] == 30 - result["counts"]["passed"] >= 5
        causes = {one["cause"] for one in result["failures"]}
        told.append((causes, here.gateway.status().counters))
        assert here.gateway.pool.lent == 0
    assert told[0] == told[1]
    assert 5 >= fast_paths[1].fell_back >= 1


def test_a_server_that_ends_all_connections(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    told = []
    for track in (0, 1):
        here = world(**PATIENT)
        here.server.twist = Halting(2 * 20, resets)
        result = here.run(*BOTH, vars=VARS, distribution=load(40, backlog=1), track=track)
        assert_adds_up(result)
        told.append((result["counts"]["aborted"], here.gateway.status().counters))
        assert is_idle(here)
    assert told[0] == told[1]
    assert told[0][0] == 20
    assert fast_paths[1].begun > 18


def test_more_instances_than_connections(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world(num_client_connections=4, **PATIENT)
    result = here.run(*BOTH, vars=VARS, distribution=load(500, backlog=40))
    assert_adds_up(result)
    assert result["counts"]["passed"] == 500
    targets = [one.split(b" ", 2)[1] for one in here.server.requests]
    numbers = {b"%d" % (6421000001 + idx) for idx in range(500)}
    assert sorted(targets) == sorted(
        [b"/api/balance/%b?n=%b" % (one, one) for one in numbers]
        + [b"/api/balance/%b" % one for one in numbers]
    )
    bodies = [one.partition(b"\r\n\r\n")[2] for one in here.server.requests]
    assert sorted(filter(None, bodies)) == sorted(
        b'{"msisdn": "%b", "asked": "100"}' % one for one in numbers
    )
    waits = {(one["op"], one["name"]): one["count"] for one in result["operations"]}
    assert waits == {(1, "REST"): 500, (2, "REST"): 500}


@pytest.mark.parametrize("tls", [False, True])
def test_many_at_once(
    fast_paths: list[RunFastPath], world: Callable[..., World], tls: bool
) -> None:
    here = world(tls=tls, **PATIENT)
    result = here.run(*BOTH, vars=VARS, distribution=load(400, backlog=20))
    assert result["counts"]["passed"] == 400
    assert (fast_paths[0].begun > 200, fast_paths[0].fell_back) == (True, 0)
    counters = here.gateway.status().counters
    assert (counters["requests"], counters["responses"], counters["failures"]) == (800, 800, 0)
    assert is_idle(here)


# -- what may be on the fast path ----------------------------------------------------------------


def begun(
    fast_paths: list[RunFastPath], here: World, *operations: dict[str, Any], **params: Any
) -> tuple[int, int]:
    """Return how many of 30 instances were on the fast path, and how many stayed on it."""
    return begun_of_thirty(fast_paths, here, *operations, **{"vars": VARS, **params})


def looking_at(*kpaths: str) -> dict[str, Any]:
    tests = [{"kpath": one, "type": "exists", "value": 1} for one in kpaths]
    return {**REQUEST, "tests": tests}


def test_who_is_on_the_fast_path(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world(**PATIENT)
    all_of_them, none = (29, 29), (0, 0)
    assert begun(fast_paths, here, *BOTH) == all_of_them
    assert begun(fast_paths, here, *BOTH, trace_messages=0) == all_of_them
    assert begun(fast_paths, here, *BOTH, load_details=0) == all_of_them
    assert begun(fast_paths, here, *BOTH, linger_ms=50) == all_of_them
    assert begun(fast_paths, here, *BOTH, track=0) == none
    assert begun(fast_paths, here, *BOTH, turbo=1) == none
    assert begun(fast_paths, here, SEND, SEND, EXPECT, EXPECT) == none
    assert begun(fast_paths, here, SEND, REQUEST, EXPECT) == none
    reads = {"type": "eval", "expression": "$v->{x} = $i->{REST}{http_headers}"}
    assert begun(fast_paths, here, *BOTH, reads) == none
    assert (
        begun(fast_paths, here, looking_at("rest.content_json.balance", "rest.reason"))
        == all_of_them
    )
    assert begun(fast_paths, here, looking_at("rest.http_headers")) == none
    assert begun(fast_paths, here, looking_at("rest")) == none
    name = "rest.http_headers.[name={}].[0].value"
    assert begun(fast_paths, here, looking_at(name.format("content-type"))) == all_of_them
    ways, whole = begun(fast_paths, here, looking_at(name.format("x-ID")))  # differs each time
    assert ways > whole == 0


@pytest.mark.parametrize(
    ("members", "is_fast"),
    [
        ({}, True),
        ({"bearer_token": "t0p-secret"}, True),
        ({"query_secrets": {"key": "t0p-secret"}}, True),
        ({"max_redirects": 3}, True),
        ({"cookies": True}, False),
        ({"retries": 1, "retry_on": ["connect"]}, False),
        ({"username": "me", "password": "x", "authentication": "digest"}, False),
    ],
)
def test_gateways_that_send_a_request_as_it_is_and_once(
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    members: dict[str, Any],
    is_fast: bool,
) -> None:
    expected = 29 if is_fast else 0
    assert begun(fast_paths, world(**PATIENT, **members), *BOTH) == (expected, expected)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("given", "is_fast"),
    [
        ({"query": {"idx": "{1000 + $r->{idx}}"}}, True),
        ({"query": {"idx": "{$r->{idx}}"}}, True),  # of different lengths
        ({"path": "{'/%2' . $v->{msisdn}}"}, True),
        ({"path": "{'/' . substr($v->{msisdn}, 4)}"}, True),
        ({"content_type": "text/plain; charset=utf-16", "content": "{$v->{msisdn}}"}, True),
        ({"content_type": "text/plain", "content": "{$v->{x} = rand(1)}"}, True),
        ({"multipart": [{"name": "n", "value": "{$v->{msisdn}}"}]}, True),  # has a sum
        ({"method": "{'DEL' . 'ETE'}"}, True),
        ({"path": '{"/x/$v->{msisdn}/y"}'}, True),
        ({"http_headers": [{"name": "{'X-' . $v->{msisdn}}", "value": 1}]}, True),
        ({"http_headers": [{"name": "{'X-' . $v->{msisdn}}", "value": 1}] * 2}, True),
    ],
)
def test_what_may_differ(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    given: dict[str, Any],
    is_fast: bool,
) -> None:
    one = {**REQUEST, "arguments": {**GET, **given}}
    plain, told = both_ways(world, recorder, [one], (usual, usual), **PATIENT)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == REQUESTS
    assert fast_paths[1].begun - fast_paths[1].fell_back == (REQUESTS - 1 if is_fast else 0)


def test_a_number_that_grows_by_a_digit(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    """The width of a sequence is its smallest number of digits."""
    sequence = {"$sequence": {"start": 96, "step": 1, "width": 2}}
    told = [
        told_of(world(**PATIENT), recorder, [REQUEST], 10, track=track, vars={"msisdn": sequence})
        for track in (0, 1)
    ]
    assert difference(told[1], told[0]) is None
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (9, 0)


def test_what_a_replay_swallows_is_what_was_sent(
    fast_paths: list[RunFastPath], world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the fast path had sent anything else, the instance would report it."""
    swallow = RequestReplay.swallow

    def wrong(replay: RequestReplay, request: Any, gateway: Any) -> Any:
        if not replay.whole.is_over:
            request = type(request)(request.method, request.target + "x", request.fields)
        return swallow(replay, request, gateway)

    here = world()
    here.server.twist = Halting(57)
    monkeypatch.setattr(RequestReplay, "swallow", wrong)
    result = here.run(*BOTH, vars=VARS, distribution=load(30, backlog=1))
    causes = {one["cause"] for one in result["failures"]}
    assert any("the fast path went wrong: it had sent something else" in one for one in causes)
    assert is_idle(here)
