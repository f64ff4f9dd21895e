"""The positions of the values of a message in its octets.

They are compared with tshark's positions, and with the hex beside a value in a decoded message."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.tshark import dissect

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import Header, encode_message
from tsvc.protocols.diameter.tree import encode_avps
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.smpp.commands import Command
from tsvc.protocols.smpp.pdus import Pdu, Tlv
from tsvc.protocols.smpp.pdus import encode as encode_pdu
from tsvc.protocols.tcap import components, dialogue_portion
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.results.exchanges import decode_messages
from tsvc.results.records import ExchangeRecord, MessageRecord

CONTEXTS = ("cs1", "camel2", "camel3", "camel4")
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
# BER values that are opaque to the tables, but which tshark decodes.
OPAQUE = re.compile(r"extensions\[\d+\]\.value$|dialogue_pdu\.user_information_hex$")


def shown(record: Any) -> dict[str, Any]:
    (message,) = decode_messages([record], with_spans=True)
    return json.loads(json.dumps(message))


def invoked(context: str, name: str) -> MessageRecord:
    operation, known = OPERATIONS.get(name), BY_ALIAS[context]
    assert operation is not None
    argument = operation.encode_argument(operation.example, known.variant)
    octets = encode(
        MessageType.BEGIN,
        otid=b"\1\2",
        dialogue=dialogue_portion.encode(dialogue_portion.Aarq(known.octets)),
        components=[components.encode(Invoke(1, operation.code, argument))],
    )
    return MessageRecord(0.0, "SSP", "ssp", True, octets)


INVOKED = [
    (context, operation.name)
    for context in CONTEXTS
    for operation in OPERATIONS
    if BY_ALIAS[context].variant in operation.variants
]

CCR = [
    {"name": "Session-Id", "value": "a;1;2"},
    {"name": "CC-Request-Type", "value": 1},
    {"name": "Subscription-Id", "value": [
        {"name": "Subscription-Id-Type", "value": 0},
        {"name": "Subscription-Id-Data", "value": "6421000001"}]},
    {"name": "Multiple-Services-Credit-Control", "value": [
        {"name": "Requested-Service-Unit", "value": [{"name": "CC-Time", "value": 60}]},
        {"name": "Rating-Group", "value": 10}]},
    {"code": 99999, "vendor_id": 42, "value_hex": "0102"},
]  # fmt: skip


def diameter() -> ExchangeRecord:
    header = Header(272, 0xC0, 4, 7, 8)
    octets = encode_message(header, encode_avps(CCR, standard(), "avps"))
    return ExchangeRecord(0.0, "diameter", "OCS", True, octets)


def smpp() -> ExchangeRecord:
    parameters = {
        "source_addr": "6421000001",
        "destination_addr": "777",
        "short_message": b"Hello",
    }
    pdu = Pdu(Command.SUBMIT_SM, 9, 0, parameters, (Tlv(0x0204, b"\x12\x34"), Tlv(0x1500, b"x")))
    return ExchangeRecord(0.0, "smpp", "esme", False, encode_pdu(pdu))


def http(octets: bytes) -> ExchangeRecord:
    return ExchangeRecord(0.0, "rest", "BILLING", False, octets)


def octets_of(message: dict[str, Any], span: dict[str, Any]) -> str:
    start = 2 * span["start"]
    found = message["hex"][start : start + 2 * span["length"]]
    assert len(found) == 2 * span["length"]
    return found


def holders(message: dict[str, Any], path: str) -> tuple[Any, str]:
    """Return the object that holds the value of a path, and the value's name in it."""
    steps: list[Any] = [int(at) if at else name for at, name in _STEP.findall(path)]
    holder: Any = message
    for step in steps[:-1]:
        # A list of leaves is shown as octets if its values have no form of their own.
        is_hex = isinstance(step, str) and step not in holder
        holder = holder[f"{step}_hex" if is_hex else step]
    return holder, steps[-1]


def check_places(message: dict[str, Any]) -> int:
    """Assert that each span belongs to a shown value and its octets; return how many had hex."""
    compared = 0
    for span in message["spans"]:
        holder, name = holders(message, span["path"])
        if isinstance(name, int):
            item = holder[name]
            is_avp = span["path"].startswith("content.avps")
            known = item.get("value_hex") if is_avp else None
            if known is not None:
                assert octets_of(message, span) == known, span
                compared += 1
            continue
        keys = [one for one in holder if one == name or one.startswith(f"{name}_")]
        assert keys, span
        for known in (holder.get(f"{name}_hex"), holder[name] if name.endswith("_hex") else None):
            if isinstance(known, str) and not span["path"].endswith("arguments"):
                assert octets_of(message, span) == known, span
                compared += 1
    return compared


