"""The program of `make demo-cluster`: a load of four processes; one is killed in the middle.

It uses a real daemon on a free port, workers with an embedded SCP in each, and a client over TCP.
"""

import os
import signal
import threading
from pathlib import Path

import click

from tsvc.cli.embedded import PrivateDaemon
from tsvc.cli.runs.load_options import params_of
from tsvc.cli.runs.session import Session, run_all
from tsvc.cli.runs.suite import Job
from tsvc.cli.terminal.lines import say, style
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.client import Client

WORKERS = 4
LOAD_CPS = 200.0
LOAD_SECONDS = 10.0
KILL_AFTER_S = 5.0

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(name="demo-cluster")
@click.argument("definition", type=_FILE)
@click.option("--flow", type=_FILE, required=True, help="Flow document that the SCPs run.")
def main(definition: Path, flow: Path) -> None:
    """Run DEFINITION at 200 calls/s for 10 s on four workers, and kill one of them.

    Exit status 0 if all went as docs/guide/cluster.md says: the loss is named, each other call
    passed, and the run has failed for it.
    """
    with PrivateDaemon(flows=[flow], workers=WORKERS) as daemon:
        say(f"tsvcd is up on 127.0.0.1 port {daemon.port}, with {WORKERS} workers", "")
        say(style(f"{LOAD_CPS:g} calls/s; after {KILL_AFTER_S:g} s one worker is killed", "bold"))
        load = params_of(definition, cps=LOAD_CPS, max_seconds=LOAD_SECONDS, workers="all")
        session = Session(daemon.client())
        session.is_brief = True
        killing = threading.Timer(KILL_AFTER_S, _kill_one, (daemon.client(),))
        killing.start()
        try:
            (outcome,) = run_all(session, [Job(definition, load)])
        finally:
            killing.cancel()
    say("tsvcd is stopped")
    result = outcome.result
    lost = [] if result is None else result.raw["lost"]
    is_as_told = outcome.status is ExitStatus.THRESHOLD and len(lost) == 1
    raise click.exceptions.Exit(int(not is_as_told))


def _kill_one(client: Client) -> None:
    rows = client.call("ListWorkers")["workers"]
    os.kill(rows[1]["pid"], signal.SIGKILL)


if __name__ == "__main__":
    main()
