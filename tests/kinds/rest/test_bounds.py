"""Limits of what a request may do with the gateway's credentials, and what is shown of them."""

import itertools
import json
import subprocess
from pathlib import Path

import pytest
from kinds.rest.service import HttpService, first
from unit.transport.http_servers import RawServer, ok

from tsvc.kinds.rest.gateway import leads_above

SECRETS = ("t0p-bearer", "t0p-query", "t0p-pass", "t0p-key", "t0p-pin")
DOTS = ("..", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..;x=1", "%c0%ae%c0%ae", "%25252e.")
SLASHES = ("/", "%2f", "%2F", "\\", "%5c", "%252f", "%c0%af")


def serve(server, sock, _):
    while server.read(sock) is not None:
        sock.sendall(ok(b"{}", b"Content-Type: application/json\r\n"))


@pytest.fixture
def server():
    made = RawServer(serve)
    yield made
    made.stop()


@pytest.fixture
def daemon(server, tmp_path):
    made = []

    def make(**members):
        given = {"base_uri": f"http://127.0.0.1:{server.port}/api/v1", **members}
        made.append(HttpService(tmp_path, {"R1": ("rest", given)}))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def ask(path="/x", **arguments):
    given = {"path": path, "method": "GET", **arguments}
    return {"type": "rest.Request", "arguments": given}


ABOVE = ["/../admin", "..", "a/../../x", "./../x", "//../x", "a//../../x", "x%3f/../../admin"]
ABOVE += [f"/{dots}{slash}admin" for dots, slash in itertools.product(DOTS, SLASHES)]
ABOVE += ["/" + ("%" + "25" * 20 + "2e") * 2 + "/x", "a#/../../x", " .. /x"]


@pytest.mark.sampled(20)
@pytest.mark.parametrize("path", ABOVE)
def test_a_path_above_the_base_is_refused_before_the_run_and_in_it(daemon, server, path):
    tsvc = daemon(bearer_token="t0p-bearer")
    found = tsvc.call("ValidateTest", operations=[ask(path.replace("\\", "\\\\"))], rest="R1")
    shown = [(one["path"], one["severity"]) for one in found["problems"]]
    if "\\" not in path:  # a text with a backslash may be evaluated
        assert shown == [("params.operations[0].arguments.path", "error")]
    result = tsvc.run(ask("{$v->{path}}"), vars={"path": path}, rest="R1")
    assert result["verdict"] == "abort"
    assert "leaves the base URI" in first(result)["reason"]
    assert server.requests == []


@pytest.mark.parametrize(
    "path",
    ["", "/", "a/../b", "a/b/../../c", "/a..b/..c", "...", "/x?next=../../y", "a/./b", "%2e"],
)
def test_a_path_below_the_base_goes(daemon, server, path):
    assert not leads_above(path)
    assert daemon().run(ask(path), rest="R1")["verdict"] == "pass"
    assert len(server.requests) == 1


def test_a_gateway_may_allow_it(daemon, server):
    tsvc = daemon(allow_outside=True, allow_host=True)
    step = ask("/../admin", http_headers=[{"name": "Host", "value": "other.example"}])
    assert tsvc.run(step, rest="R1")["verdict"] == "pass"
    assert server.requests[0].startswith(b"GET /api/v1/../admin HTTP/1.1\r\n")
    assert b"\r\nHost: other.example\r\n" in server.requests[0]


@pytest.mark.parametrize("name", ["Host", "host", "HOST"])
@pytest.mark.parametrize("append", [0, 1])
def test_a_host_of_its_own_is_refused(daemon, server, name, append):
    tsvc = daemon()
    step = ask(http_headers=[{"name": name, "value": "other.example", "append": append}])
    found = tsvc.call("ValidateTest", operations=[step], rest="R1")
    assert [one["path"] for one in found["problems"]] == [
        "params.operations[0].arguments.http_headers"
    ]
    late = ask(http_headers=[{"name": "{$v->{name}}", "value": "x"}])
    result = tsvc.run(late, vars={"name": name}, rest="R1")
    assert "allow_host" in first(result)["reason"]
    assert server.requests == []


def test_no_secret_is_shown(daemon, server):
    tsvc = daemon(
        bearer_token="t0p-bearer", query_secrets={"lab": "t0p-query"}, http_headers={"X-Pin": "1"}
    )
    queries = ["?password=t0p-pass&a=1", "?a=1&api%5Fkey=t0p-key&Token=t0p-pin"]
    form = {"content_type": "application/x-www-form-urlencoded", "method": "POST"}
    body = {"content_type": "application/json", "method": "POST"}
    result = tsvc.run(
        *(ask(f"/x{query}") for query in queries),
        ask(query={"passwd": "t0p-pass", "n": 7}),
        ask(**form, content={"user": "me", "password": "t0p-pass"}),
        ask(**body, content={"in": {"api-key": "t0p-key", "pin": "t0p-pin"}, "n": "seen"}),
        rest="R1",
        trace_level=3,
        run_id="r",
    )
    assert result["verdict"] == "pass"
    sent = b"".join(server.requests)
    for one in SECRETS:
        assert one.encode() in sent, "the server gets it"
    assert sent.count(b"lab=t0p-query") == 5
    traces = [tsvc.ask("GetTrace", run_id="r", format=one) for one in ("json", "text", "ladder")]
    text = json.dumps([result, traces])
    for one in SECRETS:
        assert one not in text
        assert one.encode().hex() not in text
    assert "a=1" in text
    assert "seen" in text


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_secrets_of_a_query_from_a_file(server, tmp_path, mode):
    secret = tmp_path / "query"
    secret.write_text("api=t0p%26x&b=2\n")
    secret.chmod(mode)
    config = tmp_path / "tsvc.toml"
    config.write_text(
        f'[application.R1]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:{server.port}"\n'
        'query_secrets_file = "query"\n'
    )
    shown = printed(config)
    if mode & 0o004:
        assert "query_secrets_file" in shown.stderr
        assert "everyone can read it" in shown.stderr
    else:
        assert shown.returncode == 0, shown.stderr
        assert "t0p" not in shown.stdout


def printed(config: Path) -> "subprocess.CompletedProcess[str]":
    from support.daemons import ROOT

    command = [str(ROOT / ".venv/bin/tsvcd"), "-c", str(config), "--print-config"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)
