"""A MAP dialogue of an instance: one that the tester opens, or one that it waits for.

A registered dialogue belongs to the instance from then on, but has no transaction before the
BEGIN comes. Until then it uses an idle transaction that no endpoint knows.
"""

from collections.abc import Callable
from typing import Any, cast

from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.kinds.sigtran.operations.dialogue import Inbound, TesterDialogue
from tsvc.kinds.sigtran.run import SigtranRun
from tsvc.operations.operation import Instance
from tsvc.protocols import contexts
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.map import operation as map_base
from tsvc.protocols.map.dialogue import decode_user_information, encode_pdu
from tsvc.protocols.map.errors import ERROR_NAMES
from tsvc.protocols.map.operation import OPERATIONS, MapOperation
from tsvc.protocols.tcap.components import Invoke, ReturnError
from tsvc.protocols.tcap.dialogue import Dialogue, Indication, IndicationKind
from tsvc.protocols.tcap.dialogue_portion import (
    DIAGNOSTIC_CONTEXT_NOT_SUPPORTED,
    Aare,
    Aarq,
    DialoguePdu,
)
from tsvc.ss7.tcap_node import User
from tsvc.transport.mailbox import Mailbox

HLR = "hlr"
WAITING = "hlr, waiting"  # the role of a dialogue whose BEGIN has not come


_BY_CODE: dict[int | None, MapOperation] = {one.code: one for one in OPERATIONS}


class _NotOpened:
    """Stands in for the gateway of a dialogue that waits for a BEGIN: nothing is opened."""

    def __init__(self, gateway: SigtranGateway) -> None:
        self._gateway = gateway

    def open_dialogue(self, user: User, route: object) -> Dialogue:
        return Dialogue(self._gateway.endpoint, b"")

    def mailbox(self) -> Mailbox[Any]:
        return self._gateway.mailbox()


