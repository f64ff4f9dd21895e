"""One file that holds an object, as JSON, YAML or TOML, and the positions of the object's members.

In every notation the values are those of JSON. Digits keep their zeros: YAML is read with the
rules of its JSON schema, so that 0211234567, 12:30 and no are strings.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import field
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import IO, Any

import click

from tsvc.cli.definition_file.positions import Position, Steps, json_positions, toml_positions
from tsvc.cli.terminal.lines import say
from tsvc.errors import RequestError, reason
from tsvc.numbers import float_of_literal
from tsvc.rpc import strict_json
from tsvc.values import dataclass
from tsvc.words import member_path, needs_packages

SUFFIXES = (".json", ".yaml", ".yml", ".toml")
MOST_VALUES = 1_000_000  # YAML aliases can expand a short file to more than any memory


class FileProblem(click.ClickException):
    """Raised if a file can't be used; the exit status is that of wrong usage."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        first, *rest = self.format_message().split("\n")
        say(f"Error: {first}", *rest, err=True)


@dataclass(frozen=True, slots=True)
class Document:
    """The object in a file."""

    path: Path
    value: dict[str, Any]
    positions: Mapping[Steps, Position] = field(default_factory=dict)

    def place(self, steps: Steps = ()) -> str:
        """Return `file:line:column` of a member, or of the nearest member around it."""
        for length in range(len(steps), 0, -1):
            position = self.positions.get(steps[:length])
            if position is not None:
                line, column = position
                return f"{self.path}:{line}:{column}"
        return str(self.path)

    def refuse(self, steps: Steps, text: str) -> FileProblem:
        """Return an error about a member; the caller raises it."""
        path = ""
        for step in steps:
            path = member_path(path, step)
        return FileProblem(f"{self.place(steps)}: {path}: {text}")


def read(path: Path) -> Document:
    """Return the object in a file. Blocks: on the file. Errors: FileProblem with the position."""
    try:
        octets = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path}: {reason(error)}") from None
    return parse(path, octets)


def parse(path: Path, octets: bytes) -> Document:
    """Return the object in octets; the suffix of the path determines the notation.

    Errors: FileProblem with the position.
    """
    readers = {".toml": _read_toml, ".yaml": _read_yaml, ".yml": _read_yaml}
    try:
        value, positions = readers.get(path.suffix, _read_json)(octets)
    except (RequestError, ValueError) as error:
        raise FileProblem(_placed(path, str(error))) from None
    if not isinstance(value, dict):
        raise FileProblem(f"{path}: must hold one object")
    return Document(path, value, positions)


def _read_json(octets: bytes) -> tuple[object, dict[Steps, Position]]:
    value = strict_json.parse(octets)
    _check_values(value, "", 0, iter(range(MOST_VALUES)))
    return value, json_positions(octets.decode("utf-8"))


# Readers report a position: JSON and our own before the text, TOML after it, YAML inside it.
_PLACE = re.compile(r"\A(?:line (\d+),? column (\d+): )|( \(at line (\d+), column (\d+)\))\Z")


def _placed(path: Path, text: str) -> str:
    """Return `file:line:column: text`, the form that editors and CI systems recognise.

    Return `file: text` if the text has no position.
    """
    found = _PLACE.search(text)
    if found is not None:
        line, column = (found[1], found[2]) if found[1] else (found[4], found[5])
        return f"{path}:{line}:{column}: {text[: found.start()]}{text[found.end() :]}"
    inside = re.findall(r"line (\d+), column (\d+)", text)
    return f"{path}:{inside[-1][0]}:{inside[-1][1]}: {text}" if inside else f"{path}: {text}"


def _read_toml(octets: bytes) -> tuple[object, dict[Steps, Position]]:
    text = octets.decode("utf-8").replace("\r\n", "\n")
    try:
        value = tomllib.loads(text, parse_float=float_of_literal)
    except RecursionError:
        raise ValueError(f"nested deeper than {strict_json.MAX_DEPTH}") from None
    _check_values(value, "", 0, iter(range(MOST_VALUES)))
    return value, toml_positions(text)


def _read_yaml(octets: bytes) -> tuple[object, dict[Steps, Position]]:
    try:
        yaml: Any = import_module("yaml")
    except ImportError:
        raise ValueError(f"YAML {needs_packages('PyYAML')}") from None
    try:
        loader = _yaml_loader(yaml)(octets)
        node = loader.get_single_node()
        if node is None:
            return None, {}
        positions: dict[Steps, Position] = {}
        _note_yaml(node, (), positions, set())
        value = loader.construct_document(node)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from None
    _check_values(value, "", 0, iter(range(MOST_VALUES)))
    return value, positions


def _note_yaml(node: Any, steps: Steps, positions: dict[Steps, Position], seen: set[int]) -> None:
    """Add the position of each node, once if aliases repeat it.

    Errors: ValueError if a member is given twice.
    """
    positions.setdefault(steps, _position(node))
    if id(node) in seen:
        return
    seen.add(id(node))
    if node.id == "sequence":
        for position, item in enumerate(node.value):
            _note_yaml(item, (*steps, position), positions, seen)
    elif node.id == "mapping":
        names: set[str] = set()
        for key, item in node.value:
            name = str(key.value)
            line, column = positions[*steps, name] = _position(key)
            if name in names:
                raise ValueError(f"line {line}, column {column}: duplicate member {name!r}")
            names.add(name)
            _note_yaml(item, (*steps, name), positions, seen)


def _position(node: Any) -> Position:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _yaml_loader(yaml: Any) -> Any:
    """Return a safe loader with the rules of YAML's JSON schema, without numbers with a +."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # the base is known at run time only
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the library's own way

    number = "-0123456789"
    patterns = (
        ("null", r"~|null|", ["~", "n", ""]),
        ("bool", r"true|false", ["t", "f"]),
        ("int", r"-?(?:0|[1-9][0-9]*)", list(number)),
        ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list(number)),
        ("merge", r"<<", ["<"]),
    )
    for tag, pattern, firsts in patterns:
        whole = re.compile(rf"(?:{pattern})\Z")
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", whole, firsts)
    Loader.add_constructor(
        "tag:yaml.org,2002:float",
        lambda loader, node: float_of_literal(loader.construct_scalar(node)),
    )
    return Loader


def _check_values(value: object, path: str, depth: int, budget: Iterator[int]) -> None:
    """Raise ValueError for a value that JSON does not have; for too deep or too many values.

    TOML has dates and infinity, YAML has keys of any type.
    """
    if depth > strict_json.MAX_DEPTH:
        raise ValueError(f"{path[:80]}: nested deeper than {strict_json.MAX_DEPTH}")
    if next(budget, None) is None:
        raise ValueError(f"holds more than {MOST_VALUES} values")
    if isinstance(value, dict):
        for name, item in value.items():
            if not isinstance(name, str):
                raise ValueError(f"{path or 'the file'}: the name {name!r} must be a string")
            _check_values(item, member_path(path, name), depth + 1, budget)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_values(item, member_path(path, index), depth + 1, budget)
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{path}: must be a finite number")
    elif value is not None and not isinstance(value, str | int | float | bool):
        raise ValueError(f"{path}: {value} must be in quotes")
