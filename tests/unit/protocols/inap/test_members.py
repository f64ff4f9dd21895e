"""Compares the tables of CAP with pycrate's compiled TS 29.078, member by member.

The tests compare the tag, the size, and whether the member is mandatory. Tests with values show
what we encode. These tests find a member that we lack, another number, or a wrong OPTIONAL.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from unit.protocols.asn1 import limits
from unit.protocols.inap.by_pycrate import RENAMED, tcap_cap

from tsvc.protocols.asn1 import Containing, Sequence, SequenceOf, Structure
from tsvc.protocols.inap.operation import OPERATIONS, Operation

CONTEXT = 2  # the class of a tag
# pycrate has CAP v4; GPRS only has one version.
PACKAGES = {"camel4": "gsm", "camel4-sms": "sms", "camel3-gprs": "gprs"}
# Mandatory in pycrate and optional here.
OPTIONAL = {
    # N2SVCD's definitions only give the correlation id, which is optional in INAP.
    "AssistRequestInstructions.iPSSPCapabilities",
    # The event determines which one is given; tshark does not miss the others either.
    "EventReportBCSM.eventSpecificInformationBCSM.dpSpecificInfoAlt.oServiceChangeSpecificInfo",
    "EventReportBCSM.eventSpecificInformationBCSM.dpSpecificInfoAlt.tServiceChangeSpecificInfo",
    "EventReportBCSM.eventSpecificInformationBCSM.dpSpecificInfoAlt.collectedInfoSpecificInfo",
    # The same for the criteria of collected digits.
    "RequestReportBCSMEvent.bcsmEvents.dpSpecificCriteria.dpSpecificCriteriaAlt"
    ".changeOfPositionControlInfo",
}
# Sizes that we accept beyond the standard: no digits are an answer, too.
WIDER = {"PromptAndCollectUserInformation.digitsResponse has 1..16, there 2..16"}
# A number or an object identifier, which are a CHOICE in pycrate.
EXTENSION = {"type", "globalType", "value"}


def declared_there() -> dict[tuple[str, int, str], Any]:
    """Return (package, code, argument or result) -> pycrate's type."""
    found: dict[tuple[str, int, str], Any] = {}
    for name in dir(tcap_cap):
        if not name.endswith("_pkgs_contracts_acs"):
            continue
        package = name.removeprefix("CAP_").partition("S")[0]
        module = getattr(tcap_cap, name)
        sets = (one for one in dir(module) if one.endswith("able") and not one.startswith("_"))
        for entry_set in (getattr(module, one)() for one in sets):
            for entry in entry_set.root:
                code = entry["operationCode"][1] if "operationCode" in entry else None
                for part in {"ArgumentType", "ResultType"} & entry.keys():
                    found.setdefault((package, code, part), entry[part])
    return found


THERE = declared_there()


def contents_of(type_: Any) -> Any:
    while getattr(type_, "_cont", None) is None and getattr(type_, "_tr", None) is not None:
        type_ = type_._tr
    return getattr(type_, "_cont", None)


def differences(ours: Any, theirs: Any, path: str, seen: frozenset[int]) -> Iterator[str]:
    """Yield the differences below two types, and each member that was compared."""
    if isinstance(ours, Containing):
        ours, theirs = ours.inner, getattr(theirs, "_const_cont", None)
    contents = contents_of(theirs)
    if isinstance(ours, SequenceOf) and contents is not None and not hasattr(contents, "keys"):
        yield from differences(ours.element, contents, path, seen)
    if not isinstance(ours, Structure) or not hasattr(contents, "keys") or id(ours) in seen:
        return
    members = {RENAMED.get(member.name, member.name): member for member in ours.members}
    names = contents.keys() | members.keys()
    for name in names - EXTENSION if names >= EXTENSION else names:
        where = f"{path}.{name}"
        yield f"compared {where}"
        if name not in members or name not in contents:
            yield f"{where} is {'theirs' if name in contents else 'ours'} alone"
            continue
        member, other = members[name], contents[name]
        if other._tag and other._tag[1] == CONTEXT and other._tag[0] != member.number:
            yield f"{where} has tag {member.number}, there {other._tag[0]}"
        is_option = bool(other._opt or other._def is not None)
        if isinstance(ours, Sequence) and member.is_required is is_option:
            yield f"{where} is optional {'there' if is_option else 'with us'} alone"
        yield from differences(member.type, other, where, seen | {id(ours)})


def pairs_of(operation: Operation) -> Iterator[tuple[Any, Any]]:
    """Yield the types of the argument and the result of an operation, ours and pycrate's."""
    for variant, package in PACKAGES.items():
        if variant in operation.variants:
            for part, ours in (
                ("ArgumentType", operation.argument_in(variant)),
                ("ResultType", operation.result_in(variant)),
            ):
                yield ours, THERE.get((package, operation.code, part))


def found_in(operation: Operation) -> list[str]:
    return [
        found
        for ours, theirs in pairs_of(operation)
        for found in differences(ours, theirs, operation.name, frozenset())
    ]


def limits_in(operation: Operation) -> list[str]:
    theirs_to_ours = {theirs: ours for ours, theirs in RENAMED.items()}
    return [
        found
        for ours, theirs in pairs_of(operation)
        for found in limits.differences(ours, theirs, operation.name, theirs_to_ours)
    ]


CAP_4 = [one for one in OPERATIONS if one.variants & PACKAGES.keys()]


@pytest.mark.parametrize("operation", [pytest.param(one, id=one.name) for one in CAP_4])
def test_members_tags_and_options(operation: Operation) -> None:
    known = {f"{path} is optional with us alone" for path in OPTIONAL}
    different = {one for one in found_in(operation) if not one.startswith("compared ")}
    assert different <= known


def test_all_of_it_is_compared() -> None:
    found = [one for operation in CAP_4 for one in found_in(operation)]
    assert sum(one.startswith("compared ") for one in found) > 1000
    waived = {one.removesuffix(" is optional with us alone") for one in found}
    assert waived >= OPTIONAL


@pytest.mark.parametrize("operation", [pytest.param(one, id=one.name) for one in CAP_4])
def test_sizes_and_ranges(operation: Operation) -> None:
    assert {one for one in limits_in(operation) if not one.startswith("compared ")} <= WIDER


def test_all_sizes_and_ranges_are_compared() -> None:
    found = [one for operation in CAP_4 for one in limits_in(operation)]
    assert sum(one.startswith("compared ") for one in found) > 500
    assert set(found) >= WIDER
