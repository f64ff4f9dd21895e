"""The fake OCS: what its ledger grants, debits and refuses; its deliberate faults."""

import pytest
from support.waiting import GUARD_S, until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.gateways.fake import load_fake
from tsvc.gateways.gateway import GatewayContext, GatewayState
from tsvc.kinds.diameter.fake import OcsFake
from tsvc.kinds.diameter.fake_ledger import Ledger, Tariff
from tsvc.kinds.diameter.gateway import DiameterConfig, DiameterGateway
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import Header, encode_message
from tsvc.protocols.diameter.tree import encode_avps, message_tree

NUMBER = "64"
INITIAL, UPDATE, TERMINATION, EVENT = 1, 2, 3, 4


def avp(name, value):
    return {"name": name, "value": value}


def units(name, amount, unit="CC-Time"):
    return avp(name, [] if amount is None else [avp(unit, amount)])


def asked(amount=None):
    return units("Requested-Service-Unit", amount)


def used(amount):
    return units("Used-Service-Unit", amount)


def body(kind, *more, session="s", number=NUMBER):
    subscription = avp("Subscription-Id", [avp("Subscription-Id-Data", number)])
    given = [avp("Session-Id", session), avp("CC-Request-Type", kind), subscription, *more]
    return encode_avps(given, standard(), "avps")


def charge(ledger, kind, *more, **how):
    """Return the Result-Code, and the AVPs of the answer by name."""
    octets = encode_message(Header(272, 0xC0, 4, 1, 1), body(kind, *more, **how))
    result, avps = ledger.charge(message_tree(octets, standard()))
    answer = encode_message(Header(272, 0x40, 4, 1, 1), encode_avps(avps, standard(), "avps"))
    return result, message_tree(answer, standard())["avp"]


def granted(amount):
    return {"Granted-Service-Unit": {"CC-Time": amount}}


def test_a_session():
    ledger = Ledger(Tariff(grant=100), {NUMBER: 250})
    assert charge(ledger, INITIAL, asked()) == (2001, granted(100))
    assert charge(ledger, UPDATE, used(100), asked(500)) == (2001, granted(100))
    assert charge(ledger, UPDATE, used(80), asked(30)) == (2001, granted(30))
    assert charge(ledger, TERMINATION, used(10)) == (2001, {})
    assert ledger.balance(NUMBER) == 60
    assert ledger.sessions == {}
    assert charge(ledger, UPDATE, asked()) == (5002, {})


def test_what_is_granted_is_not_granted_twice():
    ledger = Ledger(Tariff(grant=100), {NUMBER: 150})
    assert charge(ledger, INITIAL, asked(), session="a") == (2001, granted(100))
    assert charge(ledger, INITIAL, asked(), session="b") == (2001, granted(50))
    assert charge(ledger, INITIAL, asked(), session="c") == (4012, {})
    assert charge(ledger, TERMINATION, session="a") == (2001, {})
    assert charge(ledger, INITIAL, asked(), session="c") == (2001, granted(100))
    assert set(ledger.sessions) == {"b", "c"}


def test_final_units():
    tariff = Tariff(
        grant=100, final_action=1, redirect_address="http://top.up", validity_time_s=60
    )
    ledger = Ledger(tariff, {NUMBER: 120})
    assert charge(ledger, INITIAL, asked()) == (2001, {**granted(100), "Validity-Time": 60})
    _, answer = charge(ledger, UPDATE, used(100), asked())
    assert answer == {
        **granted(20),
        "Validity-Time": 60,
        "Final-Unit-Indication": {
            "Final-Unit-Action": 1,
            "Redirect-Server": {
                "Redirect-Address-Type": 2,
                "Redirect-Server-Address": "http://top.up",
            },
        },
    }
    assert charge(ledger, UPDATE, used(20), asked()) == (4012, {})


def test_unknown_subscribers():
    ledger = Ledger(Tariff(default_balance=None), {})
    assert charge(ledger, INITIAL, asked()) == (5030, {})
    assert ledger.sessions == {}
    ledger = Ledger(Tariff(default_balance=70), {})
    assert charge(ledger, INITIAL, asked()) == (2001, granted(70))


def test_services_have_results_of_their_own():
    def service(group, *more):
        return avp("Multiple-Services-Credit-Control", [avp("Rating-Group", group), *more])

    ledger = Ledger(Tariff(grant=60, unrated=frozenset({9})), {NUMBER: 100})
    given = [service(1, asked()), service(9, asked()), service(2, asked()), service(3, asked())]
    octets = encode_message(Header(272, 0xC0, 4, 1, 1), body(INITIAL, *given))
    result, answer = ledger.charge(message_tree(octets, standard()))
    assert result == 2001
    groups = [{one["name"]: one["value"] for one in inner["value"]} for inner in answer]
    assert [(one["Rating-Group"], one["Result-Code"]) for one in groups] == [
        (1, 2001),
        (9, 5031),
        (2, 2001),
        (3, 4012),
    ]
    assert groups[2]["Granted-Service-Unit"] == [avp("CC-Time", 40)]


