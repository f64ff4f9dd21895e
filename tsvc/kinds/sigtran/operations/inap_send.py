"""INAP and CAP components that the tester sends: invokes, results, errors."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from typing import Any, ClassVar

from tsvc.errors import LocalProtocolError
from tsvc.expr.values import to_text
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.kinds.sigtran.operations.arguments import (
    Use,
    check_names,
    check_values,
    digit_places,
    has_name,
    smallest,
    with_digits,
)
from tsvc.kinds.sigtran.operations.dialogue import (
    TesterDialogue,
    newest,
    scp_address_of,
    variant_for,
)
from tsvc.kinds.sigtran.operations.tcap_attributes import (
    OutboundEntry,
    checked_variant,
    opening_context,
    outbound_given,
    sending,
)
from tsvc.kinds.sigtran.run import SigtranRun, check_by_variant, has_errors
from tsvc.memo import Memo
from tsvc.operations.attributes import Given, value_for
from tsvc.operations.eligibility import Argument
from tsvc.operations.operation import (
    OUTBOUND,
    CompiledArguments,
    Execute,
    Instance,
    OperationType,
    Scope,
    abort,
)
from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.inap.operation import CAP, Operation
from tsvc.protocols.ros import error_code
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.components import ReturnError, ReturnResult

CAMEL_SSN = 146
INAP_SSN = 106
_SSNS, _VARIANTS = 2, 16  # that one operation of a definition may use
ERROR_KEYS = frozenset({"errorCode", "errorCode_name", "parameter_hex"})
_PROMPTS = frozenset({"PlayAnnouncement", "PromptAndCollectUserInformation"})


class Form(Enum):
    """The component of an operation; the value is the suffix of the type name."""

    INVOKE = ""
    RESULT = "Result"
    ERROR = "Error"


Encode = Callable[[Mapping[str, Any], str], bytes | None]
Queue = Callable[[Instance, TesterDialogue], None]
ReturnedError = tuple[int, bytes | None]  # its code and its parameter


class Sending(OperationType):
    """`inap.<role>_to_scp.X`, `…XResult`, `…XError`."""

    family = OUTBOUND
    received = ()
    Attributes = OutboundEntry
    error_codes: ClassVar[Mapping[str, int]] = ERROR_CODES
    error_keys: ClassVar[frozenset[str]] = ERROR_KEYS

    def __init__(self, operation: Operation, role: str, form: Form) -> None:
        self.operation = operation
        self.role = role
        self.form = form
        self.name = f"inap.{role}_to_scp.{operation.name}{form.value}"
        self.summary = {
            Form.INVOKE: operation.summary,
            Form.RESULT: f"answer {operation.name} with its result",
            Form.ERROR: f"answer {operation.name} with an error",
        }[form]
        self.example = _example(self.name, operation, form)

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), **describe_answers(self.operation, self.form)}

    def describe_arguments(self) -> dict[str, Any]:
        return describe_argument(self.operation, self.form, self.error_codes)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("sigtran", path)
        variant = checked_variant(entry, path, scope)
        raw = {"raw_hex": entry["raw_hex"]} if entry.get("raw_hex") else None
        arguments = scope.arguments(raw or entry.get("arguments"), path)
        opens = self.form is Form.INVOKE and self.operation.can_begin
        if opens:
            return self._compile_begin(entry, path, scope, variant, arguments)
        queue = self._queue(entry, path, scope, variant, arguments)
        name, role = scope.part(SigtranRun).existing(entry.get("dialogue"), path), self.role
        send = sending(entry, path, scope)

        def execute(instance: Instance) -> None:
            dialogue = newest(instance, role, name, path)
            queue(instance, dialogue)
            send(instance, dialogue)

        return execute

    # -- opening a dialogue ------------------------------------------------------------------

    def _compile_begin(
        self,
        entry: Mapping[str, Any],
        path: str,
        scope: Scope,
        variant: str | None,
        arguments: CompiledArguments,
    ) -> Execute:
        role = self.role
        part = scope.part(SigtranRun)
        chosen = self._chosen_context(entry, path, scope, variant)
        actual = None if callable(chosen) else chosen[1]
        queue = self._queue(entry, path, scope, variant or actual, arguments)
        name = entry.get("dialogue") or role.upper()
        part.opened.add(name)
        part.begins += 1
        send = sending(entry, path, scope)
        if entry["send_and_close"] is True:
            scope.refuse(f"{path}.send_and_close", "a message that opens a dialogue can't end it")
        # By subsystem number; they are the same in all instances of the run.
        addresses: Memo[int, tuple[Address, Address]] = Memo("addresses of a run", _SSNS)

        def execute(instance: Instance) -> None:
            run = instance.context
            gateway = run.gateway(SigtranGateway, "sigtran")
            context, actual = value_for(chosen, instance)
            dialogue = TesterDialogue(gateway, role, name, part, part.self_answered)
            dialogue.variant = actual
            instance.dialogues.append(dialogue)
            instance.watch(dialogue, name)
            queue(instance, dialogue)
            ssn = CAMEL_SSN if actual in CAP else INAP_SSN
            pair = addresses.get(ssn)
            if pair is None:
                called = gateway.scp_address(scp_address_of(run.params), ssn)
                pair = addresses[ssn] = called, gateway.own_address(run.params.get("ssp"), ssn)
            called, calling = pair
            dialogue.opening = partial(
                dialogue.tcap.begin, called, calling, application_context=context
            )
            send(instance, dialogue)

        return execute

    def _chosen_context(
        self, entry: Mapping[str, Any], path: str, scope: Scope, variant: str | None
    ) -> Given:
        """Return (application context, variant) of the BEGIN, or a function of the instance."""
        operation = self.operation
        context = opening_context(entry, "ssp_ac", path, scope)
        variants = scope.part(SigtranRun).variants.setdefault(self.role, set())
        if not callable(context):
            actual = variant_for(context, variant)
            variants.add(actual)
            if actual not in operation.variants:
                scope.refuse(path, f"{operation.name} does not exist in {actual}")
            return context, actual
        variants |= {variant} if variant else operation.variants

        def choose(instance: Instance) -> tuple[bytes | None, str]:
            octets = context(instance)
            actual = variant_for(octets, variant)
            if actual not in operation.variants:
                abort(f"{operation.name} does not exist in {actual}")
            return octets, actual

        return choose

    # -- components --------------------------------------------------------------------------

    def _queue(
        self,
        entry: Mapping[str, Any],
        path: str,
        scope: Scope,
        variant: str | None,
        arguments: CompiledArguments,
    ) -> Queue:
        """Return a function that queues the component."""
        if self.form is Form.ERROR:
            if arguments.is_constant:
                scope.eligibility.allow("sigtran", path, entry)
            given_id = outbound_given(entry, "invoke_id", path, scope)
            return self._queue_error(path, scope, arguments, given_id)
        operation = self.operation
        encode: Encode = operation.encode_argument
        if self.form is Form.RESULT:
            encode = operation.encode_result
        known = [variant] if variant else None
        use = Use.of(entry)
        scope.later.append(
            lambda: check_by_variant(
                scope,
                known or scope.part(SigtranRun).variants_of(self.role),
                lambda name, trial: self._check(path, trial, name, arguments, encode, use),
            )
        )
        octets = self._octets(entry, path, scope, variant, arguments, encode)
        given_id = outbound_given(entry, "invoke_id", path, scope)
        if self.form is Form.RESULT:
            return _result_queue(operation, octets, given_id)
        given_link = outbound_given(entry, "linked_id", path, scope)
        given_duplicate = outbound_given(entry, "allow_duplicate", path, scope)
        return _invoke_queue(operation, octets, given_id, given_link, given_duplicate)

    def _octets(
        self,
        entry: Mapping[str, Any],
        path: str,
        scope: Scope,
        variant: str | None,
        arguments: CompiledArguments,
        encode: Encode,
    ) -> Callable[[Instance, TesterDialogue], bytes | None]:
        """Return a function that encodes the arguments, constant ones once per variant.

        It also declares that instances may be replayed: only the arguments differ.
        """
        operation = self.operation
        encoded: Memo[str, bytes | None] = Memo("arguments without expressions", _VARIANTS)
        is_constant = arguments.is_constant
        extensions = scope.part(SigtranRun).extensions
        has_inner = has_name(arguments.given, "value_inner")
        places = list(digit_places(arguments.given))

        def encoded_of(rendered: Mapping[str, Any], named: str) -> bytes | None:
            given = with_digits(dict(rendered), places)
            return encode(extensions.expand(given) if has_inner else given, variant or named)

        if is_constant:
            scope.eligibility.allow("sigtran", path, entry)
        else:
            # Other members of the entry, such as `tcap` of MAP, are the same in all instances.
            given = entry["arguments"]
            rest = {name: given[name] for name in given if name not in arguments.given}
            others = {**entry, "arguments": rest}
            sent = [Argument(dict(arguments.given), encoded_of)]
            scope.eligibility.allow("sigtran", path, others, sent=sent)

        def octets(instance: Instance, dialogue: TesterDialogue) -> bytes | None:
            actual = variant or dialogue.variant
            if is_constant and actual in encoded:
                return encoded[actual]
            try:
                value = encoded_of(arguments.render(instance.env), actual)
            except LocalProtocolError as error:
                abort(f"{operation.name}: {error}")
            if is_constant:
                encoded[actual] = value
            return value

        return octets

    def _check(
        self,
        path: str,
        scope: Scope,
        actual: str,
        arguments: CompiledArguments,
        encode: Encode,
        use: Use,
    ) -> None:
        """Check the arguments against a variant that the dialogue may have."""
        operation = self.operation
        if actual not in operation.variants:
            scope.refuse(path, f"{operation.name} does not exist in {actual}")
            return
        given = arguments.given
        if "raw_hex" not in given:
            is_invoke = self.form is Form.INVOKE
            type_ = operation.argument_in(actual) if is_invoke else operation.result_in(actual)
            expanded = operation.expand(dict(given)) if operation.expand and is_invoke else given
            before = len(scope.problems)
            check_names(expanded, type_, f"{path}.arguments", scope, frozenset(), use)
            place, is_result = f"{path}.arguments", not is_invoke
            check_values(given, operation, actual, place, scope, is_result=is_result, use=use)
            if has_errors(scope.problems[before:]):
                return
        if arguments.is_constant:
            try:
                encode(scope.part(SigtranRun).extensions.expand(arguments.constant()), actual)
            except LocalProtocolError as error:
                place = f"{path}.arguments.{error.path}" if error.path else f"{path}.arguments"
                scope.refuse(place, error.text)

    def _queue_error(
        self, path: str, scope: Scope, arguments: CompiledArguments, given_id: Given
    ) -> Queue:
        operation = self.operation
        given, place = arguments.given, f"{path}.arguments"
        check_names(given, None, place, scope, self.error_keys)
        key = "errorCode" if "errorCode" in given else "errorCode_name"
        if key not in given:
            scope.refuse(f"{place}.errorCode", "is missing")
        elif arguments.is_constant:
            try:
                self._check_error(arguments, key)
            except ValueError as error:
                scope.refuse(f"{place}.{key}", str(error))
            except LocalProtocolError as error:
                scope.refuse(f"{place}.{error.path}", error.text)

        def queue(instance: Instance, dialogue: TesterDialogue) -> None:
            rendered = arguments.render(instance.env)
            invoke_id = _answered(dialogue, operation, value_for(given_id, instance))
            try:
                code, parameter = self._error(rendered, key, dialogue.variant)
                dialogue.tcap.answer(ReturnError(invoke_id, code, parameter))
            except (ValueError, LocalProtocolError) as error:
                abort(f"{operation.name}Error: {error}")

        return queue

    def _check_error(self, arguments: CompiledArguments, key: str) -> None:
        """Check an error. Errors: ValueError (code), LocalProtocolError (parameter)."""
        error_code(arguments.constant()[key], self.error_codes)

    def _error(self, rendered: Mapping[str, Any], key: str, variant: str) -> ReturnedError:
        """Return the error to send. Errors: ValueError, LocalProtocolError."""
        code = error_code(rendered[key], self.error_codes)
        return code, bytes.fromhex(to_text(rendered.get("parameter_hex"))) or None


def _answered(dialogue: TesterDialogue, operation: Operation, given_id: int | None) -> int:
    """Return the invoke id that a result or error of this operation answers."""
    invoke_id = dialogue.received.get(operation.name) if given_id is None else given_id
    if invoke_id is None:
        abort(f"there is no {operation.name} to answer")
    return invoke_id


def _result_queue(
    operation: Operation,
    octets: Callable[[Instance, TesterDialogue], bytes | None],
    given_id: Given,
) -> Queue:
    def queue(instance: Instance, dialogue: TesterDialogue) -> None:
        invoke_id = _answered(dialogue, operation, value_for(given_id, instance))
        parameter = octets(instance, dialogue)
        code = None if parameter is None else operation.code
        try:
            dialogue.tcap.answer(ReturnResult(invoke_id, code, parameter))
        except LocalProtocolError as error:
            abort(f"{operation.name}Result: {error}")

    return queue


def _invoke_queue(
    operation: Operation,
    octets: Callable[[Instance, TesterDialogue], bytes | None],
    given_id: Given,
    given_link: Given,
    given_duplicate: Given,
) -> Queue:
    is_linked = bool(_PROMPTS.intersection(operation.linked_to))

    def queue(instance: Instance, dialogue: TesterDialogue) -> None:
        parameter = octets(instance, dialogue)
        linked_id = value_for(given_link, instance)
        if linked_id is None and is_linked:
            linked_id = dialogue.prompt_invoke_id
        dialogue.note_invoked(operation.name, parameter)
        if instance.is_traced and operation.timer_s:
            instance.trace(3, f"{operation.name} may be answered for {operation.timer_s:g} s")
        try:
            dialogue.tcap.invoke(
                operation.code,
                operation.operation_class,
                parameter,
                now=instance.clock.now(),
                timer_s=operation.timer_s,
                linked_id=linked_id,
                invoke_id=value_for(given_id, instance),
                allow_duplicate=value_for(given_duplicate, instance),
            )
        except LocalProtocolError as error:
            abort(f"{operation.name}: {error}")

    return queue


def describe_argument(
    operation: Operation, form: Form, error_codes: Mapping[str, int]
) -> dict[str, Any]:
    """Return the catalogue's description of arguments: one description for all variants.

    A member that some variants lack has `variants`; a type that differs has `choices`.
    """
    if form is Form.ERROR:
        code = {
            "type": "error",
            "names": {str(error_codes[name]): name for name in operation.errors},
            "required": True,
            "keys": ["errorCode", "errorCode_name"],
        }
        parameter = {"type": "octets", "keys": ["parameter", "parameter_name", "parameter_hex"]}
        return {"type": "sequence", "members": {"errorCode": code, "parameter": parameter}}
    type_ = operation.argument if form is Form.INVOKE else operation.result
    if type_ is None:
        return {"type": "sequence", "members": {}}
    shorthands = operation.shorthands if form is Form.INVOKE else ()
    return {**type_.describe(), "shorthands": sorted(shorthands)}


def describe_answers(operation: Operation, form: Form) -> dict[str, Any]:
    """Return further catalogue data of an operation: variants, class, code, errors."""
    return {
        "variants": sorted(operation.variants),
        "code": operation.code,
        "class": operation.operation_class,
        "timer_s": operation.timer_s,
        "errors": list(operation.errors) if form is Form.INVOKE else [],
    }


def _example(name: str, operation: Operation, form: Form) -> dict[str, Any]:
    example: dict[str, Any] = {"type": name}
    if form is Form.INVOKE and operation.example:
        example["arguments"] = dict(operation.example)
    elif form is Form.RESULT and operation.result is not None:
        arguments = smallest(operation.result.describe())
        if arguments:
            example["arguments"] = arguments
    elif form is Form.ERROR:
        example["arguments"] = {"errorCode": operation.errors[0] if operation.errors else 11}
    return example
