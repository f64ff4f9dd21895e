"""The values of the files and the environment, not yet checked against the rules of the keys."""

import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple

from tsvc.config.tables import TABLES, Tester
from tsvc.errors import reason
from tsvc.kind import is_selection, kinds
from tsvc.schema.fields import Member, Nested
from tsvc.schema.table import Table, table_in
from tsvc.values import dataclass
from tsvc.words import did_you_mean, is_secret_name

APPLICATION = "application"
ENVIRONMENT = "environment"
SELECTIONS = "defaults"  # the member of [tester] for all of its default_<kind>[_<label>]
_DEFAULT = "default_"

_URL_WITH_PASSWORD = re.compile(
    r"\w://[^/@\s:]*:[^/@\s]+@|[?&;](?:password|passphrase|passwd|pwd|secret|token)=",
    re.IGNORECASE,
)

OPEN_TO_ALL = "everyone can read it: chmod o-r the file"
_EXPOSED = (
    "is a secret in a file that everyone can read: chmod o-r the file,"
    " or use a *_file key or the environment"
)

Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem: the file (or "environment"), the key, and what is wrong with its value."""

    source: str
    key: str
    text: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.key, self.text) if part)


class GivenValue(NamedTuple):
    """A value as it was given, with its source and the folder for the source's relative paths."""

    value: Any
    source: str
    folder: Path
    is_text: bool = False  # from the environment or a *_file: still to be converted


@dataclass(slots=True)
class Sources:
    """All given values: keys of tables by place, members of applications by name."""

    keys: dict[Place, GivenValue] = field(default_factory=dict)
    applications: dict[str, dict[str, GivenValue]] = field(default_factory=dict)
    problems: list[ConfigProblem] = field(default_factory=list)

    def problem(self, source: str, key: str, text: str) -> None:
        """Add a problem."""
        self.problems.append(ConfigProblem(source, key, text))

    def take_file(self, path: Path) -> None:
        """Read one TOML file. Blocks: on the file."""
        source = str(path)
        try:
            data = tomllib.loads(path.read_bytes().decode("utf-8"))
            is_readable_by_all = is_open_to_all(path)
        except (OSError, UnicodeDecodeError) as error:
            return self.problem(source, "", reason_of(error))
        except tomllib.TOMLDecodeError as error:
            return self.problem(source, "", f"TOML syntax: {error}")
        for name, members in data.items():
            self._take_table(name, members, source, path.parent)
        if is_readable_by_all:
            self._refuse_secrets_in(source)
        return None

    def take_environ(self, environ: Mapping[str, str]) -> None:
        """Read TSVC_<TABLE>_<KEY>; ignore variables that name no known table."""
        for variable in sorted(environ):
            if not variable.startswith("TSVC_"):
                continue
            given = GivenValue(environ[variable], ENVIRONMENT, Path.cwd(), is_text=True)
            name = variable.removeprefix("TSVC_").lower()
            table = name.partition("_")[0]
            rest = name.partition("_")[2]
            if table == APPLICATION and rest:
                self._take_application_variable(variable, rest, given)
            elif table in TABLES and rest:
                self._take_key_variable(variable, table, rest, given)

    def _take_table(self, name: str, members: Any, source: str, folder: Path) -> None:
        if name != APPLICATION and name not in TABLES:
            hint = did_you_mean(name, [*TABLES, APPLICATION])
            self.problem(source, name, f"unknown table{hint}")
        elif not isinstance(members, dict):
            self.problem(source, name, "must be a table")
        elif name == APPLICATION:
            for application, table in members.items():
                self._take_application(application, table, source, folder)
        else:
            self._take_members(TABLES[name], (name,), members, source, folder)

    def _take_members(
        self,
        cls: type[Table],
        prefix: Place,
        members: dict[str, Any],
        source: str,
        folder: Path,
    ) -> None:
        for name, value in members.items():
            place = (*prefix, name)
            inner = inner_tables(cls).get(name)
            if inner is not None and isinstance(value, dict):
                self._take_members(inner, place, value, source, folder)
            elif inner is not None:
                self.problem(source, ".".join(place), "must be a table")
            elif not is_key(cls, name):
                hint = did_you_mean(name, names_of(cls))
                self.problem(source, ".".join(place), f"unknown key{hint}")
            elif place in self.keys:
                self._refuse_second(source, ".".join(place), self.keys[place])
            else:
                self.keys[place] = GivenValue(value, source, folder)

    def _take_application(self, name: str, members: Any, source: str, folder: Path) -> None:
        place = f'application."{name}"'
        if not isinstance(members, dict):
            return self.problem(source, place, "must be a table")
        known = self.applications.setdefault(name, {})
        for member, value in members.items():
            if member in known:
                self._refuse_second(source, f"{place}.{member}", known[member])
            else:
                known[member] = GivenValue(value, source, folder)
        return None

    def _take_key_variable(self, variable: str, table: str, rest: str, given: GivenValue) -> None:
        place = _place_of(TABLES[table], (table,), rest)
        if place is not None:
            self.keys[place] = given
            return
        known = [f"TSVC_{table}_{name}".upper() for name in names_of(TABLES[table])]
        self.problem(ENVIRONMENT, variable, "unknown key" + did_you_mean(variable, known))

    def _take_application_variable(self, variable: str, rest: str, given: GivenValue) -> None:
        # Longest names first: if PI and PI_2 exist, PI_2_PASSWORD belongs to PI_2.
        for name in sorted(self.applications, key=len, reverse=True):
            prefix = re.sub(r"\W", "_", name).lower() + "_"
            if rest.startswith(prefix):
                self.applications[name][rest.removeprefix(prefix)] = given
                return
        self.problem(ENVIRONMENT, variable, "no such application")

    def _refuse_second(self, source: str, key: str, first: GivenValue) -> None:
        self.problem(source, key, f"is set in {first.source} already")

    def _refuse_secrets_in(self, source: str) -> None:
        found = [(".".join(place), place[-1], given) for place, given in self.keys.items()]
        found += [
            (f'application."{name}".{member}', member, given)
            for name, members in self.applications.items()
            for member, given in members.items()
        ]
        for key, name, given in found:
            if given.source == source and holds_secret(name, given.value):
                self.problem(source, key, _EXPOSED)


