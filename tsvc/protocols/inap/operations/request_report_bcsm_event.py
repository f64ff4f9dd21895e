"""RequestReportBCSMEvent: the SCP arms detection points.

Instead of the list `bcsmEvents`, events may be given by shorthand, with one key for each event:

* `<event>: 1`, for any name of eventTypeBCSM and for oDisconnectLeg1/2, tDisconnectLeg1/2: the
  event is armed with its usual monitor mode on its usual leg. The mode is notifyAndContinue for
  events after which the call goes on (answer, abandon, term seized, call accepted, change of
  position, service change), otherwise interrupted. The leg is given as sendingSideID: 2 for route
  select failure, busy, no answer and answer; 1 for mid-call of the originating side and abandon; 2
  for mid-call of the terminating side; the named leg for ...LegN; none for the others;
* `<event>_timer: seconds`: the same, with an applicationTimer.

A false value leaves the event out. If `bcsmEvents` is given, shorthands are ignored; on receipt
both are filled in. `dPSpecificCriteria`, the spelling of CS-1, means dpSpecificCriteria.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Enumerated,
    Integer,
    Null,
    Octets,
    Sequence,
    SequenceOf,
    Tree,
    m,
)
from tsvc.protocols.facts import at
from tsvc.protocols.inap.bcsm import (
    DEFAULT_LEG,
    EVENT_NAMES,
    LEG_EVENT_NAMES,
    MONITOR_MODES,
    MonitorMode,
)
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.facts import leg_text
from tsvc.protocols.inap.operation import ALL, CAMEL, CAMEL4, CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EVENT_AND_LEG, EXTENSIONS, LEG_ID, renamed
from tsvc.protocols.party_number import GENERIC_NUMBER

MID_CALL_CONTROL = Sequence(
    m("minimumNumberOfDigits", 0, Integer(1, 30)),
    m("maximumNumberOfDigits", 1, Integer(1, 30)),
    m("endOfReplyDigit", 2, Octets(1, 2)),
    m("cancelDigit", 3, Octets(1, 2)),
    m("startDigit", 4, Octets(1, 2)),
    m("interDigitTimeout", 6, Integer(1, 127, unit="s")),
)
CHANGE_OF_LOCATION = Choice(
    m("cellGlobalId", 0, Octets(7, 7)),
    m("serviceAreaId", 1, Octets(7, 7)),
    m("locationAreaId", 2, Octets(5, 5)),
    m("inter-SystemHandOver", 3, Null()),
    m("inter-PLMNHandOver", 4, Null()),
    m("inter-MSCHandOver", 5, Null()),
    m("changeOfLocationAlt", 6, Sequence()),
)
CRITERIA = Choice(
    m("numberOfDigits", 0, Integer(1, 255), only=CS),
    m("applicationTimer", 1, Integer(0, 2047, unit="s")),
    m("midCallControlInfo", 2, MID_CALL_CONTROL, only=CAMEL4),
    m(
        "dpSpecificCriteriaAlt",
        3,
        Sequence(
            m("changeOfPositionControlInfo", 0, SequenceOf(CHANGE_OF_LOCATION, 1, 10)),
            m("numberOfDigits", 1, Integer(1, 255)),
            m("interDigitTimeout", 2, Integer(1, 127, unit="s")),
        ),
        only=CAMEL4,
    ),
)
BCSM_EVENT = Sequence(
    m("eventTypeBCSM", 0, EVENT_AND_LEG, required=True),
    m("monitorMode", 1, Enumerated(MONITOR_MODES), required=True),
    m("legID", 2, LEG_ID),
    m("dpSpecificCriteria", 30, CRITERIA),
    m("automaticRearm", 50, Null(), only=CAMEL4),
)
ARGUMENT = Sequence(
    m(
        "bcsmEvents",
        0,
        ByVariant({CS: SequenceOf(BCSM_EVENT, 1, 127), CAMEL: SequenceOf(BCSM_EVENT, 1, 30)}),
        required=True,
    ),
    m("bcsmEventCorrelationID", 1, GENERIC_NUMBER, only=CS),
    m("extensions", 2, EXTENSIONS),
)

# Name -> (event, leg that the name includes).
SHORTHANDS: dict[str, tuple[int, int | None]] = {
    **{name: (event, None) for event, name in EVENT_NAMES.items()},
    **LEG_EVENT_NAMES,
}
_TIMER = "_timer"
_GOES_ON = frozenset({7, 10, 15, 18, 19, 27, 50, 51, 52, 53})
_SPELLINGS = {"dPSpecificCriteria": "dpSpecificCriteria"}
_FALSE = (None, 0, "", "0", False)


def _named_events(tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the events that shorthands name, with their timers, in the order given."""
    yielded: set[str] = set()
    for key, value in tree.items():
        name = key.removesuffix(_TIMER)
        if name in SHORTHANDS and name not in yielded and value not in _FALSE:
            yielded.add(name)
            yield name, tree.get(name + _TIMER)


