"""Every structural mutant of an envelope is noted, or has a reason to be tolerated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tsvc.protocols.soap import SOAP_1_1, SOAP_1_2, read

RIGHT = (
    '<s:Envelope xmlns:s="{ns}"><s:Header><t xmlns="urn:t">1</t></s:Header>'
    '<s:Body><r xmlns="urn:o"><a>1</a><a>2</a></r></s:Body></s:Envelope>'
)
FAULT_1_1 = (
    '<s:Envelope xmlns:s="{ns}"><s:Body><s:Fault><faultcode>s:Server</faultcode>'
    "<faultstring>no</faultstring><detail><x>1</x></detail></s:Fault></s:Body></s:Envelope>"
)
FAULT_1_2 = (
    '<s:Envelope xmlns:s="{ns}"><s:Body><s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code>'
    '<s:Reason><s:Text xml:lang="en">no</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>'
)
SAMPLES = {
    "1.1": RIGHT.format(ns=SOAP_1_1),
    "1.2": RIGHT.format(ns=SOAP_1_2),
    "fault of 1.1": FAULT_1_1.format(ns=SOAP_1_1),
    "fault of 1.2": FAULT_1_2.format(ns=SOAP_1_2),
}
# Elements of SOAP that may be left out; the service defines their contents.
OPTIONAL = {"Header", "detail"}
PAYLOAD = {"r", "a", "t", "x", "Text", "Value"}


def name_of(element):
    return etree.QName(element).localname


@pytest.mark.parametrize("case", SAMPLES)
def test_what_is_right_has_no_notes(case):
    assert read(SAMPLES[case].encode()).notes == ()


def mutants(text):
    """Yield (description of the change, octets, True if it is tolerable)."""
    whole = text.encode()
    for cut in range(len(whole)):
        yield f"cut after {cut}", whole[:cut], False
    for at in range(len(whole)):
        if whole[at : at + 1] in b"<>":
            yield f"without octet {at}", whole[:at] + whole[at + 1 :], False
    yield "an octet that is no UTF-8", whole.replace(b"</", b"\xff</", 1), False
    yield "a document type", b"<!DOCTYPE x>" + whole, False
    yield "another one behind it", whole * 2, False
    count = len(list(etree.fromstring(whole).iter()))
    for place in range(count):

        def tree(place=place):
            root = etree.fromstring(whole)
            return root, list(root.iter())[place]

        root, one = tree()
        name = name_of(one)
        is_payload = name in PAYLOAD
        if one is not root:
            one.getparent().remove(one)
            is_optional = is_payload or name in OPTIONAL or name == "Fault"
            yield f"{name} left out", etree.tostring(root), is_optional
            root, one = tree()
            one.addnext(etree.fromstring(etree.tostring(one)))
            yield f"{name} twice", etree.tostring(root), is_payload
        root, one = tree()
        one.tag = f"{{urn:else}}{name}"
        # The result is not a fault, or a fault whose members have another namespace.
        is_free = is_payload or name in {"Fault", "detail", "faultcode", "faultstring"}
        yield (
            f"{name} of another namespace",
            etree.tostring(root),
            is_free
            or name
            in {
                "Code",
                "Reason",
            },
        )
        root, one = tree()
        one.tag = one.tag.replace(name, "Strange")
        is_free = is_payload or name == "Fault"
        yield f"{name} with another name", etree.tostring(root), is_free
    root = etree.fromstring(whole)
    root.text = "text"
    yield "text in the envelope", etree.tostring(root), False
    if len(root) == 2:
        root = etree.fromstring(whole)
        root.insert(0, root[1])
        yield "Header behind Body", etree.tostring(root), False


@pytest.mark.parametrize("case", SAMPLES)
def test_every_mutant_is_told_or_is_tolerable(case):
    for what, octets, is_tolerable in mutants(SAMPLES[case]):
        found = read(octets)
        assert found.notes or is_tolerable, (what, octets, found)


@given(st.binary(max_size=200))
def test_octets_that_are_anything_never_raise(octets):
    assert read(octets).notes
    read(SAMPLES["1.1"].encode().replace(b"<a>1</a>", octets))


def test_elements_of_others_may_stand_behind_the_body_of_1_1():
    strange = '</s:Body><x xmlns="urn:x"/></s:Envelope>'
    for case, count in (("1.1", 0), ("1.2", 1)):
        text = SAMPLES[case].replace("</s:Body></s:Envelope>", strange)
        assert len(read(text.encode()).notes) == count
