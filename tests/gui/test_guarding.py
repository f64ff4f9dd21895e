"""Journeys 13 and 14 of the specification: hostile texts and sites; users who may only read."""

import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import gui
from gui.journeys import STATIC, play, require_browser
from support.daemons import ROOT, DaemonProcess, running
from support.waiting import until

pytestmark = pytest.mark.e2e

EVIL = "<img src=x onerror=globalThis.evil=1>"
EXAMPLES = ROOT / "etc" / "examples"
NAME = "R<b>1"
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]


class Echo(http.server.BaseHTTPRequestHandler):
    """A system under test that has the text in every part of its answer."""

    def do_GET(self) -> None:
        body = json.dumps({EVIL: EVIL, "balance": EVIL}).encode()
        self.send_response(200, EVIL)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Evil", EVIL)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made.server_port
    made.shutdown()
    made.server_close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, server: int) -> Iterator[DaemonProcess]:
    require_browser()
    rest = f'[application."{NAME}"]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:{server}"\n'
    with running(tmp_path_factory.mktemp("service"), rest) as made:
        until(lambda: all(one["state"] == "up" for one in gateways(made)))
        yield made


def gateways(service: DaemonProcess) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.result("DescribeService")["gateways"]
    return found


def ask(name: str) -> dict[str, Any]:
    """Return a run with the text in every member that a definition has."""
    request = {"type": "rest.Request", "label": EVIL, "comment": EVIL}
    arguments = {"path": "/x", "method": "GET", "http_headers": [{"name": "X-A", "value": EVIL}]}
    tests = [
        {"kpath": "rest.content_json.balance", "value": "other"},
        {"kpath": f"rest.content_json.{EVIL.split()[0]}", "value": EVIL},
    ]
    fail = {"type": "fail", "arguments": {"text": EVIL}}
    return {
        "run_id": name,
        "name": EVIL,
        "comment": EVIL,
        "rest": NAME,
        "vars": {"v": EVIL},
        "trace_level": 3,
        "operations": [{**request, "arguments": arguments, "tests": tests}, fail],
    }


def test_hostile_texts(service: DaemonProcess, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / EVIL).mkdir(parents=True)
    definition = {one: value for one, value in ask(EVIL).items() if one != "run_id"}
    file = f"{EVIL}/{EVIL.replace('/', '')}.json"
    (workspace / file).write_text(json.dumps(definition))
    flow = json.loads((EXAMPLES / "flows" / "extension_dialing.json").read_text())
    flow["name"] = flow["operations"]["3"]["name"] = EVIL
    (workspace / f"{EVIL} flow.json").write_text(json.dumps(flow))
    results = []
    for name in ("before", EVIL):
        assert service.result("ExecuteTest", ask(name)) == "ok"
        found = service.result("QueryTest", {"run_id": name, "wait_s": 60})
        assert found["verdict"] == "fail"
        results.append(found["result_id"])
    where = f"local=127.0.0.1:{service.port}"
    with gui(tmp_path / "gui", STATIC, "--daemon", where, "--workspace", workspace) as made:
        given = {"evil": EVIL, "file": file, "flow": f"{EVIL} flow.json"}
        given |= {"other": results[0], "result": results[1]}
        play("guarding.mjs", "hostile", {"enter": made.addresses[-1], "base": made.base, **given})


def test_other_sites(service: DaemonProcess, server: int, tmp_path: Path) -> None:
    where = f"local=127.0.0.1:{service.port}"
    with gui(tmp_path / "gui", STATIC, "--daemon", where, "--workspace", EXAMPLES) as made:
        given = {"enter": made.addresses[-1], "base": made.base}
        play("guarding.mjs", "outside", {**given, "foreign": f"http://127.0.0.1:{server}/"})


def test_a_viewer(service: DaemonProcess, users: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    shutil.copytree(EXAMPLES, workspace, ignore=shutil.ignore_patterns("kinds"))
    service.call("ExecuteTest", {"run_id": "of somebody", "operations": HALT})
    run = {"daemon": "local", "method": "ExecuteTest", "params": {"run_id": "a", "operations": []}}
    steer = [
        {"daemon": "local", "method": name, "params": {"run_id": "of somebody", **more}}
        for name, more in (
            ("CancelTest", {}),
            ("PauseTest", {"paused": True}),
            ("RateTest", {"cps": 1}),
            ("ResumeInstance", {"instance_id": "0"}),
            ("QueryTest", {"collect": 1}),
        )
    ]
    file = {"path": "extension_dialing.json"}
    writes: list[Any] = [("/api/call", one) for one in (run, *steer)]
    writes += [
        ("/api/file", {**file, "text": "{}", "etag": None}),
        ("/api/file/move", {"from": file["path"], "to": "b.json"}),
        ("/api/file/delete", {**file, "etag": ""}),
        ("/api/file/folder", {"path": "folder"}),
        ("/api/git/commit", {"message": "m", "paths": [file["path"]]}),
    ]
    where = f"local=127.0.0.1:{service.port}"
    options = ("--daemon", where, "--workspace", workspace, "--users", users)
    with gui(tmp_path / "gui", STATIC, *options) as made:
        given = {"base": made.base, "run": "of somebody"}
        play("guarding.mjs", "viewer", given, {"writes": lambda: writes})
    assert service.result("CancelTest", {"run_id": "of somebody"})["cancelled"] == 1
    assert not (workspace / "folder").exists()
