"""Reads MAP arguments and results by pycrate's compiled TS 29.002."""

from typing import Any

import pytest

tcap_map = pytest.importorskip("pycrate_asn1dir.TCAP_MAPv2v3")


# Type of MAP 3, and type of MAP 2 if pycrate's module of that version has another.
TYPES = {
    ("AnyTimeInterrogation", "invoke"): ("MAP_MS_DataTypes.AnyTimeInterrogationArg", None),
    ("AnyTimeInterrogation", "result"): ("MAP_MS_DataTypes.AnyTimeInterrogationRes", None),
    ("ProvideSubscriberInfo", "invoke"): ("MAP_MS_DataTypes.ProvideSubscriberInfoArg", None),
    ("ProvideSubscriberInfo", "result"): ("MAP_MS_DataTypes.ProvideSubscriberInfoRes", None),
    ("SendRoutingInfo", "invoke"): (
        "MAP_CH_DataTypes.SendRoutingInfoArg",
        "MAPv2_CH_DataTypes.SendRoutingInfoArg",
    ),
    ("SendRoutingInfo", "result"): (
        "MAP_CH_DataTypes.SendRoutingInfoRes",
        "MAPv2_CH_DataTypes.SendRoutingInfoRes",
    ),
    ("ProvideRoamingNumber", "invoke"): (
        "MAP_CH_DataTypes.ProvideRoamingNumberArg",
        "MAPv2_CH_DataTypes.ProvideRoamingNumberArg",
    ),
    ("ProvideRoamingNumber", "result"): (
        "MAP_CH_DataTypes.ProvideRoamingNumberRes",
        "MAPv2_CommonDataTypes.ISDN_AddressString",
    ),
    ("UpdateLocation", "invoke"): (
        "MAP_MS_DataTypes.UpdateLocationArg",
        "MAPv2_MS_DataTypes.UpdateLocationArg",
    ),
    ("UpdateLocation", "result"): (
        "MAP_MS_DataTypes.UpdateLocationRes",
        "MAPv2_MS_DataTypes.UpdateLocationRes",
    ),
    ("SendRoutingInfoForSM", "invoke"): (
        "MAP_SM_DataTypes.RoutingInfoForSM_Arg",
        "MAPv2_SM_DataTypes.RoutingInfoForSM_Arg",
    ),
    ("SendRoutingInfoForSM", "result"): (
        "MAP_SM_DataTypes.RoutingInfoForSM_Res",
        "MAPv2_SM_DataTypes.RoutingInfoForSM_Res",
    ),
    ("MO-ForwardSM", "invoke"): (
        "MAP_SM_DataTypes.MO_ForwardSM_Arg",
        "MAPv2_SM_DataTypes.ForwardSM_Arg",
    ),
    ("MO-ForwardSM", "result"): ("MAP_SM_DataTypes.MO_ForwardSM_Res", None),
    ("MT-ForwardSM", "invoke"): ("MAP_SM_DataTypes.MT_ForwardSM_Arg", None),
    ("MT-ForwardSM", "result"): ("MAP_SM_DataTypes.MT_ForwardSM_Res", None),
} | {
    # Version 2 is the newest of the USSD context, and grew with the releases: one type for both.
    (name, component): (f"MAP_SS_DataTypes.{type_}", f"MAP_SS_DataTypes.{type_}")
    for name in ("ProcessUnstructuredSSRequest", "UnstructuredSSRequest", "UnstructuredSSNotify")
    for component, type_ in (("invoke", "USSD_Arg"), ("result", "USSD_Res"))
}


RENAMED = {"ussdDataCodingScheme": "ussd-DataCodingScheme", "ussdString": "ussd-String"}


# Opaque to us, decoded by pycrate: compared as octets.
OPAQUE = {"t-CSI"}


# MAP 2 has its own CHOICE or SEQUENCE for these; the octets are the same.
FLATTENED = ("locationInfo", "extensibleUpdateLocationRes")


def type_of(name: str) -> Any:
    module, _, type_ = name.partition(".")
    return getattr(getattr(tcap_map, module), type_)


def plain(value: Any) -> Any:
    """Return pycrate's value in the plain form that portray() gives to our values."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if key not in OPAQUE}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, tuple) and isinstance(value[0], int):
        number, width = value  # a BIT STRING
        unused = -width % 8
        return {"hex": f"{unused:02x}{number << unused:0{(width + unused) // 4}x}"}
    if isinstance(value, tuple):
        return {value[0]: plain(value[1])}
    return value


def flattened(theirs: Any) -> Any:
    if not isinstance(theirs, dict):
        return theirs
    for name in FLATTENED:
        theirs |= theirs.pop(name, {})
    location = theirs.get("locationInfoWithLMSI", {})
    if "locationInfo" in location:
        location["networkNode-Number"] = location.pop("locationInfo")["msc-Number"]
    return theirs


def without_opaque(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {k: without_opaque(v) for k, v in tree.items() if k not in OPAQUE}
    return [without_opaque(item) for item in tree] if isinstance(tree, list) else tree
