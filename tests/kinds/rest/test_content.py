"""Content: XML that tests read, and multipart forms that other software must be able to read."""

import json
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds.rest.service import HttpService, failures, first
from support.node import running_node
from unit.transport.http_servers import RawServer, ok

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.kinds.rest.content import form_problem, tree_of
from tsvc.kinds.rest.multipart import multipart
from tsvc.protocols.xml_tree import xml_tree
from tsvc.transport.http.message import Response

ORDER = """<?xml version="1.0" encoding="iso-8859-1"?>
<!-- an order --><o:order xmlns:o="urn:o" id="7" o:kind="new">
<item n="1">a</item><item>b &amp; c</item>
<note>gr\u00fcn <b>x</b> y</note>
<none xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/><empty/></o:order>""".encode(
    "latin-1"
)
TREE = {
    "order": {
        "@id": "7",
        "@kind": "new",
        "item": [{"@n": "1", "#text": "a"}, "b & c"],
        "note": {"b": "x", "#text": "grün  y"},
        "none": None,
        "empty": "",
    }
}
TENFOLD = (f'<!ENTITY y{n} "{f"&y{n - 1};" * 10 if n else "ha"}">' for n in range(10))
LAUGHS = f'<?xml version="1.0"?><!DOCTYPE a [{"".join(TENFOLD)}]><a b="&y9;">&y9;</a>'


def response(body, content_type="application/xml"):
    return Response(200, "OK", (("Content-Type", content_type),), body, b"")


def test_a_tree():
    assert xml_tree(ORDER) == TREE
    assert tree_of(response(ORDER))["content_xml"] == TREE
    assert form_problem(response(ORDER), "GET") == ""


def test_the_charset_of_the_header_stands_above_that_of_the_document():
    octets = ORDER.decode("latin-1").encode()
    assert xml_tree(octets, "utf-8") == TREE
    assert xml_tree(octets) != TREE


@pytest.mark.parametrize(
    ("octets", "words"),
    [
        (b"", "empty"),
        (b"<a>", "Premature end"),
        (b"<a/><b/>", "Extra content"),
        (b"<a>&x;</a>", "Entity 'x' not defined"),
        (b"<a>" * 70 + b"</a>" * 70, "deeper than 64"),
        (b"<a>" * 100_000, "."),
        (LAUGHS.encode(), "."),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "document types"),
        (LAUGHS.encode("utf-16"), "."),
    ],
)
def test_what_is_refused(octets, words):
    with pytest.raises(RemoteProtocolError, match=words):
        xml_tree(octets)
    tree = tree_of(response(octets))
    assert "content_xml" not in tree
    assert tree["content_xml_error"]


def test_every_cut_is_no_xml():
    for cut in range(len(ORDER)):
        assert form_problem(response(ORDER[:cut]), "GET").startswith("the content is no XML"), cut


@pytest.mark.parametrize("type_", ["application/xhtml+xml", "text/xml; charset=utf-8"])
def test_a_document_type_is_no_malformation(type_):
    assert form_problem(response(b"<!DOCTYPE html><html/>", type_), "GET") == ""


LEAVES = st.text(st.characters(codec="ascii", min_codepoint=32), max_size=5)
ELEMENTS = st.recursive(
    st.tuples(st.sampled_from("abc"), st.dictionaries(st.sampled_from("xy"), LEAVES), LEAVES),
    lambda inner: st.tuples(
        st.sampled_from("abc"), st.dictionaries(st.sampled_from("xy"), LEAVES),
        st.lists(inner, min_size=1, max_size=4),
    ),
)  # fmt: skip


def element_of(made):
    name, attributes, inner = made
    element = ET.Element(name, attributes)
    if isinstance(inner, str):
        element.text = inner
    else:
        element.extend(element_of(one) for one in inner)
    return element


def expected(element):
    found = {f"@{name}": text for name, text in element.attrib.items()}
    for name in {child.tag for child in element}:
        values = [expected(child) for child in element if child.tag == name]
        found[name] = values if len(values) > 1 else values[0]
    text = element.text or ""
    if found and text.strip():
        found["#text"] = text
    return found or text


@given(made=ELEMENTS)
def test_what_another_library_writes_is_read(made):
    element = element_of(made)
    assert xml_tree(ET.tostring(element)) == {element.tag: expected(element)}


# -- through the service --------------------------------------------------------------------------


@pytest.fixture
def daemon(tmp_path):
    made = []

    def make(port, **engine):
        applications = {"R1": ("rest", {"base_uri": f"http://127.0.0.1:{port}"})}
        made.append(HttpService(tmp_path, applications, **engine))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def test_kpaths(daemon):
    def serve(server, sock, _):
        while server.read(sock) is not None:
            is_cut = b"cut" in server.requests[-1]
            sock.sendall(ok(ORDER[:-4] if is_cut else ORDER, b"Content-Type: text/xml\r\n"))

    server = RawServer(serve)
    try:
        tsvc = daemon(server.port)
        ask = {"type": "rest.Request", "arguments": {"path": "/x", "method": "GET"}}
        tests = [
            {"kpath": "rest.content_xml.order.@id", "type": "integer", "value": 7},
            {"kpath": "rest.content_xml.order.item.[0].#text", "value": "a"},
            {"kpath": "rest.content_xml.order.item.[1]", "value": "b & c"},
        ]
        result = tsvc.run({**ask, "tests": tests}, rest="R1")
        assert result["verdict"] == "pass", first(result)
        result = tsvc.run({**ask, "arguments": {"path": "/cut", "method": "GET"}}, rest="R1")
    finally:
        server.stop()
    assert result["verdict"] == "fail"
    assert failures(result)[0].startswith("malformed response: the content is no XML: ")


