"""GetTrace: the trace of an instance is the same before and after the run is collected."""

import base64
import json
import struct
from dataclasses import replace

import pytest
from support.scripted_scp import CONTINUE, INITIAL_DP, expect

from tsvc.engine.result import kept_messages, result, traces
from tsvc.results import records

FORMS = ("json", "text", "ladder", "svg", "pcap")
FAILED, ABORTED, COUNT = 3, 5, 30
LOAD = {"type": "load", "total": COUNT, "backlog": 1}


def choose(idx, target, other):
    expression = f"$r->{{idx}} == {idx}"
    return {"type": "branch", "expression": expression, "on_true": target, "on_false": other}


CALLS = (
    INITIAL_DP,
    expect("Continue"),
    choose(FAILED, "failing", "others"),
    {"type": "fail", "label": "failing"},
    {**choose(ABORTED, "aborting", "end"), "label": "others"},
    {"type": "abort", "label": "aborting"},
    {"type": "pass", "label": "end"},
)


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def completed(tsvc, *operations, **params):
    """Return a run that is completed and not collected."""
    run_id = tsvc.execute(*operations, **params)
    run = tsvc.service.runs[run_id]
    tsvc.until(run.completed.is_set)
    return run


def trace(tsvc, run, idx, form):
    return tsvc.call("GetTrace", run_id=run.run_id, instance=idx, format=form)["content"]


def packets(content):
    """Return the octets of the packets of a capture, without their times."""
    octets = base64.b64decode(content)
    found, at = [], 24
    while at < len(octets):
        (length,) = struct.unpack_from("<I", octets, at + 8)
        found.append(octets[at + 16 : at + 16 + length])
        at += 16 + length
    assert found
    return found


def kept(run):
    found = [run.first, *run.kept.of_causes(), *run.kept.slowest]
    return {instance.idx for instance in found}


def test_json_says_where_values_are(tsvc):
    run = completed(tsvc, *CALLS, distribution=LOAD)
    found = trace(tsvc, run, 0, "json")["messages"]
    (span,) = (one for one in found[0]["spans"] if one["path"] == "otid")
    at = 2 * span["start"]
    assert found[0]["hex"][at : at + 2 * span["length"]] == found[0]["otid"]
    result = tsvc.call("QueryTest", run_id=run.run_id)["first_call_summary"]
    assert "spans" not in result["messages"][0], "results stay as small as they are"


def test_every_form_of_every_instance_kept_survives_collection(tsvc):
    run = completed(tsvc, *CALLS, distribution=LOAD)
    instances = kept(run)
    assert {0, FAILED, ABORTED} < instances
    assert len(instances) >= 10, "the slowest"
    before = {(idx, form): trace(tsvc, run, idx, form) for idx in instances for form in FORMS}
    tsvc.call("QueryTest", run_id=run.run_id)
    assert run.run_id not in tsvc.service.runs
    for (idx, form), expected in before.items():
        found = trace(tsvc, run, idx, form)
        if form == "json":
            found.pop("flow_paths", None)  # of the first instance: they are in the result
            expected.pop("flow_paths", None)
            found.pop("cause", None)
        if form == "pcap":  # the archive has whole microseconds
            found, expected = packets(found), packets(expected)
        assert found == expected, (idx, form)
    assert "InitialDP" in before[ABORTED, "text"]
    states = {idx: before[idx, "json"]["state"] for idx in (0, FAILED, ABORTED)}
    assert states == {0: "passed", FAILED: "failed", ABORTED: "aborted"}


def test_what_was_not_kept_is_refused_before_and_after(tsvc):
    run = completed(tsvc, *CALLS, distribution=LOAD)
    missing = next(iter(set(range(COUNT)) - kept(run)))
    for _ in range(2):
        for idx in (missing, COUNT):
            error = tsvc.refusal("GetTrace", run_id=run.run_id, instance=idx)
            assert (error["code"], error["data"]["kind"]) == (1000, "instance.not_kept")
        tsvc.call("QueryTest", run_id=run.run_id)


def test_without_details_only_the_first_is_kept(tsvc):
    run = completed(tsvc, *CALLS, distribution=LOAD, load_details=0)
    tsvc.call("QueryTest", run_id=run.run_id)
    assert "InitialDP" in trace(tsvc, run, 0, "text")
    assert tsvc.refusal("GetTrace", run_id=run.run_id, instance=FAILED)["code"] == 1000


