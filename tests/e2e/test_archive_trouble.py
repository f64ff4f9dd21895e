"""Trouble at random moments of mixed runs: no completed result is lost, changed or withdrawn.

TSVC_TROUBLES=10 repeats each trouble that often (make test-full); -s prints the counts.
"""

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, DaemonProcess, configure, launch
from support.databases import PostgresqlServer, postgresql
from support.waiting import until

pytestmark = pytest.mark.e2e

TROUBLES = int(os.environ.get("TSVC_TROUBLES", "2"))
CLIENTS = 3
CPS = 200
DEADLINE_S = 4.0  # for operations on a disk or a server that hangs; a busy one needs less
DRAIN_S = 600  # longer than the test waits for the end of a daemon

WAIT = {"type": "wait", "arguments": {"seconds": 0.02}}
KINDS: dict[str, dict[str, Any]] = {
    "pass": {"operations": [WAIT, {"type": "pass"}]},
    "fail": {"operations": [WAIT, {"type": "fail"}]},
    "load": {
        "operations": [WAIT],
        "distribution": {"type": "linear", "total": 60, "backlog": 50, "cps": 200},
    },
}
LONG_LOAD = {
    "operations": [WAIT],
    "distribution": {"type": "linear", "total": 1_000_000, "backlog": 1000, "cps": CPS},
}


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "time_now": 0, "archived": 0}


class Ledger:
    """The results that clients have got; each client reads its earlier runs again."""

    def __init__(self, daemon: DaemonProcess, chance: random.Random) -> None:
        self.daemon = daemon
        self.told: dict[str, dict[str, Any]] = {}
        self.findings: list[str] = []
        self.counted: Counter[str] = Counter()
        self._chance = chance
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._work) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def look(self, run_id: str, *, is_up: bool) -> None:
        """Read a result again; the only error allowed is that of a failing archive."""
        answer = self.daemon.call("QueryTest", {"run_id": run_id})
        if "error" in answer:
            if is_up or answer["error"]["data"]["kind"] != "archive.down":
                self.findings.append(f"{run_id}: {answer['error']}")
        elif comparable(answer["result"]) != comparable(self.told[run_id]):
            self.findings.append(f"{run_id}: {answer['result']} was {self.told[run_id]}")

    def _work(self) -> None:
        while not self._over.is_set():
            try:
                self._run()
            except (OSError, EOFError):  # the daemon was ended
                self.counted["cut off"] += 1
                self._over.wait(0.02)

    def _run(self) -> None:
        run_id = f"run {self._chance.getrandbits(60)}"
        definition = KINDS[self._chance.choice(sorted(KINDS))]
        answer = self.daemon.call("ExecuteTest", {**definition, "run_id": run_id})
        if "error" in answer:
            assert answer["error"]["data"]["kind"] in ("archive.down", "draining"), answer
            self.counted["refused"] += 1
            self._over.wait(0.05)
        else:
            result = self.daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
            if result["completed"] and result["state"] == "completed":
                self.told[run_id] = result
                self.counted["completed"] += 1
                self.counted["waiting when told"] += not result["archived"]
        if self.told:
            self.look(self._chance.choice(list(self.told)), is_up=False)


class Trouble:
    """A daemon whose archive can get into trouble."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = configure(folder, self.text())
        (folder / "conf.d").mkdir()
        (folder / "conf.d" / "drain.toml").write_text(f"[service]\ndrain_s = {DRAIN_S}\n")
        self.daemon = launch(folder, self.port)

    def text(self) -> str:
        return f'[log]\nlevel = "error"\n[results]\ndeadline_s = {DEADLINE_S}\n'

    def restart(self) -> DaemonProcess:
        self.daemon = launch(self.folder, self.port)
        return self.daemon

    def begin(self) -> None: ...

    def end(self) -> None: ...

    def close(self) -> None:
        self.end()
        if self.daemon.process.poll() is None:
            self.daemon.kill()


class Full(Trouble):
    """A separate file system of 12 MiB."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.state.mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tsvc-test", str(self.state)]
        if os.geteuid() != 0 or shutil.which("mount") is None:
            pytest.skip("needs root to mount a small file system")
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("this machine lets nobody mount a small file system")
        super().__init__(folder)

    def begin(self) -> None:
        with (self.state / "ballast").open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                return

    def end(self) -> None:
        (self.state / "ballast").unlink(missing_ok=True)

    def close(self) -> None:
        super().close()
        subprocess.run(["umount", str(self.state)], check=True)


class Locked(Trouble):
    """Another process locks the SQLite archive and keeps the lock."""

    _holder: Any = None

    def begin(self) -> None:
        import sqlite3

        path = self.folder / "state" / "archive.sqlite"
        self._holder = sqlite3.connect(path, isolation_level=None, timeout=60)
        self._holder.execute("BEGIN IMMEDIATE")

    def end(self) -> None:
        if self._holder is not None:
            self._holder.close()
            self._holder = None


