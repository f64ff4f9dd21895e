"""Vectors from other stacks and captures, read from the folder that TSVC_VECTORS names.

Their values have the plain form of pycrate, or names such as `name(7)`. Small adapters convert
both sides to one form.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tsvc.protocols import ber
from tsvc.protocols.asn1 import Enumerated, Structure
from tsvc.protocols.inap.operation import Operation, by_code

FOLDER = os.environ.get("TSVC_VECTORS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSVC_VECTORS is not set")


def vectors(name: str) -> list[Any]:
    if not FOLDER:
        return []
    text = (Path(FOLDER) / f"{name}.json").read_text(encoding="utf-8")
    return [
        pytest.param(vector, id=vector["id"])
        for vector in json.loads(text)["vectors"]
        if not vector["layer"].startswith(("MAP", "TCAP+MAP"))
    ]


def operation_of(vector: dict[str, Any], variant: str) -> Operation:
    operation = by_code(variant, vector["opcode"])
    assert operation is not None, vector["operation"]
    return operation


def decoded(
    operation: Operation, octets: bytes, variant: str, component: str
) -> tuple[dict[str, Any], Structure, list[str]]:
    notes: list[Any] = []
    if component == "invoke":
        tree = operation.decode_argument(octets, variant, notes)
        type_ = operation.argument_in(variant)
        again = operation.encode_argument(tree, variant)
    else:
        tree = operation.decode_result(octets, variant, notes)
        type_ = operation.result_in(variant)
        again = operation.encode_result(tree, variant)
    assert again == octets
    assert type_ is not None
    if tree.get("legID_defaulted"):
        del tree["legID"]
    return tree, type_, [str(note) for note in notes]


def common(value: Any, names: dict[str, str]) -> Any:
    """Return a vector's value in our form: names respelled, `name(7)` and `x(default)` parsed."""
    if isinstance(value, dict):
        return {
            names.get(key, key): common(inner, names)
            for key, inner in value.items()
            if not key.startswith("_") and not str(inner).endswith("(default)")
        }
    if isinstance(value, list):
        return [common(inner, names) for inner in value]
    if isinstance(value, str) and (found := re.fullmatch(r"\w+\((\d+)\)", value)):
        return int(found[1])
    return 0 if value is None else value


def numbered(type_: Any, plain: Any) -> Any:
    """Return a portrayed value with enumerations as numbers."""
    if isinstance(type_, Enumerated):
        return type_.numbers.get(plain, plain)
    if isinstance(plain, list):
        return [numbered(type_.element, item) for item in plain]
    if isinstance(plain, dict) and isinstance(type_, Structure):
        return {
            member.name: numbered(member.type, plain[member.name])
            for member in type_.members
            if member.name in plain
        }
    return plain


INAP_NAMES = {
    "cause": "initialCallSegment",
    "errortreatment": "errorTreatment",
    "dPSpecificCriteria": "dpSpecificCriteria",
}


@pytest.mark.parametrize("vector", vectors("inap_cs1_args"))
def test_inap_arguments(vector: dict[str, Any], portray: Any) -> None:
    octets = bytes.fromhex(vector["hex"])
    operation = operation_of(vector, "cs1")
    tree, type_, notes = decoded(operation, octets, "cs1", vector["component"])
    assert not notes
    assert numbered(type_, portray(type_, tree)) == common(vector["expected"], INAP_NAMES)


@pytest.mark.parametrize("vector", vectors("inap_cs1_negative"))
def test_what_must_be_flagged_is(vector: dict[str, Any]) -> None:
    notes: list[Any] = []
    operation = operation_of(vector, "cs1")
    operation.decode_argument(bytes.fromhex(vector["hex"]), "cs1", notes)
    assert notes


# The notes about members of these vectors that CS-1 does not have.
FOREIGN = {
    "inap-corsac-ApplyCharging-message1": "must be primitive",
    "inap-corsac-raw-ApplyCharging-message1": "must be primitive",
    "inap-corsac-raw-ApplyCharging-message3": "must be primitive",
    "inap-corsac-raw-ApplyCharging-message4": "must be primitive",
    "inap-corsac-ConnectToResource-message1": "must be primitive",
    "inap-corsac-PlayAnnouncement-message1": "unknown member, tag e1",
    "inap-corsac-RequestReportBCSMEvent-message1": "-2 is no known value",
    "inap-corsac-SendChargingInformation-message1": "must be primitive",
    "inap-corsac-raw-EventReportBCSM-message1": "unknown member, tag c1",
    "inap-corsac-raw-EventReportBCSM-message3": "unknown member, tag c1",
}


