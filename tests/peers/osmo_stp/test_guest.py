"""osmo-stp, alone and with jSS7, in a Linux that has SCTP, where this one has none."""

import os
import shutil
from pathlib import Path

import pytest
from peers.jss7.bridge import classpath
from support.daemons import require_peer
from support.user_mode_linux import has_sctp, run_pytest, why_not

LIMIT_S = 480.0  # a hang guard: booting and all tests take two minutes or less


@pytest.mark.e2e
def test_calls_through_osmo_stp_alone_and_to_jss7(tmp_path: Path) -> None:
    """One guest for both: to boot it takes longer than the tests."""
    require_peer(shutil.which("osmo-stp"), "apt-get install osmo-stp")
    require_peer(shutil.which("tshark"), "apt-get install tshark")
    classpath()  # built here: the guest has no Maven
    if has_sctp():
        pytest.skip("this kernel has SCTP: the tests ran here")
    missing = why_not()
    if missing is not None:
        if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    files = [f"tests/peers/osmo_stp/{name}" for name in ("test_calls.py", "test_jss7.py")]
    outcome = run_pytest(tmp_path, ["-rs", *files], LIMIT_S)
    assert outcome.code == 0, f"{outcome.text}\n{outcome.console[-2000:]}"
    assert "SKIPPED" not in outcome.text, "none of them may be left out there"
