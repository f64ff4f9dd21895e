"""Loads TOML files and the environment into one frozen Config, or reports every problem.

    /etc/tsvc/tsvc.toml, then conf.d/*.toml beside it in name order (a key twice is an error),
    then TSVC_<TABLE>_<KEY> of the environment, which wins; an empty one removes an optional key.

Relative paths start at the folder of the file that names them. A secret may be in the file (which
others must not be able to read), in a separate file (`<key>_file`) or in the environment; it is
never part of a message.
"""

import os
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from marshmallow import ValidationError

from tsvc.config import pools
from tsvc.config.fields import KEYS
from tsvc.config.link_key import checked_key
from tsvc.config.sources import (
    APPLICATION,
    OPEN_TO_ALL,
    SELECTIONS,
    ConfigProblem,
    GivenValue,
    Place,
    Sources,
    holds_secret,
    inner_tables,
    is_open_to_all,
    keys_of,
    reason_of,
    selection_of,
)
from tsvc.config.tables import (
    TABLES,
    Application,
    Cluster,
    Config,
    Tester,
)
from tsvc.kind import kinds
from tsvc.schema.fields import Member
from tsvc.schema.table import Table, frozen
from tsvc.words import did_you_mean, is_secret_name, needs_packages

DEFAULT_PATH = Path("/etc/tsvc/tsvc.toml")
_HIDDEN = "(hidden)"


class ConfigError(Exception):
    """All problems of a configuration, at once.

    `readable` is the rest of the configuration, for further checks: without the applications and
    flows that have problems, and with defaults for wrong keys. None if a file could not be read.
    """

    def __init__(self, problems: list[ConfigProblem], readable: Config | None = None) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
        self.readable = readable


class KeyDoc(NamedTuple):
    """One line of the key reference: `type` is the rule in words, `default` is TOML."""

    table: str
    key: str
    type: str
    default: str
    help: str


def load_config(path: Path | None, environ: Mapping[str, str]) -> Config:
    """Read, validate and return the configuration.

    If `path` is None, it is /etc/tsvc/tsvc.toml if that file exists, otherwise defaults only.
    Blocks: on files. Errors: ConfigError with every problem of every source.
    """
    sources = Sources()
    for file in _files(path):
        sources.take_file(file)
    sources.take_environ(environ)
    tables = {name: _build(cls, (name,), sources) for name, cls in TABLES.items()}
    config = Config(**tables, applications=MappingProxyType(_applications(sources)))
    if ("service", "state_dir") not in sources.keys:
        service = replace(config.service, state_dir=default_state_dir(environ))
        config = replace(config, service=service)
    wrong = {problem.key for problem in sources.problems}
    if "" in wrong:  # a file could not be read: it may hold what the other files lack
        raise ConfigError(sources.problems)
    for key, text in _contradictions(config, {*sources.applications}):
        given = sources.keys.get(tuple(key.split(".")))
        if key not in wrong:
            sources.problem(given.source if given else "", key, text)
    if sources.problems:
        raise ConfigError(sources.problems, _readable(config, sources.problems))
    return config


def _readable(config: Config, problems: list[ConfigProblem]) -> Config:
    """Return the part of a configuration that can be checked further; see ConfigError."""
    if all(problem.key != "scp.flows" for problem in problems):
        return config
    flows = tuple(flow for flow in config.scp.flows if flow.is_file())
    # While flows are missing, it is unknown whether the listeners have any flow to serve.
    return replace(config, scp=replace(config.scp, flows=flows, listen=()))


def default_state_dir(environ: Mapping[str, str]) -> Path:
    """Return the folder of the archive if no key names it."""
    if environ.get("STATE_DIRECTORY"):
        return Path(environ["STATE_DIRECTORY"].split(":")[0])  # systemd may give several
    if environ.get("XDG_STATE_HOME"):
        return Path(environ["XDG_STATE_HOME"]) / "tsvc"
    if os.geteuid() == 0:
        return Path("/var/lib/tsvc")
    return Path(environ.get("HOME") or Path.home()) / ".local/state/tsvc"


