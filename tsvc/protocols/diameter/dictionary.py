"""The dictionary of AVPs, commands and applications, read from data files.

The *.toml files are written by hand, with the grammar of messages and groups. public.txt is
generated from public dictionaries; its entries come after them: see tests/unit/protocols/diameter.
A dictionary is a value: extending it by the configuration makes another dictionary.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from importlib import resources
from typing import Any

from tsvc.memo import Memo
from tsvc.protocols.diameter.types import OCTET_STRING, TIME, TYPES, AvpType, integer_of
from tsvc.values import dataclass
from tsvc.words import quoted

FILES = ("base", "credit_control", "charging", "subscription")
_NO_NAMES: Mapping[Any, Any] = {}
_MOST_LIKE = 1000  # names with which a wrong name is compared


@dataclass(slots=True)
class AvpDefinition:
    """One AVP; it must not be changed. `names`: names of an enumeration by number, if any.

    `is_plain`: its tree shows nothing but its value, if that has a JSON form.
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
        self.is_plain = not (self.names or type_.shows_hex or type_.is_grouped or type_ is TIME)

    @property
    def key(self) -> tuple[int, int]:
        """Code and vendor, which identify the AVP on the wire."""
        return self.code, self.vendor_id

    def number(self, value: Any) -> Any:
        """Return the number of an enumeration's name; any other value unchanged.

        Documents write 3GPP-EPS where public dictionaries have 3GPP_EPS: both are accepted.

        Errors: ValueError for a name that the enumeration does not have.
        """
        if not self.names or not isinstance(value, str):
            return value
        for number, name in self.names.items():
            if name == value:
                return number
        for number, name in self.names.items():
            if _plain(name) == _plain(value):
                return number
        try:
            return integer_of(value)
        except ValueError:
            known = ", ".join(self.names.values())
            raise ValueError(f"{quoted(value)} is none of {known}") from None


@dataclass(frozen=True, slots=True)
class Command:
    """A command code; `name` without -Request or -Answer."""

    code: int
    name: str
    abbreviation: str
    application_id: int


@dataclass(frozen=True, slots=True)
class Rule:
    """The AVPs that a message or group must have, and those that it may have at most once."""

    least: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str) -> "Rule":
        """Return the rule of a text in the data files: `A! B C+ D*`.

        A exactly once, B at most once, C at least once, D and all others any number of times.
        """
        names = text.split()
        return cls(
            frozenset(name[:-1] for name in names if name[-1] in "!+"),
            frozenset(name.rstrip("!") for name in names if name[-1] not in "*+"),
        )

    def problems(self, names: Sequence[str]) -> list[str]:
        """Return the errors of a list of AVPs with these names, [] for none."""
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

    `groups`: rules of groups by name. `requests`, `answers`: rules of messages by command code.
    `vendors`: vendors of AVPs that are written by hand or configured; peers are informed of them.
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
        "vendors",
    )

    def __init__(
        self,
        avps: Iterable[AvpDefinition],
        commands: Mapping[int, Command],
        applications: Mapping[int, str],
        aliases: Mapping[str, str] = _NO_NAMES,
        vendors: Iterable[int] = (),
    ) -> None:
        self.vendors = frozenset(vendors)
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
        """Return the AVP of a name, ignoring case."""
        return self.by_name.get(name) or self._by_lower.get(name.lower())

    def command(self, name: str) -> Command | None:
        """Return the command of a name: Credit-Control-Request, Credit-Control, CCR, 272."""
        found = self._commands_by_name.get(name)
        if found is None and name.isascii() and name.isdigit():
            found = self.commands.get(int(name))
        lower = name.lower()
        # IANA's registry adds the prefix "3GPP-" to names that 3GPP's documents have without it.
        return (
            found
            or self._commands_by_name.get(lower)
            or self._commands_by_name.get(lower.removeprefix("3gpp-"))
        )

    def like(self, name: str) -> list[str]:
        """Return names that a wrong name may have meant: all with the same first letter, and those
        of the files that are written by hand."""
        first = name[:1].lower()
        begin = [one for one in self.by_name if one[:1].lower() == first]
        return list(dict.fromkeys([*written().by_name, *begin]))[:_MOST_LIKE]

    def command_name(self, code: int, *, is_request: bool) -> str:
        """Return the full name of a message, "Command 999 Request" if it is unknown."""
        kind = "Request" if is_request else "Answer"
        command = self.commands.get(code)
        return f"{command.name}-{kind}" if command else f"Command {code} {kind}"

    def extended(self, avps: Iterable[AvpDefinition]) -> "Dictionary":
        """Return a dictionary with these AVPs added; they replace those of the same name."""
        extra = list(avps)
        if not extra:
            return self
        aliases = {name: found.name for name, found in self.by_name.items() if name != found.name}
        known = [*self.avps.values(), *extra]
        vendors = self.vendors.union(one.vendor_id for one in extra) - {0}
        dictionary = Dictionary(known, self.commands, self.applications, aliases, vendors)
        dictionary.groups, dictionary.requests, dictionary.answers = (
            self.groups,
            self.requests,
            self.answers,
        )
        return dictionary


