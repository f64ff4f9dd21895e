"""osmo-stp, alone and with jSS7, in a Linux that has SCTP, where this one has none."""

import os
import shutil
from pathlib import Path

import pytest
from peers.jss7.bridge import classpath
from support.daemons import require_peer
from support.user_mode_linux import has_sctp, run_pytest, why_not

LIMIT_S = 240.0  # a hang guard: booting and all tests take a minute or less


@pytest.mark.e2e
def test_calls_through_osmo_stp(tmp_path: Path) -> None:
    run(tmp_path, "test_calls.py")


@pytest.mark.e2e
def test_calls_through_osmo_stp_to_jss7(tmp_path: Path) -> None:
    require_peer(shutil.which("tshark"), "apt-get install tshark")
    classpath()  # built here: the guest has no Maven
    run(tmp_path, "test_jss7.py")


def run(tmp_path: Path, name: str) -> None:
    """Run a file of tests there."""
    require_peer(shutil.which("osmo-stp"), "apt-get install osmo-stp")
    if has_sctp():
        pytest.skip("this kernel has SCTP: the tests ran here")
    missing = why_not()
    if missing is not None:
        if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    outcome = run_pytest(tmp_path, ["-rs", f"tests/peers/osmo_stp/{name}"], LIMIT_S)
    assert outcome.code == 0, f"{outcome.text}\n{outcome.console[-2000:]}"
    assert "SKIPPED" not in outcome.text, "none of them may be left out there"
