"""The reference of gateway kinds: it is complete and true; its examples and samples work."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tsvc.docs_generator.gateways import text
from tsvc.gateways.gateway import GATEWAYS
from tsvc.kind import kinds
from tsvc.kinds.outside import OUTSIDE as OUTSIDE_KIND
from tsvc.kinds.outside.gateway import LegacyConfig
from tsvc.schema.manual import members_of, tables_of

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "etc/tsvc.toml"
GUIDE = ROOT / "docs/guide"
TEXT = text()
HANG_GUARD_S = 120

OUTSIDE = OUTSIDE_KIND.name
EXAMPLES = {**kinds(), OUTSIDE: OUTSIDE_KIND}

SCHEMAS = {
    **{class_.kind: class_.Config.schema() for class_ in GATEWAYS},
    OUTSIDE: LegacyConfig.schema(),
}
TABLES = [
    pytest.param(schema, id=f"{kind} {place}".strip())
    for kind, whole in SCHEMAS.items()
    for place, schema in tables_of(whole)
]
# The adapter passes unknown members to a class from outside, so that its table is open.
CLOSED = [table for table in TABLES if table.id != OUTSIDE]
BOUNDS = re.compile(
    r"(?:an integer|seconds|octets|a number)(?: from |, at least | above )(\S+)(?: to (\S+))?"
)


def problems(schema, given):
    return schema.validate(given)


def test_every_kind_is_there_and_no_other():
    assert set(EXAMPLES) == set(SCHEMAS)
    headings = re.findall(r'^## module = "(.*)"$', TEXT, re.MULTILINE)
    assert sorted(headings) == sorted(SCHEMAS)


@pytest.mark.parametrize("schema", TABLES)
def test_every_member_says_what_it_means(schema):
    members = members_of(schema)
    assert members
    for member in members:
        assert member.help, member.name
        assert member.help[0] != " ", member.name
        assert not member.help.endswith("."), member.name
        assert member.must_be, member.name


@pytest.mark.parametrize("schema", TABLES)
def test_bounds_are_true(schema):
    """The schema accepts and refuses numbers as the text says."""
    # ITU's point codes have fewer bits than the text says; larger ones are refused as addresses.
    wide = {"network": "ansi"} if "network" in schema.load_fields else {}
    for member in members_of(schema):
        found = BOUNDS.fullmatch(member.must_be)
        if found is None:
            continue
        low, high = (float(bound) if bound else None for bound in found.groups())
        step = 1 if "integer" in member.must_be or "octets" in member.must_be else 0.001
        assert member.name in problems(schema, {**wide, member.name: low - step}), member
        is_taken = member.name not in problems(schema, {**wide, member.name: _plain(low)})
        assert is_taken == (" above " not in member.must_be), member
        if high is not None:
            assert member.name not in problems(schema, {**wide, member.name: _plain(high)}), member
            assert member.name in problems(schema, {**wide, member.name: high + step}), member


def _plain(number):
    return int(number) if number.is_integer() else number


@pytest.mark.parametrize("schema", TABLES)
def test_choices_and_requirements_are_true(schema):
    for member in members_of(schema):
        missing = problems(schema, {}).get(member.name)
        assert (missing == ["is missing"]) == member.is_required, member
        if member.must_be.startswith("one of "):
            refused = [problems(schema, {member.name: one})[member.name] for one in ("none?", 99)]
            shown = re.findall(r"`([^`]+)`", member.must_be)
            assert shown
            for choice in shown:
                assert choice in str(refused), member


@pytest.mark.parametrize("schema", CLOSED)
def test_a_name_that_is_not_there_is_refused_with_a_hint(schema):
    for member in members_of(schema):
        near = f"{member.name}x"
        found = problems(schema, {near: 1})
        assert found[near][0].startswith("unknown member; did you mean "), found
    assert problems(schema, {"zzzzzzzzzz": 1})["zzzzzzzzzz"] == ["unknown member"]


@pytest.mark.parametrize(
    ("kind", "given", "found"),
    [
        ("pi", {"remote_host": 1}, {"remote_host": ["must be a string"]}),
        ("pi", {"remote_host": "h", "max_line": "x"}, {"max_line": ["must be an integer"]}),
        ("pi", {"remote_host": None}, {"remote_host": ["must not be null"]}),
        ("sigtran", {"quarantine_s": "x"}, {"quarantine_s": ["must be a number"]}),
        (
            "db",
            {"url": "sqlite://", "statements": {"A": {"sql": "x", "shpe": "row"}, "B-": {}}},
            {
                "statements": {
                    "A": {"shpe": ['unknown member; did you mean "shape"?']},
                    "B-": {
                        "_schema": ["must be letters, digits and underscores"],
                        "sql": ["is missing"],
                    },
                }
            },
        ),
        ("rest", {"http_headers": 1}, {"http_headers": ["must be a table"]}),
        ("sigtran", {"connections": {}}, {"connections": ["must be an array"]}),
        ("sigtran", {"connections": [1]}, {"connections": {0: {"_schema": ["must be a table"]}}}),
        (
            "sigtran",
            {"connections": [{"name": "a", "type": "m3ua", "asp_identifiers": ["x"]}]},
            {"connections": {0: {"asp_identifiers": {0: ["must be an integer"]}}}},
        ),
        (
            "sigtran",
            {"connections": [{"name": "a", "type": "m3ua", "remot_port": 1}]},
            {
                "connections": {
                    0: {"remot_port": ['unknown member; did you mean "remote_port"?']},
                }
            },
        ),
    ],
)
def test_words_of_a_mistake(kind, given, found):
    assert problems(SCHEMAS[kind], given) == found


def test_everything_that_is_wrong_is_told_at_once():
    found = problems(SCHEMAS["pi"], {"remote_prt": 1, "username": 1})
    assert set(found) == {"remote_host", "remote_prt", "username"}


# -- examples ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_example_is_what_the_schema_takes(kind):
    (table,) = tomllib.loads(EXAMPLES[kind].example)["application"].values()
    module = table.pop("module")
    assert (module == kind) == (kind != OUTSIDE)
    for name in [name for name in table if name.endswith(("password_file", "token_file"))]:
        table[name.removesuffix("_file")] = "secret"
        del table[name]
    assert problems(SCHEMAS[kind], table) == {}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_guide_of_a_kind_is_there(kind):
    page = GUIDE / f"{EXAMPLES[kind].guide or kind}.md"
    assert page.exists()


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_shipped_configuration_has_the_example_in_comment(kind):
    sample = "".join(f"#{line}\n" for line in EXAMPLES[kind].example.splitlines())
    wanted = f"# {kind}: {EXAMPLES[kind].purpose}\n{sample}"
    is_there = f"\n{wanted}" in SHIPPED.read_text()
    assert is_there, f"etc/tsvc.toml lacks the purpose and example of its Kind:\n{wanted}"


def test_the_shipped_configuration_is_valid_with_every_sample_taken_in(tmp_path):
    taken_in = re.sub(r"^#(?! )", "", SHIPPED.read_text(), flags=re.MULTILINE)
    for name in re.findall(r'_file = "/etc/tsvc/(\S+)"', taken_in):
        path = tmp_path / name
        path.write_text("secret\n")
        path.chmod(0o600)
    taken_in = taken_in.replace("/etc/tsvc/", f"{tmp_path}/")
    # The samples have ordinary names: a key that was commented out may hide none of them.
    assert len(tomllib.loads(taken_in)["application"]) == 1 + len(EXAMPLES)
    (tmp_path / "tsvc.toml").write_text(taken_in)
    shutil.copytree(SHIPPED.parent / "examples", tmp_path / "examples")
    client = re.search(
        r"```python\n(.*?)```", (GUIDE / "legacy-gateway.md").read_text(), re.DOTALL
    )
    (tmp_path / "site_pi.py").write_text(client[1])
    checked = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(tmp_path / "tsvc.toml"), "--check"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}"},
        timeout=HANG_GUARD_S,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_tables_are_well_formed():
    for block in TEXT.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.replace("\\|", "").count("|") for row in rows}) <= 1, block[:300]
        assert len({row.split("|")[1] for row in rows}) == len(rows), block[:300]
