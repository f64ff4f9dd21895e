"""A compiled flow, which the engine runs and triggers choose. All its calls share it."""

from collections.abc import Mapping

from tsvc.config.scp_tables import Srf
from tsvc.flow.node import Node
from tsvc.flow.triggers import Trigger
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class PathStep:
    """An operation on a call's path; exit index and name None: it was left by no exit."""

    operation_id: int
    type: str
    exit_index: int | None = None
    exit_name: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a flow: its node, and the next operation (or none) of each exit.

    `entered` and `left[exit index]` are its path steps, made once and not per call.
    """

    id: int
    type: str
    node: Node
    exits: tuple[int | None, ...]
    base_node: int | None
    entered: PathStep
    left: tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow that passed every check. `operations` holds every id that an exit names."""

    name: str
    triggers: tuple[Trigger, ...]
    operations: Mapping[int, Operation]
    start_id: int
    is_ussd: bool = False  # it serves USSD sessions, else calls
    srf: Srf | None = None  # the resource of its calls; None: that of the site