def describe() -> list[KeyDoc]:
    """Return the reference of all keys, in the order of the tables."""
    found: list[KeyDoc] = []
    for place, name, key in _keys():
        table = ".".join(place)
        rule = key.style.rule(key.takes)
        found.append(KeyDoc(table, name, rule, toml_text(_default(name, key)), key.help))
        if key.is_secret:
            help = f"file that holds {name}, instead of it"
            found.append(KeyDoc(table, f"{name}_file", "a path", "", help))
    for kind in kinds().values():
        help = f"{kind.title} instance of runs that name none"
        found.append(KeyDoc("tester", f"default_{kind.name}", "a string", '""', help))
        if kind.is_labelled:
            help = f"{kind.title} instance of {kind.name}.<label>.* operations"
            found.append(KeyDoc("tester", f"default_{kind.name}_<label>", "a string", "", help))
    help = 'kind of gateway, or "package.module:Class"; the other members depend on the kind'
    found.append(KeyDoc('application."NAME"', "module", "a string that is not empty", "", help))
    return found


def to_dict(config: Config) -> dict[str, Any]:
    """Return a configuration as plain values for people to look at, secrets hidden."""
    plain: dict[str, Any] = {name: _plain(name, getattr(config, name)) for name in TABLES}
    plain[APPLICATION] = {
        name: {"module": one.module, **_plain("", one.members)}
        for name, one in config.applications.items()
    }
    return plain


