"""SetBuffer: rules, texts and copies."""

import pytest

from tsvc.flow.call import Release

CONFIG = "flow.operations.2.config."
GOOD = {"buffer": "user.a", "value": "12"}

RULES = [
    ({"value": "12"}, "buffer", "is required"),
    (
        {**GOOD, "buffer": "system.dialled_number"},
        "buffer",
        '"system.dialled_number" can only be read; buffers to write are "user.…"',
    ),
    (
        {**GOOD, "buffer": "user.a b"},
        "buffer",
        'must be a buffer name such as "user.input", not the string "user.a b"',
    ),
    ({"buffer": "user.a"}, "value", "is required, or source_buffer instead"),
    ({**GOOD, "value": 12}, "value", "must be a string, not the integer 12"),
    ({**GOOD, "value": None}, "value", "must not be null"),
    ({**GOOD, "value": "1" * 65}, "value", "must have at most 64 characters, not 65"),
    ({**GOOD, "source_buffer": "user.b"}, "source_buffer", "can't be given together with value"),
    (
        {"buffer": "user.a", "source_buffer": "system.b"},
        "source_buffer",
        'no buffer is named "system.b"',
    ),
    ({**GOOD, "valeu": "1"}, "valeu", 'unknown member; did you mean "value"?'),
]


@pytest.mark.parametrize(("config", "member", "text"), RULES)
def test_each_rule_has_its_own_message(flows, config, member, text):
    problems = flows.problems(flows.document("SetBuffer", config))
    assert problems == [(CONFIG + member, text, "error")]


@pytest.mark.parametrize("value", ["12", "", "any text", "1" * 64])
def test_value_is_written(flows, value):
    run = flows.run(flows.document("SetBuffer", {**GOOD, "value": value}))
    assert run.start() == Release(1)
    assert run.call.buffers == {"user.a": value}
    assert run.path[1].exit_name == "Next"


@pytest.mark.parametrize(
    ("source", "copied"),
    [("user.b", "7"), ("user.c", ""), ("system.network_calling_party", "021")],
)
def test_buffer_is_copied(flows, source, copied):
    document = flows.document("SetBuffer", {"buffer": "user.a", "source_buffer": source})
    run = flows.run(document, buffers={"user.a": "1", "user.b": "7"})
    run.start()
    assert run.call.buffers == {"user.a": copied, "user.b": "7"}


def test_exactly_one_exit(flows):
    problems = flows.problems(flows.document("SetBuffer", GOOD, []))
    text = "SetBuffer has exactly 1 exit (0 Next), not 0"
    assert problems == [("flow.operations.2.exits", text, "error")]
