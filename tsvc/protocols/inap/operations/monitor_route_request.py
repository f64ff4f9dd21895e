"""MonitorRouteRequest: ask for the counters of routes.

Empty result.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Choice, Integer, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import DATE_AND_TIME, END_OF_PERIOD, INTEGER4, ROUTE_LIST
from tsvc.protocols.party_number import GENERIC_DIGITS

MONITORING_CRITERIA = Choice(
    m("threshold", 0, INTEGER4), m("interval", 1, Integer(-1, 60000, unit="ms"))
)
ARGUMENT = Sequence(
    m("routeList", 0, ROUTE_LIST, required=True),
    m("correlationID", 1, GENERIC_DIGITS, required=True),
    m("monitoringCriteria", 2, MONITORING_CRITERIA, required=True),
    m("monitoringTimeout", 3, END_OF_PERIOD, required=True),
    m("startTime", 4, DATE_AND_TIME),
    m("extensions", 5, EXTENSIONS),
)

MONITOR_ROUTE_REQUEST = declare(
    Operation(
        name="MonitorRouteRequest",
        code=146,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="ask for the counters of routes",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedParameter",
        ),
        example={
            "routeList_hex": ["01"],
            "correlationID_digits": "1234",
            "monitoringCriteria": {"threshold": 100},
            "monitoringTimeout": {"duration": 3600},
        },
    )
)