def toml_text(value: Any) -> str:
    """Return a value as it is written in a TOML file; "" for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | Path):
        escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {toml_text(one)}" for name, one in value.items()) + "}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _files(path: Path | None) -> list[Path]:
    main = path or DEFAULT_PATH
    parts = sorted((main.parent / "conf.d").glob("*.toml"))
    return parts if path is None and not main.exists() else [main, *parts]


def _build(cls: type[Table], place: Place, sources: Sources) -> Any:
    values: dict[str, Any] = {}
    for name, key in keys_of(cls).items():
        value = _value((*place, name), key, sources)
        if value is not None:
            values[name] = frozen(value)
    for name, inner in inner_tables(cls).items():
        values[name] = _build(inner, (*place, name), sources)
    if cls is Tester:
        values[SELECTIONS] = MappingProxyType(_defaults(sources))
    return cls(**values)


def _value(place: Place, key: Member, sources: Sources) -> Any:
    """Return the checked value of a key, or None if its default is used."""
    given = sources.keys.get(place)
    if key.is_secret:
        is_list = key.takes.type == "array"
        named = sources.keys.get(_file(place))
        given = _secret(place[-1], ".".join(place), given, sources, named, is_list=is_list)
    if given is None:
        return None
    if given.is_text and not given.value and key.load_default is None:
        return None  # an empty variable takes the key of a file away
    value = KEYS.from_text(key.takes, given.value) if given.is_text else given.value
    try:
        return _resolved(key.deserialize(value), given.folder)
    except ValidationError:
        shown = "the value" if key.is_secret else toml_text(value)
        text = f"{shown} is not allowed, it must be {key.style.rule(key.takes)}"
        sources.problem(given.source, ".".join(place), text)
        return None


def _file(place: Place) -> Place:
    return (*place[:-1], f"{place[-1]}_file")


def _resolved(value: Any, folder: Path) -> Any:
    """Return a value with relative paths resolved from the folder of their source."""
    if isinstance(value, Path):
        return folder / value
    if isinstance(value, list):
        return [_resolved(item, folder) for item in value]
    return value


def _secret(
    name: str,
    key: str,
    inline: GivenValue | None,
    sources: Sources,
    named: GivenValue | None,
    *,
    is_list: bool = False,
) -> GivenValue | None:
    """Return a secret from its own file (`named`), or the secret that is given `inline`.

    A file that holds none is refused: it would switch the protection off. `is_list`: each line of
    the file is a secret; lines that begin with # are comments.
    """
    if named is None:
        return inline
    if inline is not None and inline.is_text and not named.is_text:
        return inline  # the environment wins over files
    if inline is not None and inline.is_text == named.is_text:
        sources.problem(named.source, f"{key}_file", f"{name} is set too: choose one")
        return None
    file = named.folder / Path(str(named.value)).expanduser()
    try:
        if is_open_to_all(file):
            sources.problem(named.source, f"{key}_file", f"{named.value}: {OPEN_TO_ALL}")
            return None
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        sources.problem(named.source, f"{key}_file", f"{named.value}: {reason_of(error)}")
        return None
    secrets = list(filter(None, map(str.strip, lines)))
    problem = ""
    if is_list:
        secrets = [line for line in secrets if not line.startswith("#")]
        if any("," in line for line in secrets):
            problem = "a comma in a line: each secret has a line of its own"
    elif len(secrets) > 1:
        problem = f"has {len(secrets)} lines, a secret is one"
    if not secrets:
        problem = "is empty"
    if problem:
        sources.problem(named.source, f"{key}_file", f"{named.value}: {problem}")
        return None
    return GivenValue(",".join(secrets), str(file), file.parent, True)


def _defaults(sources: Sources) -> dict[str, str]:
    defaults = dict.fromkeys(kinds(), "")
    for place, given in sources.keys.items():
        selection = selection_of(place[-1]) if place[0] == "tester" else None
        if selection is not None and isinstance(given.value, str):
            defaults[selection] = given.value
        elif selection is not None:
            text = "must be a string"
            if "_" not in selection:  # an ordinary key; the value of a labelled key is not shown
                text = f"{toml_text(given.value)} is not allowed, it {text}"
            sources.problem(given.source, ".".join(place), text)
    return defaults


def _applications(sources: Sources) -> dict[str, Application]:
    built: dict[str, Application] = {}
    for name, given in sources.applications.items():
        place = f'application."{name}"'
        source = next((one.source for one in given.values()), "")
        before = len(sources.problems)
        values = _application_values(place, given, sources)
        module = values.pop("module", None)
        if not isinstance(module, str) or not module:
            text = "is missing" if module is None else "must be a string that is not empty"
            sources.problem(source, f"{place}.module", text)
        elif len(sources.problems) == before:  # otherwise a secret could not be read
            built[name] = Application(name, module, MappingProxyType(values), source)
    return built


def _application_values(
    place: str, given: dict[str, GivenValue], sources: Sources
) -> dict[str, Any]:
    """Return the members of an application; `password_file` is replaced by `password`."""
    values = {member: one.value for member, one in given.items()}
    for member, one in given.items():
        base = member.removesuffix("_file")
        is_key = member.endswith("key_file")
        is_pair = member.endswith("cert_file") and f"{member[:-9]}key_file" not in given
        if (is_key or is_pair) and isinstance(one.value, str) and one.value:
            key = one.folder / Path(one.value).expanduser()
            if key.is_file() and is_open_to_all(key) and (is_key or _holds_key(key)):
                sources.problem(one.source, f"{place}.{member}", f"{one.value}: {OPEN_TO_ALL}")
        if member == base or not is_secret_name(base):
            continue
        del values[member]
        found = _secret(base, f"{place}.{base}", given.get(base), sources, one)
        if found is not None:
            values[base] = found.value
    return values


def _contradictions(config: Config, applications: set[str]) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of problems that concern several keys; `applications` are all names."""
    tls = config.rpc.tls
    if tls.cert_file is None and (tls.key_file or tls.client_ca_file):
        yield "rpc.tls.cert_file", "is missing: key_file and client_ca_file need it"
    for name in ("cert_file", "key_file", "client_ca_file"):
        yield from _missing_file(f"rpc.tls.{name}", getattr(tls, name))
    yield from _certificate_problems("rpc.tls", tls.cert_file, tls.key_file)
    for flow in config.scp.flows:
        yield from _missing_file("scp.flows", flow)
    yield from _missing_file("telemetry.ca_file", config.telemetry.ca_file)
    if config.telemetry.traces and not _has_protobuf():
        yield "telemetry.traces", needs_packages("opentelemetry-proto")
    if config.scp.no_answer_seconds > config.scp.no_answer_max_seconds:
        yield "scp.no_answer_seconds", "is above scp.no_answer_max_seconds"
    if config.cluster.lease_s >= config.cluster.lost_after_s:
        yield "cluster.lease_s", "must be below cluster.lost_after_s"
    yield from _link_problems(config.cluster)
    yield from pools.problems(config)
    for selection, name in config.tester.defaults.items():
        if name and name not in applications:
            hint = did_you_mean(name, applications)
            yield f"tester.default_{selection}", f'no application is named "{name}"{hint}'


