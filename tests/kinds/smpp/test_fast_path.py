"""The fast path of SMPP: whatever an ESME does, a run reports the same with and without it.

Instances run one after the other, so that two runs have the same numbers and the same deviations.
Results, checks, octets and counts are equal then; only times differ.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import gevent
import pytest
from kinds.smpp.service import Smsc, expect, register, send
from kinds.smpp.talkative import TWISTS, Esme, Twist, Unsteady, lengthened, plain
from support.loads import assert_adds_up, load
from support.waiting import until
from support.without_memories import Recorder, begun_of_thirty, difference

from tsvc.engine.fast_path import RunFastPath
from tsvc.kinds.smpp.fast_path.replay import SmscReplay
from tsvc.kinds.smpp.inbox import Registrations
from tsvc.protocols.smpp.commands import Command

SESSIONS = int(os.environ.get("TSVC_SESSIONS", "60"))
WAIT_S = 0.6
VARS = {"msisdn": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}}
STATUS = {"kpath": "command_status", "type": "integer", "value": 0}
ASK = send(
    {
        "source_addr": "{$v->{msisdn}}",
        "destination_addr": "777",
        "short_message_text": "{'call ' . $v->{msisdn}}",
    },
    STATUS,
)
TAKE = expect(
    {"destination_addr": "{$v->{msisdn}}", "source_addr": "777", "short_message_text": "hello"},
    {"kpath": "parameters.sm_length", "type": "integer", "value": 5},
    seconds=WAIT_S,
)
TALK = [register("{$v->{msisdn}}"), ASK, TAKE]
PATIENT = [*TALK[:2], {**TAKE, "arguments": {**TAKE["arguments"], "seconds": 60}}]


class World(Smsc):
    """A service with an SMSC and an ESME that is bound to it."""

    def __init__(self, folder: Any, twist: Twist = plain, **members: Any) -> None:
        super().__init__(folder, **{"response_timeout_s": 60.0, **members})
        self.esme = Esme(self.gateway.port, twist)

    def stop(self) -> None:
        self.esme.close()
        super().stop()

    def finish(self, run_id: Any) -> dict[str, Any]:
        result: dict[str, Any] = super().finish(run_id)
        registrations = self.gateway.registrations
        assert len(registrations) == len(registrations.takers) == 0
        for link in self.gateway.node._links:
            assert link.asked == {}
            assert link.waiting == {}
        return result


@pytest.fixture
def world(tmp_path: Any) -> Iterator[Callable[..., World]]:
    made: list[World] = []

    def make(*args: Any, **members: Any) -> World:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(World(folder, *args, **members))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[str], object]]:
    """Functions that are called once with each address that an instance registers."""
    told: list[Callable[[str], object]] = []
    add = Registrations._add

    def tell(registrations: Registrations, address: str, owner: Any) -> None:
        is_new = registrations.find(address) is None
        add(registrations, address, owner)
        if is_new:
            for one in told:
                gevent.get_hub().loop.run_callback(one, address)

    monkeypatch.setattr(Registrations, "_add", tell)
    return told


def played(
    here: World, recorder: Recorder, track: int, count: int, operations: list[Any], **params: Any
) -> dict[str, Any]:
    """Return what a run reports."""
    given = {"vars": VARS, "track": track, "seed": 7, "run_id": "r", **params}
    run_id = here.execute(*operations, distribution=load(count, backlog=1), **given)
    result = here.finish(run_id)
    assert_adds_up(result)
    told = recorder.told("r", result)
    told["groups"] = [
        {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
        for one in result["failures"]
    ]
    told["gateway"] = here.gateway.status().counters
    for one in told["instances"]:
        one.pop("reason_t", None)  # when a silence is noticed differs from run to run
    told["heard"] = [repr(one) for one in here.esme.heard + here.esme.responses]
    ports = {link.peer for link in here.gateway.node._links}
    text = repr(told)
    for port in ports:
        text = text.replace(port, "<peer>")
    found: dict[str, Any] = eval(text)
    return found


def both_ways(
    world: Callable[..., World],
    recorder: Recorder,
    twists: tuple[Any, Any],
    count: int,
    operations: list[Any],
    prepare: Callable[[World], object] = lambda here: None,
    **members: Any,
) -> dict[str, Any]:
    """Return what a run reports with `track: 0`, which must be the same with `track: 1`."""
    told = []
    for track, twist in enumerate(twists):
        here = world(twist, **members)
        prepare(here)
        told.append(played(here, recorder, track, count, operations))
    assert difference(told[1], told[0]) is None
    return told[0]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whatever_an_esme_does_the_result_is_the_same(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    seed: int,
) -> None:
    esme, again = Unsteady(seed), Unsteady(seed)
    members = {"response_timeout_s": WAIT_S}
    told = both_ways(world, recorder, (esme, again), SESSIONS, TALK, **members)
    assert esme.deviated == again.deviated > SESSIONS / 6
    assert fast_paths[0].begun == 0
    assert fast_paths[1].begun > SESSIONS / 2
    assert 0 < fast_paths[1].fell_back < fast_paths[1].begun
    assert told["counts"]["passed"] > SESSIONS / 3


@pytest.mark.parametrize("every", [1, 4])
def test_undefined_values_in_answers_are_counted_as_without_it(
    recorder: Recorder, world: Callable[..., World], every: int
) -> None:
    message_id = f"{{$r->{{idx}} % {every} ? 'm' . $r->{{idx}} : undef}}"
    take = {**TAKE, "arguments": {**PATIENT[2]["arguments"]}}
    take["arguments"]["response"] = {"command_status": 0, "fields": {"message_id": message_id}}
    told = both_ways(world, recorder, (plain, plain), 20, [*TALK[:2], take])
    assert told["counts"]["undefined_sent"] == 20 / every
    assert told["counts"]["passed"] == 20


class Once:
    """Twists the conversation with this number."""

    def __init__(self, twist: Twist, at: int = 4) -> None:
        self._twist = twist
        self._left = at

    def __call__(self, esme: Esme, answer: bytes, message: bytes) -> list[bytes]:
        self._left -= 1
        return self._twist(esme, answer, message) if self._left == 0 else [answer, message]


@pytest.mark.parametrize("number", range(len(TWISTS)))
def test_each_twist(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World], number: int
) -> None:
    twists = Once(TWISTS[number]), Once(TWISTS[number])
    both_ways(world, recorder, twists, 6, TALK, response_timeout_s=WAIT_S)
    assert fast_paths[1].begun == 5


TLV = bytes.fromhex("0204000200")  # user_message_reference without its last octet


class Choosing:
    """Answers in `ways` different ways in turn."""

    def __init__(self, ways: int) -> None:
        self._ways = ways
        self._count = 0

    def __call__(self, esme: Esme, answer: bytes, message: bytes) -> list[bytes]:
        way = self._count % self._ways
        self._count += 1
        return [lengthened(answer, TLV + bytes((way,))), message]


def test_each_way_in_which_an_esme_answers_becomes_a_branch(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    """For each different answer, only the first instance that gets it falls back."""
    told = both_ways(world, recorder, (Choosing(3), Choosing(3)), 30, PATIENT)
    assert told["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 2)
    assert fast_paths[1].result()["branches"] == 2


def test_values_of_any_length(
    recorder: Recorder, fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    address = "{'5' . $r->{idx} . 10 ** ($r->{idx} % 5)}"
    asks = send({"source_addr": address, "short_message_text": address}, STATUS)
    takes = expect(
        {"destination_addr": address, "short_message_text": "{'to 5' . $r->{idx}}"}, seconds=60
    )

    def prepare(here: World) -> None:
        def message(pdu: Any) -> bytes:
            to = str(pdu.parameters["source_addr"])
            return here.esme.message_to(to, short_message=f"to {numbers[to]}".encode())

        here.esme.message = message  # type: ignore[method-assign]

    numbers = {f"5{idx}{10 ** (idx % 5)}": f"5{idx}" for idx in range(30)}
    told = both_ways(
        world, recorder, (plain, plain), 30, [register(address), asks, takes], prepare
    )
    assert told["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 0)


@pytest.mark.parametrize(
    ("response", "is_same_id"),
    [
        (None, False),
        ({"fields": {"message_id": "{'m' . $v->{msisdn}}"}}, False),
        ({"command_status": "ESME_RMSGQFUL"}, True),
        ({"fields": {"message_id": "{$i->{submit_sm}{parameters}{short_message}}"}}, True),
    ],
)
def test_messages_of_their_own_accord(
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    registered: list[Callable[[str], object]],
    response: dict[str, Any] | None,
    is_same_id: bool,
) -> None:
    """The address in the message is found, although no operation expects an address."""
    more = {} if response is None else {"response": response}
    takes = expect({"short_message_text": "hello"}, seconds=60, **more)
    operations = [register("{$v->{msisdn}}"), takes]

    def prepare(here: World) -> None:
        registered[:] = [lambda address: here.esme.say(here.esme.message_to(address))]

    seen = both_ways(world, recorder, (plain, plain), 30, operations, prepare)
    assert seen["counts"]["passed"] == 30
    ids = {line.partition("message_id")[2] for line in seen["heard"]}
    assert len(ids) == (1 if is_same_id else 30)
    reads = response is not None and "$i" in str(response)
    expected = (0, 0) if reads else (29, 0)
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == expected


# -- what ends or steers a run ------------------------------------------------------------------


class Halting:
    """Answers `left` messages, then sends nothing; or it answers but submits nothing."""

    def __init__(self, left: int, *, is_answering: bool = False) -> None:
        self.left = left
        self._is_answering = is_answering

    def __call__(self, esme: Esme, answer: bytes, message: bytes) -> list[bytes]:
        self.left -= 1
        if self.left >= 0:
            return [answer, message]
        return [answer] if self._is_answering else []


@pytest.mark.parametrize("track", [0, 1])
@pytest.mark.parametrize("is_answering", [False, True])
def test_a_cancel_ends_instances_wherever_they_wait(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int, is_answering: bool
) -> None:
    halting = Halting(30, is_answering=is_answering)
    here = world(halting)
    given = {"vars": VARS, "track": track, "run_id": "s"}
    here.execute(*PATIENT, distribution=load(1000, backlog=10), **given)
    until(lambda: halting.left == -10)
    here.call("CancelTest", run_id="s")
    result = here.finish("s")
    assert_adds_up(result)
    counts = result["counts"]
    assert (counts["passed"], counts["cancelled"]) == (30, 10)
    assert counts["aborted"] == counts["failed"] == 0
    assert fast_paths[-1].fell_back == (10 if track else 0)


@pytest.mark.parametrize("track", [0, 1])
@pytest.mark.parametrize("is_answering", [False, True])
def test_a_lost_link_aborts_who_waits_for_it(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int, is_answering: bool
) -> None:
    halting = Halting(30, is_answering=is_answering)
    here = world(halting)
    run_id = here.execute(*PATIENT, vars=VARS, track=track, distribution=load(60, backlog=10))
    until(lambda: halting.left == -10)
    until(lambda: not any(link.waiting for link in here.gateway.node._links) or not is_answering)
    here.esme.close()
    result = here.finish(run_id)
    assert_adds_up(result)
    counts = result["counts"]
    assert (counts["passed"], counts["aborted"]) == (30, 30)
    causes = {one["cause"] for one in result["failures"]}
    assert any("closed by peer" in one for one in causes)
    assert all("ESME" in one for one in causes)
    if track:
        assert fast_paths[-1].fell_back >= 10


@pytest.mark.parametrize("track", [0, 1])
def test_what_waits_is_given_up_in_its_time(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int
) -> None:
    here = world(Halting(30, is_answering=True))
    distribution = load(60, backlog=30)
    result = here.run(*TALK, vars=VARS, track=track, distribution=distribution)
    assert_adds_up(result)
    counts = result["counts"]
    assert counts["passed"] + counts["aborted"] == 60
    assert counts["aborted"] >= 30
    (cause,) = {one["cause"] for one in result["failures"]}
    assert "nothing came within" in cause
    assert min(one["duration"] for one in result["first_aborts"]) >= WAIT_S


@pytest.mark.parametrize("track", [0, 1])
def test_a_full_window_is_waited_for(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int
) -> None:
    here = world(window=2)
    result = here.run(*PATIENT, vars=VARS, track=track, distribution=load(200, backlog=10))
    assert_adds_up(result)
    counts = result["counts"]
    # A message beyond the window would be throttled, and its instance would get no message.
    assert counts["passed"] == 200
    assert here.gateway.status().counters["throttled"] == 0


def test_links_take_turns(fast_paths: list[RunFastPath], world: Callable[..., World]) -> None:
    here = world()
    other = Esme(here.gateway.port)
    try:
        result = here.run(*PATIENT, vars=VARS, distribution=load(60, backlog=1))
        assert result["counts"]["passed"] == 60
        assert (fast_paths[0].begun, fast_paths[0].fell_back) == (59, 0)
        assert len(here.esme.heard) == len(other.heard) == 30
    finally:
        other.close()


@pytest.mark.parametrize("track", [0, 1])
def test_an_address_that_another_one_has(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int
) -> None:
    halting = Halting(0)
    here = world(halting)
    operations = [register(), *PATIENT[1:2]]
    given = {"vars": VARS, "track": track}
    run_id = here.execute(*operations, distribution=load(1000, backlog=1), **given)
    until(lambda: halting.left == -1)
    second_id = here.execute(*operations, distribution=load(5, backlog=1), **given)
    second = Smsc.finish(here, second_id)
    assert second["counts"]["aborted"] == 5
    (cause,) = {one["cause"] for one in second["failures"]}
    assert cause == "Register: … is registered already by another instance"
    here.call("CancelTest", run_id=run_id)
    here.finish(run_id)


def test_an_address_that_is_taken_meanwhile(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    """Instances on the fast path find the address taken, as ordinary instances do."""
    operations = [register(), *PATIENT[1:2]]
    result = world(lambda esme, answer, message: [answer]).run(
        *operations, vars=VARS, distribution=load(200, backlog=3)
    )
    assert_adds_up(result)
    assert result["counts"]["passed"] + result["counts"]["aborted"] == 200
    causes = {one["cause"] for one in result["failures"]}
    assert causes == {"Register: … is registered already by another instance"}


# -- what may be on the fast path ----------------------------------------------------------------


def begun(
    fast_paths: list[RunFastPath], here: World, *operations: dict[str, Any], **params: Any
) -> tuple[int, int]:
    """Return how many of 30 instances were on the fast path, and how many stayed on it."""
    return begun_of_thirty(fast_paths, here, *operations, **{"vars": VARS, **params})


def test_who_is_on_the_fast_path(
    fast_paths: list[RunFastPath], world: Callable[..., World]
) -> None:
    here = world()
    all_of_them, none = (29, 29), (0, 0)
    assert begun(fast_paths, here, *PATIENT) == all_of_them
    assert begun(fast_paths, here, *PATIENT, trace_messages=0) == all_of_them
    assert begun(fast_paths, here, *PATIENT, load_details=0) == all_of_them
    assert begun(fast_paths, here, *PATIENT, linger_ms=1) == none
    assert begun(fast_paths, here, *PATIENT, track=0) == none
    for name, is_fast in (
        ("{deliver_sm_resp}{sequence_number}", False),
        ("{deliver_sm_resp}{command_status}", True),
        ("{submit_sm}{parameters}{destination_addr}", False),
        ("{submit_sm}{parameters}{short_message}", True),
    ):
        reads = {"type": "eval", "expression": f"$v->{{x}} = $i->{name}"}
        expected = all_of_them if is_fast else none
        assert begun(fast_paths, here, *PATIENT, reads) == expected


@pytest.mark.parametrize(
    ("kpath", "is_fast"),
    [
        ("parameters.short_message_text", True),
        ("parameters.sm_length", True),
        ("command_status_name", True),
        ("parameters.destination_addr", False),
        ("sequence_number", False),
        ("parameters", False),
    ],
)
def test_what_is_looked_at_must_be_the_same_in_all(
    fast_paths: list[RunFastPath], world: Callable[..., World], kpath: str, is_fast: bool
) -> None:
    test = {"kpath": kpath, "type": "exists", "value": 1}
    takes = {**PATIENT[2], "tests": [test]}
    ways, _ = begun(fast_paths, world(), *PATIENT[:2], takes)
    assert ways == (29 if is_fast else 0)


@pytest.mark.parametrize(
    ("parameters", "begins", "fell_back"),
    [
        ({}, 29, 0),
        ({"short_message_hex": "{'68656c6c6f'}"}, 29, 0),
        ({"!source_addr": "{$v->{msisdn}}"}, 0, 0),
        ({"sm_length": 5, "short_message_text": "{$r->{idx} < 0 ? '' : 'hello'}"}, 0, 0),
        ({"data_coding": "{0 * $v->{msisdn}}"}, 0, 0),
        ({"!destination_addr": "778"}, 29, 29),
    ],
)
def test_what_may_be_expected(
    fast_paths: list[RunFastPath],
    world: Callable[..., World],
    parameters: dict[str, Any],
    begins: int,
    fell_back: int,
) -> None:
    takes = expect(parameters, seconds=60)
    ways, whole = begun(fast_paths, world(), *PATIENT[:2], takes)
    assert (ways, ways - whole) == (begins, fell_back)


@pytest.mark.parametrize("track", [0, 1])
def test_an_expected_value_that_is_another(
    fast_paths: list[RunFastPath], world: Callable[..., World], track: int
) -> None:
    """The expected text fits the message in the first five instances only."""
    text = "{$r->{idx} < 5 ? 'hello' : 'other'}"
    takes = expect({"short_message_text": text}, seconds=60)
    given = {"vars": VARS, "track": track, "distribution": load(30, backlog=1)}
    result = world().run(*PATIENT[:2], takes, **given)
    assert (result["counts"]["passed"], result["counts"]["failed"]) == (5, 25)
    assert fast_paths[0].fell_back == (25 if track else 0)


def test_what_a_replay_swallows_is_what_was_sent(
    fast_paths: list[RunFastPath], world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the fast path had sent anything else, the instance would report it."""
    swallow = SmscReplay._swallow

    def wrong(replay: SmscReplay, pdu: Any) -> Any:
        if replay.whole.is_over:
            return swallow(replay, pdu)
        return swallow(replay, type(pdu)(Command.DATA_SM, 1, 0, pdu.parameters))

    halting = Halting(10, is_answering=True)
    here = world(halting)
    run_id = here.execute(*TALK, vars=VARS, distribution=load(20, backlog=1))
    until(lambda: fast_paths[0].begun > 2)
    monkeypatch.setattr(SmscReplay, "_swallow", wrong)
    result = here.finish(run_id)
    causes = {one["cause"] for one in result["failures"]}
    assert any("the fast path went wrong: it had sent something else" in one for one in causes)
