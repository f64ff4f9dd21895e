"""tsvc cluster key: writes a secret to a private file, prints its public half."""

import stat
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tsvc.cli.main import main
from tsvc.cluster.curve import public_of
from tsvc.config.link_key import checked_key
from tsvc.config.load import read_key

pytestmark = pytest.mark.skipif(
    find_spec("zmq") is None, reason="the extra cluster is not installed"
)


def key(file: Path) -> Result:
    return CliRunner().invoke(main, ["cluster", "key", str(file)])


def test_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "key"
    found = key(file)
    assert found.exit_code == 0, found.output
    public = checked_key(found.output.strip(), "printed")
    assert public_of(read_key(file)) == public
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_key(file) not in found.output
    assert key(tmp_path / "other").output != found.output


def test_one_that_is_there_is_left(tmp_path: Path) -> None:
    file = tmp_path / "key"
    first, before = key(file), file.read_bytes()
    assert (key(file).output, file.read_bytes()) == (first.output, before)


@pytest.mark.parametrize(
    ("content", "mode", "text"),
    [
        ("something else\n", 0o600, "what is in it is no key"),
        ("", 0o600, "what is in it is no key"),
        ("x", 0o644, "everyone can read it"),
    ],
)
def test_what_is_no_key(tmp_path: Path, content: str, mode: int, text: str) -> None:
    file = tmp_path / "key"
    file.write_text(content)
    file.chmod(mode)
    found = key(file)
    assert found.exit_code == 1
    assert f"{file}: {text}" in found.output
    assert file.read_text() == content


def test_where_there_is_no_folder(tmp_path: Path) -> None:
    found = key(tmp_path / "none" / "key")
    assert found.exit_code == 1
    assert "key: No such file or directory" in found.output
