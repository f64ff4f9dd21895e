"""UnstructuredSSNotify: the network shows a mobile a USSD text; the result is empty.

Source: TS 29.002 (MAP-SS-DataTypes)
"""

from tsvc.protocols.map.facts import ussd_text
from tsvc.protocols.map.operation import HLR_OR_SCP, MAP2_3, TIMER_ML_S, MapOperation, declare
from tsvc.protocols.map.ussd import ARGUMENT, MOBILE_ERRORS

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
