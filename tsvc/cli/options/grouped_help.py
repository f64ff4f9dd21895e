"""Help texts in which commands and options are grouped under headings."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import ClassVar, NamedTuple

import click


class Heading(Enum):
    """The headings of commands in `tsvc --help`, in this order."""

    WRITE = "Write tests"
    RUN = "Run them"
    LOOK = "Look at runs"
    STEER = "Steer runs"
    SERVICES = "Services and peers"


class Place(NamedTuple):
    """The position of a command: by `number` under its heading, then by name."""

    heading: Heading
    number: int


Sections = Mapping[str, Sequence[str]]  # heading -> names

OTHER = "Other options"


class GroupedOptions(click.Command):
    """A command whose --help groups the options under headings.

    `sections` has names of parameters; options in no section come last.
    """

    sections: ClassVar[Sections] = {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each section as click writes it."""
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
