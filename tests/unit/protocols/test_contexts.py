"""Application contexts: aliases, object identifiers, hex, and the variant of each."""

import pytest

from tsvc.protocols.contexts import (
    BY_ALIAS,
    CONTEXTS,
    Context,
    alias_of,
    context_octets,
    variant_of,
)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.alias)
def test_every_context_is_found_in_all_forms(context: Context) -> None:
    octets = context_octets(context.alias)
    assert octets == context_octets(context.oid)
    assert octets == context_octets(octets.hex(" "))
    assert variant_of(octets) == context.variant
    assert alias_of(octets) == context.alias


@pytest.mark.parametrize(
    ("alias", "octets"),
    [
        ("camel2", "04000001003201"),
        ("camel3", "04000001150304"),
        ("camel4", "04000001170304"),
        ("etsi", "04000101010000"),
    ],
)
def test_octets(alias: str, octets: str) -> None:
    assert context_octets(alias).hex() == octets


@pytest.mark.parametrize("text", ["", "camel9", "9.9.9", "abc", "8180"])
def test_no_context(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        context_octets(text)


def test_unknown_contexts_decide_nothing() -> None:
    assert variant_of(None) is None
    assert variant_of(bytes.fromhex("2a03")) is None
    assert alias_of(bytes.fromhex("2a03")) == "1.2.3"
    assert alias_of(b"\x81") == "81"


@pytest.mark.parametrize(
    ("alias", "module", "sets"),
    [
        ("srf", "CAP_gsmSCF_gsmSRF_pkgs_contracts_acs", "GsmSRFgsmSCF"),
        ("assist", "CAP_gsmSSF_gsmSCF_pkgs_contracts_acs", "AssistHandoffssfToScf"),
    ],
)
def test_contexts_with_few_operations_have_those_of_the_standards_modules(
    alias: str, module: str, sets: str
) -> None:
    compiled = getattr(pytest.importorskip("pycrate_asn1dir.TCAP_CAP"), module)
    codes = {
        operation["operationCode"][1]
        for direction in ("Invokable", "Returnable")
        for operation in getattr(compiled, sets + direction)._val.root
    }
    aliases = [f"camel{version}-{alias}" for version in (2, 3, 4)]
    assert [BY_ALIAS[one].operations for one in aliases] == [codes] * 3
