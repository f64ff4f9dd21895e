"""The Python client of the interface, for test programs.

`client` calls methods over its own sockets, `results` turns the answers into typed values. The
package knows the wire format and the errors, but not the engine; start with `Client`.
"""

from tsvc.client.client import (
    Client,
    Unreachable,
    default_address,
    new_run_id,
)
from tsvc.client.results import (
    Archived,
    Check,
    Counts,
    Halted,
    Instance,
    Latency,
    Note,
    Rate,
    RunResult,
    Validation,
)
from tsvc.errors import TsvcError

__all__ = [
    "Archived",
    "Check",
    "Client",
    "Counts",
    "Halted",
    "Instance",
    "Latency",
    "Note",
    "Rate",
    "RunResult",
    "TsvcError",
    "Unreachable",
    "Validation",
    "default_address",
    "new_run_id",
]
