"""Requests of clients that show runs to people, through the socket of a daemon."""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.daemons import FLOW, DaemonProcess, running
from support.waiting import until

from tsvc.cli.embedded import clean_environment

pytestmark = pytest.mark.e2e

PASS = [{"type": "pass"}]
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
ALWAYS = {"run_id", "completed", "state", "verdict", "result_id", "archived", "time_now"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    with running(tmp_path_factory.mktemp("watching"), "") as made:
        yield made


def start(daemon: DaemonProcess, run_id: str, operations: Any, **params: Any) -> None:
    params = {"run_id": run_id, "operations": operations, **params}
    assert daemon.result("ExecuteTest", params) == "ok"


class TestLooking:
    def test_a_look_collects_nothing(self, daemon: DaemonProcess) -> None:
        start(daemon, "looked at", PASS)
        look = {"run_id": "looked at", "collect": 0, "wait_s": 60}
        first = daemon.result("QueryTest", look)
        assert first["completed"] == 1
        again = daemon.result("QueryTest", look)
        assert {**again, "time_now": 0} == {**first, "time_now": 0}
        listed = daemon.result("QueryAllTests")["tests"]
        assert "looked at" in [one["run_id"] for one in listed]
        refused = daemon.call("ExecuteTest", {"run_id": "looked at", "operations": PASS})
        assert refused["error"]["code"] == 2001
        assert daemon.result("QueryTest", {"run_id": "looked at"})["completed"] == 1
        listed = daemon.result("QueryAllTests")["tests"]
        assert "looked at" not in [one["run_id"] for one in listed]
        # From the archive the answer is the same.
        stored = daemon.result("QueryTest", look)
        assert stored["result_id"] == first["result_id"]

    @pytest.mark.parametrize("is_over", [False, True])
    def test_members(self, daemon: DaemonProcess, is_over: bool) -> None:
        run_id = f"members {is_over}"
        start(daemon, run_id, PASS if is_over else HALT)
        look = {"run_id": run_id, "collect": 0, "wait_s": 60 * is_over}
        found = daemon.result("QueryTest", {**look, "fields": ["counts", "buckets"]})
        assert found.keys() == {"counts", "buckets"} | ALWAYS
        assert found["completed"] == is_over
        first = daemon.result("QueryTest", {**look, "fields": ["first_call_summary"]})
        assert first["first_call_summary"]["idx"] == "0"
        whole = daemon.result("QueryTest", look)
        assert len(json.dumps(found)) < len(json.dumps(whole)) / 2
        assert daemon.result("QueryTest", {**look, "fields": []}).keys() == whole.keys()
        result = daemon.result("CancelTest", {"run_id": run_id})
        assert result["completed"] == 1
        stored = daemon.result("QueryTest", {**look, "fields": ["counts"]})
        assert stored.keys() == {"counts"} | ALWAYS

    def test_a_member_that_is_none(self, daemon: DaemonProcess) -> None:
        params = {"run_id": "r", "fields": ["bukets"]}
        error = daemon.call("QueryTest", params)["error"]
        assert error["code"] == 1000
        assert "params.fields[0]" in error["message"]
        assert 'did you mean "buckets"?' in error["message"]

    def test_buckets_since(self, daemon: DaemonProcess) -> None:
        linear = {"type": "linear", "total": 60, "backlog": 10, "cps": 20}
        start(daemon, "buckets", PASS, distribution=linear)
        look = {"run_id": "buckets", "collect": 0, "wait_s": 60}
        buckets = daemon.result("QueryTest", look)["buckets"]
        assert len(buckets) >= 3
        since = buckets[1]["t"]
        assert daemon.result("QueryTest", {**look, "since": since})["buckets"] == buckets[1:]
        assert daemon.result("QueryTest", {**look, "since": since + 0.5})["buckets"] == buckets[2:]
        daemon.result("QueryTest", {"run_id": "buckets"})
        # From the archive too.
        assert daemon.result("QueryTest", {**look, "since": since})["buckets"] == buckets[1:]


class TestAllRuns:
    def test_name_client_type_progress(self, daemon: DaemonProcess) -> None:
        load = {"type": "load", "total": 4, "backlog": 1}
        operations = [{"type": "branch", "expression": "$r->{idx} < 2", "on_true": "end"}, *HALT]
        operations += [{"type": "pass", "label": "end"}]
        start(daemon, "half", operations, distribution=load, name="half a load")

        def listed() -> Any:
            tests = daemon.result("QueryAllTests")["tests"]
            return next(one for one in tests if one["run_id"] == "half")

        until(lambda: listed()["counts"]["halted"] == 1, what=listed)
        found = listed()
        assert (found["name"], found["type"]) == ("half a load", "load")
        assert (found["client"], found["progress"]) == ("127.0.0.1", 0.5)
        daemon.result("CancelTest", {"run_id": "half"})

    def test_progress_by_time(self, daemon: DaemonProcess) -> None:
        linear = {"type": "linear", "total": 10**6, "backlog": 9, "cps": 1, "max_seconds": 100}
        start(daemon, "long", PASS, distribution=linear)
        (found,) = (
            one for one in daemon.result("QueryAllTests")["tests"] if one["run_id"] == "long"
        )
        assert 0 <= found["progress"] < 0.2
        assert found["name"] == ""
        daemon.result("CancelTest", {"run_id": "long"})


@pytest.fixture(scope="module")
def listing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    with running(tmp_path_factory.mktemp("listing"), "") as made:
        made.run({"operations": PASS, "name": "one"}, run_id="Nightly-1")
        made.run({"operations": PASS, "name": "two"}, run_id="100%_of it")
        made.run({"operations": [{"type": "fail"}], "name": "two"}, run_id="nightly-Ä")
        made.run({"operations": [{"type": "abort"}]}, run_id="other")
        yield made


class TestListing:
    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            ({"name": "two"}, ["nightly-Ä", "100%_of it"]),
            ({"name": "tw"}, []),
            ({"name": ""}, ["other"]),
            ({"verdict": "pass"}, ["100%_of it", "Nightly-1"]),
            ({"verdict": "abort"}, ["other"]),
            ({"text": "NIGHTLY"}, ["nightly-Ä", "Nightly-1"]),
            ({"text": "ä"}, ["nightly-Ä"]),
            ({"text": "%_"}, ["100%_of it"]),
            ({"text": "0_"}, []),
            ({"text": "one"}, ["Nightly-1"]),
            ({"text": "127.0.0.1", "verdict": "fail"}, ["nightly-Ä"]),
            ({"name": "two", "limit": 1}, ["nightly-Ä"]),
            ({"from": 0, "limit": 2}, ["other", "nightly-Ä"]),
            ({"to": 1}, []),
        ],
    )
    def test_by(self, listing: DaemonProcess, wanted: Any, found: list[str]) -> None:
        results = listing.result("ListResults", wanted)["results"]
        assert [one["run_id"] for one in results] == found

    def test_by_time(self, listing: DaemonProcess) -> None:
        results = listing.result("ListResults")["results"]
        starts = [one["time_start"][0] + one["time_start"][1] / 1e6 for one in results]
        params = {"from": starts[2], "to": starts[0]}
        between = listing.result("ListResults", params)["results"]
        assert [one["run_id"] for one in between] == [one["run_id"] for one in results[1:3]]

    def test_a_verdict_that_is_none(self, listing: DaemonProcess) -> None:
        error = listing.call("ListResults", {"verdict": "passed"})["error"]
        assert error["code"] == 1000
        assert "params.verdict" in error["message"]


