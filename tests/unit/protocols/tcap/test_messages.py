"""Messages by octets written by hand, valid and invalid, and by published vectors."""

import json
import os
from pathlib import Path

import pytest

from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap.frame import destination_id
from tsvc.protocols.tcap.messages import MessageType, PAbortCause, Unreadable, decode, encode

OWN = Path(__file__).parent / "vectors"
PUBLISHED = os.environ.get("TSVC_VECTORS")


def own(name):
    return json.loads((OWN / f"{name}.json").read_text())["vectors"]


def by_id(vectors):
    return [pytest.param(vector, id=vector["id"]) for vector in vectors]


def octets_of(vector):
    given = vector["octets"]
    text = given if isinstance(given, str) else "".join(line for line, _ in given)
    return bytes.fromhex(text)


VALID = own("valid")


@pytest.mark.parametrize("vector", by_id(VALID))
def test_octets_decode(vector, describe):
    assert describe(decode(octets_of(vector))) == vector["decoded"]


@pytest.mark.parametrize("vector", by_id(v for v in VALID if "encode" not in v))
def test_what_was_decoded_encodes_to_the_same(vector, reencode):
    octets = octets_of(vector)
    message = decode(octets)
    assert reencode(message).hex() == octets.hex()


@pytest.mark.parametrize("vector", by_id(v for v in VALID if "encode" in v))
def test_what_we_encode_otherwise_means_the_same(vector, reencode, describe):
    octets = octets_of(vector)
    ours = reencode(decode(octets))
    assert ours != octets
    assert describe(decode(ours)) == vector["decoded"]


@pytest.mark.parametrize("vector", by_id(own("invalid")))
def test_unreadable_says_whom_to_answer_and_why(vector):
    with pytest.raises(Unreadable) as caught:
        decode(octets_of(vector))
    error = caught.value
    assert error.cause is PAbortCause(vector["cause"])
    assert (error.otid or b"").hex() == vector.get("otid", "")
    assert (error.dtid or b"").hex() == vector.get("dtid", "")
    assert str(error)


@pytest.mark.parametrize("vector", by_id(VALID))
def test_every_truncation_is_unreadable(vector):
    octets = octets_of(vector)
    for length in range(len(octets)):
        with pytest.raises(Unreadable):
            decode(octets[:length])


@pytest.mark.parametrize("vector", by_id(VALID))
def test_whose_a_message_is_shows_without_reading_it(vector):
    octets = octets_of(vector)
    assert destination_id(octets) == decode(octets).dtid


@pytest.mark.parametrize("kind", [MessageType.CONTINUE, MessageType.END])
@pytest.mark.parametrize("long", [1, 200, 70_000])
def test_whose_a_message_is_shows_in_its_first_segment(kind, long):
    otid = b"peer" if kind is MessageType.CONTINUE else None
    octets = encode(kind, otid=otid, dtid=b"\x01\x02", components=[bytes(long)])
    assert destination_id(octets[:20]) == b"\x01\x02"


def test_dialogue_portion_that_is_no_problem_of_the_transaction():
    message = decode(bytes.fromhex("62 07 48 01 07 6b 02 05 00"))
    assert message.otid == b"\x07"
    assert message.dialogue is None
    assert "EXTERNAL" in message.dialogue_problem


def test_components_before_the_one_that_has_no_end_are_kept():
    good = codec.encode(codec.Invoke(1, 22, b"\x04\x01\x80"))
    octets = encode(MessageType.BEGIN, otid=b"\x07", components=[good, b"\xa2\x7f\x02\x01\x02"])
    invoke, rest = decode(octets).components
    assert invoke == codec.Invoke(1, 22, b"\x04\x01\x80")
    assert rest == codec.Malformed(
        None, codec.ProblemType.GENERAL, 2, b"\xa2\x7f\x02\x01\x02", 0xA2
    )


def test_long_messages_have_long_lengths():
    invoke = codec.encode(codec.Invoke(0, 0, b"\x04\x82\x01\x00" + bytes(256)))
    octets = encode(MessageType.BEGIN, otid=b"\x07", components=[invoke])
    assert octets.hex().startswith("6282011548 0107 6c82010e a182010a".replace(" ", ""))
    assert decode(octets).components == [codec.Invoke(0, 0, b"\x04\x82\x01\x00" + bytes(256))]


# -- published octets -----------------------------------------------------------------------

needs_vectors = pytest.mark.skipif(not PUBLISHED, reason="TSVC_VECTORS is not set")
_RESULTS = {"accepted": 0, "reject-permanent": 1}
# Vector -> the reason why our encoder gives other octets for the same message.
OTHERWISE = {
    "tcap-begin-default-version": "we send the version of AARQ although it has a default",
    "cap-dialogue-5": "we send the version of AARQ although it has a default",
    "map-dialogue-3": "we send the version of AARE although it has a default",
}


def published(file):
    if not PUBLISHED:
        return []
    vectors = json.loads((Path(PUBLISHED) / file).read_text())["vectors"]
    return [pytest.param(vector, id=vector["id"]) for vector in vectors]