class OfPostgresql(Trouble):
    def __init__(self, folder: Path) -> None:
        self._server_life = postgresql()
        self.server: PostgresqlServer = self._server_life.__enter__()
        super().__init__(folder)

    def text(self) -> str:
        url = self.server.url.replace("postgresql:", "postgresql+psycopg:")
        return f'{super().text()}url = "{url}"\n'

    def close(self) -> None:
        super().close()
        self._server_life.__exit__(None, None, None)


class Hanging(OfPostgresql):
    def begin(self) -> None:
        self.server.hang()

    def end(self) -> None:
        self.server.go_on()


class Stopped(OfPostgresql):
    def begin(self) -> None:
        self.server.stop()

    def end(self) -> None:
        if self.server.process is None:
            self.server.start()


@pytest.fixture(params=[Trouble, Full, Locked, Hanging, Stopped], ids=lambda one: one.__name__)
def trouble(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Trouble]:
    made: Trouble = request.param(tmp_path / "daemon")
    yield made
    made.close()


def terminate_twice(daemon: DaemonProcess, chance: random.Random) -> float:
    """Return how long the daemon took to end after the second signal.

    The second signal is sent after the first was handled, because the system merges two pending
    signals.
    """

    def is_draining() -> bool:
        try:
            return bool(daemon.result("DescribeService")["state"] == "draining")
        except (OSError, EOFError):
            return True  # the daemon has already ended further

    daemon.process.send_signal(signal.SIGTERM)
    until(is_draining)
    time.sleep(chance.uniform(0.05, 1.0))
    began = time.monotonic()
    daemon.process.send_signal(signal.SIGTERM)
    daemon.process.wait(2 * HANG_GUARD_S)
    return time.monotonic() - began


def until_up(daemon: DaemonProcess) -> None:
    def is_up() -> bool:
        archive = daemon.result("DescribeService")["archive"]
        return bool(archive["state"] == "up" and not archive["waiting"])

    until(is_up, what=lambda: daemon.result("DescribeService")["archive"])


def test_nothing_completed_is_lost(trouble: Trouble) -> None:
    seed = int(os.environ.get("TSVC_SEED", random.getrandbits(32)))
    chance = random.Random(seed)
    ledger = Ledger(trouble.daemon, chance)
    # If the archive has no trouble, the kill is tested.
    ends = ("kill",) if type(trouble) is Trouble else ("mend", "kill", "terminate twice", "mend")
    rounds = 3 * TROUBLES if type(trouble) is Trouble else TROUBLES
    seconds: list[float] = []
    lost_s: list[float] = []
    first = chance.randrange(len(ends))
    for round_ in range(rounds):
        end = ends[(first + round_) % len(ends)]
        load = f"load {round_}"
        begun = {**LONG_LOAD, "run_id": load}
        until(lambda: "error" not in trouble.daemon.call("ExecuteTest", begun))  # noqa: B023
        before = ledger.counted["completed"]
        ledger.begin()
        until(lambda: ledger.counted["completed"] >= before + 2)  # noqa: B023
        time.sleep(chance.uniform(0.2, 2.0))
        trouble.begin()
        time.sleep(chance.uniform(0.0, 2.0) if type(trouble) is not Trouble else 0.0)
        if end == "kill":
            known = trouble.daemon.result("QueryTest", {"run_id": load})["counts"]["started"]
            trouble.daemon.kill()
        elif end == "terminate twice":
            seconds.append(terminate_twice(trouble.daemon, chance))
        ledger.end() if end != "mend" else None
        trouble.end()
        if end == "mend":
            until_up(trouble.daemon)
            ledger.end()
            trouble.daemon.result("CancelTest", {"run_id": load})
            until(lambda: trouble.daemon.result("QueryTest", {"run_id": load})["archived"])  # noqa: B023
        else:
            ledger.daemon = trouble.restart()
            until_up(trouble.daemon)
            found = trouble.daemon.result("QueryTest", {"run_id": load})
            assert found["state"] in ("lost", "completed"), found["state"]
            if end == "kill" and type(trouble) is Trouble:
                lost_s.append((known - found["counts"]["started"]) / CPS)
        for run_id in list(ledger.told):
            ledger.look(run_id, is_up=True)
        assert ledger.findings == [], f"TSVC_SEED={seed}"
        assert trouble.daemon.result("QueryAllTests")["tests"] == []
    print(
        type(trouble).__name__,
        dict(ledger.counted),
        f"rounds={rounds}",
        f"second signal at most {max(seconds, default=0):.2f} s",
        f"counts lost at most {max(lost_s, default=0):.2f} s",
    )
    assert ledger.counted["completed"] > rounds
