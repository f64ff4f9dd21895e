"""Random values of every argument and result of INAP and CAP, in every variant.

Decoding gives the encoded values; tshark does not complain; pycrate reads the same in all of CAP.
If one of these two disagrees, a table of waivers has an entry. Tests show that the other reader
agrees with us; they fail if an entry is no longer true.
"""

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from support.each import each
from unit.protocols.asn1.readings import (
    Said,
    check_come_back,
    check_named,
    check_said,
    faults_in,
    said_of,
)
from unit.protocols.asn1.values import Form, Value, forms_of, random_values
from unit.protocols.inap import by_pycrate, by_tshark
from unit.protocols.inap.conftest import own_vectors, portray
from unit.protocols.inap.waivers import WAIVERS
from unit.protocols.waivers import HAS_NO_INAP, READS, Waiver

from tsvc.protocols.inap.operation import CAP, OPERATIONS, Operation

IDENTITIES, DISSECTED = 24, 4  # values of each argument and result

# Members that are optional in the tables, but mandatory in a version of a standard:
# CAP's AssistRequestInstructions, CS-4's InitiateCallAttempt and USI operations.
DECIDED = dict.fromkeys(("iPSSPCapabilities", "legToBeCreated", "newCallSegment", "legID"), True)

_CELL, _AREA, _TIME = "35f01000010002", "35f0100001", "0262111290622124"
# The contents of octets are not declared; both readers decode these.
SAMPLES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("enteringCellGlobalId", "leavingCellGlobalId"), (_CELL,)),
    **dict.fromkeys(("enteringServiceAreaId", "leavingServiceAreaId"), (_CELL,)),
    **dict.fromkeys(("enteringLocationAreaId", "leavingLocationAreaId"), (_AREA,)),
    **dict.fromkeys(("highLayerCompatibility", "highLayerCompatibility2"), ("9181",)),
    **dict.fromkeys(("timeAndTimeZone", "timeAndTimezone"), (_TIME,)),
    "additionalSupplement": ("01",),
    "bearerCap": ("8090a3",),
    "callStopTimeValue": ("02621112800395",),
    "calledPartyBCDNumber": ("812011325476", "a110320e"),
    "carrier": ("01020304",),
    "cellGlobalIdOrServiceAreaIdFixedLength": (_CELL,),
    "cellGlobalIdOrServiceAreaIdOrLAI": (_CELL, _AREA),
    "csg-Id": ("05ffffffe0", "0500000000"),
    "e-utranCellGlobalIdentity": ("35f01000000102",),
    "eventTypeBCSM": ("02", "03", "04", "05", "06", "07", "09", "0a", "0c", "0d", "0f", "11"),
    "ext-BearerService": ("20",),
    "ext-Teleservice": ("11",),
    "extensionContainer": ("",),
    "geodeticInformation": ("00010203040506070809",),
    "geographicalInformation": ("1000000000000000",),
    "iPSSPCapabilities": ("00", "0102"),
    "iMEI": ("5323456789012345",),
    "laiFixedLength": (_AREA,),
    "long-QoS-format": ("030b921f7396fefe74",),
    "offeredCamel4Functionalities": ("0080000000", "01fffe"),
    "pDPAddress": ("0a000001",),
    "rPCause": ("15", "29"),
    "routeingAreaIdentity": ("35f010000102",),
    "scfID": ("0102", "030405060708"),
    "short-QoS-format": ("010203",),
    "supplement-to-long-QoS-format": ("01",),
    "supportedCamelPhases": ("04f0", "0780", "0640"),
    "trackingAreaIdentity": (_AREA,),
}

# tshark 4.0's names of members: it only has the names of CAP v4 and CS-4.
RENAMED = {
    "both": "ipaddressandlegid",
    "callActive": "legactive",
    "callReleasedAtTcpExpiry": "calllegreleasedattcpexpiry",
    "requestAnnouncementComplete": "requestannouncementcompletenotification",
}

FORMS = forms_of(OPERATIONS)
CAP_FORMS = [form for form in FORMS if form.variant in CAP]


def values_of(form: Form, count: int, *, has_samples: bool) -> Iterator[Value]:
    if has_samples:
        return random_values(form, count, SAMPLES, DECIDED)
    return random_values(form, count)


def frame(number: int, value: Value) -> bytes:
    """Return the frame of a value; tshark knows no contexts of the vendors' variants."""
    is_vendors = value.variant in ("genband", "sinap")
    one = replace(value, form=replace(value.form, variant="cs1")) if is_vendors else value
    return by_tshark.frame(number, one)


