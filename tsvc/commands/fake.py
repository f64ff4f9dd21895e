"""tsvc fake: a stand-in for a system under test, in the foreground."""

import json
from pathlib import Path
from typing import Any

import click

from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_text
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.kind import kinds

PLACE = Place(Heading.SERVICES, 5)

KINDS = sorted(kind.fake_name or kind.name for kind in kinds().values() if kind.fake)


@click.command(name="fake")
@click.argument("kind", type=click.Choice(KINDS))
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen, or to connect to."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="0: any free one to listen on."
)
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting; an object, array or string may be JSON. May be given more than once.",
)
@click.option(
    "--settings",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON file of settings; --set wins.",
)
@click.option("--keys", is_flag=True, help="Say what can be set, and end.")
@click.option("--verbose", is_flag=True, help="Print one line per request.")
def command(
    kind: str,
    host: str,
    port: int,
    pairs: tuple[str, ...],
    file: Path | None,
    keys: bool,
    verbose: bool,
) -> None:
    """Run the fake peer KIND until SIGTERM or Ctrl-C.

    Its first line says where it listens, or connects to.
    """
    settings = {**_of_file(file), **dict(map(read_pair, pairs))}
    # Patch before importing a module that opens a socket; most other commands need no gevent.
    from tsvc.patch import patch_all

    patch_all()
    if keys:
        from tsvc.gateways.fake import keys_text, load_fake

        say_text(keys_text(load_fake(kind).Settings))
        return
    _run(kind, host, port, settings, verbose)


def _of_file(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise click.UsageError(f"{path}: must be an object of settings")
    return found


def read_pair(text: str) -> tuple[str, Any]:
    """Return the name and the value of a --set option. Errors: UsageError."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise click.UsageError(f"--set {text}: must be KEY=VALUE")
    # Digits stay a text here: a number would lose leading zeros of a password or an MSISDN.
    if not value.startswith(("{", "[", '"')):
        return name, value
    try:
        return name, json.loads(value)
    except ValueError as error:
        raise click.UsageError(f"--set {name}: {error}") from None


def _run(kind: str, host: str, port: int, settings: dict[str, Any], verbose: bool) -> None:
    import signal

    import gevent
    from gevent.event import Event

    from tsvc.errors import GatewayError, reason
    from tsvc.gateways.fake import load_fake, load_settings

    class_ = load_fake(kind)
    try:
        load_settings(class_.Settings, settings)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    connects = getattr(class_, "is_client", False)
    if connects and not port:
        raise click.UsageError("--port is needed: where the tester listens")
    fake = class_(host, port, **settings)
    if verbose:
        fake.on_request = say
    is_over = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, is_over.set)
    try:
        fake.start()
    except (OSError, GatewayError) as error:
        say(f"can't listen on {host}:{port}: {reason(error)}", err=True)
        raise click.exceptions.Exit(ExitStatus.FAILED) from None
    does = "connects to" if connects else "listens on"
    say("tsvc fake {} {} {}:{}".format(kind, does, *fake.address))
    is_over.wait()
    fake.stop()


if __name__ == "__main__":
    command()
