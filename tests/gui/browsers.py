"""`tsvc gui` as a process, and browsers that talk to it over real sockets."""

import contextlib
import gzip
import http.client
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from support.daemons import HANG_GUARD_S, ROOT
from support.forked import Process, is_forking, start_forked
from support.waiting import until

from tsvc.cli.embedded import clean_environment

Json = dict[str, Any]


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def problem(self) -> str:
        return str(self.document["problem"])


@dataclass
class GuiProcess:
    """One `tsvc gui`; `out` is its output."""

    process: Process
    folder: Path

    @property
    def out(self) -> str:
        return (self.folder / "out").read_text()

    @property
    def addresses(self) -> list[str]:
        return re.findall(r"^tsvc gui: (\S+)$", self.out, re.MULTILINE)

    @property
    def base(self) -> str:
        found = re.match(r"https?://[^/]+", self.addresses[0])
        assert found is not None
        return found[0]

    @property
    def host(self) -> str:
        return self.base.partition("://")[2]

    def enter(self) -> "Browser":
        """Enter by the address that is valid now; return the browser."""
        browser = Browser(self.base)
        found = browser.get(self.addresses[-1].removeprefix(self.base))
        assert found.status == 303, found
        browser.take_session()
        return browser

    def log_in(self, user: str, password: str) -> "Browser":
        browser = Browser(self.base)
        found = browser.post("/api/enter", {"user": user, "password": password})
        assert found.status == 200, found
        browser.take_session()
        return browser

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(HANG_GUARD_S)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "tsvc.cli.main", "gui", *map(str, arguments)]


@contextlib.contextmanager
def gui(folder: Path, assets: Path, *arguments: object) -> Iterator[GuiProcess]:
    """Run a GUI during a block."""
    folder.mkdir(parents=True, exist_ok=True)
    given = ("--assets", assets, *arguments)
    if "--bind" not in arguments:
        given = ("--bind", "127.0.0.1:0", *given)
    process: Process
    (folder / "out").write_bytes(b"")  # the output of another GUI may be there
    # With an embedded daemon it is started as users start it.
    if is_forking() and "--embedded" not in arguments:
        words = ["gui", *map(str, given)]
        process = start_forked(
            "tsvc.cli.main:main", words, folder / "out", clean_environment(), ROOT
        )
    else:
        with (folder / "out").open("ab") as out:
            process = subprocess.Popen(
                command(*given), cwd=ROOT, env=clean_environment(), stdout=out, stderr=out
            )
    made = GuiProcess(process, folder)

    def is_ready() -> bool:
        assert process.poll() is None, made.out
        return bool(made.addresses)

    try:
        until(is_ready, what=lambda: made.out)
        yield made
        assert "Traceback" not in made.out, made.out
    finally:
        process.terminate()
        process.wait(HANG_GUARD_S)


def try_command(*arguments: object, given: str = "") -> tuple[int, str]:
    """Return the exit status and the output of a `tsvc gui` that ends."""
    done = subprocess.run(
        command(*arguments),
        cwd=ROOT,
        env=clean_environment(),
        input=given,
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
    )
    return done.returncode, done.stdout + done.stderr


