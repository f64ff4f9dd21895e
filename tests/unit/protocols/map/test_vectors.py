"""Vectors of other people's stacks and captures, read from the folder that TSVC_VECTORS names."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from unit.protocols.inap.conftest import portray

from tsvc.protocols.map import _base as map_base
from tsvc.protocols.map.dialogue import decode_user_information, encode_pdu
from tsvc.protocols.map.errors import decode_error, encode_parameter
from tsvc.protocols.tcap.components import Invoke, ReturnError
from tsvc.protocols.tcap.dialogue_portion import Aarq
from tsvc.protocols.tcap.messages import decode

FOLDER = os.environ.get("TSVC_VECTORS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSVC_VECTORS is not set")

# Members of MAP 2 in arguments of MAP 3: kept as unknown, so that nothing is lost.
WITH_UNKNOWN = {
    "map-SendRoutingInfoForSMRequest-getEncodedData1-76": "_unknown",
    "map-SendRoutingInfoForSMResponse-getEncodedData1-73": "_unknown",
}


def vectors(*names: str) -> list[Any]:
    if not FOLDER:
        return []
    return [
        pytest.param(vector, id=vector["id"])
        for name in names
        for vector in json.loads((Path(FOLDER) / f"{name}.json").read_text())["vectors"]
        if vector["layer"].startswith(("MAP", "TCAP+MAP"))
    ]


def without_bits(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_bits(inner) for key, inner in value.items()}
    return value


@pytest.mark.parametrize("vector", vectors("cap_map_args_jss7", "generated_pycrate"))
def test_arguments_and_results(vector: dict[str, Any]) -> None:
    operation = map_base.by_code("map3", vector["opcode"])
    if operation is None:
        pytest.skip(f"operation {vector['operation']} is not declared")
    octets = bytes.fromhex(vector["hex"])
    notes: list[Any] = []
    component = vector.get("component") or "invoke"
    is_result = component == "returnResultLast" or vector["operation"].endswith("result")
    if is_result:
        tree = operation.decode_result(octets, "map3", notes)
        again = operation.encode_result(tree, "map3")
        type_ = operation.result_in("map3")
    else:
        tree = operation.decode_argument(octets, "map3", notes)
        again = operation.encode_argument(tree, "map3")
        type_ = operation.argument_in("map3")
    assert again == octets
    assert bool(notes) is (vector["id"] in WITH_UNKNOWN)
    assert type_ is not None
    assert portray(type_, tree) == vector["expected"]


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


@pytest.mark.parametrize("vector", vectors("cap_map_dialogues"))
def test_dialogues(vector: dict[str, Any]) -> None:
    message = decode(bytes.fromhex(vector["hex"]))
    (component,) = message.components
    if isinstance(component, Invoke) and component.code == 59:
        assert isinstance(message.dialogue, Aarq)
        version = map_base.variant_of(message.dialogue.application_context)
        assert version == "map2"
        operation = map_base.by_code(version, component.code)
        assert operation is not None
        notes: list[Any] = []
        tree = operation.decode_argument(component.parameter, version, notes)
        assert not notes
        assert tree["ussdString_text"] == "*140*0761241377#"
        assert tree["ussdDataCodingScheme_encoding_name"] == "gsm7"
        del tree["ussdString"], tree["ussdString_hex"]
        assert operation.encode_argument(tree, version) == component.parameter
        opened = decode_user_information(message.dialogue.user_information)
        assert opened is not None
        assert opened["map_open"]["destination_reference_digits"] == "65501142009631" + "6"
        assert encode_pdu(opened) == message.dialogue.user_information
    elif isinstance(component, ReturnError):
        assert isinstance(component.code, int)
        tree = decode_error(component.code, component.parameter)
        assert tree["errorCode_name"] == "systemFailure"
        assert tree["parameter"]["networkResource_name"] == "hlr"
        assert encode_parameter(34, {"parameter": tree["parameter"]}) == component.parameter
    else:
        pytest.skip("no operation of the declared ones")
