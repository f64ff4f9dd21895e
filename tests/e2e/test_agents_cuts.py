"""Agents in networks of their own, and cuts between them and the coordinator.

Each start is reported to a witness on its own machine, which no cut separates from it.
"""

import math
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, ROOT
from support.machines import LATER_LOST, Machines
from support.networks import Network, require_networks
from support.shared_runs import (
    CPS,
    balanced,
    completed,
    in_progress,
    kept_open,
    linear,
    undisturbed,
)
from support.waiting import until
from support.witness import Witness

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
TELL = {"type": "rest.Request", "arguments": {"path": "{'/' . $r->{idx}}", "method": "GET"}}
ALL = ("w1", "lab0/w1", "lab1/w1")
SHORT_S = 1.0
LOST_AFTER_S, GRACE_S = 4, 5  # of LATER_LOST; of a cancel, by default
VICTIM = "lab1/w1"
PLACES = 3000  # enough slots on a busy machine
Params = dict[str, Any]


class Apart(Machines):
    """A coordinator here, two agents in networks of their own, a witness beside each."""

    def __init__(self, folder: Path, networks: list[Network], local: Witness) -> None:
        super().__init__(folder, ("lab0", "lab1"), host="0.0.0.0", more=LATER_LOST)
        self.networks = networks
        self._local = local
        self._files = [folder / f"witness{number}" for number in range(len(networks))]
        self._witnesses: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self.start_coordinator(self._local.server_address[1])
        for number, (network, file) in enumerate(zip(self.networks, self._files, strict=True)):
            with file.open("wb") as opened:
                command = [*network.prefix, sys.executable, "-m", "support.witness"]
                started = subprocess.Popen(command, stdout=opened, cwd=ROOT / "tests")
            self._witnesses.append(started)
            until(lambda file=file: file.read_text().endswith("\n"))  # type: ignore[misc]
            port = int(file.read_text())
            self.start_agent(
                f"lab{number}",
                port,
                coordinator=f"{network.near}:{self.port}",
                prefix=tuple(network.prefix),
                lease_s=2.9,
            )
        self.until_ready(*ALL)

    def begin(self) -> None:
        """Wait until all workers are ready, and count from here on."""
        self.until_ready(*ALL)
        self._local.seen.clear()
        self._from = [len(file.read_text()) for file in self._files]

    def seen(self) -> Counter[str]:
        """Return the reports of instances on all machines."""
        texts = [file.read_text()[at:] for file, at in zip(self._files, self._from, strict=True)]
        return self._local.seen + Counter("".join(texts).split())

    def stop(self) -> None:
        super().stop()
        for one in self._witnesses:
            one.kill()
            one.wait(HANG_GUARD_S)


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    require_networks()
    with ExitStack() as stack:
        networks = []
        for number in range(2):
            networks.append(Network(number, is_rough=number == 1))
            stack.callback(networks[-1].remove)
        local = stack.enter_context(Witness())
        threading.Thread(target=local.serve_forever, daemon=True).start()
        stack.callback(local.shutdown)
        made = Apart(tmp_path_factory.mktemp("apart"), networks, local)
        stack.callback(made.stop)
        made.start()
        yield made


def start(apart: Apart, run_id: str, total: int, cps: float = CPS, **more: Any) -> None:
    """Start a run over all workers."""
    apart.begin()
    params = {"operations": [TELL], "distribution": linear(total, cps, PLACES), "workers": "all"}
    apart.coordinator.result("ExecuteTest", {**params, **more, "run_id": run_id})


def run(apart: Apart, run_id: str, total: int, **more: Any) -> None:
    """Start a run over all workers, and return when it has been in progress for a second."""
    start(apart, run_id, total, **more)
    in_progress(apart.coordinator, run_id, CPS)


def whole(apart: Apart, total: int, result: Params) -> None:
    """Assert that each start of the plan was made once."""
    seen = apart.seen()
    planned = Counter(f"/{idx}" for idx in range(total))
    missing, more = planned - seen, seen - planned
    assert (missing, more) == (Counter(), Counter()), result["counts"]


def loss(apart: Apart, query: Params) -> Params:
    """Return the reported loss of the victim in a run in progress; {} if it is not lost."""
    found = apart.coordinator.result("QueryTest", query)["lost"]
    return next((one for one in found if one["worker"] == VICTIM), {})


def test_a_short_cut_loses_nothing(apart: Apart) -> None:
    def play(number: int) -> Params:
        run(apart, f"short {number}", 6 * CPS, operations=kept_open(TELL))
        apart.networks[1].cut(there=True, back=True)
        time.sleep(SHORT_S)
        apart.networks[1].heal(there=True, back=True)
        return completed(apart.coordinator, f"short {number}")

    result = undisturbed(play)
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    whole(apart, 6 * CPS, result)


