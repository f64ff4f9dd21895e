"""USSD: ProcessUnstructuredSSRequest, UnstructuredSSRequest, UnstructuredSSNotify.

A mobile begins a session; the network asks it for input, or shows it a text.

Source: TS 29.002 (MAP-SS-DataTypes)
"""

from tsvc.protocols.map.facts import MSISDN_FACT, ussd_text
from tsvc.protocols.map.operation import (
    HLR_OR_SCP,
    MAP2_3,
    TIMER_ML_S,
    TIMER_USSD_S,
    MapOperation,
    declare,
)
from tsvc.protocols.map.ussd import ARGUMENT, MOBILE_ERRORS, RESULT

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
        is_result_optional=True,
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


UNSTRUCTURED_SS_REQUEST = declare(
    MapOperation(
        name="UnstructuredSSRequest",
        short_name="USSR",
        code=60,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=MAP2_3,
        summary="ask a mobile for USSD input",
        argument=ARGUMENT,
        result=RESULT,
        errors=MOBILE_ERRORS,
        timer_s=TIMER_ML_S,
        can_begin=True,
        contexts={"map2": "ussd2"},
        facts=(ussd_text,),
        result_facts=(ussd_text,),
        example={"ussdString_text": "Enter PIN"},
    )
)


UNSTRUCTURED_SS_NOTIFY = declare(
    MapOperation(
        name="UnstructuredSSNotify",
        short_name="USSN",
        code=61,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=MAP2_3,
        summary="show a mobile a USSD text",
        argument=ARGUMENT,
        errors=MOBILE_ERRORS,
        timer_s=TIMER_ML_S,
        can_begin=True,
        contexts={"map2": "ussd2"},
        facts=(ussd_text,),
        example={"ussdString_text": "Thank you"},
    )
)
