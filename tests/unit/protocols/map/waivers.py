"""Waivers: values of MAP that tshark 4.0, with only the modules of MAP 3, reads differently."""

from unit.protocols.waivers import DOES_NOT_FIND_IT, READS, Waiver

WAIVERS = (
    *(
        Waiver(
            operation,
            member,
            ours="a member of versions before 3",
            tshark="lies beyond the end of the known sequence",
            pycrate=READS,
            document="TS 29.002, versions 1 and 2",
            variants=(version,),
            component=component,
        )
        for version in ("map1", "map2")
        for operation, component, member in (
            ("ProvideRoamingNumber", "invoke", "previousRoamingNumber"),
            ("SendRoutingInfo", "result", "routingInfo"),
            ("SendRoutingInfoForSM", "invoke", "teleservice"),
        )
    ),
    *(
        Waiver(
            "UpdateLocation",
            "hlr-Number",
            ours="a number, which is all of this result",
            tshark=text,  # tshark reads it as the subscriber's IMSI
            pycrate=READS,
            document="TS 29.002, version 1",
            variants=("map1",),
            component="result",
        )
        for text in ("Malformed IMSI", "MCC contains non-decimal digits")
    ),
    Waiver(
        "MO-ForwardSM",
        "roamingNumber",
        ours="an alternative of versions before 3",
        tshark=DOES_NOT_FIND_IT,
        pycrate=READS,
        document="TS 29.002, versions 1 and 2",
        variants=("map1", "map2"),
    ),
    Waiver(
        "SendRoutingInfo",
        "cugSubscriptionFlag",
        ours="[6], also behind a CHOICE that is left out",
        tshark=DOES_NOT_FIND_IT,
        pycrate=READS,
        document="TS 29.002",
        variants=("map3",),
        component="result",
    ),
)
# Missing in random values, but present in one of our own vectors.
IN_VECTORS = (
    Waiver(
        "UpdateLocation",
        "roamingNumber",
        ours="an alternative of versions before 3",
        tshark="Wrong field in SEQUENCE",
        pycrate=READS,
        document="TS 29.002, versions 1 and 2",
        variants=("map1", "map2"),
    ),
)
