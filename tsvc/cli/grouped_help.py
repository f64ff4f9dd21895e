"""Help in which options and commands stand under headings: what has many is not one list."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import click

Sections = Mapping[str, Sequence[str]]  # heading -> names

OTHER = "Other options"


class GroupedOptions(click.Command):
    """A command of which --help has its options under headings.

    Names are those of parameters; what is in no section comes last.
    """

    sections: ClassVar[Sections] = {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options. What click does, for each section."""
        records = {
            one.name: record
            for one in self.get_params(ctx)
            if isinstance(one, click.Option) and (record := one.get_help_record(ctx)) is not None
        }
        named = {name for names in self.sections.values() for name in names}
        rest = [name for name in records if name not in named]
        for heading, names in {**self.sections, OTHER: rest}.items():
            rows = [records[name] for name in names if name in records]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


class GroupedCommands(click.Group):
    """A group of which --help has its commands under headings; what is misspelt gets a hint."""

    sections: ClassVar[Sections] = {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return name, command and the words behind it. Errors: click.UsageError."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from tsvc.words import did_you_mean  # what is spelt well need not wait for it

            ctx.fail(f"no command {name!r}{did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands. What click does, for each section."""
        longest = max(len(name) for names in self.sections.values() for name in names)
        for heading, names in self.sections.items():
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                assert command is not None
                rows.append((name, command.get_short_help_str(formatter.width - 6 - longest)))
            with formatter.section(heading):
                formatter.write_dl(rows)
