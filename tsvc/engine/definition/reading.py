"""Params that hold a test definition: every problem is found at once, however deep it lies."""

from collections.abc import Mapping
from typing import Any

from tsvc.engine.definition.parameters import TestParameters
from tsvc.errors import DefinitionError, Problem
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams, load_params
from tsvc.schema.paths import member_path

_SCHEMA = TestParameters()
_OPEN = TestParameters.open_prefixes


class AnyMembers(Params):
    """Takes whatever comes: read_definition() judges it."""

    open_prefixes = ("",)


def read_definition(
    service: Any, params: Mapping[str, Any]
) -> tuple[LoadedParams | None, list[Problem]]:
    """Return the checked params, None if they are wrong, and then all that is wrong.

    Members of the wrong shape do not hide what is wrong with the others.
    """
    refuses_unknown = service.config.rpc.unknown_params == "refuse"
    try:
        return _load(params, refuses_unknown), []
    except DefinitionError as error:
        fields = error.fields
    problems = [Problem(path, text) for path, texts in fields.items() for text in texts]
    known = [name for name in params if name in _SCHEMA.fields or name.startswith(_OPEN)]
    rest = {name: params[name] for name in known if not _is_named(name, fields)}
    if "operations" in rest:
        found = service.validate(_load(rest, refuses_unknown))["problems"]
        problems += [Problem(**problem) for problem in found]
    return None, problems


def _load(params: Mapping[str, Any], refuses_unknown: bool) -> LoadedParams:
    return load_params(
        _SCHEMA, dict(params), refuse=DefinitionError, are_unknown_refused=refuses_unknown
    )


def _is_named(name: str, paths: Mapping[str, Any]) -> bool:
    """Whether a problem lies in the member of that name."""
    place = member_path("params", name)
    return any(path == place or path.startswith((f"{place}.", f"{place}[")) for path in paths)
