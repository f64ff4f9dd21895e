"""Route monitoring: the SCP asks for the counters of routes, the SSP reports them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Choice, Integer, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS2, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    DATE_AND_TIME,
    END_OF_PERIOD,
    INTEGER4,
    ROUTE,
    ROUTE_LIST,
)
from tsvc.protocols.party_number import GENERIC_DIGITS

MONITORING_CRITERIA = Choice(
    m("threshold", 0, INTEGER4), m("interval", 1, Integer(-1, 60000, unit="ms"))
)

declare(
    Operation(
        name="MonitorRouteRequest",
        code=146,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="ask for the counters of routes",
        argument=Sequence(
            m("routeList", 0, ROUTE_LIST, required=True),
            m("correlationID", 1, GENERIC_DIGITS, required=True),
            m("monitoringCriteria", 2, MONITORING_CRITERIA, required=True),
            m("monitoringTimeout", 3, END_OF_PERIOD, required=True),
            m("startTime", 4, DATE_AND_TIME),
            m("extensions", 5, EXTENSIONS),
        ),
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

ROUTE_COUNTER = Sequence(
    m("route", 0, ROUTE, required=True),
    m("counterID", 1, Integer(0, 99), required=True),
    m("counterValue", 2, INTEGER4, required=True),
)

declare(
    Operation(
        name="MonitorRouteReport",
        code=147,
        operation_class=4,
        sent_by=SSP,
        variants=CS2,
        summary="report the counters of routes",
        argument=Sequence(
            m("routeCounters", 0, SequenceOf(ROUTE_COUNTER, 1, 127), required=True),
            m("correlationID", 2, GENERIC_DIGITS, required=True),
            m("extensions", 3, EXTENSIONS),
        ),
        example={
            "routeCounters": [{"route_hex": "01", "counterID": 0, "counterValue": 17}],
            "correlationID_digits": "1234",
        },
    )
)
