"""Diameter messages in the ladder."""

from hypothesis import given
from hypothesis import strategies as st

from tsvc.kinds.diameter.messages import decode
from tsvc.protocols.diameter.dictionary import grammar_of, standard
from tsvc.protocols.diameter.message import Header, encode_message
from tsvc.protocols.diameter.tree import encode_avps


def message(code, flags, *avps):
    given = [{"name": name, "value": value} for name, value in avps]
    return encode_message(Header(code, flags, 4, 1, 1), encode_avps(given, standard(), "avps"))


def own(name, values):
    return {
        "name": name,
        "code": 9001,
        "type": "Enumerated",
        "vendor_id": 55555,
        "mandatory": True,
        "values": values,
    }


def test_two_gateways_may_call_one_avp_by_two_names():
    avp = {"code": 9001, "vendor_id": 55555, "value_hex": "00000003"}
    octets = encode_message(Header(272, 0xC0, 4, 1, 1), encode_avps([avp], standard(), ""))
    grammars = {
        name: grammar_of([own(name, {value: 3})])
        for name, value in (("Site-Tariff", "GOLD"), ("Lab-Level", "HIGH"))
    }
    told = {name: decode(octets, True, grammar) for name, grammar in grammars.items()}
    (site,), (lab,) = (told[name].content["avps"] for name in grammars)
    assert (site["name"], site["value"], site["value_name"]) == ("Site-Tariff", 3, "GOLD")
    assert (lab["name"], lab["value"], lab["value_name"]) == ("Lab-Level", 3, "HIGH")
    (unknown,) = decode(octets, True).content["avps"]
    assert (unknown["name"], unknown["value_hex"]) == ("AVP 9001", "00000003")


def test_a_request():
    subscriber = [{"name": "Subscription-Id-Data", "value": "64"}]
    units = [{"name": "CC-Time", "value": 60}, {"name": "CC-Total-Octets", "value": 5}]
    service = [{"name": "Requested-Service-Unit", "value": units}]
    said = decode(
        message(
            272,
            0xC0,
            ("Session-Id", "s;1"),
            ("CC-Request-Type", 2),
            ("CC-Request-Number", 1),
            ("Subscription-Id", subscriber),
            ("Multiple-Services-Credit-Control", service),
        ),
        True,
    )
    assert said.title == "CCR-Update"
    assert said.facts == (
        "Session-Id s;1",
        "CC-Request-Number 1",
        "Subscription-Id 64",
        "Requested CC-Time 60, CC-Total-Octets 5",
    )
    assert not said.is_failure
    assert said.content["name"] == "Credit-Control-Request"
    assert said.content["avps"][0]["value"] == "s;1"


def test_answers():
    final = [{"name": "Final-Unit-Action", "value": 0}]
    said = decode(
        message(272, 0x40, ("Result-Code", 2001), ("Final-Unit-Indication", final)), False
    )
    assert (said.title, said.facts) == ("CCA", ("2001 SUCCESS", "final units"))
    assert not said.is_failure
    said = decode(message(272, 0x40, ("Result-Code", 4012), ("CC-Request-Type", 1)), False)
    assert (said.title, said.facts) == ("CCA-Initial", ("4012 CREDIT_LIMIT_REACHED",))
    assert said.is_failure
    experimental = [{"name": "Experimental-Result-Code", "value": 5001}]
    said = decode(message(306, 0, ("Experimental-Result", experimental)), False)
    assert (said.title, said.is_failure) == ("UDA", True)


def test_what_has_no_abbreviation():
    assert decode(message(4711, 0x80), True).title == "Command 4711 Request"
    assert decode(b"garbage", True).title == "malformed message"


@given(st.binary(max_size=100), st.booleans())
def test_it_never_raises(octets, is_sent):
    decode(octets, is_sent)
    decode(encode_message(Header(272, 0x40, 4, 1, 1), octets + bytes(-len(octets) % 4)), is_sent)
