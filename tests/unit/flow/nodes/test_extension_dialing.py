"""ExtensionDialing: every config rule with its message, and every course of a call."""

import pytest

from tsvc.config.scp_tables import Scp
from tsvc.flow.call import (
    Answered,
    Busy,
    Collect,
    Finished,
    NoAnswer,
    NoDigits,
    Release,
    RouteSelectFailure,
    Terminate,
)
from tsvc.flow.call import (
    EnteredDigits as Digits,
)
from tsvc.flow.engine import FlowEnd

CONFIG = "flow.operations.2.config."
GOOD = Digits("100")
SHORT = Digits("10")
UNKNOWN = Digits("200")

# Exit n of the tested operation leads to ReleaseCall with cause n + 1.
BUSY_NO_ANSWER, INSUFFICIENT, NO_MATCH = Release(1), Release(2), Release(3)

RULES = [
    ({"main_announcement": None}, "main_announcement", "is required"),
    ({"reprompt_announcement": None}, "reprompt_announcement", "is required"),
    (
        {"main_announcement": "hello"},
        "main_announcement",
        'must be an announcement object, not the string "hello"',
    ),
    ({"main_announcement": {"entry": "main"}}, "main_announcement.set", "is required"),
    ({"main_announcement": {"set": "S"}}, "main_announcement.entry", "is required"),
    (
        {"reprompt_announcement": {"set": "", "entry": "again"}},
        "reprompt_announcement.set",
        "must not be empty",
    ),
    (
        {"main_announcement": {"set": "S", "entry": "main", "repetition": 0}},
        "main_announcement.repetition",
        "must be 1 to 127, not 0",
    ),
    ({"max_iterations": 0}, "max_iterations", "must be at least 1, not 0"),
    (
        {"max_iterations": "3"},
        "max_iterations",
        'must be an integer, not the string "3"',
    ),
    ({"max_iterations": True}, "max_iterations", "must be an integer, not the boolean true"),
    ({"prefix": None}, "prefix", "is required"),
    ({"prefix": ""}, "prefix", "must not be empty"),
    ({"prefix": 4329}, "prefix", "must be a string, not the integer 4329"),
    ({"prefix": "43x9"}, "prefix", 'must be digits (0-9, A-F), not the string "43x9"'),
    ({"min_digits": None}, "min_digits", "is required"),
    ({"max_digits": None}, "max_digits", "is required"),
    ({"min_digits": 0}, "min_digits", "must be 1 to 5, not 0"),
    ({"min_digits": 3.0}, "min_digits", "must be an integer, not the number 3.0"),
    ({"max_digits": 6}, "max_digits", "must be 1 to 5, not 6"),
    ({"min_digits": 5}, "min_digits", "must be at most max_digits (4), not 5"),
    (
        {"prefix": "432"},
        "prefix",
        "prefix (3 digits) and min_digits (3) make a Final Destination of 6 digits;"
        " at least 7 are needed",
    ),
    ({"timeout_seconds": -1}, "timeout_seconds", "must be at least 0, not -1"),
    ({"timeout_seconds": "9"}, "timeout_seconds", 'must be an integer, not the string "9"'),
    (
        {"end_character": "#"},
        "end_character",
        'must be "default" or "none", not the string "#"',
    ),
    (
        {"cancel_character": 1},
        "cancel_character",
        'must be "default" or "none", not the integer 1',
    ),
    (
        {"destination_patterns": "43291??"},
        "destination_patterns",
        'must be an array of patterns, not the string "43291??"',
    ),
    (
        {"destination_patterns": []},
        "destination_patterns",
        "must hold at least one pattern",
    ),
    (
        {"destination_patterns": ["43291??", 5]},
        "destination_patterns.1",
        "must be a pattern string, not the integer 5",
    ),
    (
        {"destination_patterns": ["4329[1??"]},
        "destination_patterns.0",
        "column 7: '?' stands for any character and makes no sense in a class".replace("'", '"'),
    ),
    ({"no_match": "never"}, "no_match", 'must be "exit" or "reprompt", not the string "never"'),
    ({"max_iteration": 2}, "max_iteration", 'unknown member; did you mean "max_iterations"?'),
]


