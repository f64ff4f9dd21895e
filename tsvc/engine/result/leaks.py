"""The leak audit: finds what a run has left behind at its end; each finding fails the run."""

from collections.abc import Iterable, Sized
from typing import Any, Protocol

from tsvc.engine.limits.locks import LockTable
from tsvc.engine.load.counters import Counters
from tsvc.engine.load.starter import Starter

MAX_SUSPECTS = 1000


class OpenSessions:
    """Dialogues and sessions that were open after their instance had closed them.

    Some are closed by an answer of the peer, so they are checked again when the run is over.
    """

    def __init__(self) -> None:
        self._suspects: list[tuple[int, Any]] = []
        self._beyond = 0

    def look(self, idx: int, sessions: Iterable[Any]) -> None:
        """Note the sessions that an instance has left open at its end."""
        for session in sessions:
            if not session.is_open:
                continue
            if len(self._suspects) < MAX_SUSPECTS:
                self._suspects.append((idx, session))
            else:
                self._beyond += 1

    def findings(self) -> list[str]:
        """Return a line about the sessions that are still open, or nothing."""
        still = [(idx, session) for idx, session in self._suspects if session.is_open]
        if not still:
            return []
        idx, session = still[0]
        more = " or more" if self._beyond else ""
        return [
            f"{len(still)}{more} dialogues are open, the first: {session.name} of instance {idx}"
        ]


class EndedRun(Protocol):
    """The attributes of a run that the audit checks."""

    run_id: str
    sessions: OpenSessions
    starter: Starter
    counters: Counters

    @property
    def halted(self) -> Sized:
        """The instances that are halted."""


def audit(run: EndedRun, locks: LockTable) -> list[str]:
    """Return a line for each kind of leak of a run, after it has released everything."""
    found = run.sessions.findings()
    if run.halted:
        found.append(f"{len(run.halted)} instances are halted")
    greenlets = len(run.starter.pool)
    if greenlets:
        found.append(f"{greenlets} greenlets are alive")
    if run.counters.in_progress:
        found.append(f"{run.counters.in_progress} instances never ended")
    keys = [key for key, holder in locks.held().items() if holder == run.run_id]
    if keys:
        found.append(f"locks are held: {', '.join(keys)}")
    return found