@pytest.mark.parametrize("vector", vectors("inap_corsac"))
def test_arguments_seen_live(vector: dict[str, Any]) -> None:
    octets = bytes.fromhex(vector["hex"])
    operation = operation_of(vector, "cs1")
    tree, _, notes = decoded(operation, octets, "cs1", vector["component"])
    foreign = FOREIGN.get(vector["id"])
    assert [foreign in note for note in notes[:1]] == ([] if foreign is None else [True])
    kept = hex_values(tree)
    for name, _, value in vector["tshark"]["fields"]:
        if name.startswith("inap.") and name[5:] in kept:
            # For a list tshark gives the TLVs of the elements.
            assert any(value.endswith(octets) for octets in kept[name[5:]]), name
    assert tree


def hex_values(tree: Any) -> dict[str, list[str]]:
    """Return the octets of every leaf, by name."""
    found: dict[str, list[str]] = {}
    for key, value in tree.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                for name, inner in hex_values(item).items():
                    found.setdefault(name, []).extend(inner)
            elif key.endswith("_hex"):
                found.setdefault(key.removesuffix("_hex"), []).append(item)
    return found


# pycrate's names (CAP v4) that differ from ours.
CAP_NAMES = {
    "allCallSegments": "initialCallSegment",
    "requestAnnouncementCompleteNotification": "requestAnnouncementComplete",
}


def check_cap(
    operation: Operation, octets: bytes, variant: str, component: str, expected: Any, portray: Any
) -> None:
    tree, type_, notes = decoded(operation, octets, variant, component)
    assert not notes
    ours = portray(type_, tree)
    if set(expected) == {"hex"}:
        (ours,) = ours.values()
    assert ours == common(expected, CAP_NAMES)


@pytest.mark.parametrize("vector", vectors("cap_map_args_jss7"))
def test_cap_arguments(vector: dict[str, Any], portray: Any) -> None:
    octets = bytes.fromhex(vector["hex"])
    operation = operation_of(vector, "camel4")
    check_cap(operation, octets, "camel4", vector["component"], vector["expected"], portray)


def components(octets: bytes) -> list[tuple[str, int, bytes]]:
    """Return kind, operation code and argument of the invokes and results of a TCAP message."""
    _, start, stop, _ = ber.read(octets, 0, len(octets))
    found = []
    for tag, at, end in ber.walk(octets, start, stop):
        if tag != 0x6C:
            continue
        for kind, first, last in ber.walk(octets, at, end):
            inner = ber.walk(octets, first, last)
            if kind == 0xA2 and len(inner) > 1:
                inner = ber.walk(octets, inner[1][1], inner[1][2])
                name = "returnResult"
            elif kind == 0xA1:
                inner = inner[1:]
                name = "invoke"
            else:
                continue
            code = int.from_bytes(octets[inner[0][1] : inner[0][2]], "big")
            found.append((name, code, octets[inner[0][2] : last]))
    return found


DIALOGUES = [
    pytest.param(one.values[0], variant, id=one.id)
    for name, variant in (("cap_map_dialogues", "camel2"), ("generated_pycrate", "camel4"))
    for one in vectors(name)
]
# CAP v2's extension of InitialDP has other tags than v4, from which these names are.
CAP2_NAMES = {"forwardingDestinationNumber": "gmscAddress"}


@pytest.mark.parametrize(("vector", "variant"), DIALOGUES)
def test_cap_dialogues(vector: dict[str, Any], variant: str, portray: Any) -> None:
    octets = bytes.fromhex(vector["hex"])
    (body,) = vector["expected"].values()
    seen = components(octets)
    assert seen
    for (kind, code, argument), theirs in zip(seen, body["components"], strict=True):
        operation = by_code(variant, code)
        assert operation is not None
        component = theirs["basicROS"][kind]
        if operation.argument is None:
            assert not argument
            assert "argument" not in component
            continue
        holder = component["argument"] if kind == "invoke" else component["result"]["result"]
        (expected,) = holder.values()
        if variant == "camel2":
            expected = common(expected, CAP2_NAMES)
        check_cap(operation, argument, variant, kind, expected, portray)


@pytest.mark.parametrize("vector", vectors("inap_cs1_args"))
def test_every_prefix_is_flagged_and_kept(vector: dict[str, Any]) -> None:
    octets = bytes.fromhex(vector["hex"])
    operation = operation_of(vector, "cs1")
    for length in range(1, len(octets)):
        notes: list[Any] = []
        tree = operation.decode_argument(octets[:length], "cs1", notes)
        assert notes
        assert operation.encode_argument(tree, "cs1") == octets[:length]
