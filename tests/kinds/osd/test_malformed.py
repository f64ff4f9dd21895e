"""Answers that are no SOAP, or malformed SOAP: through the whole service."""

import gzip

import pytest
from kinds.rest.service import HttpService, failures, first
from unit.transport.http_servers import RawServer, ok

from tsvc.protocols.soap import SOAP_1_1, SOAP_1_2

ENVELOPE = f'<s:Envelope xmlns:s="{SOAP_1_1}">{{}}</s:Envelope>'
BODY = "<s:Body><r><a>1</a></r></s:Body>"
OSD = {"osd": "O"}
TYPE = "Content-Type: text/xml\r\n"
LOAD = {"type": "load", "total": 10, "backlog": 2}
CASES = {
    "the message is no XML": "hello",
    "the message is no SOAP envelope": "<html/>",
    "the message is no SOAP envelope but 'Envelope'": ENVELOPE.replace("soap/env", "soap/other"),
    "the envelope has no Body": ENVELOPE.format("<Body/>"),
    "the message has a processing instruction": "<?xmd version='1.0'?>" + ENVELOPE.format(BODY),
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
    """Return a function that runs a call whose answer is a text."""
    made = []

    def play(text, *tests, type_=TYPE, distribution=None, more=b"", code=200, behind=b"", **entry):
        octets = text if isinstance(text, bytes) else text.encode()

        def serve(server, sock, _):
            while server.read(sock) is not None:
                answer = ok(octets, type_.encode() + more)
                sock.sendall(answer.replace(b"200 OK", b"%d No" % code, 1) + behind)

        server = RawServer(serve)
        members = {"remote_host": "127.0.0.1", "remote_port": server.port}
        members["soap_version"] = entry.pop("soap_version", "1.1")
        service = HttpService(tmp_path, {"O": ("osd", members)})
        made.extend([service, server])
        params = {} if distribution is None else {"distribution": distribution}
        return service.run({**call(*tests), **entry}, **OSD, **params)

    yield play
    for one in made:
        one.stop()


def test_what_comes_behind_an_answer_fails(play):
    result = play(ENVELOPE.format(BODY), behind=ok(b""))
    assert (result["verdict"], result["counts"]["malformed"]) == ("fail", 1)


def test_the_unmutated_one_passes(play):
    result = play(ENVELOPE.format(BODY), {"kpath": "returned.a", "value": "1"})
    assert (result["verdict"], result["counts"]["malformed"]) == ("pass", 0), first(result)


@pytest.mark.parametrize("text", CASES)
def test_a_malformed_answer_fails(play, text):
    result = play(CASES[text])
    assert result["verdict"] == "fail", first(result)
    assert failures(result)[0].startswith(f"malformed answer: {text}")
    assert result["counts"]["malformed"] == 1


@pytest.mark.parametrize(
    ("type_", "told"),
    [
        ("", "the response has 0 fields Content-Type"),
        (TYPE * 2, "the response has 2 fields Content-Type"),
        ("Content-Type: text/html\r\n", "the Content-Type is 'text/html', not text/xml"),
        ("Content-Type: text/xml;charset=utg-8\r\n", "unknown charset utg-8"),
        ("Content-Type: text/xml;charset=ascii\r\n", "the content is not ascii"),
    ],
)
def test_a_content_type_that_soap_does_not_have(play, type_, told):
    result = play(ENVELOPE.format(BODY.replace("1", "\u00e4")), type_=type_)
    assert result["verdict"] == "fail", first(result)
    assert failures(result)[0].startswith(f"malformed answer: {told}")


@pytest.mark.parametrize(
    ("value", "version", "told"),
    [
        ("text/xml; charset=UTF-8", "1.1", ""),
        ("Application/SOAP+xml;action=a", "1.2", ""),
        ("application/soap+xml", "1.1", "'application/soap+xml', not text/xml"),
        ("text/xml", "1.2", "'text/xml', not application/soap+xml"),
    ],
)
def test_content_types_of_soap(play, value, version, told):
    text = ENVELOPE.format(BODY)
    if version == "1.2":
        text = text.replace(SOAP_1_1, SOAP_1_2)
    result = play(text, type_=f"content-type: {value}\r\n", soap_version=version)
    assert result["verdict"] == ("fail" if told else "pass"), first(result)
    if told:
        assert failures(result) == [f"malformed answer: the Content-Type is {told}"]


FAULT_1_1 = "<s:Fault><faultcode>s:{}</faultcode><faultstring>no</faultstring></s:Fault>"
FAULT_1_2 = (
    "<s:Fault><s:Code><s:Value>s:{}</s:Value></s:Code>"
    "<s:Reason><s:Text xml:lang='en'>no</s:Text></s:Reason></s:Fault>"
)
TYPES = {"1.1": TYPE, "1.2": "Content-Type: application/soap+xml\r\n"}


@pytest.mark.parametrize(
    ("asked", "version", "code", "body", "told"),
    [
        ("1.1", "1.2", 200, "<r/>", "the response is SOAP 1.2, the request was SOAP 1.1"),
        ("1.2", "1.1", 200, "<r/>", "the response is SOAP 1.1, the request was SOAP 1.2"),
        ("1.2", "1.1", 500, FAULT_1_1.format("Server"), "the response is SOAP 1.1"),
        ("1.2", "1.1", 500, FAULT_1_1.format("VersionMismatch"), ""),
        ("1.1", "1.1", 500, FAULT_1_1.format("Server"), ""),
        ("1.2", "1.2", 500, FAULT_1_2.format("Receiver"), ""),
        ("1.2", "1.2", 400, FAULT_1_2.format("Sender"), ""),
        ("1.1", "1.1", 200, FAULT_1_1.format("Server"), "a Fault in HTTP 200"),
        ("1.2", "1.2", 202, FAULT_1_2.format("Sender"), "a Fault in HTTP 202"),
        ("1.1", "1.1", 500, "<r/>", "HTTP 500 without a Fault"),
        ("1.2", "1.2", 500, "<r/>", "HTTP 500 without a Fault"),
    ],
)
def test_the_version_and_the_code_of_an_answer(play, asked, version, code, body, told):
    text = ENVELOPE.format(f"<s:Body>{body}</s:Body>")
    if version == "1.2":
        text = text.replace(SOAP_1_1, SOAP_1_2)
    result = play(text, code=code, type_=TYPES[version], soap_version=asked)
    assert result["verdict"] == ("fail" if told else "pass"), first(result)
    assert not told or failures(result)[0].startswith(f"malformed answer: {told}")


@pytest.mark.parametrize(("malformed", "verdict"), [("note", "pass"), ("abort", "abort")])
def test_the_attribute_malformed(play, malformed, verdict):
    result = play("hello", malformed=malformed)
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)


def test_in_a_load(play):
    counts = play(ENVELOPE.format(BODY * 2), distribution=LOAD)["counts"]
    assert counts["failed"] == counts["malformed"] == 10


@pytest.mark.parametrize("is_cut", [False, True])
def test_an_answer_in_gzip(play, is_cut):
    octets = gzip.compress(ENVELOPE.format(BODY).encode())
    result = play(octets[:-9] if is_cut else octets, more=b"Content-Encoding: gzip\r\n")
    assert result["verdict"] == ("fail" if is_cut else "pass"), first(result)
    assert not is_cut or "is not gzip" in failures(result)[0]