def test_messages_that_are_archived_are_bounded(tsvc, monkeypatch):
    run = completed(tsvc, *CALLS, distribution=LOAD)
    one = sum(len(record.octets) for record in run.first.messages)
    monkeypatch.setattr(traces, "MOST_OCTETS", one * 3)
    assert list(traces.to_archive(run)) == ["0", str(FAILED), str(ABORTED)]
    monkeypatch.setattr(traces, "MOST_OCTETS", 0)
    assert list(traces.to_archive(run)) == ["0"], "the first one's always are"


def test_a_detail_without_messages_is_read_as_json_only(tsvc, monkeypatch):
    monkeypatch.setattr(traces, "MOST_OCTETS", 0)
    run = completed(tsvc, *CALLS, distribution=LOAD)
    tsvc.call("QueryTest", run_id=run.run_id)
    assert trace(tsvc, run, FAILED, "json")["state"] == "failed"
    error = tsvc.refusal("GetTrace", run_id=run.run_id, instance=FAILED, format="pcap")
    assert error["data"]["kind"] == "instance.not_kept"


def test_archives_of_before_have_the_messages_of_the_first(tsvc):
    run = completed(tsvc, *CALLS, distribution=LOAD)
    expected = trace(tsvc, run, 0, "ladder")
    found = tsvc.service.archived.stored(run_id=run.run_id)
    rows = json.loads(json.dumps(records.messages_to_json(run.first.messages)))
    found = replace(found, messages=rows)
    assert traces.stored_trace(found, 0, "ladder") == expected
    assert traces.stored_trace(found, FAILED, "json")["state"] == "failed"


# -- the trace log -------------------------------------------------------------------------------


def traced(tsvc, *operations, **params):
    return tsvc.run(*operations, **params)["first_call_summary"]["trace_log"]


def test_level_1_names_operations_and_matched_messages(tsvc):
    labelled = {"type": "pass", "label": "here"}
    log = traced(tsvc, INITIAL_DP, expect("Continue"), labelled, trace_level=1)
    assert [(entry["op"], entry["text"]) for entry in log][:4] == [
        (0, "inap.ssp_to_scp.InitialDP"),
        (1, "inap.ssp_from_scp.Continue"),
        (1, "Received Continue"),
        (2, "pass, here"),
    ]
    assert {entry["level"] for entry in log} == {1}


def test_level_2_dumps_every_message_decoded_and_in_hex(tsvc):
    operations = (INITIAL_DP, expect("Continue"))
    kept_too = tsvc.run(*operations, trace_level=2)["first_call_summary"]
    dumped = [entry for entry in kept_too["trace_log"] if entry["level"] == 2]
    assert [entry["detail"] for entry in dumped] == kept_too["messages"]
    octets = [len(bytes.fromhex(entry["detail"]["hex"])) for entry in dumped]
    assert [entry["text"] for entry in dumped] == [
        f"SSP sent {octets[0]} octets",
        f"SSP received {octets[1]} octets",
    ]
    arguments = dumped[0]["detail"]["components"][0]["arguments"]
    assert arguments["serviceKey"] == INITIAL_DP["arguments"]["serviceKey"]


def test_a_dump_needs_no_trace_messages(tsvc):
    run = completed(tsvc, INITIAL_DP, expect("Continue"), trace_level=2, trace_messages=0)
    before = trace(tsvc, run, 0, "text")
    assert before.count("InitialDP (0)") == 1
    tsvc.call("QueryTest", run_id=run.run_id)
    assert trace(tsvc, run, 0, "text") == before


def test_text_has_each_message_once(tsvc):
    run = completed(tsvc, INITIAL_DP, expect("Continue"), trace_level=3)
    text = trace(tsvc, run, 0, "text")
    assert text.count("InitialDP (0)") == 1
    assert "SSP sent" in text


def test_a_dump_is_bounded(daemon):
    tsvc = daemon(CONTINUE, max_trace_octets=1024)
    calls = (INITIAL_DP, expect("Continue")) * 40
    log = traced(tsvc, *calls, trace_level=2)
    assert log[-1]["text"] == "trace cut here: engine.max_trace_octets is reached"
    assert len(log) < 20


def test_only_the_first_instance_is_traced(tsvc):
    run = completed(tsvc, *CALLS, distribution=LOAD, trace_level=2)
    assert run.first.trace_log.entries
    assert all(instance.trace_log is None for instance in run.kept.slowest if instance.idx)


