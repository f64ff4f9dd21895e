"""SOAP 1.2, attributes, xsi:nil, several namespaces and header blocks, checked by a schema."""

import copy
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree

from tsvc.errors import LocalProtocolError
from tsvc.protocols.soap import SOAP_1_1, SOAP_1_2, Style, build, parse, read

INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
XML = "http://www.w3.org/XML/1998/namespace"
FAULTS = etree.XMLSchema(etree.parse(Path(__file__).parent / "fault_1_2.xsd"))
SPACES = {"t": "urn:types", "u": "urn:types", "b": "urn:b?c='d'&e"}


def test_what_was_sent_before_is_sent_to_the_octet():
    """An envelope of 1.1 is the same as before other versions were added."""
    parameters = {"a": [1, {"b": "<"}], "c": None, "d": True}
    assert build("Q", "urn:o", parameters, Style(header="<h/>")) == (
        b'<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope '
        b'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Header><h/></soap:Header>'
        b'<soap:Body><oper:Q xmlns:oper="urn:o"><a>1</a><a><b>&lt;</b></a><c/><d>true</d>'
        b"</oper:Q></soap:Body></soap:Envelope>"
    )


@pytest.mark.parametrize(("version", "uri"), [("1.1", SOAP_1_1), ("1.2", SOAP_1_2)])
def test_the_namespace_of_a_version(version, uri):
    octets = build("Q", "urn:o", {"a": 1}, Style(version=version))
    assert etree.fromstring(octets).tag == f"{{{uri}}}Envelope"
    assert parse(octets).version == version


def test_attributes_namespaces_nil_and_headers():
    octets = build(
        "Q",
        "urn:o",
        {
            "t:a": {"@x": "1 \"'<&>\n\t", "@t:x": 2, "@xml:lang": "en", "b:c": "v", "#text": "w"},
            "d": [{"@xsi:nil": True}, None, {"@left_out": None, "#text": ""}],
            "e": {"@xsi:type": "t:Thing", "f": True},
        },
        Style(version="1.2", header="<h:own xmlns:h='urn:h'/>"),
        SPACES,
        {"t:Caller": {"@soap:mustUnderstand": True, "t:user": "me"}, "b:n": [1, 2]},
    )
    root = etree.fromstring(octets)
    header, body = root
    assert [(one.tag, one.text) for one in header] == [
        ("{urn:h}own", None),
        ("{urn:types}Caller", None),
        (f"{{{SPACES['b']}}}n", "1"),
        (f"{{{SPACES['b']}}}n", "2"),
    ]
    assert dict(header[1].attrib) == {f"{{{SOAP_1_2}}}mustUnderstand": "true"}
    a, nil, empty, left_out, e = body[0]
    assert a.tag == "{urn:types}a"
    assert dict(a.attrib) == {"x": "1 \"'<&>\n\t", "{urn:types}x": "2", f"{{{XML}}}lang": "en"}
    assert (a[0].tag, a[0].text, a[0].tail) == (f"{{{SPACES['b']}}}c", "v", "w")
    assert (nil.tag, dict(nil.attrib)) == ("d", {f"{{{INSTANCE}}}nil": "true"})
    assert not empty.attrib
    assert not left_out.attrib
    assert e.get(f"{{{INSTANCE}}}type") == "t:Thing"
    assert e.nsmap["t"] == "urn:types"


def test_attributes_of_the_operation():
    octets = build("Q", "urn:o", {"@x": 1, "@t:y": 2, "a": 3}, Style(), SPACES)
    operation = etree.fromstring(octets)[0][0]
    assert dict(operation.attrib) == {"x": "1", "{urn:types}y": "2"}
    assert texts_of(operation) == [("a", "3")]


def texts_of(element):
    return [(child.tag, child.text) for child in element]


def test_null_may_be_nil():
    octets = build("Q", "", {"a": None}, Style(is_null_nil=True))
    assert etree.fromstring(octets)[0][0][0].get(f"{{{INSTANCE}}}nil") == "true"
    assert parse(octets).returned == {"a": None}


