"""ocncc.osd.Request through the whole service, against the fake."""

import json

import pytest
from kinds.rest.service import HttpService, failures, first
from support import undefined

from tsvc.kinds.osd.fake import OsdFake

OPERATIONS = {
    "Query": {
        "required": ["msisdn"],
        "subscribers": {
            "6421000001": {"rows": [{"a": 1}, {"a": 2}, {"a": 3}], "one": [{"name": "N"}]}
        },
    },
    "Gone": {"http_code": 503},
}


@pytest.fixture
def fake():
    made = OsdFake(operations=OPERATIONS)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def tsvc(fake, tmp_path):
    host, port = fake.address
    members = {
        "remote_host": host,
        "remote_port": port,
        "security": "inline",
        "username": "me",
        "password": "t0p-secret",
    }
    made = HttpService(tmp_path, {"OSD-SLC01": ("osd", members)})
    yield made
    made.stop()


def call(*tests, type_="ocncc.osd.Request", operation="Query", **parameters):
    return {
        "type": type_,
        "arguments": {
            "action": "http://sms/wsdls/P/S/Query",
            "wsdl_url": "http://sms/wsdls/P/S.wsdl",
            "operation": operation,
            "parameters": parameters,
        },
        "tests": list(tests),
    }


def is_(kpath, value, type_="string"):
    return {"kpath": kpath, "type": type_, "value": value}


OSD = {"osd": "OSD-SLC01"}


@pytest.mark.parametrize("type_", ["ocncc.osd.Request", "osd.Request"])
def test_what_is_returned(tsvc, type_):
    result = tsvc.run(
        {"type": "eval", "expression": "$v->{n} = '6421000001'"},
        call(
            is_("returned.rows.[2].a", "3"),
            is_("returned.rows.[1].a", 2, "integer"),
            is_("returned.one.name", "N"),
            is_("code", 200, "integer"),
            type_=type_,
            msisdn="{$v->{n}}",
        ),
        {"type": "eval", "expression": "$v->{a} = $i->{OSD}{returned}{rows}[0]{a}"},
        **OSD,
    )
    assert result["verdict"] == "pass", first(result)
    assert first(result)["vars"]["a"] == "1"
    assert [(one["name"], one["count"]) for one in result["operations"]] == [("OSD", 1)]


def test_parameters_keep_their_order(tsvc, fake):
    tsvc.run(call(z="1", a="2", msisdn="3", list=["x", {"b": "y", "a": "z"}]), **OSD)
    body = fake.received[-1].body.decode()
    sent = "<z>1</z><a>2</a><msisdn>3</msisdn><list>x</list><list><b>y</b><a>z</a></list>"
    assert sent in body


def test_a_fault_is_data(tsvc):
    tests = is_("fault.detail.cause", 1, "integer"), is_("fault.string", "no such subscriber")
    result = tsvc.run(call(*tests, is_("fault.code", "soap:Server"), msisdn="1"), **OSD)
    assert result["verdict"] == "pass", first(result)
    result = tsvc.run(call(is_("returned.rows.[0].a", "1"), msisdn="1"), **OSD)
    assert failures(result) == ["returned.rows.[0].a (string) is absent"]


def test_no_soap_aborts(tsvc):
    result = tsvc.run(call(operation="Gone"), **OSD)
    assert result["verdict"] == "abort"
    assert first(result)["reason"].startswith("OSD-SLC01: HTTP 503: the message is no XML")


def test_what_cannot_be_sent_aborts(tsvc, fake):
    result = tsvc.run(call(msisdn="{chr(0)}"), **OSD)
    assert result["verdict"] == "abort"
    assert "OSD: parameters.msisdn: XML can't carry" in first(result)["reason"]
    assert not fake.received


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"action": ""}, "action"),
        ({"operation": None}, "operation"),
        ({"operation": "a b"}, "operation"),
        ({"wsdl": "x"}, "wsdl"),
        ({"wsdl_url": "a b"}, "wsdl_url"),
        ({"parameters": ["x"]}, "parameters"),
        ({"parameters": {"a": [["x"]]}}, "parameters.a"),
    ],
)
def test_definitions_that_are_refused(tsvc, change, path):
    entry = call(msisdn="1")
    entry["arguments"] = {**entry["arguments"], **change}
    assert list(tsvc.refused(entry, **OSD)) == [f"operations[0].arguments.{path}"]


def test_the_ladder_shows_it_without_secrets(tsvc):
    result = tsvc.run(call(msisdn="1"), trace_level=2, **OSD)
    sent, received = [one for one in first(result)["messages"] if one["protocol"] == "osd"]
    assert (sent["title"], sent["facts"]) == ("Query", ["msisdn=1"])
    assert received["title"] == "fault soap:Server"
    assert received["is_failure"]
    assert received["facts"] == ["no such subscriber", "cause=1"]
    assert "t0p-secret" not in json.dumps(result)
    assert b"t0p-secret".hex() not in json.dumps(result)


def test_an_undefined_parameter(tsvc, fake):
    asked = call(msisdn=undefined.SOURCE)
    before = len(fake.received)
    undefined.aborts_if_strict(tsvc.run, "parameters.msisdn", asked, **OSD)
    assert len(fake.received) == before
    result = tsvc.run(asked, vars=undefined.VARS, **OSD)
    undefined.is_counted(result, "parameters.msisdn")
