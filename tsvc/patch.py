"""gevent's patches of the standard library, for a fraction of what they cost.

gevent asks all distributions that are installed whether one has a say in it: before and after each
module, 25 times in all, and reads the files of each every time. Among a hundred that is more than
the rest of what gevent does. Here they are read once, and asked as before.
"""

from importlib import metadata
from typing import Any


def patch_all() -> None:
    """Patch everything: nothing that opens a socket or starts a thread may be imported before."""
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
