"""ExtensionDialing against an independent model of its rules: thousands of random calls.

TSVC_MODEL_CALLS sets the number (default 2000), TSVC_MODEL_SEED the seed (any text). A failure
names the seed and the group of calls; TSVC_MODEL_GROUP runs that group alone.
"""

import os
from collections import Counter
from dataclasses import replace

import pytest

from model import configurations, doings
from model.comparison import differences, play, random_group
from model.configurations import MAIN, Announcement, Configuration, Site, is_matched
from model.doings import (
    ConnectError,
    Digits,
    HangUp,
    LastWords,
    PromptError,
    Report,
    Silence,
    StrayOperation,
    StrayResult,
)
from model.reference_model import FlowEnd, predict

CALLS = int(os.environ.get("TSVC_MODEL_CALLS", "2000"))
SEED = os.environ.get("TSVC_MODEL_SEED", "tsvc")
GROUP = os.environ.get("TSVC_MODEL_GROUP")
PARTS = 10


def _failure(number, group, found):
    command = f"TSVC_MODEL_SEED={SEED} TSVC_MODEL_GROUP={number} python -m pytest tests/model"
    return "\n".join([*found, "", f"{group.configuration}", "", f"again: {command}"])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(PARTS if GROUP is None else 1))
def test_scp_does_what_the_model_says(part):
    number = part if GROUP is None else int(GROUP)
    calls = 0
    while calls < CALLS / PARTS:
        group = random_group(SEED, number)
        calls += len(group.scripts)
        found = differences(group, play(group))
        assert not found, _failure(number, group, found)
        if GROUP is not None:
            break
        number += PARTS


def test_random_calls_reach_every_rule():
    """An unreached rule is not tested: 2,000 callers must meet each rule several times."""
    met = Counter()
    calls = number = 0
    while calls < 2000:
        group = random_group("reach", number)
        number += 1
        configuration = group.configuration
        for script, model in zip(group.scripts, group.predictions, strict=True):
            calls += 1
            met[configuration.variant] += 1
            met[model.outcome] += 1
            met["terminating"] += configuration.is_terminating
            if model.exit_index is not None:
                attached = configuration.is_attached[model.exit_index]
                met["exit", model.exit_index, attached] += 1
            met["attempt", model.attempt] += 1
            met["final", configuration.site.final_connect] += model.outcome is FlowEnd.CONNECTED
            met["prearranged"] += configuration.site.end == "prearranged"
            for message in model.heard:
                met[message.type] += 1
                met.update(part.name for part in message.parts)
            met.update({type(doing) for doing in script})
            met["deaf"] += not model.answers and model.outcome is FlowEnd.ABANDONED
            met["ring guard"] += _is_disarmed_at_the_end(model)
    rules = {
        *("cs1", "camel1", "camel2", "camel3", "camel4", "terminating", "prearranged"),
        *(outcome for outcome in FlowEnd if outcome is not FlowEnd.OPEN),
        *(("exit", 0, True), ("exit", 1, True), ("exit", 1, False)),
        *(("exit", 2, True), ("exit", 2, False)),
        *(("attempt", at) for at in range(1, 6)),
        *(("final", "end"), ("final", "continue")),
        *("CONTINUE", "END", "P-ABORT unrecognizedTransactionID", "AARE"),
        *("PromptAndCollectUserInformation", "DisconnectForwardConnection", "Connect"),
        *("ReleaseCall", "ResetTimer", "ActivityTest", "ReturnError 14"),
        *("Reject return result problem unrecognizedInvokeID",),
        *("Reject invoke problem unrecognizedOperation",),
        *(Digits, PromptError, ConnectError, Report, HangUp, Silence),
        *(StrayResult, StrayOperation, "deaf", "ring guard"),
    }
    assert {rule: met[rule] for rule in rules if met[rule] < 5} == {}
    assert met[FlowEnd.OPEN] == 0


def _is_disarmed_at_the_end(model):
    last = model.heard[-1]
    return last.type == "END" and [part.name for part in last.parts] == ["RequestReportBCSMEvent"]


@pytest.mark.parametrize("number", range(20))
def test_printed_calls_play_again(number):
    group = random_group("print", number)
    names = {**vars(doings), **vars(configurations)}
    again = eval(repr((group.configuration, group.scripts)), names)
    assert again == (group.configuration, group.scripts)


