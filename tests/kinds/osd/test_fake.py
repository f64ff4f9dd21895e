"""The fake OSD, asked by the standard library's client and read by its parser."""

import http.client
import xml.etree.ElementTree as ET

import gevent
import pytest
from gevent import socket
from support.waiting import GUARD_S

from tsvc.gateways.fake import load_fake
from tsvc.kinds.osd.fake import OsdFake

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
REQUEST = (
    f'<S:Envelope xmlns:S="{SOAP}"><S:Body><n:QueryBalance xmlns:n="urn:x">'
    "<msisdn>6421000001</msisdn></n:QueryBalance></S:Body></S:Envelope>"
)


@pytest.fixture
def fake():
    made = OsdFake()
    made.start()
    yield made
    made.stop()


def post(address, body, times=1):
    """Send a request in a thread, as the client does not use gevent; return the answer."""

    def ask():
        connection = http.client.HTTPConnection(*address, timeout=GUARD_S)
        try:
            for _ in range(times):
                connection.request("POST", "/", body, {"Content-Type": "text/xml"})
                response = connection.getresponse()
                found = response.status, response.read()
            return found
        finally:
            connection.close()

    return gevent.get_hub().threadpool.apply(ask)


def test_it_can_be_named():
    assert load_fake("osd") is OsdFake


def test_an_answer_as_others_read_it(fake):
    status, octets = post(fake.address, REQUEST, times=3)
    assert status == 200
    (body,) = ET.fromstring(octets)
    (response,) = body
    assert (body.tag, response.tag) == (f"{{{SOAP}}}Body", "QueryBalanceResponse")
    assert [(child.tag, child.text) for child in response] == [("balance", "1450"), ("state", "A")]
    assert len(fake.received) == 3


def test_it_tells_of_each_request(fake):
    told = []
    fake.on_request = told.append
    post(fake.address, REQUEST)
    post(fake.address, REQUEST.replace("6421000001", "17"))
    post(fake.address, REQUEST.replace("QueryBalance", "Other"))
    post(fake.address, "hello")
    assert told[:3] == [
        "QueryBalance: answered",
        "QueryBalance: cause 1, no such subscriber",
        "Other: unknown",
    ]
    assert told[3].startswith("no request: ")


def test_a_fault_as_others_read_it(fake):
    status, octets = post(fake.address, REQUEST.replace("6421000001", ""))
    fault = ET.fromstring(octets).find(f"{{{SOAP}}}Body/{{{SOAP}}}Fault")
    assert (status, fault.findtext("detail/cause")) == (500, "3")


@pytest.mark.parametrize("body", ["", "hello", "<a/>", REQUEST[:-10]])
def test_what_is_no_request_is_a_fault(fake, body):
    status, octets = post(fake.address, body)
    fault = ET.fromstring(octets).find(f"{{{SOAP}}}Body/{{{SOAP}}}Fault")
    assert (status, fault.findtext("faultcode")) == (500, "soap:Client")


def test_settings_that_are_wrong():
    with pytest.raises(ValueError, match="operations"):
        OsdFake(operations={"A": {"cause": 2}})
    with pytest.raises(ValueError, match="nonsense"):
        OsdFake(nonsense=1)


def test_start_and_stop_twice():
    fake = OsdFake()
    fake.start()
    address = fake.address
    fake.start()
    assert fake.address == address
    fake.stop()
    fake.stop()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(address)
