"""Random values of every argument and result of MAP, in every version.

Decoding gives the encoded values; tshark does not complain; pycrate reads the same. If tshark
disagrees, a table of waivers has an entry, and tests show that pycrate agrees with us.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from unit.protocols.asn1.readings import (
    Said,
    check_come_back,
    check_named,
    check_said,
    faults_in,
    overlooked,
    said_of,
)
from unit.protocols.asn1.values import (
    Form,
    Value,
    Values,
    forms_of,
    is_within,
    random_values,
)
from unit.protocols.inap.conftest import portray
from unit.protocols.map import by_pycrate, by_tshark
from unit.protocols.map.conftest import own_vectors
from unit.protocols.map.waivers import WAIVERS
from unit.protocols.waivers import DOES_NOT_FIND_IT, READS, Waiver

from tsvc.protocols import ber
from tsvc.protocols.map.dialogue import PDU, decode_user_information, encode_pdu
from tsvc.protocols.map.operation import OPERATIONS, MapOperation

IDENTITIES, DISSECTED = 40, 8  # values of each argument and result

_CELL, _AREA = "35f01000010002", "35f0100001"
# The contents of octets are not declared; both readers decode these. Values that are opaque to
# us are empty, or one well-formed value.
SAMPLES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("offeredCamel4CSIs", "offeredCamel4CSIsInVMSC"), ("01fe", "0180")),
    **dict.fromkeys(("supportedCamelPhases", "supportedCamelPhasesInVMSC"), ("04f0", "0640")),
    **dict.fromkeys(("allowedServices", "suppressMTSS"), ("06c0", "0640")),
    "cellGlobalIdOrServiceAreaIdFixedLength": (_CELL,),
    "csg-Id": ("05ffffffe0", "0500000000"),
    "diameter-Name": ("6d6d652e6578616d706c65",),
    "diameter-Realm": ("6578616d706c652e6e6574",),
    "e-utranCellGlobalIdentity": ("35f01000000102",),
    "ext-BearerService": ("20",),
    "ext-Teleservice": ("11",),
    "extensionContainer": ("",),
    "laiFixedLength": (_AREA,),
    "lastUsedLtePLMN-Id": ("35f010",),
    "offeredCamel4CSIsInInterrogatingNode": ("01fe", "0180"),
    "requestedNodes": ("06c0", "0640"),
    "supportedCamelPhasesInInterrogatingNode": ("04f0", "0640"),
    "geodeticInformation": ("00010203040506070809",),
    "geographicalInformation": ("1000000000000000",),
    "imei": ("5384000000000001",),
    "lac": ("0001",),
    "locationNumber": ("04104612", "02104612000010"),
    "nrCellGlobalIdentity": ("35f0100000000102",),
    "nrTrackingAreaIdentity": ("35f010000001",),
    "protocolId": ("04",),
    "routeingAreaIdentity": ("35f010000102",),
    "routeingNumber": ("4699", "12f3"),
    "signalInfo": ("04038090a3",),
    "sm-RP-SMEA": ("089146120000",),
    "supportedLCS-CapabilitySets": ("03f8", "0640"),
    "supportedRAT-TypesIndicator": ("02fc", "0640"),
    "trackingAreaIdentity": (_AREA,),
    "ussdDataCodingScheme": ("0f",),
    "ussdString": ("31", "aa180c3602", "5474d8bd06e5df75"),
    "vplmnId": ("35f010",),
}
_QOS = ("Subscribed", "Requested", "Negotiated")
DECIDED = {
    # Mandatory in one version of MAP, or an alternative of a CHOICE.
    "networkNode-Number": True,
    "msc-Number": True,
    "roamingNumber": False,  # the other alternative
    # Quality of service: octets of every length, which tshark decodes.
    **{f"qos{number}-{which}": False for number in ("", 2, 3, 4) for which in _QOS},
    # Opaque to us: random values would not be valid.
    **dict.fromkeys(("t-CSI", "o-CSI", "d-csi"), False),
    **dict.fromkeys(("o-BcsmCamelTDP-CriteriaList", "t-BCSM-CAMEL-TDP-CriteriaList"), False),
}

# tshark 4.0's names of members: it has one name where versions have different names.
RENAMED = {"networkNode-Number": "mscnumber"}

FORMS = forms_of(OPERATIONS)


# A short message by its sender: its kind depends on the direction.
TPDUS = {
    ("MO-ForwardSM", "invoke"): "11000a9146120000100000aa04f4f29c0e",
    ("MO-ForwardSM", "result"): "010062113180000008",
    ("MT-ForwardSM", "invoke"): "040a91461200001000008080808080808004f4f29c0e",
    ("MT-ForwardSM", "result"): "0000",
}


def values_of(form: Form, count: int, *, has_samples: bool) -> Iterator[Value]:
    if not has_samples:
        return random_values(form, count)
    tpdu = TPDUS.get((form.operation.name, form.component))
    samples = {**SAMPLES, "sm-RP-UI": (tpdu,)} if tpdu else SAMPLES
    return random_values(form, count, samples, DECIDED)


def test_all_arguments_and_results_are_here() -> None:
    """The forms are exactly those of which our own vectors have octets; none is missing."""
    have = {(one.operation.name, one.variant, one.component) for one in own_vectors()}
    found = {(form.operation.name, form.variant, form.component) for form in FORMS}
    assert found == have


@pytest.mark.parametrize("operation", [pytest.param(one, id=one.name) for one in OPERATIONS])
def test_what_is_encoded_comes_back(operation: MapOperation) -> None:
    for form in (one for one in FORMS if one.operation is operation):
        check_come_back(form, values_of(form, IDENTITIES, has_samples=False))


def framed() -> Iterator[tuple[Value, bytes]]:
    """Yield values of every form, each with the messages of a dialogue that carries it."""
    values = (value for form in FORMS for value in values_of(form, DISSECTED, has_samples=True))
    for number, value in enumerate(values):
        operation = value.operation
        newest = max(operation.variants)
        argument = operation.encode_argument(operation.example, newest) or b""
        if value.component == "invoke":
            argument = value.octets
        for octets in by_tshark.frames(0x100000 + number, value, argument):
            yield value, octets


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """tshark's view of values of every form, all in one capture."""
    return said_of(tmp_path_factory.mktemp("tshark"), framed())


