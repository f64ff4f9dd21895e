"""A daemon and the fake OSD, each a process of its own: one run as published, and load."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, running

pytestmark = pytest.mark.e2e

FAKE = """
from gevent import monkey; monkey.patch_all()
import sys, gevent
from tsvc.kinds.osd.fake import OsdFake
rows = [{"a": 1}, {"a": 2}, {"a": 3}]
fake = OsdFake(operations={"Query": {"subscribers": {"6421000001": {"rows": rows}}}})
fake.start()
print(fake.address[1], flush=True)
gevent.get_hub().threadpool.apply(sys.stdin.read)
"""
CONFIG = """
[application."OSD-SLC01"]
module = "osd"
remote_host = "127.0.0.1"
remote_port = {port}
num_client_connections = 4
server_timeout_s = 60
security = "inline"
username = "me"
password = "t0p-secret"
"""
QUERY = {
    "type": "ocncc.osd.Request",
    "arguments": {
        "action": "http://sms/wsdls/Provider/Set/Query",
        "wsdl_url": "http://sms/wsdls/Provider/Set.wsdl",
        "operation": "Query",
        "parameters": {"msisdn": "{$v->{msisdn}}"},
    },
}
FOUND = {**QUERY, "tests": [{"kpath": "returned.rows.[2].a", "value": "3"}]}
NOT_FOUND = {**QUERY, "tests": [{"kpath": "fault.detail.cause", "type": "integer", "value": 1}]}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "-c", FAKE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)


@pytest.fixture(scope="module")
def daemon(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    with running(tmp_path_factory.mktemp("daemon"), CONFIG.format(port=port)) as one:
        one.until_up(["OSD-SLC01"])
        yield one


def test_an_answer_and_a_fault(daemon: DaemonProcess) -> None:
    change = {"type": "eval", "expression": "$v->{msisdn} = '1'"}
    result = daemon.run(
        {"vars": {"msisdn": "6421000001"}, "operations": [FOUND, change, NOT_FOUND]}
    )
    assert result["verdict"] == "pass", result["first_call_summary"]
    assert "fault soap:Server" in result["first_call_summary"]["ladder"]
    assert "t0p-secret" not in daemon.log


def test_load(daemon: DaemonProcess) -> None:
    result = daemon.run(
        {
            "vars": {"msisdn": "6421000001"},
            "operations": [FOUND],
            "distribution": {"type": "linear", "total": 200, "cps": 100, "backlog": 100},
        }
    )
    assert result["counts"]["passed"] == 200, result["first_call_summary"]