# One call in which every number is visible; the tests make them wrong one by one.
ANNOUNCEMENT = Announcement(*MAIN, repetition=2, flow_id=101, site_id=None)
CONFIGURATION = Configuration(
    site=Site(),
    variant="camel2",
    has_aarq=True,
    trigger_event=2,
    capabilities_hex=None,
    main=ANNOUNCEMENT,
    reprompt=replace(ANNOUNCEMENT, entry="Try Again", flow_id=102),
    max_iterations=2,
    prefix="4329",
    min_digits=3,
    max_digits=4,
    timeout_seconds=20,
    end_character=None,
    cancel_character=None,
    patterns=("4329[1-3]??",),
    pattern_syntax=None,
    no_match=None,
    is_attached=(True, True, True),
)
CALLED_BUSY = [Digits(3.0, "12"), Digits(6.0, "123c"), Report(9.0, 5)]
MISTAKES = {
    "repetition": replace(CONFIGURATION, main=replace(ANNOUNCEMENT, repetition=3)),
    "message id": replace(CONFIGURATION, reprompt=replace(ANNOUNCEMENT, flow_id=103)),
    "max_iterations": replace(CONFIGURATION, max_iterations=1),
    "prefix": replace(CONFIGURATION, prefix="4328", patterns=None),
    "min_digits": replace(CONFIGURATION, min_digits=2, prefix="43290"),
    "max_digits": replace(CONFIGURATION, max_digits=5),
    "timeout_seconds": replace(CONFIGURATION, timeout_seconds=21),
    "end_character": replace(CONFIGURATION, end_character="none"),
    "cancel_character": replace(CONFIGURATION, cancel_character="none"),
    "patterns": replace(CONFIGURATION, patterns=("4329[2-3]??",)),
    "exits": replace(CONFIGURATION, is_attached=(False, True, True)),
    "context": replace(CONFIGURATION, variant="camel3"),
    "dialogue portion": replace(CONFIGURATION, has_aarq=False),
    "half of the call": replace(CONFIGURATION, trigger_event=12),
    "digit time": replace(CONFIGURATION, site=Site(inter_digit_timeout_s=6)),
}


def _group_of(configuration, script):
    group = random_group("any", 0)
    return replace(group, configuration=configuration, scripts=(script,), starts=(0.0,))


def test_model_and_scp_agree_before_the_mistake():
    group = _group_of(CONFIGURATION, CALLED_BUSY)
    assert differences(group, play(group)) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_comparison_sees_a_mistake(mistake):
    """An SCP with one wrong number must be detected; otherwise agreement above means nothing."""
    played = play(_group_of(MISTAKES[mistake], CALLED_BUSY))
    assert differences(_group_of(CONFIGURATION, CALLED_BUSY), played)


def test_model_follows_the_example_of_a_busy_line():
    """The model itself, compared with the text's table, which is written out here by hand."""
    model = predict(CONFIGURATION, CALLED_BUSY)
    assert [
        (message.at, message.type, [part.name for part in message.parts])
        for message in model.heard
    ] == [
        (
            0.0,
            "CONTINUE",
            [
                "AARE",
                "RequestReportBCSMEvent",
                "ConnectToResource",
                "PromptAndCollectUserInformation",
            ],
        ),
        (3.0, "CONTINUE", ["PromptAndCollectUserInformation"]),
        (
            6.0,
            "CONTINUE",
            ["DisconnectForwardConnection", "RequestReportBCSMEvent", "Connect"],
        ),
        (9.0, "END", ["ReleaseCall"]),
    ]
    assert (model.exit_index, model.path) == (0, [1, 2, 3])


@pytest.mark.parametrize(
    "answer",
    [Digits(3.0, "123"), Digits(3.0, "1"), PromptError(3.0, 0)],
    ids=["digits", "too few digits", "canceled"],
)
def test_caller_who_leaves_in_the_same_message_is_left_alone(answer):
    """If the caller leaves at any time: no exit, no further operation, an empty TC-END."""
    group = _group_of(CONFIGURATION, [LastWords(3.0, answer, event=10)])
    found = differences(group, play(group))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("destination", "pattern", "syntax", "fits"),
    [
        ("4329123", "43291??", None, True),
        ("4329223", "43291??", None, False),
        ("43291234", "43291??", None, False),  # the whole number
        ("4329599", "4329[58]%99", None, True),
        ("432999", "4329[58]%99", None, True),  # none of the preceding
        ("4329800", "4329[^1-5]0<2>", None, True),
        ("4329121", "4329(12)<1:2>1", None, True),
        ("4329000", "4329.<1:2>", None, False),
        ("4329*00", "4329*00", None, True),  # a key, not a wildcard
        ("4329000", "4329*00", None, False),
        ("4329123", "4329[0-9]{3}", "regex", True),
    ],
)
def test_patterns_as_the_model_reads_them(destination, pattern, syntax, fits):
    assert is_matched(destination, (pattern,), syntax) is fits
