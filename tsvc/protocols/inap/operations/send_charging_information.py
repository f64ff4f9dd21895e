"""SendChargingInformation: advice of charge for the user, or charging towards the network.

In CAP the characteristics are an OCTET STRING that holds BER; in INAP they are the operator's own
octets.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Containing, Integer, Octets, Sequence, m
from tsvc.protocols.inap.operation import CAMEL, CS, NOT_CAMEL1, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SENDING_SIDE

# Of SendChargingInformationGPRS too, each with its own behind.
SEND_CHARGING_ERRORS = (
    "missingParameter",
    "unexpectedComponentSequence",
    "unexpectedParameter",
    "parameterOutOfRange",
    "systemFailure",
    "taskRefused",
    "unexpectedDataValue",
)

CAI = Sequence(*(m(f"e{number}", number - 1, Integer(0, 8191)) for number in range(1, 8)))
AOC_SUBSEQUENT = Sequence(
    m("cAI-GSM0224", 0, CAI, required=True),
    m("tariffSwitchInterval", 1, Integer(1, 86400, unit="s")),
)
CHARACTERISTICS = Choice(
    m(
        "aOCBeforeAnswer",
        0,
        Sequence(m("aOCInitial", 0, CAI, required=True), m("aOCSubsequent", 1, AOC_SUBSEQUENT)),
    ),
    m("aOCAfterAnswer", 1, AOC_SUBSEQUENT),
    m("aOC-extension", 2, Sequence()),
)
ARGUMENT = Sequence(
    m(
        "sCIBillingChargingCharacteristics",
        0,
        ByVariant({CS: Octets(), CAMEL: Containing(CHARACTERISTICS)}),
        required=True,
    ),
    m("partyToCharge", 1, ByVariant({CS: LEG_ID, CAMEL: SENDING_SIDE}), required=True),
    m("extensions", 2, EXTENSIONS),
)

SEND_CHARGING_INFORMATION = declare(
    Operation(
        name="SendChargingInformation",
        short_name="SCI",
        code=46,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="give advice of charge to the user",
        argument=ARGUMENT,
        errors=(*SEND_CHARGING_ERRORS, "unknownLegID"),
        # aOCAfterAnswer with e1 = 10: raw, so that it is valid in INAP too.
        example={
            "sCIBillingChargingCharacteristics_hex": "a105a00380010a",
            "partyToCharge": {"sendingSideID_hex": "01"},
        },
    )
)
