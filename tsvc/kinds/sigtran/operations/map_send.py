"""MAP components that the tester sends: requests, results, errors."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tsvc.errors import LocalProtocolError, Problem, as_value
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.kinds.sigtran.operations.arguments import Use, check_names, check_values
from tsvc.kinds.sigtran.operations.dialogue import newest, scp_address_of
from tsvc.kinds.sigtran.operations.inap_send import Encode, Form, Queue, ReturnedError, Sending
from tsvc.kinds.sigtran.operations.map_dialogue import HLR, MapDialogue, dialogues_of
from tsvc.kinds.sigtran.operations.tcap_attributes import opening_context, outbound_given, sending
from tsvc.kinds.sigtran.run import SigtranRun, has_errors
from tsvc.operations.attributes import Given, value_for
from tsvc.operations.operation import CompiledArguments, Execute, Instance, Scope, abort
from tsvc.protocols import contexts
from tsvc.protocols.map import operation as map_base
from tsvc.protocols.map.dialogue import ACCEPT, OPEN, encode_pdu
from tsvc.protocols.map.errors import ERROR_CODES, encode_parameter
from tsvc.protocols.map.operation import MapOperation, variant_named
from tsvc.protocols.ros import error_code
from tsvc.protocols.tcap.states import DialogueState
from tsvc.words import quoted

HLR_SSN = 6
GSMSCF_SSN = 147

USSD_CONTEXT = contexts.BY_ALIAS["ussd2"].octets
ERROR_KEYS = frozenset({"errorCode", "errorCode_name", "parameter", "parameter_hex"})
# Requests of the network that use the open session, if there is one.
_JOINING = frozenset({"UnstructuredSSRequest", "UnstructuredSSNotify"})

_NO_CONTEXT = "a MAP-Open needs an application context (hlr_ac or tcap_ac)"


class MapSending(Sending):
    """`map.hlr_to_scp.X`, `…XResult`, `…XError`."""

    operation: MapOperation
    error_codes = ERROR_CODES
    error_keys = ERROR_KEYS
    may_say_request = are_names_free = True

    def __init__(self, operation: MapOperation, form: Form) -> None:
        super().__init__(operation, HLR, form)
        self.name = f"map.{HLR}_to_scp.{operation.name}{form.value}"
        self.example = {**self.example, "type": self.name}

    def describe_arguments(self) -> dict[str, Any]:
        return with_dialogue_pdu(super().describe_arguments(), self.form)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("sigtran", path)
        variant = checked_version(entry, self.operation, path, scope)
        given = dict(entry.get("arguments") or {})
        tcap = given.pop("tcap", None)
        raw = {"raw_hex": entry["raw_hex"]} if entry.get("raw_hex") else None
        arguments = scope.arguments(raw or given, path)
        queue = self._queue(entry, path, scope, variant, arguments)
        if self.form is Form.INVOKE:
            return self._compile_request(entry, path, scope, variant, queue, tcap)
        accepting = _checked_pdu(tcap, "map_accept", path, scope)
        return self._compile_answer(entry, path, scope, queue, accepting)

    # -- answers -----------------------------------------------------------------------------

    def _compile_answer(
        self,
        entry: Mapping[str, Any],
        path: str,
        scope: Scope,
        queue: Queue,
        accepting: CompiledArguments | None,
    ) -> Execute:
        name = scope.part(SigtranRun).existing(entry.get("dialogue"), path)
        given_id = outbound_given(entry, "invoke_id", path, scope)
        send = sending(entry, path, scope)
        asked = self.operation.name

        def execute(instance: Instance) -> None:
            found = [one for one in dialogues_of(instance, name) if one.is_asked(asked)]
            dialogue = found[0] if found else newest(instance, HLR, name, path)
            queue(instance, dialogue)
            invoke_id = value_for(given_id, instance)
            if invoke_id is None:
                invoke_id = dialogue.received.get(asked)
            if isinstance(dialogue, MapDialogue) and invoke_id is not None:
                dialogue.note_answered(invoke_id)
            if accepting is not None:
                dialogue.answer_information = _encoded(accepting, instance, dialogue.name)
            send(instance, dialogue)

        return execute

    def _check_error(self, arguments: CompiledArguments, key: str) -> None:
        given = arguments.given
        encode_parameter(error_code(given[key], self.error_codes), given)

    def _error(self, rendered: Mapping[str, Any], key: str, variant: str) -> ReturnedError:
        code = error_code(rendered[key], self.error_codes)
        return code, encode_parameter(code, rendered, variant)

    # -- requests ----------------------------------------------------------------------------

    def _compile_request(
        self,
        entry: Mapping[str, Any],
        path: str,
        scope: Scope,
        variant: str | None,
        queue: Queue,
        tcap: object,
    ) -> Execute:
        send = sending(entry, path, scope)
        name = entry.get("dialogue")
        is_joining = self.operation.name in _JOINING
        may_join = "tcap_ac" not in entry and (name is not None or is_joining)
        if entry["send_and_close"] is True and not may_join:
            scope.refuse(f"{path}.send_and_close", "a message that opens a dialogue can't end it")
        open_dialogue = self._compile_opening(entry, path, scope, variant, tcap)

        def execute(instance: Instance) -> None:
            dialogue = _joined(instance, name) if may_join else None
            if dialogue is None:
                dialogue = open_dialogue(instance)
            queue(instance, dialogue)
            send(instance, dialogue)

        return execute

    def _compile_opening(
        self,
        entry: Mapping[str, Any],
        path: str,
        scope: Scope,
        variant: str | None,
        tcap: object,
    ) -> Callable[[Instance], MapDialogue]:
        """Return a function that creates a dialogue whose first message will be a BEGIN."""
        part = scope.part(SigtranRun)
        opening = _checked_pdu(tcap, "map_open", path, scope)
        chosen = self._chosen_context(entry, path, scope, variant)
        if not callable(chosen) and opening is not None and chosen[0] is None:
            scope.refuse(f"{path}.arguments.tcap", _NO_CONTEXT)
        name = entry.get("dialogue") or HLR.upper()
        part.opened.add(name)

        def open_dialogue(instance: Instance) -> MapDialogue:
            run = instance.context
            gateway = run.gateway(SigtranGateway, "sigtran")
            context, actual = value_for(chosen, instance)
            if opening is not None and context is None:
                abort(f"{name}: {_NO_CONTEXT}")
            information = b"" if opening is None else _encoded(opening, instance, name)
            dialogue = MapDialogue(gateway, name, part)
            dialogue.variant = actual
            dialogue.opening = partial(
                dialogue.tcap.begin,
                gateway.scp_address(scp_address_of(run.params), GSMSCF_SSN),
                gateway.own_address(run.params.get("hlr"), HLR_SSN),
                application_context=context,
                user_information=information,
            )
            instance.dialogues.append(dialogue)
            instance.watch(dialogue, name)
            return dialogue

        return open_dialogue

    def _chosen_context(
        self, entry: Mapping[str, Any], path: str, scope: Scope, variant: str | None
    ) -> Given:
        """Return (application context, variant) of the BEGIN, or a function of the instance."""
        operation = self.operation
        context = opening_context(entry, "hlr_ac", path, scope)

        def choose(octets: bytes | None) -> tuple[bytes | None, str]:
            decided = map_base.variant_of(octets)
            if variant is None and decided is not None and decided not in operation.variants:
                raise ValueError(f"{operation.name} does not exist in {decided}")
            if "map1" in (variant, decided):
                octets = None  # version 1 has no dialogue portion: its context is never sent
            return octets, variant or decided or max(operation.variants)

        if not callable(context):
            try:
                return choose(context)
            except ValueError as error:
                scope.refuse(path, str(error))
                return None, max(operation.variants)

        def choose_now(instance: Instance) -> tuple[bytes | None, str]:
            try:
                return choose(context(instance))
            except ValueError as error:
                abort(str(error))

        return choose_now

    def _check(
        self,
        path: str,
        scope: Scope,
        actual: str,
        arguments: CompiledArguments,
        encode: Encode,
        use: Use,
    ) -> None:
        """Check arguments against the version that the entry names, otherwise against all."""
        given = arguments.given
        place = f"{path}.arguments"
        variant = actual if actual in map_base.VERSIONS else None
        fitting = [variant or max(self.operation.variants)]
        if "raw_hex" not in given:
            fitting = check_by_version(
                given, self.operation, self.form, variant, place, scope, frozenset(), use
            )
        if not arguments.is_constant:
            return
        failures = [_failure(encode, arguments, version) for version in fitting]
        if failures and None not in failures:
            error = failures[0]
            assert error is not None
            scope.refuse(f"{place}.{error.path}" if error.path else place, error.text)


def checked_version(
    entry: Mapping[str, Any], operation: MapOperation, path: str, scope: Scope
) -> str | None:
    """Return the variant that an entry names, None if it names none."""
    given = entry.get("variant")
    if not given:
        return None
    variant = variant_named(given)
    if variant is None:
        scope.refuse(f"{path}.variant", f"unknown variant {quoted(given)}")
    elif variant not in operation.variants:
        scope.refuse(f"{path}.variant", f"{operation.name} does not exist in {variant}")
        return None
    return variant


def check_by_version(
    given: Mapping[str, Any],
    operation: MapOperation,
    form: Form,
    variant: str | None,
    path: str,
    scope: Scope,
    extra: frozenset[str] = frozenset(),
    use: Use = Use.EXPECTED,
) -> list[str]:
    """Refuse unknown names, and values to send that no version allows. Return the versions that
    have all names and values. If one of them has no warnings either, there are none.

    If the version is not known before the run, one fitting version is enough.
    """
    fitting: list[str] = []
    trials: list[list[Problem]] = []
    is_result = form is Form.RESULT
    for version in [variant] if variant else sorted(operation.variants, reverse=True):
        trial = Scope(scope.params, scope.config, parts=scope.parts)
        type_ = operation.result_in(version) if is_result else operation.argument_in(version)
        spelled = operation.respelled(given, version, is_result=is_result)
        check_names(spelled, type_, path, trial, extra, use)
        if use is not Use.EXPECTED:
            check_values(given, operation, version, path, trial, is_result=is_result, use=use)
        if not has_errors(trial.problems):
            fitting.append(version)
        trials.append(trial.problems)
    if all(trials):
        scope.problems += min(trials, key=has_errors, default=[])
    return fitting


def with_dialogue_pdu(described: dict[str, Any], form: Form) -> dict[str, Any]:
    """Return a description of arguments with the MAP dialogue PDU that may be sent with them.

    MAP-Open is sent with the request in a BEGIN, MAP-Accept with the first answer to a BEGIN.
    """
    pdu = {"map_open": OPEN} if form is Form.INVOKE else {"map_accept": ACCEPT}
    members = {name: type_.describe() for name, type_ in pdu.items()}
    tcap = {"type": "sequence", "members": members}
    return {**described, "members": {**described.get("members", {}), "tcap": tcap}}


def _failure(
    encode: Encode, arguments: CompiledArguments, version: str
) -> LocalProtocolError | None:
    """Return why constant arguments can't be encoded in a version, None if they can."""
    try:
        encode(arguments.constant(), version)
    except LocalProtocolError as error:
        return as_value(error)
    return None


