"""The checks of requests: hand-made requests for every route, every role and every method."""

import contextlib
import http.client
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import Browser, GuiProcess, daemon_options, gui
from support.daemons import HANG_GUARD_S, DaemonProcess

from tsvc.gui.assemble import Gui, Settings
from tsvc.gui.assets import Assets
from tsvc.gui.roles import METHOD_ROLES, ROLES, Role
from tsvc.gui.routes import Route
from tsvc.methods.method import METHODS

pytestmark = pytest.mark.e2e

TABLE = Gui(
    Settings(Assets(), {}, None, None, ["localhost:1"], "http", Role.AUTHOR, print)
).app.routes
USERS = {"viewer": "vera", "executor": "egon", "author": "anna"}
PATHS = {"/static/<name>": "/static/app-1.js", "/enter/<token>": "/enter/guessed"}
NEEDS_SESSION = [route for route in TABLE if route.role is not None]
WRITES = [route for route in TABLE if route.needs_csrf]

routes = pytest.mark.parametrize("route", TABLE, ids=lambda one: f"{one.method} {one.path}")
behind = pytest.mark.parametrize(
    "route", NEEDS_SESSION, ids=lambda one: f"{one.method} {one.path}"
)
writes = pytest.mark.parametrize("route", WRITES, ids=lambda one: f"{one.method} {one.path}")


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, assets: Path, users: Path, tester: DaemonProcess
) -> Iterator[GuiProcess]:
    folder = tmp_path_factory.mktemp("gui")
    (folder / "tests").mkdir()
    options = ["--users", users, "--workspace", folder / "tests"]
    with gui(folder, assets, *options, *daemon_options({"lab": tester.port})) as made:
        yield made


@pytest.fixture(scope="module")
def people(shown: GuiProcess) -> dict[str, Browser]:
    return {role: shown.log_in(name, name) for role, name in USERS.items()}


