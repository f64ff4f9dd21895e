"""Makes a JSON Schema small: parts that occur twice are moved to `$defs` and referred to.

The arguments of one operation occur for each role and direction, and number types hundreds of
times; without this an editor would read megabytes.
"""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

SMALLEST = 80  # octets of JSON that are worth a reference
_MAPS = ("properties", "patternProperties")
_LISTS = ("anyOf", "allOf")
_SINGLE = ("items", "if", "then", "else", "additionalProperties")


def shared(schema: Schema, tick: Callable[[], object]) -> Schema:
    """Return an equal schema that holds every larger part once.

    `tick` is called some hundred times, evenly over the work.
    """
    given: dict[str, Schema] = schema["$defs"]
    counts: Counter[str] = Counter()
    _count({key: schema[key] for key in schema if key != "$defs"}, counts)
    for one in given.values():
        tick()
        _count(one, counts)
    parts: dict[str, str] = {}  # JSON text -> name
    defs: dict[str, Schema] = {}
    slim: Schema = {
        **_slimmed({key: schema[key] for key in schema if key != "$defs"}, counts, parts, defs),
        "$defs": {},
    }
    for name, one in given.items():
        tick()
        slim["$defs"][name] = _slimmed(one, counts, parts, defs)
    slim["$defs"].update(defs)
    return slim


def _count(schema: Any, counts: Counter[str]) -> None:
    for inner in _inner(schema):
        text = json.dumps(inner, sort_keys=True)
        counts[text] += 1
        if counts[text] == 1:  # the inner parts of a repeated part occur only once in it
            _count(inner, counts)


def _inner(schema: Any) -> list[Any]:
    found: list[Any] = []
    if not isinstance(schema, dict):
        return found
    for key in _MAPS:
        found += schema.get(key, {}).values()
    for key in _LISTS:
        found += schema.get(key, [])
    return found + [schema[key] for key in _SINGLE if key in schema]


def _slimmed(
    schema: Any, counts: Counter[str], parts: dict[str, str], defs: dict[str, Schema]
) -> Any:
    if not isinstance(schema, dict):
        return schema

    def placed(inner: Any) -> Any:
        text = json.dumps(inner, sort_keys=True)
        if len(text) < SMALLEST or counts[text] < 2:
            return _slimmed(inner, counts, parts, defs)
        name = parts.get(text)
        if name is None:
            name = parts[text] = f"part{len(parts) + 1}"
            defs[name] = {}  # keeps its place before the parts inside it
            defs[name] = _slimmed(inner, counts, parts, defs)
        return {"$ref": f"#/$defs/{name}"}

    slim = dict(schema)
    for key in _MAPS:
        if key in slim:
            slim[key] = {name: placed(inner) for name, inner in slim[key].items()}
    for key in _LISTS:
        if key in slim:
            slim[key] = [placed(inner) for inner in slim[key]]
    for key in _SINGLE:
        if key in slim:
            slim[key] = placed(slim[key])
    return slim
