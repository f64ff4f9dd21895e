"""The osd gateway against the fake, its absence, and servers that do not speak SOAP."""

import pytest
from marshmallow import ValidationError
from support.ports import free_port
from support.waiting import until
from unit.transport.http_servers import RawServer, answering, ok

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.gateways.gateway import GATEWAYS, GatewayContext, GatewayState
from tsvc.kinds.osd.fake import OsdFake
from tsvc.kinds.osd.gateway import OsdConfig, OsdGateway
from tsvc.protocols.soap import SOAP_1_1

ACTION = "http://sms.example/wsdls/P/Accounts/QueryBalance"
WSDL = "http://sms.example/wsdls/P/Accounts.wsdl"
MSISDN = {"msisdn": "6421000001"}


@pytest.fixture
def fake(request):
    def start(**settings):
        made = OsdFake(**settings)
        made.start()
        request.addfinalizer(made.stop)
        return made

    return start


@pytest.fixture
def start(request):
    def start_one(port, *, state=GatewayState.UP, **members):
        given = {"remote_host": "127.0.0.1", "remote_port": port, "reconnect_interval_s": 0.05}
        config = OsdConfig.load({**given, **members})
        gateway = OsdGateway("OSD-1", config, GatewayContext(SYSTEM_CLOCK, lambda: 0.5))
        request.addfinalizer(gateway.kill)
        gateway.start()
        until(lambda: gateway.status().state is state)
        return gateway

    return start_one


@pytest.fixture
def serve(request):
    def start_one(*answers):
        server = RawServer(answering(*answers))
        request.addfinalizer(server.stop)
        return server

    return start_one


def test_it_is_a_kind():
    assert GATEWAYS.get("osd") is OsdGateway


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"security": "basic"}, "username"),
        ({"security": "inline"}, "username"),
        ({"security": "kerberos"}, "security"),
        ({"security": "inline", "username": "u", "header_template": "<a>"}, "header_template"),
        ({"namespace_alias": "soap"}, "namespace_alias"),
        ({"namespace_alias": "a b"}, "namespace_alias"),
        ({"namespace_location": "body"}, "namespace_location"),
    ],
)
def test_configurations_that_are_refused(members, key):
    with pytest.raises(ValidationError) as raised:
        OsdConfig.load({"remote_host": "h", **members})
    assert list(raised.value.messages) == [key]


def test_an_answer(fake, start):
    server = fake()
    gateway = start(server.address[1])
    code, answer = gateway.call(ACTION, WSDL, "QueryBalance", MSISDN)
    assert code == 200
    assert answer.as_dict() == {
        "element": "QueryBalanceResponse",
        "returned": {"balance": "1450", "state": "A"},
    }
    (received,) = server.received
    assert received.path == "/wsdls/P/Accounts/QueryBalance"
    assert received.fields["soapaction"] == f'"{ACTION}"'
    assert received.fields["content-type"] == "text/xml; charset=utf-8"


def test_a_path_of_the_configuration(fake, start):
    server = fake()
    start(server.address[1], path="/osd").call(ACTION, WSDL, "QueryBalance", MSISDN)
    assert server.received[-1].path == "/osd"


@pytest.mark.parametrize(
    ("parameters", "cause", "words"),
    [
        ({"msisdn": "1"}, "1", "no such subscriber"),
        ({}, "3", "missing parameter"),
        ({"msisdn": "abc"}, "4", "mis-typed parameter"),
    ],
)
def test_faults_are_data(fake, start, parameters, cause, words):
    code, answer = start(fake().address[1]).call(ACTION, WSDL, "QueryBalance", parameters)
    assert code == 500
    assert answer.fault.as_dict() == {
        "code": "soap:Server",
        "string": words,
        "detail": {"cause": cause},
    }


def test_scripts_of_the_fake(fake, start):
    operations = {
        "Broken": {"cause": 5},
        "List": {"returns": {"rows": [{"a": 1}, {"a": 2}]}},
        "Gone": {"http_code": 404},
    }
    gateway = start(fake(operations=operations).address[1])
    assert gateway.call(ACTION, "", "Broken", {})[1].fault.detail == {"cause": "5"}
    listed = gateway.call(ACTION, "", "List", {})[1]
    assert listed.returned == {"rows": [{"a": "1"}, {"a": "2"}]}
    assert gateway.call(ACTION, "", "Nothing", {})[1].fault.code == "soap:Client"
    with pytest.raises(GatewayError, match="OSD-1: HTTP 404: the message is no XML"):
        gateway.call(ACTION, "", "Gone", {})