def fault_of(value: Value, text: str) -> Waiver | None:
    return next((one for one in WAIVERS if one.tshark in text and one.covers(value)), None)


def test_tshark_has_nothing_to_say(said: Said) -> None:
    check_said(said, FORMS, fault_of)


def test_tshark_finds_every_member(said: Said) -> None:
    check_named(said, lambda value: any(one.covers(value) for one in WAIVERS), RENAMED)


def test_waivers_of_tshark_are_still_needed(said: Said) -> None:
    silent = {one for one in WAIVERS if one.tshark == DOES_NOT_FIND_IT}
    assert faults_in(said, fault_of) == set(WAIVERS) - silent
    assert overlooked(said, silent) == silent


def test_readers_disagree_with_each_other(said: Said) -> None:
    """pycrate reads values with a waiver for tshark as we encoded them."""
    waived = [value for value, _, _ in said if any(one.covers(value) for one in WAIVERS)]
    assert waived
    for value in waived:
        assert ours_of(value) == theirs_of(value), value.octets.hex()
    assert {one.pycrate for one in WAIVERS} == {READS}


def without_containers(tree: Any) -> Any:
    if isinstance(tree, list):
        return [without_containers(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: without_containers(inner)
        for key, inner in tree.items()
        if key != "extensionContainer"
    }


def theirs_of(value: Value) -> Any:
    newest, older = by_pycrate.TYPES[value.operation.name, value.component]
    reader = by_pycrate.type_of((newest if value.variant == "map3" else older) or "")
    reader.from_ber(value.octets)
    theirs = by_pycrate.flattened(by_pycrate.plain(reader.get_val()))
    return without_containers(theirs)


def ours_of(value: Value) -> Any:
    ours = portray(value.form.type, value.form.decode(value.octets, []))
    ours = {by_pycrate.RENAMED.get(key, key): inner for key, inner in ours.items()}
    if value.variant != "map3" and ours.keys() == {"roamingNumber"}:
        (ours,) = ours.values()  # only a number
    return without_containers(by_pycrate.without_opaque(ours))


@pytest.mark.parametrize("form", [pytest.param(one, id=str(one)) for one in FORMS])
def test_pycrate_reads_the_same(form: Form) -> None:
    for value in values_of(form, 2 * DISSECTED, has_samples=True):
        assert ours_of(value) == theirs_of(value), value.octets.hex()


def test_dialogue_pdus_come_back_and_pycrate_reads_them() -> None:
    reader = by_pycrate.tcap_map.MAP_DialogueInformation.MAP_DialoguePDU
    seen = set()
    for number in range(60):
        values = Values(Random(f"PDU {number}"), number % 3 / 2, {"extension_container": ("",)})
        given = values.of(PDU)
        octets = encode_pdu(given)
        found = decode_user_information(octets)
        assert found is not None
        assert is_within(given, found), given
        assert encode_pdu(found) == octets
        _, start, stop, _ = ber.read(octets, 0, len(octets))
        members = {tag: octets[at:end] for tag, at, end in ber.walk(octets, start, stop)}
        reader.from_ber(members[0xA0])
        assert reader.to_ber() == members[0xA0]
        seen.add(reader.get_val()[0])
    names = {"open", "accept", "close", "refuse", "userAbort", "providerAbort"}
    assert seen == {f"map-{name}" for name in names}
