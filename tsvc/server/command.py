"""tsvcd: reads the configuration, then runs the daemon. Import only after gevent has patched."""

import faulthandler
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from tsvc import __version__, log
from tsvc.archive.store import ArchiveError
from tsvc.config.load import ConfigError, load_config, to_dict, toml_text
from tsvc.config.pools import worker_count
from tsvc.config.tables import Config
from tsvc.engine.gateway_table import GatewayConfigError
from tsvc.engine.service import Service
from tsvc.engine.sharing import Sharing
from tsvc.errors import Problem
from tsvc.server.daemon import Daemon, ExitCode
from tsvc.ss7.scp_host import FlowProblems

EXIT_CONFIG = 78  # EX_CONFIG of sysexits.h: a restart would not help


@click.command(name="tsvcd")
@click.option(
    "-c",
    "--config",
    "path",
    type=click.Path(path_type=Path),
    help="Configuration file [/etc/tsvc/tsvc.toml if it is there, else defaults].",
)
@click.option("--check", is_flag=True, help="Read everything, name all that is wrong, end.")
@click.option("--print-config", is_flag=True, help="Print what is in force, less secrets, end.")
@click.version_option(__version__, prog_name="tsvcd", message="%(prog)s %(version)s")
def command(path: Path | None, check: bool, print_config: bool) -> None:
    """Run the tsvc service in the foreground.

    SIGTERM ends it in order, SIGHUP reads the configuration again, SIGUSR1 writes what it does to
    the log. Exit status 0: ended in order, 1: could not start or was cut off, 2: usage,
    78: configuration.
    """
    try:
        config = load_config(path, os.environ)
    except ConfigError as error:
        others = [] if error.readable is None else _build_problems(error.readable)
        _refuse([*map(str, error.problems), *others])
    if check and (found := _build_problems(config)):
        _refuse(found)
    if print_config:
        click.echo("\n".join(config_lines(tables_of(config))))
    if check:
        click.echo("the configuration is valid", err=True)
    if not check and not print_config:
        sys.exit(_run(config, path))


def _run(config: Config, path: Path | None) -> int:
    # Writes the stack when a watchdog ends a hung process with SIGABRT.
    faulthandler.enable()
    try:
        log.setup(config.log.level, config.log.format, config.log.target, file=config.log.file)
        daemon = Daemon(config, build_service, load=lambda: load_config(path, os.environ))
    except (ArchiveError, FlowProblems, GatewayConfigError) as error:
        _refuse(_build_problems(config) or [str(error)])
    except OSError as error:  # no syslog, unusable TLS files
        click.echo(f"tsvcd: {error}", err=True)
        return ExitCode.FAILED
    return daemon.run()


def build_service(config: Config) -> Service:
    """Return the service of a daemon, with its workers. Errors: see Service."""
    settings = config.cluster
    sharing: Sharing | None = None
    if settings.coordinator:
        from tsvc.cluster.agent import Agent

        sharing = Agent(config)
    elif settings.listen or worker_count(settings.workers):
        from tsvc.cluster.cluster import Cluster

        sharing = Cluster(config)
    return Service(config, sharing=sharing)


def _build_problems(config: Config) -> list[str]:
    """Return all problems of the archive's URL, flows and gateways; opens nothing."""
    rest = Config(service=config.service)
    # Each part is checked alone: the first problem of a part would hide those of the others.
    parts = (
        replace(rest, results=config.results),
        replace(rest, scp=config.scp),
        replace(rest, applications=config.applications, cluster=config.cluster),
    )
    return [text for part in parts for text in _problems_of(part)]


def _problems_of(config: Config) -> list[str]:
    try:
        build_service(config)
    except ArchiveError as error:
        return [f"results.url: {error}"]
    except (FlowProblems, GatewayConfigError) as error:
        return [_text(problem) for problem in error.problems]
    return []


def tables_of(config: Config) -> dict[str, Any]:
    """Return a configuration in the form of a file, with the defaults of [tester] as keys."""
    tables = to_dict(config)
    defaults = tables["tester"].pop("defaults")
    tables["tester"] |= {f"default_{selection}": name for selection, name in defaults.items()}
    return tables


def config_lines(tables: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield a configuration as TOML: the keys of a table, then the tables inside it."""
    inner = {name: value for name, value in tables.items() if isinstance(value, Mapping)}
    for name, value in tables.items():
        if name not in inner and value is not None:
            yield f"{_key(name)} = {toml_text(value)}"
    for name, value in inner.items():
        place = f"{prefix}{_key(name)}"
        yield f"[{place}]"
        yield from config_lines(value, f"{place}.")


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if is_bare else toml_text(name)


def _text(problem: Problem) -> str:
    return f"{problem.path}: {problem.text}"


def _refuse(problems: Iterable[str]) -> NoReturn:
    for problem in problems:
        click.echo(f"tsvcd: {problem}", err=True)
    sys.exit(EXIT_CONFIG)
