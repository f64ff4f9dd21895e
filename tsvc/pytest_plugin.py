"""The pytest plugin: every file named *.tsvc.json, .yaml, .yml or .toml is a test.

Each definition is run through a tsvc service. The options or TSVC_HOST and TSVC_PORT give its
address; without an address, or with --tsvc-embedded, the plugin starts a daemon. A test that does
not pass shows the checks that failed and the ladder of the call. Tests written in Python have the
fixtures tsvc_daemon and tsvc_client, of the same service.

pytest loads this module wherever tsvc is installed, so it imports other modules of tsvc only when
there is such a file to run.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from tsvc.cli.definition_file.cases import Case
    from tsvc.cli.embedded import PrivateDaemon
    from tsvc.client import Client, RunResult

SUFFIXES = (".tsvc.json", ".tsvc.yaml", ".tsvc.yml", ".tsvc.toml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that select the service for definitions."""
    group = parser.getgroup("tsvc", "tsvc: test definitions as tests")
    group.addoption(
        "--tsvc-host", help="Host of the service [TSVC_HOST, else a daemon of our own]."
    )
    group.addoption("--tsvc-port", type=int, help="Its port [TSVC_PORT; 9009 beside a host].")
    group.addoption(
        "--tsvc-embedded",
        action="store_true",
        default=os.environ.get("TSVC_EMBEDDED", "") not in ("", "0"),
        help="Run definitions through a daemon of our own [TSVC_EMBEDDED].",
    )
    group.addoption(
        "--tsvc-flow",
        action="append",
        default=[],
        metavar="FILE",
        help="Flow document that the SCP of that daemon runs; may be repeated. Write it with =.",
    )
    group.addoption(
        "--tsvc-config",
        metavar="FILE",
        help="Configuration of that daemon, in place of a flow. Write it with =.",
    )
    parser.addini("tsvc_config", "Configuration of the daemon of our own", type="string")


class Service(NamedTuple):
    """The address at which a service listens."""

    host: str
    port: int

    def client(self) -> "Client":
        """Return a client of the service, with the token of TSVC_TOKEN if there is one."""
        from tsvc.client import Client

        return Client(self.host, self.port, token=os.environ.get("TSVC_TOKEN"))


@pytest.fixture(scope="session")
def tsvc_daemon(pytestconfig: pytest.Config) -> Service:
    """The service of the session, as for definition files; see _service()."""
    return _service(pytestconfig)


