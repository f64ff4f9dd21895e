"""A user's steps: a run with a capture, a definition made from it, a run of the definition."""

import subprocess
import sys

import pytest
from support.daemons import EXAMPLES, FLOW, HANG_GUARD_S, ROOT

pytestmark = pytest.mark.e2e


def tsvc(*arguments):
    command = [sys.executable, "-m", "tsvc.cli.main", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=HANG_GUARD_S, check=False
    )


def test_a_run_is_recorded_and_run_again(tmp_path):
    capture, made = tmp_path / "call.pcap", tmp_path / "call.json"
    against = ("--embedded", "--flow", FLOW)
    done = tsvc("run", EXAMPLES / "extension_dialing.json", *against, "--pcap", capture)
    assert done.returncode == 0, done.stderr
    done = tsvc("record", capture, "-o", made)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    done = tsvc("run", made, *against)
    assert done.returncode == 0, done.stdout
    text = made.read_text("utf-8")
    changed = text.replace('"4329100"', '"4329101"')
    assert changed != text
    made.write_text(changed, "utf-8")
    done = tsvc("run", made, *against)
    assert done.returncode == 1, done.stdout
    assert "destinationRoutingAddress" in done.stdout
