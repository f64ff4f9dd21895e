"""Definition files: what ExecuteTest takes, less run_id, as JSON, YAML or TOML.

A directory stands for the definition files directly in it, in name order. A member `flow` that
is a string names a flow document, relative to the file.
"""

import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from tsvc.errors import RequestError
from tsvc.rpc import strict_json
from tsvc.rpc.paths import member_path

SUFFIXES = (".json", ".yaml", ".yml", ".toml")


class FileProblem(click.ClickException):
    """A file can't be used; exit status as for wrong usage."""

    exit_code = 2


def expand(paths: tuple[Path, ...]) -> list[Path]:
    """Return the definition files among paths, directories replaced by what is in them."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        files = [one for one in sorted(path.iterdir()) if one.suffix in SUFFIXES]
        if not files:
            raise FileProblem(f"{path}: no definition file in this directory")
        found += files
    return found


def read_definition(path: Path) -> dict[str, Any]:
    """Return the params that a definition file holds, its flow read. Errors: FileProblem."""
    definition = read_document(path)
    if "run_id" in definition:
        raise FileProblem(f"{path}: run_id is chosen when the file is run, remove it")
    flow = definition.get("flow")
    if isinstance(flow, str):
        if not flow.endswith(SUFFIXES):
            raise FileProblem(f"{path}: flow: {flow!r} does not name a flow document")
        definition["flow"] = read_document(path.parent / flow)
    return definition


def read_document(path: Path) -> dict[str, Any]:
    """Return the object in a file. Blocks: on the file. Errors: FileProblem naming the place."""
    reader = {".toml": _read_toml, ".yaml": _read_yaml, ".yml": _read_yaml}
    try:
        octets = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from None
    try:
        document = reader.get(path.suffix, strict_json.parse)(octets)
        _check_values(document, "")
    except (RequestError, ValueError) as error:
        raise FileProblem(f"{path}: {error}") from None
    if not isinstance(document, dict):
        raise FileProblem(f"{path}: must hold one object")
    return document


def _read_toml(octets: bytes) -> object:
    return tomllib.loads(octets.decode("utf-8"))


def _read_yaml(octets: bytes) -> object:
    try:
        yaml: Any = import_module("yaml")
    except ImportError:
        raise ValueError('YAML needs PyYAML: pip install "tsvc[yaml]"') from None
    try:
        return yaml.load(octets, _yaml_loader(yaml))
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _yaml_loader(yaml: Any) -> Any:
    """Return a loader to which 0211234567, 12:30 and no are strings, not octal, base 60, false."""

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
    return Loader


def _check_values(value: object, path: str) -> None:
    """Refuse what JSON can't say: TOML has dates and times, YAML keys of any type."""
    if isinstance(value, dict):
        for name, item in value.items():
            if not isinstance(name, str):
                raise ValueError(f"{path or 'the file'}: the name {name!r} must be a string")
            _check_values(item, member_path(path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_values(item, member_path(path, index))
    elif value is not None and not isinstance(value, str | int | float | bool):
        raise ValueError(f"{path}: {value} must be in quotes")
