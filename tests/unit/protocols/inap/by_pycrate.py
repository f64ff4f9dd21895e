"""Reads CAP arguments by pycrate's compiled TS 29.078."""

from typing import Any

import pytest

from tsvc.protocols import ber

tcap_cap = pytest.importorskip("pycrate_asn1dir.TCAP_CAP")


# Our key -> pycrate's member, if versions of the standard have different names.
RENAMED = {
    "initialCallSegment": "allCallSegments",
    "requestAnnouncementComplete": "requestAnnouncementCompleteNotification",
}


BARE = {
    "ApplyChargingReport",
    "FurnishChargingInformation",
    "FurnishChargingInformationGPRS",
    "FurnishChargingInformationSMS",
    "ReleaseSMS",
}


# pycrate has these operations in no set of invokes: their arguments are read separately.
NOT_INVOKED = {"CallGap", "ContinueGPRS"}


BIT_STRINGS = {"supportedCamelPhases", "offeredCamel4Functionalities", "csg-Id"}


def wrapped(code: int, argument: bytes | None, component: str) -> bytes:
    """Return a TCAP Continue with one component."""
    opcode = ber.tlv(b"\x02", ber.encode_integer(code))
    contents = b"\x02\x01\x01" + opcode + (argument or b"")
    if component == "result":
        contents = b"\x02\x01\x01" + ber.tlv(b"\x30", opcode + (argument or b""))
    tag = b"\xa2" if component == "result" else b"\xa1"
    portion = ber.tlv(b"\x6c", ber.tlv(tag, contents))
    return ber.tlv(b"\x65", b"\x48\x04\0\0\x20\x02\x49\x04\0\0\x10\x01" + portion)


def decoded_by_pycrate(octets: bytes, component: str) -> Any:
    """Return the argument that pycrate finds, None if there is none."""
    message = tcap_cap.TCAP_CAP_Messages.TCAP_CAP_Message
    message.from_ber(octets)
    (_, (_, body)) = message.get_val()[1]["components"][0]
    if component == "result":
        return body["result"]["result"][1]
    return body["argument"][1] if "argument" in body else None


def argument_by_pycrate(operation: str, argument: bytes) -> Any:
    """Return pycrate's value of an argument whose operation is missing in its invokes."""
    if operation == "CallGap":
        package = tcap_cap.CAP_gsmSSF_gsmSCF_pkgs_contracts_acs.SsfToScfGenericReturnable
        (reader,) = (
            one["ArgumentType"] for one in package().root if one["operationCode"][1] == 41
        )
    else:
        reader = tcap_cap.CAP_gprsSSF_gsmSCF_ops_args.ContinueGPRSArg
    reader.from_ber(argument)
    return reader.get_val()


def plain(value: Any, name: str = "") -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, dict):
        return {key: plain(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, tuple) and name in BIT_STRINGS:
        number, width = value
        unused = -width % 8
        return {"hex": f"{unused:02x}{number << unused:0{(width + unused) // 4}x}"}
    if isinstance(value, tuple) and name == "type":
        return value[1]
    if isinstance(value, tuple) and value[0].startswith("_unk_"):
        # An open type: class and form, a digit each, and tag number.
        form, number = int(value[0][6]), int(value[0][7:])
        return {"hex": ber.tlv(bytes((form << 5 | number,)), value[1]).hex()}
    if isinstance(value, tuple):
        return {value[0]: plain(value[1], value[0])}
    return value


def renamed(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {RENAMED.get(key, key): renamed(value) for key, value in tree.items()}
    return [renamed(item) for item in tree] if isinstance(tree, list) else tree
