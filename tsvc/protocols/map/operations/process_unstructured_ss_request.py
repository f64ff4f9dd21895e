"""ProcessUnstructuredSSRequest: a mobile begins a USSD session.

Source: TS 29.002 (MAP-SS-DataTypes)
"""

from tsvc.protocols.map.facts import MSISDN_FACT, ussd_text
from tsvc.protocols.map.operation import HLR_OR_SCP, MAP2_3, TIMER_USSD_S, MapOperation, declare
from tsvc.protocols.map.ussd import ARGUMENT, RESULT

PROCESS_UNSTRUCTURED_SS_REQUEST = declare(
    MapOperation(
        name="ProcessUnstructuredSSRequest",
        short_name="PUSSR",
        code=59,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=MAP2_3,
        summary="begin a USSD session for a mobile",
        argument=ARGUMENT,
        result=RESULT,
        errors=(
            "systemFailure",
            "dataMissing",
            "unexpectedDataValue",
            "unknownAlphabet",
            "callBarred",
        ),
        timer_s=TIMER_USSD_S,
        can_begin=True,
        contexts={"map2": "ussd2"},
        facts=(ussd_text, MSISDN_FACT),
        result_facts=(ussd_text,),
        example={"ussdString_text": "*100#"},
    )
)
