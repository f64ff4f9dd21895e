"""The pages of the reference: one command makes them; they are up to date and well formed."""

import json
import re
from pathlib import Path

import pytest

from tsvc.docs_generator.__main__ import PAGES, main
from tsvc.docs_generator.markdown import anchor, members_of, sections
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.engine.result.metrics import METRICS
from tsvc.engine.result.result_schema import RunResult
from tsvc.errors import KINDS
from tsvc.methods.method import METHODS

FOLDER = Path(__file__).parents[3] / "docs/reference"
TEXTS = {name: text() for name, text in PAGES.items()}
PARTS = [name for name in PAGES if name.startswith("operations-")]
NEW = ("methods.md", "results.md", "definitions.md", "diameter.md", *PARTS)
METHODS.load()


@pytest.mark.parametrize("name", PAGES)
def test_the_file_is_what_the_declarations_say(name):
    assert (FOLDER / name).read_text("utf-8") == TEXTS[name], "make docs"


def test_one_command_writes_all(tmp_path):
    assert main([str(tmp_path)]) == 0
    assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == TEXTS


def test_without_a_folder_it_says_how_it_is_used(capsys):
    assert main([]) == 2
    assert "FOLDER" in capsys.readouterr().err


def headings(text):
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [anchor(line.lstrip("# ")) for line in outside.splitlines() if line.startswith("#")]


@pytest.mark.parametrize("name", NEW)
def test_headings_differ(name):
    found = headings(TEXTS[name])
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", NEW)
def test_links_lead_somewhere(name):
    for page, place in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", TEXTS[name]):
        path = FOLDER / (page or name)
        assert path.is_file(), page
        if place:
            assert place in headings(path.read_text("utf-8")), (page, place)


@pytest.mark.parametrize("name", NEW)
def test_tables_are_well_formed(name):
    for block in TEXTS[name].split("\n\n"):
        rows = [line.replace("\\|", "") for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1, block[:300]


@pytest.mark.parametrize("name", ["methods.md", "results.md", "definitions.md"])
def test_every_member_has_a_meaning(name):
    rows = [line for line in TEXTS[name].splitlines() if line.startswith("| `")]
    assert rows
    for row in rows:
        cells = [cell.strip() for cell in row.replace("\\|", "").split("|")]
        assert any(len(cell) > 3 for cell in cells[2:]), row


def test_every_method_has_its_section_and_a_call():
    parts = dict(part.split("\n", 1) for part in TEXTS["methods.md"].split("\n## ")[1:])
    assert list(parts)[1:] == METHODS.names()
    for method in METHODS:
        request, response = map(
            json.loads, re.findall(r"```json\n(.*?)```", parts[method.name], re.DOTALL)
        )
        assert request["method"] == method.name
        assert response["result"] == method.example.result


def test_every_kind_of_error_is_there():
    for kind in KINDS:
        assert f"\n| `{kind}` | " in TEXTS["errors.md"]


def test_kinds_and_methods_name_each_other():
    rows = TEXTS["errors.md"].split("## Kinds of methods")[1].splitlines()
    kinds = [row for row in rows if row.startswith("| `")]
    named = {row.split("`")[1]: set(re.findall(r"\[(\w+)\]", row)) for row in kinds}
    assert all(named.values()), "a kind that no method answers with"
    for method in METHODS:
        section = TEXTS["methods.md"].split(f"\n## {method.name}\n")[1].split("\n## ")[0]
        (said,) = re.findall(r"^Errors: (.*)\.$", section, re.MULTILINE)
        theirs = {kind for kind, methods in named.items() if method.name in methods}
        assert set(re.findall(r"`([^`]+)`", said)) == theirs


def test_every_member_of_a_result_is_there():
    whole = [("", RunResult()), *sections(RunResult())]
    for _, schema in whole:
        for name, _ in members_of(schema):
            assert f"\n| `{name}` | " in TEXTS["results.md"]


def test_every_member_of_a_definition_is_there():
    schema = TestParameters(exclude=["run_id"])
    for _, one in [("", schema), *sections(schema)]:
        for name, _ in members_of(one):
            assert f"\n| `{name}` | " in TEXTS["definitions.md"]
    for name in METRICS:
        assert f"\n| `{name}` | " in TEXTS["definitions.md"]