def _plain(name: str) -> str:
    return name.upper().replace("-", "_")


def _spellings(command: Command) -> Iterable[str]:
    """Yield the accepted names of a command: the usual one as written, others in lower case."""
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
        raise ValueError(f"{quoted(type_name)} is none of {', '.join(TYPES)}")
    return AvpDefinition(name, code, vendor_id, found, is_mandatory, names)


def grammar_of(avps: Iterable[Mapping[str, Any]]) -> str:
    """Return AVPs of a configuration as a text for extended_by(); "" for none.

    Shape: each AVP has name, code, type, vendor_id, mandatory, values {name: number}.
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
    """Return the dictionary of all data files; read once."""
    return _STANDARD[FILES]


def written() -> Dictionary:
    """Return the dictionary of the files that are written by hand; read once."""
    return _WRITTEN[FILES]


def _read(files: tuple[str, ...]) -> Dictionary:
    avps: list[AvpDefinition] = []
    commands: dict[int, Command] = {}
    applications: dict[int, str] = {}
    aliases: dict[str, str] = {}
    rules: dict[str, dict[str, Rule]] = {"groups": {}, "requests": {}, "answers": {}}
    for file in files:
        tables = tomllib.loads(_text(f"{file}.toml"))
        avps += _avps(tables)
        aliases |= tables.get("aliases", {})
        applications |= {number: name for name, number in tables["applications"].items()}
        for name, (code, abbreviation, application_id) in tables["commands"].items():
            commands[code] = Command(code, name, abbreviation, application_id)
        for part, found in rules.items():
            found |= {name: Rule.of(text) for name, text in tables.get(part, {}).items()}
    vendors = {one.vendor_id for one in avps} - {0}
    made = Dictionary(avps, commands, applications, aliases, vendors)
    made.groups = rules["groups"]
    codes = {command.name: command.code for command in commands.values()}
    made.requests = {codes[name]: rule for name, rule in rules["requests"].items()}
    made.answers = {codes[name]: rule for name, rule in rules["answers"].items()}
    return made


def _with_public(files: tuple[str, ...]) -> Dictionary:
    found = _WRITTEN[files]
    sections = sections_of(public_text())
    pairs = (line.split() for line in sections["applications"].splitlines())
    aliases = {name: one.name for name, one in found.by_name.items() if name != one.name}
    values = _public_values(sections)
    own = [
        replace(one, names=values[one.name]) if one.name in values else one
        for one in found.avps.values()
    ]
    made = Dictionary(
        [*own, *_public_avps(sections, values)],
        found.commands | {one.code: one for one in _public_commands(sections)},
        found.applications | {int(number): name for number, name in pairs},
        aliases,
        found.vendors,
    )
    made.groups, made.requests, made.answers = found.groups, found.requests, found.answers
    return made


_WRITTEN = Memo("the Diameter dictionary written by hand", 1, _read)
_STANDARD = Memo("the standard Diameter dictionary", 1, _with_public)


def _text(file: str) -> str:
    folder = resources.files("tsvc.protocols.diameter") / "dictionaries"
    return (folder / file).read_text(encoding="utf-8")


def sections_of(text: str) -> dict[str, str]:
    """Return the sections of public.txt by name; the head of the file describes its rows."""
    parts = text.split("\n[")
    return {name: rows for name, _, rows in (part.partition("]\n") for part in parts[1:])}


def _public_values(sections: Mapping[str, str]) -> dict[str, dict[int, str]]:
    found = {}
    for line in sections["values"].splitlines():
        avp, *items = line.split()
        pairs = (item.rpartition("=") for item in items)
        found[avp] = {int(number): name for name, _, number in pairs}
    return found


def _public_avps(
    sections: Mapping[str, str], values: Mapping[str, Mapping[int, str]]
) -> Iterable[AvpDefinition]:
    words = sections["avps"].split()
    rows = zip(words[::5], words[1::5], words[2::5], words[3::5], words[4::5], strict=True)
    for name, code, vendor, type_name, flags in rows:
        known = values.get(name, _NO_NAMES)
        yield AvpDefinition(name, int(code), int(vendor), TYPES[type_name], flags == "M", known)


def _public_commands(sections: Mapping[str, str]) -> Iterable[Command]:
    for line in sections["commands"].splitlines():
        code, name, abbreviation, application = line.split()
        yield Command(int(code), name, abbreviation, int(application))


def public_text() -> str:
    """Return public.txt. Blocks: for a file."""
    return _text("public.txt")


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
