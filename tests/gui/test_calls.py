"""POST /api/call: a daemon's answer reaches the browser octet by octet."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import Browser, GuiProcess, daemon_options, gui
from gui.relay import Relay
from support.daemons import FLOW, LOOPBACK, DaemonProcess, running
from support.ports import free_port
from support.waiting import until

pytestmark = pytest.mark.e2e

PASS = [{"type": "pass"}]


@pytest.fixture(scope="module")
def relay(tester: DaemonProcess) -> Iterator[Relay]:
    made = Relay(tester.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, assets: Path, tester: DaemonProcess, relay: Relay
) -> Iterator[GuiProcess]:
    ports = {"lab": relay.port, "gone": free_port(), "direct": tester.port}
    with gui(tmp_path_factory.mktemp("gui"), assets, *daemon_options(ports)) as made:
        yield made


@pytest.fixture(scope="module")
def anna(shown: GuiProcess) -> Browser:
    return shown.enter()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("DescribeService", {}),
        ("DescribeOperations", {}),
        ("ListResults", {"limit": 3}),
        ("QueryTest", {"run_id": "none"}),
        ("NoSuchMethod", {}),
        ("ValidateTest", {"operations": []}),
        ("ValidateTest", {"operations": [{"type": "pass"}], "name": "é \u2028 </script> \x00"}),
    ],
)
def test_octet_by_octet(anna: Browser, relay: Relay, method: str, params: Any) -> None:
    found = anna.call("lab", method, **params)
    assert found.status == 200
    assert found.headers["content-type"] == "application/json; charset=utf-8"
    assert found.body == relay.responses[-1]
    assert relay.requests[-1]["params"] == params
    assert ("error" in found.document) == (method in ("QueryTest", "NoSuchMethod"))


def test_every_digit_gets_there(anna: Browser, relay: Relay) -> None:
    """A number that a double can't hold is sent as it was written, and returned unchanged."""
    digits = b"0.12345678901234567890123"
    body = b'{"daemon": "lab", "method": "ExecuteTest", "params": {"run_id": "digits", '
    body += b'"operations": [{"type": "pass"}], "vars": {"n": "%s", "m": 1.0}}}' % digits
    assert anna.request("POST", "/api/call", body.replace(b'"%s"' % digits, digits)).status == 200
    found = anna.call("lab", "QueryTest", run_id="digits", wait_s=60, collect=0)
    assert found.body == relay.responses[-1]
    assert found.document["result"]["completed"] == 1
    result_id = found.document["result"]["result_id"]
    stored = anna.call("lab", "GetResult", result_id=result_id, definition=True)
    assert digits in stored.body


def test_a_daemon_that_is_away(anna: Browser) -> None:
    found = anna.call("gone", "DescribeService")
    assert found.status == 502
    assert "connection refused" in found.problem


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({"daemon": "other", "method": "DescribeService"}, 404),
        ({"daemon": None, "method": "DescribeService"}, 404),
        ({"daemon": {}, "method": "DescribeService"}, 404),
        ({"method": "DescribeService"}, 404),
        ({"daemon": "lab"}, 400),
        ({"daemon": "lab", "method": 7}, 400),
        ({"daemon": "lab", "method": "DescribeService", "params": [1]}, 400),
        ({"daemon": "lab", "method": "DescribeService", "params": None}, 200),
    ],
)
def test_what_is_no_call(anna: Browser, document: Any, status: int) -> None:
    assert anna.post("/api/call", document).status == status


def test_a_slow_daemon_keeps_nobody(anna: Browser, relay: Relay) -> None:
    statuses: list[int] = []
    relay.passes.clear()
    before = len(relay.requests)
    try:
        for _ in range(70):
            call = threading.Thread(
                target=lambda: statuses.append(anna.call("lab", "QueryAllTests").status)
            )
            call.start()
        until(lambda: len(relay.requests) - before == 64 and statuses.count(503) == 6)
        assert anna.result("direct", "QueryAllTests")["tests"] is not None
        assert anna.get("/api/session").status == 200
    finally:
        relay.passes.set()
    until(lambda: len(statuses) == 70)
    assert statuses.count(200) == 64
    assert anna.call("lab", "QueryAllTests").status == 200


def test_a_wait_is_waited_for(anna: Browser) -> None:
    halt = [{"type": "halt", "arguments": {"seconds": 1}}]
    assert anna.result("direct", "ExecuteTest", run_id="halts", operations=halt) == "ok"
    found = anna.result("direct", "QueryTest", run_id="halts", wait_s=60)
    assert found["completed"] == 1


@pytest.mark.parametrize("wait_s", ["-1e9", "1e300", "61", "true", '"1"', "[]", "9" * 400])
def test_a_wait_that_is_none(anna: Browser, wait_s: str) -> None:
    """The daemon reports an invalid waiting time."""
    params = f'{{"run_id": "none", "wait_s": {wait_s}}}'
    body = f'{{"daemon": "direct", "method": "QueryTest", "params": {params}}}'
    found = anna.request("POST", "/api/call", body.encode())
    assert found.status == 200, found
    assert found.document["error"]["code"] in (1000, 2004)


def test_tokens_stay_here(tmp_path: Path, assets: Path) -> None:
    """The daemon requires a token; the browser never sees the token."""
    token = "a-secret-of-32-characters-at-least"
    main = f'auth_tokens = ["{token}"]\n{LOOPBACK.format(flow=FLOW)}'
    with running(tmp_path / "daemon", main=main) as daemon:
        refused = daemon.call("DescribeService")
        assert "error" in refused
        options = daemon_options({"lab": daemon.port})
        with gui(tmp_path / "gui", assets, *options, "--token", token) as made:
            browser = made.enter()
            found = browser.call("lab", "DescribeService")
            assert "result" in found.document
            assert token.encode() not in found.body + browser.get("/api/session").body
        with gui(tmp_path / "other", assets, *options) as made:
            assert "error" in made.enter().call("lab", "DescribeService").document
