"""Every option is in the help, under the heading of its subject."""

import re

import click
from click.testing import CliRunner

from tsvc.cli.main import main
from tsvc.cli.options.grouped_help import OTHER


def sections(*arguments: str) -> dict[str, str]:
    found = CliRunner().invoke(main, [*arguments, "--help"])
    assert found.exit_code == 0, found.output
    parts = re.split(r"^(\w[^\n]*):\n", found.output, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_all_options_of_run_have_a_heading() -> None:
    found = sections("run")
    assert re.findall(r"^  (--?\S+)", found[OTHER], re.MULTILINE) == ["--help"]
    assert "--cps" in found["How many, how fast"]
    command = main.get_command(click.Context(main), "run")
    assert command is not None
    shown = "".join(found.values())
    for one in command.params:
        if isinstance(one, click.Option):
            assert re.search(rf"^  {re.escape(one.opts[0])}\b", shown, re.MULTILINE), one.opts
