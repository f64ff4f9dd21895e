"""An agent whose clock runs fast: its starts stay in the grid for as long as a run lasts."""

import shutil
import statistics
import subprocess
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.daemons import ROOT, require_peer
from support.machines import ANY_CLOCK, Machines
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
ENDS = 5 * CPS  # starts at either end of the run of which the gaps are taken


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Return the command that starts a program with a clock that gains."""
    require_peer(shutil.which("cc"), "apt-get install build-essential")
    built = tmp_path_factory.mktemp("clock") / "fast_clock.so"
    source = Path(ROOT) / "tests" / "support" / "fast_clock.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, source, "-ldl"], check=True)
    return ("env", f"LD_PRELOAD={built}", f"TSVC_CLOCK_PPM={PPM}")


def test_the_clock_gains(fast: tuple[str, ...]) -> None:
    """Else the other test would show nothing."""
    look = "import time\nfor _ in 'ab':\n    print(time.monotonic(), flush=True)\n    input()"
    process = subprocess.Popen(
        [*fast, "python3", "-c", look], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    first, ours = float(process.stdout.readline()), time.monotonic()
    time.sleep(5)
    process.stdin.write("\n")
    process.stdin.flush()
    last, ours = float(process.stdout.readline()), time.monotonic() - ours
    process.communicate("\n")
    assert process.returncode == 0
    assert last - first - ours == pytest.approx(ours * PPM / 1e6, abs=ours * PPM / 4e6)


def test_a_clock_that_runs_fast(tmp_path: Path, witness: Witness, fast: tuple[str, ...]) -> None:
    machines = Machines(tmp_path, ("lab",), more=ANY_CLOCK)
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
        time.sleep(SECONDS)
        result = completed(machines.coordinator, "fast")
    finally:
        machines.stop()
    balanced(result)
    assert (result["verdict"], result["lost"]) == ("pass", [])
    assert witness.seen == Counter({f"/{idx}": 1 for idx in range(total)})
    # Each worker plays every other start; those of a clock that is not looked after would move.
    gaps = [witness.when[f"/{idx + 1}"] - witness.when[f"/{idx}"] for idx in range(0, total, 2)]
    first, last = statistics.median(gaps[:ENDS]), statistics.median(gaps[-ENDS:])
    assert abs(last - first) < GAINED_S / 4, (first, last)
