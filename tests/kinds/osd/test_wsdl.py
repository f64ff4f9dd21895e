"""WSDLs read by zeep: printed entries are valid for an XML Schema, and for spyne; errors in WSDLs
are reported with their position."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from kinds.rest.service import HttpService, first
from lxml import etree
from support import soap_server

from tsvc.cli.main import main
from tsvc.kinds.osd.wsdl import WsdlProblem, entry_of, find, read
from tsvc.protocols.soap import Style, build

FOLDER = Path(__file__).parent / "wsdl"
BILLING = str(FOLDER / "billing.wsdl")


def tsvc(*args):
    return CliRunner().invoke(main, ["osd", "describe", *args])


def body_of(entry):
    """Return the content of the Body, and of the Header if any, of an entry's request."""
    given_ = entry["arguments"]
    octets = build(
        given_["operation"],
        given_.get("wsdl_url", ""),
        given_["parameters"],
        Style(),
        given_.get("namespaces", {}),
        given_.get("headers", {}),
    )
    root = etree.fromstring(octets)
    return root[-1][0], (root[0][0] if len(root) > 1 else None)


# -- a WSDL with imports --------------------------------------------------------------------------


def test_services_ports_operations_and_types():
    found = tsvc(BILLING)
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert [line for line in lines if line.startswith("service")] == [
        "service BillingService, port OldPort: SOAP 1.1 at http://billing.example/11",
        "service BillingService, port NewPort: SOAP 1.2 at http://billing.example/12",
        "service BillingService, port RpcPort: SOAP 1.1 at http://billing.example/r",
    ]
    for line in (
        "  Charge: action 'urn:billing/Charge', document, namespace urn:types",
        "    header Caller: namespace urn:types",
        "      @isActive: boolean",
        "      msisdn: string",
        "      parent: Party, optional",
        "      since: date, may be nil",
        "    amount: Money, repeated, namespace urn:types",
        "      @currency: Currency, one of NZD, EUR",
        "      @rate: decimal, optional, namespace urn:common",
        "    answers ChargeAnswer: Money, namespace urn:types",
        "    fault refused",
        "  Ping: action '', rpc, namespace urn:rpc",
        "    count: int",
    ):
        assert line in lines


@pytest.mark.parametrize("port", ["OldPort", "NewPort"])
@pytest.mark.parametrize("more", [[], ["--all"]])
def test_an_entry_is_right_by_the_schema(port, more):
    found = tsvc(BILLING, "--operation", "Charge", "--port", port, *more)
    entry = json.loads(found.stdout)
    keys = 'soap_version = "1.2"' in found.stderr, f"billing.example/{port[:1]}" in found.stderr
    assert keys == (port == "NewPort", False)
    schema = etree.XMLSchema(etree.parse(FOLDER / "parts/types.xsd"))
    body, header = body_of(entry)
    schema.assertValid(body)
    assert (header is not None) is (port == "OldPort")
    if header is not None:
        schema.assertValid(header)
    optional = {"note", "n1:rate"} & set(json.dumps(entry).split('"'))
    assert bool(optional) is bool(more)


def test_an_entry_of_a_procedure():
    entry = json.loads(tsvc(BILLING, "--operation", "Ping").stdout)
    assert entry == {
        "type": "osd.Request",
        "arguments": {
            "action": "Ping",
            "wsdl_url": "urn:rpc",
            "operation": "Ping",
            "parameters": {"count": 1, "money": {"@currency": "NZD", "#text": "1.0"}},
        },
        "tests": [{"kpath": "element", "value": "PingAnswer"}],
    }


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--operation", "charge"], "no operation 'charge'; did you mean \"Charge\"?"),
        (["--operation", "Charge", "--port", "Oldport"], "no port 'Oldport'; did you mean"),
        (["--operation", "Charge"], "Charge is in several ports, name one of them: OldPort, N"),
    ],
)
def test_what_is_not_in_it(args, told):
    found = tsvc(BILLING, *args)
    assert found.exit_code == 2
    assert told in found.stderr


# -- the WSDL of spyne ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spyne():
    with soap_server.running() as port:
        yield port


