"""Resources: announcements, failures, and the external resource with its assist dialogue."""

import pytest

from tsvc.config.scp_tables import Scp, Srf
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.tcap.components import ProblemType, Reject, ReturnError

PLAY = ("PlayAnnouncement", (101, 1, 1, 1))
PROMPT = "PromptAndCollectUserInformation"
FAILED = ("ReleaseCall", 38)
SPOKEN = ({"null": 1}, {"allAnnouncementsComplete": 1})


# -- announcements --------------------------------------------------------------------------


def test_announcement_then_next_operation(bench_of, wire, variant):
    bench = bench_of(wire.play_flow(), variant)
    assert bench.initial_dp() == [("CONTINUE", wire.rrbe(wire.ABANDON), wire.CTR, PLAY)]
    assert bench.announcement_over() == [("END", wire.DFC, wire.released(101))]
    assert bench.paths[0][2] == [(1, 0), (2, 0), (3, None)]


def test_report_linked_to_something_else_is_not_ours(bench_of, wire, variant):
    bench = bench_of(wire.play_flow(), variant)
    bench.initial_dp()
    linked_id = bench.invoke_ids["ConnectToResource"]
    linked_response_unexpected = ("reject", ProblemType.INVOKE, 6)
    assert bench.announcement_over(linked_id=linked_id) == [("END", linked_response_unexpected)]


def test_report_linked_to_nothing_is_rejected(bench_of, wire, variant):
    bench = bench_of(wire.play_flow(), variant)
    bench.initial_dp()
    unrecognized_linked_id = ("reject", ProblemType.INVOKE, 5)
    assert bench.announcement_over(linked_id=99) == [("END", unrecognized_linked_id)]


def test_report_without_a_linked_id_is_taken(bench_of, wire, variant):
    bench = bench_of(wire.play_flow(), variant)
    bench.initial_dp()
    bench.invoke("SpecializedResourceReport", SPOKEN[variant == "camel4"])
    assert bench.send() == [("END", wire.DFC, wire.released(101))]


def test_start_of_an_announcement_that_nobody_asked_for_is_aborted(bench_of, wire):
    bench = bench_of(wire.play_flow(), "camel4")
    bench.initial_dp()
    bench.invoke(
        "SpecializedResourceReport",
        {"firstAnnouncementStarted": 1},
        linked_id=bench.invoke_ids["PlayAnnouncement"],
    )
    assert bench.send() == [("U-ABORT",)]
    assert bench.counts("errors") == {"errors": {"protocol": 1}}


def test_caller_gone_during_the_announcement(bench_of, wire, variant):
    bench = bench_of(wire.play_flow(), variant)
    bench.initial_dp()
    assert bench.report("oAbandon") == [wire.END]
    assert bench.paths[0][2] == [(1, 0), (2, None)]


def test_resource_stays_connected_between_operations(bench_of, wire, variant):
    play = {**wire.play_flow()["operations"]["2"]}
    dialing = {**wire.extension_flow()["operations"]["2"], "exits": [None, None, None]}
    del play["id"], dialing["id"]
    bench = bench_of(wire.document(play, dialing), variant)
    bench.initial_dp()
    assert bench.announcement_over() == [("CONTINUE", wire.prompt())]
    bench.send("end")


# -- failures -------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["unavailableResource", "canceled", "systemFailure"])
def test_failed_prompt_disconnects_and_releases(bench_of, wire, variant, error):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.error(PROMPT, error) == [("END", wire.DFC, FAILED)]
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {f"resource: {error}": 1}}
    assert bench.paths[0][2] == [(1, 0), (2, None)]


@pytest.mark.parametrize("error", ["unavailableResource", "canceled", "systemFailure"])
def test_failed_announcement_disconnects_and_releases(bench_of, wire, variant, error):
    bench = bench_of(wire.play_flow(), variant)
    bench.initial_dp()
    assert bench.error("PlayAnnouncement", error) == [("END", wire.DFC, FAILED)]


