"""Commands that need no run: if no service answers, a private daemon does."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from support.ports import free_port

from tsvc.cli.main import main as tsvc
from tsvc.client import client as client_module

CALL = {
    "operations": [
        {"type": "rest.Request", "arguments": {"path": "/x", "method": "GET"}},
        {"type": "db.Query", "arguments": {"sql": "SELECT 1"}},
    ]
}


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> int:
    """The default port, at which no service answers."""
    port = free_port()
    monkeypatch.setattr(client_module, "DEFAULT_PORT", port)
    for name in ("TSVC_HOST", "TSVC_PORT"):
        monkeypatch.delenv(name, raising=False)
    return port


def run(*arguments: object) -> Result:
    return CliRunner().invoke(tsvc, [str(one) for one in arguments])


def write(path: Path, definition: object) -> Path:
    path.write_text(json.dumps(definition))
    return path


def test_ops_and_schema(nobody: int) -> None:
    found = run("ops", "wait")
    assert found.exit_code == 0, found.output
    assert f"nobody answers at 127.0.0.1 port {nobody}: asking a private daemon" in found.stderr
    assert "seconds" in found.stdout
    found = run("schema", "--embedded")
    assert (found.exit_code, found.stderr) == (0, "")
    assert json.loads(found.stdout)["$schema"]


def test_a_short_name_is_found_among_the_full_ones() -> None:
    found = run("ops", "releasecall", "--embedded")
    assert found.exit_code == 1
    assert "inap.ssp_from_scp.ReleaseCall" in found.stderr
    found = run("ops", "wiat", "--embedded")
    assert 'did you mean "wait"?' in found.stderr


def test_validate_says_what_it_cannot_know(tmp_path: Path) -> None:
    found = run("validate", write(tmp_path / "a.json", CALL))
    assert found.exit_code == 0, found.output
    assert "a.json: valid\n" in found.stdout
    assert "not checked without a service or --config" in found.stdout
    assert "gateway for db, rest" in found.stdout or "gateway for rest, db" in found.stdout
    wrong = write(tmp_path / "b.json", {"operations": [*CALL["operations"], {"type": "pas"}]})
    found = run("validate", wrong)
    assert found.exit_code == 1
    assert "b.json: not valid\n" in found.stdout


def test_validate_with_a_configuration_knows_the_gateways(tmp_path: Path) -> None:
    config = tmp_path / "tsvc.toml"
    config.write_text('[application.B]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:1"\n')
    path = write(tmp_path / "a.json", CALL)
    found = run("validate", path, "--config", config)
    assert found.exit_code == 1
    assert "no db application is configured" in found.stdout
    assert "no rest application" not in found.stdout


@pytest.mark.parametrize("command", [["ops"], ["schema"], ["validate"]], ids=lambda one: one[0])
def test_an_address_that_is_named_has_to_answer(command: list[str], tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", CALL)
    files = [path] if command == ["validate"] else []
    found = run(*command, *files, "--port", free_port())
    assert found.exit_code != 0
    assert "connection refused" in found.output + str(found.exception)


def test_the_commands_are_there() -> None:
    context = click.Context(tsvc)
    for name in ("ops", "schema", "validate"):
        command = tsvc.get_command(context, name)
        assert command is not None
        assert {"embedded", "config"} <= {one.name for one in command.params}
