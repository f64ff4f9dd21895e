"""Matching of arguments: which values are equal, and one entry for each given leaf."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.matching import match_arguments
from tsvc.matching.arguments import assign


@dataclass
class Log:
    """A check that keeps its entries."""

    entries: list[tuple[bool, str, object, object]] = field(default_factory=list)

    def entry(
        self, ok: bool, text: str, expected: object, got: object, *, abort: bool = False
    ) -> None:
        self.entries.append((ok, text, expected, got))


def run(expected: dict, actual: dict) -> tuple[bool, list[tuple[bool, str, object, object]]]:
    log = Log()
    return match_arguments(expected, actual, log), log.entries


ANSWER = {
    "serviceKey": 45,
    "eventTypeBCSM": 7,
    "eventTypeBCSM_name": "oAnswer",
    "cdpn_digits": "0412b",
    "cdpn_hex": "83ab",
    "flag": True,
    "off": False,
    "ratio": 1.5,
    "text": "2",
    "list": [1, 2, 3],
    "types": [0, 30],
    "types_name": ["callAttemptElapsedTime", "releaseCause"],
    "deep": {"a": {"b": 1}},
    "nothing": None,
    "empty": {},
}


@pytest.mark.parametrize(
    ("expected", "ok"),
    [
        ({"serviceKey": 45}, True),
        ({"serviceKey": "45"}, True),
        ({"serviceKey": "045"}, True),
        ({"serviceKey": 45.0}, True),
        ({"serviceKey": 46}, False),
        ({"serviceKey": "46"}, False),
        ({"serviceKey": "oAnswer"}, False),
        ({"serviceKey": ""}, False),
        ({"serviceKey": [45]}, False),
        ({"serviceKey": {"x": 45}}, False),
        ({"eventTypeBCSM": "oAnswer"}, True),
        ({"eventTypeBCSM": 7}, True),
        ({"eventTypeBCSM": "7"}, True),
        ({"eventTypeBCSM": "oNoAnswer"}, False),
        ({"eventTypeBCSM_name": "oAnswer"}, True),
        ({"!eventTypeBCSM": "oNoAnswer"}, True),
        ({"!eventTypeBCSM": "oAnswer"}, False),
        ({"cdpn_digits": "0412b"}, True),
        ({"cdpn_digits": "0412B"}, True),
        ({"cdpn_digits": "412b"}, False),
        ({"cdpn_hex": "83AB"}, True),
        ({"cdpn_hex": "83ac"}, False),
        ({"flag": True}, True),
        ({"flag": 1}, True),
        ({"flag": "1"}, True),
        ({"flag": False}, False),
        ({"flag": 0}, False),
        ({"off": False}, True),
        ({"off": 0}, True),
        ({"off": None}, False),
        ({"ratio": 1.5}, True),
        ({"ratio": "1.5"}, True),
        ({"ratio": 2}, False),
        ({"text": 2}, True),
        ({"text": "02"}, False),
        ({"text": "2"}, True),
        ({"missing": None}, True),
        ({"missing": 1}, False),
        ({"!missing": None}, True),
        ({"!missing": 1}, True),
        ({"serviceKey": None}, False),
        ({"!serviceKey": None}, False),
        ({"!serviceKey": 46}, True),
        ({"!serviceKey": 45}, False),
        ({"!serviceKey": "45"}, False),
        ({"nothing": None}, True),
        ({"list": [1, 2, 3]}, True),
        ({"list": [1]}, True),
        ({"list": [2]}, False),
        ({"list": [1, 2, 3, 4]}, False),
        ({"list": []}, True),
        ({"list": [1, 2, 3, None]}, True),
        ({"list": 1}, False),
        ({"types": ["callAttemptElapsedTime", "releaseCause"]}, True),
        ({"types": ["releaseCause"]}, False),
        ({"types": [0, "30"]}, True),
        ({"deep": {"a": {"b": 1}}}, True),
        ({"deep": {"a": {"!b": 2}}}, True),
        ({"deep": {"a": {"b": 2}}}, False),
        ({"deep": {"a": {"c": None}}}, True),
        ({"deep": {"x": {"y": None}}}, True),
        ({"deep": {"x": {"y": 1}}}, False),
        ({"serviceKey": {"x": None}}, False),
        ({"!deep": {"a": {"b": 2}}}, True),
        ({"!deep": {"a": {"b": 1}}}, False),
        ({"!list": [1, 2]}, False),
        ({"!list": [2]}, True),
        ({"empty": {}}, True),
        ({"deep": {}}, True),
        ({"missing": {}}, False),
        ({"serviceKey": []}, False),
        ({}, True),
    ],
)
def test_equality(expected: dict, ok: bool) -> None:
    assert run(expected, ANSWER)[0] is ok


def test_entries_carry_path_and_values() -> None:
    ok, entries = run({"serviceKey": 1, "deep": {"a": {"b": 1}}, "x": 5, "list": [9]}, ANSWER)
    assert not ok
    assert entries == [
        (False, "serviceKey differs", 1, 45),
        (True, "deep.a.b", 1, 1),
        (False, "x is absent", 5, None),
        (False, "list[0] differs", 9, 1),
    ]


def event(kind: object, mode: object = 1, **more: object) -> dict:
    return {"eventTypeBCSM": kind, "monitorMode": mode, **more}


def received(*kinds: int) -> dict:
    names = {4: "routeSelectFailure", 5: "oCalledPartyBusy", 9: "oDisconnect"}
    return {
        "bcsmEvents": [
            {**event(kind), "eventTypeBCSM_name": names.get(kind, "x"), "legID": {"leg": place}}
            for place, kind in enumerate(kinds)
        ]
    }


@pytest.mark.parametrize(
    ("expected", "actual", "ok"),
    [
        ([event(4), event(5)], (4, 5), True),
        ([event(5), event(4)], (4, 5), True),
        ([event("oCalledPartyBusy"), event("routeSelectFailure")], (4, 5), True),
        ([event(4)], (4, 5), False),
        ([event(4), event(5), event(6)], (4, 5), False),
        ([event(4), event(4)], (4, 5), False),
        ([event(9), event(9)], (9, 9), True),
        ([event(9), {**event(9), "legID": {"leg": 0}}], (9, 9), True),
        ([{**event(9), "legID": {"leg": 1}}, event(9)], (9, 9), True),
        ([{"monitorMode": 1}, {"eventTypeBCSM": 4}], (4, 5), True),
        ([{"monitorMode": 1}, {"monitorMode": 1}, {"eventTypeBCSM": 4}], (4, 5, 6), True),
        ([], (), True),
        ([], (4,), False),
        ([event(4, 0)], (4,), False),
    ],
)
def test_bcsm_events_are_a_set(expected: list, actual: tuple[int, ...], ok: bool) -> None:
    matched, entries = run({"bcsmEvents": expected}, received(*actual))
    assert matched is ok
    assert entries[-1][1] == "bcsmEvents has no unexpected element"
    assert len(entries) == leaves({"bcsmEvents": expected})


def test_event_that_differs_is_compared_with_its_own_kind() -> None:
    _, entries = run({"bcsmEvents": [event(5, 0), event(4)]}, received(4, 5))
    assert [entry[0] for entry in entries] == [True, False, True, True, True]
    assert entries[1] == (False, "bcsmEvents[0].monitorMode differs", 0, 1)


def test_unexpected_events_are_shown() -> None:
    ok, entries = run({"bcsmEvents": [event(4)]}, received(4, 9))
    assert not ok
    assert entries[-1][3] == [received(4, 9)["bcsmEvents"][1]]


def test_the_event_that_differs_least_is_blamed() -> None:
    wanted = [{**event(9), "legID": {"leg": 1}, "monitorMode": 0}]
    got = received(9, 9)["bcsmEvents"]
    got[0] |= {"legID": {"leg": 0}}
    got[1] |= {"legID": {"leg": 1}}
    _, entries = run({"bcsmEvents": wanted}, {"bcsmEvents": got})
    assert [entry[1] for entry in entries if not entry[0]] == [
        "bcsmEvents[0].monitorMode differs",
        "bcsmEvents has no unexpected element",
    ]


@given(st.data())
def test_partners_differ_least(data: st.DataObject) -> None:
    """Each expected value gets the partner that differs least from it among those still free."""
    expected, got = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    numbers = st.integers(0, 3)
    table = [[data.draw(numbers) for _ in range(got)] for _ in range(expected)]
    may = [[data.draw(st.booleans()) for _ in range(got)] for _ in range(expected)]
    partners = assign(expected, got, lambda one, at: may[one][at], lambda one, at: table[one][at])
    taken = [at for at in partners if at is not None]
    assert len(set(taken)) == len(taken)
    free = set(range(got)) - set(taken)
    full = sum(at is not None and table[one][at] == 0 for one, at in enumerate(partners))
    assert full == most_full(table, may)
    for one, at in enumerate(partners):
        left = [other for other in free if may[one][other]]
        if at is None:
            assert not left
        else:
            assert may[one][at]
            assert all(
                table[one][at] < table[one][other]
                or (table[one][at] == table[one][other] and (at < other or table[one][at] == 0))
                for other in left
            )


def most_full(table: list[list[int]], may: list[list[bool]]) -> int:
    """Return the largest possible number of full matches, by trying all pairings."""

    def best(one: int, taken: frozenset[int]) -> int:
        if one == len(table):
            return 0
        found = best(one + 1, taken)
        for at, count in enumerate(table[one]):
            if count == 0 and may[one][at] and at not in taken:
                found = max(found, 1 + best(one + 1, taken | {at}))
        return found

    return best(0, frozenset())


def test_very_many_are_paired_in_order() -> None:
    many = 2000
    wanted = [{"a": number} for number in range(1, 3)]
    partners = assign(len(wanted), many, lambda *_: True, lambda *_: 1)
    assert partners == [0, 1]


@pytest.mark.parametrize("got", [5, "x", {"a": 1}, True])
def test_events_of_another_type_fail(got: object) -> None:
    ok, entries = run({"bcsmEvents": [event(4)]}, {"bcsmEvents": got})
    assert not ok
    assert [entry[0] for entry in entries] == [False, False, False]


def leaves(value: object) -> int:
    """Return the number of given leaves, as the rules define them."""
    if isinstance(value, dict) and value:
        return sum(
            1 if name.startswith("!") else members(name, item) for name, item in value.items()
        )
    if isinstance(value, list) and value:
        return sum(leaves(item) for item in value)
    return 1


def members(name: str, item: object) -> int:
    if name == "bcsmEvents" and isinstance(item, list):
        return sum(leaves(element) for element in item) + 1
    return leaves(item)


NAMES = st.sampled_from(["a", "b", "a_name", "!a", "!b", "x_digits", "x_hex", "bcsmEvents"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.sampled_from(["", "1", "2", "-1", "1.0", "1e5", "x", "a1", "١", "0x1", "--1", "1_0"]),
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=15,
)
OBJECTS = st.dictionaries(NAMES, TREES, max_size=5)


@given(OBJECTS, OBJECTS)
def test_one_entry_per_leaf_and_never_an_exception(expected: dict, actual: dict) -> None:
    ok, entries = run(expected, actual)
    assert len(entries) == (leaves(expected) if expected else 0)
    assert ok is all(entry[0] for entry in entries)


@given(st.dictionaries(st.sampled_from("abc"), TREES, max_size=4))
def test_a_tree_without_special_members_matches_itself(tree: dict) -> None:
    def is_plain(value: object) -> bool:
        if isinstance(value, dict):
            return all(not name.startswith("!") and is_plain(item) for name, item in value.items())
        if isinstance(value, list):
            return all(map(is_plain, value))
        return value == value and value not in (float("inf"), float("-inf"))

    if is_plain(tree):
        assert run(tree, tree)[0]
