"""tsvc rate: changes the rate of a run in progress."""

from typing import Any

import click

from tsvc.cli.options.completion import held_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.client import Client

PLACE = Place(Heading.STEER, 1)
_POSITIVE = click.FloatRange(min=0, min_open=True)


@click.command(name="rate")
@click.argument("run", shell_complete=held_runs)
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
    say(f"{run} goes on at {cps:g} calls per second{over}")
