"""tsvc gui: its options; impossible combinations are refused before anything listens."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.client import Client, default_address
from tsvc.errors import reason
from tsvc.gui.roles import ROLES, Role
from tsvc.values import dataclass
from tsvc.words import needs_packages

if TYPE_CHECKING:
    from ssl import SSLContext

    from tsvc.gui.assets import Assets
    from tsvc.gui.daemons import Daemon
    from tsvc.gui.serve import Bind
    from tsvc.gui.users import User

PLACE = Place(Heading.RUN, 2)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_BIND = "127.0.0.1:9010"


@click.command(name="gui")
@click.option("--bind", default=_BIND, show_default=True, metavar="HOST:PORT")
@click.option("--name", "names", multiple=True, help="Further name by which browsers call it.")
@click.option(
    "--daemon",
    "addresses",
    multiple=True,
    metavar="NAME=HOST:PORT",
    help="A daemon to show; may be given more than once [TSVC_HOST, TSVC_PORT].",
)
@click.option("--token", envvar="TSVC_TOKEN", help="Token that the daemons ask for.")
@click.option("--daemon-tls", is_flag=True, help="Use TLS to the daemons.")
@click.option("--daemon-ca", type=_FILE, help="Authorities that sign the daemons, PEM.")
@click.option("--daemon-cert", type=_FILE, help="Our certificate and key for them, PEM.")
@click.option("--workspace", type=_FOLDER, help="Folder of tests to show and edit.")
@click.option("--open", "opens", is_flag=True, help="Open a browser.")
@click.option("--read-only", is_flag=True, help="Everybody is a viewer.")
@click.option("--users", type=click.Path(dir_okay=False, path_type=Path), help="File of users.")
@click.option("--add-user", metavar="NAME", help="Write a user into --users, and end.")
@click.option("--role", type=click.Choice(list(ROLES)), help="Role of --add-user.")
@click.option("--tls-cert", type=_FILE, help="Our certificate for browsers, PEM.")
@click.option("--tls-key", type=_FILE, help="Its key, PEM, if it is not in the same file.")
@click.option("--embedded", is_flag=True, help="Start a daemon of our own, with an SCP in it.")
@click.option(
    "--flow", "flows", multiple=True, type=_FILE, help="Flow that the embedded SCP runs."
)
@click.option("--assets", type=_FOLDER, help="Folder of another build of the browser's part.")
def command(users: Path | None, add_user: str | None, role: str | None, **options: Any) -> None:
    """Show daemons and tests in a browser, until SIGTERM or Ctrl-C.

    The line it prints has an address that lets one browser in.
    """
    if find_spec("bottle") is None:
        say(f"tsvc gui {needs_packages('bottle')}", err=True)
        raise click.exceptions.Exit(2)
    if add_user is not None:
        _add_user(users, add_user, role)
        return
    if role is not None:
        raise click.UsageError("--role goes with --add-user")
    # Patch before importing a module that opens a socket; most other commands need no gevent.
    from tsvc.patch import patch_all

    patch_all()
    _run(users=users, **options)


def _add_user(path: Path | None, name: str, role: str | None) -> None:
    from tsvc.gui.users import UsersProblem, add_user

    if path is None or role is None:
        raise click.UsageError("--add-user needs --users and --role")
    if sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        password = sys.stdin.readline().rstrip("\n")
    try:
        add_user(path, name, ROLES[role], password)
    except UsersProblem as problem:
        raise click.UsageError(str(problem)) from None
    say(f"{name} is a user with the role {role}")


@dataclass(frozen=True, slots=True)
class _Way:
    """The token and TLS settings for all daemons that the options name."""

    token: str | None = None
    tls: "SSLContext | bool" = False

    def daemon(self, name: str, address: str) -> "Daemon":
        """Return the daemon at HOST:PORT. Errors: UsageError for an invalid port."""
        from tsvc.gui.daemons import LOOK_S, Daemon

        try:
            client = Client(address, token=self.token, tls=self.tls)
            watcher = Client(address, token=self.token, tls=self.tls, timeout_s=LOOK_S)
        except ValueError as error:
            raise click.UsageError(f"--daemon {name}: {error}") from None
        return Daemon(name, client, watcher)


def _run(
    *,
    bind: str,
    names: tuple[str, ...],
    addresses: tuple[str, ...],
    token: str | None,
    daemon_tls: bool,
    daemon_ca: Path | None,
    daemon_cert: Path | None,
    workspace: Path | None,
    opens: bool,
    read_only: bool,
    users: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    embedded: bool,
    flows: tuple[Path, ...],
    assets: Path | None,
) -> None:
    from tsvc.gui.assemble import Gui, Settings
    from tsvc.gui.serve import Bind, hosts_of, serve

    built = _assets(assets)
    if flows and not embedded:
        raise click.UsageError("--flow goes with --embedded")
    place = Bind(*_host_and_port(bind), names, _context(tls_cert, tls_key))
    if not place.is_loopback and (place.context is None or users is None):
        raise click.UsageError(f"--bind {bind} is open to others: give --tls-cert and --users")
    known = _users(users)
    way = _Way(token, _daemon_tls(daemon_tls, daemon_ca, daemon_cert))
    daemons = _daemons(addresses, way)
    with ExitStack() as stack:
        listener = _listener(place, bind)
        stack.callback(listener.close)
        if embedded:
            daemons = {**_embedded(stack, flows), **daemons}
        elif not daemons:
            daemons = {"local": way.daemon("local", _default_address())}
        hosts = hosts_of(place, listener.getsockname()[1])
        base = f"{place.scheme}://{hosts[0]}"
        gui = Gui(
            Settings(
                assets=built,
                daemons=daemons,
                workspace=workspace,
                users=known,
                hosts=hosts,
                scheme=place.scheme,
                most_role=Role.VIEWER if read_only else Role.AUTHOR,
                tell=lambda path: say(f"tsvc gui: {base}{path}"),
            )
        )

        def ready() -> None:
            gui.invite()
            if opens:
                import webbrowser

                webbrowser.open(f"{base}{gui.path}")

        serve(listener, gui.app, place.context, ready)


def _assets(folder: Path | None) -> "Assets":
    from tsvc.gui.assets import Assets

    built = Assets() if folder is None else Assets(folder)
    if not built.are_built:
        say("tsvc gui: the browser's part is not built; type: make gui-build", err=True)
        raise click.exceptions.Exit(2)
    return built


def _users(path: Path | None) -> "Mapping[str, User] | None":
    from tsvc.gui.users import UsersProblem, read_users

    try:
        return None if path is None else read_users(path)
    except UsersProblem as problem:
        raise click.UsageError(str(problem)) from None


def _listener(place: "Bind", bind: str) -> Any:
    from tsvc.gui.serve import listening

    try:
        return listening(place)
    except OSError as error:
        raise click.UsageError(f"--bind {bind}: {reason(error)}") from None


def _daemons(addresses: Sequence[str], way: _Way) -> dict[str, "Daemon"]:
    given = dict(map(_daemon_address, addresses))
    if len(given) < len(addresses):
        raise click.UsageError("two daemons have one name")
    return {name: way.daemon(name, address) for name, address in given.items()}


def _embedded(stack: ExitStack, flows: Sequence[Path]) -> dict[str, "Daemon"]:
    """Start a private daemon, which ends with this process. Blocks: until it is ready."""
    from tsvc.cli.embedded import PrivateDaemon

    private = stack.enter_context(PrivateDaemon(flows=flows))
    return {"embedded": _Way().daemon("embedded", f"127.0.0.1:{private.port}")}


def _default_address() -> str:
    host, port = default_address()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _host_and_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    is_port = port.isascii() and port.isdigit() and int(port) < 65536
    if not colon or not host or not is_port:
        raise click.UsageError(f"--bind {text}: must be HOST:PORT")
    return host, int(port)


def _daemon_address(text: str) -> tuple[str, str]:
    name, sign, address = text.partition("=")
    if not name or not sign or not address:
        raise click.UsageError(f"--daemon {text}: must be NAME=HOST:PORT")
    return name, address


def _context(cert: Path | None, key: Path | None) -> "SSLContext | None":
    if cert is None:
        if key is not None:
            raise click.UsageError("--tls-key goes with --tls-cert")
        return None
    import ssl

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(cert, key)
    except OSError as error:
        raise click.UsageError(f"--tls-cert {cert}: {error}") from None
    return context


def _daemon_tls(is_on: bool, ca: Path | None, cert: Path | None) -> Any:
    if ca is None and cert is None:
        return is_on
    import ssl

    try:
        context = ssl.create_default_context(cafile=ca)
        if cert is not None:
            context.load_cert_chain(cert)
    except OSError as error:
        raise click.UsageError(f"--daemon-ca, --daemon-cert: {error}") from None
    return context
