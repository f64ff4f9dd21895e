"""tsvc fake: what is wrong with its settings is said before anything starts."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from tsvc.cli.fake import command


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
        "import sys\nfrom tsvc.cli.fake import command\n"
        "command(['--help'], standalone_mode=False)\nsys.exit('gevent' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"--verbose" in done.stdout
