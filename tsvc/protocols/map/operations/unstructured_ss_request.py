"""UnstructuredSSRequest: the network asks a mobile for USSD input.

Source: TS 29.002 (MAP-SS-DataTypes)
"""

from tsvc.protocols.map.facts import ussd_text
from tsvc.protocols.map.operation import HLR_OR_SCP, MAP2_3, TIMER_ML_S, MapOperation, declare
from tsvc.protocols.map.ussd import ARGUMENT, MOBILE_ERRORS, RESULT

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
