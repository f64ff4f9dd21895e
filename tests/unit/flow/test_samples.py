"""The samples of the newer operation types: calls take each of their exits."""

from datetime import datetime

import pytest

from tsvc.flow.call import (
    Answered,
    Busy,
    ChargingFailed,
    Collect,
    Ended,
    EndUssd,
    Finished,
    Furnished,
    NoAnswer,
    NoDigits,
    Pause,
    PauseOver,
    Play,
    Played,
    Release,
    SayUssd,
    Terminate,
    Used,
    UssdFailed,
    UssdInput,
    UssdShown,
)
from tsvc.flow.call import (
    EnteredDigits as Digits,
)
from tsvc.flow.engine import FlowEnd

OPERATOR = Terminate("4329000", 15, monitor_disconnect=True)
NIGHT = Terminate("4329911", 15)
FREE = Terminate("4329301", 15)
UNWATCHED = Terminate("4329300", None, wants_failures=False)
THREE_TIMES = [3, 4, 5, 6, 7, 3, 4, 5, 6, 7, 3, 4, 5, 6]


def at(utc):
    """Return the facts of a call at a time of day in UTC."""
    return {"wall": datetime.fromisoformat(utc + "+00:00").timestamp()}


FRIDAY_NINE = at("2026-11-19 20:00")  # in Auckland, as all days named below

# Events, facts of the call, operations that the call passes, the last action.
WALKS = {
    "ussd.json": [
        ([UssdInput("1234")], {}, [1, 2, 3, 4], EndUssd("Balance 12.50")),
        ([UssdInput("9900")], {}, [1, 2, 3, 4], EndUssd("Balance 12.50")),
        ([UssdInput("1")], {}, [1, 2, 3, 5, 6], SayUssd("1 is not your PIN")),
        (
            [UssdInput(""), UssdShown(), UssdInput("12"), UssdShown(), UssdInput("3")],
            {},
            [1, *[2, 3, 5, 6] * 2, 2, 3, 5, 7],
            EndUssd("No more tries today"),
        ),
        ([UssdFailed()], {}, [1, 2], Release(31)),
        ([UssdInput("1"), UssdFailed()], {}, [1, 2, 3, 5, 6], Release(31)),
    ],
    "prepaid.json": [
        ([Used(60), Used(120), Furnished()], {}, [1, 2, 3, 4], Release(31)),
        # The time is unknown: nothing is furnished.
        ([Used(), Used()], {}, [1, 2, 3, 4], Release(31)),
        ([Used(60), Ended(80)], {}, [1, 2, 5], Release(16)),
        ([NoAnswer()], {}, [1, 2, 6], Release(17)),
        ([ChargingFailed()], {}, [1, 2, 7], Release(38)),
    ],
    "menu.json": [
        ([Digits("1"), Answered()], {"draw": 0.59}, [1, 2, 3, 4], Finished()),
        ([Digits("1"), Busy(17)], {"draw": 0.59}, [1, 2, 3, 4, 6], OPERATOR),
        ([Digits("1")], {"draw": 0.6}, [1, 2, 3, 6], OPERATOR),
        ([Digits("2"), Digits("100")], {}, [1, 2, 5], Terminate("4329100", 15)),
        ([Digits("2"), Digits("100"), Busy()], {}, [1, 2, 5, 6], OPERATOR),
        ([Digits("2"), *[NoDigits()] * 3], {}, [1, 2, 5, 8], Release(28)),
        ([Digits("2"), Digits("500"), Played()], {}, [1, 2, 5, 7, 9], Release(17)),
        ([Digits("0")], {}, [1, 2, 6], OPERATOR),
        ([NoDigits()], {}, [1, 2, 6], OPERATOR),
        ([Digits("9"), Digits("9")], {}, [1, 2, 8], Release(28)),
        (
            [Digits("9"), Digits("0"), NoAnswer(), Played()],
            {},
            [1, 2, 6, 7, 9],
            Release(17),
        ),
    ],
    "business_hours.json": [
        ([Answered()], FRIDAY_NINE, [1, 2, 3], Finished()),
        ([NoAnswer()], FRIDAY_NINE, [1, 2, 3, 6], NIGHT),
        ([Busy(), Played()], FRIDAY_NINE, [1, 2, 3, 4, 5], Pause(10)),
        ([Busy(), Played(), PauseOver()], FRIDAY_NINE, [1, 2, 3, 4, 5, 6], NIGHT),
        # Friday 08:30 is open, 17:00 is closed, and Friday has no night.
        ([], at("2026-11-19 19:30"), [1, 2, 3], Terminate("4329200", 15)),
        ([Played()], at("2026-11-20 04:00"), [1, 2, 7, 9], Release(31)),
        # Friday 07:00 is the night of Thursday; Saturday; then three kinds of holidays.
        ([Busy(), Busy(), Played()], at("2026-11-19 18:00"), [1, 2, 6, 7, 9], Release(31)),
        ([Played()], at("2026-11-21 00:00"), [1, 2, 7, 9], Release(31)),
        ([Played()], at("2026-12-27 20:00"), [1, 2, 8, 9], Release(31)),
        ([Played()], at("2027-01-01 12:00"), [1, 2, 8, 9], Release(31)),
        ([Played()], at("2026-04-24 21:00"), [1, 2, 8, 9], Release(31)),
    ],
    "number_matching.json": [
        ([Digits("101234")], {"called": "0900"}, [1, 2, 3, 4, 9, 10], UNWATCHED),
        ([Digits("20123401")], {}, [1, 2, 3, 4, 9, 11, 12], FREE),
        ([], {"calling": "4329100"}, [1, 2, 9, 11, 12], FREE),
        ([Digits("100000")], {"calling": "4329911"}, [1, 2, 3, 4, 9, 11, 12], FREE),
        ([Digits("101234"), Busy(17)], {}, [1, 2, 3, 4, 9, 11, 12, 8], Release(21)),
        ([NoDigits(), Digits("12345")], {}, [1, 2, 3, 4, 8], Release(21)),
        (
            [Digits("999999"), Played(), NoDigits(), Digits("104321")],
            {},
            [1, 2, 3, 4, 5, 6, 7, 3, 4, 9, 11, 12],
            FREE,
        ),
        (
            [
                Digits("999999"),
                Played(),
                Digits("25123401"),
                Played(),
                Digits("9999999"),
            ],
            {},
            [1, 2, *THREE_TIMES, 8],
            Release(21),
        ),
        # If nothing is entered in the second try, the account of the first try is gone.
        (
            [Digits("999999"), Played(), NoDigits(), NoDigits()],
            {},
            [1, 2, 3, 4, 5, 6, 7, 3, 4, 8],
            Release(21),
        ),
    ],
}