def leaves(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    paths = [span["path"] for span in spans]
    return [
        span
        for span in spans
        if not any(path.startswith((f"{span['path']}.", f"{span['path']}[")) for path in paths)
    ]


@pytest.mark.parametrize(("context", "name"), INVOKED)
def test_each_member_of_an_argument(context: str, name: str) -> None:
    message = shown(invoked(context, name))
    paths = {span["path"] for span in message["spans"]}
    assert {"otid", "application_context", "components[0].code"} <= paths
    check_places(message)
    type_ = OPERATIONS.get(name).argument_in(BY_ALIAS[context].variant)
    known = set() if type_ is None else set(type_.known_keys())  # the other keys are shorthands
    given = known & message["components"][0]["arguments"].keys()
    tops = {path.split(".")[2].partition("[")[0] for path in paths if ".arguments." in path}
    for key in given:
        assert any(key == one or key.startswith(f"{one}_") for one in tops), key


def test_tshark_finds_the_same_places(tmp_path) -> None:
    records = [invoked(*one) for one in INVOKED]
    packets = dissect(tmp_path, [record.octets for record in records], "tcap")
    compared = 0
    for (context, name), record, packet in zip(INVOKED, records, packets, strict=True):
        message = shown(record)
        base = next(int(p.get("pos")) for p in packet.iter("proto") if p.get("name") == "tcap")
        places = {
            (int(field.get("pos")) - base, int(field.get("size")))
            for field in packet.iter("field")
            if field.get("pos")
        }
        for span in leaves(message["spans"]):
            # tshark shows an empty value with its tag, and so an argument that is not decoded.
            is_empty = not span["length"] or span["path"].endswith("arguments")
            if is_empty or OPAQUE.search(span["path"]):
                continue
            assert (span["start"], span["length"]) in places, f"{context} {name}: {span}"
            compared += 1
    assert compared > 500


def test_results_and_linked_invocations(extension_records, assisted_records) -> None:
    for records in (extension_records, assisted_records):
        for message in decode_messages(records, with_spans=True):
            check_places(json.loads(json.dumps(message)))
    prompted = decode_messages(extension_records, with_spans=True)[2]
    paths = [span["path"] for span in prompted["spans"]]
    assert "components[0].arguments.digitsResponse" in paths


def test_diameter_against_tshark(tmp_path) -> None:
    record = diameter()
    message = shown(record)
    assert check_places(message) >= 1
    (packet,) = dissect(tmp_path, [record.octets], "diameter")
    base = next(int(p.get("pos")) for p in packet.iter("proto") if p.get("name") == "diameter")
    places = {
        (int(field.get("pos")) - base, int(field.get("size")))
        for field in packet.iter("field")
        if field.get("pos")
    }
    found = leaves(message["spans"])
    assert {(span["start"], span["length"]) for span in found} <= places
    data = next(one for one in found if one["path"] == "content.avps[2].value[1]")
    assert bytes.fromhex(octets_of(message, data)) == b"6421000001"


def test_smpp_against_tshark(tmp_path) -> None:
    record = smpp()
    message = shown(record)
    (packet,) = dissect(tmp_path, [record.octets], "smpp")
    base = next(int(p.get("pos")) for p in packet.iter("proto") if p.get("name") == "smpp")
    places = {
        (int(field.get("pos")) - base, int(field.get("size")))
        for field in packet.iter("field")
        if field.get("pos")
    }
    for span in message["spans"]:
        if span["path"] != "content.command_status":  # tshark only shows it in answers
            assert (span["start"], span["length"]) in places, span
    text = next(one for one in message["spans"] if one["path"].endswith(".short_message"))
    assert bytes.fromhex(octets_of(message, text)) == b"Hello"


@pytest.mark.parametrize(
    ("octets", "path", "text"),
    [
        (b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX: 1\r\n\r\n{"a": 1}',
         "content.content_json", b'{"a": 1}'),
        (b"HTTP/1.1 200 OK\r\nA: b\r\nX: 1\r\n\r\nword", "content.http_headers[1]", b"X: 1"),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", "content.start", b"HTTP/1.1 404 Not Found"),
        (b"HTTP/1.1 200 OK\r\n\r\n\xff\xfe", "content.content_hex", b"\xff\xfe"),
    ],
)  # fmt: skip
def test_http(octets: bytes, path: str, text: bytes) -> None:
    message = shown(http(octets))
    span = next(one for one in message["spans"] if one["path"] == path)
    assert bytes.fromhex(octets_of(message, span)) == text
    check_places(message)


RECORDS = [diameter(), smpp(), http(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nword")]
RECORDS += [invoked("camel4", name) for name in ("InitialDP", "RequestReportBCSMEvent")]


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_no_damage_puts_a_span_outside(data) -> None:
    record = data.draw(st.sampled_from(RECORDS))
    octets = bytearray(record.octets)
    for _ in range(data.draw(st.integers(1, 4))):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(octets[: data.draw(st.integers(0, len(octets)))])
    message = shown(record._replace(octets=cut))
    for span in message.get("spans", []):
        octets_of(message, span)


def test_they_are_there_only_where_they_are_asked_for() -> None:
    for record in RECORDS:
        (plain,) = decode_messages([record])
        assert "spans" not in plain
        (whole,) = decode_messages([record], with_spans=True)
        assert {name: whole[name] for name in plain} == plain