class MapDialogue(TesterDialogue):
    """One dialogue in which the tester is the HLR (or VLR, MSC, another node that uses MAP)."""

    __slots__ = (
        "_on_accepted",
        "_on_closed",
        "_unanswered",
        "allowed",
        "awaited_code",
        "is_fresh",
        "map_open",
    )

    def __init__(self, gateway: SigtranGateway, name: str, run: SigtranRun | None = None) -> None:
        super().__init__(gateway, HLR, name, run)
        self.variant = map_base.DEFAULT_VARIANT
        # The contents of the MAP-Open in the received BEGIN.
        self.map_open: Tree | None = None
        # Operation code that a registration waits for; None: the tester opened this dialogue.
        self.awaited_code: int | None = None
        # Application contexts that it accepts besides those of that operation.
        self.allowed: tuple[bytes, ...] = ()
        # True until an operation has taken the registered request.
        self.is_fresh = False
        self._unanswered: dict[int, str] = {}
        self._on_accepted: Callable[[], None] | None = None
        self._on_closed: Callable[[], None] | None = None

    @classmethod
    def waiting(
        cls,
        gateway: SigtranGateway,
        name: str,
        code: int,
        on_accepted: Callable[["MapDialogue"], None],
        on_closed: Callable[["MapDialogue"], None],
    ) -> "MapDialogue":
        """Return a dialogue that waits for a BEGIN with an operation; nothing is sent."""
        dialogue = cls(cast(SigtranGateway, _NotOpened(gateway)), name)
        dialogue.gateway = gateway
        dialogue.role = WAITING
        dialogue.awaited_code = code
        dialogue.is_fresh = True
        dialogue._on_accepted = lambda: on_accepted(dialogue)
        dialogue._on_closed = lambda: on_closed(dialogue)
        return dialogue

    def accept(self, indication: Indication) -> None:
        """Take the BEGIN that this dialogue waits for. Never switches.

        A BEGIN without components is answered at once, because its sender waits for that. Its
        MAP-Open is accepted with the answer. If the expected operation does not exist in the
        context of the BEGIN, the BEGIN is refused, and the instance is notified.
        """
        self.role = HLR
        self.tcap = indication.dialogue
        self.tcap.user = self
        self.variant = map_base.variant_of(self.tcap.application_context) or self.variant
        self.has_first_pdu = True
        self.first_pdu = indication.pdu
        self.map_open = map_open_of(indication)
        if self._on_accepted is not None:
            self._on_accepted()
        tap = self.tcap.tap
        if tap is not None:
            own, peer = self.tcap.local_address, self.tcap.remote_address
            tap(False, indication.octets, own, peer, self.tcap.route)
        operation = _BY_CODE.get(self.awaited_code)
        problem = (
            "" if operation is None else operation.context_problem(self.tcap.application_context)
        )
        if operation is not None and problem and self.tcap.application_context not in self.allowed:
            self._refuse(operation, problem)
        elif indication.components:
            self.on_indication(indication)
        else:
            accepting = b"" if self.map_open is None else encode_pdu({"map_accept": {}})
            # Sent by the node, which flushes after each indication.
            self.tcap.continue_(user_information=accepting)

    def _refuse(self, operation: MapOperation, problem: str) -> None:
        """Refuse the BEGIN and name the supported context (an AARE with result reject-permanent in
        a U-ABORT). Without a dialogue portion no context is named."""
        text = f"TC-BEGIN refused, application-context-name-not-supported: {problem}"
        if self.tcap.application_context is None:
            text = f"TC-BEGIN refused: {problem}"
            self.tcap.abort()
        else:
            known = contexts.BY_ALIAS[operation.contexts[max(operation.contexts)]]
            self.tcap.refuse(known.octets, DIAGNOSTIC_CONTEXT_NOT_SUPPORTED)
        self.tell(text)

    def tell(self, text: str) -> None:
        """Notify the instance of an event that no operation expects. Never switches."""
        super().on_indication(Indication(self.tcap, IndicationKind.NOTICE, text=text))

    def on_indication(self, indication: Indication) -> None:
        """Queue the contents of an indication, and store which invokes need an answer."""
        for component in indication.components:
            if isinstance(component, Invoke):
                operation = self.operation(component.code)
                name = operation.name if operation else str(component.code)
                self._unanswered[component.invoke_id] = name
        super().on_indication(indication)

    def operation(self, code: object) -> Any:
        """Return the operation of a code in this dialogue's version, or None."""
        return map_base.by_code(self.variant, code) if isinstance(code, int) else None

    def describe(self, inbound: Inbound) -> str:
        """Return a text that describes an inbound."""
        component = inbound.component
        if not isinstance(component, ReturnError):
            return super().describe(inbound)
        operation = self.operation(component.operation_code)
        code = component.code
        name = ERROR_NAMES.get(code) if isinstance(code, int) else None
        return f"{operation.name if operation else ''}Error {name or code}"

    # -- requests of the peer ----------------------------------------------------------------

    def is_asked(self, name: str) -> bool:
        """Return True if a request of this operation was taken and has not been answered."""
        return self.received.get(name) in self._unanswered

    def note_answered(self, invoke_id: int) -> None:
        """Mark a request as answered."""
        self._unanswered.pop(invoke_id, None)

    # -- the end -----------------------------------------------------------------------------

    def close(self) -> str | None:
        """End the dialogue, or stop waiting. Return how it was ended, None if it was not open."""
        self._stop_waiting()
        return super().close()

    def abort(self) -> None:
        """End the dialogue by TC-U-ABORT, or stop waiting for it."""
        self._stop_waiting()
        super().abort()

    def _stop_waiting(self) -> None:
        if self._on_closed is not None:
            self._on_closed()
            self._on_accepted = self._on_closed = None

    def _outstanding(self) -> str | None:
        for name in self._unanswered.values():
            return f"an unanswered {name}"
        return super()._outstanding()


def dialogues_of(instance: Instance, name: str | None = None) -> list[MapDialogue]:
    """Return an instance's MAP dialogues, the newest first: all, or those with a name."""
    return [
        dialogue
        for dialogue in reversed(instance.dialogues)
        if isinstance(dialogue, MapDialogue) and (name is None or dialogue.name == name)
    ]


def map_open_of(indication: Indication) -> Tree | None:
    """Return the contents of the MAP-Open in a BEGIN's dialogue portion, None without one."""
    pdu = indication.pdu
    if not isinstance(pdu, Aarq) or not pdu.user_information:
        return None
    return _member_of(pdu.user_information, "map_open")


def map_accept_of(pdu: DialoguePdu | None) -> Tree | None:
    """Return the contents of the MAP-Accept in a dialogue response, None without one."""
    if not isinstance(pdu, Aare) or not pdu.user_information:
        return None
    return _member_of(pdu.user_information, "map_accept")


def _member_of(user_information: bytes, name: str) -> Tree | None:
    found = (decode_user_information(user_information) or {}).get(name)
    return found if isinstance(found, dict) else None
