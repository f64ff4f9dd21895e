"""Exclusive locks of Test Runs: by key, all or none, never waited for, private to the daemon."""

from collections.abc import Iterable


class LockTable:
    """The keys that each run holds. A ticket distinguishes runs of the same name."""

    def __init__(self) -> None:
        self._holders: dict[str, tuple[str, object]] = {}

    def acquire(self, run_id: str, keys: Iterable[str], ticket: object) -> tuple[str, str] | None:
        """Take all keys for a run, or none: then return (key, holder) of the first taken one."""
        wanted = list(dict.fromkeys(keys))
        for key in wanted:
            holder = self._holders.get(key)
            if holder is not None:
                return key, holder[0]
        self._holders.update(dict.fromkeys(wanted, (run_id, ticket)))
        return None

    def release(self, ticket: object) -> None:
        """Release all keys taken with a ticket."""
        for key in [key for key, (_, mine) in self._holders.items() if mine is ticket]:
            del self._holders[key]

    def held(self) -> dict[str, str]:
        """Return all keys with their holders."""
        return {key: run_id for key, (run_id, _) in self._holders.items()}