def test_who_comes_back_in_the_run_tells_what_it_did(apart: Apart) -> None:
    """If a worker comes back in the run, its real results replace lost and unknown starts."""

    def play(number: int) -> Params:
        query = {"run_id": f"facts {number}"}
        run(apart, query["run_id"], 100_000)
        apart.networks[1].cut(there=True, back=True)
        try:
            until(lambda: loss(apart, query))
        finally:
            apart.networks[1].heal(there=True, back=True)
        until(
            lambda: loss(apart, query)["unknown_starts_max"] == 0, what=lambda: loss(apart, query)
        )
        found: Params = apart.coordinator.result("CancelTest", query)
        return found

    result = undisturbed(play, VICTIM)
    balanced({name: result[name] for name in result if name != "cancelled"})
    (lost,) = result["lost"]
    assert (lost["worker"], lost["in_progress"], result["counts"]["lost"]) == (VICTIM, 0, 0)
    assert result["degraded"] == 1
    seen = apart.seen()
    assert max(seen.values()) == 1, "no start twice"
    # An instance that is at the witness when the run is cancelled may not have been reported.
    assert len(seen) <= result["counts"]["started"]
    assert len(seen) >= result["counts"]["passed"]


def test_locks_are_held_as_long_as_a_vanished_worker_may_call(apart: Apart) -> None:
    lock = {"locks": [{"key": "a subscriber"}]}

    def play(number: int) -> Params:
        query = {"run_id": f"vanished {number}"}
        run(apart, query["run_id"], 100_000, on_lost="cancel", **lock)
        apart.networks[1].cut(there=True, back=True)
        try:
            until(lambda: loss(apart, {**query, "collect": 0}))
            again = {"operations": [TELL], "run_id": f"another {number}", **lock}
            response = apart.coordinator.call("ExecuteTest", again)
            result = completed(apart.coordinator, query["run_id"])
            # The test may have come after the end of the run.
            refusals.append(response.get("error"))
            assert apart.coordinator.run({"operations": [TELL], **lock})["verdict"] == "pass"
        finally:
            apart.networks[1].heal(there=True, back=True)
        return result

    refusals: list[Params | None] = []

    def is_refused() -> bool:
        result = undisturbed(play, VICTIM)
        assert result["verdict"] == "cancelled"
        (lost,) = result["lost"]
        # Nothing is known of it since then: it was silent until it was lost, and had its grace.
        assert result["duration"] - lost["since_s"] >= LOST_AFTER_S + GRACE_S
        if (error := refusals[-1]) is not None:
            assert error["data"]["kind"] == "lock.taken"
        return error is not None

    until(is_refused, 4 * HANG_GUARD_S, what=lambda: "another run has the lock")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("there", "back"), [(True, True), (True, False), (False, True)], ids=["both", "there", "back"]
)
def test_a_long_cut_is_a_loss_and_nothing_starts_twice(
    apart: Apart, there: bool, back: bool
) -> None:
    total = 12 * CPS

    def play(number: int) -> Params:
        run_id = f"long {there:d}{back:d} {number}"
        run(apart, run_id, total, operations=kept_open(TELL))
        apart.networks[1].cut(there=there, back=back)
        try:
            until(lambda: loss(apart, {"run_id": run_id}))
        finally:
            apart.networks[1].heal(there=there, back=back)
        return completed(apart.coordinator, run_id)

    result = undisturbed(play, VICTIM)
    balanced(result)
    (lost,) = result["lost"]
    assert lost["worker"] == VICTIM
    assert (result["verdict"], result["degraded"]) == ("fail", 1)
    seen = apart.seen()
    assert max(seen.values()) == 1, "no start twice"
    counts = result["counts"]
    assert counts["planned"] == total
    least = counts["started"] - lost["in_progress"]
    assert least <= len(seen) <= counts["started"] + lost["unknown_starts_max"]
    taken = math.ceil(CPS * lost["taken_over_s"]) + 1  # reported to a millisecond
    missing = [idx for idx in range(taken, total) if not seen[f"/{idx}"]]
    assert missing == [], f"nobody took its stripes over: {result}"
    # The network heals: the same machine takes part in the next run.

    def play_healed(number: int) -> Params:
        run_id = f"healed {there:d}{back:d} {number}"
        start(apart, run_id, 2 * CPS)
        return completed(apart.coordinator, run_id)

    result = undisturbed(play_healed)
    balanced(result)
    assert (result["verdict"], len(result["workers"])) == ("pass", 3)
    whole(apart, 2 * CPS, result)


def test_long_ways_that_lose(apart: Apart) -> None:
    """100 ms in each direction and 2 % loss of packets: the same grid, and no worker is lost."""
    apart.networks[1].trouble(0.1, 0.02)

    def play(number: int) -> Params:
        run_id = f"slow {number}"
        start(apart, run_id, 6 * CPS, cps=5)
        in_progress(apart.coordinator, run_id, 4)
        apart.coordinator.result("RateTest", {"run_id": run_id, "cps": 1.5 * CPS})
        return completed(apart.coordinator, run_id)

    try:
        result = undisturbed(play)
    finally:
        apart.networks[1].trouble(0.0, 0.0)
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    whole(apart, 6 * CPS, result)
