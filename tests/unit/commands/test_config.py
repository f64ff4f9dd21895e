"""tsvc config import-n2, as a user runs it."""

import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from tsvc.commands.config import command

SAMPLE = Path(__file__).parents[1] / "import_n2" / "n2svcd.xml"
GUARD_S = 60


def run(*arguments):
    return CliRunner().invoke(command, ["import-n2", *map(str, arguments)])


def check(path):
    """Return exit status and output of tsvcd --check."""
    done = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(path), "--check"],
        capture_output=True,
        text=True,
        timeout=GUARD_S,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_standard_output_has_no_secret():
    result = run(SAMPLE)
    assert result.exit_code == 0
    assert tomllib.loads(result.stdout)["rpc"]["port"] == 9010
    assert "s3cr3t" not in result.output
    assert "passwords are left out" in result.stderr
    assert "line 3: syslog" in result.stderr


def test_a_file_is_for_its_owner_alone(tmp_path):
    output = tmp_path / "tsvc.toml"
    result = run(SAMPLE, "-o", output)
    assert result.exit_code == 0, result.output
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert "s3cr3t" not in result.output
    assert "s3cr3t" in output.read_text()
    assert list(tmp_path.iterdir()) == [output]


def test_what_comes_out_is_valid(tmp_path):
    output = tmp_path / "tsvc.toml"
    run(SAMPLE, "-o", output)
    status, said = check(output)
    assert status == 0, said


def test_what_comes_out_without_passwords_is_valid_once_they_are_there(tmp_path):
    output = tmp_path / "tsvc.toml"
    output.write_text(run(SAMPLE).stdout)
    output.chmod(0o600)  # header fields of REST may be keys
    status, said = check(output)
    assert status != 0
    assert "password" in said
    for application in tomllib.loads(output.read_text())["application"].values():
        if "password_file" in application:
            secret = tmp_path / application["password_file"]
            secret.write_text("s3cr3t\n")
            secret.chmod(0o600)
    status, said = check(output)
    assert status == 0, said


def test_a_file_that_is_there_stays(tmp_path):
    output = tmp_path / "tsvc.toml"
    output.write_text("mine")
    result = run(SAMPLE, "-o", output)
    assert (result.exit_code, output.read_text()) == (2, "mine")
    assert run(SAMPLE, "-o", output, "--force").exit_code == 0
    assert output.read_text() != "mine"
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<n2svcd>\n<applications></n2svcd>", ":2: mismatched tag"),
        ('<!DOCTYPE n2svcd [<!ENTITY a "b">]><n2svcd/>', ":1: document types"),
        ("<tsvc/>", ":1: <tsvc> is no N2SVCD configuration"),
    ],
)
def test_errors_name_file_and_line(tmp_path, text, said):
    path = tmp_path / "n2svcd.xml"
    path.write_text(text)
    result = run(path, "-o", tmp_path / "out.toml")
    assert result.exit_code == 1
    assert f"{path}{said}" in result.stderr
    assert not (tmp_path / "out.toml").exists()


def test_a_folder_that_is_not_there(tmp_path):
    result = run(SAMPLE, "-o", tmp_path / "nowhere" / "tsvc.toml")
    assert result.exit_code == 2
    assert "No such file" in result.output
