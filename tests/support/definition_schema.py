"""The JSON Schema of definitions, and the part of it for one type of operation."""

from functools import cache
from typing import Any

import jsonschema

from tsvc.engine.compiler.json_schema import definition_schema


@cache
def schema() -> dict[str, Any]:
    return definition_schema()


@cache
def validator() -> jsonschema.Draft202012Validator:
    """Return the validator of all definitions."""
    return jsonschema.Draft202012Validator(schema())


def validator_of(spelling: str) -> jsonschema.Draft202012Validator:
    """Return a validator of definitions whose operations are of one type.

    An entry is matched against 700 conditions, one for each type, and only one of them applies.
    Here the others are left out, which changes no answer and takes a hundredth of the time.
    """
    whole = schema()
    entry = whole["$defs"]["entry"]
    branches = entry["else"]["allOf"]
    applies = [one for one in branches if _applies(one["if"]["properties"]["type"], spelling)]
    slim = {**entry, "else": {**entry["else"], "allOf": applies}}
    return jsonschema.Draft202012Validator({**whole, "$defs": {**whole["$defs"], "entry": slim}})


def _applies(condition: dict[str, Any], spelling: str) -> bool:
    if set(condition) == {"enum"}:
        return spelling in condition["enum"]
    return jsonschema.Draft202012Validator(condition).is_valid(spelling)
