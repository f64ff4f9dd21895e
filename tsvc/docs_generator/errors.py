"""docs/reference/errors.md: codes and kinds of errors, and the methods that return each kind."""

from tsvc.docs_generator.markdown import anchor, json_block, table
from tsvc.docs_generator.methods import kinds_of
from tsvc.errors import CODES, KINDS, DefinitionError, Problem
from tsvc.methods.method import METHODS
from tsvc.rpc.envelope import VERSION

_OPENING = """\
# Errors

Made from the declarations of the kinds and methods: change those, not this file.

A response has `result` or `error`. `code` says roughly what is wrong, `data.kind` what it is: test
that. There may be more of both with each version: treat a kind that you do not know as its code, a
code that you do not know as 1000. `message` is for people, and may change. `data.fields` has all
that is wrong at once, by its path in what was sent. What else `data` has stands in a column.

{example}

A test that fails is no error: it is a result with the verdict `fail`. What a peer answers is none
either: it stands in the result, as checks and as the reason of an instance.

## Codes

{codes}

## Kinds of any request

Any request may be answered with these, whatever its method:

{general}

## Kinds of methods

{others}
"""


def text() -> str:
    """Return the whole page."""
    error = DefinitionError.of([Problem("params.operations[3].type", "is missing")])
    example = {"jsonrpc": VERSION, "error": error.as_error_object(), "id": 1}
    rows = [(str(code), CODES[code]) for code in CODES]
    return _OPENING.format(
        example=json_block(example),
        codes=table(("Code", "Meaning"), rows),
        general=table(("Kind", "Code", "Meaning", "Data"), _rows(is_general=True)),
        others=table(("Kind", "Code", "Meaning", "Methods", "Data"), _rows(is_general=False)),
    )


def _rows(*, is_general: bool) -> list[tuple[str, ...]]:
    return [
        (
            f"`{name}`",
            ", ".join(map(str, kind.codes)),
            kind.meaning,
            *([] if is_general else [_methods(name)]),
            ", ".join(f"`{member}`" for member in kind.data),
        )
        for name, kind in KINDS.items()
        if kind.is_general is is_general
    ]


def _methods(kind: str) -> str:
    names = [method.name for method in METHODS if kind in kinds_of(method)]
    return ", ".join(f"[{name}](methods.md#{anchor(name)})" for name in names)
