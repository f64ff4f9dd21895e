"""The JSON Schema of definition files: accepts all samples and examples, refuses wrong files."""

import json
from pathlib import Path

import jsonschema
import pytest
from support.definition_schema import schema, validator, validator_of
from support.each import each

from tsvc.cli.definition_file.document import read
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.engine.result.metrics import METRICS
from tsvc.operations.names import find, spellings
from tsvc.operations.operation import OPERATION_TYPES
from tsvc.schema.shared_definitions import shared

ROOT = Path(__file__).parents[4]
SAMPLES = sorted([*ROOT.glob("etc/examples/*.json"), *ROOT.glob("etc/examples/guide/*.json")])
IDP = "inap.ssp_to_scp.InitialDP"
RRBE = "inap.ssp_from_scp.RequestReportBCSMEvent"


def problems(definition):
    return [
        (list(error.absolute_path), error.message[:200])
        for error in validator().iter_errors(definition)
    ]


def entry(type_, **members):
    return {"operations": [{"type": type_, **members}]}


@pytest.mark.slow
def test_it_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$schema"].endswith("2020-12/schema")


def test_every_reference_leads_somewhere():
    text = json.dumps(schema())
    for part in text.split('"$ref": "#/$defs/')[1:]:
        assert part.split('"')[0] in schema()["$defs"]


