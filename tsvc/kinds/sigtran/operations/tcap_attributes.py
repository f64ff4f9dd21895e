"""Attributes that all TCAP operations share, checked and prepared when the run is created."""

from collections.abc import Callable, Mapping
from typing import Any

from tsvc.expr.values import Undefined
from tsvc.kinds.sigtran.operations.dialogue import Inbound, TesterDialogue
from tsvc.operations import attributes
from tsvc.operations.attributes import Given, value_for
from tsvc.operations.operation import Entry, Instance, Scope, abort
from tsvc.protocols import contexts
from tsvc.protocols.inap.operation import variant_named
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.dialogue_portion import SOURCE_PROVIDER, SOURCE_USER, Aare
from tsvc.schema import fields
from tsvc.words import quoted

Check = Callable[[Instance, TesterDialogue, Inbound], None]
Checks = list[Check]
Compare = Callable[[Instance, TesterDialogue, Inbound, Any], None]  # with what is expected

_DIALOGUE = fields.String(help="name of the dialogue; absent: the newest of its role")
_VARIANT = fields.String(allow_none=True, help="codec variant; absent: by the application context")


class OutboundEntry(Entry):
    """Attributes of an operation that sends a component."""

    arguments = fields.Object(help="what is sent, by ASN.1 names")
    dialogue = _DIALOGUE
    variant = _VARIANT
    tcap_ac = attributes.String(
        allow_none=True, help="application context of the BEGIN: alias, dotted OID or hex"
    )
    send_with_next = attributes.Boolean(default=False, help="wait and go with the next message")
    send_and_close = attributes.Boolean(default=False, help="send as END, which ends the dialogue")
    invoke_id = attributes.Integer(-128, 127, help="in place of the next free one")
    allow_duplicate = attributes.Boolean(
        default=False, help="send `invoke_id` although it is in use: what a faulty peer does"
    )
    linked_id = attributes.Integer(
        -128, 127, help="in place of that of the last prompt or announcement"
    )
    raw_hex = fields.String(help="the whole argument as octets, right or wrong")
    allow_invalid = fields.Boolean(
        default=False, help="no warning of values that the ASN.1 type does not allow"
    )


class DialogueChecks(Entry):
    """Attributes that check the dialogue portion of the first message back."""

    tcap_ac = attributes.String(
        allow_none=True, help="expected application context; null: no dialogue portion"
    )
    tcap_result = attributes.Integer(
        allow_none=True, help="expected result of the AARE; null: no AARE"
    )
    tcap_result_diagnostic_user = attributes.Integer(
        allow_none=True, help="expected diagnostic of the user; null: none"
    )
    tcap_result_diagnostic_provider = attributes.Integer(
        allow_none=True, help="expected diagnostic of the provider; null: none"
    )


class InboundEntry(DialogueChecks):
    """Attributes of an operation that expects a component."""

    arguments = fields.Object(help="what is expected; only this is compared")
    dialogue = _DIALOGUE
    variant = _VARIANT
    last_component = attributes.Boolean(
        allow_none=True, help="1: must be the last component of an END; 0: must not"
    )
    tests = fields.List(fields.Object(), help="checks of places in the message")
    arguments_not_used = fields.Boolean(
        default=False, help="nothing reads the arguments: do not decode them"
    )
    malformed = fields.Choice(
        ("fail", "note", "abort"),
        default="fail",
        help="what a deviation from the ASN.1 type is: a failed check, a note, an abort",
    )
    optional = attributes.Boolean(default=False, help="go on if another expected operation comes")
    seconds = attributes.Number(0, unit="s", help="longest wait, else scp.tcap_timeout")


def outbound_given(entry: Mapping[str, Any], name: str, path: str, scope: Scope) -> Given:
    """Return an attribute of an entry that sends: see attributes.given()."""
    return attributes.given(entry, name, OutboundEntry.shared().fields[name], path, scope)


def inbound_given(entry: Mapping[str, Any], name: str, path: str, scope: Scope) -> Given:
    """Return an attribute of an entry that expects: see attributes.given()."""
    return attributes.given(entry, name, InboundEntry.shared().fields[name], path, scope)


def longest_wait(entry: Mapping[str, Any], path: str, scope: Scope) -> Given:
    """Return the longest wait in seconds: of the entry, else of the run, else of the daemon."""
    seconds = inbound_given(entry, "seconds", path, scope)
    if seconds is None:
        seconds = (scope.params.get("scp") or {}).get("tcap_timeout")
    return scope.config.engine.tcap_timeout_s if seconds is None else seconds


def checked_variant(entry: Mapping[str, Any], path: str, scope: Scope) -> str | None:
    """Return the variant that an entry names, None if it names none."""
    given = entry.get("variant")
    if not given:
        return None
    variant = variant_named(given)
    if variant is None:
        scope.refuse(f"{path}.variant", f"unknown variant {quoted(given)}")
    return variant


def checked_context(value: object, path: str, scope: Scope) -> bytes | None:
    """Return the octets of an application context, None if it is absent or empty."""
    if value is None or value == "":
        return None
    try:
        return contexts.context_octets(str(value))
    except ValueError as error:
        scope.refuse(path, str(error))
        return None


