"""tsvc fake: wrong settings are reported before anything starts."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from tsvc.commands.fake import KINDS, command
from tsvc.gateways.fake import load_fake
from tsvc.schema.manual import members_of, tables_of


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "Missing argument"),
        (["smsc"], "'smsc' is not one of"),
        (["pi", "--port", "70000"], "70000 is not in the range"),
        (["pi", "--set", "=x"], "--set =x: must be KEY=VALUE"),
        (["pi", "--set", 'locked=["a"'], "--set locked: "),
        (["pi", "--settings", "/nowhere.json"], "does not exist"),
    ],
)
def test_usage(arguments, text):
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert text in result.output


@pytest.mark.parametrize("content", ["[1]", "{", "\xff"])
def test_a_settings_file_is_an_object(tmp_path, content):
    path = tmp_path / "settings.json"
    path.write_bytes(content.encode("latin-1"))
    result = CliRunner().invoke(command, ["pi", "--settings", str(path)])
    assert result.exit_code == 2
    assert str(path) in result.output.replace("\n", "")


def test_help_costs_no_gevent():
    code = (
        "import sys\nfrom tsvc.commands.fake import command\n"
        "command(['--help'], standalone_mode=False)\nsys.exit('gevent' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"--verbose" in done.stdout


def run(*arguments):
    command_line = [sys.executable, "-m", "tsvc.commands.fake", *arguments]
    return subprocess.run(command_line, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("kind", KINDS)
def test_what_can_be_set_is_said(kind):
    done = run(kind, "--keys")
    assert done.returncode == 0
    for _, schema in tables_of(load_fake(kind).Settings()):
        for member in members_of(schema):
            assert member.help, member.name
            assert f"  {member.name}" in done.stdout


def test_an_unknown_setting_gets_a_hint():
    done = run("pi", "--set", "delays=2")
    assert done.returncode == 2
    assert 'delays: unknown member; did you mean "delay_s"?' in done.stderr
