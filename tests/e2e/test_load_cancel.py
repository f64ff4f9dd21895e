"""A cancelled load leaves nothing at the SCP, over M3UA, and does not wait for its grace time."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, configure, launch
from support.loads import prompted
from support.ports import free_port
from support.waiting import until

pytestmark = pytest.mark.e2e

OPEN_CALLS = 1000
GRACE_S = 600.0  # longer than any test waits for the answer
ENDINGS = ("answered", "connected", "released", "abandoned", "failed", "no_trigger")
CALL = prompted(300)


@pytest.fixture(scope="module")
def pair(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[DaemonProcess, DaemonProcess]]:
    """A tester and, in another process, an SCP, with M3UA over TCP between them."""
    port = free_port()
    folder = tmp_path_factory.mktemp("scp")
    scp = f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n'
    daemons = [launch(folder, configure(folder, scp))]
    folder = tmp_path_factory.mktemp("tester")
    tester = f"""
[engine]
cancel_grace_s = {GRACE_S}
[application.LAB]
module = "sigtran"
opc = 1
default_scp = {{ dpc = 2, dssn = 146 }}
connections = [{{ name = "scp", type = "m3ua", role = "asp", remote_port = {port} }}]
"""
    daemons.append(launch(folder, configure(folder, tester)))
    daemons[1].until_up()
    yield daemons[1], daemons[0]
    for daemon in daemons:
        daemon.kill()


def scp_calls(scp: DaemonProcess) -> tuple[int, int]:
    """Return how many calls the SCP has begun, and how many of them are still open."""
    counters = scp.result("DescribeService")["scp"]
    return counters["calls"], counters["calls"] - sum(counters[name] for name in ENDINGS)


def aborts(scp: DaemonProcess) -> int:
    """Return how many calls SSPs have ended by TC-U-ABORT."""
    messages = scp.result("DescribeService")["scp"]["messages"]
    return int(messages.get("U-ABORT from the SSP", 0))


def dialogues(tester: DaemonProcess) -> int:
    return int(tester.result("DescribeService")["gateways"][0]["counters"]["dialogues"])


@pytest.mark.parametrize(
    "distribution",
    [
        {"type": "load", "total": 100_000, "backlog": OPEN_CALLS},
        {"type": "linear", "total": 100_000, "backlog": OPEN_CALLS, "cps": 2000},
    ],
    ids=["load", "linear"],
)
def test_a_thousand_open_calls(
    pair: tuple[DaemonProcess, DaemonProcess], distribution: Any
) -> None:
    tester, scp = pair
    before, _ = scp_calls(scp)
    aborts_before = aborts(scp)
    run_id = uuid.uuid4().hex
    run = {"run_id": run_id, "ssp_ac": "camel2", "operations": CALL, "distribution": distribution}
    assert tester.result("ExecuteTest", {**run, "locks": [{"key": "all"}]}) == "ok"
    all_open = (before + OPEN_CALLS, OPEN_CALLS)
    until(lambda: scp_calls(scp) == all_open, what=lambda: scp_calls(scp))
    counts = tester.result("QueryTest", {"run_id": run_id})["counts"]
    assert (counts["in_progress"], counts["finished"]) == (OPEN_CALLS, 0)
    assert dialogues(tester) == OPEN_CALLS

    result = tester.result("CancelTest", {"run_id": run_id})
    assert result["completed"] == 1
    assert (result["cancelled"], result["verdict"], result["leaks"]) == (1, "cancelled", [])
    assert result["counts"]["cancelled"] == OPEN_CALLS
    assert result["counts"]["in_progress"] == 0
    rate = result["rate"]
    assert rate["planned"] == rate["started"] + rate["never_started"]
    assert dialogues(tester) == 0
    assert tester.result("DescribeService")["locks"] == {}
    # The last TC-ABORTs are on their way.
    until(lambda: not scp_calls(scp)[1], what=lambda: scp_calls(scp))
    assert scp_calls(scp)[0] == before + OPEN_CALLS, "none is begun after the cancel"
    assert aborts(scp) == aborts_before + OPEN_CALLS, "each was ended by TC-ABORT"
    assert tester.result("QueryTest", {"run_id": run_id})["state"] == "completed", "archived"


def test_at_last_without_time_for_grace(pair: tuple[DaemonProcess, DaemonProcess]) -> None:
    """Stopping the daemon at once still ends all open dialogues properly."""
    tester, scp = pair
    distribution = {"type": "load", "total": 100, "backlog": 100}
    run = {"run_id": "a", "ssp_ac": "camel2", "operations": CALL, "distribution": distribution}
    assert tester.result("ExecuteTest", run) == "ok"
    until(lambda: scp_calls(scp)[1] == 100)
    tester.process.terminate()
    until(lambda: tester.result("DescribeService")["state"] == "draining")
    tester.process.terminate()  # the second one cuts the drain off
    assert tester.process.wait(HANG_GUARD_S) == 1
    until(lambda: not scp_calls(scp)[1], what=lambda: scp_calls(scp))