def test_failed_reprompt_disconnects_and_releases(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.digits("1")
    assert bench.error(PROMPT, "unavailableResource") == [("END", wire.DFC, FAILED)]


def test_rejected_prompt_disconnects_and_releases(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    reject = Reject(bench.invoke_ids[PROMPT], ProblemType.INVOKE, 1)
    assert bench.answer(reject) == [("END", wire.DFC, FAILED)]


@pytest.mark.parametrize("error", ["systemFailure", "taskRefused"])
def test_failed_connect_to_resource_has_nothing_to_disconnect(bench_of, wire, variant, error):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.error("ConnectToResource", error) == [("END", FAILED)]


def test_failed_connect_to_resource_and_prompt_in_one_message(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    ids = bench.invoke_ids
    bench.dialogue.answer(ReturnError(ids["ConnectToResource"], 11, b"\x0a\1\1"))
    bench.dialogue.answer(ReturnError(ids[PROMPT], 14))
    assert bench.send() == [("END", FAILED)]
    assert bench.counts("failed") == {"failed": 1}


def test_failed_arming_has_started_nothing_behind_it(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.error("RequestReportBCSMEvent", "taskRefused") == [("END", wire.released(31))]
    assert bench.counts("failed", "errors") == {"failed": 1, "errors": {"taskRefused": 1}}


@pytest.mark.parametrize("operation", ["Connect", "DisconnectForwardConnection"])
def test_failed_connect_releases(bench_of, wire, variant, operation):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    bench.digits("100")
    assert bench.error(operation, "systemFailure") == [("END", wire.released(31))]


def test_no_answer_from_the_resource_within_its_guard_time(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf={"guard_s": 50}, reset_timer_interval=0)
    bench.initial_dp()
    assert bench.advance(49.9) == []
    assert bench.advance(0.2) == [("END", wire.DFC, FAILED)]
    assert bench.counts("errors") == {"errors": {"resource: guard time": 1}}


def test_failure_cause_is_the_sites(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, resource_failure_cause=47)
    bench.initial_dp()
    assert bench.error("ConnectToResource", "systemFailure") == [("END", wire.released(47))]


def test_error_in_the_ssps_end(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant)
    bench.initial_dp()
    assert bench.error("ConnectToResource", "systemFailure", primitive="end") == []
    assert bench.counts("failed", "abandoned") == {"failed": 1}


# -- the external resource ------------------------------------------------------------------

ETC_SRF = {"use_etc": True, "routing_address": "64900", "scf_id": "0102"}


def etc(bench, **changes):
    """Return the EstablishTemporaryConnection to expect, and the correlation id in it."""
    (first,) = bench.initial_dp()
    arguments = first.components[1][1]
    correlation_id = arguments["correlationID_digits"]
    expected = {
        "assistingSSPIPRoutingAddress_digits": "64900",
        "correlationID_digits": correlation_id,
        "scfID_hex": "0102",
        **changes,
    }
    return first, ("EstablishTemporaryConnection", expected), correlation_id


@pytest.mark.parametrize("context", ["-assist", "-srf"])
def test_assist_dialogue(bench_of, wire, variant, context):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    first, expected, correlation_id = etc(bench)
    assert first == ("CONTINUE", wire.rrbe(wire.ABANDON), expected)
    assert correlation_id.isdecimal()
    assert len(correlation_id) == 8
    (asked,) = bench.assist_request(correlation_id, context)
    assert asked == ("CONTINUE", wire.prompt())
    assert asked.to == "srf"
    assert asked.pdu.application_context == BY_ALIAS[variant + context].octets
    assert bench.digits("1", dialogue=bench.assist) == [("CONTINUE", wire.REPROMPT)]
    ssp, srf = bench.digits("100", dialogue=bench.assist)
    assert ssp == ("CONTINUE", wire.DFC, wire.watched(), wire.connect("4329100"))
    assert (ssp.to, srf.to, srf) == ("ssp", "srf", wire.END)
    assert bench.report("oAnswer") == [wire.END]


def test_assist_dialogue_ended_by_arrangement(bench_of, wire, variant):
    srf = {**ETC_SRF, "assist_end": "prearranged"}
    bench = bench_of(wire.extension_flow(), variant, srf=srf)
    _, _, correlation_id = etc(bench)
    bench.assist_request(correlation_id)
    assert bench.digits("100", dialogue=bench.assist) == [
        ("CONTINUE", wire.DFC, wire.watched(), wire.connect("4329100"))
    ]
    assert bench.report("oAnswer") == [wire.END]


def test_embedded_correlation_id(bench_of, wire, variant):
    srf = {**ETC_SRF, "correlation_id_location": "embedded", "scf_id": ""}
    bench = bench_of(wire.extension_flow(), variant, srf=srf)
    for has_prefix in (False, True):
        (first,) = bench.initial_dp()
        arguments = first.components[1][1]
        assert arguments["correlationID_digits"] is None
        assert arguments["scfID_hex"] is None
        address = arguments["assistingSSPIPRoutingAddress_digits"]
        assert address.startswith("64900")
        assert len(address) == 13
        digits = address if has_prefix else address.removeprefix("64900")
        assert bench.assist_request(digits) == [("CONTINUE", wire.prompt())]
        bench.send("end")


def test_calls_have_different_correlation_ids(bench_of, wire):
    bench = bench_of(wire.extension_flow(), srf=ETC_SRF)
    _, _, one = etc(bench)
    first = bench.dialogue
    _, _, other = etc(bench)
    assert one != other
    assert bench.assist_request(one) == [("CONTINUE", wire.prompt())]
    assert [message.to for message in bench.send("end", first)] == ["srf"]
    bench.send("end")


def test_announcement_on_the_assist_dialogue(bench_of, wire, variant):
    bench = bench_of(wire.play_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    assert bench.assist_request(correlation_id) == [("CONTINUE", PLAY)]
    ssp, srf = bench.announcement_over(dialogue=bench.assist)
    assert ssp == ("END", wire.DFC, wire.released(101))
    assert srf == wire.END


def test_unknown_correlation_id_is_an_error_in_an_end(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    assert bench.assist_request("1" + correlation_id) == [("END", ("error", 15))]
    assert bench.assist_request(correlation_id) == [("CONTINUE", wire.prompt())]
    # A correlation id serves once.
    assist = bench.assist
    assert bench.assist_request(correlation_id) == [("END", ("error", 15))]
    bench.assist = assist
    bench.send("end")


def test_no_assist_dialogue_in_time(bench_of, wire, variant):
    srf = {**ETC_SRF, "correlation_id_timeout_s": 1.5}
    bench = bench_of(wire.extension_flow(), variant, srf=srf)
    _, _, correlation_id = etc(bench)
    assert bench.advance(1.4) == []
    assert bench.advance(0.2) == [("END", wire.DFC, FAILED)]
    assert bench.assist_request(correlation_id) == [("END", ("error", 15))]


def test_failed_temporary_connection_has_nothing_to_disconnect(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    etc(bench)
    assert bench.error("EstablishTemporaryConnection", "eTCFailed") == [("END", FAILED)]


@pytest.mark.parametrize("how", ["end", "abort", "unavailableResource"])
def test_resource_that_gives_up(bench_of, wire, variant, how):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    bench.assist_request(correlation_id)
    if how in ("end", "abort"):
        messages = bench.send(how, bench.assist)
    else:
        messages = bench.error(PROMPT, how, dialogue=bench.assist, primitive="end")
    assert messages == [("END", wire.DFC, FAILED)]


def test_error_on_the_assist_dialogue_ends_both(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    bench.assist_request(correlation_id)
    ssp, srf = bench.error(PROMPT, "unavailableResource", dialogue=bench.assist)
    assert ssp == ("END", wire.DFC, FAILED)
    assert srf == wire.END


def test_digits_in_the_resources_end(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    bench.assist_request(correlation_id)
    assert bench.digits("100", dialogue=bench.assist, primitive="end") == [
        ("CONTINUE", wire.DFC, wire.watched(), wire.connect("4329100"))
    ]
    bench.send("end")


def test_resource_that_ended_is_connected_anew_for_the_reprompt(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    bench.assist_request(correlation_id)
    (again,) = bench.digits("1", dialogue=bench.assist, primitive="end")
    assert again.components[0] == wire.DFC
    correlation_id = again.components[1][1]["correlationID_digits"]
    assert bench.assist_request(correlation_id) == [("CONTINUE", wire.REPROMPT)]
    assert [message.to for message in bench.send("end")] == ["srf"]


@pytest.mark.parametrize("how", ["abandon", "end"])
def test_caller_gone_ends_the_assist_dialogue_too(bench_of, wire, variant, how):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    bench.assist_request(correlation_id)
    messages = bench.report("oAbandon") if how == "abandon" else bench.send("end")
    ends = [("ssp", wire.END), ("srf", wire.END)]
    assert [(message.to, message) for message in messages] == ends[how == "end" :]


def test_caller_gone_before_the_assist_dialogue(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    assert bench.report("oAbandon") == [wire.END]
    assert bench.assist_request(correlation_id) == [("END", ("error", 15))]


def test_reject_towards_the_resource_goes_in_an_end(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    _, _, correlation_id = etc(bench)
    bench.assist_request(correlation_id)
    bench.assist.invoke(120, 2, None, now=bench.now)
    ssp, srf = bench.send(dialogue=bench.assist)
    assert ssp == ("END", wire.DFC, FAILED)
    assert srf == ("END", ("reject", 1, 1))


def test_assist_request_without_a_correlation_id(bench_of, wire, variant):
    bench = bench_of(wire.extension_flow(), variant, srf=ETC_SRF)
    bench.dialogue = bench.peers["srf"].new_dialogue(bench.now)
    bench.dialogue.invoke(16, 2, bytes.fromhex("3000"), now=bench.now)
    assert bench.begin(bench.dialogue, "srf", variant + "-assist") == [("END", ("reject", 1, 2))]


# -- a resource of a flow's own -------------------------------------------------------------------


def test_a_flow_has_a_resource_of_its_own(bench_of, wire, variant):
    own = {**wire.extension_flow(), "srf": {"use_etc": True, "routing_address": "64900"}}
    bench = bench_of(own, variant)
    (first,) = bench.initial_dp()
    etc = first.components[1]
    assert etc[0] == "EstablishTemporaryConnection"
    assert etc[1]["assistingSSPIPRoutingAddress_digits"] == "64900"
    (asked,) = bench.assist_request(etc[1]["correlationID_digits"])
    assert (asked.to, asked.components) == ("srf", [wire.prompt()])
    said = bench.digits("900", dialogue=bench.assist)
    assert said == [("END", wire.DFC, wire.released(103)), wire.END]


def test_flows_with_and_without_one_side_by_side(bench_of, wire):
    external = {**wire.extension_flow(), "srf": {"use_etc": True, "routing_address": "64900"}}
    switch = {
        **wire.extension_flow(),
        "triggers": [{"service_key": 46}],
        "srf": {"use_etc": False},
    }
    bench = bench_of(external, "camel2", srf={"use_etc": True, "routing_address": "1"})
    bench.scp.replace_flows([bench.compile(external), bench.compile(switch)])
    (first,) = bench.initial_dp(serviceKey=46)
    assert first == wire.FIRST
    bench.send("end")
    (first,) = bench.initial_dp()
    assert first.components[1][1]["assistingSSPIPRoutingAddress_digits"] == "64900"
    bench.send("end")


def test_an_id_in_the_address_of_a_flows_own_resource(bench_of, wire):
    own = {**wire.extension_flow(), "srf": {"use_etc": True, "routing_address": "64900"}}
    bench = bench_of(own, "camel2", srf={"correlation_id_location": "embedded"})
    (first,) = bench.initial_dp()
    address = first.components[1][1]["assistingSSPIPRoutingAddress_digits"]
    assert (address[:5], len(address)) == ("64900", 13)
    (asked,) = bench.assist_request(address)
    assert asked.components == [wire.prompt()]
    bench.send("end")


def test_a_reload_forgets_no_call_that_waits_for_its_resource(bench_of, wire):
    own = {**wire.extension_flow(), "srf": {"use_etc": True, "routing_address": "64900"}}
    bench = bench_of(own, "camel2")
    (first,) = bench.initial_dp()
    bench.scp.reconfigure([bench.compile(wire.extension_flow())], Scp(srf=Srf(end_digit="*")))
    (asked,) = bench.assist_request(first.components[1][1]["correlationID_digits"])
    assert asked.components == [wire.prompt()]
    bench.send("end")
