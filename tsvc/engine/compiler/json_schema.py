"""The JSON Schema (2020-12) of definition files, by which editors complete and check them.

A definition file holds the params of ExecuteTest without run_id. The command line resolves
`include`, and names of files in place of vars and flow, before it sends anything.
"""

from collections.abc import Callable
from typing import Any

from tsvc.engine.compiler.parameters import Cps, TestParameters
from tsvc.engine.result.metrics import METRICS, OF_HISTOGRAM, OPERATION_METRICS, PERCENT
from tsvc.matching.comparisons import TYPES as TEST_TYPES
from tsvc.operations.names import spellings
from tsvc.operations.operation import OPERATION_TYPES, catalogue, families
from tsvc.protocols.contexts import CONTEXTS
from tsvc.schema.describe import describe_members
from tsvc.schema.json_schema import (
    BOOLEANS,
    EXPRESSION,
    FREE_MEMBERS,
    FREE_PREFIX,
    attribute_schema,
    expression_schema,
    members_schema,
    operation_schema,
)
from tsvc.schema.shared_definitions import shared

Schema = dict[str, Any]

_FILE: Schema = {"type": "string", "pattern": r"\.(json|ya?ml|toml)$"}
# A definition file may have names of files in place of these values.
_HELP = {
    "vars": "variables of each instance, $v: values, expressions, generators; or files of them",
    "flow": "flow that the embedded SCP runs for this run alone, or its file",
}


def _no_tick() -> None:
    return None


def definition_schema(tick: Callable[[], object] = _no_tick) -> Schema:
    """Return the schema; operation types are those that this service knows.

    That takes a second: `tick` is called often enough to let others run meanwhile.
    """
    members = describe_members(TestParameters())
    del members["run_id"]
    whole = members_schema(members, TestParameters.open_prefixes)
    _complete(whole["properties"])
    del whole["required"]
    described: dict[str, Schema] = {}
    for type_ in catalogue():
        tick()
        described[_plain(type_.name)] = operation_schema(
            type_.describe(), are_names_free=type_.are_names_free
        )
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tsvc test definition",
        **whole,
        "anyOf": [{"required": ["operations"]}, {"required": ["include"]}],
        "$defs": {
            "entry": _entry(OPERATION_TYPES.names()),
            "variable": _variable(),
            "tests": _tests(),
            **described,
        },
    }
    return shared(whole, tick)


def _complete(properties: dict[str, Schema]) -> None:
    """Add members that only files have, and details of members that the params don't declare."""
    properties["operations"] |= {"items": {"$ref": "#/$defs/entry"}, "minItems": 1}
    properties["vars"] = {"description": _HELP["vars"], **_vars()}
    properties["flow"] = {"description": _HELP["flow"], "anyOf": [{"type": "object"}, _FILE]}
    properties["distribution"]["properties"]["cps"] = _rate()
    properties["inap"]["properties"]["extensions"] = _extensions()
    properties["include"] = {
        "description": "files whose members are taken first",
        "anyOf": [_FILE, {"type": "array", "items": _FILE}],
    }
    properties["cases"] = {
        "description": "rows of variables: it is run with each; the column `case` names them",
        "anyOf": [
            {"type": "string", "pattern": r"\.(csv|json)$"},
            {"type": "array", "items": {"type": "object"}, "minItems": 1},
        ],
    }
    properties["thresholds"]["items"]["properties"]["metric"] |= _metric()
    for name in ("ssp_ac", "hlr_ac"):
        # Any text is valid; editors offer the aliases.
        aliases = [context.alias for context in CONTEXTS]
        properties[name]["anyOf"] = [{"enum": aliases}, {"type": properties[name].pop("type")}]


def _entry(names: list[str]) -> Schema:
    """Return the schema of one of `operations`: by its type, or an included file."""
    known = {name: spellings(name) for name in names}
    all_spellings = [spelling for group in known.values() for spelling in group]
    by_type = [
        {
            "if": {"properties": {"type": {"enum": group}}, "required": ["type"]},
            "then": {"$ref": f"#/$defs/{name}"},
        }
        for name, group in known.items()
    ]
    patterns = _patterns()
    by_type += [
        {
            "if": {"properties": {"type": {"pattern": pattern}}, "required": ["type"]},
            "then": {"$ref": f"#/$defs/{_plain(name)}"},
        }
        for name, pattern in patterns.items()
    ]
    labelled = [{"type": "string", "pattern": pattern} for pattern in patterns.values()]
    included = {
        "properties": {"include": _FILE, "comment": {}, "name": {}, "description": {}},
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "if": {"required": ["include"]},
        "then": included,
        "else": {
            "properties": {"type": {"anyOf": [{"enum": all_spellings}, *labelled]}},
            "required": ["type"],
            "allOf": by_type,
        },
    }