def ask(browser: Browser, route: Route, **headers: str | None) -> tuple[int, dict[str, str]]:
    """Send the shortest request of a route; return status and headers (some bodies never end)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = browser.connect()
    body = b"{}" if route.method == "POST" else None
    path = PATHS.get(route.path, route.path)
    connection.request(route.method, path, body, browser.headers(named))
    try:
        found = connection.getresponse()
        return found.status, {name.lower(): value for name, value in found.getheaders()}
    finally:
        connection.close()


@behind
@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_its_rights(people: dict[str, Browser], route: Route, role: str) -> None:
    if route.path == "/api/leave":
        return  # see test_way_in
    assert route.role is not None
    status, _ = ask(people[role], route)
    assert (status == 403) == (ROLES[role] < route.role), status
    assert status != 401


@behind
def test_nobody_has_none(shown: GuiProcess, route: Route) -> None:
    assert ask(Browser(shown.base), route)[0] == 401


@writes
def test_a_write_is_our_own_pages(people: dict[str, Browser], route: Route) -> None:
    anna = people["author"]
    for headers in (
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": anna.base.replace("http", "https")},
        {"Origin": f"{anna.base}0"},
        {"X_TSVC_CSRF": None},
        {"X_TSVC_CSRF": "guessed"},
        {"X_TSVC_CSRF": people["viewer"].csrf},
        {"X_TSVC_CSRF": "é"},
    ):
        assert ask(anna, route, **headers)[0] == 403, headers
    # The requests had no effect, such as the end of the session.
    assert anna.get("/api/session").status == 200


@routes
def test_only_its_own_name(shown: GuiProcess, people: dict[str, Browser], route: Route) -> None:
    port = shown.host.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""):
        assert ask(people["author"], route, Host=host or " ")[0] == 400, host


def test_its_other_names(shown: GuiProcess, people: dict[str, Browser]) -> None:
    port = shown.host.rpartition(":")[2]
    for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
        browser = Browser(shown.base, cookie=people["author"].cookie)
        assert browser.request("GET", "/api/session", headers={"Host": host}).status == 200


@routes
def test_every_answer_is_secured(people: dict[str, Browser], route: Route) -> None:
    if route.path == "/api/leave":
        return
    _, headers = ask(people["viewer"], route)
    assert headers["x-content-type-options"] == "nosniff"
    policy = re.sub(r"'nonce-[\w-]{20,}'", "'nonce-…'", headers["content-security-policy"])
    assert policy == (
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-…'; connect-src 'self'; "
        "worker-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
        "require-trusted-types-for 'script'; trusted-types tsvc"
    )
    is_asset = route.path.startswith("/static")
    assert ("immutable" in headers["cache-control"]) == is_asset
    assert is_asset or headers["cache-control"] == "no-store"


class TestMethods:
    def test_every_method_of_the_daemon_has_its_role(self) -> None:
        assert METHOD_ROLES.keys() == {one.name for one in METHODS}

    @pytest.mark.parametrize("method", sorted({*METHOD_ROLES, "NoSuchMethod", "querytest"}))
    @pytest.mark.parametrize("role", ROLES)
    def test_a_role_calls_what_it_may(
        self, people: dict[str, Browser], method: str, role: str
    ) -> None:
        changes = ("CancelTest", "ExecuteTest", "PauseTest", "RateTest", "ResumeInstance")
        needed = Role.EXECUTOR if method in changes else Role.VIEWER
        if method == "DrainWorker":  # a method of the service itself
            needed = Role.AUTHOR
        if method not in METHOD_ROLES:
            needed = Role.AUTHOR
        found = people[role].call("lab", method, run_id="none", collect=0)
        assert found.status == (403 if ROLES[role] < needed else 200), found

    @pytest.mark.parametrize(
        ("collect", "status"),
        [(0, 200), (False, 200), (1, 403), (True, 403), (None, 403), ("0", 403), ([], 403)],
    )
    def test_a_viewer_collects_nothing(
        self, people: dict[str, Browser], collect: Any, status: int
    ) -> None:
        params = {} if collect is None else {"collect": collect}
        found = people["viewer"].call("lab", "QueryTest", run_id="none", **params)
        assert found.status == status


class TestStatic:
    def test_the_page_has_its_nonce(self, shown: GuiProcess) -> None:
        browser = Browser(shown.base)
        nonces = set()
        for _ in range(2):
            found = browser.get("/")
            assert found.headers["content-type"] == "text/html; charset=utf-8"
            (nonce,) = re.findall(rb'nonce="([^"]+)"', found.body)
            assert f"'nonce-{nonce.decode()}'" in found.headers["content-security-policy"]
            nonces.add(nonce)
        assert len(nonces) == 2

    @pytest.mark.parametrize(
        ("accepted", "is_packed"),
        [("gzip, br", True), ("br, GZIP;q=0.5", True), ("gzip;q=0", False), ("", False)],
    )
    def test_packed_if_taken(
        self, shown: GuiProcess, assets: Path, accepted: str, is_packed: bool
    ) -> None:
        browser = Browser(shown.base)
        found = browser.request(
            "GET", "/static/app-1.js", headers={"Accept-Encoding": accepted or "identity"}
        )
        assert found.status == 200
        assert found.headers["content-type"] == "text/javascript; charset=utf-8"
        assert (found.headers.get("content-encoding") == "gzip") == is_packed
        assert found.body == (assets / f"app-1.js{'.gz' * is_packed}").read_bytes()

    def test_what_may_be_kept(self, shown: GuiProcess) -> None:
        browser = Browser(shown.base)
        kept = browser.get("/static/app-1.js").headers["cache-control"]
        assert kept == "public, max-age=31536000, immutable"
        assert browser.get("/static/THIRD_PARTY.txt").headers["cache-control"] == "no-store"

    @pytest.mark.parametrize(
        "path",
        [
            "/static/",
            "/static/../app.py",
            "/static/%2e%2e%2fapp.py",
            "/static/..%2f..%2f..%2fetc%2fpasswd",
            "/static/%2fetc%2fpasswd",
            "/static//etc/passwd",
            "/static/.hidden.js",
            "/static/none.js",
            "/static/app-1.js%00.js",
            "/static/app-1.js/",
            "/static/app-1.js.gz",
            "/static/%ff%fe",
            "/nothing",
            "/api",
            "//evil.example/api/session",
        ],
    )
    def test_nothing_else_is_there(self, shown: GuiProcess, assets: Path, path: str) -> None:
        (assets / ".hidden.js").write_text("hidden")
        found = Browser(shown.base).get(path)
        assert found.status == 404
        assert found.problem
        assert b"hidden" not in found.body


class TestBounds:
    def test_a_method_that_is_none(self, people: dict[str, Browser]) -> None:
        for method, path in (("PUT", "/api/file"), ("DELETE", "/api/file"), ("PUT", "/api/call")):
            assert people["author"].request(method, path, b"{}").status == 405

    @pytest.mark.parametrize(
        "body", [b"", b"[]", b"{", b"\xff", b'{"a": 1, "a": 2}', b"{" * 100_000, b'"\\ud800"']
    )
    @writes
    def test_what_is_no_object(
        self, people: dict[str, Browser], route: Route, body: bytes
    ) -> None:
        if route.path == "/api/leave":
            return
        found = people["author"].request("POST", route.path, body)
        assert (found.status, bool(found.problem)) == (400, True)

    @pytest.mark.parametrize("path", ["/api/call", "/api/feed", "/api/suite", "/api/enter"])
    def test_a_long_body(self, people: dict[str, Browser], path: str) -> None:
        anna = people["author"]
        assert anna.request("POST", path, b" " * (1 << 20) + b"[]").status == 413
        assert anna.request("POST", path, b" " * ((1 << 20) - 2) + b"[]").status == 400

    def test_a_long_body_of_unknown_length(self, people: dict[str, Browser]) -> None:
        anna = people["author"]
        connection = anna.connect()
        portions = iter([b" " * 65536] * 20)
        connection.request("POST", "/api/call", portions, anna.headers(), encode_chunked=True)
        assert connection.getresponse().status == 413
        connection.close()

    def test_a_body_without_end(self, shown: GuiProcess) -> None:
        """It is refused at once, and not read for ever."""
        host, _, port = shown.host.partition(":")
        sent = 0
        with socket.create_connection((host, int(port)), HANG_GUARD_S) as sock:
            head = f"POST /api/enter HTTP/1.1\r\nHost: {shown.host}\r\n"
            sock.sendall(f"{head}Content-Length: {10**12}\r\n\r\n".encode())
            with contextlib.suppress(ConnectionError):
                while sent < 1 << 30:
                    sock.sendall(b" " * (1 << 20))
                    sent += 1 << 20
        assert sent < 64 << 20

    @pytest.mark.parametrize(
        "octets",
        [
            b"\r\n\r\n",
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"POST /api/call HTTP/1.1\r\nContent-Length: -5\r\nHost: {host}\r\n\r\n{}",
            b"POST /api/call HTTP/1.1\r\nContent-Length: x\r\nHost: {host}\r\n\r\n{}",
            b"GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n",
            b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        ],
    )
    def test_what_is_no_http(self, shown: GuiProcess, octets: bytes) -> None:
        host, _, port = shown.host.partition(":")
        with socket.create_connection((host, int(port)), HANG_GUARD_S) as sock:
            sock.sendall(octets.replace(b"{host}", shown.host.encode()))
            sock.shutdown(socket.SHUT_WR)
            answer = sock.recv(65536)
        assert not answer.startswith(b"HTTP/1.1 2")
        assert Browser(shown.base).get("/").status == 200
        assert "Traceback" not in shown.out

    def test_one_who_stays_in_the_middle_keeps_nobody(self, shown: GuiProcess) -> None:
        host, _, port = shown.host.partition(":")
        with socket.create_connection((host, int(port))) as sock:
            sock.sendall(b"POST /api/call HTTP/1.1\r\nContent-Length: 100\r\nHost: ")
            assert Browser(shown.base).get("/").status == 200

    def test_head(self, shown: GuiProcess) -> None:
        connection = http.client.HTTPConnection(shown.host, timeout=HANG_GUARD_S)
        connection.request("HEAD", "/")
        assert connection.getresponse().status == 200
        connection.close()
