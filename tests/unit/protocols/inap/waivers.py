"""Waivers: values of INAP or CAP that tshark 4.0 or pycrate reads differently from us.

tshark reads INAP by the modules of CS-4, and all of CAP by one set of modules, except for a few
types of v2. pycrate only has CAP v4, and reads a structure of v2 or v3 as octets.
"""

from unit.protocols.waivers import HAS_NO_INAP, READS, Waiver

_BEYOND = "beyond the end of the known sequence"
_SCRIPT = "the open type of a script"

WAIVERS = (
    Waiver(
        "ApplyCharging",
        "sendCalculationToSCPIndication",
        ours="member on [1]",
        tshark=_BEYOND,  # CS-4 has no member there
        pycrate=HAS_NO_INAP,
        document="ETS 300 374-1",
    ),
    *(
        Waiver(
            operation,
            "bcsmEventCorrelationID",
            ours="a generic number on [1]",
            tshark="failed assertion",  # in the dissector itself
            pycrate=HAS_NO_INAP,
            document="ETS 300 374-1",
        )
        for operation in ("EventReportBCSM", "RequestReportBCSMEvent")
    ),
    *(
        Waiver(
            operation,
            "userCSGInformation",
            ours="csg-Id of 27 bits",
            tshark="Unreassembled",  # it stops with a bounds error
            pycrate=READS,
            document="TS 29.078, TS 29.002",
        )
        for operation in ("InitialDPSMS", "InitialDPGPRS", "EventReportGPRS")
    ),
    *(
        Waiver(
            operation,
            None,
            ours="a SEQUENCE",
            tshark="unsigned integer with length",  # tshark still reads the members
            pycrate=READS,
            document="TS 29.078",
        )
        for operation in ("FurnishChargingInformationGPRS", "SendChargingInformationGPRS")
    ),
    *(
        Waiver(
            operation,
            member,
            ours=_SCRIPT,
            tshark=_BEYOND,  # tshark does not skip the value: "FIX ME" in its sources
            pycrate=HAS_NO_INAP,
            document="Q.1248.2",
        )
        for operation, member in (
            ("ScriptRun", "uIScriptSpecificInfo"),
            ("ScriptInformation", "uIScriptSpecificInfo"),
            ("ScriptClose", "uIScriptSpecificInfo"),
            ("ScriptEvent", "uIScriptResult"),
        )
    ),
    Waiver(
        "*",
        "globalType",
        ours="an extension's object identifier",
        tshark="Dissector for OID not implemented",  # tshark has no dissector for any
        pycrate=READS,
        document="TS 29.078",
    ),
    Waiver(
        "InitialDP",
        "initialDPArgExtension",
        ours="the members of CAP v2",
        tshark=READS,
        pycrate="the members of CAP v4",
        document="TS 29.078, phase 2",
        variants=("camel2",),
    ),
    Waiver(
        "SpecializedResourceReport",
        None,
        ours="NULL",
        tshark=READS,
        pycrate="the CHOICE of CAP v4",
        document="TS 29.078, phases 2 and 3",
        variants=("camel2", "camel3"),
    ),
    Waiver(
        "SendChargingInformation",
        "aOC-extension",
        ours="an empty SEQUENCE",
        tshark=READS,
        pycrate="refuses it: what is around it takes four octets at least",
        document="TS 29.078",
        variants=("camel2", "camel3", "camel4"),
    ),
)
