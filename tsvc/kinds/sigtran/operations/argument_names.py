"""Member names of arguments, checked against the declared types before a run starts."""

from collections.abc import Mapping
from typing import Any

from tsvc.operations.operation import Scope
from tsvc.protocols.asn1 import Choice, Containing, Sequence, SequenceOf, Structure, Type


def check_names(
    args: Mapping[str, Any],
    type_: Structure | None,
    path: str,
    scope: Scope,
    extra: frozenset[str],
) -> None:
    """Refuse names that no member has. `extra`: shorthands; a leading `!` is the negation."""
    for key, value in args.items():
        name = key.removeprefix("!")
        if name in extra or name.startswith("_"):
            continue
        member = type_.member_of(name) if type_ is not None else None
        if member is None:
            known = [*(type_.known_keys() if type_ is not None else ()), *sorted(extra)]
            scope.refuse(f"{path}.{key}", "unknown argument" + scope.hint(name, known))
            continue
        if name == member.name:
            _check_below(value, member.type, f"{path}.{key}", scope)


def _check_below(value: Any, type_: Type, path: str, scope: Scope) -> None:
    nothing: frozenset[str] = frozenset()
    if isinstance(type_, Containing):
        type_ = type_.inner
    if isinstance(type_, (Sequence, Choice)) and isinstance(value, Mapping):
        check_names(value, type_, path, scope, nothing)
    elif isinstance(type_, SequenceOf) and isinstance(value, list):
        element = type_.element
        for position, item in enumerate(value):
            if isinstance(element, Structure) and isinstance(item, Mapping):
                check_names(item, element, f"{path}[{position}]", scope, nothing)
