"""A daemon and nginx: TLS with client certificates, load, and a server that dies in a run."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemons import DaemonProcess, running
from support.nginx import Nginx, running_nginx
from support.waiting import until

pytestmark = pytest.mark.e2e

CONFIG = """
[application."SCP-REST"]
module = "rest"
base_uri = "https://localhost:{mutual}/api"
ssl_ca_file = "{folder}/ca.crt"
ssl_cert_file = "{folder}/client.crt"
ssl_key_file = "{folder}/client.key"
username = "me"
password = "t0p-secret"
ping_path = "/balance"

[application."billing"]
module = "rest"
base_uri = "http://127.0.0.1:{http}/api"
reconnect_interval_s = 0.2
"""
BALANCE: dict[str, Any] = {"path": "/balance", "method": "GET"}
BALANCE_TESTS = [
    {"kpath": "rest.code", "type": "integer", "value": 200},
    {"kpath": "rest.content_type", "value": "application/json"},
    {"kpath": "rest.content_json.balance", "type": "integer", "value": 1450},
]
SEND = {"type": "rest.SendRequest", "arguments": BALANCE}
EXPECT = {"type": "rest.ExpectResponse", "tests": BALANCE_TESTS}


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    with running_nginx(tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture(scope="module")
def daemon(nginx: Nginx, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    local = CONFIG.format(folder=nginx.folder, mutual=nginx.mutual, http=nginx.http)
    with running(tmp_path_factory.mktemp("daemon"), local) as one:
        one.until_up(["SCP-REST", "billing"])
        yield one


def test_a_request_over_tls_with_a_certificate(daemon: DaemonProcess) -> None:
    echo = {
        "type": "rest.Request",
        "arguments": {"path": "/echo", "method": "GET"},
        "tests": [
            {"kpath": "rest.http_headers.[name=X-Client].[0].value", "value": "CN=tsvc client"}
        ],
    }
    result = daemon.run({"operations": [SEND, EXPECT, echo], "rest": "SCP-REST"})
    assert result["verdict"] == "pass", result["first_call_summary"]
    ladder = result["first_call_summary"]["ladder"]
    assert "GET /api/balance" in ladder
    assert "200 OK" in ladder


def test_secrets_are_nowhere(daemon: DaemonProcess) -> None:
    result = daemon.run({"operations": [SEND, EXPECT], "rest": "SCP-REST", "trace_level": 3})
    described = json.dumps([result, daemon.result("DescribeService")])
    for secret in ("t0p-secret", "bWU6dDBwLXNlY3JldA"):
        assert secret not in described
        assert secret.encode().hex() not in described
        assert secret not in daemon.log


def test_500_and_302_and_charsets_are_data(daemon: DaemonProcess) -> None:
    def request(path: str, *tests: dict[str, Any]) -> dict[str, Any]:
        arguments = {"path": path, "method": "GET"}
        return {"type": "rest.billing.Request", "arguments": arguments, "tests": list(tests)}

    result = daemon.run(
        {
            "operations": [
                request(
                    "/broken",
                    {"kpath": "rest.code", "type": "integer", "value": 500},
                    {"kpath": "rest.content_json.error", "value": "broken"},
                ),
                request("/moved", {"kpath": "rest.code", "type": "integer", "value": 302}),
                request("/text", {"kpath": "rest.content", "value": "grün"}),
                request("/nothing", {"kpath": "rest.code", "type": "integer", "value": 204}),
                request("/not there", {"kpath": "rest.code", "type": "integer", "value": 404}),
            ]
        }
    )
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_load(daemon: DaemonProcess, nginx: Nginx) -> None:
    result = daemon.run(
        {
            "operations": [SEND, EXPECT],
            "rest": "billing",
            "distribution": {"type": "linear", "total": 600, "cps": 300, "backlog": 200},
        }
    )
    assert result["verdict"] == "pass", result["first_call_summary"]
    assert result["counts"]["passed"] == 600
    counters = daemon.gateways()["billing"]["counters"]
    assert counters["in_use"] == 0
    assert counters["connections"] <= 10
    (latency,) = [one for one in result["operations"] if one["name"] == "REST"]
    assert latency["count"] == 600


def test_a_server_that_dies_aborts_those_that_waited_and_no_more(
    daemon: DaemonProcess, nginx: Nginx
) -> None:
    request = {"type": "rest.billing.Request", "arguments": BALANCE, "tests": BALANCE_TESTS}
    operations = [request, {"type": "halt", "arguments": {"seconds": 60}}, request]
    params = {"run_id": "dies", "operations": operations}
    assert daemon.result("ExecuteTest", params) == "ok"
    halted = until(lambda: daemon.result("QueryTest", {"run_id": "dies"})["halted"])
    nginx.kill()
    instance_id = halted[0]["instance_id"]
    daemon.result("ResumeInstance", {"run_id": "dies", "instance_id": instance_id})
    result = daemon.result("QueryTest", {"run_id": "dies", "wait_s": 60})
    assert result["verdict"] == "abort"
    assert result["first_call_summary"]["reason"].startswith("billing: ")
    until(lambda: daemon.gateways()["billing"]["state"] != "up")
    refused = daemon.call("ExecuteTest", {"run_id": "down", "operations": [request]})
    assert refused["error"]["data"]["kind"] == "gateway.down"
    nginx.start()
    daemon.until_up(["billing"])
    assert daemon.run({"operations": [request]})["verdict"] == "pass"
