"""tsvc init: makes a folder to begin with: its test passes, and editors know the members."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

import tsvc
from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.errors import reason

PLACE = Place(Heading.WRITE, 1)

_FLOW = "flows/extension_dialing.json"
_SCHEMA = "tsvc.schema.json"

_CONFIG = f"""\
# Configuration of the daemon in this folder: tsvcd -c tsvc.toml
# `tsvcd --print-config` prints every key there is, with its default.

[service]
# The archive of results.
state_dir = "state"

[rpc]
# Where the daemon listens; on other addresses than loopback, set allow, tls or auth_tokens first.
host = "127.0.0.1"
port = 9009

[scp]
# What the service control point inside the daemon runs, so that there is something to test.
flows = ["{_FLOW}"]

[application."SIGTRAN"]
module = "sigtran"
# To the control point inside the daemon. For another one, over M3UA:
# default_scp = {{ dpc = 2, dssn = 106 }}
# connections = [{{ name = "scp1", type = "m3ua", remote_host = "10.1.2.3", remote_port = 2905 }}]
connections = [{{ name = "loopback", type = "loopback" }}]
"""


@click.command(name="init")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
def command(folder: Path) -> None:
    """Make a configuration, a flow to test, a first test of it, and what editors need, in FOLDER.

    Nothing is written over. Editors complete and check definitions by tsvc.schema.json, which
    .vscode/settings.json maps to tests/; `tsvc schema` writes it anew, with kinds of your own.
    """
    contents = _contents()
    there = [name for name in contents if (folder / name).exists()]
    if there:
        raise click.UsageError(f"already in {folder}: {', '.join(there)}; nothing was written")
    for name, text in contents.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        except OSError as error:
            raise FileProblem(f"{path}: {reason(error)}") from None
        say(str(path))
    at = "" if folder == Path() else f"{folder}/"
    say(
        "",
        f"tsvcd -c {at}tsvc.toml     the daemon, in the foreground",
        f"tsvc run {at}tests         in another terminal: the test",
        f"tsvc run {at}tests --embedded --config {at}tsvc.toml     or both in one",
    )


def _contents() -> Mapping[str, str]:
    """Return the text of each file by its name. Blocks: on a daemon that provides the schema."""
    from tsvc.cli.embedded import PrivateDaemon

    samples = samples_folder()
    with PrivateDaemon() as daemon:
        schema = daemon.client().describe_definition()
    settings = {
        "json.schemas": [{"fileMatch": ["/tests/**/*.json"], "url": f"./{_SCHEMA}"}],
        "yaml.schemas": {f"./{_SCHEMA}": ["/tests/**/*.yaml", "/tests/**/*.yml"]},
    }
    return {
        "tsvc.toml": _CONFIG,
        _FLOW: _read(samples / _FLOW),
        "tests/first_call.json": _read(samples / "extension_dialing.json"),
        _SCHEMA: json.dumps(schema, ensure_ascii=False) + "\n",
        ".vscode/settings.json": json.dumps(settings, indent=2) + "\n",
        ".gitignore": "state/\n",
    }


def samples_folder() -> Path:
    """Return the folder of the samples: in the installed package, or in the checkout.

    Errors: FileProblem if there are no samples.
    """
    package = Path(tsvc.__file__).parent
    for found in (package / "examples", package.parent / "etc" / "examples"):
        if found.is_dir():
            return found
    raise FileProblem(f"{package / 'examples'}: No such folder; is the installation whole?")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise FileProblem(f"{path}: {reason(error)}") from None