def _certificate_problems(
    place: str, cert_file: Path | None, key_file: Path | None
) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of problems of a certificate and its key, which may be in one file."""
    key, name = (key_file, "key_file") if key_file else (cert_file, "cert_file")
    if cert_file is None or key is None or not cert_file.is_file() or not key.is_file():
        return  # reported already
    if is_open_to_all(key) and (key_file or _holds_key(key)):
        yield f"{place}.{name}", f"{key}: {OPEN_TO_ALL}"
        return
    if not _holds_key(key):
        yield f"{place}.{name}", f"{key}: has no private key"
        return
    try:
        # Without a password: nobody can type one when a service starts.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert_file, key_file, lambda: "")
    except ssl.SSLError as error:
        shown = f"{cert_file} and {key_file}" if key_file else str(cert_file)
        yield f"{place}.{name}", f"{shown}: {error.reason or reason_of(error)}"
    except OSError as error:
        yield f"{place}.{name}", f"{key}: {reason_of(error)}"


def _holds_key(path: Path) -> bool:
    """Return True if a PEM file has a private key, or can't be read."""
    try:
        return b"PRIVATE KEY-----" in path.read_bytes()
    except OSError:
        return True  # opening it says why


def _link_problems(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of problems of the link between the daemons of several machines."""
    if cluster.listen and cluster.coordinator:
        yield "cluster.coordinator", "cluster.listen is set too: choose one"
    if cluster.coordinator and not cluster.coordinator_key:
        yield "cluster.coordinator_key", "is missing: cluster.coordinator needs it"
    if cluster.coordinator and cluster.workers == 0:
        yield "cluster.workers", "is 0: an agent is there for its workers"
    for name in ("listen", "coordinator"):
        if getattr(cluster, name) and cluster.key_file is None:
            yield "cluster.key_file", f"is missing: cluster.{name} needs it"
    if cluster.key_file is not None:
        try:
            read_key(cluster.key_file)
        except ValueError as error:
            yield "cluster.key_file", f"{cluster.key_file}: {error}"


def read_key(path: Path) -> str:
    """Return the secret key in a file. Errors: ValueError, whose text says what is wrong."""
    try:
        if is_open_to_all(path):
            raise ValueError(OPEN_TO_ALL)
        return checked_key(path.read_text("ascii").strip(), "what is in it")
    except UnicodeDecodeError:
        raise ValueError("what is in it is no key") from None
    except OSError as error:
        raise ValueError(reason_of(error)) from None


def _has_protobuf() -> bool:
    try:
        return find_spec("opentelemetry.proto") is not None
    except ModuleNotFoundError:  # no package of opentelemetry is installed
        return False


def _missing_file(key: str, path: Path | None) -> Iterator[tuple[str, str]]:
    if path is not None and not path.is_file():
        yield key, f"{path} is not a file"


def _keys() -> Iterator[tuple[Place, str, Member]]:
    stack: list[tuple[Place, type[Table]]] = [((name,), cls) for name, cls in TABLES.items()]
    stack.reverse()
    while stack:
        place, cls = stack.pop()
        for name, key in keys_of(cls).items():
            yield place, name, key
        stack.extend(((*place, name), inner) for name, inner in inner_tables(cls).items())


def _default(name: str, key: Member) -> Any:
    if name == "state_dir":
        return None  # depends on the environment
    return key.load_default() if callable(key.load_default) else key.load_default


def _plain(name: str, value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: _plain(one.name, getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        is_secret = is_secret_name(name)
        return {one: _plain(name if is_secret else one, value[one]) for one in value}
    if isinstance(value, list | tuple):
        return [_plain(name, item) for item in value]
    if holds_secret(name, value):
        return _HIDDEN
    return str(value) if isinstance(value, Path) else value