@pytest.mark.parametrize("version", ["1.1", "1.2"])
@pytest.mark.parametrize("more", [[], ["--all"]])
def test_what_is_printed_is_what_spyne_takes(spyne, tmp_path, version, more):
    """A gateway with the printed keys sends the printed entry; spyne checks it by its schema."""
    url = f"http://127.0.0.1:{spyne}/soap{version.replace('.', '')}"
    found = tsvc("--fetch", f"{url}?wsdl", "--operation", "Recharge", *more)
    assert found.exit_code == 0, found.output
    keys = dict(line.strip().split(" = ") for line in found.stderr.splitlines()[1:])
    members = {key: json.loads(value) for key, value in keys.items()}
    assert members["base_uri"] == url
    service = HttpService(tmp_path, {"SPYNE": ("osd", members)})
    try:
        result = service.run(json.loads(found.stdout), osd="SPYNE")
    finally:
        service.stop()
    assert result["verdict"] == "pass", first(result)


def test_nothing_is_fetched_unless_it_is_asked_for(spyne):
    url = f"http://127.0.0.1:{spyne}/soap11?wsdl"
    found = tsvc(url)
    assert (found.exit_code, found.stderr) == (
        2,
        f"Error: {url}: nothing is fetched without --fetch\n",
    )


def test_a_url_that_is_not_there(spyne):
    found = tsvc("--fetch", f"http://127.0.0.1:{spyne}/none?wsdl")
    assert found.exit_code == 2
    assert found.stderr.startswith(f"Error: http://127.0.0.1:{spyne}/none?wsdl: ")


