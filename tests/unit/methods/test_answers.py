"""Every answer of every method is as declared, and every declared member is in some answer."""

import json
import re
from pathlib import Path

import pytest
from support.daemons import Daemon
from support.kind_peers import peer_of
from support.scripted_scp import (
    END,
    INITIAL_DP,
    evaluate,
    expect,
    operation,
    p_abort,
    send,
    sends,
)
from support.waiting import GUARD_S, until
from unit.methods.declared import Answers, places

from tsvc.engine.result.result_schema import (
    ListedResult,
    LostWorker,
    TracedInstance,
    WorkerOfRun,
)
from tsvc.methods.list_workers import WorkerMembers
from tsvc.methods.method import METHODS

ROOT = Path(__file__).parents[3]
FLOW = json.loads((ROOT / "etc/examples/flows/extension_dialing.json").read_text())
DEFINITION = json.loads((ROOT / "etc/examples/extension_dialing.json").read_text())
PASS = {"type": "pass"}
HALT = {"type": "halt", "arguments": {"seconds": 60, "comment": "look"}}
DATABASE = {
    "url": "sqlite://",
    "statements": {"One": {"sql": "SELECT 1 AS one", "shape": "row"}},
}
PLAY = operation(
    "PlayAnnouncement",
    {"informationToSend": {"tone": {"toneID": 1}}, "requestAnnouncementComplete": True},
)
ADDRESS = {"dpc": 2, "dssn": 146, "dgt_digits": "6421", "dgt_noa": 4, "dgt_np": 1, "dgt_tt": 0}
METHODS.load()

# Members that no answer here has, with the reason.
OF_WORKERS = "a run of several processes: tests/e2e/cluster holds these"
UNSEEN = {
    ("Counts", "lost"): OF_WORKERS,
    **{("RunResult", name): OF_WORKERS for name in ("workers", "lost", "degraded")},
    **{("WorkerMembers", name): OF_WORKERS for name in WorkerMembers().fields},
    ("Drained", "worker"): OF_WORKERS,
    **{("WorkerOfRun", name): OF_WORKERS for name in WorkerOfRun().fields},
    **{("LostWorker", name): OF_WORKERS for name in LostWorker().fields},
    ("Message", "problem"): "a peer's octets that can't be read end before they are a message",
}


