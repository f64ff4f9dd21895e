"""Tests wait for the event, by support/waiting.py; remaining sleeps are listed here with a reason.

A pause is right if the pause itself is tested: a peer that is slow, a time that has to pass. For a
silence that has to last there is stays(), for a peer that never comes back hang().
"""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TypeGuard

from house.source import ROOT, parsed

TESTS = ROOT / "tests"
# Peers that are slow on purpose, processes separate from pytest, and measurements.
APART = ("bench/", "soak/", "fuzz/", "mutate/", "kinds/*/soak*.py", "support/waiting.py")

SLEEPS = ("time.sleep", "gevent.sleep")

UNTOLD = "it is on its way to where it waits, and nothing tells when it is there"
SLOW = "who works takes that long"
AT_WILL = "the next step comes at any moment of the work: now early, now late"
LASTS = "the time that has to pass is what is tested"
SWITCH = "a turn of the loop, with its timers"

# file::function, and the number of sleeps if more than one.
ALLOWED = {
    "gui/bars_viewers.py::_round ×2": "a round of a benchmark",
    "gui/test_running.py::sleep": "a machine that sleeps, for so long",
    "slices/beside.py::beside": "who sends has to be imported",
    "slices/beside.py::measured": "a good client asks now and then",
    "cluster_link/test_lost.py::beat": "a worker sends a heartbeat now and then",
    "cluster_link/test_lost.py::is_kept": LASTS,
    "cluster_link/test_lost.py::test_nobody_is_lost_because_the_coordinator_stood_still": (
        "it holds the loop up"
    ),
    "e2e/gateway_contract/test_contract.py::test_a_peer_that_never_says_anything": AT_WILL,
    "e2e/gateway_contract/test_contract.py::test_kill_after_a_failed_start": AT_WILL,
    "e2e/gateway_contract/test_contract.py::test_stop_while_connecting": AT_WILL,
    "e2e/test_archive_crash.py::test_killed_at_random_moments": AT_WILL,
    "e2e/test_archive_trouble.py::terminate_twice": AT_WILL,
    "e2e/test_archive_trouble.py::test_nothing_completed_is_lost ×2": AT_WILL,
    "e2e/cluster/test_loss.py::test_half_a_second_of_standing_still_loses_nothing": (
        "a worker stands still so long"
    ),
    "e2e/test_agents_cuts.py::play": LASTS,
    "e2e/test_cluster_ten.py::squeeze ×2": "a worker has a tenth of the time",
    "e2e/test_hostile_connections.py::test_slow_writers": "the writers are slow",
    "e2e/test_hostile_frames.py::trickle": "the octets trickle",
    "e2e/test_load_counts.py::test_counts_add_up ×2": AT_WILL,
    "e2e/test_load_pace.py::test_a_new_rate_from_now_on": "starts in a known time are counted",
    "e2e/test_load_pace.py::test_a_pause_moves_the_rest_and_makes_nothing_late": LASTS,
    "e2e/test_load_pace.py::test_stages_from_now_on": LASTS,
    "e2e/test_load_schedules.py::stop ×2": LASTS,
    "e2e/test_load_stamps.py::pause": LASTS,
    "kinds/sigtran/test_honest.py::test_the_wait_belongs_to_what_came": LASTS,
    "kinds/pi/test_trouble.py::handle": "the server writes in two pieces",
    "kinds/pi/test_trouble.py::test_line_ends_after_an_answer_are_nobodys": AT_WILL,
    "e2e/test_sharing.py::test_beside_a_load": "the rate at which CancelTests are asked for",
    "e2e/test_sharing.py::waiters": "a rate of connections that one client may have",
    "kinds/rest/unsteady.py::pause": SWITCH,
    "kinds/smpp/peer.py::_keep_bound": "an ESME waits before it connects again",
    "slices/search.py::_look_at": AT_WILL,
    "unit/archive/test_worker.py::stand_still ×2": "it holds the loop up",
    "unit/engine/limits/test_memory_ceiling.py::deaf": "it never ends by itself",
    "unit/engine/limits/test_service_clients.py::answer": SWITCH,
    "unit/engine/load/test_instance_pool.py::ways_to_wait": SWITCH,
    "unit/engine/test_collecting.py::test_a_run_that_completes_while_it_is_read_is_not_lost": (
        AT_WILL
    ),
    "unit/engine/test_collecting.py::test_details_are_read_while_instances_fail": AT_WILL,
    "unit/engine/test_collecting.py::test_hold_s": LASTS,
    "unit/engine/test_give_way.py::test_a_timer_is_served_while_others_work ×2": SWITCH,
    "unit/engine/test_give_way.py::test_who_is_killed_while_it_gives_way_leaves_no_watcher_behind"
    " ×2": SWITCH,
    "unit/engine/test_hostile.py::test_extreme_rates_are_planned_in_no_time": LASTS,
    "unit/engine/test_rate.py::stalled": "it holds the loop up",
    "unit/engine/test_rate.py::test_a_pause_is_no_part_of_the_time": LASTS,
    "unit/engine/test_service_stop.py::stop": "between two looks",
    "unit/engine/test_warm_up.py::test_a_pause_over_its_end": LASTS,
    "unit/server/test_loop_watch.py::test_a_loop_that_is_held_up_is_seen": "it holds the loop up",
    "unit/server/test_loop_watch.py::test_the_watchdog_is_fed_by_the_loop_only ×2": (
        "it holds the loop up"
    ),
    "unit/transport/test_driver.py::test_others_have_their_turn": SWITCH,
    "unit/transport/test_mailbox.py::ask": "it holds the loop up",
    "unit/transport/test_mailbox.py::send_and_stall": "it holds the loop up",
    "unit/transport/test_mailbox.py::stall": "it holds the loop up",
    "unit/transport/test_pool.py::work": SLOW,
    "unit/transport/test_threads.py::stall": "it holds the loop up",
}


def is_sleep(node: ast.AST) -> TypeGuard[ast.Call]:
    called = node.func if isinstance(node, ast.Call) else None
    is_named = isinstance(called, ast.Attribute) and called.attr == "sleep"
    return is_named and ast.unparse(called) in SLEEPS


def sleeping(node: ast.AST, function: str = "") -> Iterator[str]:
    """Yield the function of each time.sleep() and gevent.sleep() that is longer than a switch."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from sleeping(child, child.name)
            continue
        if is_sleep(child) and child.args and ast.unparse(child.args[0]) not in ("0", "0.0"):
            yield function
        yield from sleeping(child, function)


def found() -> list[str]:
    """Return every function that sleeps, in the form of ALLOWED."""
    counts: Counter[str] = Counter()
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS)
        if not any(name.match(f"{one}*") or str(name).startswith(one) for one in APART):
            tree = parsed(path) if ".sleep(" in path.read_text("utf-8") else ast.Module([], [])
            counts.update(f"{name}::{one}" for one in sleeping(tree))
    return sorted(name if often == 1 else f"{name} ×{often}" for name, often in counts.items())


def test_what_sleeps_has_its_reason() -> None:
    assert found() == sorted(ALLOWED)
