"""The order in which pytest workers run files: random, but the same in all workers.

The longest files are spread between the others.
"""

from functools import cache
from itertools import accumulate
from pathlib import Path
from zlib import crc32

TESTS = Path(__file__).parents[1]
# The longest files, and about how many seconds they take while other tests run. They are spread
# over the run, and none starts late. Files that wait alternate with files that use the processor,
# so that both kinds run at the same time.
LONGEST = {
    "e2e/test_agents_cuts.py": 32,
    "docs/test_commands.py": 73,
    "e2e/test_agents_clocks.py": 32,
    "mutate/test_sample.py": 50,
    "e2e/test_agents.py": 28,
    "peers/go_diameter/test_calls.py": 38,
    "gui/test_traces.py": 27,
    "docs/test_tutorial.py": 36,
    "e2e/test_load_limits.py": 27,
    "e2e/test_guide_programs.py": 34,
    "e2e/test_archive_disk.py": 27,
    "e2e/test_hostile_definitions.py": 28,
    "cluster_link/test_lost.py": 23,
    "unit/test_pytest_plugin.py": 20,
    "e2e/test_load_segments.py": 22,
    "kinds/rest/test_bounds.py": 18,
    "gui/test_authoring.py": 22,
    "unit/engine/compiler/test_json_schema.py": 20,
    "gui/test_running.py": 21,
    "house/test_names.py": 18,
    "gui/test_guarding.py": 20,
    "kinds/together/test_fast_path.py": 17,
    "e2e/cluster/test_loss.py": 12,
    "unit/scp/test_usual.py": 16,
    "gui/test_way_in.py": 18,
    "e2e/test_cli_completion.py": 16,
    "peers/test_sctp_guest.py": 67,
    "unit/engine/limits/test_memory_ceiling.py": 14,
    "e2e/test_service_init.py": 57,
    "gui/test_front_end.py": 13,
}
SPREAD = 0.8  # the share of the other files between which the longest are spread
_LAST = sum(LONGEST.values()) / SPREAD
_BEGINS = {
    TESTS / name: (end - seconds) / _LAST
    for (name, seconds), end in zip(LONGEST.items(), accumulate(LONGEST.values()), strict=True)
}


@cache
def rank(path: Path) -> float:
    """Return the sort key of a test file."""
    return _BEGINS.get(path, crc32(path.relative_to(TESTS).as_posix().encode()) / 2**32)
