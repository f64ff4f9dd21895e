"""Buffers: their names, and the contents of a call's buffers."""

import pytest

from tsvc.flow.buffers import MAX_NAME_LENGTH, SYSTEM_BUFFERS, buffer_complaint, read_buffer


@pytest.mark.parametrize("name", ["user.input", "user.follow_me", "user.a.B.9", "user._"])
@pytest.mark.parametrize("is_written", [True, False])
def test_user_buffers_are_written_and_read(name, is_written):
    assert buffer_complaint(name, is_written=is_written) == ""


@pytest.mark.parametrize(
    "name",
    [
        "",
        "user",
        "user.",
        ".user",
        "user..a",
        "user.a.",
        "User.a",
        "user.a-b",
        "user.a\n",
        "user.é",
    ],
)
@pytest.mark.parametrize("is_written", [True, False])
def test_names_that_are_none(name, is_written):
    assert "must be a buffer name" in buffer_complaint(name, is_written=is_written)


def test_length_of_a_name():
    longest = "user." + "x" * (MAX_NAME_LENGTH - 5)
    assert buffer_complaint(longest, is_written=True) == ""
    assert "at most 64" in buffer_complaint(longest + "x", is_written=True)


@pytest.mark.parametrize("name", SYSTEM_BUFFERS)
def test_system_buffers_are_only_read(name):
    assert buffer_complaint(name, is_written=False) == ""
    assert "can only be read" in buffer_complaint(name, is_written=True)


def test_unknown_system_buffers_are_refused():
    assert buffer_complaint("system.bogus", is_written=False).startswith("no buffer is named")


def test_what_buffers_hold(flows):
    call = flows.call(buffers={"user.a": "1", "user.b": ""})
    names = ["user.a", "user.b", "user.c", "system.dialled_number", "system.service_key"]
    assert [read_buffer(call, name) for name in names] == ["1", "", "", "08001", "45"]


def test_what_is_given_with_a_call_precedes_its_facts(flows):
    call = flows.call(buffers={"system.dialled_number": "4329100"})
    assert read_buffer(call, "system.dialled_number") == "4329100"
