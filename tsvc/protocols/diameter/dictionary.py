"""The dictionary: which AVPs, commands and applications there are. Data files beside this one.

A dictionary is a value: one that is extended by the configuration is another dictionary.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from tsvc.memo import Memo
from tsvc.protocols.diameter.types import OCTET_STRING, TIME, TYPES, AvpType, integer_of

FILES = ("base", "credit_control", "charging", "subscription")
_NO_NAMES: Mapping[Any, Any] = {}


@dataclass(frozen=True, slots=True)
class AvpDefinition:
    """One AVP. `names`: of the numbers of its enumeration, if it has one.

    `is_plain`: its tree is made of its value alone, when that has a JSON form.
    """

    name: str
    code: int
    vendor_id: int
    type: AvpType
    is_mandatory: bool
    names: Mapping[int, str] = field(default_factory=dict)
    is_plain: bool = field(init=False)

    def __post_init__(self) -> None:
        type_ = self.type
        is_plain = not (self.names or type_.shows_hex or type_.is_grouped or type_ is TIME)
        object.__setattr__(self, "is_plain", is_plain)

    @property
    def key(self) -> tuple[int, int]:
        """Code and vendor: what the AVP is known by on the wire."""
        return self.code, self.vendor_id

    def number(self, value: Any) -> Any:
        """Return the number of an enumeration's name; any other value as it is.

        Errors: ValueError for a name that it does not have.
        """
        if not self.names or not isinstance(value, str):
            return value
        for number, name in self.names.items():
            if name == value:
                return number
        try:
            return integer_of(value)
        except ValueError:
            known = ", ".join(self.names.values())
            raise ValueError(f"{value!r} is none of {known}") from None


@dataclass(frozen=True, slots=True)
class Command:
    """A command code; `name` without -Request or -Answer."""

    code: int
    name: str
    abbreviation: str
    application_id: int


@dataclass(frozen=True, slots=True)
class Rule:
    """Which AVPs a message or a group must have, and which it may have no more than once."""

    least: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str) -> "Rule":
        """Return a rule as the data files write it: `A! B C+ D*`.

        A exactly once, B at most once, C at least once, D and all others any number of times.
        """
        names = text.split()
        return cls(
            frozenset(name[:-1] for name in names if name[-1] in "!+"),
            frozenset(name.rstrip("!") for name in names if name[-1] not in "*+"),
        )

    def problems(self, names: Sequence[str]) -> list[str]:
        """Return what is wrong with AVPs of these names, "" for none."""
        found = set(names)
        if self.least <= found and len(found) == len(names):
            return []
        missing = [f"{name}: mandatory AVP is missing" for name in sorted(self.least - found)]
        return missing + [
            f"{name} occurs {names.count(name)} times"
            for name in sorted(self.once & found)
            if names.count(name) > 1
        ]


class Dictionary:
    """AVPs by name and by (code, vendor), commands by name and code.

    `groups`: rules of groups by name. `requests`, `answers`: of messages by command code.
    """

    __slots__ = (
        "_by_lower",
        "_commands_by_name",
        "answers",
        "applications",
        "avps",
        "by_name",
        "commands",
        "groups",
        "requests",
    )

    def __init__(
        self,
        avps: Iterable[AvpDefinition],
        commands: Mapping[int, Command],
        applications: Mapping[int, str],
        aliases: Mapping[str, str] = _NO_NAMES,
    ) -> None:
        self.groups: dict[str, Rule] = {}
        self.requests: dict[int, Rule] = {}
        self.answers: dict[int, Rule] = {}
        self.avps: dict[tuple[int, int], AvpDefinition] = {}
        self.by_name: dict[str, AvpDefinition] = {}
        for definition in avps:
            self.avps[definition.key] = definition
            self.by_name[definition.name] = definition
        for alias, name in aliases.items():
            self.by_name.setdefault(alias, self.by_name[name])
        self._by_lower = {name.lower(): found for name, found in self.by_name.items()}
        self.commands = dict(commands)
        self._commands_by_name = {
            spelling: command
            for command in reversed(self.commands.values())
            for spelling in _spellings(command)
        }
        self.applications = dict(applications)

    def avp(self, name: str) -> AvpDefinition | None:
        """Return the AVP of a name, capitals aside."""
        return self.by_name.get(name) or self._by_lower.get(name.lower())

    def command(self, name: str) -> Command | None:
        """Return the command of a name: Credit-Control-Request, Credit-Control, CCR, 272."""
        found = self._commands_by_name.get(name)
        if found is None and name.isascii() and name.isdigit():
            found = self.commands.get(int(name))
        return found or self._commands_by_name.get(name.lower())

    def command_name(self, code: int, *, is_request: bool) -> str:
        """Return the whole name of a message, "Command 999 Request" if it is not known."""
        kind = "Request" if is_request else "Answer"
        command = self.commands.get(code)
        return f"{command.name}-{kind}" if command else f"Command {code} {kind}"

    def extended(self, avps: Iterable[AvpDefinition]) -> "Dictionary":
        """Return a dictionary that knows these too; they go before those of the same name."""
        extra = list(avps)
        if not extra:
            return self
        aliases = {name: found.name for name, found in self.by_name.items() if name != found.name}
        known = [*self.avps.values(), *extra]
        made = Dictionary(known, self.commands, self.applications, aliases)
        made.groups, made.requests, made.answers = self.groups, self.requests, self.answers
        return made


def _spellings(command: Command) -> Iterable[str]:
    """Yield the ways to name a command; the usual one as it is written, others in lower case."""
    yield f"{command.name}-Request"
    yield command.abbreviation.lower()
    for name in (command.name.lower(), f"{command.name}-Request".lower()):
        yield name
        yield name.replace("-request", "") + "-answer"
    for letter in "ra":
        yield command.abbreviation.lower() + letter


def avp_definition(
    name: str,
    code: int,
    type_name: str = OCTET_STRING.name,
    *,
    vendor_id: int = 0,
    is_mandatory: bool = True,
    names: Mapping[int, str] = _NO_NAMES,
) -> AvpDefinition:
    """Return a definition. Errors: ValueError for a type that does not exist."""
    found = TYPES.get(type_name)
    if found is None:
        raise ValueError(f"{type_name!r} is none of {', '.join(TYPES)}")
    return AvpDefinition(name, code, vendor_id, found, is_mandatory, names)


def grammar_of(avps: Iterable[Mapping[str, Any]]) -> str:
    """Return AVPs of a configuration as a text, for extended_by(); "" for none.

    Shape: members of each: name, code, type, vendor_id, mandatory, values {name: number}.
    """
    found = [dict(avp) for avp in avps]
    return json.dumps(found, ensure_ascii=False, sort_keys=True) if found else ""


def extended_by(grammar: str) -> Dictionary:
    """Return the standard dictionary with the AVPs of a grammar."""
    return standard().extended(
        avp_definition(
            avp["name"],
            avp["code"],
            avp["type"],
            vendor_id=avp["vendor_id"],
            is_mandatory=avp["mandatory"],
            names={number: name for name, number in avp["values"].items()},
        )
        for avp in (json.loads(grammar) if grammar else ())
    )


def standard() -> Dictionary:
    """Return the dictionary of the data files; read once."""
    return _STANDARD[FILES]


def _read(files: tuple[str, ...]) -> Dictionary:
    folder = resources.files("tsvc.protocols.diameter") / "dictionaries"
    avps: list[AvpDefinition] = []
    commands: dict[int, Command] = {}
    applications: dict[int, str] = {}
    aliases: dict[str, str] = {}
    rules: dict[str, dict[str, Rule]] = {"groups": {}, "requests": {}, "answers": {}}
    for file in files:
        tables = tomllib.loads((folder / f"{file}.toml").read_text(encoding="utf-8"))
        avps += _avps(tables)
        aliases |= tables.get("aliases", {})
        applications |= {number: name for name, number in tables["applications"].items()}
        for name, (code, abbreviation, application_id) in tables["commands"].items():
            commands[code] = Command(code, name, abbreviation, application_id)
        for part, found in rules.items():
            found |= {name: Rule.of(text) for name, text in tables.get(part, {}).items()}
    made = Dictionary(avps, commands, applications, aliases)
    made.groups = rules["groups"]
    codes = {command.name: command.code for command in commands.values()}
    made.requests = {codes[name]: rule for name, rule in rules["requests"].items()}
    made.answers = {codes[name]: rule for name, rule in rules["answers"].items()}
    return made


_STANDARD = Memo("the standard Diameter dictionary", 1, _read)


def _avps(tables: Mapping[str, Any]) -> Iterable[AvpDefinition]:
    enumerations = tables.get("enumerations", {})
    for name, (code, type_name, flags) in tables["avps"].items():
        names = {number: text for text, number in enumerations.get(name, {}).items()}
        yield avp_definition(
            name,
            code,
            type_name,
            vendor_id=tables["vendor_id"],
            is_mandatory="M" in flags,
            names=names,
        )
