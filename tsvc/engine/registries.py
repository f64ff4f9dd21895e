"""What registers itself, all of it, imported when the daemon starts.

A registry loads when it is first asked. For the first run of a daemon that would mean to import
dozens of modules while the event loop stands still, for tens of milliseconds.
"""

from tsvc.expr.functions import FUNCTIONS
from tsvc.flow.node import NODES
from tsvc.operations.operation import OPERATION_TYPES, RUN_PARTS
from tsvc.results.exchanges import PRESENTATIONS


def load_registries() -> None:
    """Import every module that registers something a run can need. Blocks: on their files."""
    FUNCTIONS.load()
    NODES.load()
    OPERATION_TYPES.load()
    RUN_PARTS.load()
    PRESENTATIONS.load()