def _joined(instance: Instance, name: str | None) -> MapDialogue | None:
    """Return the dialogue that a request joins: the named one, otherwise the USSD session."""
    for dialogue in dialogues_of(instance, name):
        is_alive = dialogue.role == HLR and dialogue.tcap.state is not DialogueState.CLOSED
        is_ussd = dialogue.tcap.application_context in (None, USSD_CONTEXT)
        if is_alive and (name is not None or is_ussd):
            return dialogue
    return None


def _checked_pdu(tcap: object, pdu: str, path: str, scope: Scope) -> CompiledArguments | None:
    """Return the MAP dialogue PDU to send with a message, None if the entry gives none."""
    if tcap is None:
        return None
    place = f"{path}.arguments.tcap"
    if not isinstance(tcap, Mapping) or set(tcap) != {pdu}:
        scope.refuse(place, f"must be an object with the member {pdu}")
        return None
    given = CompiledArguments(tcap, scope.template_to_send(tcap, place))
    if given.is_constant:
        try:
            encode_pdu(given.constant())
        except LocalProtocolError as error:
            scope.refuse(f"{place}.{error.path}", error.text)
    return given


def _encoded(pdu: CompiledArguments, instance: Instance, name: str) -> bytes:
    """Return the user information with a MAP dialogue PDU; aborts if it can't be encoded."""
    try:
        return encode_pdu(pdu.render(instance.env))
    except LocalProtocolError as error:
        abort(f"{name}: {error}")
