"""Loads the params of a request into checked values, by a shared schema."""

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import Schema, ValidationError

from tsvc import turns
from tsvc.errors import Problem, TsvcError
from tsvc.schema.fields import flatten_messages, unknown_members
from tsvc.words import member_path


class LoadedParams(dict[str, Any]):
    """Checked params of one call. `warnings` names the unknown members that were left out."""

    def __init__(self, values: Mapping[str, Any], warnings: Iterable[Problem] = ()) -> None:
        super().__init__(values)
        self.warnings = list(warnings)


def load_params(
    schema: Schema,
    params: dict[str, Any],
    *,
    refuse: type[TsvcError],
    are_unknown_refused: bool = True,
) -> LoadedParams:
    """Return the params as the schema loads them.

    Errors: `refuse` naming all wrong members. Unless are_unknown_refused, members that no schema
            knows are left out instead, and become warnings.
    """
    try:
        return LoadedParams(schema.load(params))
    except ValidationError as error:
        messages = error.messages
        turns.hold(messages)
    unknown = [] if are_unknown_refused else unknown_members(messages)
    if not unknown:
        raise _refusal(messages, refuse)
    pruned = _without(params, {steps for steps, _ in unknown})
    warnings = [Problem(_path(steps), text, "warning") for steps, text in unknown]
    try:
        return LoadedParams(schema.load(pruned), warnings)
    except ValidationError as error:
        raise _refusal(error.messages, refuse) from None


def _refusal(messages: object, refuse: type[TsvcError]) -> TsvcError:
    fields = flatten_messages(messages)
    path, texts = next(iter(fields.items()))
    more = f" (and {len(fields) - 1} more)" if len(fields) > 1 else ""
    return refuse(f"{path}: {texts[0]}{more}", fields=fields)


def _path(steps: tuple[str | int, ...]) -> str:
    path = "params"
    for step in steps:
        path = member_path(path, step)
    return path


def _without(
    value: Any, left_out: set[tuple[str | int, ...]], at: tuple[str | int, ...] = ()
) -> Any:
    """Return a copy without the members at the given paths. Depth: that of a request, 64."""
    turns.walked()
    if isinstance(value, dict):
        members = {name: (*at, name) for name in value if (*at, name) not in left_out}
        return {name: _without(value[name], left_out, here) for name, here in members.items()}
    if isinstance(value, list):
        return [_without(item, left_out, (*at, k)) for k, item in enumerate(value)]
    return value
