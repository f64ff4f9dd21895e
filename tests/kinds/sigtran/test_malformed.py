"""Malformed operations of the SCP: a failed check, whatever the definition compares."""

import pytest
from support.scripted_scp import INITIAL_DP, answer, operation, return_error, sends

from tsvc.protocols.tcap.components import ReturnResult

END = {"type": "tcap.ssp_to_scp.End"}


def octets(name, parameter):
    """Return a function that queues an operation; `parameter`: its argument in hex."""
    return operation(name, parameter=bytes.fromhex(parameter))


CASES = {
    "an INTEGER": ("Connect", "020105", "tag 2 where 30 is due"),
    "no argument": ("Connect", "", "nothing where an argument is due"),
    "mandatory member": ("Connect", "3000", "destinationRoutingAddress: mandatory member"),
    "a length past the end": ("Connect", "3004a0500403", ""),
    "no octets": ("Connect", "3004a0020400", "called party number of 0 octets"),
    "too many octets": ("Connect", "3017a0150413" + "8390" + "21" * 17, "19 octets, not 2..18"),
    "an end of contents": ("Connect", "300ca00804068390210143650000", "tag 00 that nothing"),
    "a tag that is too long": ("Connect", "300ea00804068390210143659f040101", "tag 9f04 that"),
    "a member twice": (
        "Connect",
        "3014a00804068390210143f5a00804068390219943f5",
        "destinationRoutingAddress occurs again",
    ),
    "two addresses": (
        "Connect",
        "3012a01004068390210143f504068390219943f5",
        "2 elements, not 1..1",
    ),
    "no cause": ("ReleaseCall", "", "nothing where an argument is due"),
    "cause of an octet": ("ReleaseCall", "040180", "cause of 1 octets"),
    "no events": ("RequestReportBCSMEvent", "3002a000", "0 elements, not 1..30"),
    "an argument where none is due": ("Continue", "3000", "2 octets where nothing is due"),
    "the same": ("DisconnectForwardConnection", "020101", "3 octets where nothing is due"),
    "no collectedInfo": ("PromptAndCollectUserInformation", "3000", "collectedInfo: mandatory"),
}


@pytest.fixture
def play(daemon):
    """Run a call in which the SCP answers with an operation; return the result."""

    def play(queue, name, **entry):
        tsvc = daemon(sends("continue", queue))
        expected = {"type": f"inap.ssp_from_scp.{name}", "seconds": 10, **entry}
        return tsvc.run(INITIAL_DP, expected, END, ssp_ac="camel2")

    return play


def failed(result):
    log = result["first_call_summary"]["check_log"]
    return [entry["text"] for entry in log if entry["level"] == "fail"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("given", [{}, {"arguments_not_used": True}], ids=["read", "not read"])
def test_a_malformed_argument_fails(play, case, given):
    name, parameter, text = CASES[case]
    result = play(octets(name, parameter), name, **given)
    assert result["verdict"] == "fail"
    assert result["counts"]["malformed"] == 1
    texts = failed(result)
    assert texts
    assert all(one.startswith("malformed argument: ") for one in texts)
    assert any(text in one for one in texts)


def test_what_is_compared_and_right_does_not_hide_it(play):
    name, parameter, _ = CASES["a member twice"]
    expected = {"destinationRoutingAddress_digits": "1210345"}
    result = play(octets(name, parameter), name, arguments=expected)
    assert result["verdict"] == "fail"
    assert any("occurs again" in text for text in failed(result))


@pytest.mark.parametrize(("malformed", "verdict"), [("note", "pass"), ("abort", "abort")])
def test_the_attribute_malformed(play, malformed, verdict):
    result = play(octets("Connect", "3000"), "Connect", malformed=malformed)
    assert result["verdict"] == verdict
    assert result["counts"]["malformed"] == 1


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        # An extension of a later version, an unknown monitorMode and an unknown event.
        ("Connect", "300e" + "a00804068390210143f5" + "9f640100"),
        ("RequestReportBCSMEvent", "300aa008300680010281014d"),
        ("RequestReportBCSMEvent", "300ba00930078002" + "00c8" + "810101"),
        ("Continue", ""),
    ],
)
def test_what_a_later_version_may_bring_is_a_note(play, name, parameter):
    result = play(octets(name, parameter), name)
    assert failed(result) == []
    assert (result["verdict"], result["counts"]["malformed"]) == ("pass", 0)


