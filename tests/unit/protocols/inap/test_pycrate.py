"""CAP arguments agree with pycrate's compiled TS 29.078: octet for octet, member for member."""

from typing import Any

import pytest
from unit.protocols.inap.conftest import own_vectors as all_vectors

from tsvc.protocols import ber
from tsvc.protocols.asn1 import Structure
from tsvc.protocols.inap.operation import CAP
from tsvc.protocols.inap.operations import charging_data

tcap_cap = pytest.importorskip("pycrate_asn1dir.TCAP_CAP")

# Our key -> pycrate's member, where the name changed between versions of the standard.
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
# Shapes of CAP v2 and v3 that v4 changed; pycrate has v4 only. Octets inside an OCTET STRING are
# compared all the same.
OLDER = {("SpecializedResourceReport", "null"), ("InitialDP", "extension-cap2")}
# pycrate has these in no set of invokes: their arguments are read by themselves.
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
    """Return what pycrate reads in an argument of an operation that its invokes leave out."""
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


def theirs_of(one: Any) -> Any:
    argument = one.encode(one.given)
    if one.operation.name in NOT_INVOKED:
        return plain(argument_by_pycrate(one.operation.name, argument))
    message = wrapped(one.operation.code, argument, one.component)
    return plain(decoded_by_pycrate(message, one.component))


def ours_of(one: Any, portray: Any) -> Any:
    argument = one.encode(one.given)
    if argument is None:
        return None
    tree = one.decode(argument, [])
    if tree.get("legID_defaulted"):
        del tree["legID"]  # our own addition
    type_ = (
        one.operation.result_in(one.variant)
        if one.component == "result"
        else one.operation.argument_in(one.variant)
    )
    assert isinstance(type_, Structure)
    ours = renamed(portray(type_, tree))
    if one.operation.name in BARE:
        (ours,) = ours.values()
    return ours


COMPARED = [
    pytest.param(one, id=f"{one.operation.name}-{one.id}-{one.variant}")
    for one in all_vectors()
    if one.variant in CAP and (one.operation.name, one.id) not in OLDER
]


@pytest.mark.parametrize("one", COMPARED)
def test_pycrate_sees_the_same(one: Any, portray: Any) -> None:
    assert ours_of(one, portray) == theirs_of(one)


def test_faults_are_still_there(own_vectors: Any, portray: Any) -> None:
    seen = set()
    for one in own_vectors:
        if (one.operation.name, one.id) in OLDER and one.variant in CAP:
            assert ours_of(one, portray) != theirs_of(one), (one.operation.name, one.id)
            seen.add((one.operation.name, one.id))
    assert seen == OLDER


def test_pycrate_reads_what_the_octets_of_send_charging_information_hold(
    own_vectors: Any, portray: Any
) -> None:
    name = "sCIBillingChargingCharacteristics"
    reader = tcap_cap.CAP_datatypes.CAMEL_SCIBillingChargingCharacteristics
    found = 0
    for one in own_vectors:
        if one.operation.name == "SendChargingInformation" and one.variant == "camel4":
            tree = one.decode(one.octets, [])
            reader.from_ber(bytes.fromhex(tree[name + "_hex"]))
            type_ = charging_data.ADVICE_CHARACTERISTICS
            assert portray(type_, tree[name]) == plain(reader.get_val())
            found += 1
    assert found == 2
