"""Menu: every config rule with its message, every exit, and the prompt after each entry."""

import pytest

from tsvc.config.scp_tables import Scp
from tsvc.flow.call import Collect, NoDigits, Play, Played, Release
from tsvc.flow.call import EnteredDigits as Digits
from tsvc.flow.engine import FlowEnd

CONFIG = "flow.operations.2.config."
SITE = Scp(announcements={"S": {"main": 101, "timeout": 102, "bad": 103}})
GOOD = {
    "main_announcement": {"set": "S", "entry": "main"},
    "timeout_announcement": {"set": "S", "entry": "timeout"},
    "bad_digit_announcement": {"set": "S", "entry": "bad"},
    "digits": [{"digit": "1", "exit_idx": 1}, {"digit": "*", "exit_idx": 2}],
}
WITH_TIMEOUT = [{"digit": "1", "exit_idx": 1}, {"digit": "T", "exit_idx": 3}]
NONE_EXIT = Release(1)


def menu(flows, exits=None, **changes):
    config = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return flows.document("Menu", config, exits)


def one(**members):
    return {"digits": [{"digit": "1", "exit_idx": 1, **members}]}


RULES = [
    ({"main_announcement": None}, "main_announcement", "is required"),
    ({"timeout_announcement": None}, "timeout_announcement", "is required"),
    ({"bad_digit_announcement": None}, "bad_digit_announcement", "is required"),
    (
        {"bad_digit_announcement": []},
        "bad_digit_announcement",
        "must be an announcement object, not an array",
    ),
    ({"timeout_announcement": {"set": "S"}}, "timeout_announcement.entry", "is required"),
    ({"max_iterations": 0}, "max_iterations", "must be at least 1, not 0"),
    ({"repeat_main": 2}, "repeat_main", "must be 0 to 1, not 2"),
    ({"repeat_main": True}, "repeat_main", "must be an integer, not the boolean true"),
    ({"first_digit_timeout": 0}, "first_digit_timeout", "must be 1 to 127, not 0"),
    ({"first_digit_timeout": 128}, "first_digit_timeout", "must be 1 to 127, not 128"),
    ({"digits": None}, "digits", "is required"),
    ({"digits": "12"}, "digits", 'must be an array of choices, not the string "12"'),
    ({"digits": []}, "digits", "must hold at least one choice"),
    ({"digits": ["1"]}, "digits.0", 'must be an object, not the string "1"'),
    ({"digits": [{"exit_idx": 1}]}, "digits.0.digit", "is required"),
    ({"digits": [{"digit": "1"}]}, "digits.0.exit_idx", "is required"),
    (one(digit=1), "digits.0.digit", "must be a string, not the integer 1"),
    (one(digit=""), "digits.0.digit", "must not be empty"),
    (one(digit="12"), "digits.0.digit", 'must be one of 0-9, * and #, or T, not the string "12"'),
    (one(digit="A"), "digits.0.digit", 'must be one of 0-9, * and #, or T, not the string "A"'),
    (
        one(exit_idx=4),
        "digits.0.exit_idx",
        "there is no exit 4; the operation has 4, counted from 0",
    ),
    (
        one(exit_idx="1"),
        "digits.0.exit_idx",
        'must be the index of an exit, not the string "1"',
    ),
    (one(exit=1), "digits.0.exit", 'unknown member; did you mean "exit_idx"?'),
    (
        {"digits": [{"digit": "1", "exit_idx": 1}, {"digit": "1", "exit_idx": 2}]},
        "digits.1.digit",
        '"1" is in digits.0 already',
    ),
    ({"repeat": 1}, "repeat", 'unknown member; did you mean "repeat_main"?'),
]


