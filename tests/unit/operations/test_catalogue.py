"""Names of types in every spelling, and the catalogue that DescribeOperations returns."""

import pytest
from support.each import each
from support.kind_peers import every_application
from support.scripted_scp import INITIAL_DP, ScriptedDaemon

from tsvc.operations.names import canonical, find, unknown
from tsvc.operations.operation import OPERATION_TYPES, families

NAMES = OPERATION_TYPES.names()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("inap.ssp_to_scp.InitialDP", "inap.ssp_to_scp.InitialDP"),
        ("inap.scp_from_ssp.InitialDP", "inap.ssp_to_scp.InitialDP"),
        ("inap.scp_to_ssp.Connect", "inap.ssp_from_scp.Connect"),
        ("inap.srp_from_scp.PlayAnnouncement", "inap.srf_from_scp.PlayAnnouncement"),
        ("inap.scp_to_srp.PlayAnnouncement", "inap.srf_from_scp.PlayAnnouncement"),
        ("tcap.scp_to_hlr.Abort", "tcap.hlr_from_scp.Abort"),
        ("eval", "eval"),
        ("nonsense.x.y", "nonsense.x.y"),
    ],
)
def test_spellings(given, name):
    assert canonical(given) == name


def test_every_type_is_found_by_its_own_name():
    assert [find(name).name for name in NAMES] == NAMES


def test_an_unknown_type_gets_a_hint():
    assert unknown("inap.scp_to_ssp.Conect").endswith('did you mean "inap.ssp_from_scp.Connect"?')
    assert "did you mean" not in unknown("zzz")
    assert "file transfer" in unknown("ftp.Request")


def test_every_type_is_described(daemon):
    described = daemon().call("DescribeOperations")["operations"]
    samples = [family.sample.name for family in families()]
    assert [one["type"] for one in described] == sorted([*NAMES, *samples])
    for one in described:
        assert one["summary"].strip(), one["type"]
        assert one["family"] in ("logic", "outbound", "inbound"), one["type"]
        assert {"type", "label"} < set(one["attributes"]), one["type"]
        assert one["example"]["type"] == one["type"]


def test_one_type_by_any_spelling(daemon):
    tsvc = daemon()
    for name in ("inap.ssp_from_scp.Connect", "inap.scp_to_ssp.Connect"):
        (one,) = tsvc.call("DescribeOperations", type=name)["operations"]
        assert one["type"] == "inap.ssp_from_scp.Connect"
        assert one["arguments"]
    assert tsvc.call("DescribeOperations", type="nonsense")["operations"] == []


def definition_around(entry):
    """Return operations around an example that make it valid, and their context."""
    type_ = find(entry["type"])
    operations = [entry]
    if "on_true" in entry:
        operations.append({"type": "pass", "label": entry["on_true"]})
    variants = getattr(getattr(type_, "operation", None), "variants", frozenset({"camel3"}))
    context = next(
        (name for name in ("camel3", "camel4", "camel2", "cs1") if name in variants), None
    )
    operation = getattr(type_, "operation", None)
    is_begin = getattr(operation, "can_begin", False) and type_.name.endswith(operation.name)
    if context is None or (entry["type"].startswith("inap.srf_") and not is_begin):
        operations[0] = {**entry, "variant": sorted(variants)[0]}
        return operations, {}
    if is_begin or not entry["type"].startswith("inap."):
        return operations, {"ssp_ac": context}
    return [INITIAL_DP, *operations], {"ssp_ac": context}


@pytest.fixture(scope="module")
def judges(tmp_path_factory):
    """A daemon with only the loopback, and a daemon with a gateway of every kind."""
    found = [
        ScriptedDaemon(tmp_path_factory.mktemp("judge"), others=others)
        for others in ({}, every_application())
    ]
    yield found
    for one in found:
        one.stop()


@each("name", [name for name in NAMES if not name.startswith("map.")])
def test_every_example_is_valid(judges, name):
    needs_others = "." in name and not name.startswith(("inap.", "tcap."))
    operations, params = definition_around(dict(find(name).example))
    params = {"vars": {"count": 0}, **params}  # read by examples of the logic operations
    found = judges[needs_others].call("ValidateTest", operations=operations, **params)
    assert found["problems"] == []
    assert found["valid"] is True
    assert name in found["operations"]
