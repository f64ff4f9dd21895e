"""Decoded messages, as people and GetTrace show them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.kinds.sigtran.messages.decoding import DialogueReader
from tsvc.protocols import ber
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.tcap import components, dialogue_portion
from tsvc.protocols.tcap.components import Invoke, ProblemType, Reject, ReturnResult
from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.results.exchanges import decode_messages
from tsvc.results.ladder import ladder_svg, ladder_text
from tsvc.results.pcap import write_pcap
from tsvc.results.records import MessageRecord
from tsvc.results.text import messages_text


def begin(component, context=None, is_sent=True):
    """Return the record of a BEGIN with one component."""
    pdu = b""
    if context is not None:
        pdu = dialogue_portion.encode(dialogue_portion.Aarq(context))
    encoded = component if isinstance(component, bytes) else components.encode(component)
    octets = encode(MessageType.BEGIN, otid=b"\1", dialogue=pdu, components=[encoded])
    return MessageRecord(0.0, "SSP", "ssp", is_sent, octets)


def follow(*items, is_sent):
    """Return the record of a CONTINUE."""
    encoded = [components.encode(item) for item in items]
    octets = encode(MessageType.CONTINUE, otid=b"\2", dtid=b"\1", components=encoded)
    return MessageRecord(0.5, "SSP", "ssp", is_sent, octets)


def heads(message):
    return [(one["component"], one["operation"]) for one in message["components"]]


def test_a_call_from_begin_to_end(extension_records):
    decoded = decode_messages(extension_records)
    assert [(one["direction"], one["primitive"]) for one in decoded] == [
        ("sent", "BEGIN"),
        ("received", "CONTINUE"),
        ("sent", "CONTINUE"),
        ("received", "CONTINUE"),
        ("sent", "CONTINUE"),
        ("received", "END"),
    ]
    assert [heads(one) for one in decoded] == [
        [("invoke", "InitialDP")],
        [
            ("invoke", "RequestReportBCSMEvent"),
            ("invoke", "ConnectToResource"),
            ("invoke", "PromptAndCollectUserInformation"),
        ],
        [("result", "PromptAndCollectUserInformation")],
        [
            ("invoke", "DisconnectForwardConnection"),
            ("invoke", "RequestReportBCSMEvent"),
            ("invoke", "Connect"),
        ],
        [("invoke", "EventReportBCSM")],
        [("invoke", "ReleaseCall")],
    ]
    first, second = decoded[:2]
    assert (first["otid"], first["dtid"]) == ("10000001", None)
    assert (second["otid"], second["dtid"]) == ("20000001", "10000001")
    assert first["application_context"] == second["application_context"] == "camel3"
    assert first["dialogue_pdu"]["pdu"] == "AARQ"
    assert second["dialogue_pdu"]["result_name"] == "accepted"
    assert first["calling"]["gt_digits"] == "64210001"
    assert first["hex"] == extension_records[0].octets.hex()
    argument = first["components"][0]
    assert (argument["code"], argument["invoke_id"], argument["linked_id"]) == (0, 0, None)
    assert argument["arguments"]["calledPartyNumber_digits"] == "0800123456"
    assert argument["arguments"]["calledPartyNumber_hex"] == "02108000214365"
    assert "calledPartyNumber" not in argument["arguments"]
    result = decoded[2]["components"][0]
    assert result["arguments"]["digitsResponse_digits"] == "123"
    assert not any(part["notes"] for one in decoded for part in one["components"])


def test_dialogues_have_variants_and_invocations_of_their_own(assisted_records):
    decoded = decode_messages(assisted_records)
    assert [one["application_context"] for one in decoded] == [
        "camel2",
        "camel2",
        "camel2-assist",
        "camel2-assist",
        None,
        None,
        None,
    ]
    report, error = decoded[4]["components"]
    assert (report["linked_id"], report["linked_operation"]) == (0, "PlayAnnouncement")
    assert (error["operation"], error["code"]) == ("PromptAndCollectUserInformation", 48)
    assert error["arguments"] == {"errorCode": 4, "errorCode_name": "improperCallerResponse"}
    assert [one["primitive"] for one in decoded[5:]] == ["U-ABORT", "P-ABORT"]
    assert decoded[5]["dialogue_pdu"]["source_name"] == "dialogue-service-user"
    assert decoded[6]["p_abort_cause"] == "resourceLimitation"


@pytest.mark.parametrize(
    ("context", "default", "expected"),
    [
        ("camel2", "cs1", "structure"),  # CAP: an OCTET STRING that holds BER
        ("cs1", "camel3", "octets"),  # INAP: the operator's own octets
        (None, "cs1", "octets"),
        (None, "camel3", "structure"),
        ("1.2.3.4", "cs1", "octets"),
        ("ussd2", "camel3", "not INAP"),
    ],
)
def test_variant_follows_the_context_of_the_begin(context, default, expected):
    octets = None
    if context is not None:
        known = BY_ALIAS.get(context)
        octets = known.octets if known else ber.encode_oid(context)
    operation = OPERATIONS.get("ApplyCharging")
    argument = operation.encode_argument(operation.example, "camel2")
    message = DialogueReader(default)(begin(Invoke(1, operation.code, argument), octets))
    (component,) = message["components"]
    found = component["arguments"]
    if expected == "not INAP":
        assert component["operation"] is None
        assert found == {"parameter_hex": argument.hex()}
    else:
        assert component["operation"] == "ApplyCharging"
        is_structure = "aChBillingChargingCharacteristics" in found
        assert is_structure is (expected == "structure")
    assert message["application_context"] == context


def test_rejects_name_the_operation_that_was_refused():
    records = [
        begin(Invoke(3, 0, b"\x30\x03\x80\x01\x2d")),
        follow(Reject(3, ProblemType.INVOKE, 2), Invoke(3, 48, b"\x30\x00"), is_sent=False),
        follow(ReturnResult(3, 48, b"\x80\x01\x00"), is_sent=True),
        follow(Reject(3, ProblemType.RETURN_RESULT, 2), is_sent=False),
        follow(Reject(None, ProblemType.GENERAL, 77), is_sent=True),
    ]
    decoded = decode_messages(records)
    refused, answer, lost = (decoded[at]["components"][0] for at in (1, 3, 4))
    assert (refused["operation"], refused["arguments"]["problem_name"]) == (
        "InitialDP",
        "mistypedParameter",
    )
    assert answer["operation"] == "PromptAndCollectUserInformation"
    assert answer["arguments"]["problem_type"] == "return_result"
    assert lost["operation"] is None
    assert lost["arguments"] == {"problem_type": "general", "problem": 77}


def test_answers_to_nothing_and_to_something_else_are_noted():
    records = [
        begin(Invoke(1, 0, b"\x30\x03\x80\x01\x2d")),
        follow(ReturnResult(9, 48, b"\x80\x01\x00"), is_sent=False),
        follow(ReturnResult(1, 48, b"\x80\x01\x00"), is_sent=False),
        follow(components.ReturnError(9, "1.2.3", b"\x05\x00"), is_sent=False),
    ]
    decoded = decode_messages(records)
    notes = [one["components"][0]["notes"] for one in decoded]
    assert notes[1][-1] == "nothing was invoked with id 9"
    assert notes[2][-1] == "the operation invoked has code 0"
    assert notes[3] == ["nothing was invoked with id 9"]
    assert decoded[3]["components"][0]["arguments"] == {
        "errorCode": "1.2.3",
        "parameter_hex": "0500",
    }


def test_deviations_and_malformed_components_are_noted():
    records = [
        begin(Invoke(1, 0, b"\x30\x02\x80\x00")),
        begin(b"\xa1\x03\x02\x01\x05"),
        begin(Invoke(1, 99, b"\x04\x01\x00")),
    ]
    deviating, malformed, unknown = (one["components"][0] for one in decode_messages(records))
    assert deviating["notes"] == ["serviceKey at octet 4: integer without octets"]
    assert malformed["component"] == "malformed"
    assert malformed["invoke_id"] == 5
    assert malformed["notes"] == ["general problem mistypedComponent"]
    assert malformed["arguments"]["octets_hex"].endswith("020105")
    assert (unknown["operation"], unknown["code"]) == (None, 99)
    assert unknown["arguments"] == {"parameter_hex": "040100"}


def test_what_is_no_message_is_shown_as_such():
    record = MessageRecord(0.25, "SSP", "ssp", False, b"\xff\x00")
    (message,) = decode_messages([record])
    assert message["problem"]
    assert message["hex"] == "ff00"
    assert "components" not in message
    assert "unreadable message" in ladder_text([message])
    assert "unreadable message" in messages_text([message])


def test_a_dialogue_portion_that_cannot_be_read_is_noted():
    octets = encode(MessageType.BEGIN, otid=b"\1", dialogue=b"\x6b\x02\x05\x00")
    (message,) = decode_messages([MessageRecord(0.0, "SSP", "ssp", True, octets)])
    assert message["notes"] == ["at octet 0: dialogue portion holds no EXTERNAL"]


def test_an_integer_of_thousands_of_digits_is_no_trouble():
    huge = ber.tlv(b"\x30", ber.tlv(b"\x80", b"\x7f" * 2000))
    everything_of([begin(Invoke(1, 0, huge))])


def test_a_context_of_thousands_of_octets_is_no_trouble():
    everything_of([begin(Invoke(1, 0), b"\xff" * 3000 + b"\x01")])


def everything_of(records):
    """Run everything that shows records; the decoded form must be valid JSON."""
    decoded = decode_messages(records)
    assert json.loads(json.dumps(decoded, allow_nan=False)) == decoded
    assert len(decoded) == len(records)
    assert ladder_text(decoded).isascii()
    assert ladder_svg(decoded).endswith("</svg>\n")
    assert messages_text(decoded)
    assert write_pcap(records)


TAGS = [0x02, 0x04, 0x05, 0x06, 0x0A, 0x28, 0x30, 0x48, 0x49, 0x4A, 0x60, 0x61, 0x62, 0x64, 0x65]
TAGS += [0x67, 0x6B, 0x6C, 0x80, 0x81, 0x82, 0x83, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA7, 0xBE]


def tlvs(children):
    pairs = st.tuples(st.sampled_from(TAGS), st.lists(children, max_size=4).map(b"".join))
    return pairs.map(lambda pair: ber.tlv(bytes((pair[0],)), pair[1]))


TREES = st.recursive(st.binary(max_size=12), tlvs, max_leaves=20)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.binary(max_size=80) | TREES, max_size=3))
def test_no_octets_raise(several):
    everything_of(
        [
            MessageRecord(0.0, "S\x1b<&>", "ssp", bool(at % 2), octets)
            for at, octets in enumerate(several)
        ]
        or [begin(Invoke(0, 0))]
    )


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_no_damaged_message_raises(extension_records, assisted_records, data):
    records = data.draw(st.sampled_from([extension_records, assisted_records]))
    which = data.draw(st.integers(0, len(records) - 1))
    octets = bytearray(records[which].octets)
    for _ in range(data.draw(st.integers(1, 4))):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    hit = records[which]
    damaged = MessageRecord(
        hit.t, hit.dialogue, hit.role, hit.is_sent, bytes(octets), hit.called, hit.calling
    )
    everything_of([*records[:which], damaged, *records[which + 1 :]])


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from(list(OPERATIONS)), st.sampled_from(["invoke", "result"]), TREES)
def test_no_argument_raises(operation, kind, parameter):
    for context in ("cs1", "camel4"):
        first = begin(Invoke(1, operation.code, parameter), BY_ALIAS[context].octets)
        records = [first]
        if kind == "result":
            records.append(follow(ReturnResult(1, operation.code, parameter), is_sent=False))
        everything_of(records)
