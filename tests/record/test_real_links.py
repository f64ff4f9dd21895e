"""Calls between processes over M3UA and SUA: their traces, and the capture of dumpcap."""

import base64
import shutil
import signal
import subprocess

import pytest
from record.replayed import assert_passes, definition_of, said_in
from support.capturing import HANG_GUARD_S, INSTALL
from support.daemons import example, require_peer
from support.links import lab
from support.waiting import until

pytestmark = pytest.mark.e2e


def call_over(made):
    """Make the sample call; return its result and its trace."""
    result = made.tester.run(example("extension_dialing"), run_id="call")
    assert result["verdict"] == "pass", result
    found = made.tester.result("GetTrace", {"run_id": "call", "format": "pcap"})
    return result, base64.b64decode(found["content"])


@pytest.mark.parametrize("kind", ["m3ua", "sua"])
def test_the_trace_of_a_link(tmp_path, daemon, kind):
    with lab(tmp_path / "lab", kind, "tcp", 1) as made:
        result, trace = call_over(made)
    definition = definition_of(trace)
    assert definition["ssp_ac"] == "camel2"
    assert_passes(daemon(), definition, said_in(result))


@pytest.mark.parametrize("kind", ["m3ua", "sua"])
def test_what_dumpcap_saw(tmp_path, daemon, kind):
    program = require_peer(shutil.which("dumpcap"), INSTALL)
    path = tmp_path / "seen.pcapng"
    with lab(tmp_path / "lab", kind, "tcp", 1) as made:
        made.scps[0].kill()  # so that the capture contains the beginning of the connection
        command = [program, "-q", "-i", "lo", "-f", f"tcp port {made.ports[0]}", "-w", str(path)]
        watcher = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: watcher.poll() is not None or path.exists())
            if watcher.poll() is not None:
                pytest.skip(f"dumpcap may not capture: {watcher.stderr.read()}")
            made.restart_scp(0)
            made.wait_until_active()
            result, trace = call_over(made)
            said = said_in(result)
            until(lambda: path.read_bytes().count(said[0][-1][1]) > 0)
        finally:
            watcher.send_signal(signal.SIGINT)
            watcher.communicate(timeout=HANG_GUARD_S)
    seen = definition_of(path.read_bytes())
    assert seen["operations"] == definition_of(trace)["operations"]
    assert_passes(daemon(), seen, said)
