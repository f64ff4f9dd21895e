"""MonitorRouteReport: report the counters of routes.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Integer, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import INTEGER4, ROUTE
from tsvc.protocols.party_number import GENERIC_DIGITS

ROUTE_COUNTER = Sequence(
    m("route", 0, ROUTE, required=True),
    m("counterID", 1, Integer(0, 99), required=True),
    m("counterValue", 2, INTEGER4, required=True),
)
ARGUMENT = Sequence(
    m("routeCounters", 0, SequenceOf(ROUTE_COUNTER, 1, 127), required=True),
    m("correlationID", 2, GENERIC_DIGITS, required=True),
    m("extensions", 3, EXTENSIONS),
)

MONITOR_ROUTE_REPORT = declare(
    Operation(
        name="MonitorRouteReport",
        code=147,
        operation_class=4,
        sent_by=SSP,
        variants=CS2,
        summary="report the counters of routes",
        argument=ARGUMENT,
        example={
            "routeCounters": [{"route_hex": "01", "counterID": 0, "counterValue": 17}],
            "correlationID_digits": "1234",
        },
    )
)
