"""Time of one message through all codecs, beside pycrate in the same run.

The message is the CAP v2 InitialDP of a public capture: M3UA, SCCP, TCAP with its dialogue
portion, and the argument with 14 members. TSVC_VECTORS names its folder; without it
the message is our own, with the same members, which pycrate can also read:

    TSVC_VECTORS=... python tests/bench/bench_codec.py

It prints JSON: microseconds of CPU per message, ours and pycrate's, and the ratio of pycrate's
median to ours. The whole argument is decoded to a dict and encoded from a dict.
Our codec caches decoded numbers; `fresh_us` is the time if two numbers of each message are new,
as in a load test over many subscribers.
"""

import gc
import importlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measures import expect, spread

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import by_code
from tsvc.protocols.m3ua.data import decode_data, encode_data
from tsvc.protocols.sccp.address import Address, GlobalTitle
from tsvc.protocols.sccp.messages import Unitdata, encode_udt
from tsvc.protocols.sccp.messages import decode as decode_sccp
from tsvc.protocols.tcap import components, dialogue_portion, messages

ID = "cap2-linkbit-idp-m2pa"
ROUNDS = 7
VARIANT = "camel2"
CALLED = Address(
    ri=0, ssn=146, gt=GlobalTitle(indicator=4, tt=0, np=1, noa=4, digits="491720000001")
)
CALLING = Address(
    ri=0, ssn=146, gt=GlobalTitle(indicator=4, tt=0, np=1, noa=4, digits="491720000002")
)
ARGUMENT: dict[str, Any] = {
    "serviceKey": 300,
    "calledPartyNumber_digits": "64210000001",
    "calledPartyNumber_noa": 4,
    "calledPartyNumber_inn": 1,
    "callingPartyNumber_digits": "064210002",
    "callingPartyNumber_noa": 1,
    "callingPartyNumber_si": 3,
    "callingPartysCategory_hex": "0a",
    "originalCalledPartyID_digits": "64210000003",
    "originalCalledPartyID_noa": 4,
    "originalCalledPartyID_pri": 1,
    "bearerCapability": {"bearerCap_hex": "8090a3"},
    "eventTypeBCSM_name": "collectedInfo",
    "redirectingPartyID_digits": "64210000004",
    "redirectingPartyID_noa": 4,
    "redirectingPartyID_pri": 1,
    "redirectionInformation_hex": "0461",
    "iMSI_digits": "530010123456789",
    "callReferenceNumber_hex": "01020304",
    "mscAddress_digits": "64210000009",
    "mscAddress_noa": 1,
    "timeAndTimezone_digits": "2026010112000000",
    "initialDPArgExtension": {"gmscAddress_digits": "64210000009", "gmscAddress_noa": 1},
}

Codec = tuple[Callable[[], Any], Callable[[], bytes]]


def tcap_octets() -> bytes:
    folder = os.environ.get("TSVC_VECTORS")
    if not folder:
        return made_octets()
    text = (Path(folder) / "cap_map_dialogues.json").read_text(encoding="utf-8")
    (vector,) = (one for one in json.loads(text)["vectors"] if one["id"] == ID)
    return bytes.fromhex(vector["hex"])


def made_octets() -> bytes:
    """Return a message like the captured one, for machines without the capture."""
    operation = by_code(VARIANT, 0)
    assert operation is not None
    component = components.encode(
        components.Invoke(1, 0, operation.encode_argument(ARGUMENT, VARIANT))
    )
    dialogue = dialogue_portion.encode(dialogue_portion.Aarq(BY_ALIAS[VARIANT].octets))
    return messages.encode(
        messages.MessageType.BEGIN,
        otid=b"\x00\x00\x12\x34",
        dialogue=dialogue,
        components=[component],
    )


def wrapped(tcap: bytes) -> bytes:
    return encode_data(2, 3, 3, 2, 0, 0, encode_udt(CALLED, CALLING, tcap))


def read(octets: bytes) -> tuple[messages.Message, dict[str, Any]]:
    data = decode_data(octets)
    assert data is not None
    unitdata = decode_sccp(data.user_data)
    assert isinstance(unitdata, Unitdata)
    message = messages.decode(unitdata.data)
    (invoke,) = message.components
    assert isinstance(invoke, components.Invoke)
    assert isinstance(invoke.code, int)
    operation = by_code(VARIANT, invoke.code)
    assert operation is not None
    return message, operation.decode_argument(invoke.parameter, VARIANT, [])


