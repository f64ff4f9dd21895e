"""The findings of a comparison as a value, and the interface of a check log that receives them."""

from collections.abc import Sequence
from typing import Any, Protocol


class Check(Protocol):
    """Receives one check_log entry per comparison."""

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Add an entry: passed or failed, what was compared, and both values.

        A failed entry with `abort` ends the instance; an implementation may do so by raising.
        """


# (ok, text, expected, got)
Finding = tuple[bool, str, Any, Any]


class Outcome:
    """The findings of a comparison, in order. It is a Check: match_arguments() fills it.

    `kept` caches the form that the check log makes of the findings: the same comparison has the
    same findings in every instance of a run, so they are prepared once.
    """

    __slots__ = ("findings", "is_malformed", "is_ok", "kept", "kept_octets")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.is_ok = True
        self.is_malformed = False  # the compared value is not of its declared type
        self.kept: Sequence[Finding] | None = None
        self.kept_octets = 0

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        """Add a finding; a comparison of arguments never aborts."""
        self.findings.append((ok, text, expected, got))
        if not ok:
            self.is_ok = False
