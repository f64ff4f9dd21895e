"""The options that select the service of a command."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tsvc.client import Client

Result = TypeVar("Result")

CONNECTION = ("host", "port", "token", "tls", "tls_ca", "tls_cert")  # parameters of with_client()
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_OPTIONS = (
    click.option("--host", help="Host of the service [TSVC_HOST, else 127.0.0.1]."),
    click.option("--port", type=click.IntRange(1, 65535), help="Its port [TSVC_PORT, else 9009]."),
    click.option("--token", envvar="TSVC_TOKEN", help="Token that the service asks for."),
    click.option("--tls", is_flag=True, help="Use TLS."),
    click.option("--tls-ca", type=_FILE, help="Authorities that sign the service, PEM."),
    click.option("--tls-cert", type=_FILE, help="Our certificate and key, PEM."),
)


def with_client(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorate a command: add the options, and pass the Client that they describe as `client`."""

    @functools.wraps(function)
    def command(
        *,
        host: str | None,
        port: int | None,
        token: str | None,
        tls: bool,
        tls_ca: Path | None,
        tls_cert: Path | None,
        **options: Any,
    ) -> Result:
        try:
            client = Client(host, port, token=token, tls=_tls(tls, tls_ca, tls_cert))
        except (ValueError, OSError) as error:  # TSVC_PORT, or an invalid PEM file
            raise click.UsageError(str(error)) from None
        return function(client=client, **options)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _tls(is_on: bool, ca: Path | None, cert: Path | None) -> Any:
    if ca is None and cert is None:
        return is_on
    import ssl

    context = ssl.create_default_context(cafile=ca)
    if cert is not None:
        context.load_cert_chain(cert)
    return context
