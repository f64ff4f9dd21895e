"""Live states: one poller per topic, snapshots for late viewers, nothing invented."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gui.browsers import Browser, GuiProcess, daemon_options, gui
from gui.relay import Relay
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, launch, prepare
from support.ports import free_port
from support.waiting import until

from tsvc.cli.embedded import clean_environment
from tsvc.gui import viewer as viewer_module
from tsvc.gui.feed import MOST_VIEWERS
from tsvc.gui.viewer import MOST_EVENTS, Key, Viewer

pytestmark = pytest.mark.e2e

LAB = {"daemon": "lab"}
PASS = [{"type": "pass"}]
# The first instance halts: the run is in progress until let_go().
HELD = [
    {"type": "branch", "expression": "$r->{idx} > 0", "on_true": "end"},
    {"type": "halt", "arguments": {"seconds": 600}},
    {"type": "pass", "label": "end"},
]
HEAVY = {"first_call_summary", "first_fails", "first_aborts", "failures", "slowest", "globals"}


@pytest.fixture(scope="module")
def relay(tester: DaemonProcess) -> Iterator[Relay]:
    made = Relay(tester.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, assets: Path, tester: DaemonProcess, relay: Relay
) -> Iterator[GuiProcess]:
    ports = {"lab": relay.port, "direct": tester.port}
    with gui(tmp_path_factory.mktemp("gui"), assets, *daemon_options(ports)) as made:
        yield made


@pytest.fixture(scope="module")
def anna(shown: GuiProcess) -> Browser:
    return shown.enter()


def start(browser: Browser, run_id: str, seconds: int, cps: int = 20, **more: Any) -> None:
    linear = {"type": "linear", "total": seconds * cps, "cps": cps, "backlog": 50}
    params = {"run_id": run_id, "operations": PASS, "distribution": linear, **more}
    assert browser.result("direct", "ExecuteTest", **params) == "ok"


def let_go(browser: Browser, run_id: str) -> None:
    """Resume the halted instance of a run."""
    query = {"run_id": run_id, "collect": 0}
    until(lambda: browser.result("direct", "QueryTest", **query)["halted"])
    assert browser.result("direct", "ResumeInstance", run_id=run_id, instance_id="0")


def run_of(run_id: str) -> dict[str, str]:
    return {"daemon": "lab", "run": run_id}


class TestDaemons:
    def test_service_and_runs(self, anna: Browser) -> None:
        start(anna, "seen", 3, name="a name")
        with anna.feed() as stream:
            assert stream.look(LAB).status == 200
            first = stream.wait(LAB, up=True)
            assert abs(first["at"] - time.time()) < HANG_GUARD_S
            assert first["service"]["gateways"][0]["state"] == "up"
            assert [t["name"] for t in first["tests"] if t["run_id"] == "seen"] == ["a name"]

            def is_over() -> bool:
                tests = {one["run_id"]: one for one in stream.of(LAB)[-1]["tests"]}
                return bool(tests["seen"]["completed"])

            until(is_over)
            assert len({one["at"] for one in stream.of(LAB)}) == len(stream.of(LAB))

    def test_one_poller_for_all(self, anna: Browser, relay: Relay) -> None:
        """Twenty viewers of a daemon and of a run: the daemon is asked once a second in all."""
        until(lambda: relay.is_quiet(2.0))
        start(anna, "for all", 10, operations=HELD)
        before = len(relay.requests)
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(anna.feed()) for _ in range(20)]
            begun = time.monotonic()
            for stream in streams:
                stream.look(LAB, run_of("for all"))
            for stream in streams:
                for topic in (LAB, run_of("for all")):
                    until(lambda one=stream, its=topic: len(one.of(its)) >= 4)
            asked = [one["method"] for one in relay.requests[before:]]
            took_s = time.monotonic() - begun
        let_go(anna, "for all")
        for method in ("QueryAllTests", "QueryTest"):
            assert asked.count(method) <= took_s + 2
        assert asked.count("DescribeService") <= took_s / 5 + 2
        assert len(asked) == sum(
            map(asked.count, ("QueryAllTests", "QueryTest", "DescribeService"))
        )

    def test_no_calls_without_viewers(self, anna: Browser, relay: Relay) -> None:
        with anna.feed() as stream, anna.feed() as other:
            stream.look(LAB)
            other.look(LAB)
            stream.wait(LAB, up=True)
            # One viewer stops looking, one disconnects.
            stream.look()
        with anna.feed():  # a viewer without topics
            opened_at = time.monotonic()
            # A poller would send a request each second.
            until(lambda: relay.is_quiet(3.0) and time.monotonic() - opened_at > 3.0)

    def test_a_daemon_that_hangs_keeps_no_other(self, anna: Browser, relay: Relay) -> None:
        direct = {"daemon": "direct"}
        with anna.feed() as stream:
            stream.look(LAB, direct)
            stream.wait(LAB, up=True)
            relay.passes.clear()
            try:
                hung_at = len(stream.of(direct))
                down = stream.wait(LAB, up=False)
                assert "no answer within 5 s" in down["problem"]
                assert down["since"] <= down["at"] - 4
                until(lambda: len(stream.of(direct)) - hung_at >= 4)
            finally:
                relay.passes.set()
            until(lambda: stream.of(LAB)[-1]["up"])


class TestRuns:
    def test_all_of_a_run(self, anna: Browser) -> None:
        """The sum of the feed equals the result of QueryTest, and nothing was collected."""
        topic = run_of("added up")
        start(anna, "added up", 4, operations=HELD)
        with anna.feed() as stream:
            stream.look(topic)
            until(lambda: len(stream.of(topic)) >= 3)
            let_go(anna, "added up")
            last = stream.wait(topic, over=True)
            states = stream.of(topic)
        assert states[-1] is last
        assert [one["full"] for one in states[:1]] == [True]
        assert not all(one["full"] for one in states)
        whole = anna.result("direct", "QueryTest", run_id="added up", collect=0)
        buckets: dict[float, Any] = {}
        for one in states:
            if one["full"]:
                buckets = {}
            buckets.update({bucket["t"]: bucket for bucket in one["run"]["buckets"]})
        assert list(buckets.values()) == whole["buckets"]
        for name in ("counts", "rate", "verdict", "state", "time_start", "latency"):
            assert last["run"][name] == whole[name]
        assert not last["run"].keys() & HEAVY
        # If it is not full: the last known bucket, which was incomplete, and those after it.
        known = 0.0
        for one in states:
            assert one["full"] or one["run"]["buckets"][0]["t"] == known
            known = one["run"]["buckets"][-1]["t"]
        listed = anna.result("direct", "QueryAllTests")["tests"]
        assert "added up" in [one["run_id"] for one in listed]
        # The client that started the run collects it.
        assert anna.result("direct", "QueryTest", run_id="added up")["completed"] == 1

    def test_a_run_of_the_command_line(
        self, anna: Browser, tester: DaemonProcess, tmp_path: Path
    ) -> None:
        """A viewer does not collect the run: this is left to the client that started it."""
        (tmp_path / "watched.json").write_text(json.dumps({"operations": HELD}))
        command = [sys.executable, "-m", "tsvc.cli.main", "run", str(tmp_path / "watched.json")]
        process = subprocess.Popen(
            [*command, "--cps", "10", "--total", "40", "--quiet"],
            cwd=ROOT,
            env={**clean_environment(), "TSVC_PORT": str(tester.port)},
            stdout=subprocess.PIPE,
            text=True,
        )
        with anna.feed() as stream:
            stream.look(LAB)

            def seen() -> list[str]:
                tests = [one for state in stream.of(LAB) for one in state["tests"]]
                return [one["run_id"] for one in tests if one["run_id"].startswith("watched-")]

            topic = run_of(until(seen)[0])
            stream.look(topic)
            until(lambda: stream.of(topic))
            let_go(anna, topic["run"])
            last = stream.wait(topic, over=True)
            said, _ = process.communicate(timeout=HANG_GUARD_S)
        assert process.returncode == 0
        assert "40 of 40 passed" in said
        assert last["run"]["counts"]["passed"] == 40

    def test_it_is_over_once(self, anna: Browser, relay: Relay) -> None:
        topic = run_of("over")
        start(anna, "over", 1)
        with anna.feed() as stream:
            stream.look(topic)
            stream.wait(topic, over=True)
            until(lambda: relay.is_quiet(1.5))
            assert len([one for one in stream.of(topic) if one.get("over")]) == 1

    def test_who_comes_late_sees_all(self, anna: Browser) -> None:
        topic = run_of("late")
        start(anna, "late", 5, operations=HELD)
        with anna.feed() as first:
            first.look(topic)
            until(lambda: len(first.of(topic)) >= 3)
            with anna.feed() as second:
                second.look(topic)
                state = until(lambda: second.of(topic))[0]
                assert state["full"] is True
                assert state["run"]["buckets"][0]["t"] == 0
                assert state["at"] in [one["at"] for one in first.of(topic)]
        let_go(anna, "late")

    def test_a_run_that_is_not_known(self, anna: Browser) -> None:
        topic = run_of("not yet")
        with anna.feed() as stream:
            stream.look(topic)
            state = stream.wait(topic, lost=True)
            assert state["up"] is True
            assert "not known" in state["problem"]
            assert "run" not in state
            # The run may begin at any moment.
            start(anna, "not yet", 1)
            stream.wait(topic, full=True)

    def test_a_name_that_is_taken_again(self, anna: Browser) -> None:
        topic = run_of("again")
        with anna.feed() as stream:
            stream.look(topic)
            for _ in range(2):
                start(anna, "again", 1)
                anna.result("direct", "QueryTest", run_id="again", wait_s=60)
                stream.wait(topic, over=True)
                before = stream.of(topic)[-1]["run"]["time_start"]
                stream.look()
                stream.states.clear()
                stream.look(topic)
            until(lambda: any(one.get("over") for one in stream.of(topic)))
            assert stream.of(topic)[-1]["run"]["time_start"] >= before

    def test_a_daemon_that_dies(self, tmp_path: Path, assets: Path) -> None:
        port = free_port()
        prepare(tmp_path / "daemon", port=port)
        daemon = launch(tmp_path / "daemon", port)
        try:
            options = daemon_options({"lab": port})
            with gui(tmp_path / "gui", assets, *options) as made:
                browser = made.enter()
                linear = {"type": "linear", "total": 6000, "cps": 10, "backlog": 50}
                run = {"run_id": "dies", "operations": PASS, "distribution": linear}
                assert browser.result("lab", "ExecuteTest", **run) == "ok"
                topic = run_of("dies")
                with browser.feed() as stream:
                    stream.look(LAB, topic)
                    until(lambda: len(stream.of(topic)) >= 3)
                    daemon.kill()
                    down = stream.wait(topic, up=False)
                    stream.wait(LAB, up=False)
                    assert down.keys() == {"topic", "at", "up", "since", "problem"}
                    answered = [one for one in stream.of(topic) if one["up"]]
                    assert answered[-2]["at"] < down["since"] <= answered[-1]["at"]
                    assert "connection refused" in down["problem"]
                    # Each second, until the daemon is there.
                    until(lambda: len([o for o in stream.of(topic) if not o["up"]]) >= 3)
                    assert stream.of(topic)[-1]["since"] == down["since"]
                    told = len(stream.states)
                    daemon = launch(tmp_path / "daemon", port)
                    until(lambda: any(one["up"] for one in stream.states[told:]))
                    until(lambda: stream.of(LAB)[-1]["up"])
                    back = until(
                        lambda: [
                            o for o in stream.states[told:] if o["up"] and o["topic"] == topic
                        ]
                    )[0]
                    # The archive knows that the run was lost with the daemon.
                    assert (back["lost"], back["over"], back["full"]) == (True, True, True)
                    assert back["run"]["state"] == "lost"
        finally:
            daemon.kill()


class TestViewers:
    def test_a_lost_stream_goes_on(self, anna: Browser) -> None:
        start(anna, "goes on", 6, operations=HELD)
        topic = run_of("goes on")
        with anna.feed() as stream:
            stream.look(topic)
            until(lambda: len(stream.of(topic)) >= 2)
        with anna.feed(stream.last_id) as again:
            assert again.viewer == stream.viewer
            state = until(lambda: again.of(topic))[0]
            assert state["full"] is True
            assert state["run"]["buckets"][0]["t"] == 0
        let_go(anna, "goes on")

    def test_before_anybody_has_seen_that_it_is_lost(self, anna: Browser) -> None:
        start(anna, "twice", 6, operations=HELD)
        topic = run_of("twice")
        with anna.feed() as stream:
            stream.look(topic)
            until(lambda: len(stream.of(topic)) >= 2)
            with anna.feed(stream.last_id) as again:
                assert again.viewer == stream.viewer
                until(lambda: again.of(topic))
                until(lambda: stream.is_over)
        let_go(anna, "twice")

    @pytest.mark.parametrize("last_event_id", ["", "x", "-", "a-1", "é-1", "-" * 5000])
    def test_an_id_of_no_stream(self, anna: Browser, last_event_id: str) -> None:
        value = last_event_id.encode().decode("latin-1")
        with anna.feed(value) as stream:
            assert len(stream.viewer) == 24

    def test_nobody_elses_stream(self, shown: GuiProcess, anna: Browser) -> None:
        other = shown.enter()
        with anna.feed() as stream:
            stream.look(LAB)
            mine = {"viewer": stream.viewer, "topics": []}
            assert other.post("/api/feed", mine).status == 404
            with other.feed(stream.last_id) as taken:
                assert taken.viewer != stream.viewer
            stream.wait(LAB, up=True)
            assert not stream.is_over

    @pytest.mark.parametrize(
        ("topics", "status"),
        [
            ([{"daemon": "other"}], 404),
            ([{}], 404),
            ([7], 400),
            ([{"daemon": "lab", "run": 7}], 400),
            ("lab", 400),
            ([LAB] * 101, 400),
            ([LAB, LAB], 200),
        ],
    )
    def test_what_is_no_topic(self, anna: Browser, topics: Any, status: int) -> None:
        with anna.feed() as stream:
            given = {"viewer": stream.viewer, "topics": topics}
            assert anna.post("/api/feed", given).status == status
            assert anna.post("/api/feed", {**given, "viewer": "x"}).status in (status, 404)

    def test_no_more_than_so_many(self, tmp_path: Path, assets: Path) -> None:
        with gui(tmp_path, assets) as made, contextlib.ExitStack() as stack:
            browser = made.enter()
            for _ in range(MOST_VIEWERS):
                connection = stack.enter_context(contextlib.closing(browser.connect()))
                connection.request("GET", "/api/feed", None, browser.headers())
                assert connection.getresponse().status == 200
            found = browser.get("/api/feed")
            assert (found.status, bool(found.problem)) == (503, True)
            assert browser.get("/api/session").status == 200

    def test_one_who_does_not_read(self, shown: GuiProcess, anna: Browser) -> None:
        """Nobody waits for a viewer that does not read; later it reads the current state."""
        for number in range(200):
            params = {"run_id": f"held {number}", "operations": PASS, "name": "x" * 256}
            assert anna.result("direct", "ExecuteTest", **params) == "ok"
        host, _, port = shown.host.partition(":")
        with contextlib.closing(socket.socket()) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            sock.connect((host, int(port)))
            head = "".join(f"{name}: {value}\r\n" for name, value in anna.headers().items())
            sock.sendall(f"GET /api/feed HTTP/1.0\r\nHost: {shown.host}\r\n{head}\r\n".encode())
            stream = sock.makefile("rb")
            name = until(lambda: re.findall(rb'"viewer":"(\w+)"', stream.readline()))[0].decode()
            anna.post("/api/feed", {"viewer": name, "topics": [LAB]})
            with anna.feed() as other:
                other.look(LAB)
                until(lambda: len(other.of(LAB)) >= 20)
                told = [one["at"] for one in other.of(LAB)]
            moments: list[float] = []
            while not moments or moments[-1] <= told[-1]:
                if line := re.match(rb"data: (.*)", stream.readline()):
                    moments.append(json.loads(line[1])["at"])
        gaps = [late - early for early, late in pairwise(moments)]
        assert max(gaps) >= 5, moments
        assert set(told) - set(moments), "the other one was told of what he missed"
        for number in range(200):
            anna.result("direct", "QueryTest", run_id=f"held {number}", wait_s=60)


class Told:
    """A topic whose state is a number."""

    key: Key = ("lab", None)

    def __init__(self) -> None:
        self.number = 0

    def snapshot(self) -> bytes:
        return b'"all up to %d"' % self.number

    def tell(self, viewer: Viewer) -> None:
        self.number += 1
        viewer.put(self, b"%d" % self.number)


class TestQueue:
    def test_one_who_is_slow_gets_a_snapshot(self) -> None:
        viewer, topic = Viewer("v", "owner", lambda: True), Told()
        stream = viewer.stream()
        assert b"event: hello" in next(stream)
        viewer.look_at({topic.key: topic})
        assert b"all up to 0" in next(stream)
        for _ in range(MOST_EVENTS):
            topic.tell(viewer)
        assert [_data(next(stream)) for _ in range(2)] == [1, 2]
        for _ in range(10):
            topic.tell(viewer)
        # The waiting states are no longer reported.
        assert _data(next(stream)) == "all up to 18"
        topic.tell(viewer)
        assert _data(next(stream)) == 19

    def test_ids_count(self) -> None:
        viewer, topic = Viewer("v", "owner", lambda: True), Told()
        stream = viewer.stream()
        viewer.look_at({topic.key: topic})
        heads = [next(stream).splitlines()[0] for _ in range(2)]
        assert heads == [b"id: v-1", b"id: v-2"]

    def test_a_ping_when_there_is_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert viewer_module.PING_S == 15
        monkeypatch.setattr(viewer_module, "PING_S", 0.01)
        stream = Viewer("v", "owner", lambda: True).stream()
        next(stream)
        assert [next(stream), next(stream)] == [b": ping\n\n"] * 2

    def test_nothing_of_what_is_looked_at_no_more(self) -> None:
        viewer, topic = Viewer("v", "owner", lambda: True), Told()
        stream = viewer.stream()
        next(stream)
        topic.tell(viewer)
        viewer.end()
        assert list(stream) == []


def _data(event: bytes) -> Any:
    return json.loads(event.split(b"\ndata: ")[1])


def test_many_at_once(shown: GuiProcess, anna: Browser) -> None:
    """Viewers that connect and disconnect all the time leave nothing behind."""

    def come_and_go() -> None:
        for _ in range(5):
            with anna.feed() as stream:
                stream.look(LAB)
                stream.wait(LAB, up=True)

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for one in threads:
        one.start()
    until(lambda: not any(one.is_alive() for one in threads), 4 * HANG_GUARD_S)
    assert "Traceback" not in shown.out
