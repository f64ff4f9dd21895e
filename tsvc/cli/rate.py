"""tsvc rate: another rate for a run in progress."""

from typing import Any

import click

from tsvc.cli.connection import with_client
from tsvc.client import Client

_POSITIVE = click.FloatRange(min=0, min_open=True)


@click.command(name="rate")
@click.argument("run")
@click.argument("cps", type=_POSITIVE)
@with_client
@click.option("--from", "initial", type=click.FloatRange(0), help="Rate that a ramp begins at.")
@click.option("--ramp", type=_POSITIVE, help="Seconds from the rate --from to CPS.")
def command(
    client: Client, run: str, cps: float, initial: float | None, ramp: float | None
) -> None:
    """Start CPS calls per second from now on in RUN, which must be a linear load."""
    if (initial is None) != (ramp is None):
        raise click.UsageError("--from and --ramp go together")
    rate: float | dict[str, Any] = cps
    if ramp is not None:
        rate = {"target": cps, "initial": initial, "ramp_s": ramp}
    client.rate_test(run, rate)
    over = "" if ramp is None else f", from {initial:g} in {ramp:g} s"
    click.echo(f"{run} goes on at {cps:g} calls per second{over}")
