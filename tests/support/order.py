"""The order in which workers of pytest take files: by chance, which is the same in all workers,
with the longest files spread between the others.
"""

from functools import cache
from itertools import accumulate
from pathlib import Path
from zlib import crc32

TESTS = Path(__file__).parents[1]
# Files that take longest, and how many seconds beside others, about: they are spread over the run,
# so that those that wait have those that work beside them, and none of them is begun late. By
# turns one that waits and one that works.
LONGEST = {
    "e2e/test_agents_cuts.py": 115,
    "mutate/test_sample.py": 25,
    "e2e/test_agents.py": 88,
    "model/test_many_calls.py": 12,
    "peers/test_sctp_guest.py": 67,
    "fuzz/test_targets.py": 14,
    "kinds/rest/test_track.py": 83,
    "e2e/test_hostile_definitions.py": 18,
    "docs/test_commands.py": 63,
    "e2e/test_without_memories.py": 35,
    "e2e/test_hostile_peers.py": 79,
    "unit/test_pytest_plugin.py": 17,
    "e2e/test_service_init.py": 57,
    "gui/test_feed.py": 75,
    "unit/engine/test_hostile.py": 15,
    "e2e/test_cluster.py": 79,
    "e2e/test_cli_run.py": 22,
    "gui/test_running.py": 65,
    "e2e/test_kind_from_outside.py": 17,
    "e2e/test_agents_clocks.py": 57,
    "docs/test_tutorial.py": 20,
    "gui/test_authoring.py": 60,
    "e2e/test_cli_daemon.py": 16,
    "e2e/gateway_contract/test_contract.py": 40,
    "e2e/test_relay.py": 36,
    "e2e/test_archive_trouble.py": 38,
    "kinds/diameter/test_track.py": 35,
    "gui/test_guarding.py": 27,
    "kinds/outside/test_hostile.py": 23,
    "e2e/test_report_html.py": 18,
    "e2e/test_archive_disk.py": 19,
    "e2e/test_archive_postgresql.py": 18,
}
SPREAD = 0.8  # of all other files, between which they stand
_LAST = sum(LONGEST.values()) / SPREAD
_BEGINS = {
    TESTS / name: (end - seconds) / _LAST
    for (name, seconds), end in zip(LONGEST.items(), accumulate(LONGEST.values()), strict=True)
}


@cache
def rank(path: Path) -> float:
    """Return what a file of tests is sorted by."""
    return _BEGINS.get(path, crc32(path.relative_to(TESTS).as_posix().encode()) / 2**32)
