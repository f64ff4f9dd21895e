"""Checks whether a run may start now, by the limits of the daemon and of each client."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from tsvc.config.tables import Config
from tsvc.engine.gateway_table import require_up
from tsvc.engine.limits.memory import memory_problem
from tsvc.engine.run import Run
from tsvc.engine.run_table import RunTable
from tsvc.errors import StartError
from tsvc.gateways.gateway import Gateway

# The client whose request is being answered. The server sets it, runs are counted by it.
#
# A context variable, because a client is no parameter of any method: each greenlet has its own
# context, and all code that a request calls finds the client there.


NOBODY = ""  # a caller inside this process: no limit applies to it

_CLIENT: ContextVar[str] = ContextVar("client", default=NOBODY)


def client() -> str:
    """Return the client of the request that this greenlet answers, or NOBODY."""
    return _CLIENT.get()


Waits = Callable[[bool], AbstractContextManager[None]]
"""Returns the context in which a request waits; True: the wait ends if its client leaves."""


def stays(_: bool) -> AbstractContextManager[None]:
    """Return a context that does nothing: a caller in this process has no connection."""
    return nullcontext()


_WAITS: ContextVar[Waits] = ContextVar("waits", default=stays)


def waiting(*, may_end: bool) -> AbstractContextManager[None]:
    """Return the context in which a request must wait, so that it does not count as a connection.

    `may_end`: the wait ends when the client leaves, and is refused (RequestError) when too many
    requests wait. False is for work that has to be done to its end.
    """
    return _WAITS.get()(may_end)


@contextmanager
def on_behalf_of(name: str, waits: Waits = stays) -> Iterator[None]:
    """Set the client whose request is answered within the block."""
    client, how = _CLIENT.set(name), _WAITS.set(waits)
    try:
        yield
    finally:
        _CLIENT.reset(client)
        _WAITS.reset(how)


_OF_CLIENT = " of this client"


def check_start(
    config: Config,
    runs: RunTable,
    client: str,
    backlog: int,
    ceiling_mib: int,
    gateways: Mapping[str, Gateway],
) -> None:
    """Raise StartError if a run with `backlog` instances in progress may not start.

    `client`: the client of the run, NOBODY for no limit per client. Errors: StartError, kind
    overload with `limit` (the key) and, unless that is memory, `allowed` and `in_progress`; kind
    gateway.down.
    """
    engine, rpc = config.engine, config.rpc
    running = runs.in_progress()
    _bound_runs("engine.max_runs", engine.max_runs, running)
    _bound_instances("engine.max_instances", engine.max_instances, running, backlog)
    if client:
        own = runs.in_progress_of(client)
        _bound_runs("rpc.client_runs", rpc.client_runs, own, _OF_CLIENT)
        _bound_instances("rpc.client_instances", rpc.client_instances, own, backlog, _OF_CLIENT)
    crowded = memory_problem(ceiling_mib)
    if crowded is not None:
        raise StartError(crowded, kind="overload", limit="engine.max_memory_mib")
    if not engine.start_when_down:
        for gateway in gateways.values():
            require_up(gateway)


def _bound_runs(limit: str, allowed: int, running: list[Run], whose: str = "") -> None:
    """Raise StartError if one more run is not allowed; 0 = no limit."""
    if allowed and len(running) >= allowed:
        text = f"{len(running)} runs{whose} are in progress already"
        raise _overload(text, limit, allowed, len(running))


def _bound_instances(
    limit: str, allowed: int, running: list[Run], more: int, whose: str = ""
) -> None:
    """Raise StartError if so many more instances are not allowed; 0 = no limit."""
    count = sum(run.compiled.plan.backlog for run in running)
    if allowed and count + more > allowed:
        text = f"{count + more} instances{whose} could be in progress"
        raise _overload(text, limit, allowed, count)


def _overload(text: str, limit: str, allowed: int, in_progress: int) -> StartError:
    return StartError(
        f"{text}, {limit} is {allowed}",
        kind="overload",
        limit=limit,
        allowed=allowed,
        in_progress=in_progress,
    )