def test_all_arguments_and_results_are_here() -> None:
    """The forms are exactly those of which our own vectors have octets; none is missing."""
    have = {
        (one.operation.name, one.variant, one.component)
        for one in own_vectors()
        if one.octets is not None
    }
    found = {(form.operation.name, form.variant, form.component) for form in FORMS}
    assert found == have


@each("operation", [pytest.param(one, id=one.name) for one in OPERATIONS])
def test_what_is_encoded_comes_back(operation: Operation) -> None:
    for form in (one for one in FORMS if one.operation is operation):
        check_come_back(form, values_of(form, IDENTITIES, has_samples=False))


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """tshark's view of values of every form, all in one capture."""
    values = (value for form in FORMS for value in values_of(form, DISSECTED, has_samples=True))
    framed = ((one, frame(0x02000000 + number, one)) for number, one in enumerate(values))
    return said_of(tmp_path_factory.mktemp("tshark"), framed)


def waivers_of(value: Value, reader: str) -> list[Waiver]:
    return [one for one in WAIVERS if one.at_odds == reader and one.covers(value)]


def fault_of(value: Value, text: str) -> Waiver | None:
    return next((one for one in waivers_of(value, "tshark") if one.tshark in text), None)


def test_tshark_has_nothing_to_say(said: Said) -> None:
    check_said(said, FORMS, fault_of)


def test_tshark_finds_every_member(said: Said) -> None:
    check_named(said, lambda value: bool(waivers_of(value, "tshark")), RENAMED)


def test_waivers_of_tshark_are_still_needed(said: Said) -> None:
    assert faults_in(said, fault_of) == {one for one in WAIVERS if one.at_odds == "tshark"}


def plain(tree: Any) -> Any:
    """Return pycrate's value without parts opaque to us, and with object identifiers as text."""
    if isinstance(tree, list):
        return [plain(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    found = {key: plain(inner) for key, inner in tree.items() if key != "extensionContainer"}
    if isinstance(found.get("type"), tuple):
        found["globalType"] = ".".join(map(str, found.pop("type")))
    return found


asn1rt = pytest.importorskip("pycrate_asn1rt.err")


def theirs_of(value: Value) -> Any:
    name = value.operation.name
    if name in by_pycrate.NOT_INVOKED:
        return plain(by_pycrate.plain(by_pycrate.argument_by_pycrate(name, value.octets)))
    message = by_pycrate.wrapped(value.operation.code, value.octets, value.component)
    return plain(by_pycrate.plain(by_pycrate.decoded_by_pycrate(message, value.component)))


def read_or_refused(value: Value) -> Any:
    try:
        return theirs_of(value)
    except asn1rt.ASN1Err as error:
        return str(error)


def ours_of(value: Value) -> Any:
    tree = value.form.decode(value.octets, [])
    if tree.get("legID_defaulted"):
        del tree["legID"]  # our own addition
    ours = by_pycrate.renamed(plain(portray(value.form.type, tree)))
    if value.operation.name in by_pycrate.BARE:
        (ours,) = ours.values()
    return ours


@each("form", [pytest.param(one, id=f"{one.operation.name}-{one.variant}") for one in CAP_FORMS])
def test_pycrate_reads_the_same(form: Form) -> None:
    for value in values_of(form, 2 * DISSECTED, has_samples=True):
        if not waivers_of(value, "pycrate"):
            assert ours_of(value) == theirs_of(value), value.octets.hex()


def test_readers_disagree_with_each_other(said: Said) -> None:
    """A waived reader also disagrees with the other reader, which reads the value we encoded."""
    seen = set()
    remarks: dict[Waiver, set[bool]] = {}
    for value, texts, _ in said:
        for waiver in waivers_of(value, "tshark"):
            is_at_odds = any(waiver.tshark in text for text in texts)
            remarks.setdefault(waiver, set()).add(is_at_odds)
            if value.variant not in CAP or waivers_of(value, "pycrate"):
                continue
            assert waiver.pycrate == READS, waiver
            assert ours_of(value) == theirs_of(value), value.octets.hex()
            seen.add(waiver)
        for waiver in waivers_of(value, "pycrate"):
            assert waiver.tshark == READS, waiver
            assert ours_of(value) != read_or_refused(value), value.octets.hex()
            assert all(fault_of(value, text) for text in texts), value.octets.hex()
            seen.add(waiver)
    assert all(True in found for found in remarks.values())
    assert {one for one in WAIVERS if one not in seen} == {
        one for one in WAIVERS if one.pycrate == HAS_NO_INAP
    }


def test_pycrate_has_no_inap() -> None:
    assert importlib.util.find_spec("pycrate_asn1dir.TCAP_CAP") is not None
    for name in ("INAP", "TCAP_INAP", "CS1", "IN_CS1"):
        assert importlib.util.find_spec(f"pycrate_asn1dir.{name}") is None