@pytest.mark.parametrize(
    ("parameters", "more", "path"),
    [
        ({"x:a": 1}, {}, "parameters.x:a"),
        ({"t:a:b": 1}, {}, "parameters.t:a:b"),
        ({":a": 1}, {}, "parameters.:a"),
        ({"a": {"@x:b": 1}}, {}, "parameters.a.@x:b"),
        ({"a": {"@b": {"c": 1}}}, {}, "parameters.a.@b"),
        ({"a": {"@b": [1]}}, {}, "parameters.a.@b"),
        ({"a": {"@": 1}}, {}, "parameters.a.@"),
        ({"a": {"@xmlns": "u"}}, {}, "parameters.a.@xmlns"),
        ({"a": {"@xmlns:x": "u"}}, {}, "parameters.a.@xmlns:x"),
        ({"a": {"@t:b": 1, "@u:b": 2}}, {}, "parameters.a.@u:b"),
        ({"a": {"@b": "\x00"}}, {}, "parameters.a.@b"),
        ({"@a b": 1}, {}, "parameters.@a b"),
        ({}, {"headers": {"@t:a": 1}}, "headers.@t:a"),
        ({"a": {"#text": [1]}}, {}, "parameters.a.#text"),
        ({}, {"headers": {"a": 1}}, "headers.a"),
        ({}, {"headers": {"x:a": 1}}, "headers.x:a"),
        ({}, {"headers": {"t:a": {"b c": 1}}}, "headers.t:a.b c"),
        ({}, {"namespaces": {"a b": "u"}}, "namespaces.a b"),
        ({}, {"namespaces": {"soap": "u"}}, "namespaces.soap"),
        ({}, {"namespaces": {"xmlfoo": "u"}}, "namespaces.xmlfoo"),
        ({}, {"namespaces": {"oper": "u"}}, "namespaces.oper"),
        ({}, {"namespaces": {"x": ""}}, "namespaces.x"),
        ({}, {"namespaces": {"x": 1}}, "namespaces.x"),
        ({}, {"namespaces": {"x": "a b"}}, "namespaces.x"),
        ({}, {"namespaces": {"x": XML}}, "namespaces.x"),
    ],
)
def test_what_cannot_be_written(parameters, more, path):
    with pytest.raises(LocalProtocolError) as raised:
        build("Q", "urn:o", parameters, Style(), **{"namespaces": SPACES, **more})
    assert raised.value.path == path


NAMES = st.sampled_from(["a", "b", "t:a", "b:b"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=5)
LEAVES = st.none() | TEXTS | st.integers() | st.booleans()
ATTRIBUTES = st.sampled_from(["@x", "@t:x", "@b:y", "@xml:lang", "#text"])
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner.filter(lambda one: not isinstance(one, list)), max_size=3)
        | st.builds(
            lambda members, attributes: {**attributes, **members},
            st.dictionaries(NAMES, inner, max_size=3),
            st.dictionaries(ATTRIBUTES, TEXTS, max_size=3),
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, TREES, max_size=3), st.booleans())
def test_what_is_built_is_what_another_parser_reads(parameters, is_null_nil):
    """Any parameters give well-formed XML that contains all given values in their places."""
    assume("\x7f" not in str(parameters))
    style = Style(version="1.2", is_null_nil=is_null_nil)
    octets = build("Q", "urn:o", parameters, style, SPACES)
    assert not read(octets).notes
    root = etree.fromstring(octets)
    assert said(root[0][0]) == [
        leaf
        for name, value in parameters.items()
        for leaf in meant(name, value, is_null_nil=is_null_nil)
    ]


def whole(name, kind=""):
    prefix, _, local = name.rpartition(":")
    uri = {**SPACES, "xml": XML}.get(prefix)
    return kind + (f"{{{uri}}}{local}" if uri else local)


def meant(name, value, *, is_null_nil):
    """Return the expected elements and attributes of a parameter, in their order."""
    found = []
    for one in value if isinstance(value, list) else [value]:
        found.append((whole(name), []))
        if one is None and is_null_nil:
            found[-1][1].append((f"{{{INSTANCE}}}nil", "true"))
        if isinstance(one, dict):
            found[-1][1].extend(
                sorted((whole(n[1:]), v) for n, v in one.items() if n.startswith("@"))
            )
            texts = [one.get("#text", "")]
            inner = [
                leaf
                for n, v in one.items()
                if n[0] not in "@#"
                for leaf in meant(n, v, is_null_nil=is_null_nil)
            ]
        else:
            texts = [
                "" if one is None else str(one).lower() if isinstance(one, bool) else str(one)
            ]
            inner = []
        found.append(("text", texts[0]))
        found += inner
    return found


def said(element):
    found = []
    for child in element:
        found.append((child.tag, sorted(child.attrib.items())))
        texts = [child.text or "", *(inner.tail or "" for inner in child)]
        found.append(("text", "".join(texts)))
        found += said(child)
    return found


# -- answers --------------------------------------------------------------------------------------


def envelope(body, uri=SOAP_1_2, header=""):
    return f'<s:Envelope xmlns:s="{uri}">{header}<s:Body>{body}</s:Body></s:Envelope>'.encode()


def test_attributes_are_read_where_they_are_asked_for():
    octets = envelope(
        '<r x="0"><a b="1" p:c="2" xmlns:p="urn:p">t</a><d e="3"><f/></d><g/></r>',
        header='<s:Header><h:i xmlns:h="urn:h" s:mustUnderstand="1">j</h:i></s:Header>',
    )
    plain, whole_ = read(octets), read(octets, with_attributes=True)
    assert plain.as_dict() == {
        "element": "r",
        "headers": {"i": "j"},
        "returned": {"a": "t", "d": {"f": ""}, "g": ""},
    }
    assert whole_.headers == {"i": {"@mustUnderstand": "1", "#text": "j"}}
    assert whole_.returned == {
        "@x": "0",
        "a": {"@b": "1", "@c": "2", "#text": "t"},
        "d": {"@e": "3", "f": ""},
        "g": "",
    }


