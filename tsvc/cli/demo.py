"""The program of `make demo`: shows one call in detail, then the same definition as a load.

It uses a real daemon on a free port, with the embedded SCP in it, and a client over TCP.
"""

from pathlib import Path

import click

from tsvc.cli.embedded import PrivateDaemon
from tsvc.cli.runs.load_options import params_of
from tsvc.cli.runs.session import Session, run_all
from tsvc.cli.runs.suite import Job
from tsvc.cli.terminal.lines import say, style
from tsvc.cli.terminal.report import worst_of

LOAD_CPS = 50.0
LOAD_SECONDS = 10.0

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(name="demo")
@click.argument("definition", type=_FILE)
@click.option("--flow", type=_FILE, required=True, help="Flow document that the SCP runs.")
def main(definition: Path, flow: Path) -> None:
    """Run DEFINITION once, then at 50 calls/s for 10 s; exit status 0 only if all passed."""
    with PrivateDaemon(flows=[flow]) as daemon:
        say(f"tsvcd is up on 127.0.0.1 port {daemon.port}, its SCP runs {flow}", "")
        session = Session(daemon.client())
        say(style("1. One call", "bold"))
        outcomes = run_all(session, [Job(definition, params_of(definition))])
        say(style(f"2. The same at {LOAD_CPS:g} calls/s for {LOAD_SECONDS:g} s", "bold"))
        load = params_of(definition, cps=LOAD_CPS, max_seconds=LOAD_SECONDS)
        session.is_brief = True
        outcomes += run_all(session, [Job(definition, load)])
    say("tsvcd is stopped")
    raise click.exceptions.Exit(worst_of(one.status for one in outcomes))


if __name__ == "__main__":
    main()