class Asker:
    """Sends requests to a daemon in this process, and compares all answers with declarations."""

    def __init__(self, tsvc, answers):
        self.tsvc = tsvc
        self.answers = answers
        self._count = 0
        self._compared = None  # the first result, with which others are compared

    def call(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        response = json.loads(self.tsvc.dispatcher.dispatch(json.dumps(request).encode()))
        assert "error" not in response, response["error"]
        self.answers.hold(METHODS.get(method).Result, response["result"], method)
        return response["result"]

    def start(self, *operations, **params):
        self._count += 1
        run_id = f"run {self._count}"
        self.call("ExecuteTest", run_id=run_id, operations=list(operations), **params)
        return run_id

    def finish(self, run_id):
        result = self.call("QueryTest", run_id=run_id, wait_s=GUARD_S)
        assert result["completed"] == 1
        return result

    def run(self, *operations, **params):
        """Run the operations; query the run by every method, before and after it is collected."""
        result = self.finish(self.start(*operations, **params))
        self.call("QueryTest", run_id=result["run_id"])
        self.call("GetResult", result_id=result["result_id"], definition=True)
        self._compared = self._compared or result["result_id"]
        self.call("CompareResults", a=self._compared, b=result["result_id"])
        forms = ("text", "ladder", "svg")
        if (result["first_call_summary"] or {}).get("messages"):
            forms += ("pcap",)
        for form in forms:
            self.call("GetTrace", result_id=result["result_id"], format=form)
        traced = self.call("GetTrace", run_id=result["run_id"], format="json")
        self.answers.hold(TracedInstance, traced["content"], "GetTrace.content")
        part = {"from": 0, "count": 2, "summary": 1, "format": "json"}
        traced = self.call("GetTrace", result_id=result["result_id"], **part)
        self.answers.hold(TracedInstance, traced["content"], "GetTrace.content")
        return result

    def until(self, condition):
        until(condition)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """All answers of this module; the last test checks them."""
    return Answers()


@pytest.fixture
def asker(daemon, answers):
    """A function that makes an Asker: asker(*reactions of the SCP, **settings)."""
    return lambda *reactions, **settings: Asker(daemon(*reactions, **settings), answers)


def test_runs_of_each_type_of_distribution(asker):
    tsvc = asker()
    assert tsvc.run(PASS, trace_level=3)["counts"]["passed"] == 1
    tsvc.run(
        *(PASS, evaluate("$g->{n} += 1")),
        distribution={"type": "load", "total": 30, "backlog": 4, "warm_up_s": 0.001},
    )
    linear = {"type": "linear", "total": 20, "backlog": 5, "cps": {"target": 200, "burst": 2}}
    result = tsvc.run(PASS, distribution=linear, turbo=1, seed=3)
    assert result["rate"]["asked"] == 200


def test_runs_that_fail_and_abort(asker):
    tsvc = asker()
    for entry in ({"type": "fail"}, {"type": "abort"}, evaluate("1 / 0")):
        assert tsvc.run(PASS, entry, vars={"a": 1}, trace_level=1)["verdict"] != "pass"
        tsvc.run(entry, distribution={"type": "load", "total": 3, "backlog": 3})


def test_thresholds_and_warnings(asker):
    tsvc = asker()
    thresholds = [
        {"metric": metric, "op": "<=", "value": 0}
        for metric in ("achieved_cps", "failed", "response_p99_ms")
    ]
    result = tsvc.run(PASS, thresholds=thresholds, distribution={"type": "single", "total": 4})
    assert [one["is_met"] for one in result["thresholds"]] == [False, True, False]
    assert result["problems"][0]["severity"] == "warning"
    impatient = {"metric": "passed", "op": "<", "value": 0, "abort_after_s": 0}
    endless = {"type": "linear", "total": 100_000, "backlog": 5, "cps": 50}
    result = tsvc.run(PASS, thresholds=[impatient], distribution=endless)
    assert result["thresholds"][0]["ended_run_s"] > 0


def test_a_run_that_waits_halts_and_goes_on(asker):
    tsvc = asker()
    later = tsvc.start(PASS, start_at=4e9)
    assert tsvc.call("QueryTest", run_id=later)["first_call_summary"] == {}
    run_id = tsvc.start(HALT, locks=[{"key": "k"}])
    tsvc.until(lambda: tsvc.tsvc.service.runs[run_id].halted)
    assert tsvc.call("QueryTest", run_id=run_id)["halted"]
    assert len(tsvc.call("QueryAllTests")["tests"]) == 2
    assert tsvc.call("DescribeService")["locks"] == {"k": run_id}
    assert tsvc.call("ResumeInstance", run_id=run_id, instance_id="0") == {"resumed": 1}
    tsvc.finish(run_id)
    assert tsvc.call("CancelTest", run_id=later)["cancelled"] == 1


def test_a_run_that_is_paused_changed_and_cancelled(asker):
    tsvc = asker()
    linear = {"type": "linear", "total": 10_000, "backlog": 10_000, "cps": 1000}
    run_id = tsvc.start(HALT, distribution=linear)
    tsvc.until(lambda: tsvc.tsvc.service.runs[run_id].halted)
    assert tsvc.call("RateTest", run_id=run_id, cps=500)["asked"] == 500
    assert tsvc.call("PauseTest", run_id=run_id, paused=True)["paused"] == 1
    assert tsvc.call("QueryTest", run_id=run_id)["rate"]["paused"] == 1
    assert tsvc.call("PauseTest", run_id=run_id, paused=False)["paused"] == 0
    result = tsvc.call("CancelTest", run_id=run_id)
    assert (result["verdict"], result["cancelled"]) == ("cancelled", 1)
    assert tsvc.call("ListResults")["results"][0]["verdict"] == "cancelled"


def test_a_run_with_a_flow(asker):
    tsvc = asker()
    members = {name: DEFINITION[name] for name in ("ssp_ac", "vars")}
    result = tsvc.run(*DEFINITION["operations"], flow=FLOW, trace_level=3, **members)
    assert result["verdict"] == "pass"
    assert result["first_call_summary"]["flow_paths"][0]["path"]


def test_a_dialogue_with_an_answer_and_a_link(asker):
    tsvc = asker(sends("continue", PLAY), END)
    report = send("SpecializedResourceReport")
    tsvc.run(INITIAL_DP, expect("PlayAnnouncement"), report, ssp_ac="camel2", scp=ADDRESS)


def test_messages_that_are_refused(asker):
    tsvc = asker(p_abort(1))
    assert tsvc.run(INITIAL_DP, expect("Connect"), ssp_ac="camel2")["verdict"] == "abort"


def test_messages_beside_tcap(asker):
    tsvc = asker(others={"DB": ("db", DATABASE)})
    tsvc.until(lambda: tsvc.call("DescribeService")["gateways"][1]["state"] == "up")
    result = tsvc.run({"type": "db.One"})
    assert [one["protocol"] for one in result["first_call_summary"]["messages"]] == ["db", "db"]


def test_messages_over_a_connection(asker):
    peer = peer_of("pi")
    with peer.run() as address:
        tsvc = asker(others={"PI": ("pi", peer.members(address[1], GUARD_S))})
        tsvc.until(lambda: tsvc.call("DescribeService")["gateways"][1]["state"] == "up")
        result = tsvc.run(*peer.operations("7", GUARD_S))
    ends = [one["ends"] for one in result["first_call_summary"]["messages"]]
    assert [(one["peer_host"], one["peer_port"]) for one in ends] == [address] * 2


def test_catalogues_and_the_judge(asker):
    tsvc = asker()
    assert len(tsvc.call("DescribeOperations")["operations"]) > 100
    tsvc.call("DescribeOperations", type="pass")
    tsvc.call("DescribeDefinition")
    tsvc.call("DescribeMethods")
    tsvc.call("CheckFlow", flow=FLOW)
    assert tsvc.call("CheckFlow", flow={"operations": []})["valid"] is False
    assert tsvc.call("ValidateTest", operations=[{"type": "pas"}, PASS])["valid"] is False


def test_methods_that_need_no_params(asker):
    tsvc = asker()
    for method in METHODS:
        if not method.example.params:
            tsvc.call(method.name)


def test_a_service_with_flows_of_its_own(tmp_path, answers):
    flows = (ROOT / "etc/examples/flows/extension_dialing.json",)
    tsvc = Daemon(tmp_path, flows=flows, connect=("m3ua+tcp://127.0.0.1:1",))
    try:
        asker = Asker(tsvc, answers)
        asker.run(*DEFINITION["operations"], ssp_ac="camel2", vars=DEFINITION["vars"])
        asker.until(lambda: asker.call("DescribeService")["scp"]["flows"])
    finally:
        tsvc.stop()


def test_a_run_that_was_lost(tmp_path, answers):
    before = Daemon(tmp_path)
    run_id = before.execute(HALT)
    after = Daemon(tmp_path)
    try:
        listed = after.call("ListResults")["results"]
        lost = after.call("GetResult", result_id=listed[0]["result_id"])
        assert (lost["run_id"], lost["state"]) == (run_id, "lost")
        answers.hold(METHODS.get("ListResults").Result, after.call("ListResults"), "ListResults")
        result = METHODS.get("GetResult").Result()
        assert lost.keys() <= result.fields.keys()
        only = {name: lost[name] for name in lost if name != "time_now"}
        answers.hold(ListedResult, only, "GetResult of a lost run")
    finally:
        after.stop()
        before.stop()


def test_at_last_all_is_declared_and_all_that_is_declared_was_seen(answers):
    problems = {re.sub(r"\[\d+\]", "[]", one) for one in answers.problems}
    assert not problems, "\n".join(sorted(problems))
    declared = set().union(*(places(method.Result) for method in METHODS))
    missing = declared - answers.seen - UNSEEN.keys()
    assert not missing, f"declared, but in no answer of this file: {sorted(missing)}"
    assert UNSEEN.keys() <= declared - answers.seen