def keys_of(cls: type[Table]) -> dict[str, Member]:
    """Return the keys of a table by name, without the tables in it."""
    found = cls.schema().load_fields.items()
    return {
        name: key for name, key in found if isinstance(key, Member) and not isinstance(key, Nested)
    }


def inner_tables(cls: type[Table]) -> dict[str, type[Table]]:
    """Return the tables inside a table by name."""
    found = cls.schema().load_fields.items()
    inner = {name: table_in(key) for name, key in found}
    return {name: table for name, table in inner.items() if table is not None}


def is_key(cls: type[Table], name: str) -> bool:
    """Return True if a table has that key; `<secret>_file` and tester's labels are keys too."""
    declared = keys_of(cls)
    if name in declared:
        return True
    base = declared.get(name.removesuffix("_file"))
    is_secret_file = name.endswith("_file") and base is not None and base.is_secret
    return is_secret_file or (cls is Tester and selection_of(name) is not None)


def selection_of(key: str) -> str | None:
    """Return the selection that a key default_<kind>[_<label>] of [tester] is for, or None."""
    selection = key.removeprefix(_DEFAULT)
    return selection if selection != key and is_selection(selection) else None


def names_of(cls: type[Table]) -> list[str]:
    """Return the names of the keys and tables in a table, for hints about typing errors."""
    selections = [f"{_DEFAULT}{kind}" for kind in kinds()] if cls is Tester else []
    return [*selections, *cls.schema().load_fields]


def is_open_to_all(path: Path) -> bool:
    """Return True if a file's mode lets everyone on this host read it. Errors: OSError."""
    return bool(path.stat().st_mode & stat.S_IROTH)


def holds_secret(name: str, value: object) -> bool:
    """Return True if a value or a member of it is a password, a token, a URL with a password."""
    if isinstance(value, dict):
        is_secret = is_secret_name(name)
        return any(holds_secret(name if is_secret else one, value[one]) for one in value)
    if isinstance(value, list | tuple):
        return any(holds_secret(name, item) for item in value)
    if not isinstance(value, str) or not value:
        return False
    return is_secret_name(name) or _URL_WITH_PASSWORD.search(value) is not None


def reason_of(error: OSError | UnicodeDecodeError) -> str:
    """Return the reason why a file can't be read."""
    if isinstance(error, UnicodeDecodeError):
        return f"invalid UTF-8 at octet {error.start}"
    return reason(error)


def _place_of(cls: type[Table], prefix: Place, rest: str) -> Place | None:
    """Return the place of the key that a variable's rest names: `tls_cert_file` in [rpc]."""
    for name, inner in inner_tables(cls).items():
        if rest.startswith(f"{name}_"):
            return _place_of(inner, (*prefix, name), rest.removeprefix(f"{name}_"))
    return (*prefix, rest) if is_key(cls, rest) else None
