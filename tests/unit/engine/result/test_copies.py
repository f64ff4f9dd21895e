import json

from tsvc.engine.result.copies import MAX_DEPTH, in_words, shown_copy


def test_plain_values_come_through():
    value = {"a": [1, 2.5, "x", None, True], "b": {}}
    assert shown_copy(value) == value
    assert shown_copy(value) is not value


def test_a_copy_does_not_change_later():
    value = {"a": [1]}
    copy = shown_copy(value)
    value["a"].append(2)
    assert copy == {"a": [1]}


def test_a_cycle_ends():
    value = {}
    value["a"] = value["b"] = value
    text = json.dumps(shown_copy(value))
    assert "…" in json.loads(text).__repr__()
    assert len(text) < 3 << 20


def test_shared_parts_can_not_explode():
    value = "x"
    for _ in range(60):
        value = [value, value]
    assert len(json.dumps(shown_copy(value))) < 3 << 20
    assert len(in_words(value)) < 10_000


def test_depth_is_bounded():
    value = leaf = []
    for _ in range(10_000):
        leaf.append([])
        leaf = leaf[0]
    depth, copy = 0, shown_copy(value)
    while isinstance(copy, list) and copy:
        depth, copy = depth + 1, copy[0]
    assert depth == MAX_DEPTH


def test_what_json_has_not_reads_null():
    assert shown_copy([float("nan"), float("inf")]) == [None, None]


def test_a_long_text_is_cut_and_says_so():
    assert shown_copy("x" * 100, weight=50).endswith("…")
    assert len(in_words("x" * 100_000)) < 500