# Exits that no call can take, and why.
IDLE = {
    ("number_matching.json", 10, 0),  # final connect: no failure is reported
    ("number_matching.json", 11, 0),  # the switch is set to 1
}


def walked(flows, name, events, facts):
    """Return (run, actions) of a sample after the events."""
    run = flows.run(flows.example(name), **facts)
    return run, flows.walk(run, *events)


@pytest.mark.parametrize(
    ("name", "events", "facts", "ids", "end"),
    [(name, *walk) for name, walks in WALKS.items() for walk in walks],
)
def test_way_through_a_sample(flows, name, events, facts, ids, end):
    run, actions = walked(flows, name, events, facts)
    assert [step.operation_id for step in run.path] == ids
    assert actions[-1] == end


@pytest.mark.parametrize("name", WALKS)
def test_every_exit_is_taken(flows, name):
    steps = set()
    for events, facts, _, _ in WALKS[name]:
        run, _ = walked(flows, name, events, facts)
        steps |= {(name, step.operation_id, step.exit_index) for step in run.path}
    there = {
        (name, operation.id, index)
        for operation in run.flow.operations.values()
        for index in range(len(operation.exits))
    }
    assert there - steps == IDLE & there
    assert not steps & IDLE


def test_menu_asks_for_one_key_within_its_own_time(flows):
    _, (prompt,) = walked(flows, "menu.json", [], {})
    assert isinstance(prompt, Collect)
    assert (prompt.max_digits, prompt.first_digit_timeout_s) == (1, 5)


def test_what_callers_hear_while_and_after_the_desk_is_busy(flows):
    events = [Busy(17), Played(), PauseOver(), Busy(), NoAnswer(), Played()]
    _, actions = walked(flows, "business_hours.json", events, FRIDAY_NINE)
    heard = [one.announcement.message_id for one in actions if isinstance(one, Play)]
    assert heard == [132, 130]
    tried = [one.destination for one in actions if isinstance(one, Terminate)]
    assert tried == ["4329200", "4329911", "4329912"]


def test_the_last_connect_of_number_matching_is_final(flows):
    run, _ = walked(flows, "number_matching.json", [Digits("101234")], {"called": "0900"})
    assert run.outcome is FlowEnd.CONNECTED
