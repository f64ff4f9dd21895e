"""The peers of a soak: servers in processes of their own behind proxies, a database, ESMEs.

Each has troubles: what may be done to it while runs go, after which it is as it was.
"""

import contextlib
import json
import random
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from support.daemons import HANG_GUARD_S
from support.fakes import fake_process
from support.ports import free_port

from soak.esme import Esme
from soak.proxy import Proxy, pass_on

TOKENS = [str(number) for number in range(1, 10)]
PI_USER, PI_PASSWORD = "tester", "soak-of-pi"
GARBAGE = b"\xff\xfe no protocol that anybody speaks \xff\x00" * 4 + b";\r\n"
ESMES = 2
# Else head and content would be two pieces, and garbage for the second a right answer.
_WEB_SERVER = """
import http.server, sys
handler = http.server.SimpleHTTPRequestHandler
handler.wbufsize = -1
http.server.test(handler, protocol="HTTP/1.1", port=int(sys.argv[1]), bind="127.0.0.1")
"""

Trouble = Callable[[random.Random], None]


class Server:
    """A server behind a proxy. `run` runs it for the length of a block and gives its port."""

    def __init__(self, run: Callable[[], AbstractContextManager[int]]) -> None:
        self._run = run
        self._life = contextlib.ExitStack()
        self.proxy = Proxy(self._life.enter_context(run()))
        self.troubles: dict[str, Trouble] = {
            "killed": self._killed,
            "cut": self._cut,
            "slow": self._slow,
            "silent": self._silent,
            "garbage": self._garbage,
        }

    @property
    def port(self) -> int:
        return self.proxy.port

    def close(self) -> None:
        self.proxy.close()
        self._life.close()

    def _killed(self, chance: random.Random) -> None:
        self._life.close()
        self.proxy.drop()
        time.sleep(chance.uniform(0, 1))
        self.proxy.target = self._life.enter_context(self._run())

    def _cut(self, chance: random.Random) -> None:
        self.proxy.drop()

    def _slow(self, chance: random.Random) -> None:
        pause = chance.choice([0.05, 0.5, 3])

        def slowly(gateway: socket.socket, octets: bytes) -> None:
            time.sleep(pause)
            gateway.sendall(octets)

        self._answers(slowly, chance)

    def _silent(self, chance: random.Random) -> None:
        self._answers(lambda gateway, octets: None, chance)

    def _garbage(self, chance: random.Random) -> None:
        self._answers(lambda gateway, octets: gateway.sendall(GARBAGE), chance)

    def _answers(
        self, become: Callable[[socket.socket, bytes], None], chance: random.Random
    ) -> None:
        self.proxy.become = become
        time.sleep(chance.uniform(0.2, 2))
        self.proxy.become = pass_on


class Database:
    """An SQLite file: locked by somebody, or not there for a while."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "tokens.sqlite"
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            connection.execute("CREATE TABLE tokens (token TEXT PRIMARY KEY)")
            connection.executemany("INSERT INTO tokens VALUES (?)", [(one,) for one in TOKENS])
            connection.commit()
        self.troubles: dict[str, Trouble] = {"locked": self._locked, "gone": self._gone}

    def close(self) -> None:
        return

    def _locked(self, chance: random.Random) -> None:
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                return  # it is read all the time
            time.sleep(chance.uniform(0.2, 4))
            connection.execute("ROLLBACK")

    def _gone(self, chance: random.Random) -> None:
        elsewhere = self.path.with_suffix(".moved")
        self.path.rename(elsewhere)
        time.sleep(chance.uniform(0.2, 2))
        elsewhere.rename(self.path)


class Esmes:
    """ESMEs that connect to the gateway again and again."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._all = [Esme(port, f"esme{number}") for number in range(ESMES)]
        self.troubles: dict[str, Trouble] = {
            "cut": self._cut,
            "slow": self._slow,
            "garbage": self._garbage,
            "storm": self._storm,
        }

    def close(self) -> None:
        for esme in self._all:
            esme.close()

    def _cut(self, chance: random.Random) -> None:
        chance.choice(self._all).drop()

    def _slow(self, chance: random.Random) -> None:
        esme = chance.choice(self._all)
        esme.delay_s = chance.choice([0.05, 0.5, 3])
        time.sleep(chance.uniform(0.2, 2))
        esme.delay_s = 0.0

    def _garbage(self, chance: random.Random) -> None:
        chance.choice(self._all).send(GARBAGE)

    def _storm(self, chance: random.Random) -> None:
        """Connect and close, a hundred times; some say a word before."""
        for _ in range(100):
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self.port), timeout=10) as sock,
            ):
                sock.sendall(GARBAGE[: chance.randrange(20)])


Peer = Server | Database | Esmes


def start_peers(folder: Path, life: contextlib.ExitStack) -> dict[str, Peer]:
    """Start one of each kind; they end with `life`."""
    subscribers = {token: {"General Cash": int(token)} for token in TOKENS}
    pi = {"username": PI_USER, "password": PI_PASSWORD, "subscribers": subscribers}
    ocs = {"default_balance": 10**12, "grant": 100, "rar_after_s": 0.01}
    made: dict[str, Peer] = {}
    for kind, settings in (("diameter", ocs), ("pi", pi), ("osd", osd_settings())):

        def run(kind: str = kind, settings: dict[str, object] = settings) -> _Run:
            return fake_run(folder, kind, settings)

        made[kind] = Server(run)
        life.callback(made[kind].close)
    pages = folder / "pages"
    pages.mkdir()
    for token in TOKENS:
        (pages / f"{token}.json").write_text(json.dumps({"token": token}))
    made["rest"] = Server(lambda: web_run(pages))
    made["db"] = Database(folder)
    made["smpp"] = Esmes(free_port())
    for kind in ("rest", "db", "smpp"):
        life.callback(made[kind].close)
    return made


_Run = AbstractContextManager[int]


def osd_settings() -> dict[str, object]:
    """Return what a fake OSD is told, so that each answer tells who was asked for."""
    subscribers = {token: {"balance": int(token)} for token in TOKENS}
    return {"operations": {"QueryBalance": {"subscribers": subscribers}}}


@contextlib.contextmanager
def fake_run(folder: Path, kind: str, settings: dict[str, object]) -> Iterator[int]:
    """Run a fake for the length of a block."""
    with fake_process(folder, kind, **settings) as process:
        yield process.port


@contextlib.contextmanager
def web_run(pages: Path) -> Iterator[int]:
    """Run Python's own web server for the length of a block; it sends each answer in one piece."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", _WEB_SERVER, str(port)],
        cwd=pages,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + HANG_GUARD_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < deadline, "the web server does not listen"
                time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def trouble_in_turn(
    peer: Peer,
    chance: random.Random,
    is_over: threading.Event,
    tell: Callable[[str, Exception | None], None],
) -> None:
    """Do one random thing after the other to a peer until it is over; it is well then."""
    while not is_over.wait(chance.uniform(1, 6)):
        name = chance.choice([*peer.troubles])
        try:
            peer.troubles[name](chance)
        except Exception as error:  # noqa: BLE001 - whatever it is, the summary shows it
            tell(name, error)
        else:
            tell(name, None)
