"""FurnishChargingInformationSMS: put data into the charging record of a short message.

The argument is a bare OCTET STRING that holds BER.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Containing, Octets, Sequence, m
from tsvc.protocols.inap.operation import SCP, SMS, Operation, declare
from tsvc.protocols.inap.parameters_gprs import APPEND_FREE_FORMAT_DATA

CHARACTERISTICS = Choice(
    m(
        "fCIBCCCAMELsequence1",
        0,
        Sequence(
            m("freeFormatData", 0, Octets(1, 160), required=True),
            m("appendFreeFormatData", 1, APPEND_FREE_FORMAT_DATA),
        ),
    )
)
ARGUMENT = Choice(m("fCISMSBillingChargingCharacteristics", None, Containing(CHARACTERISTICS)))

FURNISH_CHARGING_INFORMATION_SMS = declare(
    Operation(
        name="FurnishChargingInformationSMS",
        code=61,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="put data into the charging record of a short message",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={
            "fCISMSBillingChargingCharacteristics": {
                "fCIBCCCAMELsequence1": {"freeFormatData_hex": "01020304"}
            }
        },
    )
)
