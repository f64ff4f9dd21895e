"""Large requests run one after the other; small and waiting requests are not delayed."""

import json
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import gevent
import pytest
from gevent.event import Event
from support.waiting import until

from tsvc.config.tables import Rpc
from tsvc.engine.limits.memory import heap_trimmer, resident_octets
from tsvc.engine.limits.run_limits import waiting
from tsvc.methods.method import Method
from tsvc.registry import Registry
from tsvc.server.dispatch import Dispatcher
from tsvc.server.large_requests import LARGE

MADE, OCTETS = 40_000, 2_000


class Working(Method):
    """Yields while it works, as methods do that handle many values."""

    name = "Working"

    def call(self, service: Any, params: Any) -> Any:
        service.enter(params["name"])
        for _ in range(5):
            gevent.sleep(0)
        if params["name"] == "broken":
            raise ValueError("of the method")
        service.leave(params["name"])
        return params["name"]


class Waiting(Method):
    """Works, then waits as QueryTest does."""

    name = "Waiting"

    def call(self, service: Any, params: Any) -> Any:
        service.enter(params["name"])
        service.leave(params["name"])
        with waiting(may_end=True):
            service.door.wait()
        return params["name"]


class Hanging(Method):
    """Does not end, and does not wait in the way of methods."""

    name = "Hanging"

    def call(self, service: Any, params: Any) -> Any:
        service.enter(params["name"])
        service.door.wait()
        return params["name"]


class Making(Method):
    """Makes many objects, and keeps few of them."""

    name = "Making"

    def call(self, service: Any, params: Any) -> Any:
        made = [bytes(OCTETS) for _ in range(MADE)]
        service.lasting = made[::100]
        return params["name"]


class Service:
    lasting: list[bytes]

    def __init__(self) -> None:
        self.inside: list[str] = []
        self.most = 0
        self.order: list[str] = []
        self.door = Event()

    def enter(self, name: str) -> None:
        self.inside.append(name)
        self.order.append(name)
        self.most = max(self.most, len(self.inside))

    def leave(self, name: str) -> None:
        self.inside.remove(name)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def dispatcher(service: Service) -> Dispatcher:
    methods: Registry[Method] = Registry("method")
    for made in (Working(), Waiting(), Hanging(), Making()):
        methods.register(made.name, made)
    return Dispatcher(service, Rpc(), methods)  # type: ignore[arg-type]


def request(method: str, name: str, octets: int) -> bytes:
    params = {"name": name, "x_much": "x" * octets}
    whole = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(whole).encode()


def sent(dispatcher: Dispatcher, method: str, name: str, octets: int) -> Any:
    body = request(method, name, octets)
    return gevent.spawn(dispatcher.dispatch, body, waits=lambda may_end: nullcontext())


def answer(sender: Any) -> Any:
    found = json.loads(sender.get(timeout=60))
    return found.get("result") or found["error"]


def test_large_ones_follow_each_other(service: Service, dispatcher: Dispatcher) -> None:
    names = [f"large {number}" for number in range(8)]
    senders = [sent(dispatcher, "Working", name, LARGE) for name in names]
    assert [answer(sender) for sender in senders] == names
    assert service.most == 1
    assert service.order == names


def test_small_ones_do_not_wait(service: Service, dispatcher: Dispatcher) -> None:
    names = [f"small {number}" for number in range(8)]
    senders = [sent(dispatcher, "Hanging", name, 10) for name in names]
    until(lambda: service.most == 8)
    service.door.set()
    assert [answer(sender) for sender in senders] == names


def test_one_that_waits_holds_nobody_up(service: Service, dispatcher: Dispatcher) -> None:
    waiters = [sent(dispatcher, "Waiting", f"waits {number}", LARGE) for number in range(3)]
    until(lambda: len(service.order) == 3)
    assert answer(sent(dispatcher, "Working", "works", LARGE)) == "works"
    service.door.set()
    assert [answer(waiter) for waiter in waiters] == ["waits 0", "waits 1", "waits 2"]


def test_one_that_breaks_or_is_killed_leaves_its_turn(
    service: Service, dispatcher: Dispatcher
) -> None:
    broken = sent(dispatcher, "Working", "broken", LARGE)
    assert answer(broken)["data"]["kind"] == "internal"
    killed = [sent(dispatcher, "Hanging", f"killed {number}", LARGE) for number in range(3)]
    until(lambda: "killed 0" in service.order)
    gevent.killall(killed)
    assert answer(sent(dispatcher, "Working", "works", LARGE)) == "works"


def test_what_cannot_be_read_leaves_its_turn(dispatcher: Dispatcher) -> None:
    for _ in range(2):
        body = b"[" * (LARGE + 1)
        found = json.loads(gevent.spawn(dispatcher.dispatch, body).get(timeout=60))
        assert found["error"]["data"]["kind"] != "internal"
    assert answer(sent(dispatcher, "Working", "works", LARGE)) == "works"


def test_a_turn_that_does_not_come_is_told(service: Service, dispatcher: Dispatcher) -> None:
    """The request before it hangs and does not end its turn."""
    first = sent(dispatcher, "Hanging", "first", LARGE)
    until(lambda: service.order == ["first"])
    patient = dispatcher.config
    dispatcher.config = replace(patient, handler_deadline_s=0.01)
    refused = answer(sent(dispatcher, "Working", "second", LARGE))
    dispatcher.config = patient
    assert refused["data"]["kind"] == "request.deadline"
    assert "large requests" in refused["message"]
    assert answer(sent(dispatcher, "Working", "small", 10)) == "small"
    service.door.set()
    assert answer(first) == "first"
    assert answer(sent(dispatcher, "Working", "third", LARGE)) == "third"


def test_what_one_took_goes_back_to_the_system(dispatcher: Dispatcher) -> None:
    """The objects that are kept lie between free memory."""
    heap_trimmer()(0)
    before = resident_octets() or 0
    assert answer(sent(dispatcher, "Making", "small", 10)) == "small"
    kept = (resident_octets() or 0) - before
    assert kept > MADE * OCTETS / 2, "else the test shows nothing"
    assert answer(sent(dispatcher, "Making", "large", LARGE)) == "large"
    left = (resident_octets() or 0) - before
    assert left < MADE * OCTETS / 10
