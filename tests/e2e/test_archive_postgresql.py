"""A PostgreSQL archive that hangs or ends: nothing waits for it or is lost, and it comes back."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from support.daemons import HANG_GUARD_S, DaemonProcess, configure, launch
from support.databases import PostgresqlServer, postgresql
from support.ports import free_port
from support.shared_runs import completed, kept_open
from support.waiting import until

pytestmark = pytest.mark.e2e

DEADLINE_S = 4  # for operations on a hanging server; a server on a busy machine needs less
DRAIN_S = 600  # longer than a test waits for the end of a daemon
PASS = [{"type": "pass"}]
LOAD = {"type": "linear", "total": 300, "backlog": 100, "cps": 150}
WAIT = [{"type": "wait", "arguments": {"seconds": 0.01}}]
OPEN = kept_open(*WAIT)  # in progress until the test has finished with the server
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    with postgresql() as server:
        yield server


@pytest.fixture
def hanging(server: PostgresqlServer) -> Iterator[PostgresqlServer]:
    """The server; it continues at the end, whatever happened."""
    yield server
    server.go_on()


class Place:
    """A folder with the configuration of a daemon, and its daemons."""

    def __init__(self, folder: Path, server: PostgresqlServer, more: str = "") -> None:
        self.folder = folder
        self.http = free_port()
        url = server.url.replace("postgresql:", "postgresql+psycopg:")
        text = (
            f'[results]\nurl = "{url}"\ndeadline_s = {DEADLINE_S}\n'
            f'[http]\nlisten = "127.0.0.1:{self.http}"\n{more}'
        )
        self.port = configure(folder, text)
        (folder / "conf.d").mkdir()
        (folder / "conf.d" / "drain.toml").write_text(f"[service]\ndrain_s = {DRAIN_S}\n")
        self.daemons: list[DaemonProcess] = []

    def start(self) -> DaemonProcess:
        self.daemons.append(launch(self.folder, self.port))
        return self.daemons[-1]

    def page(self, path: str) -> str:
        try:
            with urlopen(f"http://127.0.0.1:{self.http}{path}", timeout=HANG_GUARD_S) as page:
                return str(page.read().decode())
        except OSError as error:  # 503 raises an OSError too
            return str(error)

    def close(self) -> None:
        for daemon in self.daemons:
            if daemon.process.poll() is None:
                daemon.kill()


@pytest.fixture
def place(tmp_path: Path, server: PostgresqlServer) -> Iterator[Place]:
    place = Place(tmp_path, server, "[engine]\ncancel_grace_s = 0.5\n")
    yield place
    place.close()


def archive_of(daemon: DaemonProcess) -> dict[str, Any]:
    return dict(daemon.result("DescribeService")["archive"])


def until_archive(daemon: DaemonProcess, state: str) -> None:
    until(lambda: archive_of(daemon)["state"] == state, what=lambda: archive_of(daemon))


def same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    free = {"time_now": 0, "archived": 0}
    return {**first, **free} == {**second, **free}


def test_hanging_and_going_on(place: Place, hanging: PostgresqlServer) -> None:
    daemon = place.start()
    until(lambda: "ready" in place.page("/readyz"))
    run = {"run_id": "load", "operations": OPEN, "distribution": LOAD}
    assert daemon.result("ExecuteTest", run) == "ok"
    hanging.hang()
    refused = daemon.call("ExecuteTest", {"run_id": "new", "operations": PASS})["error"]
    assert (refused["code"], refused["data"]["kind"]) == (2003, "archive.down")
    assert f"no answer within {DEADLINE_S} s (results.deadline_s)" in refused["message"]
    began = time.monotonic()
    for _ in range(20):
        daemon.call("ExecuteTest", {"run_id": "new", "operations": PASS})
    assert time.monotonic() - began < 20 * DEADLINE_S, "each would wait as long as the first"
    assert archive_of(daemon)["state"] == "failing"
    assert "503" in place.page("/readyz")
    assert "tsvc_archive_up 0" in place.page("/metrics")

    result = completed(daemon, "load")
    assert (result["completed"], result["verdict"], result["archived"]) == (1, "pass", 0)
    for _ in range(2):
        assert same(daemon.result("QueryTest", {"run_id": "load"}), result)
    by_id = {"result_id": result["result_id"]}
    assert same(daemon.result("GetResult", by_id), result)
    assert daemon.result("GetTrace", {**by_id, "format": "json"})["content"]["state"] == "passed"
    listed = daemon.result("ListResults")
    assert [row["run_id"] for row in listed["results"]] == ["load"]
    assert listed["complete"] == 0

    hanging.go_on()
    until_archive(daemon, "up")
    assert "ready" in place.page("/readyz")
    again = daemon.result("QueryTest", {"run_id": "load"})
    assert same(again, result)
    assert again["archived"] == 1
    assert daemon.result("ListResults", {"run_id": "new"})["results"] == [], "nothing remains"
    assert daemon.run({"operations": PASS}, run_id="new")["archived"] == 1
    assert daemon.stop() == 0


def test_an_idle_daemon_tells_it_too(place: Place, hanging: PostgresqlServer) -> None:
    daemon = place.start()
    daemon.run({"operations": PASS}, run_id="a")
    hanging.hang()
    until_archive(daemon, "failing")
    assert daemon.call("QueryTest", {"run_id": "a"})["error"]["data"]["kind"] == "archive.down"


def test_the_first_sigterm_ends_it_and_the_next_daemon_has_all(
    place: Place, hanging: PostgresqlServer
) -> None:
    daemon = place.start()
    run = {"run_id": "load", "operations": OPEN, "distribution": LOAD}
    assert daemon.result("ExecuteTest", run) == "ok"
    hanging.hang()
    result = completed(daemon, "load")
    assert result["archived"] == 0
    daemon.process.terminate()
    assert daemon.process.wait(2 * HANG_GUARD_S) == 0  # nothing has to be drained
    assert "results are not in the archive" in daemon.log
    hanging.go_on()
    again = place.start().result("QueryTest", {"run_id": "load"})
    assert same(again, result)
    assert again["archived"] == 1


def test_the_second_sigterm_waits_for_nothing(place: Place, hanging: PostgresqlServer) -> None:
    daemon = place.start()
    for name in ("one", "two"):
        assert daemon.result("ExecuteTest", {"run_id": name, "operations": HALT}) == "ok"
    hanging.hang()
    daemon.process.terminate()
    daemon.wait_for("stopping")
    daemon.process.terminate()
    assert daemon.process.wait(2 * HANG_GUARD_S) == 1  # the runs would drain for longer


def test_killed_while_it_hangs(place: Place, hanging: PostgresqlServer) -> None:
    """A result that was reported as completed stays completed."""
    daemon = place.start()
    for name, operations in (("passed", WAIT), ("halted", HALT)):
        assert daemon.result("ExecuteTest", {"run_id": name, "operations": operations}) == "ok"
    hanging.hang()
    result = daemon.result("QueryTest", {"run_id": "passed", "wait_s": 60})
    daemon.kill()
    hanging.go_on()
    daemon = place.start()
    assert same(daemon.result("QueryTest", {"run_id": "passed"}), result)
    assert daemon.result("QueryTest", {"run_id": "halted"})["state"] == "lost"


def test_the_server_goes_and_comes_back(place: Place, server: PostgresqlServer) -> None:
    daemon = place.start()
    run = {"run_id": "load", "operations": OPEN, "distribution": LOAD}
    assert daemon.result("ExecuteTest", run) == "ok"
    server.stop()
    result = completed(daemon, "load")
    assert (result["verdict"], result["archived"]) == ("pass", 0)
    server.start()
    until_archive(daemon, "up")
    again = daemon.result("QueryTest", {"run_id": "load"})
    assert same(again, result)
    assert again["archived"] == 1


def test_two_daemons_of_one_name(tmp_path: Path, server: PostgresqlServer) -> None:
    """Neither daemon loses or purges the other's runs; both had the default name."""
    first, second = (Place(tmp_path / name, server) for name in ("one", "two"))
    try:
        one = first.start()
        assert one.result("ExecuteTest", {"run_id": "halted", "operations": HALT}) == "ok"
        finished = one.run({"operations": PASS}, run_id="nightly")
        two = second.start()
        later = two.run({"operations": PASS}, run_id="nightly")
        assert one.result("QueryTest", {"run_id": "nightly"})["result_id"] == finished["result_id"]
        assert two.result("QueryTest", {"run_id": "nightly"})["result_id"] == later["result_id"]
        two.kill()
        second.port = configure(second.folder, _retention(second), port=second.port)
        two = second.start()
        for n in range(3):
            last = two.run({"operations": PASS}, run_id=f"more {n}")
        two.kill()
        two = second.start()  # purges within a second of its start
        until(lambda: not two.result("ListResults", {"run_id": "more 0"})["results"])
        assert two.result("GetResult", {"result_id": last["result_id"]})["verdict"] == "pass"
        assert same(one.result("GetResult", {"result_id": finished["result_id"]}), finished)
        assert one.result("QueryTest", {"run_id": "halted"})["state"] == "running"
        assert one.result("CancelTest", {"run_id": "halted"})["verdict"] == "cancelled"
    finally:
        first.close()
        second.close()


def _retention(place: Place) -> str:
    text = (place.folder / "tsvc.toml").read_text()
    _, _, rest = text.partition("[results]\n")
    return f"[results]\nkeep_runs = 1\n{rest}"
