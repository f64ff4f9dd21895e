"""gevent's patches of the standard library, at a fraction of their cost.

gevent looks for its entry points in all installed distributions, before and after each module that
it patches: 25 times in all. Each time it reads the files of every distribution. With a hundred
distributions this takes longer than the patching. Here the files are read only once.
"""

from importlib import metadata
from typing import Any


def patch_all() -> None:
    """Patch everything. Import no module that opens sockets or starts threads before this."""
    from gevent import monkey

    asked = metadata.entry_points
    found = asked()

    def select(**wanted: Any) -> Any:
        return found.select(**wanted)

    metadata.entry_points = select
    try:
        monkey.patch_all()
    finally:
        metadata.entry_points = asked
