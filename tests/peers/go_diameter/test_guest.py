"""Diameter over SCTP with go-diameter and freeDiameter, in a Linux that has SCTP."""

import os
import shutil
from pathlib import Path

import pytest
from peers.go_diameter.peer import program
from support.daemons import require_peer
from support.user_mode_linux import has_sctp, run_pytest, why_not

LIMIT_S = 240.0  # a hang guard: booting and all tests take a minute or less
TESTS = ["tests/peers/go_diameter/test_calls.py", "tests/kinds/diameter/test_freediameter.py"]


@pytest.mark.e2e
def test_diameter_over_sctp(tmp_path: Path) -> None:
    program()
    require_peer(shutil.which("freeDiameterd"), "apt-get install freediameterd")
    if has_sctp():
        pytest.skip("this kernel has SCTP: the tests ran here")
    missing = why_not()
    if missing is not None:
        if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    outcome = run_pytest(tmp_path, ["-rs", "-k", "sctp", *TESTS], LIMIT_S)
    assert outcome.code == 0, f"{outcome.text}\n{outcome.console[-2000:]}"
    assert "SKIPPED" not in outcome.text, "none of them may be left out there"
