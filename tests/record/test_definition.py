"""Dialogues of any kind become one definition: order, pauses, names, params, variables."""

import pytest
from support.capturing import OURS, THEIRS, merged, text2pcap
from support.segments import exported

from tsvc.record.capture import dialogues_of, read_capture
from tsvc.record.definition import make_definition
from tsvc.record.recorder import Dialogue, Step, Wanted

NOBODY = frozenset()


def step(time, is_sent, *operations, **more):
    return Step(round(time * 1000), time, is_sent, "text", list(operations), **more)


def dialogue(*steps, **more):
    return Dialogue("title", NOBODY, NOBODY, list(steps), **more)


def operation(name, **arguments):
    return {"type": name, "arguments": arguments}


def types(made):
    return [entry["type"] for entry in made["operations"]]


def test_operations_are_in_the_order_of_time():
    one = dialogue(step(0.0, True, operation("a")), step(0.02, False, operation("c")))
    two = dialogue(step(0.01, True, operation("b")), step(0.03, False, operation("d")))
    assert types(make_definition([two, one], "x")) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(("pause", "waits"), [(0.1, []), (0.101, [0.101]), (7.25, [7.25])])
def test_a_pause_of_ours(pause, waits):
    made = make_definition(
        [dialogue(step(5.0, False, operation("a")), step(5.0 + pause, True, operation("b")))], "x"
    )
    found = [one["arguments"]["seconds"] for one in made["operations"] if one["type"] == "wait"]
    assert found == waits


def test_a_message_without_an_operation_makes_no_wait():
    made = make_definition([dialogue(step(0.0, False, operation("a")), step(9.0, True))], "x")
    assert types(made) == ["a"]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {"type": "b", "arguments": {}, "seconds": 12}),
        ({"waits_by": ("arguments", "seconds")}, {"type": "b", "arguments": {"seconds": 12}}),
    ],
)
def test_a_pause_of_theirs(more, expected):
    late = step(6.0, False, operation("b"), **more)
    made = make_definition([dialogue(step(0.0, True, operation("a")), late)], "x")
    assert made["operations"][1] == expected


def test_names_where_there_are_several():
    one, two = (
        dialogue(step(at, True, operation("a")), naming="of", role="R") for at in (0.0, 0.01)
    )
    other = dialogue(step(0.02, True, operation("c")))
    made = make_definition([one, two, other], "x")
    assert [entry.get("of") for entry in made["operations"]] == ["R 1", "R 2", None]
    assert "of" not in make_definition([one, other], "x")["operations"][0]
    one.is_named = True
    assert make_definition([one, other], "x")["operations"][0]["of"] == "R 1"


def test_params_that_dialogues_do_not_share_stand_in_their_operations():
    one = dialogue(step(0.0, True, operation("a")), params={"ac": "x"}, own={"own_ac": "x"})
    two = dialogue(step(0.01, True, operation("b")), params={"ac": None}, own={"own_ac": None})
    made = make_definition([one, two], "x")
    assert made["ac"] == "x"
    assert "own_ac" not in made["operations"][0]
    assert made["operations"][1]["own_ac"] is None
    assert "ac" not in make_definition([dialogue(step(0.0, True), params={"ac": None})], "x")


def test_what_stands_before_all_others_once():
    one = dialogue(step(0.0, True, operation("a")), before=[operation("register", n=1)])
    two = dialogue(step(0.01, True, operation("b")), before=[operation("register", n=1)])
    made = make_definition([one, two], "x")
    assert types(made) == ["register", "a", "register", "b"]


def test_texts_that_look_like_expressions_are_texts():
    made = make_definition(
        [dialogue(step(0.0, True, operation("a", text="{1}", more=["{x}"])))], "x"
    )
    assert made["operations"][0]["arguments"] == {"text": "\\{1}", "more": ["\\{x}"]}


def test_numbers_that_occur_again_become_variables():
    made = make_definition(
        [
            dialogue(
                step(0.0, True, operation("a", caller_digits="6421000001", called_digits="4321")),
                step(
                    0.01,
                    False,
                    operation("b", to={"to_digits": "6421000001", "to_hex": "0a", "to_noa": 2}),
                ),
                step(0.02, True, operation("c", called_digits="4321", time_digits="20260101")),
                step(0.03, True, operation("d", time_digits="20260101", value="99999")),
                step(0.04, True, operation("e", avps=[{"name": "N", "value": "99998"}] * 2)),
            )
        ],
        "x",
    )
    assert made["vars"] == {"caller": "6421000001", "N": "99998"}
    arguments = [entry["arguments"] for entry in made["operations"]]
    assert arguments[1]["to"] == {"to_digits": "{$v->{caller}}", "to_noa": 2}
    assert arguments[0]["called_digits"] == "4321"


def test_names_of_variables_are_free():
    steps = [
        step(at, True, operation("a", x_digits="11111"), operation("b", x_digits="22222"))
        for at in (0.0, 0.01)
    ]
    made = make_definition([dialogue(*steps)], "x")
    assert made["vars"] == {"x": "11111", "x_2": "22222"}


@pytest.mark.parametrize(
    ("side", "expected"),
    [(None, True), ("client", True), ("server", False), ("a", True), ("b", False), ("c", True)],
)
def test_sides(side, expected):
    assert Wanted(side).is_client({"a"}, {"b"}) is expected


def test_protocols_together(tmp_path):
    """A BEGIN, and a request of HTTP after it: two dialogues of one capture."""
    begin = bytes.fromhex(
        "62264804010101016b1e281c060700118605010101a011600f80020780a109060704000001003201"
    )
    http = [
        (True, 0.5, b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
        (False, 0.6, b"HTTP/1.1 204 No Content\r\n\r\n"),
    ]
    options = ("-4", f"{OURS},{THEIRS}", "-T", "40000,80")
    capture = merged(tmp_path, exported([begin], "tcap"), text2pcap(tmp_path, http, *options))
    dialogues = dialogues_of(read_capture(capture))
    assert [one.title.partition(" ")[0] for one in dialogues] == ["CAP", "HTTP"]
