"""Workers that share the association of their daemon, and its address, towards an SCP."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.daemons import FLOW, DaemonProcess, configure, example, launch
from support.machines import Machines
from support.ports import free_port
from support.shared_runs import (
    PATIENT,
    balanced,
    completed,
    ids_of,
    in_progress,
    kept_open,
    linear,
    ready,
    undisturbed,
)
from support.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
Params = dict[str, Any]
WORKERS = 3
SHORT_UDT = 100
LONG = {
    "serviceInteractionIndicators_hex": "00" * 120,
    "callingPartyBusinessGroupID_hex": "01" * 20,
    "callingPartySubaddress_hex": "80" * 21,
    "serviceProfileIdentifier_hex": "31" * 20,
    "iPSSPCapabilities_hex": "01" * 10,
    "iPAvailable_hex": "01" * 10,
}


def gateway(kind: str, port: int, opc: int = 1, *, labels: bool = False) -> str:
    """Return the table of a gateway whose association is shared by workers."""
    return f"""
[application.LAB]
module = "sigtran"
opc = {opc}
relay = {str(not labels).lower()}
default_scp = {{ dpc = 2, dssn = 146 }}
[[application.LAB.connections]]
name = "link"
type = "{kind}"
remote_port = {port}
tid_label = {str(labels).lower()}
"""


class Shared:
    """A daemon with workers, and an SCP to which it has one association."""

    def __init__(self, folder: Path, kind: str, query: str = "", *, labels: bool = False) -> None:
        """`labels`: workers have associations of their own, with TID labels."""
        self.processes = 0 if labels else WORKERS
        self.port, self._rpc = free_port(), free_port()
        self._folder = folder
        self._listen = f"{kind}+tcp://127.0.0.1:{self.port}?pc=2{query}"
        self._text = f"[cluster]\nworkers = {WORKERS}\n{PATIENT}"
        self._text += gateway(kind, self.port, labels=labels)
        self._started: list[DaemonProcess] = []
        self.scp: DaemonProcess
        self.tester: DaemonProcess

    def __enter__(self) -> "Shared":
        try:
            self.start_scp()
            folder = self._folder / "tester"
            self.tester = self._launch(folder, configure(folder, self._text))
            self.until_active()
            ready(self.tester)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._started:
            one.kill()

    def start_scp(self) -> None:
        folder = self._folder / "scp"
        text = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["{self._listen}"]\n'
        self.scp = self._launch(folder, configure(folder, text, port=self._rpc))

    def _launch(self, folder: Path, port: int) -> DaemonProcess:
        self._started.append(launch(folder, port))
        return self._started[-1]

    def calls(self) -> int:
        return int(self.scp.result("DescribeService")["scp"]["calls"])

    def gateway(self) -> Params:
        status: Params = self.tester.result("DescribeService")["gateways"][0]
        return status

    def until_active(self) -> None:
        """Wait until the daemon's association is active, and all workers have their relay."""

        def is_active() -> bool:
            counters = self.gateway()["counters"]
            processes = counters.get("relay_processes", 0)
            return counters["links_active"] == 1 and processes == self.processes

        until(is_active, what=self.gateway)

    def associations(self) -> int:
        """Return how many connections the SCP has."""
        ends = [line.split()[1:4] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(own.endswith(f":{self.port:04X}") and state == "01" for own, _, state in ends)


@pytest.fixture(scope="module", params=["m3ua", pytest.param("sua", marks=pytest.mark.slow)])
def shared(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[Shared]:
    # The SCP's answers over M3UA come in segments.
    query = f"&udt={SHORT_UDT}" if request.param == "m3ua" else ""
    with Shared(tmp_path_factory.mktemp(request.param), request.param, query) as made:
        yield made


@pytest.mark.slow
def test_one_association_carries_the_calls_of_all(shared: Shared) -> None:
    shared.until_active()
    before = shared.calls()
    result = shared.tester.run(
        example("extension_dialing"), distribution=linear(600, 300), workers="all"
    )
    balanced(result)
    assert (result["verdict"], result["counts"]["passed"]) == ("pass", 600)
    assert len(result["workers"]) == WORKERS
    assert all(row["started"] > 150 for row in result["workers"]), result["workers"]
    assert shared.calls() == before + 600
    assert shared.associations() == 1
    counters = shared.gateway()["counters"]
    assert counters["relayed"] > 600
    assert counters["relay_lost"] == 0


def test_each_process_has_its_own_transaction_ids(shared: Shared) -> None:
    shared.until_active()
    own = set()
    for workers in ([], ["w1"], ["w2"], ["w3"]):
        more: Params = {"workers": workers, "distribution": linear(1, 10)} if workers else {}
        result = shared.tester.run(example("extension_dialing"), **more)
        assert result["verdict"] == "pass", result["first_call_summary"]["check_log"]
        # The ids of the SCP, which is not part of the cluster, can be any.
        own |= ids_of(shared.tester, result["result_id"], 0) & set(range(WORKERS + 1))
    assert own >= set(range(WORKERS + 1))


def test_the_daemon_plays_beside_its_workers(shared: Shared) -> None:
    shared.until_active()
    params = {**example("extension_dialing"), "run_id": "shared"}
    params["operations"] = kept_open(*params["operations"])
    shared.tester.result(
        "ExecuteTest", {**params, "distribution": linear(300, 150), "workers": "all"}
    )
    in_progress(shared.tester, "shared", 50)
    for _ in range(5):
        assert shared.tester.run(example("extension_dialing"))["verdict"] == "pass"
    assert completed(shared.tester, "shared")["counts"]["passed"] == 300


def test_what_a_peer_begins_is_no_workers(shared: Shared) -> None:
    register = {
        "type": "map.hlr_from_scp.Register",
        "arguments": {"opcode": 71, "msisdn_digits": "6421000001"},
    }
    whole = {"run_id": "called", "operations": [register], "distribution": linear(10, 10)}
    error = shared.tester.call("ExecuteTest", {**whole, "workers": 2})["error"]
    assert error["data"]["kind"] == "cluster.gateway"
    assert error["data"]["gateway"] == "LAB"
    assert "what a peer begins names no worker" in error["message"]


def test_a_lost_association_ends_the_calls_of_all_and_comes_back(shared: Shared) -> None:
    shared.until_active()
    definition = example("extension_dialing")
    definition["operations"].insert(4, {"type": "halt", "arguments": {"seconds": 600}})
    distribution = {"type": "load", "total": 30, "backlog": 30}
    params = {**definition, "run_id": "lost", "distribution": distribution, "workers": "all"}
    before = shared.calls()
    shared.tester.result("ExecuteTest", params)
    until(lambda: shared.calls() == before + 30, what=shared.gateway)
    look = {"run_id": "lost"}
    until(lambda: len(shared.tester.result("QueryTest", look)["halted"]) == 30)
    shared.scp.kill()
    until(lambda: shared.gateway()["counters"]["links_active"] == 0, what=shared.gateway)
    result = completed(shared.tester, "lost")
    balanced(result)
    assert result["counts"]["aborted"] == 30
    assert "connection" in result["failures"][0]["cause"], "it says why, at once"
    shared.start_scp()
    shared.until_active()
    again = shared.tester.run(
        example("extension_dialing"), distribution=linear(90, 90), workers="all"
    )
    assert again["counts"]["passed"] == 90, again["failures"]


def test_a_reload_of_the_gateway_starts_all_anew(shared: Shared) -> None:
    shared.until_active()
    before = {row["pid"] for row in ready(shared.tester)}
    file = shared.tester.folder / "tsvc.toml"
    file.write_text(file.read_text().replace("opc = 1\n", "opc = 7\n"))
    shared.tester.signal(signal.SIGHUP)
    until(lambda: {row["pid"] for row in ready(shared.tester)}.isdisjoint(before))
    shared.until_active()
    result = shared.tester.run(
        example("extension_dialing"), distribution=linear(90, 90), workers="all"
    )
    assert result["counts"]["passed"] == 90, result["failures"]
    assert shared.associations() == 1


def test_a_worker_that_dies_takes_its_own_calls_alone(shared: Shared) -> None:
    shared.until_active()
    definition = example("extension_dialing")
    definition["operations"].insert(4, {"type": "wait", "arguments": {"seconds": 0.5}})
    definition["operations"] = kept_open(*definition["operations"])
    params = {**definition, "workers": "all", "allow_lost": True}

    def play(number: int) -> Params:
        shared.until_active()
        rows = {row["name"]: row for row in ready(shared.tester)}
        run_id = f"killed {number}"
        distribution = linear(450, 150)
        shared.tester.result(
            "ExecuteTest", {**params, "run_id": run_id, "distribution": distribution}
        )
        in_progress(shared.tester, run_id, 100)
        os.kill(rows["w2"]["pid"], signal.SIGKILL)
        return completed(shared.tester, run_id)

    result = undisturbed(play, "w2")
    balanced(result)
    assert [one["worker"] for one in result["lost"]] == ["w2"]
    assert result["counts"]["finished"] == result["counts"]["passed"]
    assert result["counts"]["planned"] == 450
    shared.until_active()


def test_messages_that_are_longer_than_any_udt(shared: Shared) -> None:
    """Over M3UA they come in segments, from several workers at once with one address."""
    shared.until_active()
    definition = example("extension_dialing")
    definition["ssp_ac"] = "cs1"
    definition["operations"][0]["arguments"] |= LONG
    result = shared.tester.run(definition, distribution=linear(300, 300), workers="all")
    balanced(result)
    assert (result["verdict"], result["counts"]["passed"]) == ("pass", 300), result["failures"]


def test_workers_with_labels_have_one_address_and_associations_of_their_own(
    tmp_path: Path,
) -> None:
    with Shared(tmp_path, "sua", labels=True) as shared:
        before = shared.calls()
        result = shared.tester.run(
            example("extension_dialing"), distribution=linear(300, 300), workers="all"
        )
        balanced(result)
        assert (result["verdict"], result["counts"]["passed"]) == ("pass", 300)
        assert shared.calls() == before + 300
        assert shared.associations() == WORKERS + 1


def test_each_machine_has_an_association_for_its_workers(tmp_path: Path) -> None:
    machines = Machines(tmp_path / "machines", ("lab",))
    names = ("w1", "lab/w1", "lab/w2")
    with ExitStack() as ends:
        ends.callback(machines.stop)
        shared = ends.enter_context(Shared(tmp_path / "alone", "m3ua"))
        machines.start_coordinator(1, gateways=gateway("m3ua", shared.port, 11))
        machines.start_agent("lab", 1, workers=2, gateways=gateway("m3ua", shared.port, 12))
        machines.until_ready(*names)
        before = shared.calls()
        params = {"distribution": linear(300, 150), "workers": "all", "sigtran": "LAB"}
        result = machines.coordinator.run(example("extension_dialing"), **params)
        balanced(result)
        assert (result["verdict"], result["counts"]["passed"]) == ("pass", 300), result["failures"]
        assert {row["name"] for row in result["workers"]} == set(names)
        assert shared.calls() == before + 300
        assert shared.associations() == 3, "one of each daemon"
        for daemon in (machines.coordinator, machines.agents["lab"]):
            about = daemon.result("DescribeService")["gateways"]
            (counters,) = (one["counters"] for one in about if one["name"] == "LAB")
            assert counters["relayed"] >= 500
