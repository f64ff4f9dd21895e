"""Exclusive locks of Test Runs: by key, all or none, never waited for, private to the daemon."""

from collections.abc import Iterable


class LockTable:
    """Which run holds which key."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}

    def acquire(self, run_id: str, keys: Iterable[str]) -> tuple[str, str] | None:
        """Take all keys for a run, or none: then return (key, holder) of the first taken one."""
        wanted = list(dict.fromkeys(keys))
        for key in wanted:
            holder = self._holders.get(key)
            if holder is not None:
                return key, holder
        self._holders.update(dict.fromkeys(wanted, run_id))
        return None

    def release(self, run_id: str) -> None:
        """Give back all keys of a run."""
        for key in [key for key, holder in self._holders.items() if holder == run_id]:
            del self._holders[key]

    def held(self) -> dict[str, str]:
        """Return all keys with their holders."""
        return dict(self._holders)
