"""INAP and CAP components that the tester expects: invokes, results, errors; all `inap.*` types.

They are derived from the declared operations; none is listed here. The tester is `ssp` or `srf`.
Operations that this role sends by their declaration become `_to_scp`, operations of the SCP become
`_from_scp`. Results and errors go the other way.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from tsvc import memo
from tsvc.expr.environment import Environment
from tsvc.kinds.sigtran.fast_path.expected import Expected
from tsvc.kinds.sigtran.operations.arguments import Use, check_names
from tsvc.kinds.sigtran.operations.dialogue import Inbound, TesterDialogue, newest
from tsvc.kinds.sigtran.operations.inap_send import (
    Form,
    Sending,
    describe_answers,
    describe_argument,
)
from tsvc.kinds.sigtran.operations.tcap_attributes import (
    InboundEntry,
    checked_variant,
    dialogue_checks,
    inbound_given,
    longest_wait,
)
from tsvc.kinds.sigtran.run import SigtranRun, check_by_variant
from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Outcome
from tsvc.matching.tests import TestList
from tsvc.memo import Memo
from tsvc.operations.attributes import value_for
from tsvc.operations.operation import (
    INBOUND,
    CompiledArguments,
    Execute,
    Instance,
    InstanceAborted,
    OperationType,
    Scope,
    abort,
    declare,
    note_received,
)
from tsvc.protocols import contexts
from tsvc.protocols.asn1 import Note, Notes
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.inap.errors import ERROR_CODES, decode_error
from tsvc.protocols.inap.extensions import ExtensionTypes
from tsvc.protocols.inap.operation import OPERATIONS, Operation
from tsvc.protocols.tcap.components import Invoke, ReturnError, ReturnResult
from tsvc.values import dataclass

ROLES = ("ssp", "srf")
_MOST_OUTCOMES = 64  # different parameters of one operation
_PARTS = {Form.INVOKE: "argument", Form.RESULT: "result", Form.ERROR: "error"}
_ERROR_KEYS = frozenset(
    {"errorCode", "errorCode_name", "parameter", "parameter_name", "parameter_hex"}
)

# The key of an outcome: variant, code of an error, octets, why the component is misplaced.
_Came = tuple[str, Any, bytes | None, str]


class Expecting(OperationType):
    """`inap.<role>_from_scp.X`, `…XResult`, `…XError`."""

    family = INBOUND
    Attributes = InboundEntry
    error_codes: ClassVar[Mapping[str, int]] = ERROR_CODES

    def __init__(self, operation: Operation, role: str, form: Form) -> None:
        self.operation = operation
        self.role = role
        self.form = form
        self.noun = f"{operation.name}{form.value}"
        self.name = f"inap.{role}_from_scp.{self.noun}"
        self.received: tuple[str, ...] = (self.noun,)
        self.summary = f"expect {self.noun}"
        self.example: Mapping[str, Any] = {"type": self.name}
        if form is Form.INVOKE and operation.example:
            self.example = {"type": self.name, "arguments": dict(operation.example)}

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), **describe_answers(self.operation, self.form)}

    def describe_arguments(self) -> dict[str, Any]:
        return describe_argument(self.operation, self.form, self.error_codes)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("sigtran", path)
        if self.form is Form.INVOKE:
            scope.part(SigtranRun).expected.add(self.operation.name)
        variant = self._named_variant(entry, path, scope)
        arguments = scope.expected(entry.get("arguments"), path)
        tests = scope.tests(entry, path)
        checks = dialogue_checks(entry, path, scope)
        self._check_expected(path, scope, variant, arguments.given)
        self._declare_replayable(entry, path, scope, arguments.given)
        is_constant = arguments.is_constant and self._is_told_by_octets(arguments.given)
        is_kept = scope.reads_inbound and not entry["arguments_not_used"]
        contents = Contents(
            variant=variant,
            arguments=arguments,
            tests=tests,
            malformed=entry["malformed"],
            extensions=scope.part(SigtranRun).extensions if scope.params.get("inap") else None,
            is_kept=is_kept,
            needs_tree=is_kept or tests is not None,
            is_constant=is_constant,
            begins_outcome=is_constant and not checks and not memo.is_off(),
            outcomes=Memo("outcomes", _MOST_OUTCOMES),
        )
        seconds = longest_wait(entry, path, scope)
        name = scope.part(SigtranRun).existing(entry.get("dialogue"), path)
        is_optional = inbound_given(entry, "optional", path, scope)
        is_invoke, foreign = self.form is Form.INVOKE, self._foreign_contexts()
        received = f"Received {self.noun}"

        def execute(instance: Instance) -> None:
            dialogue = self._awaiting(instance, name, path)
            inbound = self._receive(
                instance, dialogue, value_for(seconds, instance), value_for(is_optional, instance)
            )
            if inbound is None:
                return
            if instance.is_traced:
                instance.trace(1, received)
            if not (contents.begins_outcome and instance.is_checked):
                instance.entry(True, received, None, None)
            for check in checks:
                check(instance, dialogue, inbound)
            if dialogue.unechoed is not None:
                dialogue.judge_context(instance)
            if is_invoke and dialogue.tcap.application_context in foreign:
                self._judge_presence(instance, dialogue)
            if instance.is_checked or contents.is_kept:
                self._take(contents, instance, dialogue, inbound)

        return execute

    def _declare_replayable(
        self, entry: Mapping[str, Any], path: str, scope: Scope, given: Mapping[str, Any]
    ) -> None:
        """Declare that the operation may be replayed; expected values may have expressions."""
        is_told = self._is_told_by_octets(given)
        if self.form is Form.ERROR or entry.get("tests") or not is_told:
            # Tests may read the whole component: it must be the same in all instances.
            scope.eligibility.allow("sigtran", path, entry)
            return
        others = {name: value for name, value in entry.items() if name != "arguments"}
        variant = self._named_variant(entry, path, replace(scope, problems=[]))
        is_result = self.form is Form.RESULT
        wanted = Expected(self.operation, is_result, given, self._rewritten, variant)
        scope.eligibility.allow("sigtran", path, others, expected=[wanted.argument()])

    def _take(
        self, contents: "Contents", instance: Instance, dialogue: TesterDialogue, inbound: Inbound
    ) -> None:
        """Store a component for expressions and compare it, as far as either is needed."""
        variant = contents.variant or dialogue.variant
        misplaced = self._misplaced(inbound, dialogue)
        outcome = key = None
        if contents.is_constant:
            key = _came(variant, inbound, misplaced)
            outcome = contents.outcomes.get(key)
        if outcome is not None and not (contents.needs_tree or instance.is_traced):
            _add(outcome, instance, contents.malformed)
            return
        notes = [Note("", 0, misplaced)] if misplaced else []
        tree = self._decode(inbound, variant, notes)
        if instance.is_traced:
            for note in notes:
                instance.trace(1, f"{self.noun}: {note}")
        if contents.extensions is not None:
            contents.extensions.fill(tree)
        tree = self._completed(tree, dialogue, inbound)
        if contents.is_kept:  # otherwise the outcome of another instance may replace this tree
            note_received(instance, self.received[0], tree, *self.received[1:])
        if not instance.is_checked:
            return
        if outcome is None:
            outcome = self._compare(contents, tree, notes, variant, instance.env)
            if key is not None:
                contents.outcomes[key] = outcome
        _add(outcome, instance, contents.malformed)
        if contents.tests is not None:
            contents.tests.run(tree, instance.env, instance)

    def _compare(
        self,
        contents: "Contents",
        tree: dict[str, Any],
        notes: Notes,
        variant: str,
        env: Environment,
    ) -> Outcome:
        """Return the check results of a decoded component: its form, then its arguments."""
        outcome = Outcome()
        if contents.begins_outcome:
            outcome.entry(True, f"Received {self.noun}", None, None)
        self._judge_form(notes, contents.malformed, outcome)
        if contents.arguments.given:
            rewrite = partial(self._rewritten, variant=variant)
            match_arguments(contents.arguments.render(env), tree, outcome, rewrite)
        return outcome

    def _receive(
        self, instance: Instance, dialogue: TesterDialogue, seconds: float, is_optional: bool
    ) -> Inbound | None:
        """Return the expected component. Abort on another one, or put it back if optional."""
        if is_optional and dialogue.held is None and dialogue.is_closed_and_empty():
            return None
        inbound = dialogue.receive(instance, seconds, self.noun, self._is_wanted)
        if inbound is None:
            if is_optional:
                return None
            abort(f"expected {self.noun}, nothing came within {seconds:g} s")
        if self._is_wanted(inbound):
            return inbound
        if is_optional:
            dialogue.held = inbound
            return None
        raise InstanceAborted(f"expected {self.noun}, got {dialogue.describe(inbound)}")

    def _is_wanted(self, inbound: Inbound) -> bool:
        component = inbound.component
        code = self.operation.code
        match self.form:
            case Form.INVOKE:
                return isinstance(component, Invoke) and component.code == code
            case Form.RESULT:
                return isinstance(component, ReturnResult) and component.code == code
            case Form.ERROR:
                return isinstance(component, ReturnError) and component.operation_code == code

    def _misplaced(self, inbound: Inbound, dialogue: TesterDialogue) -> str:
        """Return why a component does not belong to this operation in this place, "" if it does.

        Q.774 3.2.1 has the user reject: a result that is one of several, an error that the
        operation does not have, a link to an operation without such a linked operation.
        """
        match inbound.component:
            case Invoke(linked_code=code) if code is not None:
                parent = dialogue.operation(code)
                if parent is not None and parent.name not in self.operation.linked_to:
                    return f"linked to {parent.name}, which has no such linked operation"
            case ReturnResult(is_last=False):
                return "not the last result, where one is all there is"
            case ReturnError(code=code):
                if not any(self.error_codes.get(one) == code for one in self.operation.errors):
                    return f"{self.operation.name} has no error {code}"
        return ""

    def _decode(self, inbound: Inbound, variant: str, notes: Notes) -> dict[str, Any]:
        component = inbound.component
        if isinstance(component, Invoke):
            return self.operation.decode_argument(component.parameter, variant, notes)
        if isinstance(component, ReturnResult):
            return self.operation.decode_result(component.parameter, variant, notes)
        assert isinstance(component, ReturnError)
        if isinstance(component.code, int):
            return self._decode_error(component.code, component.parameter, notes)
        return {}

    def _decode_error(self, code: int, parameter: bytes | None, notes: Notes) -> dict[str, Any]:
        return decode_error(code, parameter, notes)

    def _judge_form(self, notes: Notes, malformed: str, outcome: Outcome) -> None:
        """Add deviations from the declared type: as failed checks, or only as a mark."""
        for text in malformations(notes):
            outcome.is_malformed = True
            if malformed != "note":
                outcome.entry(False, f"malformed {_PARTS[self.form]}: {text}", None, None)

    def _judge_presence(self, instance: Instance, dialogue: TesterDialogue) -> None:
        """Fail the check that the dialogue's context has the operation."""
        context = dialogue.tcap.application_context
        assert context is not None
        text = f"{self.operation.name} does not exist in application context"
        instance.entry(False, f"{text} {contexts.alias_of(context)}", None, None)

    # -- overridden for MAP --------------------------------------------------------------------

    def _named_variant(self, entry: Mapping[str, Any], path: str, scope: Scope) -> str | None:
        """Return the variant that the entry names, None if the dialogue decides."""
        return checked_variant(entry, path, scope)

    def _foreign_contexts(self) -> frozenset[bytes]:
        """Return the known contexts that don't have the operation."""
        code = self.operation.code
        return frozenset(
            context.octets
            for context in contexts.CONTEXTS
            if context.operations is not None and code not in context.operations
        )

    def _awaiting(self, instance: Instance, name: str | None, path: str) -> TesterDialogue:
        """Return the dialogue to wait in."""
        return newest(instance, self.role, name, path)

    def _is_told_by_octets(self, given: Mapping[str, Any]) -> bool:
        """Return True if the octets of the component hold all that is expected."""
        return True

    def _completed(
        self, tree: dict[str, Any], dialogue: TesterDialogue, inbound: Inbound
    ) -> dict[str, Any]:
        """Return the received tree with data that belongs to it from outside of the component."""
        return tree

    def _rewritten(self, expected: Mapping[str, Any], variant: str) -> Mapping[str, Any]:
        """Return expected arguments in the form of the variant, without shorthands."""
        expand = self.operation.expand_expected or self.operation.expand
        return expand(dict(expected)) if expand and self.form is Form.INVOKE else expected

    def _check_expected(
        self, path: str, scope: Scope, variant: str | None, given: Mapping[str, Any]
    ) -> None:
        """Check the names of expected arguments, once the dialogue's variant is known."""
        part = scope.part(SigtranRun)

        def check() -> None:
            known = [variant] if variant else part.variants_of(self.role)
            check_by_variant(
                scope, known, lambda name, trial: self._check(path, trial, name, given)
            )

        scope.later.append(check)

    def _check(self, path: str, scope: Scope, actual: str, given: Mapping[str, Any]) -> None:
        operation = self.operation
        if actual not in operation.variants:
            scope.refuse(path, f"{operation.name} does not exist in {actual}")
            return
        nothing: frozenset[str] = frozenset()
        if self.form is Form.ERROR:
            check_names(given, None, f"{path}.arguments", scope, _ERROR_KEYS)
        elif self.form is Form.RESULT:
            type_ = operation.result_in(actual)
            check_names(given, type_, f"{path}.arguments", scope, nothing, Use.EXPECTED)
        else:
            expand = operation.expand_expected or operation.expand
            expanded = expand(dict(given)) if expand else given
            type_ = operation.argument_in(actual)
            extra = frozenset(operation.shorthands)
            check_names(expanded, type_, f"{path}.arguments", scope, extra, Use.EXPECTED)


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a component that one entry expects.

    variant:        that of the entry; None: the dialogue's.
    is_kept:        expressions may read the component. needs_tree: they or tests may.
    is_constant:    expected arguments without expressions are the same in every instance, and a
                    system under test often sends the same octets in every call. Same octets, same
                    variant, same expected arguments: the same outcome, without decoding.
    begins_outcome: the check log has no entry between the arrival of the component and its
                    contents, so both are added in one.
    """

    variant: str | None
    arguments: CompiledArguments
    tests: TestList | None
    malformed: str
    extensions: ExtensionTypes | None
    is_kept: bool
    needs_tree: bool
    is_constant: bool
    begins_outcome: bool
    outcomes: Memo[_Came, Outcome]


def _add(outcome: Outcome, instance: Instance, malformed: str) -> None:
    instance.add(outcome)
    if outcome.is_malformed:
        note_malformed(instance, malformed)


def note_malformed(instance: Instance, malformed: str) -> None:
    """Count a component in a form that it must not have; abort if the entry demands that."""
    instance.note_malformed()
    if malformed == "abort":
        abort("what came is malformed")


def _came(variant: str, inbound: Inbound, misplaced: str) -> _Came:
    component = inbound.component
    assert isinstance(component, (Invoke, ReturnResult, ReturnError))
    return variant, component.code, component.parameter, misplaced


def _declare(operation: Operation) -> None:
    answers = [Form.RESULT] if operation.operation_class in (1, 3) else []
    if operation.operation_class in (1, 2) and operation.errors:
        answers.append(Form.ERROR)
    for role in ROLES:
        if role in operation.sent_by:
            declare(Sending(operation, role, Form.INVOKE))
            for form in answers:
                declare(Expecting(operation, role, form))
        if "scp" in operation.sent_by:
            declare(Expecting(operation, role, Form.INVOKE))
            for form in answers:
                declare(Sending(operation, role, form))


for _operation in OPERATIONS:
    _declare(_operation)
