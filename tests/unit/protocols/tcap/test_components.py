"""Components that can't be decoded, and components that we refuse to encode."""

import json
from pathlib import Path

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.tcap.components import (
    PROBLEMS,
    Invoke,
    LocalCancel,
    Malformed,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
    decode,
    encode,
)

MALFORMED = json.loads(
    (Path(__file__).parent / "vectors" / "malformed_components.json").read_text()
)["vectors"]


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["id"]) for v in MALFORMED])
def test_malformed(vector):
    octets = bytes.fromhex(vector["octets"])
    (component,) = decode(octets, 0, len(octets))
    assert component == Malformed(
        vector["invoke_id"], ProblemType.GENERAL, vector["problem"], octets[2:], octets[0]
    )


def test_a_malformed_one_spares_its_neighbours():
    good = encode(Invoke(1, 24, b"\x30\x00"))
    octets = good + bytes.fromhex("a1 03 02 01 05") + good
    first, bad, last = decode(octets, 0, len(octets))
    assert first == last == Invoke(1, 24, b"\x30\x00")
    assert isinstance(bad, Malformed)


def test_parameter_is_the_whole_tlv_with_a_long_tag_or_length():
    for parameter in (b"\x9f\x32\x01\x05", b"\x04\x81\x80" + bytes(128), b"\x05\x00"):
        octets = encode(Invoke(0, 1, parameter))
        assert decode(octets, 0, len(octets)) == [Invoke(0, 1, parameter)]


@pytest.mark.parametrize("code", [-129, -1, 0, 127, 128, 255, 256, 1 << 40, "2.999.3", "0.4.0.1"])
def test_codes_both_ways(code):
    octets = encode(ReturnError(7, code))
    assert decode(octets, 0, len(octets)) == [ReturnError(7, code)]


@pytest.mark.parametrize("invoke_id", [-129, 128, 255])
@pytest.mark.parametrize(
    "component_of",
    [
        lambda one: Invoke(one, 0),
        lambda one: Invoke(0, 0, None, one),
        lambda one: ReturnResult(one),
        lambda one: ReturnError(one, 1),
        lambda one: Reject(one, ProblemType.INVOKE, 1),
    ],
    ids=["invoke", "linked", "result", "error", "reject"],
)
def test_ids_out_of_range_are_not_sent(component_of, invoke_id):
    with pytest.raises(LocalProtocolError, match=str(invoke_id)):
        encode(component_of(invoke_id))


def test_global_code_that_is_none():
    with pytest.raises(LocalProtocolError, match="2-999"):
        encode(Invoke(0, "2-999"))


def test_result_needs_its_code_for_a_parameter():
    with pytest.raises(LocalProtocolError, match="operation code"):
        encode(ReturnResult(0, None, b"\x05\x00"))


@pytest.mark.parametrize(
    "component", [LocalCancel(0, 1), Malformed(0, ProblemType.GENERAL, 1, b"")]
)
def test_what_is_only_ever_indicated(component):
    with pytest.raises(TypeError):
        encode(component)


def test_problems_in_words():
    reject = Reject(1, ProblemType.RETURN_RESULT, 1)
    assert reject.text == "return result problem returnResultUnexpected"
    assert Reject(1, ProblemType.INVOKE, 99).text == "invoke problem 99"
    assert {len(names) for names in PROBLEMS.values()} == {3, 8, 5}
