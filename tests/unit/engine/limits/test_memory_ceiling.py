"""The memory ceiling: where it comes from, and which run is ended when it is reached."""

import subprocess
import sys

import gevent
import pytest
from support.daemons import HANG_GUARD_S, ROOT, Daemon
from support.waiting import idle

from tsvc.engine.limits import memory
from tsvc.engine.limits.memory import (
    allowed_octets,
    ceiling_mib,
    memory_emergency,
)

MIB = 1 << 20
PHYSICAL = 8192 * MIB
UNLIMITED = 9223372036854771712  # the value of cgroup version 1 for "no limit"


@pytest.fixture
def cgroups(monkeypatch, tmp_path):
    """A function that writes /proc/self/cgroup, and limits below /sys/fs/cgroup."""
    pages = PHYSICAL // memory._PAGE_OCTETS
    monkeypatch.setattr(memory.os, "sysconf", lambda name: pages)
    monkeypatch.setattr(memory, "_PROC_CGROUP", tmp_path / "proc")
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path / "sys")

    def write(membership, **limits):
        (tmp_path / "proc").write_text(membership)
        for name, limit in limits.items():
            file = tmp_path / "sys" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{limit}\n")

    return write


@pytest.mark.parametrize(
    ("membership", "limits", "allowed_mib"),
    [
        ("0::/\n", {}, 8192),
        ("0::/\n", {"memory.max": "max"}, 8192),
        ("0::/\n", {"memory.max": 512 * MIB}, 512),
        ("0::/a/b\n", {"a/b/memory.max": 512 * MIB, "a/memory.max": 256 * MIB}, 256),
        ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": 256 * MIB}, 256),
        ("0::/of/the/host\n", {"memory.max": 128 * MIB}, 128),
        ("0::/a\n", {"a/memory.max": 1 << 50}, 8192),
        ("4:memory:/a\n1:cpu:/\n", {"memory/a/memory.limit_in_bytes": 64 * MIB}, 64),
        ("4:cpu,memory:/\n0::/\n", {"memory/memory.limit_in_bytes": UNLIMITED}, 8192),
        ("nonsense\n::\n", {}, 8192),
    ],
)
def test_the_lowest_limit_counts(cgroups, membership, limits, allowed_mib):
    cgroups(membership, **limits)
    assert allowed_octets() == allowed_mib * MIB
    assert ceiling_mib(-1) == allowed_mib * 8 // 10
    assert ceiling_mib(0) == 0
    assert ceiling_mib(77) == 77


def test_without_any_limit_there_is_no_ceiling(cgroups, monkeypatch):
    monkeypatch.setattr(memory.os, "sysconf", lambda name: -1)
    assert allowed_octets() is None
    assert ceiling_mib(-1) == 0


@pytest.mark.parametrize(
    ("occupied_mib", "ceiling", "is_one"),
    [(500, 0, False), (94, 100, False), (95, 100, True), (None, 1, False)],
)
def test_runs_are_ended_from_95_percent(monkeypatch, occupied_mib, ceiling, is_one):
    occupied = None if occupied_mib is None else occupied_mib * MIB
    monkeypatch.setattr(memory, "resident_octets", lambda: occupied)
    assert (memory_emergency(ceiling) is not None) == is_one


# -- the run that is ended -------------------------------------------------------------------

# Long texts: memory grows, but not the work.
LONG_TEXTS = "push @{$v->{a}}, map { uuid() . 'x' x 1000 } 1 .. 10"
GROW = {"type": "eval", "expression": LONG_TEXTS, "label": "more"}
GROWING = [
    GROW,
    {"type": "wait", "arguments": {"seconds": 0.01}},
    {"type": "branch", "expression": "1", "on_true": "more"},
]
QUIET = [{"type": "eval", "expression": "$v->{a} = 'a' x 1000"}, {"type": "pass"}]
WAITING = [{"type": "halt", "arguments": {"seconds": 600}}]


@pytest.fixture
def tsvc(tmp_path):
    service = Daemon(tmp_path)
    yield service
    service.stop()


ALONE = """
from pathlib import Path
import sys
from support.daemons import Daemon
from tsvc.engine.limits.memory import resident_octets
from unit.engine.limits.test_memory_ceiling import GROWING, QUIET, WAITING

tsvc = Daemon(Path(sys.argv[1]))
tsvc.finish(tsvc.execute(*QUIET))  # what the first run loads is not what is measured
small = tsvc.execute(*WAITING, distribution={"type": "load", "total": 50, "backlog": 50})
large = tsvc.execute(*GROWING, distribution={"type": "load", "total": 99, "backlog": 20})
tsvc.service.ceiling_mib = int((resident_octets() >> 20) / 0.95) + 60
result = tsvc.finish(large)
assert result["verdict"] == "abort"
counts = result["counts"]
# On a busy machine there is too little memory before all of the backlog has begun.
assert 0 < counts["aborted"] == counts["started"] == counts["finished"] <= 20, counts
assert "ended to save the service" in result["first_aborts"][0]["reason"]
assert "engine.max_memory_mib" in result["first_aborts"][0]["reason"]
assert result["leaks"] == []
going_on = tsvc.call("QueryTest", run_id=small)
assert (going_on["completed"], going_on["counts"]["in_progress"]) == (0, 50)
assert tsvc.call("DescribeService")["memory"]["runs_ended"] == 1
tsvc.stop()
"""


