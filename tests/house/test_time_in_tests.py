"""No test fails because time is short: it waits for events, with guards of a minute, and compares
no measured time. Exceptions are listed here with their reason; pauses are in test_sleeps.py."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator

from house.source import ROOT, parsed

TESTS = ROOT / "tests"
# Measurements, and programs that run for a given time.
APART = ("bench/", "soak/", "fuzz/", "slices/", "support/waiting.py")
SHORTEST_S = 5.0

CLOCKS = {
    *("time.monotonic", "time.perf_counter", "time.time", "time.process_time", "time.thread_time"),
    *("monotonic", "perf_counter", "process_time", "thread_time_ns", "time.time_ns"),
    *("time.monotonic_ns", "SYSTEM_CLOCK.now", "SYSTEM_CLOCK.wall"),
}
# Texts of files in which a check may find something: parsing all files takes seconds.
CLOCK_WORDS = re.compile(r"import time|from time|SYSTEM_CLOCK")
WAIT_WORDS = re.compile(
    r"(?:Timeout|settimeout|join|wait|select|poll)\(\s*[\d.]|(?:timeout|guard_s)\s*=\s*[\d.]"
)
WAITS = ("Timeout", "settimeout", "join", "wait", "get", "select", "poll")

RUNS_OUT = "it is to run out, and nothing else can end the wait"
POLLS = "it asks again until it is stopped"
ALLOWED_SHORT: dict[str, str] = {
    "e2e/hostile_peers.py::deaf": POLLS,
    "e2e/hostile_peers.py::trickle": POLLS,
    "e2e/test_archive_trouble.py::_run": POLLS,
    "e2e/test_archive_trouble.py::_work": POLLS,
    "e2e/test_sharing.py::run": POLLS,
    "support/ports.py::listens": "this machine itself, asked again",
    "unit/archive/test_archive.py::test_a_run_nobody_waits_for_any_more_is_taken_out": RUNS_OUT,
    "unit/engine/load/test_instance_pool.py::ways_to_wait ×2": RUNS_OUT,
    "unit/engine/test_local.py::test_a_rate_a_pause_and_a_change_hold": (
        "the operation of the definition, not a wait of the test"
    ),
    "unit/engine/test_local.py::test_one_that_fails_in_the_middle_had_its_waits": (
        "the operation of the definition, not a wait of the test"
    ),
    "unit/server/test_connection.py::test_eviction_in_the_same_turn_as_the_timeout": RUNS_OUT,
    "unit/server/test_dispatch.py::call": RUNS_OUT,
    "unit/test_deadline.py::test_another_timeout_passes_through": RUNS_OUT,
    "unit/transport/test_http_client.py::test_a_timeout_of_somebody_else_is_not_ours": RUNS_OUT,
    "unit/transport/test_http_client.py::test_the_deadline_is_for_the_whole_response": RUNS_OUT,
}
# Bounds that only grow on a slow machine: they are computed from the measured time.
GROWS = "the bound is made of the measured time itself"
LEAST = "a least time: a slow machine only adds to it"
ALLOWED_COMPARED: dict[str, str] = {
    "cluster_link/test_lost.py::test_what_an_idle_worker_sends": GROWS,
    "e2e/test_agents.py::test_a_coordinator_that_is_killed ×2": GROWS,
    "e2e/test_archive_crash.py::test_counts_of_a_lost_run_are_those_of_its_last_snapshot": GROWS,
    "e2e/test_archive_crash.py::test_killed_at_random_moments": GROWS,
    "e2e/test_archive_postgresql.py::test_hanging_and_going_on": (
        "twenty refusals at once beside one deadline each"
    ),
    "e2e/cluster/test_one_run.py::test_a_start_that_has_passed_is_now ×2": LEAST,
    "e2e/cluster/test_one_run.py::test_start_at_is_one_moment_of_all": "the moment of the plan",
    "e2e/test_descriptors.py::test_64_descriptors_and_256_places": GROWS,
    "e2e/test_load_limits.py::test_the_tester_itself ×2": "beside what the system counts",
    "e2e/test_load_pace.py::test_a_pause_moves_the_rest_and_makes_nothing_late": GROWS,
    "e2e/test_load_segments.py::play ×2": "the plan's moment, not the start's",
    "e2e/test_service_init.py::test_stop_drains": LEAST,
    "e2e/test_watching.py::test_an_archive_of_before_is_searched": LEAST,
    "gui/test_feed.py::test_one_poller_for_all ×2": GROWS,
    "gui/test_git.py::test_a_hook_that_hangs": "beside a hook of 600 s",
    "kinds/diameter/test_gateway.py::test_a_peer_that_closes_at_once_is_left_alone_longer_and"
    "_longer": LEAST,
    "kinds/diameter/test_gateway.py::test_a_peer_that_refuses_us_is_left_alone_longer_and"
    "_longer": LEAST,
    "kinds/sigtran/test_end_of_instance.py::test_lingering_is_no_part_of_the_duration": GROWS,
    "unit/cluster/test_clock.py::test_the_clock_is_the_coordinators": "two readings, in order",
}


def is_clock(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in CLOCKS


def is_measured(node: ast.AST, names: set[str]) -> bool:
    """Return True if an expression reads a clock, or a name with a value read from a clock."""
    return any(
        is_clock(one) or (isinstance(one, ast.Name) and one.id in names) for one in ast.walk(node)
    )


def compared_times(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the name of a function for each of its assertions that compares a measured time.

    A comparison with a hang guard does not count: it ends what would hang.
    """
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is not None and is_measured(node.value, names):
                names |= {
                    one.id
                    for each in targets
                    for one in ast.walk(each)
                    if isinstance(one, ast.Name)
                }
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and is_measured(node.test, names):
            compares = [one for one in ast.walk(node.test) if isinstance(one, ast.Compare)]
            text = ast.unparse(node.test)
            if compares and "GUARD_S" not in text and "deadline" not in text:
                yield function.name


def short_waits(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the name of a function for each wait in it that ends before SHORTEST_S."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).split(".")[-1]
        given = [one.value for one in node.keywords if one.arg in ("timeout", "guard_s")]
        if name in WAITS and name != "get":
            given += node.args[:1]
        for value in given:
            seconds = value.value if isinstance(value, ast.Constant) else None
            if isinstance(seconds, int | float) and 0 < seconds < SHORTEST_S:
                yield function.name


def found(look: Callable[[ast.FunctionDef], Iterator[str]], words: re.Pattern[str]) -> list[str]:
    """Return every function that a check finds, in files with a word, as in the tables."""
    counts: Counter[str] = Counter()
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS).as_posix()
        if name.startswith(APART) or path.name.startswith("soak"):
            continue
        if not words.search(path.read_text("utf-8")):
            continue
        functions = [one for one in ast.walk(parsed(path)) if isinstance(one, ast.FunctionDef)]
        inner = {id(one) for each in functions for one in ast.walk(each) if one is not each}
        for function in functions:
            if id(function) not in inner:
                counts.update(f"{name}::{one}" for one in look(function))
    return sorted(name if often == 1 else f"{name} ×{often}" for name, often in counts.items())


def test_no_measured_time_is_compared() -> None:
    assert found(compared_times, CLOCK_WORDS) == sorted(ALLOWED_COMPARED)


def test_no_wait_is_short() -> None:
    assert found(short_waits, WAIT_WORDS) == sorted(ALLOWED_SHORT)