class TestComparing:
    def test_two_runs(self, listing: DaemonProcess) -> None:
        results = {one["run_id"]: one for one in listing.result("ListResults")["results"]}
        a, b = results["Nightly-1"], results["nightly-Ä"]
        ids = {"a": a["result_id"], "b": b["result_id"]}
        found = listing.result("CompareResults", ids)
        assert found["verdict"] == {"a": "pass", "b": "fail", "is_worse": 1}
        assert [found[side]["run_id"] for side in "ab"] == ["Nightly-1", "nightly-Ä"]
        pointers = {one["pointer"] for one in found["definition"]}
        assert pointers == {"/name", "/operations/0/type"}
        assert [(one["a"], one["b"]) for one in found["failures"]] == [(0, 1)]
        assert found["check"]["b"]["level"] == "fail"
        shown = {one["name"]: one for one in found["metrics"]}
        whole = [listing.result("GetResult", {"result_id": ids[side]}) for side in "ab"]
        p99s = [one["latency"]["response"]["p99_ms"] for one in whole]
        assert (shown["response_p99_ms"]["a"], shown["response_p99_ms"]["b"]) == tuple(p99s)
        assert shown["response_p99_ms"]["delta"] == pytest.approx(p99s[1] - p99s[0])

    def test_one_that_is_not_there(self, listing: DaemonProcess) -> None:
        error = listing.call("CompareResults", {"a": 1, "b": 999_999})["error"]
        assert (error["code"], error["data"]["kind"]) == (2004, "run_id.unknown")
        assert "999999" in error["message"]


