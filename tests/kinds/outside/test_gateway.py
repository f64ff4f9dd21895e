"""Classes from outside: the life of their objects, both ways to call them."""

import threading

import gevent
import pytest
from kinds.outside import site
from kinds.outside.site import made, release
from support.waiting import GUARD_S, until

from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayState
from tsvc.protocols.pi.codec import Status

site, make = site.site, site.make


@pytest.mark.parametrize("blocking", [False, True])
def test_an_object_from_its_making_to_its_end(make, site, blocking):
    gateway = make("Pi", blocking=blocking, host="h", password="geheim")
    assert gateway.kind == "pi"
    assert gateway.request("QRY", {}).as_dict()["info"] == "QRY"
    (one,) = made(site)
    assert (one.name, one.config) == ("OLD", {"host": "h", "password": "geheim"})
    assert len(one.threads) == 1, "made and used in one thread"
    assert (one.threads == {threading.get_ident()}) is not blocking
    gateway.stop(1.0)
    until(lambda: one.events == ["stop"])
    assert gateway.status().state is GatewayState.DOWN
    with pytest.raises(GatewayError, match="OLD is down"):
        gateway.request("QRY", {})


@pytest.mark.parametrize("blocking", [False, True])
def test_a_start_that_fails(make, site, blocking):
    gateway = make("Pi", is_up=False, is_broken=True, blocking=blocking)
    until(lambda: gateway.status().detail == "no way in")
    assert gateway.status().state is GatewayState.CONNECTING
    until(lambda: len(made(site)) >= 2)
    gateway.kill()
    gateway.kill()
    until(lambda: all(one.events == ["kill"] for one in made(site)))
    gateway.start()
    gateway.start()
    until(lambda: gateway.status().detail == "no way in")


def test_secrets_in_what_an_object_raises_are_not_shown(make):
    secrets = {"password": "geheim", "api_token": "t0ken", "user": "admin"}
    gateway = make("Pi", is_up=False, is_chatty=True, **secrets)
    until(lambda: "admin" in gateway.status().detail)
    assert "geheim" not in gateway.status().detail
    assert "t0ken" not in gateway.status().detail


def test_an_object_that_says_it_is_not_well(make):
    gateway = make("Sick", is_up=False)
    until(lambda: gateway.status().detail == "the licence is over")
    assert gateway.status().state is GatewayState.CONNECTING


@pytest.mark.parametrize("blocking", [False, True])
def test_an_object_that_raises_is_replaced(make, site, blocking):
    gateway = make("Pi", blocking=blocking)
    with pytest.raises(GatewayError, match=r"^OLD: the line is dead$"):
        gateway.request("RAISE", {})
    with pytest.raises(GatewayError, match=r"^OLD: KeyError$"):
        gateway.request("SILENT", {})
    assert gateway.request("QRY", {}).status is Status.ACK
    assert len(made(site)) == 3
    until(lambda: [one.events for one in made(site)[:2]] == [["kill"], ["kill"]])


def answered(gateway):
    """Request until an answer comes in the short time that the gateway waits; return it."""

    def ask():
        try:
            return gateway.request("QRY", {}).as_dict()
        except GatewayError as error:
            if " within " not in str(error):
                raise
            return None

    return until(ask)


@pytest.mark.parametrize("mode", [{"is_green": True}, {"blocking": True}])
def test_a_call_that_is_given_up_answers_nobody(make, site, mode):
    gateway = make("Pi", call_timeout_s=0.5, **mode)
    with pytest.raises(GatewayError, match=r"OLD: no result within 0\.5 s"):
        gateway.request("HOLD", {})
    release(site)
    assert answered(gateway)["info"] == "QRY"
    first, *_, last = made(site)
    until(lambda: first.events == ["kill"])
    assert first is not last
    assert last.events == []


@pytest.mark.parametrize("mode", [{"is_green": True}, {"blocking": True}])
def test_a_killed_greenlet(make, site, mode):
    gateway = make("Pi", **mode)
    slow = gevent.spawn(gateway.request, "HOLD", {})
    until(lambda: any(one.holds for one in made(site)))
    slow.kill()
    release(site)
    assert gateway.request("QRY", {}).as_dict()["info"] == "QRY"
    until(lambda: made(site)[0].events == ["kill"])


def test_threads_that_hang_are_bounded(make, site):
    gateway = make("Pi", blocking=True, call_timeout_s=0.05, objects=1)
    refused = 0
    for _ in range(4):
        try:
            gateway.request("HOLD", {})
        except GatewayError as error:
            refused += "hang in calls" in str(error)
    assert refused == 2
    assert gateway.status().counters["threads"] == 2
    release(site)
    until(lambda: gateway.status().counters["threads"] <= 1)
    until(lambda: gateway.status().state is GatewayState.UP)
    assert answered(gateway)["info"] == "QRY"


def test_objects_work_side_by_side_and_the_loop_goes_on(make, site):
    gateway = make("Pi", blocking=True, objects=3)
    calls = [gevent.spawn(gateway.request, "HOLD", {}) for _ in range(3)]
    until(lambda: sum(one.holds for one in made(site)) == 3)
    assert not any(call.ready() for call in calls)
    release(site)
    gevent.joinall(calls, timeout=GUARD_S, raise_error=True)
    assert len(made(site)) == 3


def test_no_object_is_free(make):
    gateway = make("Pi", is_green=True, backlog_timeout_s=0.05)
    slow = gevent.spawn(gateway.request, "HOLD", {})
    until(lambda: gateway.status().counters["in_use"])
    with pytest.raises(GatewayError, match=r"no free connection within 0\.05 s"):
        gateway.request("QRY", {})
    slow.kill()
