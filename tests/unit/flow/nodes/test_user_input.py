"""UserInput: every config rule with its message, every course of a call, and the buffer."""

import pytest

from tsvc.flow.call import Collect, NoDigits, Release
from tsvc.flow.call import EnteredDigits as Digits
from tsvc.flow.engine import FlowEnd

CONFIG = "flow.operations.2.config."
GOOD = {
    "main_announcement": {"set": "S", "entry": "main"},
    "reprompt_announcement": {"set": "S", "entry": "again"},
    "min_digits": 3,
    "max_digits": 5,
}
COLLECTED, NOT_COLLECTED = Release(1), Release(2)


def user_input(flows, **changes):
    config = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return flows.document("UserInput", config)


RULES = [
    ({"main_announcement": None}, "main_announcement", "is required"),
    ({"reprompt_announcement": None}, "reprompt_announcement", "is required"),
    (
        {"main_announcement": 7},
        "main_announcement",
        "must be an announcement object, not the integer 7",
    ),
    ({"max_iterations": 0}, "max_iterations", "must be at least 1, not 0"),
    ({"min_digits": None}, "min_digits", "is required"),
    ({"max_digits": None}, "max_digits", "is required"),
    ({"min_digits": 0}, "min_digits", "must be 1 to 20, not 0"),
    ({"max_digits": 21}, "max_digits", "must be 1 to 20, not 21"),
    ({"min_digits": 6}, "min_digits", "must be at most max_digits (5), not 6"),
    (
        {"end_character": "#"},
        "end_character",
        'must be "default" or "none", not the string "#"',
    ),
    (
        {"cancel_character": False},
        "cancel_character",
        'must be "default" or "none", not the boolean false',
    ),
    ({"buffer": ""}, "buffer", "must not be empty"),
    ({"buffer": 1}, "buffer", "must be a string, not the integer 1"),
    (
        {"buffer": "input"},
        "buffer",
        'must be a buffer name such as "user.input", not the string "input"',
    ),
    (
        {"buffer": "system.dialled_number"},
        "buffer",
        '"system.dialled_number" can only be read; buffers to write are "user.…"',
    ),
    ({"buffers": "user.input"}, "buffers", 'unknown member; did you mean "buffer"?'),
]


@pytest.mark.parametrize(("changes", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, changes, member, text):
    assert flows.problems(user_input(flows, **changes)) == [(CONFIG + member, text, "error")]


def test_exactly_two_exits(flows):
    text = "UserInput has exactly 2 exits (0 Collected, 1 Not Collected), not 1"
    problems = flows.problems(flows.document("UserInput", GOOD, [10]))
    assert problems == [("flow.operations.2.exits", text, "error")]


def test_members_reach_the_prompts(flows):
    document = user_input(flows, end_character="none", cancel_character="none")
    main, reprompt, _ = flows.walk(flows.run(document), NoDigits(), Digits("123"))
    assert isinstance(main, Collect)
    assert (main.min_digits, main.max_digits) == (3, 5)
    assert (main.end_character, main.cancel_character) == ("none", "none")
    assert (main.announcement.message_id, reprompt.announcement.message_id) == (101, 102)


@pytest.mark.parametrize("entry", ["123", "12345", "*1#", "A9F"])
def test_entry_is_kept(flows, entry):
    run = flows.run(user_input(flows))
    assert flows.walk(run, Digits(entry))[-1] == COLLECTED
    assert run.call.buffers == {"user.input": entry}
    assert run.path[1].exit_name == "Collected"


def test_entry_is_kept_where_the_flow_says(flows):
    run = flows.run(user_input(flows, buffer="user.account.number"))
    flows.walk(run, Digits("123"))
    assert run.call.buffers == {"user.account.number": "123"}


@pytest.mark.parametrize("entry", [Digits("12"), Digits("123456"), Digits("12x"), NoDigits()])
def test_bad_entries_use_the_attempts_up(flows, entry):
    run = flows.run(user_input(flows), buffers={"user.input": "before"})
    actions = flows.walk(run, entry, entry, entry)
    assert [action.announcement.message_id for action in actions[:3]] == [101, 102, 102]
    assert actions[3] == NOT_COLLECTED
    assert run.call.buffers == {"user.input": "before"}


def test_last_attempt_can_succeed(flows):
    run = flows.run(user_input(flows, max_iterations=2))
    assert flows.walk(run, NoDigits(), Digits("123"))[-1] == COLLECTED


def test_calls_do_not_share_buffers(flows):
    document = user_input(flows)
    first, second = flows.run(document), flows.run(document)
    flows.walk(first, Digits("111"))
    flows.walk(second, Digits("222"))
    assert (first.call.buffers, second.call.buffers) == (
        {"user.input": "111"},
        {"user.input": "222"},
    )


def test_hang_up_takes_no_exit(flows):
    run = flows.run(user_input(flows))
    run.start()
    run.stop("abandoned")
    assert run.outcome is FlowEnd.STOPPED
    assert flows.path(run) == [(1, 0), (2, None)]
    assert run.call.buffers == {}
