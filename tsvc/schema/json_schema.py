"""JSON Schema (2020-12) of one operation of a definition, from the description of its type.

An attribute is a constant unless its description says that it may be an expression, a string that
is wholly `{…}`; below `arguments` and `tests` any value may be one. An integer may be its decimal
string everywhere.
A schema here is lenient if the service checks a value only in its context (mandatory members of
arguments, the variant): values that it refuses are always wrong.
"""

from collections.abc import Iterable, Mapping
from typing import Any

Schema = dict[str, Any]

EXPRESSION = r"^\{[\s\S]*\}$"
_INTEGER = r"^[+-]?[0-9]+$"
_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_DIGITS = r"^[0-9A-Fa-f*#]*$"
_HEX = r"^\s*([0-9A-Fa-f]{2}\s*)*$"
BOOLEANS: tuple[bool | int | str, ...] = (True, False, 0, 1, "0", "1")
FREE_MEMBERS: Schema = {name: {} for name in ("comment", "name", "description")}
FREE_PREFIX = "^x_"


def operation_schema(description: Mapping[str, Any], *, are_names_free: bool = False) -> Schema:
    """Return the schema of the entries of one type; tests refer to `#/$defs/tests`.

    are_names_free: names of arguments may be written in any way.
    """
    properties: Schema = {}
    for name, attribute in description["attributes"].items():
        properties[name] = attribute_schema(attribute)
    properties["type"] = {"type": "string"}
    if "tests" in properties:
        properties["tests"] = {"$ref": "#/$defs/tests"}
    arguments = description.get("arguments")
    is_open = arguments is not None and arguments["type"] == "open"
    if arguments is not None and "arguments" in properties and not is_open:
        is_expected = description["family"] == "inbound"
        given = structure_schema(arguments, is_negatable=is_expected)
        given["type"] = "object"
        if are_names_free:
            _let_spellings(given)
        given["properties"]["raw_hex"] = _hex() if description["family"] == "outbound" else False
        if not is_expected:
            given["required"] = [
                name
                for name, member in arguments.get("members", {}).items()
                if member.get("required") and "keys" not in member
            ]
        properties["arguments"] = given
    return {
        "description": description["summary"],
        "properties": {**FREE_MEMBERS, **properties},
        "patternProperties": {FREE_PREFIX: {}},
        "additionalProperties": False,
        "required": [
            name for name, member in description["attributes"].items() if member.get("required")
        ],
        "examples": [description["example"]],
    }


# -- attributes -------------------------------------------------------------------------------


def attribute_schema(description: Mapping[str, Any]) -> Schema:
    """Return the schema of a member that a marshmallow schema declares."""
    schema = _attribute(description)
    if description.get("expression"):
        schema = _or_expression(schema)
    if description.get("nullable") and "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        schema["type"] = [*types, "null"]
    if "default" in description:
        schema["default"] = description["default"]
    return _with_words(schema, description)


def _or_expression(schema: Schema) -> Schema:
    if "pattern" in schema:
        return {**schema, "pattern": _either(schema["pattern"])}
    return {"anyOf": [schema, expression_schema()]} if "enum" in schema else schema


def members_schema(
    members: Mapping[str, Mapping[str, Any]], open_prefixes: Iterable[str] = ()
) -> Schema:
    """Return the schema of an object of declared members."""
    return {
        "type": "object",
        "properties": {
            **FREE_MEMBERS,
            **{name: attribute_schema(member) for name, member in members.items()},
        },
        "patternProperties": {FREE_PREFIX: {}, **{f"^{prefix}": {} for prefix in open_prefixes}},
        "additionalProperties": False,
        "required": [name for name, member in members.items() if member.get("required")],
    }


def _attribute(description: Mapping[str, Any]) -> Schema:
    bounds = {key: description[key] for key in ("minimum", "maximum") if key in description}
    if "choices" in description:
        return {"enum": list(description["choices"])}
    match description["type"]:
        case "string":
            return {"type": "string"}
        case "digits":
            return {"type": "string", "pattern": _DIGITS}
        case "integer":
            return {"type": ["integer", "string"], **bounds, "pattern": _INTEGER}
        case "number":
            return {"type": ["number", "string"], **bounds, "pattern": _NUMBER}
        case "boolean":
            nothing = [None] if description.get("nullable") else []
            return {"enum": [*BOOLEANS, *nothing]}
        case "array":
            return {"type": "array", "items": attribute_schema(description["items"])}
        case "object" if "members" in description:
            return members_schema(description["members"])
        case "object":
            return {"type": "object"}
    return {}


def _with_words(schema: Schema, description: Mapping[str, Any]) -> Schema:
    words = [str(description[key]) for key in ("help", "unit") if key in description]
    if words:
        schema["description"] = ", in ".join(words) if len(words) == 2 else words[0]
    return schema


# -- arguments: any value may be an expression ------------------------------------------------


