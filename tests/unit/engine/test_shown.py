import json

from tsvc.engine.outcome.copies import MAX_DEPTH, in_words, shown


def test_plain_values_come_through():
    value = {"a": [1, 2.5, "x", None, True], "b": {}}
    assert shown(value) == value
    assert shown(value) is not value


def test_a_copy_does_not_change_later():
    value = {"a": [1]}
    copy = shown(value)
    value["a"].append(2)
    assert copy == {"a": [1]}


def test_a_cycle_ends():
    value = {}
    value["a"] = value["b"] = value
    text = json.dumps(shown(value))
    assert "…" in json.loads(text).__repr__()
    assert len(text) < 3 << 20


def test_shared_parts_can_not_explode():
    value = "x"
    for _ in range(60):
        value = [value, value]
    assert len(json.dumps(shown(value))) < 3 << 20
    assert len(in_words(value)) < 10_000


def test_depth_is_bounded():
    value = leaf = []
    for _ in range(10_000):
        leaf.append([])
        leaf = leaf[0]
    depth, copy = 0, shown(value)
    while isinstance(copy, list) and copy:
        depth, copy = depth + 1, copy[0]
    assert depth == MAX_DEPTH


def test_what_json_has_not_reads_null():
    assert shown([float("nan"), float("inf")]) == [None, None]


def test_a_long_text_is_cut_and_says_so():
    assert shown("x" * 100, weight=50).endswith("…")
    assert len(in_words("x" * 100_000)) < 500
