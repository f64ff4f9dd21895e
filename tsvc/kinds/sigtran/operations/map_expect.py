"""MAP components that the tester expects: requests, results, errors; all `map.*` types.

They are derived from the declared operations, but for Register. The tester plays `hlr`, which
stands for whoever speaks MAP with an SCP. Every operation can go either way: as a request
(`_to_scp.X`, `_from_scp.X`), with its result and errors the other way.
"""

from collections.abc import Mapping
from typing import Any

from tsvc.kinds.sigtran.operations.arguments import check_names
from tsvc.kinds.sigtran.operations.dialogue import Inbound, TesterDialogue, newest
from tsvc.kinds.sigtran.operations.inap_expect import Expecting, note_malformed
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
from tsvc.kinds.sigtran.operations.tcap_attributes import (
    dialogue_checks,
    inbound_given,
    longest_wait,
)
from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Outcome
from tsvc.operations.attributes import now
from tsvc.operations.operation import Execute, Instance, Scope, declare
from tsvc.protocols.asn1 import Notes
from tsvc.protocols.map.errors import ERROR_CODES, decode_error
from tsvc.protocols.map.operation import OPERATIONS, MapOperation
from tsvc.protocols.tcap.dialogue import Kind

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
        # What `$i` knows it by: published definitions say XRequest.
        self.nouns: tuple[str, ...] = (self.noun,)
        if form is Form.INVOKE and not self.noun.endswith("Request"):
            self.nouns = (self.noun, f"{self.noun}Request")

    def describe_arguments(self) -> dict[str, Any]:
        return with_dialogue_pdu(super().describe_arguments(), self.form)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("sigtran", path)
        variant = checked_version(entry, self.operation, path, scope)
        arguments = scope.expected(entry.get("arguments"), path)
        tests = scope.tests(entry, path)
        checks = dialogue_checks(entry, path, scope)
        self._check(path, scope, variant, arguments.given)
        malformed = entry["malformed"]
        is_kept = scope.reads_inbound and not entry["arguments_not_used"]
        seconds = longest_wait(entry, path, scope)
        name, is_optional = entry.get("dialogue"), inbound_given(entry, "optional", path, scope)

        def execute(instance: Instance) -> None:
            dialogue = self._dialogue(instance, name, path)
            inbound = self._receive(
                instance, dialogue, now(seconds, instance), now(is_optional, instance)
            )
            if inbound is None:
                return
            if instance.is_traced:
                instance.trace(1, f"Received {self.noun}")
            if isinstance(dialogue, MapDialogue):
                dialogue.is_fresh = False
            instance.entry(True, f"Received {self.noun}", None, None)
            for check in checks:
                check(instance, dialogue, inbound)
            if not (instance.is_checked or is_kept):
                return
            version = variant or dialogue.variant
            notes: Notes = []
            tree = self._decode(inbound, version, notes)
            if instance.is_traced:
                for note in notes:
                    instance.trace(1, f"{self.noun}: {note}")
            if isinstance(dialogue, MapDialogue):
                tree = _with_pdu(tree, dialogue, inbound)
            env = instance.env
            for noun in self.nouns:
                env.i[noun] = tree
            env.v["__INBOUND"] = dict.fromkeys(self.nouns, tree)
            if not instance.is_checked:
                return
            outcome = Outcome()
            self._judge_form(notes, malformed, outcome)
            if arguments.given:
                spelled = self._spelled(arguments.render(env), version)
                match_arguments(spelled, tree, outcome)
            instance.add(outcome)
            if outcome.is_malformed:
                note_malformed(instance, malformed)
            if tests is not None:
                tests.run(tree, env, instance)

        return execute

    def _dialogue(self, instance: Instance, name: str | None, path: str) -> TesterDialogue:
        """Return the dialogue to wait in.

        For a request: one that was registered for it, as long as it has not been taken; for an
        answer: the newest one in which we asked. Else the newest of the role.
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

    def _spelled(self, expected: Mapping[str, Any], version: str) -> Mapping[str, Any]:
        if self.form is Form.ERROR:
            return expected
        return self.operation.respelled(expected, version, is_result=self.form is Form.RESULT)

    def _decode_error(self, code: int, parameter: bytes | None, notes: Notes) -> dict[str, Any]:
        return decode_error(code, parameter, notes)

    def _check(
        self, path: str, scope: Scope, variant: str | None, given: Mapping[str, Any]
    ) -> None:
        """Check the names of expected arguments against the versions that may come."""
        place = f"{path}.arguments"
        if self.form is Form.ERROR:
            check_names(given, None, place, scope, ERROR_KEYS | _TCAP)
        else:
            check_by_version(given, self.operation, self.form, variant, place, scope, _TCAP)


def _with_pdu(tree: dict[str, Any], dialogue: MapDialogue, inbound: Inbound) -> dict[str, Any]:
    """Return what came with the MAP dialogue PDU beside it, where there is one."""
    name = "map_open" if inbound.kind is Kind.BEGIN else "map_accept"
    pdu = dialogue.map_open if inbound.kind is Kind.BEGIN else map_accept_of(inbound.pdu)
    return tree if pdu is None else {**tree, "tcap": {name: pdu}}


for _operation in OPERATIONS:
    for _form in Form:
        declare(MapSending(_operation, _form))
        declare(MapExpecting(_operation, _form))
