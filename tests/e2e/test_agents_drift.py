"""An agent whose clock runs fast: its starts stay in the grid, however long a run lasts."""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.daemons import ROOT, require_peer
from support.machines import NEVER_LOST, Machines
from support.shared_runs import balanced, completed, linear
from support.witness import Witness

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("locust") is None, reason="the extra cluster is not installed"),
]
TELL = {"type": "rest.Request", "arguments": {"path": "{'/' . $r->{idx}}", "method": "GET"}}
PPM = 200
SECONDS, CPS = 100, 50
GAINED_S = SECONDS * PPM / 1e6
ENDS = 5 * CPS  # starts at either end of the run that are compared
# Reads both clocks twice: a pair is valid only if nothing came between its readings.
LOOK = """
import json, time
def pair():
    while True:
        before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        ours = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        after = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        if after - before < 20_000:
            return before, ours
first = pair()
while pair()[0] < first[0] + 3_000_000_000:
    time.sleep(0.1)
last = pair()
print(json.dumps([after - before for before, after in zip(first, last)]))
"""


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Return the command that starts a program whose clock gains."""
    require_peer(shutil.which("cc"), "apt-get install build-essential")
    built = tmp_path_factory.mktemp("clock") / "fast_clock.so"
    source = Path(ROOT) / "tests" / "support" / "fast_clock.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, source, "-ldl"], check=True)
    return ("env", f"LD_PRELOAD={built}", f"TSVC_CLOCK_PPM={PPM}")


def test_the_clock_gains(fast: tuple[str, ...]) -> None:
    """Without the gain, the other test would show nothing."""
    command = [*fast, "python3", "-c", LOOK]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    real_ns, fast_ns = json.loads(found.stdout)
    assert fast_ns - real_ns == pytest.approx(real_ns * PPM / 1e6, rel=0.25)


def test_a_clock_that_runs_fast(tmp_path: Path, witness: Witness, fast: tuple[str, ...]) -> None:
    machines = Machines(tmp_path, ("lab",), more=NEVER_LOST)
    port = witness.server_address[1]
    witness.seen.clear()
    witness.when.clear()
    total = SECONDS * CPS
    try:
        machines.start_coordinator(port)
        machines.start_agent("lab", port, prefix=fast)
        machines.until_ready("w1", "lab/w1")
        params = {"operations": [TELL], "distribution": linear(total, CPS), "run_id": "fast"}
        machines.coordinator.result("ExecuteTest", {**params, "workers": "all"})
        result = completed(machines.coordinator, "fast")
    finally:
        machines.stop()
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    assert witness.seen == Counter({f"/{idx}": 1 for idx in range(total)})
    # Each worker makes every second start; those of an unsynchronised clock would move.
    first = apart_s(witness.when, range(ENDS))
    last = apart_s(witness.when, range(total - ENDS, total))
    assert abs(last - first) < GAINED_S / 4, (first, last)


def apart_s(when: Mapping[str, float], starts: range) -> float:
    """Return how much later one worker's grid is than the other's, in these starts.

    The least late start of each worker counts, because a busy machine delays many starts.
    """
    least = [
        min(when[f"/{idx}"] - idx / CPS for idx in starts if idx % 2 == worker)
        for worker in (0, 1)
    ]
    return least[1] - least[0]
