"""A command is one file: it is found, shown in the help and run; nothing else names it."""

import re
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import tsvc.commands
from tsvc.cli.main import main
from tsvc.cli.options.grouped_help import Heading, Place

HELLO = """
import click
from tsvc.cli.options.grouped_help import Heading, Place

PLACE = Place(Heading.LOOK, 3)


@click.command(name="hello")
def command():
    '''Say hello.'''
    click.echo("hello")
"""


def names() -> list[str]:
    return main.list_commands(click.Context(main))


def listed() -> dict[str, list[str]]:
    """Return the commands under each heading, in the order of --help."""
    found = CliRunner().invoke(main, ["--help"])
    assert found.exit_code == 0, found.output
    parts = re.split(r"^(\w[^\n]*):\n", found.output, flags=re.MULTILINE)
    return {
        heading: re.findall(r"^  (\w+)  ", text, re.MULTILINE)
        for heading, text in zip(parts[1::2], parts[2::2], strict=True)
        if heading != "Options"
    }


@pytest.mark.parametrize("name", names())
def test_a_module_is_the_command_of_its_name(name: str) -> None:
    module = import_module(f"tsvc.commands.{name}")
    assert isinstance(module.command, click.Command)
    assert module.command.name == name
    assert isinstance(module.PLACE, Place)
    assert module.command.help


def test_all_commands_have_a_heading() -> None:
    found = listed()
    assert list(found) == [heading.value for heading in Heading]
    assert sorted(name for under in found.values() for name in under) == names()


def test_one_more_file_is_one_more_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hello.py").write_text(HELLO)
    (tmp_path / "_shared.py").write_text("")
    monkeypatch.setattr(tsvc.commands, "__path__", [*tsvc.commands.__path__, str(tmp_path)])
    assert CliRunner().invoke(main, ["hello"]).output == "hello\n"
    assert "_shared" not in names()
    # query has the same number, so that the name decides
    assert listed()["Look at runs"][:4] == ["list", "watch", "hello", "query"]


@pytest.mark.parametrize(
    ("word", "told"),
    [("rnu", "no command 'rnu'; did you mean \"run\"?"), ("xyz", "no command 'xyz'")],
)
def test_a_misspelt_command(word: str, told: str) -> None:
    found = CliRunner().invoke(main, [word])
    assert (found.exit_code, found.stderr.splitlines()[-1]) == (2, f"Error: {told}")
