"""MAP components that the tester expects: requests, results, errors; all `map.*` types.

They are derived from the declared operations, except Register. The tester's role is `hlr`, which
stands for any node that uses MAP with an SCP. Every operation can go both ways: as a request
(`_to_scp.X`, `_from_scp.X`), with its result and errors in the other direction.
"""

from collections.abc import Mapping
from typing import Any

from tsvc.kinds.sigtran.operations.arguments import check_names
from tsvc.kinds.sigtran.operations.dialogue import Inbound, TesterDialogue, newest
from tsvc.kinds.sigtran.operations.inap_expect import Expecting
from tsvc.kinds.sigtran.operations.inap_send import Form
from tsvc.kinds.sigtran.operations.map_dialogue import (
    HLR,
    MapDialogue,
    dialogues_of,
    map_accept_of,
)
from tsvc.kinds.sigtran.operations.map_send import (
    ERROR_KEYS,
    MapSending,
    check_by_version,
    checked_version,
    with_dialogue_pdu,
)
from tsvc.operations.operation import Instance, Scope, declare
from tsvc.protocols.asn1 import Notes
from tsvc.protocols.contexts import CONTEXTS
from tsvc.protocols.map.errors import ERROR_CODES, decode_error
from tsvc.protocols.map.operation import OPERATIONS, MapOperation
from tsvc.protocols.tcap.dialogue import IndicationKind

_TCAP = frozenset({"tcap"})


class MapExpecting(Expecting):
    """`map.hlr_from_scp.X`, `…XResult`, `…XError`."""

    operation: MapOperation
    error_codes = ERROR_CODES
    may_say_request = are_names_free = True

    def __init__(self, operation: MapOperation, form: Form) -> None:
        super().__init__(operation, HLR, form)
        self.name = f"map.{HLR}_from_scp.{self.noun}"
        self.example = {"type": self.name}
        # Published definitions use the name XRequest.
        if form is Form.INVOKE and not self.noun.endswith("Request"):
            self.aliases = (f"{self.noun}Request",)
            self.received += self.aliases

    def describe_arguments(self) -> dict[str, Any]:
        return with_dialogue_pdu(super().describe_arguments(), self.form)

    def _named_variant(self, entry: Mapping[str, Any], path: str, scope: Scope) -> str | None:
        return checked_version(entry, self.operation, path, scope)

    def _foreign_contexts(self) -> frozenset[bytes]:
        known = (context.octets for context in CONTEXTS)
        return frozenset(octets for octets in known if self.operation.context_problem(octets))

    def _judge_presence(self, instance: Instance, dialogue: TesterDialogue) -> None:
        allowed = dialogue.allowed if isinstance(dialogue, MapDialogue) else ()
        if dialogue.tcap.application_context not in allowed:
            super()._judge_presence(instance, dialogue)

    def _awaiting(self, instance: Instance, name: str | None, path: str) -> TesterDialogue:
        """Return the dialogue to wait in.

        For a request: one that was registered for it and whose request was not taken yet. For an
        answer: the newest one in which the tester sent the request. Otherwise the role's newest.
        """
        if name is None:
            for dialogue in dialogues_of(instance):
                is_awaited = dialogue.is_fresh and dialogue.awaited_code == self.operation.code
                if (
                    is_awaited
                    if self.form is Form.INVOKE
                    else self.operation.name in dialogue.sent
                ):
                    return dialogue
        return newest(instance, HLR, name, path)

    def _is_told_by_octets(self, given: Mapping[str, Any]) -> bool:
        return not {"tcap", "!tcap"}.intersection(given)

    def _completed(
        self, tree: dict[str, Any], dialogue: TesterDialogue, inbound: Inbound
    ) -> dict[str, Any]:
        """Return the received tree with the MAP dialogue PDU that came with it, if any."""
        if not isinstance(dialogue, MapDialogue):
            return tree
        is_begin = inbound.kind is IndicationKind.BEGIN
        name = "map_open" if is_begin else "map_accept"
        pdu = dialogue.map_open if is_begin else map_accept_of(inbound.pdu)
        return tree if pdu is None else {**tree, "tcap": {name: pdu}}

    def _rewritten(self, expected: Mapping[str, Any], variant: str) -> Mapping[str, Any]:
        if self.form is Form.ERROR:
            return expected
        return self.operation.respelled(expected, variant, is_result=self.form is Form.RESULT)

    def _decode_error(self, code: int, parameter: bytes | None, notes: Notes) -> dict[str, Any]:
        return decode_error(code, parameter, notes)

    def _receive(
        self, instance: Instance, dialogue: TesterDialogue, seconds: float, is_optional: bool
    ) -> Inbound | None:
        inbound = super()._receive(instance, dialogue, seconds, is_optional)
        if inbound is not None and isinstance(dialogue, MapDialogue):
            dialogue.is_fresh = False
        return inbound

    def _check_expected(
        self, path: str, scope: Scope, variant: str | None, given: Mapping[str, Any]
    ) -> None:
        """Check the names of expected arguments against the versions that may come."""
        place = f"{path}.arguments"
        if self.form is Form.ERROR:
            check_names(given, None, place, scope, ERROR_KEYS | _TCAP)
        else:
            check_by_version(given, self.operation, self.form, variant, place, scope, _TCAP)


for _operation in OPERATIONS:
    for _form in Form:
        declare(MapSending(_operation, _form))
        declare(MapExpecting(_operation, _form))
