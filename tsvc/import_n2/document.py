"""Converts an N2SVCD configuration and writes it as tsvc.toml."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from tsvc.import_n2.kinds import convert
from tsvc.import_n2.source import (
    Element,
    Note,
    Source,
    Target,
    boolean,
    integer,
    read_applications,
    read_xml,
    text,
)
from tsvc.kind import is_selection
from tsvc.values import dataclass

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_value(value: Any) -> str:
    """Return a value in the syntax of TOML: text, number, boolean, array, inline table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # TOML has JSON's escapes; but DEL must be escaped in TOML, and not in JSON.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items())
        return "{ " + inner + " }" if inner else "{}"
    if isinstance(value, list):
        return _array(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _array(items: list[Any]) -> str:
    if any(isinstance(item, Mapping) for item in items):
        lines = "".join(f"    {toml_value(item)},\n" for item in items)
        return f"[\n{lines}]"
    return "[" + ", ".join(map(toml_value, items)) + "]"


def toml_key(name: str) -> str:
    """Return a key, in quotes if it needs them."""
    return name if _BARE.fullmatch(name) else toml_value(name)


def comment(lines: Iterable[str]) -> list[str]:
    """Return lines as comments; a line end inside foreign text becomes a blank."""
    return [f"# {' '.join(line.split())}" for line in lines]


def table(name: str, members: Mapping[str, Any]) -> list[str]:
    """Return the lines of a table."""
    return [
        f"[{name}]",
        *(f"{toml_key(key)} = {toml_value(item)}" for key, item in members.items()),
    ]


TESTER = "TesterApp"
_SECRET = "password"
_DEFAULT = re.compile(r"default_([a-z0-9]+)_app_name(?:_(\w+))?")
_IGNORED = {
    "edr_margin_secs": "EDR checks are not part of tsvc",
    "edr_enabled": "EDRs are not part of tsvc",
}


@dataclass(slots=True)
class Converted:
    """The result of a conversion: tables by name, in order, and notes by line."""

    tester: dict[str, Any] = field(default_factory=dict)
    rpc: dict[str, Any] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def has_secrets(self) -> bool:
        """True if a password was found."""
        return any(_SECRET in target.members for target in self.targets)

    def lines_of_notes(self) -> list[str]:
        """Return all notes, in the order of the file."""
        return [str(note) for note in sorted(self.notes, key=lambda note: note.line)]

    def toml(self, source: str, *, with_secrets: bool) -> str:
        """Return the text of tsvc.toml.

        with_secrets: passwords are in the text; otherwise the name of a file for each of them.
        """
        parts = [comment([f"Made by tsvc config import-n2 from {source}."])]
        if self.notes:
            parts.append(comment(["Not taken over, or not as it was:", *self.lines_of_notes()]))
        if self.rpc:
            parts.append(table("rpc", self.rpc))
        if self.tester:
            parts.append(table("tester", self.tester))
        parts += [_application(target, with_secrets=with_secrets) for target in self.targets]
        return "\n\n".join("\n".join(part) for part in parts) + "\n"


def import_document(octets: bytes) -> Converted:
    """Convert an N2SVCD configuration. Errors: XmlError."""
    root = read_xml(octets)
    converted = Converted()
    sources = read_applications(root)
    names: dict[str, int] = {}
    for source in sources:
        if source.name in names:
            text_ = f"line {names[source.name]} has an application of that name already"
            converted.notes.append(Note(source.line, source.name, text_))
            continue
        names[source.name] = source.line
        if source.module != TESTER:
            _take(converted, convert(source))
    _take_testers(converted, [source for source in sources if source.module == TESTER])
    converted.notes += _notes_of_root(root)
    return converted


def _take(converted: Converted, target: Target) -> None:
    converted.notes += target.notes
    if target.module:
        converted.targets.append(target)


def _take_testers(converted: Converted, testers: list[Source]) -> None:
    for source in testers[1:]:
        text_ = "tsvc is one tester: only the first of the file is taken over"
        converted.notes.append(Note(source.line, source.name, text_))
    if testers:
        target = Target(testers[0], "")
        _fill_tester(converted, target, {one.source.name for one in converted.targets})
        converted.notes += target.notes


def _fill_tester(converted: Converted, target: Target, known: set[str]) -> None:
    for name, given in target.source.parameters.items():
        match = _DEFAULT.fullmatch(name)
        selection = "_".join(filter(None, match.groups())) if match else ""
        if name == "json_host" and not given.value.strip():
            target.note(given.line, name, "is empty: [rpc] host stays 127.0.0.1 unless you set it")
        elif name in ("json_host", "json_port"):
            target.put(name, given, name, text if name == "json_host" else integer)
        elif name == "ignore_reset_timer":
            target.put(name, given, name, boolean)
        elif selection and is_selection(selection):
            if given.value in known:
                target.members[f"default_{selection}"] = given.value
            elif given.value.strip():
                target.note(given.line, name, f"no application {given.value!r} was converted")
        else:
            text_ = _IGNORED.get(name, "has no counterpart in tsvc")
            target.note(given.line, name, text_)
    for element in target.source.config.children if target.source.config is not None else ():
        target.note(element.line, f"config.{element.name}", "has no counterpart in tsvc")
    for ours, theirs in (("host", "json_host"), ("port", "json_port")):
        if theirs in target.members:
            converted.rpc[ours] = target.members.pop(theirs)
    converted.tester = target.members


def _notes_of_root(root: Element) -> Iterator[Note]:
    for element in root.children:
        if element.name != "applications":
            yield Note(element.line, element.name, "has no counterpart in tsvc")


def _application(target: Target, *, with_secrets: bool) -> list[str]:
    members: Mapping[str, Any] = {"module": target.module, **target.members}
    name = f"application.{_quoted(target.source.name)}"
    if _SECRET not in members:
        return table(name, members)
    file = re.sub(r"\W+", "-", target.source.name).strip("-").lower() or "application"
    instead = f'password_file = "{file}.password"'
    plain = {key: value for key, value in members.items() if key != _SECRET}
    if with_secrets:
        return [*table(name, members), *comment([f"better: {instead}"])]
    return [*table(name, plain), instead]


def _quoted(name: str) -> str:
    key = toml_key(name)
    return key if key.startswith('"') else f'"{key}"'
