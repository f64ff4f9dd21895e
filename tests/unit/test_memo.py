"""Memories: their bound, their switch, their list."""

import gc

import pytest

from tsvc import memo
from tsvc.memo import Memo, Shortcut


class Counted:
    """A function that counts its calls."""

    def __init__(self):
        self.calls = []

    def __call__(self, key):
        self.calls.append(key)
        if key == "wrong":
            raise ValueError(key)
        return f"made of {key}"


def of_name(name):
    gc.collect()
    return [one for one in memo.all() if one.name == name]


def test_a_value_is_made_once():
    make = Counted()
    known = Memo("test", 10, make)
    assert [known["a"], known["b"], known["a"]] == ["made of a", "made of b", "made of a"]
    assert make.calls == ["a", "b"]


def test_without_a_maker_it_is_a_dict():
    known = Memo("test", 10)
    assert known.get("a") is None
    with pytest.raises(KeyError):
        known["a"]
    known["a"] = 1
    assert (known["a"], known.get("a"), "a" in known) == (1, 1, True)


def test_none_is_a_value_too():
    calls = []
    known = Memo("test", 10, calls.append)
    assert (known[1], known[1], calls) == (None, None, [1])


def test_an_error_is_not_remembered():
    make = Counted()
    known = Memo("test", 10, make)
    for _ in range(2):
        with pytest.raises(ValueError, match="wrong"):
            known["wrong"]
    assert make.calls == ["wrong", "wrong"]
    assert len(known) == 0


def test_when_it_is_full_it_begins_anew():
    known = Memo("test", 3, Counted())
    for number in range(100):
        assert known[number] == f"made of {number}"
        assert known[number] == f"made of {number}"
        assert 1 <= len(known) <= 3
    assert list(known) == [99]


@pytest.mark.parametrize("most", [0, -1])
def test_a_memory_has_room_for_something(most):
    with pytest.raises(ValueError, match=f"none: a memory of {most} entries"):
        Memo("none", most)


@pytest.mark.parametrize(
    ("key", "is_kept"),
    [
        (b"12345", True),
        (b"123456", False),
        ("12345", True),
        ("123456", False),
        ((b"12", "34", 5, None, ("6",)), True),
        ((b"12", "34", 5, None, ("67",)), False),
        (10**9, True),
    ],
)
def test_long_keys_are_not_remembered(key, is_kept):
    make = Counted()
    known = Memo("test", 10, make, longest=5)
    assert known[key] == known[key] == f"made of {key}"
    assert (key in known) is is_kept
    assert len(make.calls) == 2 - is_kept


def test_a_memory_may_say_itself_how_long_a_key_is():
    known = Memo("test", 10, Counted(), longest=5, size=lambda key: len(key[0]))
    assert known["12345", "and more"]
    assert known["123456", ""]
    assert list(known) == [("12345", "and more")]


@pytest.mark.parametrize("write", ["setdefault", "update", "__ior__"])
def test_nothing_is_written_past_the_bound(write):
    known = Memo("test", 1)
    with pytest.raises(TypeError):
        getattr(known, write)({"a": 1})
    assert known == {}


# -- the switch -----------------------------------------------------------------------------------


def test_off_nothing_is_used_and_nothing_is_remembered():
    make = Counted()
    known = Memo("test", 10, make)
    assert known["a"]
    assert not memo.is_off()
    with memo.off():
        assert memo.is_off()
        assert "a" not in known
        assert known.get("a") is None
        assert known["a"] == known["a"] == "made of a"
        known["b"] = "put"
        assert known == {}
        assert make.calls == ["a"] * 3
    assert not memo.is_off()
    assert known == {}, "what was known before may be out of date"
    assert known["a"] == known["a"]
    assert make.calls == ["a"] * 4


def test_off_in_off():
    known = Memo("test", 10, Counted())
    with memo.off():
        with memo.off():
            assert known["a"]
        assert memo.is_off()
        assert known["a"]
        assert known == {}
    assert known["a"]
    assert len(known) == 1


def test_an_exception_switches_memories_on_again():
    known = Memo("test", 10, Counted())
    with pytest.raises(ValueError, match="wrong"), memo.off():
        known["wrong"]
    assert not memo.is_off()
    assert known["a"]
    assert len(known) == 1


def test_a_memory_that_is_made_while_memories_are_off():
    with memo.off():
        known = Memo("test", 10, Counted())
        assert known["a"]
        assert known == {}
    assert known["a"]
    assert len(known) == 1


def test_a_maker_that_switches_off_leaves_nothing_behind():
    def make(key):
        with memo.off():
            return inner[key]

    inner = Memo("test", 10, Counted())
    outer = Memo("test", 10, make)
    assert inner["a"]
    assert outer["b"] == "made of b"
    assert (list(inner), list(outer)) == ([], ["b"])


def test_a_key_that_switches_off_while_it_is_looked_up():
    """A thread may do so, between the check of the switch and the new entry."""
    blocks = []

    class Switching:
        def __hash__(self):
            blocks.append(memo.off())
            blocks[-1].__enter__()
            return 1

    known = Memo("test", 10)
    try:
        known[Switching()] = 1
        assert memo.is_off()
        assert known == {}
    finally:
        for block in blocks:
            block.__exit__(None, None, None)
    assert not memo.is_off()


# -- the list -------------------------------------------------------------------------------------


def test_every_memory_is_listed():
    known = Memo("test list", 7, Counted())
    known["a"], known["b"]
    (found,) = of_name("test list")
    assert found is known
    assert (found.name, len(found), found.most) == ("test list", 2, 7)
    assert repr(found) == "<memory of test list: 2 of 7>"


def test_a_memory_goes_with_the_object_that_has_it():
    class Owner:
        def __init__(self):
            self.known = Memo("test owner", 5, self.make)

        def make(self, key):
            return key

    owners = [Owner(), Owner()]
    assert len(of_name("test owner")) == 2
    owners.pop()
    assert len(of_name("test owner")) == 1


def test_equal_memories_are_two():
    one, two = Memo("test equal", 5), Memo("test equal", 5)
    assert one == two
    assert of_name("test equal") == [one, two]
    assert [id(found) for found in of_name("test equal")] == [id(one), id(two)]


# -- shortcuts ------------------------------------------------------------------------------------


def quick(value):
    return value * 2 if value < 10 else None


def test_a_shortcut_is_taken_unless_memories_are_off():
    way = Shortcut("test way", quick)
    assert way in memo.shortcuts()
    assert way.take is quick
    assert (way.take(4), way.take(40)) == (8, None)
    with memo.off():
        assert way.take(4) is None
        late = Shortcut("test late", quick)
        assert late.take(4) is None
        with memo.off():
            pass
        assert way.take(4) is None
    assert (way.take(4), late.take(4)) == (8, 8)
