"""The events that an SCP has armed and still waits for: requested events without reported ones."""

from collections.abc import Iterable
from typing import Any

from tsvc.protocols.inap.bcsm import DEFAULT_LEG, EVENT_NAMES, Event, MonitorMode
from tsvc.protocols.inap.operations.event_report_bcsm import EVENT_REPORT_BCSM
from tsvc.protocols.inap.operations.request_report_bcsm_event import REQUEST_REPORT_BCSM_EVENT

# When one of these events is reported, the others can't occur any more: the call is past them.
_ROUTING = frozenset(
    {
        Event.ROUTE_SELECT_FAILURE,
        Event.O_CALLED_PARTY_BUSY,
        Event.O_NO_ANSWER,
        Event.O_ANSWER,
        Event.T_BUSY,
        Event.T_NO_ANSWER,
        Event.T_ANSWER,
    }
)
_ABANDON = frozenset({Event.O_ABANDON, Event.T_ABANDON})
_ANSWER = frozenset({Event.O_ANSWER, Event.T_ANSWER})


def armed_events(
    requests: Iterable[bytes], reports: Iterable[bytes], variant: str
) -> set[tuple[int, int]]:
    """Return (event, leg) that are armed, neither reported nor made impossible by a report.

    `requests`, `reports`: arguments of RequestReportBCSMEvent and EventReportBCSM, in order.
    """
    armed: set[tuple[int, int]] = set()
    for parameter in requests:
        tree = REQUEST_REPORT_BCSM_EVENT.decode_argument(parameter, variant, [])
        for event in tree.get("bcsmEvents", []):
            number = event.get("eventTypeBCSM", 0)
            leg = _leg_of(event.get("legID") or {})
            key = (number, leg or DEFAULT_LEG.get(number, 0))
            if event.get("monitorMode") == MonitorMode.TRANSPARENT:
                armed.discard(key)
            else:
                armed.add(key)
    for parameter in reports:
        tree = EVENT_REPORT_BCSM.decode_argument(parameter, variant, [])
        over = _over_after(tree.get("eventTypeBCSM", 0))
        armed = {key for key in armed if key[0] not in over}
    return armed


def _over_after(number: int) -> set[int]:
    """Return the events that can't occur after the report of an event, including that event."""
    over = {number}
    if number in _ROUTING:
        over |= _ROUTING
    if number in _ANSWER:
        over |= _ABANDON
    if number in _ABANDON or number in (Event.O_DISCONNECT, Event.T_DISCONNECT):
        over |= set(EVENT_NAMES)
    return over


def _leg_of(leg_id: dict[str, Any]) -> int:
    """Return the leg that an armed event names, 0 if it has no readable leg."""
    octets = bytes.fromhex(leg_id.get("sendingSideID_hex") or "")
    return octets[0] if len(octets) == 1 else 0
