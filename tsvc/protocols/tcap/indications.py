"""What a dialogue tells its user: one value for each message, timer or notice."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from tsvc.protocols.tcap.components import Component
from tsvc.protocols.tcap.dialogue_portion import DialoguePdu

if TYPE_CHECKING:
    from tsvc.protocols.tcap.dialogue import Dialogue


# A tap sees each message of a dialogue: is it ours, octets, called and calling address. For one of
# ours it may return what takes it back, in case that it can not be sent.
Tap = Callable[[bool, bytes, Any, Any], Callable[[], None] | None]


class Kind(Enum):
    """What an indication tells its user."""

    BEGIN = "BEGIN"
    CONTINUE = "CONTINUE"
    END = "END"
    U_ABORT = "U-ABORT"
    P_ABORT = "P-ABORT"
    CANCEL = "L-CANCEL"
    NOTICE = "NOTICE"  # the network could not deliver a message of ours
    UNIDIRECTIONAL = "UNIDIRECTIONAL"  # belongs to no dialogue: `dialogue` has addresses only


@dataclass(slots=True)
class Indication:
    """One message, or timer, as the user of a dialogue sees it. Components are in order.

    `octets`: of a BEGIN, which no tap sees: it came before anybody could set one.
    """

    dialogue: "Dialogue"
    kind: Kind
    components: list[Component] = field(default_factory=list)
    pdu: DialoguePdu | None = None
    p_abort_cause: int | None = None
    text: str = ""
    octets: bytes = b""
