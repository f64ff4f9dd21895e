"""The reference of operation types: it is complete, and its examples are correct."""

import json
import re

from support.each import each

from tsvc.config.tables import Config
from tsvc.docs_generator.markdown import plain
from tsvc.docs_generator.operations import PARTS, part_text, text
from tsvc.matching.comparisons import TYPES as TEST_TYPES
from tsvc.operations.operation import OPERATION_TYPES, Scope, catalogue

PAGES = {"operations.md": text(), **{part.file: part_text(part) for part in PARTS}}
TEXT = "\n".join(PAGES.values())
SECTIONS = dict(
    (part.split("\n", 1) if "\n" in part else (part, ""))
    for page in PAGES.values()
    for part in page.split("\n## ")[1:]
)
LARGEST = 150_000  # octets of a page: people read it, and search it in a browser
SHOWN = {type_.name for type_ in catalogue()}
NAMES = OPERATION_TYPES.names()


@each("name", NAMES)
def test_every_type_has_a_place(name):
    assert plain(name) in SECTIONS or f"`{name}`" in TEXT


def test_every_heading_is_in_the_contents():
    assert "db.&lt;label&gt;.Begin" in SECTIONS, "not a tag, of which a browser shows nothing"
    for page, content in PAGES.items():
        for heading in re.findall(r"^## (.*)$", content, re.MULTILINE):
            if page != "operations.md":
                assert f"\n| [{heading}]({page}#" in SECTIONS["Contents"]
            elif heading not in ("Contents", "Tests") and not heading.startswith("Attributes"):
                assert f"\n* [{heading}](#" in SECTIONS["Contents"]


def test_no_page_is_too_long_to_be_read():
    lengths = {page: len(content.encode()) for page, content in PAGES.items()}
    assert {page: length for page, length in lengths.items() if length > LARGEST} == {}


def test_examples_are_of_the_role_that_most_have():
    of_srf = re.findall(r'"type": "inap\.(srf_\w+\.\w+)"', TEXT)
    there = {name.removeprefix("inap.") for name in NAMES if name.startswith("inap.ssp_")}
    assert [name for name in of_srf if name.replace("srf", "ssp") in there] == []


@each("name", NAMES)
def test_every_type_describes_itself(name):
    described = OPERATION_TYPES.get(name).describe()
    json.dumps(described)
    assert described["type"] == name
    assert described["family"] in ("logic", "outbound", "inbound")
    assert described["summary"]
    assert described["attributes"]["type"]["required"] is True
    assert described["example"]["type"] == name
    if "arguments" in described["attributes"]:
        assert described["arguments"] is not None or name.startswith("tcap.")


def problems_of(type_, variant):
    """Return the problems of a type's example, compiled for a dialogue of this variant."""
    scope = Scope({}, Config(), labels={"again": 0})
    example = type_.describe()["example"]
    if variant is not None:
        example = {**example, "variant": variant}
    entry = type_.load(example, "operations[0]", scope)
    if entry is not None:
        type_.compile(entry, "operations[0]", scope)
        for check in scope.later:
            check()
    return [(problem.path, problem.text) for problem in scope.problems]


@each("name", NAMES)
def test_every_example_compiles_in_some_variant(name):
    type_ = OPERATION_TYPES.get(name)
    found = [problems_of(type_, variant) for variant in type_.describe().get("variants", [None])]
    assert [] in found, found


def leaves(described):
    if described["type"] == "by variant":
        for choice in described["choices"]:
            yield from leaves(choice)
    for member in described.get("members", {}).values():
        yield member
        yield from leaves(member)
    if "items" in described:
        yield from leaves(described["items"])


def test_every_integer_of_the_standards_has_its_range():
    seen = 0
    for type_ in OPERATION_TYPES:
        if not type_.name.startswith(("inap.", "map.", "tcap.")):
            continue
        for leaf in leaves(type_.describe().get("arguments") or {"type": ""}):
            if leaf["type"] == "integer" and "choices" not in leaf:
                seen += 1
                assert leaf["minimum"] <= leaf["maximum"], type_.name
            if leaf["type"] == "enumerated":
                assert leaf["names"], type_.name
    assert seen > 100


def test_parts_have_ranges_and_defaults():
    members = OPERATION_TYPES.get("inap.ssp_to_scp.InitialDP").describe()["arguments"]["members"]
    assert members["calledPartyNumber"]["parts"] == {
        "_noa": {"maximum": 127, "default": 2},
        "_inn": {"maximum": 1, "default": 0},
        "_npi": {"maximum": 7, "default": 1},
    }
    assert "`_noa` 0–127, 2" in SECTIONS["INAP InitialDP"]


def test_units_are_told():
    section = SECTIONS["INAP ApplyCharging"]
    assert re.search(r"`maxCallPeriodDuration` \| 1–864000 100 ms", section)


def test_examples_in_the_text_are_json():
    blocks = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) > 80
    for block in blocks:
        assert json.loads(block)["type"] in SHOWN


def test_every_test_type_is_there():
    for name in TEST_TYPES:
        assert f"\n| `{name}` | " in SECTIONS["Tests"]


def test_tables_are_well_formed():
    for block in TEXT.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1, block[:300]
