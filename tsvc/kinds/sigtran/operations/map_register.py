"""`map.hlr_from_scp.Register`: the instance owns a BEGIN that is yet to come.

Registrations belong to a gateway. A BEGIN is given to the instance that registered its subscriber,
otherwise to one that registered any subscriber. A BEGIN that nobody registered is not taken, and
the gateway aborts it. A registration ends when its BEGIN comes, or with its instance. Until the
instance is over it is notified of a second BEGIN, which no operation expects.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from tsvc.errors import LocalProtocolError
from tsvc.expr.values import to_integer
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.kinds.sigtran.operations.map_dialogue import MapDialogue, map_open_of
from tsvc.kinds.sigtran.operations.tcap_attributes import checked_context
from tsvc.kinds.sigtran.run import SigtranRun
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.operation import (
    INBOUND,
    Entry,
    Execute,
    Instance,
    OperationType,
    Scope,
    abort,
    declare,
)
from tsvc.protocols import contexts
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.map import operation as map_base
from tsvc.protocols.map.operation import OPERATIONS, MapOperation
from tsvc.protocols.party_number import digits_of
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.dialogue import Indication
from tsvc.schema import fields
from tsvc.words import quoted

ANYONE = "any subscriber"
_KINDS = ("msisdn", "imsi")
_REFERENCES = ("destination_reference_digits", "origination_reference_digits")

_BY_CODE = {operation.code: operation for operation in OPERATIONS}

# (operation code, msisdn, imsi or ANYONE, digits)
Key = tuple[int, str, str]


class Registrations:
    """The registrations of one gateway's instances."""

    def __init__(self) -> None:
        self._waiting: dict[Key, MapDialogue] = {}
        self._taken: dict[Key, MapDialogue] = {}  # whose BEGIN has come

    def add(self, keys: list[Key], dialogue: MapDialogue) -> None:
        """Register a dialogue for BEGINs of any of these keys.

        Errors: LocalProtocolError if another dialogue waits for one of them already.
        """
        for key in keys:
            if key in self._waiting:
                code, kind, digits = key
                whom = f"{kind} {digits}".strip()
                raise LocalProtocolError(f"{whom} is registered already for operation {code}")
        self._waiting.update(dict.fromkeys(keys, dialogue))

    def remove(self, dialogue: MapDialogue) -> None:
        """Remove all registrations of a dialogue, waiting and taken."""
        for found in (self._waiting, self._taken):
            for key in [key for key, one in found.items() if one is dialogue]:
                del found[key]

    def offer(self, indication: Indication) -> bool:
        """Give a BEGIN to its dialogue. Return False if none waits for it. Never switches."""
        if not (self._waiting or self._taken):
            return False
        keys = keys_of(indication)
        for key in keys:
            dialogue = self._waiting.get(key)
            if dialogue is not None:
                own = [one for one, waiting in self._waiting.items() if waiting is dialogue]
                for one in own:
                    self._taken[one] = self._waiting.pop(one)
                dialogue.accept(indication)
                return True
        for key in keys:
            dialogue = self._taken.get(key)
            if dialogue is not None:
                code, kind, digits = key
                whom = f"{kind} {digits}".strip()
                dialogue.tell(f"second TC-BEGIN of operation {code} for {whom}, refused")
                break
        return False


def keys_of(indication: Indication) -> list[Key]:
    """Return the keys under which a BEGIN may be registered, the most specific first."""
    context = indication.dialogue.application_context
    version = map_base.variant_of(context) or map_base.DEFAULT_VARIANT
    found: dict[Key, None] = {}
    anyone: list[Key] = []
    references = list(_references(map_open_of(indication) or {}))
    for operation, tree in _requests(indication, context, version):
        subscribers = [*_subscribers(tree), *references]
        found |= dict.fromkeys((operation.code, kind, digits) for kind, digits in subscribers)
        anyone.append((operation.code, ANYONE, ""))
    return [*found, *anyone]


def _requests(
    indication: Indication, context: bytes | None, version: str
) -> Iterator[tuple[MapOperation, Tree]]:
    """Yield the requests in a BEGIN; without components, those that its context allows."""
    if not indication.components and context is not None:
        alias = contexts.alias_of(context)
        for operation in OPERATIONS:
            if alias in operation.contexts.values():
                yield operation, {}
    for component in indication.components:
        if isinstance(component, Invoke) and isinstance(component.code, int):
            known = map_base.by_code(version, component.code) or _BY_CODE.get(component.code)
            if known is not None:
                # It does not exist in this version: the instance that waits for it is notified.
                actual = version if version in known.variants else max(known.variants)
                yield known, known.decode_argument(component.parameter, actual, [])