def _plain(name: str) -> str:
    """Return the name of a sample without characters that a reference can't have."""
    return name.replace("<", "").replace(">", "")


def _patterns() -> dict[str, str]:
    """Return a pattern of the names of each family, by the name of its sample.

    The label of db.<label>.<method> is optional; db.<label>.Query, another sample, is excluded.
    """
    samples = [family.sample.name.split(".") for family in families()]
    found = {}
    for parts in samples:
        first, last = parts[0], parts[-1]
        others = [other[-1] for other in samples if other[0] == first and other[-1][0] != "<"]
        excluded = f"(?!(?:{'|'.join(others)})$)" if last[0] == "<" and others else ""
        what = excluded + r"\w+" if last[0] == "<" else last
        label = r"(?:[\w-]+\.)?" if len(parts) > len(("prefix", "method")) else ""
        found[".".join(parts)] = rf"^{first}\.{label}{what}$"
    return found


def _metric() -> Schema:
    own = "|".join([*OPERATION_METRICS, PERCENT])
    patterns = (
        rf"^operations\[[^\]]+\]\.({own})$",
        rf"^{OF_HISTOGRAM}$",
    )
    texts = [{"type": "string", "pattern": pattern} for pattern in patterns]
    return {"anyOf": [{"enum": list(METRICS)}, *texts]}


def _rate() -> Schema:
    bare = attribute_schema(describe_members(Cps())["target"])
    return {
        "description": "calls started per second",
        "anyOf": [bare, members_schema(describe_members(Cps()))],
    }


def _extensions() -> Schema:
    return {
        "description": "ASN.1 type by extension number",
        "type": "object",
        "patternProperties": {"^[0-9]+$": {"type": "string"}},
        "additionalProperties": False,
    }


def _vars() -> Schema:
    names: Schema = {"type": "object", "additionalProperties": {"$ref": "#/$defs/variable"}}
    return {"anyOf": [names, _FILE, {"type": "array", "items": {"anyOf": [names, _FILE]}}]}


def _object(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": list(required),
    }


def generators() -> dict[str, Schema]:
    """Return the schemas of the arguments of the generators of `vars`, by name."""
    number: Schema = {"type": "number"}
    integer: Schema = {"type": "integer"}
    return {
        "$random": {
            "description": "an integer from min to max, both included; a fraction below max if "
            "one of them is a fraction",
            **_object(("max",), min={**number, "default": 0}, max=number),
        },
        "$choice": {
            "description": "one of these values",
            "type": "array",
            "minItems": 1,
        },
        "$sequence": {
            "description": "start + index of the instance * step; with a width, digits",
            **_object(
                start={**integer, "default": 1},
                step={**integer, "default": 1},
                width={**integer, "minimum": 0},
            ),
        },
        "$csv": {
            "description": "a value of a column of a file below `engine.data_dir`; `unique`: "
            "each row once",
            **_object(
                ("file", "column"),
                file={"type": "string"},
                column={"type": "string"},
                order={"enum": ["sequential", "random", "unique"], "default": "sequential"},
            ),
        },
    }


def _variable() -> Schema:
    """Return the schema of one of `vars`: an object with one `$…` member is a generator."""
    is_generator = {
        "type": "object",
        "maxProperties": 1,
        "minProperties": 1,
        "propertyNames": {"pattern": r"^\$"},
    }
    return {
        "description": f"a value, an expression ({EXPRESSION}), or a generator",
        "if": is_generator,
        "then": {"properties": generators(), "additionalProperties": False},
    }


def _tests() -> Schema:
    """Return the schema of `tests`: the type determines the further members."""
    common: Schema = {
        **FREE_MEMBERS,
        "kpath": {"type": "string", "description": "the place that is looked at"},
        "type": {"enum": list(TEST_TYPES), "default": "string"},
        "abort_on_fail": {
            "anyOf": [{"enum": list(BOOLEANS)}, expression_schema()],
            "default": 0,
            "description": "1: a failed test aborts the instance",
        },
    }
    by_type = [
        {
            "if": _says_type(name),
            "then": {
                "properties": {**common, **{member: {} for member in type_.members}},
                "patternProperties": {FREE_PREFIX: {}},
                "additionalProperties": False,
                "anyOf": [{"required": [member]} for member in type_.required] or [{}],
            },
        }
        for name, type_ in TEST_TYPES.items()
    ]
    one = {"type": "object", "required": ["kpath"], "properties": common, "allOf": by_type}
    return {"type": "array", "items": one}


def _says_type(name: str) -> Schema:
    found: Schema = {"properties": {"type": {"const": name}}}
    return found if name == "string" else {**found, "required": ["type"]}