def test_json_has_what_the_ladder_draws(tsvc):
    """Lifelines, labels and details: all of them are in the ladder, in the same order."""
    run = completed(tsvc, *CALLS, distribution=LOAD)
    content = trace(tsvc, run, 0, "json")
    assert content["lifelines"] == {"roles": ["SSP"], "peers": ["SCP"]}
    arrows = [message["arrow"] for message in content["messages"]]
    assert [(one["from"], one["to"]) for one in arrows][:2] == [("SSP", "SCP"), ("SCP", "SSP")]
    rest = trace(tsvc, run, 0, "ladder")
    for arrow in arrows:
        for text in (arrow["label"], *(one["name"] for one in arrow["details"])):
            _, found, rest = rest.partition(text)
            assert found == text
    assert not any(arrow["is_failure"] for arrow in arrows)


# -- portions ------------------------------------------------------------------------------------


def excerpt(tsvc, run, **wanted):
    found = tsvc.call("GetTrace", run_id=run.run_id, instance=0, format="json", **wanted)
    return found["content"]


def test_portions_are_the_same_before_and_after_collection(tsvc):
    """All portions together are the same as the whole trace in one answer."""
    run = completed(tsvc, *CALLS, *(INITIAL_DP, expect("Continue")) * 8)
    whole = excerpt(tsvc, run)
    assert len(whole["messages"]) == 18
    for _ in range(2):
        messages, at = [], 0
        while at < 18:
            content = excerpt(tsvc, run, **{"from": at, "count": 5})
            portion = content["portion"]
            assert portion == {"from": at, "next": min(at + 5, 18), "total": 18}
            at = portion["next"]
            messages += content["messages"]
            assert content["check_log"] == whole["check_log"]
            assert "ladder" not in content
        assert [one.pop("index") for one in messages] == list(range(18))
        assert messages == whole["messages"]
        few = excerpt(tsvc, run, **{"from": 3, "count": 2, "summary": 1, "fields": ["messages"]})
        assert list(few) == ["messages"]
        assert [one["index"] for one in few["messages"]] == [3, 4]
        assert "components" not in few["messages"][0]
        beyond = excerpt(tsvc, run, **{"from": 99})
        assert beyond["portion"] == {"from": 18, "next": 18, "total": 18}
        assert beyond["messages"] == []
        tsvc.call("QueryTest", run_id=run.run_id)


def test_members_of_the_whole(tsvc):
    run = completed(tsvc, *CALLS)
    assert set(excerpt(tsvc, run, fields=["state", "reason"])) == {"state", "reason"}
    assert excerpt(tsvc, run, fields=["messages"])["messages"] == excerpt(tsvc, run)["messages"]


@pytest.mark.parametrize(
    "given", [{"from": 0}, {"count": 1}, {"summary": 1}, {"fields": ["state"]}], ids=str
)
def test_only_json_has_parts(tsvc, given):
    run = completed(tsvc, *CALLS)
    error = tsvc.refusal("GetTrace", run_id=run.run_id, **given)
    assert error["message"] == "params.format: only json has parts, not text"


def test_a_result_has_the_first_messages_and_a_trace_all(tsvc, monkeypatch):
    monkeypatch.setattr(result, "MOST_MESSAGES", 3)
    run = completed(tsvc, INITIAL_DP, expect("Continue"), *(INITIAL_DP, expect("Continue")) * 3)
    for _ in range(2):
        trace_of_all = excerpt(tsvc, run)["messages"]
        assert len(trace_of_all) == 8
        shown = tsvc.call("QueryTest", run_id=run.run_id)["first_call_summary"]["messages"]
        plain = [
            {name: value for name, value in one.items() if name not in ("spans", "arrow")}
            for one in trace_of_all
        ]
        assert shown == plain[:3]


def test_messages_that_are_kept_are_bounded_by_count_and_octets(tsvc, monkeypatch):
    calls = (INITIAL_DP, expect("Continue")) * 10
    monkeypatch.setattr(kept_messages, "MAX_MESSAGES", 7)
    assert len(completed(tsvc, *calls).first.messages) == 7
    monkeypatch.setattr(kept_messages, "MAX_MESSAGE_OCTETS", 200)
    kept = completed(tsvc, *calls).first.messages
    assert sum(len(one.octets) for one in kept[:-1]) < 200
    assert sum(len(one.octets) for one in kept) >= 200