def tsvc(daemon: DaemonProcess, *arguments: str) -> tuple[int, str]:
    """Return the exit status and the output of a command."""
    found = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.main", *arguments],
        env={**clean_environment(), "TSVC_PORT": str(daemon.port)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return found.returncode, found.stdout


def test_the_command_line_looks(daemon: DaemonProcess) -> None:
    start(daemon, "of somebody", [{"type": "fail"}])
    for _ in range(2):
        assert tsvc(daemon, "query", "of somebody", "--look", "--wait", "30")[0] == 1
    assert tsvc(daemon, "watch", "of somebody")[0] == 1
    assert "of somebody" in tsvc(daemon, "list")[1]
    assert tsvc(daemon, "query", "of somebody")[0] == 1
    assert "of somebody" not in tsvc(daemon, "list")[1]


def test_the_command_line_searches(listing: DaemonProcess) -> None:
    lines = tsvc(listing, "results", "--text", "nightly", "--verdict", "pass")[1].splitlines()
    assert ["Nightly-1" in line for line in lines] == [True]
    assert len(tsvc(listing, "results", "--name", "two")[1].splitlines()) == 2


CATALOGUES = {
    "DescribeOperations": "operations",
    "DescribeFlowOperations": "operations",
    "DescribeMethods": "methods",
    "DescribeDefinition": "properties",
}


class TestCatalogues:
    @pytest.mark.parametrize("method", CATALOGUES)
    def test_what_is_known_is_not_sent_again(self, daemon: DaemonProcess, method: str) -> None:
        whole = daemon.result(method)
        assert whole[CATALOGUES[method]]
        assert whole["unchanged"] == 0
        known = daemon.result(method, {"etag": whole["etag"]})
        assert known == {"etag": whole["etag"], "unchanged": 1}
        assert daemon.result(method, {"etag": "old"}) == whole

    @pytest.mark.parametrize("method", CATALOGUES)
    def test_what_nobody_reads_changes_nothing(self, daemon: DaemonProcess, method: str) -> None:
        whole = daemon.result(method)
        assert daemon.result(method, {"x_of_mine": [[1] * 1000], "comment": "c"}) == whole

    def test_in_short(self, daemon: DaemonProcess) -> None:
        whole = daemon.result("DescribeOperations")
        short = daemon.result("DescribeOperations", {"summary": 1})
        assert short["etag"] != whole["etag"]
        assert len(json.dumps(short)) < len(json.dumps(whole)) / 10
        types = [one["type"] for one in short["operations"]]
        assert types == [one["type"] for one in whole["operations"]]
        one = daemon.result("DescribeOperations", {"type": types[0], "summary": 1})
        assert one["operations"] == short["operations"][:1]

    def test_every_flow_operation_of_the_sample_is_there(self, daemon: DaemonProcess) -> None:
        found = daemon.result("DescribeFlowOperations")["operations"]
        types = {one["type"] for one in found}
        operations = json.loads(Path(FLOW).read_text())["operations"]
        listed = operations.values() if isinstance(operations, dict) else operations
        assert {one["type"] for one in listed} <= types
        dialing = next(one for one in found if one["type"] == "ExtensionDialing")
        assert [len(exits) for exits in dialing["exits"]] == [3]
        assert all(
            one["config"].keys() >= one["example"].get("config", {}).keys() for one in found
        )

    def test_every_method_is_there(self, daemon: DaemonProcess) -> None:
        found = {one["name"]: one for one in daemon.result("DescribeMethods")["methods"]}
        assert found["QueryTest"]["params"]["collect"]["default"] is True
        assert found["QueryTest"]["result"]["members"]["counts"]["type"] == "object"
        assert found["ExecuteTest"]["takes_definition"] is True
        for name in found:
            assert daemon.call(name, {"x_": 1}).get("error", {}).get("code") != 1001


class TestChecks:
    @pytest.mark.parametrize(
        ("definition", "pointer"),
        [
            ({"operations": []}, "/operations"),
            ({"operations": [{"type": "pas"}]}, "/operations/0/type"),
            ({"operations": [{"type": "pass", "a/b~c": 1}]}, "/operations/0/a~1b~0c"),
            ({"operations": PASS, 'x"y': 1}, '/x"y'),
            ({"operations": PASS, "flow": {"operations": 1}}, "/flow/operations"),
        ],
    )
    def test_a_pointer_to_the_place(
        self, daemon: DaemonProcess, definition: Any, pointer: str
    ) -> None:
        problems = daemon.result("ValidateTest", definition)["problems"]
        assert pointer in [one["pointer"] for one in problems], problems

    def test_a_flow(self, daemon: DaemonProcess) -> None:
        flow = json.loads(Path(FLOW).read_text())
        assert daemon.result("CheckFlow", {"flow": flow}) == {"valid": True, "problems": []}
        operations = flow["operations"]
        key = next(iter(operations)) if isinstance(operations, dict) else 0
        operations[key] = {**operations[key], "type": "Strat"}
        found = daemon.result("CheckFlow", {"flow": flow})
        assert found["valid"] is False
        assert f"/operations/{key}/type" in [one["pointer"] for one in found["problems"]]
        assert daemon.call("CheckFlow", {})["error"]["code"] == 1000

    def test_the_same_as_a_run_says(self, daemon: DaemonProcess) -> None:
        flow = {"operations": [{"id": 1, "type": "Nope"}]}
        found = daemon.result("CheckFlow", {"flow": flow})["problems"]
        texts = {one["text"] for one in found if one["severity"] == "error"}
        refused = daemon.result("ValidateTest", {"operations": PASS, "flow": flow})["problems"]
        assert texts <= {one["text"] for one in refused}


def test_an_archive_of_before_is_searched(tmp_path: Path) -> None:
    """Rows of an earlier version have no search words; their run_ids are found."""
    with running(tmp_path, "") as daemon:
        daemon.run({"operations": PASS, "name": "n"}, run_id="Before")
    with closing(sqlite3.connect(tmp_path / "state" / "archive.sqlite")) as connection:
        connection.execute("ALTER TABLE tsvc_results DROP COLUMN name")
        connection.execute("ALTER TABLE tsvc_results DROP COLUMN words")
        connection.execute("UPDATE tsvc_archive SET version = 2")
        connection.commit()
    with running(tmp_path, "") as daemon:
        (found,) = daemon.result("ListResults", {"text": "bEFORE"})["results"]
        assert found["run_id"] == "Before"
        assert daemon.result("ListResults", {"name": "n"})["results"] == []
        daemon.run({"operations": PASS, "name": "n"}, run_id="After")
        assert time.time() - 60 < found["time_start"][0]
        assert len(daemon.result("ListResults", {"name": "n"})["results"]) == 1
