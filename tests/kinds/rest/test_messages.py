"""HTTP and SOAP messages as the ladder shows them; it accepts octets of any kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.kinds.osd import messages as osd
from tsvc.kinds.rest import messages as rest

SOAP = (
    b'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>%s</s:Body>'
    b"</s:Envelope>"
)


def test_a_request():
    octets = b"POST /api/x?a=1 HTTP/1.1\r\nContent-Type: application/json\r\n\r\n" + b'{"id": 1}'
    said = rest.decode(octets, True)
    assert (said.title, said.facts) == ("POST /api/x", ("?a=1", '{"id": 1}'))
    assert said.content["content_json"] == {"id": 1}
    assert not said.is_failure


def test_a_response_in_chunks():
    head = b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n"
    said = rest.decode(head + b"3;a\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", False)
    assert (said.title, said.facts, said.is_failure) == ("503 Busy", ("abcde",), True)
    assert said.content["content"] == "abcde"


def test_octets_that_are_no_text():
    said = rest.decode(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\xff", False)
    assert said.facts == ("5 octets of image/png",)
    assert said.content["content_hex"] == "89504e47ff"


def test_soap():
    body = SOAP % b"<q:Query xmlns:q='urn:q'><a>1</a><b>2</b><b>3</b></q:Query>"
    said = osd.decode(b"POST / HTTP/1.1\r\n\r\n" + body, True)
    assert (said.title, said.facts) == ("Query", ("a=1, b=[2, 3]",))
    assert said.content["returned"] == {"a": "1", "b": ["2", "3"]}
    said = osd.decode(b"HTTP/1.1 404 Not Found\r\n\r\n<html/>", False)
    assert (said.title, said.is_failure) == ("HTTP 404", True)
    assert osd.decode(b"HTTP/1.1 200 OK\r\n\r\n" + SOAP % b"", False).title == "HTTP 200"


@pytest.mark.parametrize("decode", [rest.decode, osd.decode])
@given(octets=st.binary(max_size=200), is_sent=st.booleans(), head=st.sampled_from(["", "c", "j"]))
def test_it_never_raises(decode, octets, is_sent, head):
    heads = {
        "": b"",
        "c": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "j": b"HTTP/1.1 200 OK\r\nContent-Type: text/json; charset=utf-16\r\n\r\n",
    }
    said = decode(heads[head] + octets, is_sent)
    assert isinstance(said.title, str)
    assert said.title