@pytest.mark.parametrize(("changes", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, changes, member, text):
    assert flows.problems(flows.extension(**changes)) == [(CONFIG + member, text, "error")]


@pytest.mark.parametrize("member", ["min_digits", "timeout_seconds", "destination_patterns"])
def test_null_is_not_absence(flows, member):
    document = flows.extension()
    document["operations"]["2"]["config"][member] = None
    assert (CONFIG + member, "must not be null", "error") in flows.problems(document)


def test_all_rules_are_reported_at_once(flows):
    document = flows.extension(max_iterations=0, prefix="1", end_character="#", bogus=1)
    members = [path.removeprefix(CONFIG) for path, _, _ in flows.problems(document)]
    assert members == ["bogus", "end_character", "max_iterations", "prefix"]


@pytest.mark.parametrize("exits", [[], [10], [10, 11], [10, 11, 12, 13]])
def test_exactly_three_exits(flows, exits):
    text = (
        "ExtensionDialing has exactly 3 exits (0 Busy/NoAnswer, 1 Insufficient Digits,"
        f" 2 No Match), not {len(exits)}"
    )
    assert ("flow.operations.2.exits", text, "error") in flows.problems(flows.extension(exits))


def test_seven_digits_are_enough_and_both_limits_may_be_equal(flows):
    assert flows.problems(flows.extension(prefix="4329", min_digits=3, max_digits=3)) == []
    assert flows.problems(flows.extension(prefix="43", min_digits=5, max_digits=5)) == []


def test_defaults(flows):
    run = flows.run(flows.extension())
    prompt, attempt = flows.walk(run, GOOD)
    assert isinstance(prompt, Collect)
    assert (prompt.min_digits, prompt.max_digits) == (3, 4)
    assert (prompt.end_character, prompt.cancel_character) == ("default", "default")
    assert (prompt.announcement.message_id, prompt.announcement.repetition) == (101, 1)
    assert attempt == Terminate("4329100", ring_seconds=15, wants_failures=True)


def test_members_reach_the_actions(flows):
    document = flows.extension(
        end_character="none",
        cancel_character="none",
        timeout_seconds=20,
        main_announcement={"set": "S", "entry": "main", "repetition": 2},
    )
    prompt, attempt = flows.walk(flows.run(document), GOOD)
    assert (prompt.end_character, prompt.cancel_character) == ("none", "none")
    assert prompt.announcement.repetition == 2
    assert attempt.ring_seconds == 20


def test_timeout_zero_is_the_sites_default(flows):
    settings = Scp(announcements=flows.settings.announcements, no_answer_seconds=33)
    run = flows.run(flows.extension(timeout_seconds=0), settings)
    assert flows.walk(run, GOOD)[-1].ring_seconds == 33


@pytest.mark.parametrize(("digits", "is_warned"), [(28, False), (29, True)])
def test_a_destination_that_cap_can_not_say_is_a_warning(flows, digits, is_warned):
    document = flows.extension(prefix="4" * digits, max_digits=4)
    text = "33 digits to connect to; CAP has 32 at most"
    assert flows.problems(document) == [(CONFIG + "prefix", text, "warning")] * is_warned


def test_timeout_is_clamped_with_a_warning(flows):
    document = flows.extension(timeout_seconds=301)
    text = "301 s is longer than this site allows; 300 s is used"
    assert flows.problems(document) == [(CONFIG + "timeout_seconds", text, "warning")]
    assert flows.walk(flows.run(document), GOOD)[-1].ring_seconds == 300
    assert flows.problems(flows.extension(timeout_seconds=300)) == []


def test_answered_finishes_the_flow_without_an_exit(flows):
    run = flows.run(flows.extension())
    actions = flows.walk(run, GOOD, Answered())
    assert actions[-1] == Finished()
    assert (run.outcome, run.is_over) == (FlowEnd.ANSWERED, True)
    assert flows.path(run) == [(1, 0), (2, None)]


@pytest.mark.parametrize("failure", [Busy(17), NoAnswer(), RouteSelectFailure(3)])
def test_failed_attempt_takes_exit_0(flows, failure):
    run = flows.run(flows.extension())
    assert flows.walk(run, GOOD, failure)[-1] == BUSY_NO_ANSWER
    assert flows.path(run) == [(1, 0), (2, 0), (10, None)]
    assert run.path[1].exit_name == "Busy/NoAnswer"


BAD_ENTRIES = [
    SHORT,
    Digits(""),
    Digits("10000"),  # more digits than requested are not accepted either
    Digits("1*0"),
    Digits("10B"),
    Digits("١٢٣"),  # decimal digits that no telephone has
    NoDigits("timer"),
    NoDigits("ImproperCallerResponse"),
]


@pytest.mark.parametrize("entry", BAD_ENTRIES)
def test_bad_entry_prompts_again(flows, entry):
    main, reprompt, attempt = flows.walk(flows.run(flows.extension()), entry, GOOD)
    assert (main.announcement.message_id, reprompt.announcement.message_id) == (101, 102)
    assert attempt == Terminate("4329100", 15)


@pytest.mark.parametrize("entry", BAD_ENTRIES)
def test_three_bad_entries_take_exit_1(flows, entry):
    run = flows.run(flows.extension())
    actions = flows.walk(run, entry, entry, entry)
    assert [action.announcement.message_id for action in actions[:3]] == [101, 102, 102]
    assert actions[3] == INSUFFICIENT
    assert flows.path(run) == [(1, 0), (2, 1), (11, None)]


def test_max_iterations_counts_the_first_prompt(flows):
    assert flows.walk(flows.run(flows.extension(max_iterations=1)), SHORT)[-1] == INSUFFICIENT


def test_no_match_takes_exit_2_at_once(flows):
    run = flows.run(flows.extension())
    assert flows.walk(run, UNKNOWN)[-1] == NO_MATCH
    assert flows.path(run) == [(1, 0), (2, 2), (12, None)]


def test_no_match_after_insufficient_takes_exit_2_at_once(flows):
    assert flows.walk(flows.run(flows.extension()), SHORT, UNKNOWN)[-1] == NO_MATCH


def test_whole_final_destination_is_matched_not_the_entry(flows):
    document = flows.extension(destination_patterns=["1??"])
    assert flows.walk(flows.run(document), GOOD)[-1] == NO_MATCH
    document = flows.extension(destination_patterns=["9%", "43291??"])
    assert flows.walk(flows.run(document), GOOD)[-1] == Terminate("4329100", 15)


def test_without_patterns_every_extension_is_allowed(flows):
    document = flows.extension(destination_patterns=None)
    assert flows.walk(flows.run(document), Digits("9999"))[-1] == Terminate("43299999", 15)


REPROMPT_ENDS = [
    ((UNKNOWN, UNKNOWN, UNKNOWN), NO_MATCH),
    ((SHORT, SHORT, UNKNOWN), NO_MATCH),
    ((UNKNOWN, UNKNOWN, SHORT), INSUFFICIENT),
    ((UNKNOWN, NoDigits(), NoDigits()), INSUFFICIENT),
    ((NoDigits(), UNKNOWN, GOOD), Terminate("4329100", 15)),
]


@pytest.mark.parametrize(("entries", "end"), REPROMPT_ENDS)
def test_with_reprompt_the_latest_failure_decides(flows, entries, end):
    document = flows.extension(no_match="reprompt")
    assert flows.walk(flows.run(document), *entries)[-1] == end


def test_site_decides_on_no_match_unless_the_flow_does(flows):
    site = Scp(announcements=flows.settings.announcements, no_match="reprompt")
    assert isinstance(flows.walk(flows.run(flows.extension(), site), UNKNOWN)[-1], Collect)
    run = flows.run(flows.extension(no_match="exit"), site)
    assert flows.walk(run, UNKNOWN)[-1] == NO_MATCH


@pytest.mark.parametrize("events", [(), (SHORT,), (SHORT, NoDigits()), (GOOD,)])
def test_hang_up_takes_no_exit_at_any_step(flows, events):
    run = flows.run(flows.extension())
    flows.walk(run, *events)
    run.stop("abandoned")
    assert (run.outcome, run.stop_reason) == (FlowEnd.STOPPED, "abandoned")
    assert flows.path(run) == [(1, 0), (2, None)]
    assert run.resume(Busy()) == Finished()
    assert flows.path(run) == [(1, 0), (2, None)]


def test_null_exit_0_makes_the_connect_final(flows):
    run = flows.run(flows.extension([None, 11, 12], timeout_seconds=20))
    attempt = flows.walk(run, GOOD)[-1]
    assert attempt == Terminate("4329100", ring_seconds=None, wants_failures=False)
    assert (run.is_over, run.outcome) == (True, FlowEnd.CONNECTED)
    assert run.resume(Answered()) == Finished()
    assert run.outcome is FlowEnd.CONNECTED


@pytest.mark.parametrize("events", [(SHORT, SHORT, SHORT), (UNKNOWN,)])
def test_null_exits_1_and_2_release_the_caller(flows, events):
    run = flows.run(flows.extension([10, None, None]))
    assert flows.walk(run, *events)[-1] == Release(31)
    assert run.outcome is FlowEnd.END_OF_FLOW
    assert run.path[-1].exit_name in ("Insufficient Digits", "No Match")


def test_calls_of_one_flow_do_not_disturb_each_other(flows):
    document = flows.extension()
    first = flows.run(document)
    second = type(first)(first.flow, flows.call())
    first.start()
    second.start()
    assert first.resume(SHORT).announcement.message_id == 102
    assert second.resume(GOOD) == Terminate("4329100", 15)
    assert first.resume(Digits("1999")) == NO_MATCH
