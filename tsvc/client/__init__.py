"""The Python client of the interface: what test programs import.

`client` calls methods over a socket of its own, `results` gives what comes back as typed values.
It knows the wire and the errors, nothing of the engine; start with `Client`.
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