def _subscribers(tree: Any) -> Iterator[tuple[str, str]]:
    """Yield (msisdn or imsi, digits) of every number with these names, at any depth."""
    if isinstance(tree, dict):
        for kind in _KINDS:
            digits = tree.get(f"{kind}_digits")
            if isinstance(digits, str):
                yield kind, digits
        for value in tree.values():
            yield from _subscribers(value)


def _references(opened: Tree) -> Iterator[tuple[str, str]]:
    """Yield the subscriber of a MAP-Open, under both kinds: the PDU does not tell the kind."""
    for name in _REFERENCES:
        digits = opened.get(name)
        if isinstance(digits, str):
            for kind in _KINDS:
                yield kind, digits


_REGISTRATIONS: WeakKeyDictionary[SigtranGateway, Registrations] = WeakKeyDictionary()


def registrations_of(gateway: SigtranGateway) -> Registrations:
    """Return the registrations of a gateway; from then on its BEGINs are offered to them."""
    registrations = _REGISTRATIONS.get(gateway)
    if registrations is None:
        registrations = _REGISTRATIONS[gateway] = Registrations()
        gateway.on_begin(registrations.offer)
    return registrations


class _Opcode(fields.Anything):
    type = "enumerated"


class Register(OperationType):
    """`map.hlr_from_scp.Register`."""

    name = "map.hlr_from_scp.Register"
    may_say_request = are_names_free = True
    family = INBOUND
    received = ()
    summary = "own a MAP dialogue that the SCP will begin"
    example: Mapping[str, Any] = {
        "type": name,
        "arguments": {"opcode": 71, "msisdn_digits": "6421000001"},
    }

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        dialogue = fields.String()
        tcap_ac = fields.String(
            help="application context that is taken beside those of the operation: alias, dotted"
            " OID or hex"
        )

    class Arguments(ArgumentMembers):
        open_prefixes = ()
        has_hints = False
        opcode = _Opcode(required=True)
        msisdn_digits = fields.Digits()
        imsi_digits = fields.Digits()

    def describe_arguments(self) -> dict[str, Any] | None:
        described = super().describe_arguments() or {}
        names = {str(operation.code): operation.name for operation in OPERATIONS}
        described["members"]["opcode"]["names"] = names
        return described

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("sigtran", path)
        scope.part(SigtranRun).is_called = True
        given = entry["arguments"]
        self.Arguments.check(given, f"{path}.arguments", scope)
        arguments = scope.arguments(given, path)
        if arguments.is_constant and given.get("opcode") is not None:
            try:
                registered_keys(arguments.constant())
            except LocalProtocolError as error:
                scope.refuse(f"{path}.arguments.{error.path}", error.text)
        name = entry.get("dialogue") or "HLR"
        scope.part(SigtranRun).opened.add(name)
        allowed = checked_context(entry.get("tcap_ac"), f"{path}.tcap_ac", scope)

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(SigtranGateway, "sigtran")
            registrations = registrations_of(gateway)
            try:
                keys = registered_keys(arguments.render(instance.env))
                dialogue = MapDialogue.waiting(
                    gateway,
                    name,
                    keys[0][0],
                    on_accepted=lambda accepted: instance.watch(accepted, name),
                    on_closed=registrations.remove,
                )
                dialogue.allowed = () if allowed is None else (allowed,)
                registrations.add(keys, dialogue)
            except LocalProtocolError as error:
                abort(f"Register: {error}")
            instance.dialogues.append(dialogue)

        return execute


def registered_keys(given: Mapping[str, Any]) -> list[Key]:
    """Return the keys of a Register. Errors: LocalProtocolError with the member's name."""
    code = _operation_code(given.get("opcode"))
    keys: list[Key] = []
    for kind in _KINDS:
        digits = given.get(f"{kind}_digits")
        if digits not in (None, ""):
            keys.append((code, kind, digits_of(digits, f"{kind}_digits").lower()))
    return keys or [(code, ANYONE, "")]


def _operation_code(given: object) -> int:
    operation = OPERATIONS.get(given) if isinstance(given, str) else None
    if operation is not None:
        return operation.code
    code = to_integer(given) if isinstance(given, int | float | str) else -1
    known = {operation.code: operation.name for operation in OPERATIONS}
    if code not in known:
        names = ", ".join(f"{number} {name}" for number, name in sorted(known.items()))
        raise LocalProtocolError(f"{quoted(given)} is none of {names}", path="opcode")
    return code


declare(Register())
