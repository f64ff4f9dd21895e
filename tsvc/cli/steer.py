"""The commands that steer a run in progress: cancel, pause, unpause, rate, resume."""

from typing import Any

import click

from tsvc.cli.completion import halted_instances, held_runs
from tsvc.cli.connection import with_client
from tsvc.cli.look import show
from tsvc.cli.terminal import say
from tsvc.client import Client

_POSITIVE = click.FloatRange(min=0, min_open=True)


@click.command(name="cancel")
@click.argument("run", shell_complete=held_runs)
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the result as it came.")
def cancel(client: Client, run: str, is_json: bool) -> None:
    """Cancel a Test Run and show its result."""
    result = client.cancel(run)
    if not result.raw.get("cancelled"):
        say(f"{run} had completed already", err=True)
    show(result, is_json=is_json)


@click.command(name="pause")
@click.argument("run", shell_complete=held_runs)
@with_client
def pause(client: Client, run: str) -> None:
    """Start no more instances of RUN, a load or linear run; those in progress go on.

    See unpause.
    """
    client.pause(run)
    say(f"{run} is paused (tsvc unpause {run})")


@click.command(name="unpause")
@click.argument("run", shell_complete=held_runs)
@with_client
def unpause(client: Client, run: str) -> None:
    """Start instances of RUN again; the plan of a linear run shifts by the pause."""
    client.pause(run, paused=False)
    say(f"{run} goes on")


@click.command(name="rate")
@click.argument("run", shell_complete=held_runs)
@click.argument("cps", type=_POSITIVE)
@with_client
@click.option("--from", "initial", type=click.FloatRange(0), help="Rate that a ramp begins at.")
@click.option("--ramp", type=_POSITIVE, help="Seconds from the rate --from to CPS.")
def rate(client: Client, run: str, cps: float, initial: float | None, ramp: float | None) -> None:
    """Start CPS calls per second from now on in RUN, which must be a linear load."""
    if (initial is None) != (ramp is None):
        raise click.UsageError("--from and --ramp go together")
    rate: float | dict[str, Any] = cps
    if ramp is not None:
        rate = {"target": cps, "initial": initial, "ramp_s": ramp}
    client.rate_test(run, rate)
    over = "" if ramp is None else f", from {initial:g} in {ramp:g} s"
    say(f"{run} goes on at {cps:g} calls per second{over}")


@click.command(name="resume")
@click.argument("run", shell_complete=held_runs)
@click.argument("instance", shell_complete=halted_instances)
@with_client
def resume(client: Client, run: str, instance: str) -> None:
    """Resume INSTANCE of RUN, which stands at a halt operation."""
    client.resume(run, instance)
    say(f"instance {instance} of {run} goes on")
