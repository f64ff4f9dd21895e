"""MAP arguments and results agree with pycrate's compiled TS 29.002, member by member."""

from typing import Any

import pytest
from support.each import each
from unit.protocols.asn1 import limits
from unit.protocols.asn1.values import forms_of
from unit.protocols.inap.conftest import portray
from unit.protocols.map.by_pycrate import (
    RENAMED,
    TYPES,
    flattened,
    plain,
    tcap_map,
    type_of,
    without_opaque,
)
from unit.protocols.map.conftest import own_vectors as all_vectors

from tsvc.protocols import ber
from tsvc.protocols.map import alphabet
from tsvc.protocols.map.dialogue import DIALOGUE_AS, encode_pdu
from tsvc.protocols.map.errors import ERROR_CODES, encode_parameter
from tsvc.protocols.map.operation import OPERATIONS


def ours_of(one: Any) -> Any:
    ours = portray(one.type, one.decode(one.octets, []))
    return without_opaque({RENAMED.get(key, key): value for key, value in ours.items()})


@each("own_vector", all_vectors)
def test_pycrate_sees_the_same(own_vector: Any) -> None:
    one = own_vector
    newest, older = TYPES[one.operation.name, one.component]
    name = newest if one.variant == "map3" else older
    assert name is not None
    reader = type_of(name)
    reader.from_ber(one.octets)
    theirs = flattened(plain(reader.get_val()))
    ours = ours_of(one)
    if name.endswith("ISDN_AddressString"):
        (ours,) = ours.values()
    assert ours == theirs


@each("own_vector", all_vectors)
def test_pycrate_writes_the_same(own_vector: Any) -> None:
    one = own_vector
    newest, older = TYPES[one.operation.name, one.component]
    reader = type_of((newest if one.variant == "map3" else older) or "")
    reader.from_ber(one.octets)
    reader.set_val(reader.get_val())
    assert reader.to_ber() == one.octets


def operations_of(module: str) -> dict[int, tuple[set[int], bool]]:
    """Return code -> (codes of errors, has a result) from a module of pycrate."""
    found = {}
    for name in dir(getattr(tcap_map, module)):
        value = getattr(getattr(getattr(tcap_map, module), name), "_val", None)
        if isinstance(value, dict) and "operationCode" in value:
            listed = value.get("Errors")
            errors = {error["errorCode"][1] for error in listed.root} if listed else set()
            found[value["operationCode"][1]] = (errors, value.get("ResultType") is not None)
    return found


MODULES = ("CallHandling", "MobileService", "ShortMessageService", "SupplementaryService")


@pytest.mark.parametrize("operation", [pytest.param(one, id=one.name) for one in OPERATIONS])
def test_codes_errors_and_results(operation: Any) -> None:
    errors: set[int] = set()
    for variant, prefix in (("map3", "MAP"), ("map2", "MAPv2")):
        known: dict[int, tuple[set[int], bool]] = {}
        for module in MODULES:
            known |= operations_of(f"{prefix}_{module}Operations")
        if variant in operation.variants:
            theirs, has_result = known[operation.code]
            errors |= theirs
            assert (operation.result_in(variant) is not None) is has_result
    assert {ERROR_CODES[name] for name in operation.errors} == errors


def test_error_codes() -> None:
    theirs = {}
    for name in dir(tcap_map.MAP_Errors):
        value = getattr(getattr(tcap_map.MAP_Errors, name), "_val", None)
        if isinstance(value, dict):
            theirs[name.replace("_", "-")] = value["errorCode"][1]
    assert theirs == ERROR_CODES


