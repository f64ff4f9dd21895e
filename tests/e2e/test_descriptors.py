"""A daemon with few file descriptors: every client gets an error, and the urgent request
passes."""

import time
from collections import Counter
from pathlib import Path

import pytest
from support.daemons import configure, launch, read_response

pytestmark = pytest.mark.e2e

HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
PASS = [{"type": "pass"}]


def limited(files: str) -> list[str]:
    return ["sh", "-c", f'ulimit {files}; exec "$@"', "sh"]


def test_64_descriptors_and_256_places(tmp_path: Path) -> None:
    rpc = "client_connections = 0\nrequest_timeout_s = 600\n"
    text = f"{rpc}[engine]\ncancel_grace_s = 1\n"
    daemon = launch(tmp_path, configure(tmp_path, text), prefix=limited("-n 64"))
    began = time.monotonic()
    try:
        assert "file descriptors may run out" in daemon.log
        assert "limit=64 needed=3584" in daemon.log
        run = {"run_id": "halted", "operations": HALT}
        assert daemon.result("ExecuteTest", run) == "ok"
        silent = [daemon.connect() for _ in range(150)]
        assert daemon.result("CancelTest", {"run_id": "halted"})["verdict"] == "cancelled"
        assert daemon.run({"operations": PASS})["verdict"] == "pass"
        kinds: Counter[str] = Counter()
        for sock in silent:
            sock.sendall(b"\0\0\0\1x")
            kinds[read_response(sock)["error"]["data"]["kind"]] += 1
            sock.close()
        assert set(kinds) <= {"connections.evicted", "connections.too_many", "json.syntax"}
        assert kinds.total() == 150
        assert "out of file descriptors" in daemon.log
        assert "Traceback" not in daemon.log
        most = 20 + time.monotonic() - began
        assert daemon.log.count("out of file descriptors") < most, "once in a while"
        assert daemon.stop() == 0
    finally:
        daemon.kill()


def test_the_soft_limit_is_raised(tmp_path: Path) -> None:
    daemon = launch(tmp_path, configure(tmp_path), prefix=limited("-Sn 64"))
    try:
        limits = Path(f"/proc/{daemon.process.pid}/limits").read_text()
        assert "Max open files            3584 " in limits
        assert "may run out" not in daemon.log
    finally:
        daemon.kill()