@pytest.fixture(scope="session")
def tsvc_client(tsvc_daemon: Service) -> "Client":
    """A client of the service of the session."""
    return tsvc_daemon.client()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "DefinitionFile | None":
    """Collect definition files by their name."""
    if not file_path.name.endswith(SUFFIXES):
        return None
    found: DefinitionFile = DefinitionFile.from_parent(parent, path=file_path)
    return found


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the daemon that we have started, if there is one."""
    daemon = config.stash.get(_DAEMON, None)
    if daemon is not None:
        del config.stash[_DAEMON]
        daemon.stop()


class DefinitionFailed(Exception):
    """A definition was run and did not pass; the text is the report for the user."""


class DefinitionFile(pytest.File):
    """A definition file: one test, or one for each of its cases."""

    def collect(self) -> Iterator["DefinitionItem"]:
        """Yield the tests, named like the file without its suffixes; with [case] for each case."""
        name = next(self.path.name.removesuffix(one) for one in SUFFIXES if self._ends(one))
        for case in self._cases() or [None]:
            shown = name if case is None else f"{name}[{case.name}]"
            item: DefinitionItem = DefinitionItem.from_parent(self, name=shown)
            item.case = case
            yield item

    def _cases(self) -> "Sequence[Case | None]":
        from tsvc.cli.definition_file.cases import cases_of
        from tsvc.cli.definition_file.document import FileProblem
        from tsvc.cli.definition_file.load import load_definition

        try:
            return cases_of(load_definition(self.path))
        except FileProblem:
            return []  # the problem is reported when the file is run

    def _ends(self, suffix: str) -> bool:
        return self.path.name.endswith(suffix)


class DefinitionItem(pytest.Item):
    """A definition that is run once, as the file says, or with the variables of a case."""

    case: "Case | None" = None

    def runtest(self) -> None:
        """Run the definition. Errors: DefinitionFailed, and errors of the client and the file."""
        from tsvc.cli.definition_file.cases import cases_of, with_case
        from tsvc.cli.definition_file.load import load_definition
        from tsvc.client import new_run_id
        from tsvc.results.report import verdict_of

        definition = load_definition(self.path)
        params = {"strict": 1, **definition.params}
        if self.case is not None:
            params = with_case(params, self.case, self.path.stem)
        else:
            cases_of(definition)  # reports problems of the cases
        client = _service(self.config).client()
        run_id = new_run_id(self.name)
        client.execute(params, run_id)
        try:
            result = client.wait(run_id)
        except KeyboardInterrupt:
            client.cancel(run_id)
            raise
        self.user_properties.append(("tsvc_run_id", run_id))
        self.user_properties.append(("tsvc_seed", result.seed))
        if verdict_of(result) != "pass":
            raise DefinitionFailed("\n".join(_failure_lines(result)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the text of a failure, without a traceback if the definition is the cause."""
        import click

        from tsvc.cli.definition_file.load import load_definition
        from tsvc.cli.terminal.refusal import refusal_lines

        error = excinfo.value
        if isinstance(error, DefinitionFailed):
            return str(error)
        if isinstance(error, click.ClickException):  # a file that can't be read
            return error.format_message()
        lines = refusal_lines(error, lambda path: load_definition(self.path).place(path))
        return super().repr_failure(excinfo) if lines is None else "\n".join(lines)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the heading that pytest writes above a failure."""
        return self.path, None, f"definition: {self.name}"


_DAEMON: pytest.StashKey["PrivateDaemon"] = pytest.StashKey()


def _service(config: pytest.Config) -> Service:
    """Return the one service of the session, for definition files and for fixtures.

    It is the named one: by --tsvc-host and --tsvc-port, otherwise by TSVC_HOST and TSVC_PORT. If
    none is named, or with --tsvc-embedded, it is our daemon, which the first call starts. Blocks:
    until that daemon is ready. Errors: Unreachable if it does not start.
    """
    from tsvc.client import Client

    host, port = config.getoption("--tsvc-host"), config.getoption("--tsvc-port")
    is_named = host or port or os.environ.get("TSVC_HOST") or os.environ.get("TSVC_PORT")
    if is_named and not config.getoption("--tsvc-embedded"):
        named = Client(host, port)
        return Service(named.host, named.port)
    return Service("127.0.0.1", _own_daemon(config).port)


def _own_daemon(config: pytest.Config) -> "PrivateDaemon":
    """Return our daemon; the first call starts it. Errors: UsageError, Unreachable."""
    daemon = config.stash.get(_DAEMON, None)
    if daemon is None:
        from tsvc.cli.embedded import PrivateDaemon

        flows = [config.invocation_params.dir / name for name in config.getoption("--tsvc-flow")]
        file = _configuration(config)
        if flows and file is not None:
            raise pytest.UsageError(f"--tsvc-flow: flows are those of the configuration {file}")
        daemon = PrivateDaemon(flows=flows, config=file)
        daemon.__enter__()
        config.stash[_DAEMON] = daemon
    return daemon


def _configuration(config: pytest.Config) -> Path | None:
    """Return the configuration file for our daemon; None if there is none."""
    if config.getoption("--tsvc-config"):
        return Path(config.invocation_params.dir / config.getoption("--tsvc-config"))
    name = config.getini("tsvc_config")
    folder = config.rootpath if config.inipath is None else config.inipath.parent
    return folder / name if name else None


def _failure_lines(result: "RunResult") -> Iterator[str]:
    """Yield the lines about a failure: failed checks, other causes, the ladder, the summary."""
    from tsvc.cli.terminal.lines import plain
    from tsvc.cli.terminal.report import failed_check_lines, failure_lines, summary_lines
    from tsvc.results.report import counts_line, failures_of, verdict_of

    first = result.first_call
    # pytest repeats the first line in its short summary.
    cause = next((cause for cause, _ in failures_of(result)), None)
    yield plain(f"{verdict_of(result)}: {cause or counts_line(result)}")
    lines = failed_check_lines(first) if first is not None else []
    lines += failure_lines(result)
    if first is not None and first.ladder:
        lines += ["", *first.ladder.rstrip("\n").split("\n")]
    lines += ["", *summary_lines(result)]
    yield from map(plain, lines)
