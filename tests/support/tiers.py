"""Selects the tests of a command, orders them, and prints a summary at the end.

`make test` runs no test that is marked `slow`, and a sample of the others. Of a parametrized
function it runs CASES cases, or as many as `@pytest.mark.sampled(n)` says. Files in FILES, which
start many processes, have their own sample instead. `make test-full` runs all of them. A seed
chooses the sample. The seed is printed, and after each failure the command that repeats it. `make
test-order` shuffles the files, and the tests of each file, by the same seed.

Pytest alone, without the environment that the Makefile sets, runs every requested case.
"""

import os
import random
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache
from itertools import groupby
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import pytest

SEED = os.environ.get("TSVC_SEED", "")
SAMPLES = os.environ.get("TSVC_SAMPLES") == "1"  # only a sample of each long matrix is run
SHUFFLES = os.environ.get("TSVC_ORDER") == "1"
MARKER = "sampled"
TESTS = Path(__file__).parents[1]

Case = TypeVar("Case")

# Cases of a parametrized function that make test runs, unless a mark gives another number.
CASES = 8
# How many tests make test runs of a file, or of several files together, whose tests use much
# processor time. A key is a path below tests/, several paths, or a pattern.
FILES = {
    "cluster_link/*.py": 30,
    "docs/test_commands.py": 60,
    "e2e/cluster/*.py": 3,
    "e2e/gateway_contract/test_capture.py": 2,
    "e2e/gateway_contract/test_contract.py": 16,
    "e2e/test_agents*.py": 1,
    "e2e/test_archive_*.py": 4,
    "e2e/test_cli_*.py": 14,
    "e2e/test_facts_fragments.py": 10,
    "e2e/test_fake_command.py": 5,
    "e2e/test_five_gateways.py": 1,
    "e2e/test_guide.py": 50,
    "e2e/test_hostile_[cdnpr]*.py": 4,
    "e2e/test_kind_from_outside.py": 1,
    "e2e/test_load_*.py": 8,
    "e2e/test_otlp.py": 4,
    "e2e/test_peer_death.py": 3,
    "e2e/test_relay.py": 1,
    "e2e/test_report_html.py": 1,
    "e2e/test_report_readers.py": 2,
    "e2e/test_service_clients.py": 3,
    "e2e/test_service_http.py": 3,
    "e2e/test_watching.py": 6,
    "e2e/test_without_memories.py": 2,
    "fuzz/test_targets.py": 10,
    "gui/test_authoring.py gui/test_guarding.py gui/test_running.py gui/test_traces.py": 2,
    "gui/test_feed.py": 5,
    "gui/test_front_end.py": 1,
    "gui/test_guards.py": 60,
    "gui/test_ladder_model.py": 5,
    "gui/test_way_in.py": 5,
    "gui/test_workspace.py": 35,
    "house/test_worked_examples.py": 2,
    "kinds/db/test_servers.py": 8,
    "kinds/db/test_walk.py": 4,
    "kinds/diameter/test_fast_path.py": 4,
    "kinds/osd/test_wsdl.py": 18,
    "kinds/outside/test_hostile.py": 10,
    "kinds/outside/test_legacy_guide.py": 1,
    "kinds/rest/test_authentication.py": 25,
    "kinds/rest/test_bounds.py": 25,
    "kinds/rest/test_fast_path.py": 5,
    "kinds/sigtran/test_capture.py": 6,
    "kinds/sigtran/test_fast_path.py kinds/sigtran/test_fast_path_eligible.py": 3,
    "kinds/sigtran/test_remembered.py": 5,
    "kinds/sigtran/test_tallies.py": 2,
    "kinds/smpp/test_fast_path.py": 12,
    "kinds/together/test_ends.py": 2,
    "kinds/together/test_fast_path.py": 3,
    "kinds/together/test_generated.py": 2,
    "kinds/together/test_links.py": 1,
    "kinds/together/test_lookups.py": 14,
    "mutate/test_peers.py": 12,
    "mutate/test_sample.py": 5,
    "record/test_calls.py": 3,
    "record/test_damage.py": 8,
    "record/test_diameter.py": 2,
    "record/test_http.py": 10,
    "record/test_links.py": 8,
    "record/test_packets.py": 5,
    "record/test_smpp.py": 6,
    "refusals/test_refusals.py": 3,
    "slices/test_slices.py": 1,
    "support/test_forked.py": 2,
    "unit/commands/test_config.py": 3,
    "unit/commands/test_fake.py": 10,
    "unit/engine/limits/test_memory_ceiling.py": 12,
    "unit/engine/load/test_arrivals.py": 15,
    "unit/engine/load/test_share.py": 6,
    "unit/engine/test_hostile.py": 10,
    "unit/engine/test_local.py": 12,
    "unit/engine/test_registries.py": 1,
    "unit/operations/test_attributes.py": 18,
    "unit/protocols/inap/test_operations.py": 100,
    "unit/results/test_pcap.py": 6,
    "unit/scp/test_detection_points.py": 60,
    "unit/scp/test_hostile_ssp.py": 25,
    "unit/scp/test_usual.py": 6,
    "unit/server/test_daemon.py": 2,
    "unit/test_pytest_plugin.py": 1,
}