def ours(octets: bytes) -> Codec:
    message, tree = read(octets)
    (invoke,) = message.components
    assert isinstance(invoke, components.Invoke)
    operation = by_code(VARIANT, 0)
    assert operation is not None
    otid, invoke_id, context = message.otid, invoke.invoke_id, BY_ALIAS[VARIANT].octets
    # Only the members that a definition has: parts of numbers, not their octets.
    args = given_by_parts(tree)
    # A spare bit of this number is set, which no part can express.
    args["originalCalledPartyID_hex"] = tree["originalCalledPartyID_hex"]

    def encode() -> bytes:
        parameter = operation.encode_argument(args, VARIANT)
        component = components.encode(components.Invoke(invoke_id, 0, parameter))
        dialogue = dialogue_portion.encode(dialogue_portion.Aarq(context))
        tcap = messages.encode(
            messages.MessageType.BEGIN, otid=otid, dialogue=dialogue, components=[component]
        )
        return wrapped(tcap)

    written = encode()
    expect(written == octets, written.hex())
    return lambda: read(octets), encode


def given_by_parts(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree without the raw forms of values that have parts."""
    kept: dict[str, Any] = {}
    for key, value in tree.items():
        name = key.removesuffix("_hex")
        if f"{name}_digits" in tree and key in (name, f"{name}_hex"):
            continue
        if f"{name}_hex" in tree and key == name:
            continue
        kept[key] = given_by_parts(value) if isinstance(value, dict) else value
    return kept


def theirs(octets: bytes) -> Codec:
    sigtran = importlib.import_module("pycrate_mobile.SIGTRAN")
    sccp = importlib.import_module("pycrate_mobile.SCCP")
    cap = importlib.import_module("pycrate_asn1dir.TCAP_CAP")
    message = cap.TCAP_CAP_Messages.TCAP_CAP_Message
    data = decode_data(octets)
    assert data is not None
    unitdata = decode_sccp(data.user_data)
    assert isinstance(unitdata, Unitdata)

    def decode() -> Any:
        outer = sigtran.SIGTRAN()
        outer.from_bytes(octets)
        inner, error = sccp.parse_SCCP(data.user_data)
        assert not error, error
        message.from_ber(unitdata.data)
        return outer.get_val(), inner.get_val(), message.get_val()

    outer_value, inner_value, message_value = decode()

    def encode() -> bytes:
        message.set_val(message_value)
        octets_of_tcap = message.to_ber()
        inner = sccp.SCCPUnitData(val=inner_value)
        outer = sigtran.SIGTRAN(val=outer_value)
        assert len(inner.to_bytes()) > len(octets_of_tcap)
        return bytes(outer.to_bytes())

    return decode, encode


def microseconds(call: Callable[[], Any], count: int) -> dict[str, float]:
    """Return the CPU time of one call in several rounds, with the collector switched off."""
    costs = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            started = time.process_time()
            for _ in range(count):
                call()
            costs.append((time.process_time() - started) / count * 1e6)
    finally:
        gc.enable()
    return spread(costs)


def fresh(octets: bytes) -> dict[str, Any]:
    """Return the time of the argument alone, with two new numbers each time."""
    message, tree = read(octets)
    (invoke,) = message.components
    operation = by_code(VARIANT, 0)
    assert isinstance(invoke, components.Invoke)
    assert operation is not None
    args = given_by_parts(tree)
    given = []
    for number in range(ROUNDS * 3000):
        digits = f"{number:011d}"
        given.append(
            {**args, "calledPartyNumber_digits": digits, "callingPartyNumber_digits": digits}
        )
    made = [operation.encode_argument(one, VARIANT) for one in given]
    next_given, next_made = iter(given).__next__, iter(made).__next__
    return {
        "decode_argument_us": microseconds(
            lambda: operation.decode_argument(next_made(), VARIANT, []), 3000
        ),
        "encode_argument_us": microseconds(
            lambda: operation.encode_argument(next_given(), VARIANT), 3000
        ),
    }


def main() -> None:
    octets = wrapped(tcap_octets())
    name = ID if os.environ.get("TSVC_VECTORS") else "made here, of the same members"
    result: dict[str, Any] = {"message": name, "octets": len(octets)}
    decode, encode = ours(octets)
    result["tsvc"] = {
        "decode_us": microseconds(decode, 3000),
        "encode_us": microseconds(encode, 3000),
    }
    result["fresh_us"] = fresh(octets)
    try:
        decode, encode = theirs(octets)
    except ImportError as error:
        result["pycrate"] = f"not there: {error}"
    else:
        result["pycrate"] = {
            "decode_us": microseconds(decode, 200),
            "encode_us": microseconds(encode, 200),
        }
        result["ratio"] = {
            key.removesuffix("_us"): round(
                result["pycrate"][key]["median"] / result["tsvc"][key]["median"], 1
            )
            for key in result["tsvc"]
        }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