@pytest.mark.parametrize(
    ("code", "parameter", "text"),
    [
        (11, None, "parameter: nothing where a parameter is due"),
        (11, b"\x02\x01\x01", "parameter: tag 2 where a is due"),
        (7, b"\x0a\x01\x01", "parameter: 3 octets where nothing is due"),
        (1, b"\x30\x00", "parameter.problem: mandatory member is missing"),
    ],
)
def test_the_parameter_of_an_error(daemon, code, parameter, text):
    tsvc = daemon(sends("end", return_error(code, parameter)))
    expected = {"type": "inap.ssp_from_scp.InitialDPError", "seconds": 10}
    result = tsvc.run(INITIAL_DP, expected, ssp_ac="camel2")
    assert f"malformed error: {text}" in failed(result)


@pytest.mark.parametrize("code", [3, 99, "1.2.3"])
def test_an_error_that_the_operation_does_not_have(daemon, code):
    tsvc = daemon(sends("end", return_error(code)))
    expected = {"type": "inap.ssp_from_scp.InitialDPError", "seconds": 10}
    result = tsvc.run(INITIAL_DP, expected, ssp_ac="camel2")
    assert failed(result) == [f"malformed error: InitialDP has no error {code}"]
    assert result["counts"]["malformed"] == 1


@pytest.mark.parametrize("primitive", ["continue", "end"])
def test_a_link_to_what_has_no_linked_operation(daemon, primitive):
    tsvc = daemon(
        sends(primitive, operation("ReleaseCall", {"initialCallSegment_cause": 31}, linked_id=0))
    )
    expected = {"type": "inap.ssp_from_scp.ReleaseCall", "seconds": 10}
    result = tsvc.run(INITIAL_DP, expected, ssp_ac="camel2")
    text = "malformed argument: linked to InitialDP, which has no such linked operation"
    assert failed(result) == [text]


def test_a_result_that_is_not_the_last(daemon):
    tsvc = daemon(sends("end", answer(lambda one: ReturnResult(one.invoke_id, 71, b"0\0", False))))
    identity = {"imsi_digits": "530010000000001"}
    arguments = {"requestedInfo": {"subscriberState": 1}, "subscriberIdentity": identity}
    result = tsvc.run(
        {
            "type": "map.hlr_to_scp.AnyTimeInterrogation",
            "arguments": {**arguments, "gsmSCF-Address_digits": "6421000001"},
        },
        {"type": "map.hlr_from_scp.AnyTimeInterrogationResult", "seconds": 10},
        hlr_ac="ati3",
    )
    text = "malformed result: not the last result, where one is all there is"
    assert text in failed(result), result


def test_in_a_load_each_one_fails_and_is_counted(daemon):
    tsvc = daemon(sends("continue", octets("Connect", "3000")))
    expected = {"type": "inap.ssp_from_scp.Connect", "seconds": 10}
    load = {"type": "load", "total": 25, "backlog": 5}
    result = tsvc.run(INITIAL_DP, expected, END, ssp_ac="camel2", distribution=load)
    assert result["counts"]["failed"] == result["counts"]["malformed"] == 25


def test_turbo_looks_at_the_first_instance_only_and_says_so(daemon):
    tsvc = daemon(sends("continue", octets("Connect", "3000")))
    expected = {"type": "inap.ssp_from_scp.Connect", "seconds": 10}
    load = {"type": "load", "total": 5, "backlog": 1}
    result = tsvc.run(INITIAL_DP, expected, END, ssp_ac="camel2", distribution=load, turbo=1)
    assert result["counts"]["failed"] == result["counts"]["malformed"] == 1
    (problem,) = [one for one in result["problems"] if one["path"] == "params.turbo"]
    assert "malformed" in problem["text"]