@each("path", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_fits(path):
    assert problems(read(path).value) == []


@each("name", OPERATION_TYPES.names())
def test_every_example_fits_in_every_spelling(name):
    example = OPERATION_TYPES.get(name).describe()["example"]
    for spelling in spellings(name):
        definition = {"operations": [{**example, "type": spelling}]}
        assert [*validator_of(spelling).iter_errors(definition)] == []


def test_every_member_of_a_definition_is_there():
    names = {field.data_key or name for name, field in TestParameters().load_fields.items()}
    assert names - {"run_id"} == set(schema()["properties"]) & names


GOOD = {
    "expressions": entry(IDP, arguments={"serviceKey": "{$v->{key}}", "eventTypeBCSM": "{7}"}),
    "digit strings for numbers": entry(IDP, arguments={"serviceKey": "45"}, invoke_id="3"),
    "parts": entry(
        IDP, arguments={"calledPartyNumber_digits": "0a", "calledPartyNumber_noa": 127}
    ),
    "octets": entry(IDP, arguments={"calledPartyNumber_hex": "03 90 21"}),
    "raw": entry(IDP, raw_hex="3000"),
    "expected null": entry(RRBE, arguments={"bcsmEvents": None}),
    "negation": entry(RRBE, arguments={"!bcsmEvents": None, "!oAnswer_timer": 3}),
    "shorthand": entry(RRBE, arguments={"oAnswer": 1, "oNoAnswer_timer": "{20}"}),
    "mirrored": entry("inap.scp_from_ssp.InitialDP", arguments={}),
    "srp": entry("inap.srp_from_scp.PlayAnnouncement"),
    "labelled": entry(
        "rest.BSS.SendRequest", arguments={"path": "x", "method": "GET", "content_type": ""}
    ),
    "statement": entry("db.CcsAcctExists", arguments={"be_acct_id": "{$v->{id}}"}),
    "labelled statement": entry("db.smf.CcsAcctExists", arguments={"be_acct_id": 7}),
    "labelled query": entry("db.smf.Query", arguments={"sql": "SELECT 1"}),
    "about": {**entry("pass"), "name": "n", "comment": [], "x_owner": {}},
    "tests": entry("eval", expression="1", tests=[{"kpath": "v.x", "value": 1}]),
    "test by type": entry(
        RRBE, tests=[{"kpath": "a", "type": "size", "min": "{1}", "abort_on_fail": 1}]
    ),
    "vars": {
        **entry("pass"),
        "vars": {
            "a": {"$random": {"max": 5}},
            "b": {"$csv": {"file": "f", "column": "c", "order": "unique"}},
            "c": {"$sequence": {"width": 3}},
            "d": {"$choice": [1, "x", None]},
            "e": {"plain": {"$random": 1}, "more": 2},
        },
    },
    "a rate": {
        **entry("pass"),
        "distribution": {"type": "linear", "total": "5", "backlog": 1, "cps": 3.5},
    },
    "instances": {**entry("pass"), "db_hlr": "DB", "rest_bss": "BSS", "sigtran": None},
    "files": {"include": ["a.yaml"], "vars": ["v.toml", {"x": 1}], "flow": "f.json"},
    "cases in a file": {**entry("pass"), "cases": "rows.csv"},
    "cases": {**entry("pass"), "cases": [{"case": "x", "a": [1]}]},
    "metrics": {
        **entry("pass"),
        "thresholds": [
            {"metric": metric, "op": "<", "value": 1}
            for metric in ("failed_percent", "operations[7].p99_ms", "operations[let go].count")
        ],
    },
    "contexts": {**entry("pass"), "ssp_ac": "camel2", "hlr_ac": "0.4.0.0.1.0.5.3"},
    "no context": {**entry("pass"), "ssp_ac": None},
    "included operations": {"operations": [{"include": "a.json", "comment": "c"}]},
}

WRONG = {
    "no operations": {"vars": {}},
    "empty": {"operations": []},
    "run_id": {**entry("pass"), "run_id": "x"},
    "unknown member": {**entry("pass"), "operation": []},
    "unknown type": entry("inap.ssp_to_scp.InitialDp2"),
    "no type": {"operations": [{"label": "x"}]},
    "attribute of others": entry("pass", tests=[]),
    "unknown attribute": entry(IDP, argument={}),
    "unknown argument": entry(IDP, arguments={"serviceKeys": 1}),
    "unknown deep down": entry(RRBE, arguments={"bcsmEvents": [{"eventType": 1}]}),
    "unknown negated": entry(RRBE, arguments={"!bcsmEvent": None}),
    "negation when sent": entry(IDP, arguments={"!serviceKey": 1}),
    "range": entry(IDP, arguments={"serviceKey": 2147483648}),
    "range of a part": entry(IDP, arguments={"calledPartyNumber_noa": 128}),
    "text for a number": entry(IDP, arguments={"serviceKey": "forty"}),
    "number for digits": entry(IDP, arguments={"calledPartyNumber_digits": 80}),
    "odd hex": entry(IDP, arguments={"calledPartyNumber_hex": "039"}),
    "name of an enumeration": entry(IDP, arguments={"eventTypeBCSM": "oAnswered"}),
    "half an expression": entry(IDP, arguments={"serviceKey": "{1"}),
    "argument of none": entry("inap.ssp_from_scp.Continue", arguments={"x": 1}),
    "mandatory argument": entry("wait", arguments={}),
    "mandatory attribute": entry("eval"),
    "wait": entry("wait", arguments={"seconds": -1}),
    "test without kpath": entry("eval", expression="1", tests=[{"value": 1}]),
    "test of no type": entry("eval", expression="1", tests=[{"kpath": "v", "type": "equals"}]),
    "test of another type": entry(
        "eval", expression="1", tests=[{"kpath": "v", "type": "regex", "value": "x"}]
    ),
    "generator": {**entry("pass"), "vars": {"a": {"$randon": {"max": 1}}}},
    "member of a generator": {**entry("pass"), "vars": {"a": {"$random": {"top": 1}}}},
    "distribution": {**entry("pass"), "distribution": {"type": "burst"}},
    "rate": {**entry("pass"), "distribution": {"type": "linear", "cps": {"rate": 1}}},
    "scp": {**entry("pass"), "scp": {"dssn": 256}},
    "lock": {**entry("pass"), "locks": [{"name": "x"}]},
    "extension": {**entry("pass"), "inap": {"extensions": {"one": "OCTET STRING"}}},
    "include": {"include": "a.txt"},
    "cases": {**entry("pass"), "cases": "rows.txt"},
    "metric": {**entry("pass"), "thresholds": [{"metric": "faild", "op": "<", "value": 1}]},
    "metric of an operation": {
        **entry("pass"),
        "thresholds": [{"metric": "operations[7].p100_ms", "op": "<", "value": 1}],
    },
    "context": {**entry("pass"), "ssp_ac": 5},
    "included operation": {"operations": [{"include": "a.json", "label": "x"}]},
}


@each("name", GOOD)
def test_what_is_right(name):
    assert problems(GOOD[name]) == []


@each("name", WRONG)
def test_what_is_wrong(name):
    assert problems(WRONG[name])


def test_editors_offer_metrics_and_contexts():
    metric = schema()["properties"]["thresholds"]["items"]["properties"]["metric"]
    assert metric["anyOf"][0]["enum"] == list(METRICS)
    for name in ("ssp_ac", "hlr_ac"):
        aliases = schema()["properties"][name]["anyOf"][0]
        aliases = schema()["$defs"].get(aliases.get("$ref", "").rpartition("/")[2], aliases)
        assert "camel2" in aliases["enum"]


def test_capitals_and_spellings_find_the_type():
    for name in OPERATION_TYPES.names():
        assert spellings(name)[0] == name
        for spelling in spellings(name):
            assert find(spelling).name == name
    assert find("INAP.ssp_TO_scp.initialdp").name == IDP
    assert find("inap.ssp_to_scp.Initial") is None


def test_shared_parts_mean_the_same():
    part = {"type": "object", "properties": {"a": {"enum": ["a long name" * 9]}}}
    given = {"properties": {"p": part, "q": part}, "$defs": {"d": {"properties": {"r": part}}}}
    ticks = []
    slim = shared(given, lambda: ticks.append(1))
    assert len(json.dumps(slim)) < len(json.dumps(given))
    assert len(ticks) == 2
    assert slim["properties"]["p"] == slim["properties"]["q"] == {"$ref": "#/$defs/part1"}
    validator = jsonschema.Draft202012Validator(slim)
    assert not validator.is_valid({"p": {"a": "a long name"}})
    assert validator.is_valid({"p": {"a": "a long name" * 9}})