@pytest.mark.parametrize(
    ("name", "type_", "given", "theirs"),
    [
        (
            "systemFailure",
            "SystemFailureParam",
            {"networkResource": "hlr"},
            ("extensibleSystemFailureParam", {"networkResource": "hlr"}),
        ),
        (
            "systemFailure",
            "SystemFailureParam",
            {"networkResource": 2, "additionalNetworkResource": "gsmSCF"},
            (
                "extensibleSystemFailureParam",
                {"networkResource": "vlr", "additionalNetworkResource": "gsmSCF"},
            ),
        ),
        (
            "absentSubscriber",
            "AbsentSubscriberParam",
            {"absentSubscriberReason": 3},
            {"absentSubscriberReason": "purgedMS"},
        ),
        (
            "absentSubscriberSM",
            "AbsentSubscriberSM_Param",
            {"absentSubscriberDiagnosticSM": 5, "imsi_digits": "53001"},
            {"absentSubscriberDiagnosticSM": 5, "imsi": bytes.fromhex("3500f1")},
        ),
        (
            "callBarred",
            "CallBarredParam",
            {"callBarringCause": 1, "anonymousCallRejection": 1},
            (
                "extensibleCallBarredParam",
                {"callBarringCause": "operatorBarring", "anonymousCallRejection": 0},
            ),
        ),
        (
            "cug-Reject",
            "CUG_RejectParam",
            {"cug-RejectCause": 7},
            {"cug-RejectCause": "calledPartySS-InteractionViolation"},
        ),
        (
            "roamingNotAllowed",
            "RoamingNotAllowedParam",
            {"roamingNotAllowedCause": 3, "additionalRoamingNotAllowedCause": 0},
            {
                "roamingNotAllowedCause": "operatorDeterminedBarring",
                "additionalRoamingNotAllowedCause": "supportedRAT-TypesNotAllowed",
            },
        ),
        (
            "sm-DeliveryFailure",
            "SM_DeliveryFailureCause",
            {"sm-EnumeratedDeliveryFailureCause": 0, "diagnosticInfo_hex": "0102"},
            {
                "sm-EnumeratedDeliveryFailureCause": "memoryCapacityExceeded",
                "diagnosticInfo": b"\x01\x02",
            },
        ),
        (
            "unknownSubscriber",
            "UnknownSubscriberParam",
            {"unknownSubscriberDiagnostic": 0},
            {"unknownSubscriberDiagnostic": "imsiUnknown"},
        ),
        (
            "facilityNotSupported",
            "FacilityNotSupParam",
            {"neededLcsCapabilityNotSupportedInServingNode": 1},
            {"neededLcsCapabilityNotSupportedInServingNode": 0},
        ),
    ],
)
def test_parameters_of_errors(name: str, type_: str, given: Any, theirs: Any) -> None:
    octets = encode_parameter(ERROR_CODES[name], {"parameter": given})
    reader = getattr(tcap_map.MAP_ER_DataTypes, type_)
    reader.from_ber(octets)
    assert reader.get_val() == theirs


def test_parameter_of_system_failure_in_map2() -> None:
    octets = encode_parameter(34, {"parameter": {"networkResource": 2}}, "map2")
    tcap_map.MAPv2_CommonDataTypes.NetworkResource.from_ber(octets)
    assert tcap_map.MAPv2_CommonDataTypes.NetworkResource.get_val() == "vlr"


@pytest.mark.parametrize(
    ("given", "theirs"),
    [
        (
            {"map_open": {"destination_reference_digits": "5300", "destination_reference_npi": 6}},
            ("map-open", {"destinationReference": bytes.fromhex("963500")}),
        ),
        ({"map_accept": {}}, ("map-accept", {})),
        ({"map_close": {}}, ("map-close", {})),
        (
            {"map_refuse": {"reason": 1, "alternative_application_context": "0.4.0.0.1.0.29.3"}},
            (
                "map-refuse",
                {
                    "reason": "invalidDestinationReference",
                    "alternativeApplicationContext": (0, 4, 0, 0, 1, 0, 29, 3),
                },
            ),
        ),
        (
            {"map_user_abort": {"choice": {"application_procedure_cancellation": 3}}},
            (
                "map-userAbort",
                {"map-UserAbortChoice": ("applicationProcedureCancellation", "callRelease")},
            ),
        ),
        (
            {"map_provider_abort": {"reason": 1}},
            ("map-providerAbort", {"map-ProviderAbortReason": "invalidPDU"}),
        ),
    ],
)
def test_dialogue_pdus(given: Any, theirs: Any) -> None:
    external = encode_pdu(given)
    _, start, stop, _ = ber.read(external, 0, len(external))
    members = {tag: external[at:end] for tag, at, end in ber.walk(external, start, stop)}
    assert members[0x06] == DIALOGUE_AS
    reader = tcap_map.MAP_DialogueInformation.MAP_DialoguePDU
    reader.from_ber(members[0xA0])
    assert reader.get_val() == theirs


def test_alphabet_and_packing() -> None:
    mobile = pytest.importorskip("pycrate_mobile.TS23038")
    text = "Hello, *100# @ 1£ äöü ΔΦ"
    assert alphabet.pack(alphabet.codes_of(text)) == mobile.encode_7b(text)[0]


def limits_in(form: Any) -> list[str]:
    newest, older = TYPES.get((form.operation.name, form.component), (None, None))
    name = {"map3": newest, "map2": older}.get(form.variant)
    if name is None:
        return []
    theirs_to_ours = {theirs: ours for ours, theirs in RENAMED.items()}
    return list(limits.differences(form.type, type_of(name), str(form), theirs_to_ours))


@each("form", [pytest.param(form, id=str(form)) for form in forms_of(OPERATIONS)])
def test_sizes_and_ranges(form: Any) -> None:
    assert [one for one in limits_in(form) if not one.startswith("compared ")] == []


def test_all_sizes_and_ranges_are_compared() -> None:
    found = [one for form in forms_of(OPERATIONS) for one in limits_in(form)]
    assert sum(one.startswith("compared ") for one in found) > 300