def expected_of(expected):
    """Return the expected message of a vector of tcap.json in the form of `describe`."""
    plain = {name: expected[name] for name in ("otid", "dtid") if name in expected}
    if "p-abortCause" in expected:
        plain["p_abort_cause"] = int(expected["p-abortCause"][-2])
    if "components" in expected:
        plain["components"] = [expected_component(one) for one in expected["components"]]
    return plain


def expected_component(one):
    ((kind, values),) = one.items()
    names = {
        "invoke": "invoke",
        "returnResultLast": "return_result_last",
        "returnResultNotLast": "return_result_not_last",
        "returnError": "return_error",
        "reject": "reject",
    }
    plain = {names[kind]: values["invokeID"]}
    for theirs, ours in {
        "opcode": "code",
        "errorCode": "code",
        "parameter": "parameter",
        "linkedID": "linked_id",
        "generalProblem": "general",
        "invokeProblem": "invoke",
        "returnResultProblem": "return_result",
        "returnErrorProblem": "return_error",
    }.items():
        if theirs in values:
            value = values[theirs]
            plain[ours] = value.removeprefix("global ") if isinstance(value, str) else value
    return plain


def check_dialogue(expected, got):
    """Compare the dialogue portion with the vector, which leaves some members out."""
    ((kind, values),) = expected.items()
    ours = "aarq" if kind in ("aarq", "audt") else kind
    if "application-context-name" in values:
        assert got[ours] == values["application-context-name"]
    if "result" in values:
        assert got["result"] == _RESULTS[values["result"]]
    for source, diagnostic in values.get("result-source-diagnostic", {}).items():
        assert got[source.removeprefix("dialogue-service-")] == diagnostic
    if "abort-source" in values:
        assert got["abrt"] == (0 if values["abort-source"] == "dialogue-service-user" else 1)
    if "user-information" in values:
        # The one EXTERNAL of the vectors: 2.999.1 and an octet string.
        assert got["user_information"] == "280a0603883701a003040101"
    else:
        assert "user_information" not in got


@needs_vectors
@pytest.mark.parametrize("vector", published("tcap.json"))
def test_published_tcap(vector, describe):
    got = describe(decode(bytes.fromhex(vector["hex"])))
    assert got.pop("type").lower() == vector["operation"]
    dialogue = got.pop("dialogue", None)
    assert (dialogue is None) == ("dialogue" not in vector["expected"])
    if dialogue is not None:
        check_dialogue(vector["expected"]["dialogue"], dialogue)
    assert got == expected_of(vector["expected"])


@needs_vectors
@pytest.mark.parametrize(
    "vector", [one for one in published("tcap.json") if "indefinite_form" in one.values[0]]
)
def test_published_indefinite_form_is_the_same_message(vector):
    assert decode(bytes.fromhex(vector["indefinite_form"])) == decode(bytes.fromhex(vector["hex"]))


def hex_of(node):
    return node["hex"] if node else None


def check_captured_dialogue(expected, got):
    if expected is None:
        assert got is None
        return
    ((kind, values),) = expected["encoding"]["single-ASN1-type"]["DialoguePDU"].items()
    ours = {"dialogueRequest": "aarq", "dialogueResponse": "aare", "dialogueAbort": "abrt"}[kind]
    assert got[ours] == values["application-context-name"]
    assert ("user_information" in got) == ("user-information" in values)
    if ours == "aare":
        assert got["result"] == values["result"]
        for source, diagnostic in values["result-source-diagnostic"].items():
            assert got[source.removeprefix("dialogue-service-")] == diagnostic


@needs_vectors
@pytest.mark.parametrize("vector", published("cap_map_dialogues.json"))
def test_captured_dialogues(vector, describe):
    ((kind, expected),) = vector["expected"].items()
    got = describe(decode(bytes.fromhex(vector["hex"])))
    assert got["type"].lower() == kind
    assert got.get("otid") == hex_of(expected.get("otid"))
    assert got.get("dtid") == hex_of(expected.get("dtid"))
    check_captured_dialogue(expected.get("dialoguePortion"), got.get("dialogue"))
    wanted = [next(iter(one["basicROS"].items())) for one in expected.get("components", [])]
    assert len(wanted) == len(got.get("components", []))
    for (name, values), component in zip(wanted, got.get("components", []), strict=True):
        ours = {"returnResult": "return_result_last", "returnError": "return_error"}.get(
            name, name
        )
        assert component[ours] == values["invokeId"]["present"]
        code = values.get("opcode") or values.get("errcode")
        if code is None and "result" in values:
            code = values["result"]["opcode"]
        assert component["code"] == code["local"]


@needs_vectors
@pytest.mark.parametrize("vector", published("tcap.json") + published("cap_map_dialogues.json"))
def test_published_octets_again(vector, reencode):
    octets = bytes.fromhex(vector["hex"])
    message = decode(octets)
    ours = reencode(message)
    assert (ours == octets) == (vector["id"] not in OTHERWISE)
    assert decode(ours) == message