@pytest.mark.parametrize(("changes", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, changes, member, text):
    problems = flows.problems(menu(flows, **changes), SITE)
    assert problems == [(CONFIG + member, text, "error")]


def test_at_least_one_exit(flows):
    problems = flows.problems(menu(flows, [], digits=[{"digit": "1", "exit_idx": 0}]), SITE)
    assert ("flow.operations.2.exits", "Menu has at least 1 exit, not 0", "error") in problems


def test_prompt_takes_one_key_and_no_control_key(flows):
    prompt = flows.run(menu(flows), SITE).start()
    assert isinstance(prompt, Collect)
    assert (prompt.min_digits, prompt.max_digits) == (1, 1)
    assert (prompt.end_character, prompt.cancel_character) == ("none", "none")
    assert prompt.first_digit_timeout_s is None


@pytest.mark.parametrize(("key", "exit_index"), [("1", 1), ("*", 2)])
def test_key_takes_its_exit(flows, key, exit_index):
    run = flows.run(menu(flows), SITE)
    assert flows.walk(run, Digits(key))[-1] == Release(exit_index + 1)
    assert run.path[1].exit_name == f"Exit {exit_index}"


@pytest.mark.parametrize("key", ["2", "#", "11", "T", "x"])
def test_other_keys_are_bad(flows, key):
    run = flows.run(menu(flows), SITE)
    prompts = flows.walk(run, Digits(key), Digits("1"))[:2]
    assert [prompt.announcement.message_id for prompt in prompts] == [101, 103]


@pytest.mark.parametrize("nothing", [NoDigits("timer"), Digits("")])
def test_no_key_prompts_with_the_timeout_announcement(flows, nothing):
    run = flows.run(menu(flows), SITE)
    prompts = flows.walk(run, nothing, Digits("1"))[:2]
    assert [prompt.announcement.message_id for prompt in prompts] == [101, 102]


def test_attempts_used_up_take_exit_0(flows):
    run = flows.run(menu(flows), SITE)
    actions = flows.walk(run, Digits("9"), NoDigits(), Digits("9"))
    assert [action.announcement.message_id for action in actions[:3]] == [101, 103, 102]
    assert actions[3] == NONE_EXIT
    assert (flows.path(run)[1], run.path[1].exit_name) == ((2, 0), "None")


def test_max_iterations_counts_the_first_prompt(flows):
    run = flows.run(menu(flows, max_iterations=1), SITE)
    assert flows.walk(run, Digits("9"))[-1] == NONE_EXIT


def test_key_of_an_exit_without_an_operation_is_bad(flows):
    run = flows.run(menu(flows, [10, None, 12, None], max_iterations=1), SITE)
    assert flows.walk(run, Digits("1"))[-1] == NONE_EXIT


def test_no_key_takes_the_exit_of_t_at_once(flows):
    document = menu(flows, digits=WITH_TIMEOUT, first_digit_timeout=4)
    run = flows.run(document, SITE)
    prompt, end = flows.walk(run, NoDigits())
    assert (prompt.first_digit_timeout_s, end) == (4, Release(4))


def test_a_reported_letter_t_is_a_bad_key_not_a_timeout(flows):
    run = flows.run(menu(flows, digits=WITH_TIMEOUT, max_iterations=1), SITE)
    assert flows.walk(run, Digits("T"))[-1] == NONE_EXIT


@pytest.mark.parametrize(
    ("digits", "exits"), [(GOOD["digits"], None), (WITH_TIMEOUT, [10, 11, 12, None])]
)
def test_timeout_without_an_exit_for_t_is_warned_of(flows, digits, exits):
    document = menu(flows, exits, digits=digits, first_digit_timeout=4)
    text = "without effect: T has no exit with an operation"
    problems = [one for one in flows.problems(document, SITE) if "unreachable" not in one[1]]
    assert problems == [(CONFIG + "first_digit_timeout", text, "warning")]
    assert flows.run(document, SITE).start().first_digit_timeout_s is None


def test_main_announcement_can_be_repeated(flows):
    run = flows.run(menu(flows, repeat_main=1), SITE)
    actions = flows.walk(run, NoDigits(), Played(), Digits("9"), Played(), Digits("1"))
    assert [type(action) for action in actions[:5]] == [Collect, Play, Collect, Play, Collect]
    assert [action.announcement.message_id for action in actions[:5]] == [101, 101, 102, 101, 103]
    assert actions[5] == Release(2)


def test_hang_up_takes_no_exit(flows):
    run = flows.run(menu(flows), SITE)
    run.start()
    run.stop("abandoned")
    assert run.outcome is FlowEnd.STOPPED
    assert flows.path(run) == [(1, 0), (2, None)]
