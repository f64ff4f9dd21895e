"""Outcomes of comparisons that need not be made again.

Expected arguments without expressions are the same in every instance, and a system under test
often sends the same octets in every call. Same octets, same variant, same expected arguments:
the same outcome, without decoding. Octets that differ from call to call are compared each time.
"""

from tsvc.kinds.sigtran.operations.dialogue import Inbound
from tsvc.matching.outcome import Outcome
from tsvc.protocols.tcap.components import Invoke, ReturnResult

_MOST = 64  # different parameters of one operation


class Remembered:
    """The outcomes of one operation of a definition, by variant and octets of the parameter."""

    __slots__ = ("_is_on", "_outcomes")

    def __init__(self, *, is_on: bool) -> None:
        self._is_on = is_on
        self._outcomes: dict[tuple[str, bytes | None], Outcome] = {}

    def find(self, inbound: Inbound, variant: str) -> Outcome | None:
        """Return what the comparison came to before, None if it has to be made."""
        if not self._outcomes:
            return None
        component = inbound.component
        assert isinstance(component, Invoke | ReturnResult)
        return self._outcomes.get((variant, component.parameter))

    def add(self, inbound: Inbound, variant: str, outcome: Outcome) -> None:
        """Remember an outcome, if it is one that can come again and there is room."""
        component = inbound.component
        if (
            self._is_on
            and len(self._outcomes) < _MOST
            and isinstance(component, Invoke | ReturnResult)
        ):
            self._outcomes[variant, component.parameter] = outcome