# Node's own reader of forms: part by part, as a browser's server would see them.
NODE = """
const server = require("http").createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const form = await new Response(Buffer.concat(chunks), {headers: request.headers}).formData();
    const parts = [];
    for (const [name, value] of form) {
      const isText = typeof value === "string";
      const octets = isText ? Buffer.from(value) : Buffer.from(await value.arrayBuffer());
      const file = isText ? {name: "", type: ""} : value;
      parts.push([name, octets.toString("hex"), file.name, file.type]);
    }
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({parts}));
  } catch (error) { response.statusCode = 400; response.end(String(error)); }
});
"""


@pytest.fixture(scope="module")
def node():
    with running_node(NODE) as port:
        yield port


def post(*parts):
    arguments = {"path": "/form", "method": "POST", "multipart": list(parts)}
    return {"type": "rest.Request", "arguments": arguments}


def test_node_reads_a_form(daemon, node, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "photo.bin").write_bytes(bytes(range(256)) * 300)
    tsvc = daemon(node, data_dir=tmp_path / "data")
    step = post(
        {"name": "msisdn", "value": "{$v->{msisdn}}"},
        {"name": "password", "value": "t0p-secret"},
        {"name": 'a "b"', "value": "grün\r\n--tsvc"},
        {"name": "photo", "file": "photo.bin", "content_type": "image/png"},
        {"name": "raw", "content_hex": "00ff0d0a", "filename": "x.bin"},
        {"name": "json", "value": {"n": [1]}, "content_type": "application/json"},
    )
    keep = {"type": "eval", "expression": "$v->{got} = $i->{REST}{content}"}
    params = {"vars": {"msisdn": "6421"}, "rest": "R1", "trace_level": 3}
    result = tsvc.run(step, keep, **params)
    assert result["verdict"] == "pass", first(result)
    assert json.loads(first(result)["vars"]["got"])["parts"] == [
        ["msisdn", b"6421".hex(), "", ""],
        ["password", b"t0p-secret".hex(), "", ""],
        ['a "b"', "grün\r\n--tsvc".encode().hex(), "", ""],
        ["photo", (bytes(range(256)) * 300).hex(), "photo.bin", "image/png"],
        ["raw", "00ff0d0a", "x.bin", "application/octet-stream"],
        ["json", b'{"n": [1]}'.hex(), "", ""],
    ]
    (sent, _) = first(result)["messages"]
    assert b"t0p-secret" not in bytes.fromhex(sent["hex"])
    assert b"\r\n\r\n**********\r\n" in bytes.fromhex(sent["hex"])


@pytest.mark.parametrize(
    ("parts", "place", "words"),
    [
        ([{"value": "x"}], "multipart[0].name", "missing"),
        ([{"name": "a"}], "multipart[0]", "needs one of value, content_hex and file"),
        ([{"name": "a", "value": "x", "file": "y"}], "multipart[0]", "no more"),
        ([{"name": "a", "file": "y"}], "multipart[0].file", "y is no file below"),
        ([{"name": "a", "file": "../y"}], "multipart[0].file", "outside engine.data_dir"),
        ([{"name": "a", "content_hex": "xx"}], "multipart[0].content_hex", "hex"),
        ([{"name": "a", "value": {"b": 1}}], "multipart[0].value", "can't be sent as text/plain"),
    ],
)
def test_what_is_told_before_the_run(daemon, node, tmp_path, parts, place, words):
    tsvc = daemon(node, data_dir=tmp_path)
    found = tsvc.problems(post(*parts), rest="R1")
    assert words in found[f"params.operations[0].arguments.{place}"]


def test_two_contents_are_told(daemon, node):
    step = post({"name": "a", "value": "b"})
    step["arguments"]["content"] = "x"
    found = daemon(node).problems(step, rest="R1")
    assert found == {"params.operations[0].arguments.content": "multipart is given too"}


@given(octets=st.binary(max_size=200))
def test_the_boundary_is_in_no_part(octets):
    parts = [{"name": "a", "content_hex": octets.hex()}]
    type_, body = multipart(parts, lambda name: b"")
    boundary = type_.partition("boundary=")[2].encode()
    assert body.count(boundary) == 2
    assert octets in body


def test_a_file_that_cannot_be_read():
    def read(name):
        raise PermissionError(13, "Permission denied")

    with pytest.raises(LocalProtocolError, match="x can't be read: Permission denied"):
        multipart([{"name": "a", "file": "x"}], read)