@dataclass
class Browser:
    """A browser that keeps its cookie and, once it has a session, sends our pages' headers."""

    base: str
    context: Any = None
    cookie: str = ""
    csrf: str = ""
    session: Json = field(default_factory=dict)

    @property
    def host(self) -> str:
        return self.base.partition("://")[2]

    def connect(self) -> http.client.HTTPConnection:
        if self.context is not None:
            return http.client.HTTPSConnection(
                self.host, timeout=HANG_GUARD_S, context=self.context
            )
        return http.client.HTTPConnection(self.host, timeout=HANG_GUARD_S)

    def headers(self, given: Mapping[str, str | None] | None = None) -> dict[str, str]:
        """Return the headers of a write; headers given as None are left out."""
        own = {"Cookie": self.cookie, "Origin": self.base, "X-TSVC-CSRF": self.csrf}
        merged: dict[str, str | None] = {**own, **(given or {})}
        return {name: value for name, value in merged.items() if value}

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Response:
        connection = self.connect()
        try:
            connection.request(method, path, body, self.headers(headers))
            found = connection.getresponse()
            octets = found.read()
        finally:
            connection.close()
        kept = {name.lower(): value for name, value in found.getheaders()}
        if "set-cookie" in kept:
            self.cookie = kept["set-cookie"].partition(";")[0]
        return Response(found.status, kept, octets)

    def get(self, path: str, /, **query: object) -> Response:
        return self.request("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, document: Any, **headers: str | None) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", path, json.dumps(document).encode(), named)

    def take_session(self) -> Json:
        self.session = self.get("/api/session").document
        self.csrf = self.session["csrf"]
        return self.session

    def call(self, daemon: str, method: str, **params: Any) -> Response:
        return self.post("/api/call", {"daemon": daemon, "method": method, "params": params})

    def result(self, daemon: str, method: str, **params: Any) -> Any:
        found = self.call(daemon, method, **params)
        assert found.status == 200, found
        assert "error" not in found.document, found.document
        return found.document["result"]

    @contextlib.contextmanager
    def feed(self, last_event_id: str = "") -> Iterator["Stream"]:
        """Open a stream of events during a block."""
        connection = self.connect()
        headers = self.headers({"Last-Event-ID": last_event_id})
        connection.request("GET", "/api/feed", None, headers)
        sock = connection.sock
        found = connection.getresponse()
        assert found.status == 200, found.read()
        assert found.headers["Content-Type"] == "text/event-stream"
        stream = Stream(self, found)
        try:
            until(lambda: stream.viewer)
            yield stream
        finally:
            # Like a browser whose tab is closed.
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            until(lambda: stream.is_over)
            connection.close()


class Stream:
    """A stream that reads events in a thread; `states` are the data of the events "state"."""

    def __init__(self, browser: Browser, response: http.client.HTTPResponse) -> None:
        self.browser = browser
        self.viewer = ""
        self.states: list[Json] = []
        self.pings = 0
        self.last_id = ""
        self.is_over = False
        self._response = response
        threading.Thread(target=self._read, daemon=True).start()

    def look(self, *topics: Json) -> Response:
        return self.browser.post("/api/feed", {"viewer": self.viewer, "topics": list(topics)})

    def of(self, topic: Json) -> list[Json]:
        """Return the states of a topic."""
        return [one for one in self.states if one["topic"] == topic]

    def wait(self, topic: Json, **members: Any) -> Json:
        """Return the first state of a topic that has these members."""

        def found() -> list[Json]:
            return [one for one in self.of(topic) if members.items() <= one.items()]

        return until(found, what=lambda: self.of(topic)[-3:])[0]

    def _read(self) -> None:
        name = ""
        with contextlib.suppress(OSError, http.client.HTTPException):
            while line := self._response.readline().decode():
                field_name, _, value = line.rstrip("\n").partition(": ")
                if field_name == "id":
                    self.last_id = value
                elif field_name == "event":
                    name = value
                elif line.startswith(": ping"):
                    self.pings += 1
                elif field_name == "data" and name == "hello":
                    self.viewer = json.loads(value)["viewer"]
                elif field_name == "data":
                    self.states.append(json.loads(value))
        self.is_over = True


def write_assets(folder: Path) -> Path:
    """Write a small build of the browser part."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text('<script nonce="__NONCE__" src="/static/app-1.js">')
    (folder / "app-1.js").write_text("'use strict';")
    (folder / "app-1.js.gz").write_bytes(gzip.compress(b"'use strict';"))
    (folder / "THIRD_PARTY.txt").write_text("nobody")
    return folder


def write_users(path: Path, users: Mapping[str, str]) -> Path:
    """Write a file of users {name: role}; the password is the name."""
    for name, role in users.items():
        status, said = try_command(
            "--users", path, "--add-user", name, "--role", role, given=f"{name}\n"
        )
        assert status == 0, said
    return path


def daemon_options(daemons: Mapping[str, int]) -> Sequence[str]:
    return [
        word for name, port in daemons.items() for word in ("--daemon", f"{name}=127.0.0.1:{port}")
    ]