def sample_of(items: list[pytest.Item], seed: str) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that run, in their order, and the tests that are left out.

    The choice depends only on the seed and the names of tests, so that all workers of a run choose
    the same tests.
    """
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    files: dict[str, list[pytest.Item]] = defaultdict(list)
    sizes: dict[str, int] = {}
    kept = []
    for item in items:
        marker = item.get_closest_marker(MARKER)
        name, bracket, _ = item.nodeid.partition("[")
        if marker is not None or (bracket and not group_of(item)):
            functions[name].append(item)
            (sizes[name],) = (CASES,) if marker is None else marker.args
        else:
            kept.append(item)
    for name, found in functions.items():
        kept += _chosen(found, sizes[name], f"{seed} {name}")
    rest = kept
    kept = []
    for item in rest:
        if name := group_of(item):
            files[name].append(item)
        else:
            kept.append(item)
    for name, found in files.items():
        kept += _chosen(found, FILES[name], f"{seed} {name}")
    runs = set(kept)
    return [one for one in items if one in runs], [one for one in items if one not in runs]


def group_of(item: pytest.Item) -> str:
    """Return the key of FILES that names a test's file, "" if none does."""
    return _group(item.path.relative_to(TESTS).as_posix())


@cache
def _group(file: str) -> str:
    matches = (key for key in FILES if any(fnmatch(file, one) for one in key.split()))
    return next(matches, "")


def _chosen(items: list[pytest.Item], count: int, seed: str) -> list[pytest.Item]:
    return random.Random(seed).sample(items, min(count, len(items)))


def shuffled(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """Return the tests in an order that the seed decides: the files, and the tests of each file.

    A test whose name begins with `test_at_last` checks what the others of its file have done: it
    stays after them.
    """
    chance = random.Random(seed)
    files = [list(found) for _, found in groupby(items, key=lambda item: item.path)]
    chance.shuffle(files)
    for found in files:
        chance.shuffle(found)
        found.sort(key=lambda item: item.name.startswith("test_at_last"))
    return [item for found in files for item in found]


def sample(cases: list[Case], count: int, name: str) -> list[Case]:
    """Return the cases that run, of a matrix that is not a parametrized test."""
    if not SAMPLES or len(cases) <= count:
        return cases
    places = random.Random(f"{SEED} {name}").sample(range(len(cases)), count)
    return [cases[place] for place in sorted(places)]


def size(whole: int, sample: int) -> int:
    """Return the number of cases that run, of a matrix that is not a parametrized test."""
    return sample if SAMPLES else whole


class Tiers:
    """The plugin, in the controller and in each worker."""

    def __init__(self) -> None:
        self._left_out = 0
        self._of = 0

    @pytest.hookimpl(trylast=True)  # so that -m and -k have selected before
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out tests that this run does not include, and shuffle the rest if requested."""
        if SAMPLES:
            items[:], left_out = sample_of(items, SEED)
            config.hook.pytest_deselected(items=left_out)
            self._left_out, self._of = len(left_out), len(left_out) + len(items)
        if SHUFFLES:
            items[:] = shuffled(items, SEED)

    def pytest_report_header(self) -> str:
        """Return the line with the seed for the beginning of the output."""
        return f"seed: {SEED or 'none (TSVC_SEED)'}"

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Report the number of left-out cases from a worker to the controller."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["left_out"] = (self._left_out, self._of)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Keep the number that a worker reported: all workers have left out the same cases."""
        self._left_out, self._of = getattr(node, "workeroutput", {}).get("left_out", (0, 0))

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print how to repeat failures, which tests did not run, how to run them, and the cost."""
        failed = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
        for line in [
            *repeats(report.nodeid for report in failed),
            *self._not_run(terminalreporter),
            *([cost()] if SEED else []),
        ]:
            terminalreporter.write_line(line)

    def _not_run(self, reporter: Any) -> Iterable[str]:
        skipped = Counter(
            report.longrepr[2].removeprefix("Skipped: ")
            for report in reporter.getreports("skipped")
            if isinstance(report.longrepr, tuple)
        )
        for reason, count in skipped.most_common():
            yield f"skipped: {count} because of: {reason}"
        parts = []
        if SAMPLES:
            parts.append(
                f"{self._left_out} of {self._of} tests, left out by seed {SEED}; make test-full"
                " runs all of them"
            )
        if skipped:
            parts.append(".ci/run installs the peers that skipped tests need")
        if parts:
            yield f"not run: {'; '.join(parts)}"


def cost() -> str:
    """Return the processor time of the run, and that of a loop, to compare machines."""
    used = sum(os.times()[:4])  # own time, with that of the workers and the ended children of all
    began = process_time()
    value = 0
    for number in range(1_000_000):
        value += number * number & 7
    yardstick_ms = 1000 * (process_time() - began)
    return f"processor time: {used:.0f} s; a loop of a million steps takes {yardstick_ms:.0f} ms"


def repeats(nodeids: Iterable[str]) -> Iterable[str]:
    """Yield the command that repeats each failed test."""
    for nodeid in dict.fromkeys(nodeids):
        seed = f" --hypothesis-seed={SEED}" if SEED else ""
        yield f"repeat: .venv/bin/python -m pytest{seed} {shlex.quote(nodeid)}"
