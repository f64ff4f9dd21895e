"""Answers that are no SOAP, or not as it must be: through the whole service."""

import pytest
from kinds.rest.service import HttpService, failures, first
from unit.transport.http_servers import RawServer, ok

from tsvc.protocols.soap import SOAP_1_1

ENVELOPE = f'<s:Envelope xmlns:s="{SOAP_1_1}">{{}}</s:Envelope>'
BODY = "<s:Body><r><a>1</a></r></s:Body>"
OSD = {"osd": "O"}
LOAD = {"type": "load", "total": 10, "backlog": 2}
CASES = {
    "the message is no XML": "hello",
    "the message is no SOAP envelope": "<html/>",
    "the message is no SOAP envelope but 'Envelope'": ENVELOPE.replace("soap/env", "soap/other"),
    "the envelope has no Body": ENVELOPE.format("<Body/>"),
    "the envelope has 2 elements Body": ENVELOPE.format(BODY * 2),
    "the Fault has no faultstring": ENVELOPE.format(
        "<s:Body><s:Fault><faultcode>s:Client</faultcode></s:Fault></s:Body>"
    ),
}


def call(*tests):
    arguments = {"action": "http://sms/wsdls/P/S/Query", "operation": "Query"}
    return {"type": "osd.Request", "arguments": arguments, "tests": list(tests)}


@pytest.fixture
def play(tmp_path):
    """Return what runs a call whose answer is a text."""
    made = []

    def play(text, *tests, distribution=None, **entry):
        def serve(server, sock, _):
            while server.read(sock) is not None:
                sock.sendall(ok(text.encode(), b"Content-Type: text/xml\r\n"))

        server = RawServer(serve)
        members = {"remote_host": "127.0.0.1", "remote_port": server.port}
        service = HttpService(tmp_path, {"O": ("osd", members)})
        made.extend([service, server])
        more = {} if distribution is None else {"distribution": distribution}
        return service.run({**call(*tests), **entry}, **OSD, **more)

    yield play
    for one in made:
        one.stop()


def test_the_unmutated_one_passes(play):
    result = play(ENVELOPE.format(BODY), {"kpath": "returned.a", "value": "1"})
    assert (result["verdict"], result["counts"]["malformed"]) == ("pass", 0), first(result)


@pytest.mark.parametrize("text", CASES)
def test_a_malformed_answer_fails(play, text):
    result = play(CASES[text])
    assert result["verdict"] == "fail", first(result)
    assert failures(result)[0].startswith(f"malformed answer: {text}")
    assert result["counts"]["malformed"] == 1


@pytest.mark.parametrize(("malformed", "verdict"), [("note", "pass"), ("abort", "abort")])
def test_the_attribute_malformed(play, malformed, verdict):
    result = play("hello", malformed=malformed)
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)


def test_in_a_load(play):
    counts = play(ENVELOPE.format(BODY * 2), distribution=LOAD)["counts"]
    assert counts["failed"] == counts["malformed"] == 10
