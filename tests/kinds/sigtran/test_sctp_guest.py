"""What needs SCTP of the kernel, in a Linux that has it: the tests of one guest."""

import os
from pathlib import Path

import pytest
from support.user_mode_linux import has_sctp, run_pytest, why_not

TESTS = ["tests/unit/ss7/test_sctp.py", "tests/kinds/sigtran/test_sctp_calls.py"]
LIMIT_S = 240.0  # a hang guard: booting and all tests take a minute or less


@pytest.mark.e2e
@pytest.mark.skipif(has_sctp(), reason="this kernel has SCTP: the tests ran here")
def test_the_tests_of_sctp_pass_in_the_guest(tmp_path: Path) -> None:
    missing = why_not()
    if missing is not None:
        if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    outcome = run_pytest(tmp_path, ["-rs", *TESTS], LIMIT_S)
    assert outcome.code == 0, f"{outcome.text}\n{outcome.console[-2000:]}"
    assert "no SCTP here" not in outcome.text, "none of them may be left out there"