def _is_shorthand(key: str) -> bool:
    return key.removesuffix(_TIMER) in SHORTHANDS


def _leg(leg: int) -> Tree:
    return {"sendingSideID_hex": f"{leg:02x}"}


def _listed(events: object) -> object:
    if not isinstance(events, list):
        return events
    return [renamed(event, _SPELLINGS) if isinstance(event, dict) else event for event in events]


def expand(tree: Tree) -> Tree:
    """Put events given by shorthand into `bcsmEvents`, with usual monitor modes and legs."""
    result = {key: value for key, value in tree.items() if not _is_shorthand(key)}
    if tree.get("bcsmEvents") is not None:
        result["bcsmEvents"] = _listed(tree["bcsmEvents"])
        return result
    events = [_armed(name, timer) for name, timer in _named_events(tree)]
    if events:
        result["bcsmEvents"] = events
    return result


def _armed(name: str, timer: object) -> Tree:
    event, leg = SHORTHANDS[name]
    mode = MonitorMode.NOTIFY_AND_CONTINUE if event in _GOES_ON else MonitorMode.INTERRUPTED
    armed: Tree = {"eventTypeBCSM": event, "monitorMode": int(mode)}
    leg = leg or DEFAULT_LEG.get(event)
    if leg is not None:
        armed["legID"] = _leg(leg)
    if timer is not None:
        armed["dpSpecificCriteria"] = {"applicationTimer": timer}
    return armed


def expand_expected(tree: Tree) -> Tree:
    """Put shorthands of an expected argument into `bcsmEvents`, with only the given values.

    Each event has its type, the leg if its name includes one, and the timer if given; no monitor
    mode and no usual leg. Keys that expect absence (null, or `!` in front) stay as they are. A
    shorthand with a false value becomes null: the event must not be armed.
    """
    events = [_expected(name, timer) for name, timer in _named_events(tree)]
    result = {key: value for key, value in tree.items() if not _is_shorthand(key)}
    result |= {key: None for key in tree if _is_shorthand(key) and tree[key] in _FALSE}
    given = _listed(tree.get("bcsmEvents"))
    if isinstance(given, list):
        result["bcsmEvents"] = given + events
    elif events:
        result["bcsmEvents"] = events
    return result


def _expected(name: str, timer: object) -> Tree:
    event, leg = SHORTHANDS[name]
    expected: Tree = {"eventTypeBCSM": event}
    if leg is not None:
        expected["legID"] = _leg(leg)
    if timer is not None:
        expected["dpSpecificCriteria"] = {"applicationTimer": timer}
    return expected


_LEG_NAMES = {event_and_leg: name for name, event_and_leg in LEG_EVENT_NAMES.items()}


def fill(tree: Tree) -> None:
    """Add the shorthand keys of all received events, also ...LegN for a disconnect with a leg."""
    events = tree.get("bcsmEvents")
    if not isinstance(events, list):
        return
    for event in events:
        number = event.get("eventTypeBCSM")
        leg = (event.get("legID") or {}).get("sendingSideID_hex", "")
        names = _LEG_NAMES.get((number, int(leg, 16) if leg else 0)), EVENT_NAMES.get(number)
        timer = (event.get("dpSpecificCriteria") or {}).get("applicationTimer")
        for name in filter(None, names):
            tree[name] = 1
            if timer is not None:
                tree[name + _TIMER] = timer


_SHORT_MODES = {"notifyAndContinue": "notify"}


def armed_events(tree: Tree) -> list[str]:
    """Return each armed event in words: name, leg, monitor mode, timer."""
    events = tree.get("bcsmEvents")
    found = []
    for event in events if isinstance(events, list) else []:
        mode = at(event, "monitorMode_name")
        timer = at(event, "dpSpecificCriteria.applicationTimer")
        parts = (
            str(at(event, "eventTypeBCSM_name") or at(event, "eventTypeBCSM")),
            leg_text(at(event, "legID")),
            _SHORT_MODES.get(mode, str(mode)),
            f"{timer} s" if timer is not None else "",
        )
        found.append(" ".join(part for part in parts if part))
    return found


REQUEST_REPORT_BCSM_EVENT = declare(
    Operation(
        name="RequestReportBCSMEvent",
        short_name="RRBE",
        code=23,
        operation_class=2,
        sent_by=SCP,
        variants=ALL,
        summary="arm detection points of the call",
        argument=ARGUMENT,
        errors=(*USUAL_ERRORS, "unknownLegID"),
        expand=expand,
        fill=fill,
        expand_expected=expand_expected,
        shorthands=frozenset(SHORTHANDS) | frozenset(name + _TIMER for name in SHORTHANDS),
        facts=(armed_events,),
        example={
            "oCalledPartyBusy": 1,
            "oNoAnswer_timer": 30,
            "oAnswer": 1,
            "oDisconnectLeg1": 1,
            "oDisconnectLeg2": 1,
        },
    )
)