def structure_schema(description: Mapping[str, Any], *, is_negatable: bool) -> Schema:
    """Return the schema of a dict of arguments, and of those below it.

    is_negatable: expected arguments may have `!` before a name, for a value that must not come.
    """
    if description["type"] == "by variant":
        return _merged([_template(one, is_negatable) for one in description["choices"]])
    properties: Schema = {}
    for name, member in description["members"].items():
        for key in member.get("keys", [name]):
            properties.setdefault(key, _value(name, key, member, is_negatable))
    for key in description.get("shorthands", ()):
        properties.setdefault(key, {})
    schema: Schema = {
        "type": ["object", "string", "null"],
        "pattern": EXPRESSION,
        "properties": properties,
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }
    if is_negatable and properties:
        names = "|".join(_escaped(key) for key in properties)
        schema["patternProperties"][f"^!({names})$"] = {}
    return schema


def _merged(structures: list[Schema]) -> Schema:
    """Return one schema of structures that differ by variant: any member of any of them."""
    merged: Schema = {**structures[0], "properties": {}, "patternProperties": {}}
    for structure in structures:
        for key in ("properties", "patternProperties"):
            merged[key] = {**structure[key], **merged[key]}
    return merged


def _let_spellings(schema: Schema) -> None:
    """Allow any spelling of the names of members: vlrNumber for vlr-Number."""
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]
    for inner in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        if isinstance(inner, dict):
            _let_spellings(inner)
    items = schema.get("items")
    if isinstance(items, dict):
        _let_spellings(items)


def _escaped(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "_-" else f"\\{sign}" for sign in name)


def _value(name: str, key: str, member: Mapping[str, Any], is_negatable: bool) -> Schema:
    suffix = key.removeprefix(name)
    if suffix.endswith("_hex"):
        if member["type"] == "array":
            return {"anyOf": [_hex(), {"type": "array", "items": _hex()}]}
        return _hex()
    leaf = member["items"] if member["type"] == "array" and suffix else member
    if suffix == "_digits":
        return {"type": ["string", "null"], "pattern": _either(r"^[0-9A-Fa-f]*$")}
    part = leaf.get("parts", {}).get(suffix)
    if part is not None:
        return _part(part)
    if suffix == "_name":
        return _named(leaf, with_numbers=False)
    if suffix:
        return {}
    return _with_words(_template(member, is_negatable), member)


def _part(part: Mapping[str, Any]) -> Schema:
    schema = _integer(part.get("minimum", 0), part["maximum"])
    if "default" in part:
        schema["default"] = part["default"]
    return schema


def _template(description: Mapping[str, Any], is_negatable: bool) -> Schema:
    """Return the schema of a value of which any part may be an expression."""
    if "choices" in description:
        return _by_choice(description, is_negatable)
    match description["type"]:
        case "sequence" | "choice":
            return structure_schema(description, is_negatable=is_negatable)
        case "array":
            items = _template(description["items"], is_negatable)
            return {"type": ["array", "string", "null"], "items": items}
        case "integer":
            return _integer(description.get("minimum"), description.get("maximum"))
        case "number":
            bounds = {k: description[k] for k in ("minimum", "maximum") if k in description}
            return {"type": ["number", "string", "null"], **bounds, "pattern": _either(_NUMBER)}
        case "enumerated" | "error":
            return _named(description, with_numbers=True)
        case "boolean" | "null":
            flags = [*BOOLEANS, "true", "false", "", None]
            return {"anyOf": [{"enum": flags}, expression_schema()]}
        case "octets" | "text" | "string" | "digits":
            return {"type": ["string", "null"]}
        case "hex":
            return _hex()
    return {}


def _by_choice(description: Mapping[str, Any], is_negatable: bool) -> Schema:
    choices = description["choices"]
    if description["type"] == "by variant":
        return {"anyOf": [_template(choice, is_negatable) for choice in choices]}
    return {"anyOf": [{"enum": [*choices, None]}, expression_schema()]}


def _named(description: Mapping[str, Any], *, with_numbers: bool) -> Schema:
    """Return the schema of a named number. Others are valid too: testers need wrong values."""
    names = [*description.get("names", {}).values(), *description.get("spellings", ())]
    forms: list[Schema] = [{"enum": [*names, None]}, expression_schema()]
    if with_numbers:
        forms.append({"type": ["integer", "string"], "pattern": _INTEGER})
    return {"anyOf": forms}


def _integer(lowest: int | None, highest: int | None) -> Schema:
    schema: Schema = {"type": ["integer", "string", "null"], "pattern": _either(_INTEGER)}
    if lowest is not None:
        schema["minimum"] = lowest
    if highest is not None:
        schema["maximum"] = highest
    return schema


def _hex() -> Schema:
    return {"type": ["string", "null"], "pattern": _either(_HEX)}


def expression_schema() -> Schema:
    """Return the schema of a text with an expression in it."""
    return {"type": "string", "pattern": EXPRESSION}


def _either(pattern: str) -> str:
    return f"{EXPRESSION}|{pattern}"