@pytest.mark.parametrize(
    ("action", "amount", "outcome", "left"),
    [
        (0, 30, (2001, granted(30)), 70),
        (0, 101, (4012, {}), 100),
        (1, 30, (2001, granted(30)), 130),
        (2, 100, (2001, {"Check-Balance-Result": 0}), 100),
        (2, 101, (2001, {"Check-Balance-Result": 1}), 100),
        (
            3,
            5,
            (
                2001,
                {"Cost-Information": {"Unit-Value": {"Value-Digits": 5}, "Currency-Code": 978}},
            ),
            100,
        ),
        (7, 1, (5004, {}), 100),
        (None, 1, (5005, {}), 100),
    ],
)
def test_events(action, amount, outcome, left):
    ledger = Ledger(Tariff(), {NUMBER: 100})
    assert charge(ledger, EVENT, avp("Requested-Action", action), asked(amount)) == outcome
    assert ledger.balance(NUMBER) == left


def test_what_is_missing():
    ledger = Ledger(Tariff(), {NUMBER: 100})
    assert charge(ledger, None)[0] == 5005
    assert charge(ledger, INITIAL, session=None)[0] == 5005
    charge(ledger, INITIAL)
    assert charge(ledger, 9)[0] == 5004


# -- the server --------------------------------------------------------------------------------


@pytest.fixture
def start(request):
    """Start an OCS and a gateway to it."""

    def make(**settings):
        ocs = OcsFake("127.0.0.1", 0, **settings)
        ocs.start()
        request.addfinalizer(ocs.kill)
        config = DiameterConfig.load({"remote_port": ocs.address[1], "request_timeout_s": 0.1})
        gateway = DiameterGateway("DIA", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
        request.addfinalizer(gateway.kill)
        gateway.start()
        until(lambda: gateway.status().state is GatewayState.UP)
        return ocs, gateway

    return make


def send(gateway, octets, code=272, timeout_s=GUARD_S):
    pending = gateway.send(gateway.connection(), code, 0x40, 4, octets)
    return gateway.receive(pending, timeout_s).tree


def test_it_can_be_started_by_its_kind():
    assert load_fake("diameter") is OcsFake


def test_each_answer_says_what_it_answers(start):
    ocs, gateway = start(subscribers={NUMBER: 5})
    told = []
    ocs.on_request = told.append
    answer = send(gateway, body(INITIAL, avp("CC-Request-Number", 3), asked()))
    names = [one["name"] for one in answer["avps"]]
    assert names == [
        "Session-Id",
        "Origin-Host",
        "Origin-Realm",
        "Result-Code",
        "Auth-Application-Id",
        "CC-Request-Type",
        "CC-Request-Number",
        "Granted-Service-Unit",
    ]
    assert answer["avp"]["CC-Request-Number"] == 3
    assert told == ["Credit-Control-Request s: 2001"]


def test_a_session_is_terminated(start):
    _, gateway = start()
    octets = encode_avps([avp("Session-Id", "s")], standard(), "avps")
    assert send(gateway, octets, 275)["avp"]["Result-Code"] == 5002
    send(gateway, body(INITIAL))
    assert send(gateway, octets, 275)["avp"]["Result-Code"] == 2001


def test_a_forced_result(start):
    _, gateway = start(result_code=3004)
    answer = send(gateway, body(INITIAL))
    assert (answer["avp"]["Result-Code"], answer["is_error"]) == (3004, True)


def test_drops(start):
    _, gateway = start(drop_every=2)
    send(gateway, body(INITIAL))
    with pytest.raises(GatewayError, match="no answer"):
        send(gateway, body(UPDATE), timeout_s=0.1)
    send(gateway, body(UPDATE))


def test_malformed_requests_are_refused(start):
    _, gateway = start()
    octets = bytes.fromhex("00000107 40000009 73000000 0000010c 4000000a 07d10000")
    assert send(gateway, octets)["avp"]["Result-Code"] == 5014


def test_requests_of_sessions_that_are_not_there(start):
    ocs, gateway = start()
    with pytest.raises(GatewayError, match="session s is not known"):
        ocs.request("Re-Auth-Request", "s")
    with pytest.raises(LocalProtocolError):
        ocs.request("Nothing-Request", "s")
    send(gateway, body(INITIAL))
    assert ocs.request("Re-Auth-Request", "s")["avp"]["Result-Code"] == 5002
    send(gateway, body(TERMINATION))
    with pytest.raises(GatewayError, match="session s is not known"):
        ocs.request("Re-Auth-Request", "s")


def test_wrong_settings():
    with pytest.raises(ValueError, match="grant"):
        OcsFake("127.0.0.1", 0, grant=0)
