"""tsvc status: the service, its gateways, its counters."""

from collections.abc import Mapping
from typing import Any

import click

from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_json, style
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.client import Client

PLACE = Place(Heading.SERVICES, 1)

_COLOURS = {"up": "green", "down": "red", "connecting": "yellow", "draining": "yellow"}


@click.command(name="status")
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the answer as it came.")
def command(client: Client, is_json: bool) -> None:
    """Show the service and its gateways; exit status 1 if one of them is not up, or if no run
    can start.
    """
    found = client.describe_service()
    gateways = [one for one in found.get("gateways", []) if isinstance(one, dict)]
    if is_json:
        say_json(dict(found))
    else:
        uptime = found.get("uptime_s", 0)
        state = found.get("state", "up")
        say(
            f"{found.get('name')} {found.get('version')} at {client.host} port {client.port}:"
            f" {state} for {uptime:.0f} s"
        )
        if found.get("not_ready"):
            say(f"  no run can start: {found['not_ready']}")
        for one in gateways:
            say(_gateway(one))
        for name in ("scp", "runs", "counters", "limits", "locks"):
            pairs = _pairs(found.get(name) or {})
            if pairs:
                say(f"  {name:<9}{pairs}")
    is_up = all(one.get("state") == "up" for one in gateways)
    is_ready = is_up and not found.get("not_ready")
    raise click.exceptions.Exit(ExitStatus.PASSED if is_ready else ExitStatus.FAILED)


def _gateway(one: Mapping[str, Any]) -> str:
    state = str(one.get("state"))
    shown = style(state, _COLOURS.get(state))
    detail = f" ({one['detail']})" if one.get("detail") else ""
    counters = {name: value for name, value in (one.get("counters") or {}).items() if value}
    rest = f": {_pairs(counters)}" if counters else ""
    return f"  gateway  {one.get('name')} [{one.get('kind')}] {shown}{detail}{rest}"


def _pairs(values: Mapping[str, Any]) -> str:
    """Return the values that fit on a line; --json has the others."""
    shown = {
        name: ", ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in values.items()
        if not isinstance(value, dict) and value != []
    }
    return ", ".join(f"{name} {value}" for name, value in shown.items())