def context_of(given: Given, path: str, scope: Scope) -> Given:
    """Return the octets of a given application context, None, or a function of the instance.

    The function aborts the instance if the expression names no context.
    """
    if not callable(given):
        return checked_context(given, path, scope)

    def evaluate(instance: Instance) -> bytes | None:
        text = given(instance)
        try:
            return contexts.context_octets(text) if text else None
        except ValueError as error:
            abort(f"tcap_ac: {error}")

    return evaluate


def opening_context(entry: Mapping[str, Any], default: str, path: str, scope: Scope) -> Given:
    """Return the context of a BEGIN: of the entry, otherwise of the run's parameter `default`."""
    if "tcap_ac" not in entry:
        return checked_context(scope.params.get(default), default, scope)
    return context_of(outbound_given(entry, "tcap_ac", path, scope), f"{path}.tcap_ac", scope)


def sending(
    entry: Mapping[str, Any], path: str, scope: Scope
) -> Callable[[Instance, TesterDialogue], None]:
    """Return a function that sends the message of an entry, unless it waits for the next one."""
    holds = outbound_given(entry, "send_with_next", path, scope)
    closes = outbound_given(entry, "send_and_close", path, scope)
    name = entry["type"].rpartition(".")[2]

    def send(instance: Instance, dialogue: TesterDialogue) -> None:
        if not value_for(holds, instance):
            dialogue.send(instance, close=value_for(closes, instance))
        elif dialogue.held_back is None:
            dialogue.held_back = name

    return send


def dialogue_checks(entry: Mapping[str, Any], path: str, scope: Scope) -> Checks:
    """Return the checks that the entry's tcap_… and last_component attributes ask for."""
    checks: Checks = []
    if entry.get("last_component") is not None:
        wanted = inbound_given(entry, "last_component", path, scope)
        checks.append(_expecting(wanted, "last_component", entry, _compare_last))
    if "tcap_ac" in entry:
        given = inbound_given(entry, "tcap_ac", path, scope)
        context = context_of(given, f"{path}.tcap_ac", scope)
        checks.append(_expecting(context, "tcap_ac", entry, _compare_context))
    for name, reader in _READERS.items():
        if name in entry:
            given = inbound_given(entry, name, path, scope)
            checks.append(_expecting(given, name, entry, _comparing(name, reader)))
    return checks


def _expecting(given: Given, name: str, entry: Mapping[str, Any], compare: Compare) -> Check:
    """Return the check of an attribute. It fails for an expression without a value.

    Only a literal null means that something must be absent.
    """
    if not callable(given):
        return lambda instance, dialogue, inbound: compare(instance, dialogue, inbound, given)
    text = f"{name}: {Undefined.by(entry[name].strip()[1:-1].strip())}"

    def check(instance: Instance, dialogue: TesterDialogue, inbound: Inbound) -> None:
        wanted = given(instance)
        if wanted is None:
            instance.entry(False, text, None, None)
        else:
            compare(instance, dialogue, inbound, wanted)

    return check


def _compare_last(
    instance: Instance, dialogue: TesterDialogue, inbound: Inbound, wanted: bool
) -> None:
    is_last = inbound.kind is IndicationKind.END and inbound.is_last
    instance.entry(is_last == wanted, "last_component", int(wanted), int(is_last))


def _compare_context(
    instance: Instance, dialogue: TesterDialogue, inbound: Inbound, wanted: bytes | None
) -> None:
    pdu = _portion(dialogue, inbound)
    got = getattr(pdu, "application_context", None)
    dialogue.unechoed = None  # the definition checks the context itself
    instance.entry(got == wanted, "tcap_ac", _shown(wanted), _shown(got))


def _comparing(name: str, read: Callable[[Any], int | None]) -> Compare:
    def compare(
        instance: Instance, dialogue: TesterDialogue, inbound: Inbound, wanted: int | None
    ) -> None:
        got = read(_portion(dialogue, inbound))
        instance.entry(got == wanted, name, wanted, got)

    return compare


def _portion(dialogue: TesterDialogue, inbound: Inbound) -> Any:
    """Return the dialogue portion to check: of an abort its own, otherwise of the first answer."""
    return inbound.pdu if inbound.kind is IndicationKind.U_ABORT else dialogue.first_pdu


def _result(pdu: Any) -> int | None:
    return pdu.result if isinstance(pdu, Aare) else None


def _diagnostic(source: int) -> Callable[[Any], int | None]:
    def read(pdu: Any) -> int | None:
        if isinstance(pdu, Aare) and pdu.diagnostic_source == source:
            return pdu.diagnostic
        return None

    return read


_READERS: dict[str, Callable[[Any], int | None]] = {
    "tcap_result": _result,
    "tcap_result_diagnostic_user": _diagnostic(SOURCE_USER),
    "tcap_result_diagnostic_provider": _diagnostic(SOURCE_PROVIDER),
}


def _shown(octets: bytes | None) -> str | None:
    return None if octets is None else contexts.alias_of(octets)
