"""The files and streams of each output, with the command line's parser; no service is needed."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.options.outputs import Done, Outputs, output_options, reported, write_file
from tsvc.client import Client
from tsvc.client.results import read_run

RESULT = read_run({"run_id": "r", "completed": 1, "state": "completed", "verdict": "pass"})


@click.command()
@output_options("html", "junit", "csv")
def command(outputs: Outputs) -> None:
    click.echo(f"{bool(outputs)} {outputs.junit}")


def test_options_become_outputs(tmp_path: Path) -> None:
    path = tmp_path / "j.xml"
    assert CliRunner().invoke(command, ["--junit", str(path)]).output == f"True {path}\n"
    assert CliRunner().invoke(command, []).output == "False None\n"


def test_a_missing_folder_is_refused_before_anything_is_run(tmp_path: Path) -> None:
    found = CliRunner().invoke(command, ["--html", str(tmp_path / "missing/out.html")])
    assert found.exit_code == 2
    assert "is not a folder" in found.output


def test_names_are_short_where_that_tells_them_apart() -> None:
    paths = ["one/a.tsvc.json", "two/b.json", "three/b.yaml", "c.d.json"]
    runs = reported(Done(Path(path), RESULT, "", None) for path in paths)
    assert [run.name for run in runs] == ["a", "two/b.json", "three/b.yaml", "c.d"]
    assert [run.source for run in runs] == paths


def test_files_are_written_without_a_service_where_none_is_needed(tmp_path: Path) -> None:
    runs = reported(
        [Done(Path("ä.json"), RESULT, "", None), Done(Path("b"), None, "refused", None)]
    )
    names = ("html", "junit", "gtest", "csv", "json")
    Outputs(**{name: tmp_path / name for name in names}).write(Client("127.0.0.1", 1), runs)
    for name in names:
        text = (tmp_path / name).read_text("utf-8")
        assert ("ä" in text) == (name != "csv"), name  # no buckets, no rows
    assert '"refusal": "refused"' in (tmp_path / "json").read_text("utf-8")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="Is a directory"):
        write_file(tmp_path, b"")