def test_the_largest_run_goes_and_the_others_stay(tmp_path):
    """It runs in its own process: this one has free memory, which would be used up first."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        timeout=2 * HANG_GUARD_S,
    )
    assert done.returncode == 0, done.stderr


def test_results_that_nobody_read_go_before_any_run(tsvc):
    unread = tsvc.execute({"type": "pass"})
    assert tsvc.service.runs[unread].wait(60)
    running = tsvc.execute(*WAITING)
    tsvc.service.memory.stop()
    freed = []

    def ceiling():
        # The memory is short until the unread result is removed.
        freed.append(unread not in tsvc.service.runs)
        return 0 if freed[-1] else 1

    tsvc.service.memory._ceiling = ceiling
    assert tsvc.service.memory.look() is None
    assert freed == [False, True]
    assert tsvc.service.runs.keys() == {running}
    assert tsvc.call("QueryTest", run_id=unread)["verdict"] == "pass"


def test_a_start_that_would_be_refused_makes_room_first(tsvc):
    unread = tsvc.execute({"type": "pass"})
    assert tsvc.service.runs[unread].wait(60)
    tsvc.service.memory.stop()
    tsvc.service.memory._ceiling = lambda: int(unread in tsvc.service.runs)
    running = tsvc.execute(*WAITING)
    assert tsvc.service.runs.keys() == {running}
    assert tsvc.call("QueryTest", run_id=unread)["verdict"] == "pass"


def test_room_is_made_once_in_a_while_at_most(tsvc, monkeypatch):
    monkeypatch.setattr("tsvc.engine.limits.memory._RELIEF_EVERY_S", 600.0)  # however busy we are
    tsvc.service.memory.stop()
    tsvc.service.ceiling_mib = 1
    given_back = []
    monkeypatch.setattr(tsvc.service.memory, "_give_back", lambda: given_back.append(1))
    for number in range(3):
        assert "error" in tsvc.ask("ExecuteTest", run_id=f"r{number}", operations=WAITING)
    assert len(given_back) == 1


def test_a_watch_with_nothing_to_end_ends_nothing(tsvc):
    tsvc.service.ceiling_mib = 1
    assert tsvc.service.memory.look() is None
    refused = tsvc.ask("ExecuteTest", run_id="r", operations=WAITING)["error"]
    assert (refused["code"], refused["data"]["kind"]) == (2003, "overload")
    assert refused["data"]["limit"] == "engine.max_memory_mib"


def test_an_instance_that_does_not_end_is_cut_off(tsvc, monkeypatch):
    """An operation that hides the abort still ends: the run is cancelled after the grace."""
    monkeypatch.setattr("tsvc.engine.limits.memory._GRACE_S", 0.1)

    def deaf(seconds):
        while True:
            try:
                gevent.sleep(60)
            except Exception:  # noqa: BLE001 - that is the point
                continue

    monkeypatch.setattr("tsvc.engine.instance.Instance.sleep", lambda self, seconds: deaf(seconds))
    run_id = tsvc.execute({"type": "wait", "arguments": {"seconds": 600}})
    idle()
    tsvc.service.ceiling_mib = 1
    ended = tsvc.service.memory.look()
    assert ended.run_id == run_id
    assert ended.completed.is_set()
    assert ended.verdict == "cancelled"


def test_the_next_run_goes_only_when_the_memory_of_the_last_could_be_free(tsvc, monkeypatch):
    tsvc.service.memory.stop()
    monkeypatch.setattr("tsvc.engine.limits.memory._SETTLE_S", 600.0)  # however busy we are
    # The archive does not have them yet.
    monkeypatch.setattr(tsvc.service.memory._runs, "forget_completed", lambda: 0)
    for _ in range(2):
        tsvc.execute(*WAITING)
    tsvc.service.ceiling_mib = 1
    assert tsvc.service.memory.look() is not None
    assert tsvc.service.memory.look() is None
    monkeypatch.undo()
    assert tsvc.service.memory.look() is not None


def test_a_run_that_ends_while_it_is_weighed_is_left_alone(tsvc, monkeypatch):
    tsvc.service.memory.stop()
    run_id = tsvc.execute(*WAITING)

    def weigh_slowly(run):
        run.cancel(60)
        return 1

    monkeypatch.setattr("tsvc.engine.limits.memory.held_octets", weigh_slowly)
    tsvc.service.ceiling_mib = 1
    assert tsvc.service.memory.look() is None
    assert tsvc.service.memory.ended == 0
    result = tsvc.finish(run_id)
    assert (result["completed"], result["verdict"]) == (1, "cancelled")
