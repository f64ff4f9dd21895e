"""SOAP envelopes: other parsers and a schema read ours; valid and hostile answers are read."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from lxml import etree

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.soap import (
    SOAP_1_1,
    SOAP_1_2,
    Fault,
    Style,
    build,
    filled,
    header_problem,
    parse,
    parse_request,
)

NAMESPACE = "http://sms.example/wsdls/P/S.wsdl?a=b&c='d'"
INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
SOAP = f"{{{SOAP_1_1}}}"
SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parent / "envelope.xsd"))
PARAMETERS = {
    "msisdn": "6421000001",
    "text": "a<b>&\"c\" 'd' ]]> ü€",
    "number": 7,
    "yes": True,
    "nothing": None,
    "empty": "",
    "list": ["x", 2, {"inner": "y"}],
    "z": {"b": {"c": "1"}, "a": "2"},
}


def envelope(body, namespace=SOAP_1_1):
    return f'<s:Envelope xmlns:s="{namespace}"><s:Body>{body}</s:Body></s:Envelope>'.encode()


def texts(element):
    """Return (name, text or the same for its elements) of the elements in an element, in order."""
    return [(child.tag, texts(child) if len(child) else child.text) for child in element]


def test_numbers_are_written_as_expressions_write_them():
    body = build("Q", "", {"a": 5.0, "b": 0.1 + 0.2, "c": 1e9 + 1, "d": 1e21, "e": 2**70}, Style())
    for text in ("<a>5</a>", "<b>0.3</b>", "<c>1000000001</c>", "<d>1e+21</d>", str(2**70)):
        assert text.encode() in body


def test_another_parser_reads_what_is_built():
    root = ET.fromstring(build("Query", NAMESPACE, PARAMETERS, Style()))
    assert [child.tag for child in root] == [f"{SOAP}Body"]
    (operation,) = root[0]
    assert operation.tag == f"{{{NAMESPACE}}}Query"
    assert texts(operation) == [
        ("msisdn", "6421000001"),
        ("text", PARAMETERS["text"]),
        ("number", "7"),
        ("yes", "true"),
        ("nothing", None),
        ("empty", None),
        ("list", "x"),
        ("list", "2"),
        ("list", [("inner", "y")]),
        ("z", [("b", [("c", "1")]), ("a", "2")]),
    ]


@pytest.mark.parametrize(
    "style",
    [
        Style(),
        Style(alias="ns1", is_on_envelope=True),
        Style(are_parameters_qualified=True),
        Style(header="<h:a xmlns:h='urn:h'>1</h:a>"),
    ],
)
def test_styles_are_valid_envelopes(style):
    octets = build("Query", NAMESPACE, {"a": "1"}, style)
    SCHEMA.assertValid(etree.fromstring(octets))
    text = octets.decode()
    assert f"<{style.alias}:Query" in text
    assert (text.index("xmlns:" + style.alias) < text.index("Body")) is style.is_on_envelope
    parameter = ET.fromstring(octets).find(f".//{{{NAMESPACE}}}a")
    assert (parameter is not None) is style.are_parameters_qualified


def test_without_a_namespace():
    (operation,) = ET.fromstring(build("Query", "", {}, Style(is_on_envelope=True)))[0]
    assert operation.tag == "Query"


@pytest.mark.parametrize(
    ("operation", "parameters", "path"),
    [
        ("Qu ery", {}, "operation"),
        ("", {}, "operation"),
        ("a:b", {}, "operation"),
        ("a><evil/", {}, "operation"),
        ("Q", {"1a": "x"}, "parameters.1a"),
        ("Q", {"a": {"b c": "x"}}, "parameters.a.b c"),
        ("Q", {"a": "\x00"}, "parameters.a"),
        ("Q", {"a": "\ud800"}, "parameters.a"),
        ("Q", {"a": [["x"]]}, "parameters.a"),
    ],
)
def test_what_xml_cannot_carry(operation, parameters, path):
    with pytest.raises(LocalProtocolError) as raised:
        build(operation, NAMESPACE, parameters, Style())
    assert raised.value.path == path


def test_parameters_without_a_bottom():
    endless = {}
    endless["a"] = endless
    with pytest.raises(LocalProtocolError, match="deeper than 64"):
        build("Q", "", endless, Style())


def test_an_answer_becomes_a_tree():
    answer = parse(
        envelope(
            f'<r:QueryResponse xmlns:r="urn:r" xmlns:xsi="{INSTANCE}">'
            "<!-- words --><r:code type='int'> 0 </r:code>"
            "<rows><a>1</a></rows><rows><a>2</a></rows><rows/><nil xsi:nil='true'/>"
            "<deep><er>&lt;x&gt;<![CDATA[&]]></er></deep>"
            "</r:QueryResponse><second/>"
        )
    )
    assert answer.as_dict() == {
        "element": "QueryResponse",
        "returned": {
            "code": " 0 ",
            "rows": [{"a": "1"}, {"a": "2"}, ""],
            "nil": None,
            "deep": {"er": "<x>&"},
        },
    }


@pytest.mark.parametrize(
    ("body", "element", "returned"),
    [("", "", None), ("<a/>", "a", ""), ("<a>7</a>", "a", "7"), (" <a> </a>", "a", " ")],
)
def test_small_answers(body, element, returned):
    answer = parse(envelope(body))
    assert (answer.element, answer.returned, answer.fault) == (element, returned, None)


def test_faults():
    words = "<faultcode>s:Server</faultcode><faultstring> no such subscriber</faultstring>"
    plain = parse(envelope(f"<s:Fault>{words}</s:Fault>"))
    assert plain.as_dict() == {
        "element": "Fault",
        "fault": {"code": "s:Server", "string": "no such subscriber", "detail": None},
    }
    detailed = parse(envelope(f"<s:Fault>{words}<detail><cause>1</cause></detail></s:Fault>"))
    assert detailed.fault.detail == {"cause": "1"}
    assert parse(envelope("<s:Fault/>")).fault == Fault("", "")


def test_a_fault_of_soap_1_2():
    body = (
        "<s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason>"
        "<s:Text xml:lang='en'>wrong</s:Text></s:Reason><s:Detail><c>4</c></s:Detail></s:Fault>"
    )
    assert parse(envelope(body, SOAP_1_2)).fault == Fault(
        "s:Sender", "wrong", {"c": "4"}, (), (("en", "wrong"),)
    )


def test_an_element_called_fault_is_none():
    answer = parse(envelope("<Fault><faultcode>x</faultcode></Fault>"))
    assert (answer.element, answer.fault) == ("Fault", None)


LAUGHS = (
    '<!DOCTYPE s:Envelope [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]>"
)


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"<html><body>Not found</body></html>",
        b"Service unavailable",
        b"{}",
        b"\xff\xfe\x00",
        envelope("<a>")[:-20],
        envelope("<a></b>"),
        b"<a/>",
        f'<Envelope xmlns="{SOAP_1_1}"/>'.encode(),
        b"<Envelope><Body><a/></Body></Envelope>",
        LAUGHS.encode() + envelope("<a>&i;</a>"),
        b'<!DOCTYPE a SYSTEM "http://evil.invalid/x">' + envelope("<a/>"),
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + envelope("<a>&x;</a>"),
        envelope("<a>" * 300 + "</a>" * 300),
        envelope("<a>" * 100 + "</a>" * 100),
        envelope("<a>&unknown;</a>"),
    ],
)
def test_what_is_no_answer(octets):
    with pytest.raises(RemoteProtocolError):
        parse(octets)


def test_a_request_read_by_the_fake():
    octets = build("Query", NAMESPACE, {"a": "1", "b": ["2", "3"]}, Style())
    assert parse_request(octets) == ("Query", {"a": "1", "b": ["2", "3"]}, "1.1")
    for body in ("", "<s:Fault/>"):
        with pytest.raises(RemoteProtocolError):
            parse_request(envelope(body))


def test_header_templates():
    template = "<a><u>{username}</u><p>{password}</p></a>"
    assert filled(template, "me&you", "<p>") == "<a><u>me&amp;you</u><p>&lt;p&gt;</p></a>"
    assert filled(template, "{password}", "x") == "<a><u>{password}</u><p>x</p></a>"
    assert header_problem(template) == ""
    assert "not well-formed" in header_problem("<a>")
    assert "not well-formed" in header_problem("<n:a/>")
