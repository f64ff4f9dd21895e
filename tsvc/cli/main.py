"""tsvc: the commands are the modules of tsvc.commands; a module is imported when it is needed."""

import os
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from tsvc import __version__
from tsvc.cli.options.grouped_help import Heading
from tsvc.cli.terminal.lines import say

_COMMANDS = "tsvc.commands"
_NAME = re.compile("[a-z][a-z0-9_]*")


class _Commands(click.Group):
    """The group of all commands: each module of tsvc.commands has a `command` and a PLACE."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules. Blocks: on their folder."""
        # Imported here, as below, because `tsvc --version` does not need it.
        from tsvc.registry import modules_of

        return sorted(name.rpartition(".")[2] for name in modules_of(_COMMANDS)())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is no command of that name. Blocks: on its module."""
        if not _NAME.fullmatch(cmd_name) or find_spec(f"{_COMMANDS}.{cmd_name}") is None:
            return None
        command = import_module(f"{_COMMANDS}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return name, command and remaining words. Errors: click.UsageError with a hint."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from tsvc.words import did_you_mean

            ctx.fail(f"no command {name!r}{did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, each section as click writes it."""
        names = self.list_commands(ctx)
        room = formatter.width - 6 - max(map(len, names))
        found: dict[Heading, list[tuple[int, str, str]]] = {heading: [] for heading in Heading}
        for name in names:
            command = self.get_command(ctx, name)
            assert command is not None
            heading, number = import_module(f"{_COMMANDS}.{name}").PLACE
            found[heading].append((number, name, command.get_short_help_str(room)))
        for heading, rows in found.items():
            with formatter.section(heading.value):
                formatter.write_dl([(name, text) for _, name, text in sorted(rows)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. If the service refuses or does not answer, report that: exit status 5."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            from tsvc.cli.terminal.refusal import ExitStatus, refusal_lines

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
        os.environ["NO_COLOR"] = "1"  # rich, which draws live views, reads it as well


if __name__ == "__main__":
    sys.exit(main())
