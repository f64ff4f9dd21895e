"""The beginning of a call for the fast path: reads of the caller's number, and its position."""

from collections.abc import Callable
from dataclasses import replace

from tsvc.flow.call import CallFacts
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.messages import Message, Unreadable, decode
from tsvc.scp.refusals import read_argument
from tsvc.scp.telephony import INITIAL_DP
from tsvc.scp.templates import Hole, hole_of

_WHOLE = "callingPartyNumber"
CALLING_NUMBER = _WHOLE + "_digits"
_BEFORE_DIGITS = 2  # octets of Q.763 for nature, plan and the like


class Facts(CallFacts):
    """Facts that report each read of the caller's number."""

    __slots__ = ("_note", "_number")
    _number: str
    _note: Callable[[], None]

    def tell(self, note: Callable[[], None]) -> None:
        """Call `note` at each later read."""
        object.__setattr__(self, "_note", note)

    @property
    def calling_number(self) -> str:
        """The caller's number."""
        self._note()
        return self._number

    @calling_number.setter
    def calling_number(self, number: str) -> None:
        object.__setattr__(self, "_number", number)


def hole_in(octets: bytes, variant: str) -> Hole | None:
    """Return the position of the caller's number in a BEGIN, None if that isn't certain."""
    found = _read(octets, variant)
    if found is None:
        return None

    def read(others: bytes, digits: str) -> tuple[Message, Tree] | None:
        found = _read(others, variant)
        if found is None or found[1].pop(CALLING_NUMBER, None) != digits:
            return None
        # The tree has the same number also as octets and hex: keep all but its digits.
        whole = str(found[1].pop(_WHOLE, ""))
        found[1][_WHOLE] = whole[:_BEFORE_DIGITS], len(whole)
        found[1].pop(_WHOLE + "_hex", None)
        return found

    return hole_of(octets, str(found[1].get(CALLING_NUMBER, "")), read)


def _read(octets: bytes, variant: str) -> tuple[Message, Tree] | None:
    """Return a BEGIN without the octets of its InitialDP, and the decoded InitialDP."""
    try:
        message = decode(octets)
    except Unreadable:
        return None
    first = message.components[0] if message.components else None
    if not isinstance(first, Invoke) or first.code != INITIAL_DP.code:
        return None
    tree, is_malformed = read_argument(INITIAL_DP, first.parameter, variant)
    others = [replace(first, parameter=None), *message.components[1:]]
    return None if is_malformed else (replace(message, components=others), dict(tree))
