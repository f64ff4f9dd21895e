"""`cases` of a definition file: rows of variables. The definition is run once for each row.

The member is the name of a file of rows, or the rows themselves, as an array of objects:

* CSV: the first line has the names of variables, each other line is a case. Cells are texts.
* JSON: an array of objects, whose members are variables.

The column `case` has the name of a case; without it the name is the number of the row, from 1. The
client reads the files; the service gets the variables.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tsvc.cli.definition_file.document import Document, FileProblem
from tsvc.cli.definition_file.load import Definition
from tsvc.cli.definition_file.positions import Steps
from tsvc.errors import RequestError, reason
from tsvc.expr.template import is_expression
from tsvc.rpc import strict_json

_NAME = "case"
_MOST_CASES = 100_000
_LONGEST_NAME = 200  # characters
_SUFFIXES = (".csv", ".json")


class Case(NamedTuple):
    """One row: its name, and variables that override those of the definition."""

    name: str
    vars: Mapping[str, Any]


def cases_of(definition: Definition) -> list[Case]:
    """Return the cases of a definition; [] if it has no `cases`.

    Blocks: on the file of rows. Errors: FileProblem, with the position.
    """
    if definition.cases is None:
        return []
    document, value = definition.cases
    if isinstance(value, str):
        path = document.path.parent / value
        if path.suffix not in _SUFFIXES:
            raise document.refuse(("cases",), f"{value!r} does not name a CSV or JSON file")
        read = _of_csv if path.suffix == ".csv" else _of_json
        rows = list(read(path, _octets(path, document)))
        where = str(path)
    else:
        rows = list(_of_rows(value, document))
        where = document.place(("cases",))
    if not rows:
        raise FileProblem(f"{where}: there is no case")
    if len(rows) > _MOST_CASES:
        raise FileProblem(f"{where}: {len(rows)} cases, at most {_MOST_CASES}")
    return _named(rows)


def label_of(path: Path, case: str) -> str:
    """Return the name of a definition, or of a case of it, on the command line."""
    return f"{path}[{case}]" if case else str(path)


def with_case(params: Mapping[str, Any], case: Case, stem: str) -> dict[str, Any]:
    """Return params with the variables of a case, and its name after the definition's name."""
    own = params.get("vars", {})
    # A value that is no object stays: the service refuses it.
    merged = with_vars(own, case.vars) if isinstance(own, dict) else own
    return {**params, "name": f"{params.get('name', stem)}[{case.name}]", "vars": merged}


def with_vars(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables of a definition, overridden by others; new variables come first, so
    that the definition's own variables can read them."""
    fresh = {name: value for name, value in given.items() if name not in own}
    return {**fresh, **{name: given.get(name, value) for name, value in own.items()}}


_Row = tuple[str, Mapping[str, Any]]  # its position in the file, its members


def _named(rows: list[_Row]) -> list[Case]:
    found: dict[str, Case] = {}
    for number, (place, members) in enumerate(rows, start=1):
        given = members.get(_NAME, number)
        name = str(given)
        if isinstance(given, bool | dict | list) or not 0 < len(name) <= _LONGEST_NAME:
            raise FileProblem(
                f"{place}: {_NAME} must be a text of at most {_LONGEST_NAME} characters"
            )
        if name in found:
            raise FileProblem(f"{place}: a second case named {name!r}")
        variables = {key: value for key, value in members.items() if key != _NAME}
        found[name] = Case(name, variables)
    return list(found.values())


def _octets(path: Path, document: Document) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise document.refuse(("cases",), f"{path}: {reason(error)}") from None


def _of_csv(path: Path, octets: bytes) -> Iterator[_Row]:
    try:
        text = octets.decode("utf-8-sig")
        lines = csv.reader(io.StringIO(text, newline=""), strict=True)
        heads = next(lines, [])
        if "" in heads or len(set(heads)) < len(heads):
            raise FileProblem(f"{path}:1: each column must have a name of its own")
        for cells in lines:
            place = f"{path}:{lines.line_num}"
            if not cells:
                continue
            if len(cells) != len(heads):
                raise FileProblem(f"{place}: {len(cells)} cells under {len(heads)} names")
            yield place, dict(zip(heads, map(_literal, cells), strict=True))
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path}: octet {error.start}: not UTF-8") from None
    except csv.Error as error:
        raise FileProblem(f"{path}:{lines.line_num}: {error}") from None


def _literal(text: str) -> str:
    """Return a cell as the value of a variable: always a text, never an expression."""
    return "\\" + text if is_expression(text) else text


def _of_json(path: Path, octets: bytes) -> Iterator[_Row]:
    try:
        rows = strict_json.parse(octets)
    except RequestError as error:
        raise FileProblem(f"{path}: {error}") from None
    if not isinstance(rows, list):
        raise FileProblem(f"{path}: must hold an array of objects")
    for at, row in enumerate(rows):
        if not isinstance(row, dict):
            raise FileProblem(f"{path}: [{at}]: must be an object")
        yield f"{path}: [{at}]", row


def _of_rows(rows: Any, document: Document) -> Iterator[_Row]:
    if not isinstance(rows, list):
        raise document.refuse(("cases",), "must be the name of a file, or an array of objects")
    for at, row in enumerate(rows):
        steps: Steps = ("cases", at)
        if not isinstance(row, dict):
            raise document.refuse(steps, "must be an object")
        yield document.place(steps), row
