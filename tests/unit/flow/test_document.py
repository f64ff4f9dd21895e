"""Flow documents: all problems at once, each with its path, and no document raises an error."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsvc.config.scp_tables import Scp
from tsvc.errors import Problem
from tsvc.flow.document import compile_flow
from tsvc.flow.triggers import Trigger, TriggerKind

MAIN = {"set": "S", "entry": "main"}


def edited(flows, *path, value):
    """Return the extension document with one member set, or removed where value is ...."""
    document = flows.extension()
    place = document
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


PROBLEMS = [
    (("bogus",), 1, "bogus", "unknown member"),
    (("trigers",), [], "trigers", 'unknown member; did you mean "triggers"?'),
    (("name",), "", "name", 'must be a non-empty string, not the string ""'),
    (("name",), 5, "name", "must be a non-empty string, not the integer 5"),
    (("triggers",), {}, "triggers", "must be an array of triggers, not an object"),
    (
        ("triggers",),
        [{"default": True}, {"service_key": None}],
        "triggers.1.service_key",
        "must be an integer from 0 to 2147483647, not null",
    ),
    (
        ("pattern_syntax",),
        "perl",
        "pattern_syntax",
        'must be "acs" or "regex", not the string "perl"',
    ),
    (("pattern_syntax",), None, "pattern_syntax", 'must be "acs" or "regex", not null'),
    (("announcements",), [], "announcements", "must be an object of sets, not an array"),
    (
        ("announcements",),
        {"S": 1},
        "announcements.S",
        "must be an object of entries, not the integer 1",
    ),
    (
        ("announcements",),
        {"S": {"a": 1, "b": "2"}},
        "announcements.S.b",
        'must be a message id (0 to 2147483647), not the string "2"',
    ),
    (("operations", "10", "id"), ..., "operations.10.id", "is required"),
    (("operations", "10", "type"), ..., "operations.10.type", "is required"),
    (("operations", "10", "type"), ["x"], "operations.10.type", "must be a string, not an array"),
    (
        ("operations", "10", "type"),
        "Releasecall",
        "operations.10.type",
        'no operation type is named "Releasecall"; did you mean "ReleaseCall"?',
    ),
    (
        ("operations", "10", "type"),
        "Zzz",
        "operations.10.type",
        'no operation type is named "Zzz"',
    ),
    (("operations", "10", "exits"), ..., "operations.10.exits", "is required"),
    (
        ("operations", "10", "exits"),
        {},
        "operations.10.exits",
        "must be an array of operation ids and nulls, not an object",
    ),
    (("operations", "2", "exits", 1), 99, "operations.2.exits.1", "there is no operation 99"),
    pytest.param(
        ("operations", "2", "exits", 1),
        10**5000,
        "operations.2.exits.1",
        "there is no operation of very many digits",
        id="huge exit",
    ),
    (
        ("operations", "2", "exits", 1),
        "11",
        "operations.2.exits.1",
        'must be an operation id or null, not the string "11"',
    ),
    (
        ("operations", "2", "exits", 1),
        True,
        "operations.2.exits.1",
        "must be an operation id or null, not the boolean true",
    ),
    (("operations", "2", "config"), [], "operations.2.config", "must be an object, not an array"),
    (("operations", "2", "config"), None, "operations.2.config", "must be an object, not null"),
    (
        ("operations", "2", "base_node"),
        "7",
        "operations.2.base_node",
        'must be an integer, not the string "7"',
    ),
    (
        ("operations", "2", "exit"),
        [],
        "operations.2.exit",
        'unknown member; did you mean "exits"?',
    ),
    (("operations", "7"), [], "operations.7", "must be an object, not an array"),
]


@pytest.mark.parametrize(("path", "value", "place", "text"), PROBLEMS)
def test_each_problem_has_its_place_and_text(flows, path, value, place, text):
    found = flows.problems(edited(flows, *path, value=value))
    errors = [problem for problem in found if problem[2] == "error"]
    # Without its id, operation 10 is also missing as the target of an exit.
    assert errors[0] == ("flow." + place, text, "error")
    assert len(errors) == 1 or path[-1] == "id"


@pytest.mark.parametrize(
    ("given_id", "text"),
    [
        (11, 'must equal its key "10", not 11'),
        ("10", 'must be an integer from 0 to 2147483647, not the string "10"'),
        (True, "must be an integer from 0 to 2147483647, not the boolean true"),
        (-1, "must be an integer from 0 to 2147483647, not the integer -1"),
        pytest.param(
            10**5000,
            "must be an integer from 0 to 2147483647, not the integer of very many digits",
            id="huge id",
        ),
    ],
)
def test_id_equals_its_key(flows, given_id, text):
    document = edited(flows, "operations", "10", "id", value=given_id)
    assert ("flow.operations.10.id", text, "error") in flows.problems(document)


@pytest.mark.parametrize("key", ["010", "+10", " 10", "ten"])
def test_key_is_the_id_exactly(flows, key):
    document = flows.extension()
    document["operations"][key] = document["operations"].pop("10")
    text = f'must equal its key "{key}", not 10'
    assert (f"flow.operations.{key}.id", text, "error") in flows.problems(document)


@pytest.mark.parametrize(
    ("document", "path", "text"),
    [
        ([], "flow", "must be an object, not an array"),
        (None, "flow", "must be an object, not null"),
        ({}, "flow.operations", "is required"),
        ({"operations": 5}, "flow.operations", "must be an object or an array, not the integer 5"),
        ({"operations": {}}, "flow.operations", "there is no operation of type Start"),
        ({"operations": []}, "flow.operations", "there is no operation of type Start"),
    ],
)
def test_not_even_an_outline(flows, document, path, text):
    flow, problems = compile_flow(document, Scp())
    assert flow is None
    assert problems == [Problem(path, text)]


def test_two_starts(flows):
    document = edited(flows, "operations", "3", value={"id": 3, "type": "Start", "exits": [10]})
    text = "a flow has one Start, the first one is flow.operations.1"
    assert flows.problems(document) == [("flow.operations.3.type", text, "error")]


def test_unreachable_operations_are_warned_of_and_kept(flows):
    release = {"id": 3, "type": "ReleaseCall", "exits": []}
    document = edited(flows, "operations", "3", value=release)
    text = "unreachable: no exit on any way from Start leads here"
    assert flows.problems(document) == [("flow.operations.3", text, "warning")]
    flow, _ = compile_flow(document, flows.settings)
    assert flow is not None
    assert 3 in flow.operations


def test_nothing_is_called_unreachable_while_exits_cannot_be_read(flows):
    document = edited(flows, "operations", "2", "exits", 0, value="10")
    assert [path for path, _, _ in flows.problems(document)] == ["flow.operations.2.exits.0"]


def test_all_problems_at_once(flows):
    document = flows.extension(prefix="x", min_digits=9)
    document["operations"]["10"]["type"] = "Nothing"
    document["operations"]["2"]["exits"] = [10, 11]
    document["bogus"] = 1
    document["triggers"] = [{}]
    places = [path for path, _, severity in flows.problems(document) if severity == "error"]
    assert places == [
        "flow.bogus",
        "flow.triggers.0",
        "flow.operations.2.exits",
        "flow.operations.2.config.min_digits",
        "flow.operations.2.config.prefix",
        "flow.operations.10.type",
    ]


def test_operations_as_an_array_are_the_same_flow(flows):
    document = flows.extension()
    as_object, _ = compile_flow(document, flows.settings)
    document["operations"] = list(document["operations"].values())
    as_array, problems = compile_flow(document, flows.settings)
    assert problems == []
    assert as_array.operations.keys() == as_object.operations.keys()
    assert as_array.start_id == as_object.start_id == 1


def test_in_an_array_the_path_has_the_index_and_the_text_the_id(flows):
    document = flows.extension(prefix="")
    document["operations"] = list(document["operations"].values())
    assert flows.problems(document) == [
        ("flow.operations.1.config.prefix", "operation 2: must not be empty", "error")
    ]


def test_in_an_array_ids_must_differ(flows):
    operations = [
        {"id": 1, "type": "Start", "exits": [2]},
        {"id": 2, "type": "ReleaseCall", "exits": []},
        {"id": 2, "type": "ReleaseCall", "exits": []},
    ]
    text = "operation 2: is the id of an earlier operation too"
    assert flows.problems({"operations": operations}) == [("flow.operations.2.id", text, "error")]


def test_integer_keys_as_yaml_reads_them(flows):
    document = flows.extension()
    document["operations"] = {int(key): value for key, value in document["operations"].items()}
    assert flows.problems(document) == []


def test_compiled_flow(flows):
    document = flows.extension()
    document["triggers"] = [{"service_key": 45}]
    document["operations"]["2"]["base_node"] = 7
    before = copy.deepcopy(document)
    flow, problems = compile_flow(document, flows.settings)
    assert problems == []
    assert document == before
    assert (flow.name, flow.start_id) == ("tested", 1)
    assert flow.triggers == (Trigger(TriggerKind.SERVICE_KEY, 45),)
    operation = flow.operations[2]
    assert (operation.type, operation.exits, operation.base_node) == (
        "ExtensionDialing",
        (10, 11, 12),
        7,
    )


def test_name_is_optional(flows):
    flow, problems = compile_flow(edited(flows, "name", value=...), flows.settings)
    assert (flow.name, problems) == ("flow", [])


def message_id_of(flows, document, settings):
    run = flows.run(document, settings)
    return run.start().announcement.message_id


def test_message_id_from_flow_then_site_then_default(flows):
    document = flows.document("PlayAnnouncement", {"announcement": MAIN})
    site = Scp(announcements={"S": {"main": 5}}, default_message_id=9)
    own = {**document, "announcements": {"S": {"main": 7}}}
    assert message_id_of(flows, own, site) == 7
    assert message_id_of(flows, document, site) == 5
    assert flows.problems(document, site) == []
    other_entry = {**document, "announcements": {"S": {"other": 7}}}
    assert message_id_of(flows, other_entry, site) == 5


def test_unknown_announcement_is_the_default_with_a_warning(flows):
    document = flows.document("PlayAnnouncement", {"announcement": MAIN})
    settings = Scp(default_message_id=9)
    assert message_id_of(flows, document, settings) == 9
    assert flows.problems(document, settings) == [
        (
            "flow.operations.2.config.announcement",
            'no message id for "main" of set "S"; message 9 is played',
            "warning",
        )
    ]


def test_further_announcement_members_are_kept_with_a_warning(flows):
    announcement = {**MAIN, "language": "en"}
    document = flows.document("PlayAnnouncement", {"announcement": announcement})
    assert flows.problems(document) == [
        (
            "flow.operations.2.config.announcement.language",
            "kept, but has no effect here",
            "warning",
        )
    ]
    name = flows.run(document).start().announcement.name
    assert name.further == {"language": "en"}


def test_pattern_syntax_of_the_flow(flows):
    document = flows.extension(destination_patterns=["432910+"])
    assert flows.problems(document) != []
    document["pattern_syntax"] = "regex"
    assert flows.problems(document) == []
    document["operations"]["2"]["config"]["destination_patterns"] = ["4329(1"]
    assert flows.problems(document) == [
        (
            "flow.operations.2.config.destination_patterns.0",
            "column 7: missing ): 4329(1",
            "error",
        )
    ]


def test_samples_have_no_problems(flows):
    names = flows.example_names()
    assert "extension_dialing.json" in names
    for name in names:
        flow, problems = compile_flow(flows.example(name), Scp())
        assert problems == [], name
        assert flow.triggers, name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def well_formed(problems):
    return all(
        problem.path.startswith("flow")
        and problem.text
        and problem.severity in ("error", "warning")
        for problem in problems
    )


@settings(deadline=None)
@given(JSON)
def test_no_json_makes_it_raise(document):
    flow, problems = compile_flow(document, Scp())
    assert well_formed(problems)
    assert (flow is None) == any(problem.severity == "error" for problem in problems)


def places(value, path=()):
    """Return the path of every value inside a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, dict | list):
        for key, inner in items:
            yield from (
                places(inner, (*path, key)) if isinstance(inner, dict | list) else [(*path, key)]
            )


@settings(deadline=None)
@given(st.data())
def test_no_value_anywhere_in_a_good_document_makes_it_raise(flows, data):
    document = flows.example(data.draw(st.sampled_from(flows.example_names())))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([place for place in places(document) if place]))
        place = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = data.draw(JSON)
    flow, problems = compile_flow(document, Scp())
    assert well_formed(problems)
    assert (flow is None) == any(problem.severity == "error" for problem in problems)
