"""Definitions written in Python: what they build, what is refused, what mypy reports."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tsvc import definition as builder
from tsvc.cli.definition_file.load import load_definition
from tsvc.definition import WrongMember, branch, db, definition, inap, operation, unchecked
from tsvc.definition.build import python_name
from tsvc.docs_generator import stubs
from tsvc.docs_generator.__main__ import main
from tsvc.operations.names import canonical
from tsvc.operations.operation import OPERATION_TYPES, catalogue, families

ROOT = Path(__file__).parents[3]
STUB = ROOT / "tsvc/definition/__init__.pyi"
EXAMPLES = sorted(
    path
    for folder in ("etc/examples", "etc/examples/guide")
    for path in (ROOT / folder).glob("*.json")
)
LABELLED = tuple(family.prefix for family in families())


NAMES = {name: getattr(builder, name) for name in builder.__all__}


def code_of(params: dict[str, Any]) -> str:
    """Return the Python expression that builds a definition."""
    members = {name: value for name, value in params.items() if name != "operations"}
    gateways = {
        name: members.pop(name) for name in list(members) if name.startswith(("db_", "rest_"))
    }
    lines = [f"    {entry_code(entry)}," for entry in params["operations"]]
    given = [f"{name}={value!r}" for name, value in members.items()]
    given += [f"gateways={gateways!r}"] if gateways else []
    return "definition([\n" + "\n".join(lines) + "\n], " + ", ".join(given) + ")"


def entry_code(entry: dict[str, Any]) -> str:
    name = canonical(entry["type"])
    words = [python_name(word) for word in name.split(".")]
    if name.startswith(LABELLED) and len(words) > 2:
        first, label, *rest = words
        words = [f'{first}("{label}")', *rest]
    given = [f"{name}={value!r}" for name, value in entry.items() if name != "type"]
    return f"{'.'.join(words)}({', '.join(given)})"


def with_canonical_types(params: dict[str, Any]) -> dict[str, Any]:
    entries = [{**entry, "type": canonical(entry["type"])} for entry in params["operations"]]
    return {**params, "operations": entries}


def plain(path: Path) -> dict[str, Any]:
    params: dict[str, Any] = json.loads(json.dumps(load_definition(path).params))
    return params


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_that_is_built_is_its_json(path: Path) -> None:
    params = plain(path)
    built = eval(code_of(params), NAMES.copy())
    assert json.loads(built.to_json()) == with_canonical_types(params)
    assert built.to_dict() == json.loads(built.to_json())


def test_the_example_of_each_type_can_be_built() -> None:
    for type_ in catalogue():
        example = json.loads(json.dumps(dict(type_.example)))
        example["type"] = example["type"].replace("<label>", "crm").replace("<method>", "Find")
        built = eval(entry_code(example), NAMES.copy())
        assert built == {**example, "type": canonical(example["type"])}, type_.name


def test_every_first_word_of_a_type_can_be_imported() -> None:
    names = {python_name(name.split(".")[0]) for name in OPERATION_TYPES.names()}
    names |= {family.prefix.rstrip(".") for family in families()}
    assert names <= set(builder.__all__)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            'inap.ssp_to_scp.InitialDP({"serviceKye": 45})',
            'InitialDP.arguments.serviceKye: unknown member; did you mean "serviceKey"?',
        ),
        (
            'inap.ssp_to_scp.InitialDP(labl="x")',
            'inap.ssp_to_scp.InitialDP.labl: unknown member; did you mean "label"?',
        ),
        (
            'inap.ssp_from_scp.RequestReportBCSMEvent({"bcsmEvents": [{}, {"monitorMod": 1}]})',
            "inap.ssp_from_scp.RequestReportBCSMEvent.arguments.bcsmEvents[1].monitorMod: unknown "
            'member; did you mean "monitorMode"?',
        ),
        ("inap.ssp_to_scp.Connect", "did you mean"),
        ("branch()", "branch.expression: is required"),
        (
            'eval(expression="1", tests=[{"kpath": "v", "vale": 3}])',
            'eval.tests[0].vale: unknown member; did you mean "value"?',
        ),
        (
            'db("crm").Query({"sq": "select"})',
            'db.crm.Query.arguments.sq: unknown member; did you mean "sql"?',
        ),
        ('inap("a label")', "inap has no labels"),
        ("definition([], sp_ac=1)", 'sp_ac: unknown member; did you mean "ssp_ac"?'),
        (
            'definition([], distribution={"typ": 1})',
            'distribution.typ: unknown member; did you mean "type"?',
        ),
        (
            'definition([], thresholds=[{"metric": "m", "op": "<", "valu": 1}])',
            'thresholds[0].valu: unknown member; did you mean "value"?',
        ),
        ('definition([{"type": "evall"}])', "operations[0].type: unknown operation type"),
        (
            'definition([{"type": "wait", "argument": {}}])',
            'operations[0].argument: unknown member; did you mean "arguments"?',
        ),
        ("definition([1])", "operations[0]: an entry is an object with a type"),
        ('operation("dumy.X")', "unknown operation type"),
    ],
)
def test_a_wrong_name_is_refused_with_its_place(code: str, text: str) -> None:
    with pytest.raises((WrongMember, AttributeError, TypeError)) as refused:
        eval(code, NAMES.copy())
    assert text in str(refused.value)


def test_what_variants_and_directions_allow_is_taken() -> None:
    expected = inap.ssp_from_scp.ReleaseCall(unchecked({"!allCallSegments_cause": 31}))
    assert expected["arguments"] == {"!allCallSegments_cause": 31}
    with pytest.raises(WrongMember, match="!serviceKey"):
        inap.ssp_to_scp.InitialDP(unchecked({"!serviceKey": 45}))
    # A charging characteristic is octets in INAP, and a structure in CAP.
    for value in ("0102", {"timeDurationCharging": {"maxCallPeriodDuration": 600}}):
        inap.ssp_from_scp.ApplyCharging(unchecked({"aChBillingChargingCharacteristics": value}))
    inap.ssp_to_scp.InitialDP({"raw_hex": "3000"}, comment="as it is")
    assert operation("inap.scp_to_ssp.Connect")()["type"] == "inap.scp_to_ssp.Connect"
    assert branch(expression="1", on_true=None)["on_true"] is None
    made = definition([db("crm").Subscriber({"msisdn": "1"})], gateways={"db_crm": "CRM"})
    assert made["db_crm"] == "CRM"


def test_a_dict_of_it_is_a_copy() -> None:
    made = definition([inap.ssp_to_scp.InitialDP({"serviceKey": 45})])
    copy = made.to_dict()
    copy["operations"][0]["arguments"]["serviceKey"] = 46
    assert made["operations"][0]["arguments"]["serviceKey"] == 45
    assert type(copy) is dict
    assert type(copy["operations"][0]) is dict


def test_the_stub_is_what_the_declarations_say(tmp_path: Path) -> None:
    assert STUB.read_text("utf-8") == stubs.text(), "make docs"
    assert main([str(tmp_path), str(tmp_path / "stub.pyi")]) == 0
    assert (tmp_path / "stub.pyi").read_text("utf-8") == stubs.text()


HEAD = "import tsvc.definition\nfrom tsvc.definition import *\n"
HEAD += "from tsvc.definition import definition, eval, map\n"
MISTAKES = {
    'inap.ssp_to_scp.InitialDP({"serviceKye": 45})': 'Extra key "serviceKye"',
    'inap.ssp_to_scp.InitialDP({"serviceKey": [45]})': '"serviceKey" has type',
    "inap.ssp_to_scp.InitialDPP()": 'no attribute "InitialDPP"',
    'inap.ssp_to_scp.InitialDP(labl="x")': '"labl"',
    'inap.ssp_from_scp.ConnectToResource({"resourceAddres": {"none": 1}})': '"resourceAddres"',
    'inap.ssp_from_scp.RequestReportBCSMEvent({"bcsmEvents": [{"monitorMo": 1}]})': '"monitorMo"',
    "branch()": 'Missing named argument "expression"',
    'db("crm").Query({"sq": "select"})': 'Extra key "sq"',
    "definition([], sp_ac='x')": '"sp_ac"',
    'eval(expression="1", tests=[{"kpath": "v", "vale": 3}])': 'Extra key "vale"',
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    """The errors of mypy by line: a mistake in each of the first lines, then the examples."""
    folder = tmp_path_factory.mktemp("typed")
    code = HEAD + "\n".join(MISTAKES) + "\n" + "\n".join(code_of(plain(p)) for p in EXAMPLES)
    (folder / "sample.py").write_text(code, "utf-8")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\nfollow_imports = silent\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), "sample.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return dict(by_line(done.stdout))


def by_line(output: str) -> Iterator[tuple[int, list[str]]]:
    found: dict[int, list[str]] = {}
    for line in output.splitlines():
        place, _, text = line.partition(": error: ")
        if text:
            found.setdefault(int(place.split(":")[1]), []).append(text)
    yield from found.items()


@pytest.mark.slow
def test_mypy_finds_mistakes(said: dict[int, list[str]]) -> None:
    for line, (code, text) in enumerate(MISTAKES.items(), HEAD.count("\n") + 1):
        assert any(text in one for one in said.get(line, [])), (code, said.get(line))


@pytest.mark.slow
def test_mypy_finds_none_in_the_examples(said: dict[int, list[str]]) -> None:
    last = HEAD.count("\n") + len(MISTAKES)
    assert {line: texts for line, texts in said.items() if line > last} == {}
