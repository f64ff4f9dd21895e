"""A service with an SMSC and an ESME that is bound to it; operations of definitions."""

import pytest
from support.daemons import Daemon
from support.esme import PlainEsme

SEND = "smpp.smsc_to_esme.Request"
REGISTER = "smpp.smsc_from_esme.Register"
EXPECT = "smpp.smsc_from_esme.Request"


class Smsc(Daemon):
    """A service whose only application is an SMSC."""

    def __init__(self, folder, **members):
        super().__init__(folder, {"SMSC": ("smpp", {"port": 0, **members})})

    @property
    def gateway(self):
        return self.gateway_of("smpp")


@pytest.fixture
def smsc(tmp_path):
    made = Smsc(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def esme(smsc):
    with PlainEsme(smsc.gateway.port) as one:
        assert one.bind().command_status == 0
        yield one


def send(parameters, *tests, **arguments):
    given = {"pdu": "deliver_sm", "parameters": parameters, **arguments}
    return {"type": SEND, "arguments": given, "tests": list(tests)}


def register(address="777", pdu="submit_sm"):
    return {"type": REGISTER, "arguments": {"pdu": pdu, "destination_addr": address}}


def expect(parameters=None, *tests, **arguments):
    given = {"pdu": "submit_sm", **arguments}
    if parameters is not None:
        given["parameters"] = parameters
    return {"type": EXPECT, "arguments": given, "tests": list(tests)}


def checks(result):
    log = result["first_call_summary"]["check_log"]
    return [(entry["level"], entry["text"]) for entry in log]


def reason(result):
    return result["first_call_summary"]["reason"]


def is_registered(smsc):
    return lambda: len(smsc.gateway.registrations) > 0
