"""docs/reference/definitions.md: the members of a definition, and the names that they may have."""

from collections.abc import Iterator
from typing import Any

from tsvc.docs_generator.markdown import anchor, code, parameters, sections, table
from tsvc.engine.compiler.json_schema import generators
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.engine.result.metrics import METRICS, OPERATION_METRICS
from tsvc.kind import kinds
from tsvc.matching.comparisons import TYPES as TEST_TYPES
from tsvc.matching.tests import COMMON
from tsvc.operations.operation import Entry
from tsvc.protocols.contexts import CONTEXTS
from tsvc.protocols.map.operation import variant_of

_OPENING = """\
# Definitions

Made from the declarations of the members: change those, not this file.

A definition is the `params` of ExecuteTest less `run_id`; [methods](methods.md) says how they are
sent, [the guide](../guide/definitions.md) how definitions are written. `tsvc schema` has the same
for an editor, `tsvc validate FILE` and ValidateTest name everything that is wrong with one. In a
file of the command line there may also be `include`: names of files whose members are taken first.

A number or a boolean may be given as its decimal string. Every object may have `comment`, `name`,
`description` and members that begin with `x_`, which are kept and have no effect.
"""

_GATEWAYS = """\
An operation that talks to a peer needs a gateway of its kind. Which one: the parameter here, else
`[tester] default_…` of the configuration, else the only application of the kind. With a label it
is what the parameter with the label names, else the default with the label, an application of
that name, or what goes without a label."""
_OPERATIONS = """\
What each type takes stands in [operation types](operations.md). Every entry has:"""
_TESTS = f"""\
An element of `tests` of an operation has {", ".join(f"`{name}`" for name in COMMON)}, and what its
type takes. `kpath` is the place of what is looked at; `type` is `string` if absent;
`abort_on_fail` ends the instance if it does not pass. Any value may be an expression."""
_VARS = """\
The value of a variable is any JSON, in which `{…}` are [expressions](expressions.md), or an object
of one member that is a generator. They are made for each instance in the order of the
definition."""
_METRICS = """\
They are compared when the run is over; where a metric has no value, the threshold is missed. Those
of an operation take its number, from 0, or its label: `operations[7].p99_ms`,
`operations[connected].max_ms`. Any percentile is a metric: `service_p97.5_ms`, `response_p5_ms`,
`operations[7].p99.9_ms`; so are `service_min_ms`, `response_min_ms` and the mean and minimum of
`lateness`. With `abort_after_s` they are compared each second as well, with
what the metric is so far: once it was missed for so long, the run makes no more starts, instances
in progress go on to their end, and the verdict is `fail` at best."""
_CONTEXTS = """\
Values of `ssp_ac` and `hlr_ac`. Any other context may be given as a dotted OID or as hex. The
context decides the variant of the arguments."""


def text() -> str:
    """Return the whole page."""
    return "\n\n".join([_OPENING.rstrip(), *_parts()]) + "\n"


def _parts() -> Iterator[str]:
    schema = TestParameters(exclude=["run_id", *kinds()])
    inner = {type(one): f"#{anchor(place)}" for place, one in sections(schema)}
    yield "## Members"
    yield parameters(schema, inner)
    for place, one in sections(schema):
        yield f"### {place}"
        yield parameters(one, inner)
    for heading, words, shown in _names():
        yield f"## {heading}"
        yield words
        yield shown


def _names() -> Iterator[tuple[str, str, str]]:
    """Yield (heading, text, table) for each kind of name that members may have."""
    yield "Gateways", _GATEWAYS, table(("Parameter", "Type", "Selects"), _selections())
    yield "operations", _OPERATIONS, parameters(Entry())
    yield "tests", _TESTS, table(("Type", "Members", "Passes if"), _test_types())
    yield "vars", _VARS, table(("Generator", "Takes", "Makes"), _generators())
    metrics = table(("Metric", "Unit", "Meaning"), _metrics())
    yield "Metrics of thresholds", _METRICS, metrics
    contexts = table(("Alias", "Object identifier", "Variant"), _contexts())
    yield "Application contexts", _CONTEXTS, contexts


def _selections() -> Iterator[tuple[str, str, str]]:
    fields = TestParameters().fields
    for name, kind in kinds().items():
        yield f"`{name}`", "string, or null", fields[name].metadata["help"]
        if kind.is_labelled:
            yield f"`{name}_<label>`", "string, or null", f"the same for `{name}.<label>.…`"


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _test_types() -> Iterator[tuple[str, str, str]]:
    for name, type_ in TEST_TYPES.items():
        yield f"`{name}`", _codes(type_.members), type_.help


def _generators() -> Iterator[tuple[str, str, str]]:
    for name, schema in generators().items():
        yield f"`{name}`", _takes(schema), schema["description"]


def _takes(schema: dict[str, Any]) -> str:
    if schema["type"] != "object":
        return str(schema["type"])
    required = schema["required"]
    return ", ".join(
        f"`{name}` ({_member(member, is_required=name in required)})"
        for name, member in schema["properties"].items()
    )


def _member(member: dict[str, Any], *, is_required: bool) -> str:
    what = ", ".join(f"`{one}`" for one in member["enum"]) if "enum" in member else member["type"]
    if "default" in member:
        return f"{what}; default {code(member['default'])}"
    return f"{what}, required" if is_required else str(what)


def _metrics() -> Iterator[tuple[str, str, str]]:
    for name, metric in METRICS.items():
        yield f"`{name}`", metric.unit, metric.help
    for name, own in OPERATION_METRICS.items():
        yield f"`operations[…].{name}`", own.unit, own.help


def _contexts() -> Iterator[tuple[str, str, str]]:
    for context in CONTEXTS:
        variant = context.variant or variant_of(context.octets)
        yield f"`{context.alias}`", context.oid, f"`{variant}`" if variant else ""
