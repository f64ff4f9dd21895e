"""Facts: short texts for the members of a decoded dict, and none for absent members."""

import pytest

from tsvc.protocols.facts import anything, at, fact, flag, texts_of

TREE = {"leg": {"id_hex": "01", "timer": 20}, "active": 0}


@pytest.mark.parametrize(
    ("path", "value"), [("leg.timer", 20), ("leg.timer.unit", None), ("no.such", None)]
)
def test_what_is_at_a_path(path, value):
    assert at(TREE, path) == value


def test_a_value_stands_between_its_label_and_unit():
    assert fact("timer", "leg.timer", "s")(TREE) == ["timer 20 s"]
    assert fact("", "leg.id_hex")(TREE) == ["01"]


def test_a_flag_shows_for_its_value_alone():
    assert flag("over", "active", 0)(TREE) == ["over"]
    assert flag("active", "active")(TREE) == []
    assert flag("over", "absent", 0)(TREE) == []


def test_facts_keep_their_order_and_leave_out_what_is_not_there():
    facts = (flag("over", "active", 0), fact("number", "number"), fact("timer", "leg.timer"))
    assert texts_of(facts, TREE) == ["over", "timer 20"]


@pytest.mark.parametrize(
    ("tree", "texts"),
    [
        ({"number_hex": "8312", "number_digits": "21"}, ["number 21"]),
        ({"event": 7, "event_name": "oAnswer"}, ["event oAnswer"]),
        ({"list": [1, {"inner": 2}]}, ["list 1", "inner 2"]),
        ({"value_hex": "00"}, ["value 00"]),
    ],
)
def test_anything_shows_each_leaf_once_in_its_best_form(tree, texts):
    assert anything(tree) == texts
