"""Vectors from other stacks and captures, read from the folder that TSVC_VECTORS names."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unit.protocols.inap.conftest import portray

from tsvc.protocols import ber
from tsvc.protocols.asn1 import Structure
from tsvc.protocols.map import operation as map_base
from tsvc.protocols.map.dialogue import decode_user_information, encode_pdu
from tsvc.protocols.map.errors import decode_error, encode_parameter
from tsvc.protocols.map.operation import MapOperation
from tsvc.protocols.tcap import components, dialogue_portion
from tsvc.protocols.tcap.components import Invoke, ReturnError
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq
from tsvc.protocols.tcap.messages import Message, decode

FOLDER = os.environ.get("TSVC_VECTORS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSVC_VECTORS is not set")

# Members of MAP 2 in arguments of MAP 3: kept as unknown, so that nothing is lost.
WITH_UNKNOWN = {
    "map-SendRoutingInfoForSMRequest-getEncodedData1-76": "_unknown",
    "map-SendRoutingInfoForSMResponse-getEncodedData1-73": "_unknown",
}
# InsertSubscriberData, UpdateGprsLocation and PurgeMS are in captured dialogues, but not in our
# tables. Their parameters are compared TLV by TLV.
UNDECLARED = {7, 23, 67}
# We send the version of AARE although it has a default.
WITHOUT_VERSION = {"map-dialogue-3"}
# Name in the vectors -> our name.
RENAMED = {"ussd-DataCodingScheme": "ussdDataCodingScheme", "ussd-String": "ussdString"}


def vectors(*names: str) -> list[Any]:
    if not FOLDER:
        return []
    return [
        pytest.param(vector, id=vector["id"])
        for name in names
        for vector in json.loads((Path(FOLDER) / f"{name}.json").read_text())["vectors"]
        if vector["layer"].startswith(("MAP", "TCAP+MAP"))
    ]


def plain(value: Any) -> Any:
    """Return a vector's value in the form of portray(), in which a BIT STRING is octets."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"bits"}:
        bits = value["bits"]
        unused = -len(bits) % 8
        number = int(bits, 2) << unused
        return {"hex": f"{unused:02x}{number:0{(len(bits) + unused) // 4}x}"}
    return {RENAMED.get(key, key): plain(inner) for key, inner in value.items()}


def check(
    operation: MapOperation, octets: bytes, variant: str, *, is_result: bool
) -> tuple[Structure, dict[str, Any], list[Any]]:
    """Decode and encode again; return type, decoded value and notes."""
    notes: list[Any] = []
    if is_result:
        tree = operation.decode_result(octets, variant, notes)
        again = operation.encode_result(tree, variant)
        type_ = operation.result_in(variant)
    else:
        tree = operation.decode_argument(octets, variant, notes)
        again = operation.encode_argument(tree, variant)
        type_ = operation.argument_in(variant)
    assert again == octets
    assert type_ is not None
    return type_, tree, notes


@pytest.mark.parametrize("vector", vectors("cap_map_args_jss7", "generated_pycrate"))
def test_arguments_and_results(vector: dict[str, Any]) -> None:
    operation = map_base.by_code("map3", vector["opcode"])
    assert operation is not None
    component = vector.get("component") or "invoke"
    is_result = component == "returnResultLast" or vector["operation"].endswith("result")
    octets = bytes.fromhex(vector["hex"])
    type_, tree, notes = check(operation, octets, "map3", is_result=is_result)
    assert bool(notes) is (vector["id"] in WITH_UNKNOWN)
    assert portray(type_, tree) == plain(vector["expected"])


def test_map2_members_are_known_in_map2() -> None:
    operation = map_base.OPERATIONS.get("SendRoutingInfoForSM")
    assert operation is not None
    known = {one.id: one.values[0] for one in vectors("cap_map_args_jss7")}
    argument, result = (bytes.fromhex(known[name]["hex"]) for name in WITH_UNKNOWN)
    notes: list[Any] = []
    assert operation.decode_argument(argument, "map2", notes)["teleservice_hex"] == "21"
    assert not notes
    assert operation.decode_result(result, "map2", notes)["mwd-Set"] == 0
    assert not notes


# -- captured dialogues -------------------------------------------------------------------------


@pytest.mark.parametrize("vector", vectors("cap_map_dialogues"))
def test_components_of_dialogues(vector: dict[str, Any]) -> None:
    octets = bytes.fromhex(vector["hex"])
    message = decode(octets)
    (component,) = message.components
    assert octets.endswith(components.encode(component))
    ((_, expected),) = vector["expected"].items()
    ((kind, theirs),) = expected["components"][0]["basicROS"].items()
    assert component.invoke_id == theirs["invokeId"]["present"]
    if kind == "returnError":
        assert isinstance(component, ReturnError)
        check_error(component, theirs)
    else:
        assert kind == "invoke"
        assert isinstance(component, Invoke)
        check_invoke(component, theirs, version_of(message))


