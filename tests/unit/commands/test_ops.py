"""tsvc ops: the output has all members of a type and their values, within the width."""

import re

from support.each import each

from tsvc.cli.terminal.lines import plain
from tsvc.commands.ops import described
from tsvc.methods.method import METHODS
from tsvc.operations.operation import catalogue

METHODS.load()  # this loads all operations as well
TYPES = [one.describe() for one in catalogue()]


def text(one, variant=None, width=100):
    return [plain(line) for line in described(one, variant, width)]


def names(members):
    for name, member in members.items():
        yield name
        inner = member.get("items", member) if member.get("type") == "array" else member
        found = inner.get("members")
        if isinstance(found, dict):
            yield from names(found)


@each("one", TYPES, ids=lambda one: one["type"])
def test_every_member_is_there_within_the_width(one):
    lines = text(one)
    first_words = {line.split()[0] for line in lines if line.strip()}
    assert set(names(one["attributes"])) <= first_words
    if one["arguments"]:
        assert set(names(one["arguments"].get("members", {}))) <= first_words
    too_long = [line for line in lines if len(line) > 100 and max(map(len, line.split())) < 50]
    assert too_long == []


BY_VARIANT = [(one, variant) for one in TYPES for variant in (None, *(one.get("variants") or ()))]


@each(("one", "variant"), BY_VARIANT, ids=lambda given: str(given)[:60])
def test_nothing_is_printed_as_python_writes_it(one, variant):
    whole = "\n".join(text(one, variant))
    assert re.search(r"\{'|\['|\bTrue\b|\bFalse\b|\bNone\b", whole) is None


def in_variant(member, variant):
    """Yield the names of all members below a member in a variant; None: in any variant."""
    if member.get("type") == "array":
        yield from in_variant(member.get("items", {}), variant)
    for choice in member.get("choices", ()) if member.get("type") == "by variant" else ():
        if variant in (None, *choice["variants"]):
            yield from in_variant(choice, variant)
    for name, inner in (member.get("members") or {}).items():
        if variant is None or variant in inner.get("variants", (variant,)):
            yield name
            yield from in_variant(inner, variant)


@each(("one", "variant"), BY_VARIANT, ids=lambda given: str(given)[:60])
def test_every_member_of_a_variant_is_there(one, variant):
    first_words = {line.split()[0] for line in text(one, variant) if line.strip()}
    assert set(in_variant(one["arguments"] or {}, variant)) <= first_words


def of(name):
    return next(one for one in TYPES if one["type"] == name)


def test_what_a_member_may_be():
    lines = text(of("inap.ssp_to_scp.InitialDP"), "camel2", 200)
    whole = "\n".join(lines)
    assert "serviceKey" in whole
    assert "integer 0 to 2147483647" in whole
    assert "dialledDigits" not in whole, "CAP has none"
    assert "code 0, class 2, answered within 5 s" in whole
    row = next(line for line in lines if line.strip().startswith("calledPartyNumber "))
    assert "_digits _noa _inn _npi" in row
    row = next(line for line in lines if line.strip().startswith("eventTypeBCSM "))
    assert "2 collectedInfo" in row


def test_what_differs_by_variant():
    connect = of("inap.ssp_from_scp.Connect")
    cs1, cap = (
        next(line for line in text(connect, name, 200) if "destinationRoutingAddress" in line)
        for name in ("cs1", "camel2")
    )
    assert "1 to 3 items" in cs1
    assert "1 to 3 items" not in cap
    assert "in cs1, cs2, genband, sinap" in "\n".join(text(connect, None, 400))


def test_a_narrow_terminal_has_meanings_below():
    lines = text(of("wait"), None, 40)
    assert "      required; how long (s)" in lines
