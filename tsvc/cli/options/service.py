"""The service for commands that start no run: a private daemon if no other service answers."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from tsvc.cli.terminal.lines import say
from tsvc.client import Client, TsvcError, Unreachable
from tsvc.values import dataclass

Result = TypeVar("Result")

_OPTIONS = (
    click.option("--embedded", is_flag=True, help="Ask a private daemon."),
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Ask a private daemon with the gateways of this configuration.",
    ),
)


@dataclass(frozen=True, slots=True)
class Answering:
    """The service that answers.

    has_gateways: False for a private daemon without a configuration, which can't check whether
                  the gateways of a definition exist.
    """

    client: Client
    has_gateways: bool = True


def private_options(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorate a command: add --embedded and --config, for `answering`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@contextmanager
def answering(client: Client, is_embedded: bool, config: Path | None) -> Iterator[Answering]:
    """Provide the service of `client`, or a private daemon.

    A private daemon is used with either option, and if no service answers at the default address.
    If the user has named an address, the service there has to answer.
    Blocks: while a private daemon starts. Errors: Unreachable.
    """
    if not is_embedded and config is None:
        if _is_named() or _answers(client):
            yield Answering(client)
            return
        text = f"note: nobody answers at {client.host} port {client.port}: asking a private daemon"
        say(text, err=True)
    from tsvc.cli.embedded import PrivateDaemon

    with PrivateDaemon(config=config) as daemon:
        yield Answering(daemon.client(), has_gateways=config is not None)


def _is_named() -> bool:
    """Return True if the user has named a service."""
    given = click.get_current_context().params
    return bool(
        given.get("host")
        or given.get("port")
        or os.environ.get("TSVC_HOST")
        or os.environ.get("TSVC_PORT")
    )


def _answers(client: Client) -> bool:
    try:
        client.describe_service()
    except Unreachable:
        return False
    except TsvcError:
        pass  # for example, it requires a token: the command itself gets the error
    return True
