"""Where the outcome of a comparison goes: the check log of a Test Instance."""

from typing import Protocol


class Check(Protocol):
    """Takes one check_log entry per comparison."""

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Add an entry: passed or failed, what was compared, and both values.

        A failed entry with `abort` ends the instance; an implementation may do so by raising.
        """
