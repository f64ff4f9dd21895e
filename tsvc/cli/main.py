"""tsvc: a command for each method or tool; its module is imported when it is asked for."""

import os
import sys
from importlib import import_module
from typing import Any, ClassVar

import click

from tsvc import __version__
from tsvc.cli.grouped_help import GroupedCommands, Sections
from tsvc.cli.terminal import say

# heading -> name -> module here, or elsewhere by its whole name; its function where that is not
# `command`
_SECTIONS = {
    "Write tests": {
        "init": "init",
        "ops": "ops",
        "validate": "catalogue:validate",
        "schema": "catalogue:schema",
        "flow": "flow",
        "record": "record",
        "osd": "osd",
    },
    "Run them": {
        "run": "run",
        "gui": "tsvc.gui.command",
    },
    "Look at runs": {
        "list": "look:list_runs",
        "watch": "look:watch",
        "query": "look:query",
        "trace": "look:trace",
        "results": "results",
        "compare": "compare",
        "trend": "trend",
    },
    "Steer runs": {
        "rate": "steer:rate",
        "pause": "steer:pause",
        "unpause": "steer:unpause",
        "resume": "steer:resume",
        "cancel": "steer:cancel",
    },
    "Services and peers": {
        "status": "status",
        "cluster": "cluster",
        "config": "config",
        "scp": "scp",
        "fake": "fake",
    },
}
_COMMANDS = {name: place for names in _SECTIONS.values() for name, place in names.items()}


class _Commands(GroupedCommands):
    sections: ClassVar[Sections] = {heading: list(names) for heading, names in _SECTIONS.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, function = _COMMANDS[cmd_name].partition(":")
        path = module if "." in module else f"tsvc.cli.{module}"
        command = getattr(import_module(path), function or "command")
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            # Imported here: `tsvc --version` needs none of it.
            from tsvc.cli.refusal import ExitStatus, refusal_lines

            lines = refusal_lines(error)
            if lines is None:
                raise
            say(*lines, err=True)
            ctx.exit(ExitStatus.REFUSED)


@click.command(cls=_Commands, name="tsvc")
@click.version_option(__version__, prog_name="tsvc", message="%(prog)s %(version)s")
@click.option("--no-color", is_flag=True, help="No colours, as with NO_COLOR in the environment.")
def main(no_color: bool) -> None:
    """Run Intelligent Network tests through a tsvc service.

    Host and port come from --host and --port, else TSVC_HOST and TSVC_PORT, else 127.0.0.1:9009.
    """
    if no_color:
        os.environ["NO_COLOR"] = "1"  # what draws live views keeps to it as well


if __name__ == "__main__":
    sys.exit(main())