def version_of(message: Message) -> str:
    if message.dialogue is None:
        return map_base.DEFAULT_VARIANT  # a CONTINUE does not repeat the context
    assert isinstance(message.dialogue, Aarq | Aare)
    version = map_base.variant_of(message.dialogue.application_context)
    assert version is not None
    return version


def check_error(component: ReturnError, theirs: dict[str, Any]) -> None:
    assert component.code == theirs["errcode"]["local"]
    assert isinstance(component.code, int)
    tree = decode_error(component.code, component.parameter)
    assert tree["errorCode_name"] == "systemFailure"
    ((_, expected),) = value_of(theirs["parameter"]).items()
    assert tree["parameter"]["networkResource_name"] == expected["networkResource"]
    given = {"parameter": tree["parameter"]}
    assert encode_parameter(component.code, given) == component.parameter


def check_invoke(component: Invoke, theirs: dict[str, Any], version: str) -> None:
    assert component.code == theirs["opcode"]["local"]
    assert isinstance(component.code, int)
    assert component.parameter is not None
    expected = value_of(theirs["argument"])
    operation = map_base.by_code(version, component.code)
    assert (operation is None) is (component.code in UNDECLARED)
    if operation is None:
        octets = component.parameter
        assert written_again(octets) == octets
        pairs = zip(leaves_of(octets), their_leaves(expected), strict=True)
        assert all(leaf in (ours, None) for ours, leaf in pairs)
        return
    type_, tree, notes = check(operation, component.parameter, version, is_result=False)
    assert not notes
    assert portray(type_, tree) == plain(expected)


def value_of(holder: Any) -> Any:
    """Return the value in an open type: {type: value} or [name, value]."""
    if isinstance(holder, list):
        return holder[1]
    ((_, value),) = holder.items()
    return value


def written_again(octets: bytes) -> bytes:
    """Return all TLVs encoded again, inner TLVs first."""
    again = b""
    for tag, start, end in ber.walk(octets, 0, len(octets)):
        inner = octets[start:end]
        again += ber.tlv(bytes((tag,)), written_again(inner) if tag & 0x20 else inner)
    return again


def leaves_of(octets: bytes) -> Iterator[str]:
    """Yield the contents of all primitive TLVs, in order."""
    for tag, start, end in ber.walk(octets, 0, len(octets)):
        if tag & 0x20:
            yield from leaves_of(octets[start:end])
        else:
            yield octets[start:end].hex()


def their_leaves(value: Any) -> Iterator[str | None]:
    """Yield the octets of all leaves of an expected value; None for a leaf that is a name."""
    if isinstance(value, list):
        for item in value:
            yield from their_leaves(item)
    elif isinstance(value, str):
        yield None
    elif value == 0:
        yield ""  # NULL
    elif value.keys() == {"hex"}:
        yield value["hex"]
    else:
        for inner in value.values():
            yield from their_leaves(inner)


@pytest.mark.parametrize("vector", vectors("cap_map_dialogues"))
def test_dialogue_portions(vector: dict[str, Any]) -> None:
    octets = bytes.fromhex(vector["hex"])
    pdu = decode(octets).dialogue
    ((_, expected),) = vector["expected"].items()
    portion = expected.get("dialoguePortion")
    if portion is None:
        assert pdu is None
        return
    assert isinstance(pdu, Aarq | Aare)
    assert (dialogue_portion.encode(pdu) in octets) is (vector["id"] not in WITHOUT_VERSION)
    ((_, theirs),) = portion["encoding"]["single-ASN1-type"]["DialoguePDU"].items()
    assert ber.decode_oid(pdu.application_context) == theirs["application-context-name"]
    assert bool(pdu.user_information) is ("user-information" in theirs)
    for external in theirs.get("user-information", []):
        opened = decode_user_information(pdu.user_information)
        assert opened is not None
        ((_, opening),) = external["encoding"]["single-ASN1-type"].items()
        reference = opening["map-open"]["destinationReference"]
        assert opened["map_open"]["destination_reference_hex"] == reference["hex"]
        assert encode_pdu(opened) == pdu.user_information


def test_text_and_destination_of_a_captured_ussd_request() -> None:
    known = {one.id: one.values[0] for one in vectors("cap_map_dialogues")}
    message = decode(bytes.fromhex(known["map-dialogue-0"]["hex"]))
    (invoke,) = message.components
    assert isinstance(invoke, Invoke)
    operation = map_base.by_code("map2", 59)
    assert operation is not None
    tree = operation.decode_argument(invoke.parameter, "map2", [])
    assert tree["ussdString_text"] == "*140*0761241377#"
    assert tree["ussdDataCodingScheme_encoding_name"] == "gsm7"
    del tree["ussdString"], tree["ussdString_hex"]
    assert operation.encode_argument(tree, "map2") == invoke.parameter
    assert isinstance(message.dialogue, Aarq)
    opened = decode_user_information(message.dialogue.user_information)
    assert opened is not None
    assert opened["map_open"]["destination_reference_digits"] == "65501142009631" + "6"