@pytest.mark.parametrize(
    ("body", "note"),
    [
        ('<r><a xmlns:i="{0}" i:nil="true"/></r>', None),
        ('<r><a xmlns:i="{0}" i:nil="0">x</a></r>', None),
        ('<r><a xmlns:i="{0}" i:nil="true">x</a></r>', "a is xsi:nil and has content"),
        ('<r><a xmlns:i="{0}" i:nil="1"><b/></a></r>', "a is xsi:nil and has content"),
        ('<r><a xmlns:i="{0}" i:nil="yes"/></r>', "xsi:nil of a is 'yes'"),
    ],
)
def test_xsi_nil_is_judged(body, note):
    assert list(read(envelope(body.format(INSTANCE))).notes) == ([note] if note else [])


def test_a_header_block_without_a_namespace_is_told():
    octets = envelope("<r/>", header="<s:Header><h/></s:Header>")
    assert read(octets).notes == ("the header block h has no namespace",)


WHOLE = (
    f'<s:Fault xmlns:s="{SOAP_1_2}" xmlns:m="urn:m"><s:Code><s:Value>s:Sender</s:Value>'
    "<s:Subcode><s:Value>m:Late</s:Value><s:Subcode><s:Value>m:VeryLate</s:Value></s:Subcode>"
    '</s:Subcode></s:Code><s:Reason><s:Text xml:lang="en">late</s:Text>'
    '<s:Text xml:lang="de">zu spät</s:Text></s:Reason><s:Node>urn:n</s:Node>'
    "<s:Role>urn:r</s:Role><s:Detail><m:cause>4</m:cause></s:Detail></s:Fault>"
)


def test_all_of_a_fault():
    answer = parse(envelope(WHOLE))
    assert not answer.notes
    assert answer.fault.as_dict() == {
        "code": "s:Sender",
        "string": "late",
        "detail": {"cause": "4"},
        "subcodes": ["m:Late", "m:VeryLate"],
        "reasons": [{"lang": "en", "text": "late"}, {"lang": "de", "text": "zu spät"}],
    }


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("s:Sender", "s:Client", "the Code of the Fault is 's:Client', none of SOAP 1.2"),
        ("s:Sender", "m:Sender", "the Code of the Fault is 'm:Sender', none of SOAP 1.2"),
        ("m:VeryLate", "o:VeryLate", "the Subcode/Value 'o:VeryLate' is no qualified name"),
        (' xml:lang="de"', "", "a Text of the Reason has no xml:lang"),
        ("<s:Node>urn:n</s:Node>", "", None),
    ],
)
def test_what_is_wrong_with_a_fault(old, new, note):
    notes = read(envelope(WHOLE.replace(old, new))).notes
    assert (notes[0] if notes else None) == note


def test_a_fault_code_of_1_1_has_a_prefix_that_is_declared():
    body = "<s:Fault><faultcode>{}</faultcode><faultstring>no</faultstring></s:Fault>"
    for code, count in (("s:Server", 0), ("Server.Own", 0), ("x:Server", 1), ("a b", 1), ("", 1)):
        assert len(read(envelope(body.format(code), SOAP_1_1)).notes) == count, code


@given(st.data())
def test_a_fault_is_malformed_where_the_schema_says_so(data):
    """Elements of a valid fault are removed, doubled, moved, renamed, or get other text."""
    fault = etree.fromstring(WHOLE)
    inside = [one for one in fault.iter() if one.tag != "{urn:m}cause"][1:]
    for _ in range(data.draw(st.integers(0, 2))):
        one = data.draw(st.sampled_from(inside))
        if one.getparent() is None:
            continue
        match data.draw(st.sampled_from(["out", "twice", "first", "name", "space", "text"])):
            case "out":
                one.getparent().remove(one)
            case "twice":
                one.addnext(copy.deepcopy(one))
            case "first":
                one.getparent().insert(0, one)
            case "name":
                one.tag = f"{{{SOAP_1_2}}}{data.draw(st.sampled_from(NAMES_1_2))}"
            case "space":
                one.tag = f"{{urn:m}}{etree.QName(one).localname}"
            case "text":
                one.text = data.draw(st.sampled_from(TEXTS_1_2))
    octets = envelope(etree.tostring(fault).decode())
    # The schema accepts any text as a URI, and does not restrict xml:lang here.
    is_right = FAULTS.validate(etree.fromstring(octets)[0][0])
    assert (not read(octets).notes) is is_right, (octets, read(octets).notes, FAULTS.error_log)


NAMES_1_2 = ("Code", "Value", "Subcode", "Reason", "Text", "Node", "Role", "Detail", "Other")
TEXTS_1_2 = ("", "s:Receiver", "s:Other", "x:y", "m:z", "z", "\n ")
