"""EventReportSMS: report an event of the short message.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Octets, Sequence, m
from tsvc.protocols.inap.operation import SMS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, MISC_CALL_INFO
from tsvc.protocols.inap.parameters_gprs import EVENT_TYPE_SMS

EVENT_SPECIFIC_INFORMATION = Choice(
    m(
        "o-smsFailureSpecificInfo",
        0,
        Sequence(
            m(
                "failureCause",
                0,
                Enumerated(
                    {
                        0: "systemFailure",
                        1: "unexpectedDataValue",
                        2: "facilityNotSupported",
                        3: "sM-DeliveryFailure",
                        4: "releaseFromRadioInterface",
                    }
                ),
            )
        ),
    ),
    m("o-smsSubmissionSpecificInfo", 1, Sequence()),
    m("t-smsFailureSpecificInfo", 2, Sequence(m("failureCause", 0, Octets(1, 1)))),
    m("t-smsDeliverySpecificInfo", 3, Sequence()),
)
ARGUMENT = Sequence(
    m("eventTypeSMS", 0, EVENT_TYPE_SMS, required=True),
    m("eventSpecificInformationSMS", 1, EVENT_SPECIFIC_INFORMATION),
    m("miscCallInfo", 2, MISC_CALL_INFO),
    m("extensions", 10, EXTENSIONS),
)

EVENT_REPORT_SMS = declare(
    Operation(
        name="EventReportSMS",
        code=64,
        operation_class=4,
        sent_by=SSP,
        variants=SMS,
        summary="report an event of the short message",
        argument=ARGUMENT,
        example={"eventTypeSMS": 3, "miscCallInfo": {"messageType": 1}},
    )
)
