"""docs/reference/methods.md: each method with its params, answer, errors and an example call."""

from collections.abc import Callable, Container, Iterator

from marshmallow import Schema

from tsvc.docs_generator import results
from tsvc.docs_generator.markdown import (
    anchor,
    answers,
    json_block,
    parameters,
    sections,
    type_text,
)
from tsvc.engine.result.result_schema import RunResult
from tsvc.errors import RequestError
from tsvc.methods.method import METHODS, Method
from tsvc.rpc.envelope import VERSION

Parts = Iterator[str]

_OPENING = """\
# Methods

Made from the declarations of the methods: change those, not this file.

A request is one JSON object, after four octets that hold its length (unsigned, network order); so
is the response. A connection carries one of each. `id` is a string or a number, and the response
has it again. `result` is null where there is an `error`.

* `params` may be absent where a method needs none of them. A number or a boolean may be given as
  its decimal string; digits of addresses must be a string.
* Every object may have `comment`, `name`, `description` and members that begin with `x_`. Other
  members that are not known are refused, or with `rpc.unknown_params = "warn"` reported.
* Where `rpc.auth_tokens` are configured, `params.auth_token` has to be one of them.

| Method | |
|---|---|
{contents}

## Errors

`error` is `{{"code": …, "message": …, "data": {{"kind": …}}}}`. [Errors](errors.md) has all
codes and kinds; those that belong to a method are named below.
"""


def text() -> str:
    """Return the whole page."""
    methods = list(METHODS)
    opening = _OPENING.format(
        contents="\n".join(f"| {_link(method)} | {method.summary} |" for method in methods),
    )
    parts = [opening.rstrip()]
    for method in methods:
        parts += _section(method)
    return "\n\n".join(parts) + "\n"


def _link(method: Method) -> str:
    return f"[{method.name}](#{anchor(method.name)})"


def _section(method: Method) -> Parts:
    yield f"## {method.name}"
    yield method.summary
    yield from _params(method)
    yield from _result(method)
    yield f"Errors: {_errors(method)}."
    yield "A request, and the response to it:"
    yield json_block(
        {
            "jsonrpc": VERSION,
            "method": method.name,
            "params": dict(method.example.params),
            "id": 1,
        }
    )
    yield json_block({"jsonrpc": VERSION, "result": method.example.result, "id": 1})


def _params(method: Method) -> Parts:
    if method.Definition is not None:
        run_id = "`run_id`, and the" if method.needs_run_id else "The"
        yield f"{run_id} members of a [definition](definitions.md)."
    elif method.schema.fields:
        yield parameters(method.schema)
        yield from _inner(method.schema, parameters, {})
    else:
        yield "No params."


def _result(method: Method) -> Parts:
    declared = method.Result
    if not isinstance(declared, type):
        yield f"The answer ({type_text(declared)}): {declared.metadata['help']}."
        return
    links = results.links()
    if issubclass(declared, RunResult):
        more = [name for name in declared().fields if name not in RunResult().fields]
        whole = f"[the result of a run]({links[RunResult]})"
        yield f"The answer is {whole}{', and:' if more else '.'}"
        if more:
            yield answers(declared(only=more))
        return
    schema = declared()
    yield "The answer:"
    yield answers(schema, links)
    yield from _inner(schema, answers, links)


def _inner(
    schema: Schema, shown: Callable[[Schema], str], known: Container[type[Schema]]
) -> Parts:
    """Yield the tables of the objects in a schema, without those that are described elsewhere."""
    for place, inner in sections(schema, known=known):
        yield f"`{place}`:"
        yield shown(inner)


def _errors(method: Method) -> str:
    kinds = kinds_of(method)
    return ", ".join(f"`{kind}`" for kind in kinds) or "none but those of any request"


def kinds_of(method: Method) -> list[str]:
    """Return the kinds of errors that belong to a method."""
    kinds = list(method.kinds)
    if method.needs_run_id:
        kinds = ["run_id.missing", *kinds]
    if method.params_error is not RequestError:
        kinds = [kind for kind in kinds if kind != method.params_error.default_kind]
        kinds.append(method.params_error.default_kind)
    return kinds
