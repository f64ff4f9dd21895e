"""An answer that no operation takes gives one verdict, on a busy machine too."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from kinds.rest.service import HttpService, first
from kinds.rest.unsteady import World, instead
from support.burners import busy as busy

REPETITIONS = int(os.environ.get("TSVC_REPETITIONS", "15"))
# Only the tester is short of CPU time, as if the peer ran on another machine.
SERVER = """
import contextlib, http.server, os
with contextlib.suppress(PermissionError):
    os.nice(-10)
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(500)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *given):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture(scope="module")
def port():
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    yield int(server.stdout.readline())
    server.kill()
    server.wait()


ASK = {"type": "rest.SendRequest", "arguments": {"path": "/500", "method": "GET"}}


@pytest.mark.usefixtures("busy")
def test_a_refusal_that_nobody_takes_gives_one_verdict(tmp_path):
    """The peer shares the tester's process: it stops with the tester, and so is never late."""
    tsvc = World(tmp_path)
    tsvc.server.twist = instead(b"200 OK", b"500 Broken")
    try:
        results = [tsvc.run(ASK) for _ in range(REPETITIONS)]
    finally:
        tsvc.stop()
    assert Counter(one["verdict"] for one in results) == {"abort": REPETITIONS}
    assert "unexpected REST response 500" in first(results[0])["reason"]


@pytest.mark.usefixtures("busy")
def test_a_refusal_of_another_process_is_never_lost(tmp_path, port):
    """If the server gets no CPU time while an instance lingers, the result reports it."""
    tsvc = HttpService(tmp_path, {"R1": ("rest", {"base_uri": f"http://127.0.0.1:{port}"})})
    try:
        results = [tsvc.run(ASK, rest="R1") for _ in range(REPETITIONS)]
    finally:
        tsvc.stop()
    verdicts = Counter(one["verdict"] for one in results)
    given_up = sum(one["dialogues_closed"].get("giving up a REST request", 0) for one in results)
    assert verdicts == Counter({"abort": REPETITIONS - given_up, "pass": given_up})