# -- wrong ones -----------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path):
    """Return a function that changes a text in a copied file, and returns the WSDL's path."""
    shutil.copytree(FOLDER, tmp_path / "w")

    def change(name, old, new):
        path = tmp_path / "w" / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        return str(tmp_path / "w/billing.wsdl")

    return change


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("billing.wsdl", "</service>", "</servce>", r"billing\.wsdl:50:\d+: is no XML"),
        ("parts/types.xsd", "<xs:choice>", "<xs:choice", r"parts/types\.xsd:\d+:\d+: is no XML"),
        ("billing.wsdl", "?>\n", "?>\n<!DOCTYPE d []>", r"billing\.wsdl: document types are not"),
        (
            "common.xsd",
            "?>\n",
            '?>\n<!DOCTYPE s [<!ENTITY e SYSTEM "/etc/passwd">]>',
            r"common\.xsd: document types are not read",
        ),
        ("billing.wsdl", "parts/interface", "parts/other", r"parts/other\.wsdl: No such file"),
        (
            "billing.wsdl",
            'location="parts/interface.wsdl"',
            'location="http://127.0.0.1:9/i.wsdl"',
            r"http://127\.0\.0\.1:9/i\.wsdl: nothing is fetched without --fetch",
        ),
        (
            "billing.wsdl",
            'message="i:ChargeRequest"',
            'message="i:Charg"',
            r"billing\.wsdl:14: .*Charg",
        ),
        ("billing.wsdl", 'type="i:Billing"', 'type="i:None"', r"billing\.wsdl:9: .*None"),
        ("parts/types.xsd", 'base="t:Party"', 'base="t:Nobody"', r"parts/types\.xsd:24: .*Nobody"),
        (
            "billing.wsdl",
            'parts="body" ',
            "",
            r"the operation Charge of the binding .* has 2 parts",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(copied, file, old, new, told):
    with pytest.raises(WsdlProblem, match=told):
        read(copied(file, old, new))


def test_what_is_left_out_is_told_and_the_rest_is_listed(copied):
    """The answer refers to an element that no schema has."""
    found = tsvc(copied("parts/interface.wsdl", "t:ChargeAnswer", "t:Gone"))
    assert found.exit_code == 0
    assert "left out: " in found.stderr
    assert "parts/interface.wsdl:23: The wsdl:message for '{urn:inter" in found.stderr
    assert "  Ping: action '', rpc, namespace urn:rpc" in found.stdout


def test_without_zeep(monkeypatch):
    monkeypatch.setitem(sys.modules, "zeep", None)
    found = tsvc(BILLING)
    assert (found.exit_code, found.stderr.strip()) == (
        2,
        f"Error: needs zeep: {sys.executable} -m pip install zeep",
    )


def test_a_wsdl_without_soap(tmp_path):
    path = tmp_path / "e.wsdl"
    path.write_text('<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>')
    with pytest.raises(WsdlProblem, match="no service with a port of SOAP"):
        read(str(path))


@given(st.data())
def test_any_change_is_read_or_told(tmp_path_factory, data):
    """Elements and attributes removed, values changed, files cut: only WsdlProblem is raised."""
    folder = tmp_path_factory.mktemp("w")
    shutil.copytree(FOLDER, folder / "w")
    name = data.draw(st.sampled_from(["billing.wsdl", "parts/interface.wsdl", "parts/types.xsd"]))
    path = folder / "w" / name
    root = etree.fromstring(path.read_bytes())
    one = data.draw(st.sampled_from([*root.iter(etree.Element)][1:]))
    keys = sorted(one.attrib)
    match data.draw(st.sampled_from(["out", "attribute", "value", "name", "cut"])):
        case "out":
            one.getparent().remove(one)
        case "attribute" if keys:
            del one.attrib[data.draw(st.sampled_from(keys))]
        case "value" if keys:
            value = data.draw(st.sampled_from(["", "x", "t:x", "q:x", "t:Charge", "unbounded"]))
            one.attrib[data.draw(st.sampled_from(keys))] = value
        case "name":
            one.tag = data.draw(st.sampled_from(["other", f"{one.tag}s"]))
    octets = etree.tostring(root)
    path.write_bytes(octets[: data.draw(st.sampled_from([len(octets)] * 9 + [200]))])
    try:
        for port in read(str(folder / "w/billing.wsdl")):
            for operation in port.operations:
                entry_of(operation, with_optional=True)
    except WsdlProblem:
        pass
    finally:
        shutil.rmtree(folder)


# -- any schema -----------------------------------------------------------------------------------

SIMPLE = ["string", "boolean", "int", "positiveInteger", "decimal", "double", "date", "dateTime",
          "time", "duration", "gYear", "hexBinary", "base64Binary", "anyURI", "language",
          "negativeInteger", "unsignedByte", "token", "QName"]  # fmt: skip
FORMS = st.sampled_from(["", ' form="qualified"', ' form="unqualified"'])
OCCURS = st.sampled_from(
    ["", ' minOccurs="0"', ' maxOccurs="unbounded"', ' minOccurs="0" maxOccurs="3"']
)
TYPES = st.sampled_from(SIMPLE)
USES = ("", ' use="required"')


@st.composite
def complex_types(draw, depth=0):
    """Return the content of an xs:complexType."""
    if depth and draw(st.integers(0, 4)) == 0:
        base = draw(TYPES)
        return (
            f'<xs:simpleContent><xs:extension base="xs:{base}">{draw(attributes())}'
            "</xs:extension></xs:simpleContent>"
        )
    kind = draw(st.sampled_from(["sequence", "sequence", "choice", "all"]))
    count = draw(st.integers(0 if kind != "choice" else 1, 3))
    inner = []
    for number in range(count):
        occurs = draw(OCCURS) if kind != "all" else draw(st.sampled_from(["", ' minOccurs="0"']))
        head = f'<xs:element name="e{depth}{number}"{occurs}{draw(FORMS)}'
        if depth < 3 and draw(st.booleans()):
            made = draw(complex_types(depth + 1))
            inner.append(f"{head}><xs:complexType>{made}</xs:complexType></xs:element>")
        else:
            inner.append(f'{head} type="xs:{draw(TYPES)}"/>')
    outer = draw(OCCURS) if kind == "choice" else ""
    return f"<xs:{kind}{outer}>{''.join(inner)}</xs:{kind}>{draw(attributes())}"


@st.composite
def attributes(draw):
    return "".join(
        f'<xs:attribute name="a{number}" type="xs:{draw(TYPES)}"{draw(FORMS)}'
        f"{draw(st.sampled_from(USES))}/>"
        for number in range(draw(st.integers(0, 2)))
    )


WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
 xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t"><types>{}</types>
<message name="M"><part name="p" element="t:Op"/></message>
<portType name="P"><operation name="Op"><input message="t:M"/></operation></portType>
<binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Op"><s:operation soapAction="a"/><input><s:body use="literal"/></input>
</operation></binding><service name="S"><port name="P1" binding="t:B"><s:address location="http://h/"/></port>
</service></definitions>"""


@given(complex_types(), st.sampled_from(["qualified", "unqualified"]), st.booleans())
def test_an_entry_of_any_schema_is_right_by_it(tmp_path_factory, content, form, with_optional):
    schema = (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"'
        f' elementFormDefault="{form}"><xs:element name="Op"><xs:complexType>{content}'
        "</xs:complexType></xs:element></xs:schema>"
    )
    path = tmp_path_factory.mktemp("w") / "any.wsdl"
    path.write_text(WSDL.format(schema))
    _, operation = find(read(str(path)), "Op", None)
    entry = entry_of(operation, with_optional=with_optional)
    body, _ = body_of(entry)
    judge = etree.XMLSchema(etree.fromstring(schema))
    assert judge.validate(body), (schema, etree.tostring(body), judge.error_log)