def test_a_slow_answer(fake, start):
    server = fake(operations={"Slow": {"delay_s": 20.0}})
    gateway = start(server.address[1], server_timeout_s=0.1)
    with pytest.raises(GatewayError, match=r"no response within 0\.1 s"):
        gateway.call(ACTION, "", "Slow", {})


def test_basic_credentials(fake, start):
    server = fake(username="me", password="secret")
    right = start(server.address[1], security="basic", username="me", password="secret")
    assert right.call(ACTION, WSDL, "QueryBalance", MSISDN)[0] == 200
    wrong = start(server.address[1], security="basic", username="me", password="other")
    with pytest.raises(GatewayError, match="HTTP 401"):
        wrong.call(ACTION, WSDL, "QueryBalance", MSISDN)


@pytest.mark.parametrize("security", ["none", "basic", "inline"])
def test_credentials_are_not_shown(fake, start, security):
    server = fake()
    secret = "p<a>ss&word"
    gateway = start(server.address[1], security=security, username="me", password=secret)
    told = []
    gateway.call(
        ACTION, WSDL, "QueryBalance", MSISDN, lambda sent, octets, _: told.append((sent, octets))
    )
    assert [sent for sent, _ in told] == [True, False]
    request = told[0][1]
    assert request.startswith(b"POST /wsdls/P/Accounts/QueryBalance HTTP/1.1\r\n")
    assert b"<msisdn>6421000001</msisdn>" in request
    assert b"p&lt;a&gt;ss&amp;word" not in request
    assert b"bWU6cDxhPnNzJndvcmQ=" not in request
    sent = server.received[-1]
    assert (b"p&lt;a&gt;ss&amp;word" in sent.body) is (security == "inline")
    assert (sent.fields.get("authorization") is not None) is (security == "basic")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (ok(b"<html/>"), "no SOAP envelope"),
        (ok(b"hello"), "no XML"),
        (ok(b""), "no XML"),
    ],
)
def test_what_is_no_soap(serve, start, answer, words):
    gateway = start(serve(answer).port)
    code, found = gateway.call(ACTION, "", "Query", {})
    assert (code, found.element, found.returned) == (200, "", None)
    (note,) = found.notes
    assert words in note


def test_what_is_no_http(serve, start):
    gateway = start(serve(b"garbage\r\n\r\n").port)
    with pytest.raises(GatewayError, match="malformed response"):
        gateway.call(ACTION, "", "Query", {})


def test_an_empty_body_is_an_answer(serve, start):
    empty = f'<e:Envelope xmlns:e="{SOAP_1_1}"><e:Body/></e:Envelope>'
    code, answer = start(serve(ok(empty.encode())).port).call(ACTION, "", "Query", {})
    assert (code, answer.element, answer.returned) == (200, "", None)


@pytest.mark.parametrize(
    ("action", "operation", "path"),
    [
        ('a"b', "Q", "action"),
        ("a\r\nb", "Q", "action"),
        ("é", "Q", "action"),
        ("a", "<", "operation"),
    ],
)
def test_what_cannot_be_sent(fake, start, action, operation, path):
    server = fake()
    gateway = start(server.address[1])
    with pytest.raises(LocalProtocolError) as raised:
        gateway.call(action, "", operation, {})
    assert raised.value.path == path
    assert not server.received


def test_the_server_goes_and_comes_back(start, fake):
    port = free_port()
    server = fake(port=port)
    gateway = start(port)
    server.stop()
    until(lambda: gateway.status().state is GatewayState.CONNECTING)
    with pytest.raises(GatewayError):
        gateway.call(ACTION, WSDL, "QueryBalance", MSISDN)
    fake(port=port)
    until(lambda: gateway.status().state is GatewayState.UP)
    assert gateway.call(ACTION, WSDL, "QueryBalance", MSISDN)[0] == 200
