"""What sent and expected MAP operations check alike when the run is created."""

from collections.abc import Mapping
from typing import Any

from tsvc.kinds.sigtran.operations.arguments import check_names
from tsvc.kinds.sigtran.operations.inap_send import Form
from tsvc.operations.operation import Scope
from tsvc.protocols.map.operation import MapOperation, variant_named


def checked_version(
    entry: Mapping[str, Any], operation: MapOperation, path: str, scope: Scope
) -> str | None:
    """Return the variant an entry names, None if it names none."""
    given = entry.get("variant")
    if not given:
        return None
    variant = variant_named(given)
    if variant is None:
        scope.refuse(f"{path}.variant", f"unknown variant {given!r}")
    elif variant not in operation.variants:
        scope.refuse(f"{path}.variant", f"{operation.name} does not exist in {variant}")
        return None
    return variant


def versions(operation: MapOperation, variant: str | None) -> list[str]:
    """Return the variants that arguments may be meant for, the newest first."""
    return [variant] if variant else sorted(operation.variants, reverse=True)


def check_members(
    given: Mapping[str, Any],
    operation: MapOperation,
    form: Form,
    variant: str | None,
    path: str,
    scope: Scope,
    extra: frozenset[str] = frozenset(),
) -> list[str]:
    """Refuse names of arguments that no member has; return the versions that have them all.

    Where the version is not known before the run, one that has them all is enough.
    """
    fitting: list[str] = []
    problems: list[Any] = []
    is_result = form is Form.RESULT
    for version in versions(operation, variant):
        trial = Scope(scope.params, scope.config, parts=scope.parts)
        type_ = operation.result_in(version) if is_result else operation.argument_in(version)
        spelled = operation.respelled(given, version, is_result=is_result)
        check_names(spelled, type_, path, trial, extra)
        if not trial.problems:
            fitting.append(version)
        problems = problems or trial.problems
    if not fitting:
        scope.problems.extend(problems)
    return fitting
