"""The smpp gateway with ESMEs: fixtures and helpers of its tests."""

import gevent
import pytest
from support.esme import GUARD_S, PlainEsme

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayContext
from tsvc.kinds.smpp.config import SmppConfig
from tsvc.kinds.smpp.gateway import SmppGateway
from tsvc.protocols.smpp.commands import Command

HELLO = {"source_addr": "64211", "destination_addr": "777", "short_message": b"hello"}


@pytest.fixture
def start(request):
    """Make and start gateways on a free port; they are killed after the test."""

    def start_one(**members):
        config = SmppConfig.load({"port": 0, **members})
        gateway = SmppGateway("SMSC", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
        request.addfinalizer(gateway.kill)
        gateway.start()
        return gateway

    return start_one


@pytest.fixture
def connect(request):
    """Connect ESMEs of either kind; they are closed after the test."""

    def connect_one(gateway, kind=PlainEsme):
        esme = kind(gateway.port)
        request.addfinalizer(esme.close)
        return esme

    return connect_one


@pytest.fixture
def bound(start, connect):
    """A gateway and an ESME that is bound to it as a transceiver."""

    def bind(**members):
        gateway = start(**members)
        esme = connect(gateway)
        assert esme.bind().command_status == 0
        return gateway, esme

    return bind


def asked(gateway, text="hello", **more):
    """Send a deliver_sm in a greenlet of its own."""
    parameters = {**HELLO, "short_message": text.encode()}
    return gevent.spawn(gateway.request, Command.DELIVER_SM, parameters, **more)


def result(greenlet):
    return greenlet.get(timeout=GUARD_S)


def failure(greenlet):
    with pytest.raises(GatewayError) as failed:
        result(greenlet)
    return str(failed.value)


def links(gateway):
    return gateway._node._links
