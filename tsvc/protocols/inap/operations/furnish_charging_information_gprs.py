"""FurnishChargingInformationGPRS: put data into the charging record of a GPRS session.

The argument is a bare OCTET STRING that holds BER.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Containing, Octets, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import APPEND_FREE_FORMAT_DATA, PDP_ID

CHARACTERISTICS = Sequence(
    m(
        "fCIBCCCAMELsequence1",
        0,
        Sequence(
            m("freeFormatData", 0, Octets(1, 160), required=True),
            m("pDPID", 1, PDP_ID),
            m("appendFreeFormatData", 2, APPEND_FREE_FORMAT_DATA),
        ),
        required=True,
    )
)
ARGUMENT = Choice(m("fCIGPRSBillingChargingCharacteristics", None, Containing(CHARACTERISTICS)))

FURNISH_CHARGING_INFORMATION_GPRS = declare(
    Operation(
        name="FurnishChargingInformationGPRS",
        code=77,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="put data into the charging record of a GPRS session",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownPDPID",
        ),
        example={
            "fCIGPRSBillingChargingCharacteristics": {
                "fCIBCCCAMELsequence1": {"freeFormatData_hex": "01020304"}
            }
        },
    )
)
