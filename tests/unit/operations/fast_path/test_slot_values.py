"""The slots of one recording: how, and in which order, an instance's values are made."""

from collections.abc import Callable, Container
from typing import Any

import pytest

from tsvc.expr import Environment
from tsvc.expr.expression import compile_expression
from tsvc.operations.fast_path.slots import Expressions, SlotSource, SlotValues


class Host:
    """A run with local operations: expressions that meet no peer.

    steps: the operations in their order; an expression, or None for one that meets a peer.
    """

    def __init__(self, *steps: str | None, **sequences: Callable[[int], str]) -> None:
        self.sequence = sequences.get
        self._sequences = sequences
        self.made = 0  # number of times that variables were made
        self._steps = steps

    def variables(self, idx: int, started_at: float) -> Environment:
        """Return the variables of an instance: `n` is its index."""
        self.made += 1
        facts = {"idx": idx, "time": started_at}
        given = {name: make(idx) for name, make in self._sequences.items()}
        return Environment({"n": idx, **given}, {}, {}, facts, lambda: 0.5, lambda: started_at)

    def precompute(
        self,
        idx: int,
        started_at: float,
        local: Container[int],
        meet: Callable[[int, Environment], None],
    ) -> None:
        """Perform the steps until the end, or until an expression gives "stop"."""
        env = self.variables(idx, started_at)
        for position, step in enumerate(self._steps):
            if step is None:
                meet(position, env)
            elif compile_expression(step).evaluate(env) == "stop":
                return


def source(position: int, text: str) -> SlotSource:
    """Return the source of a slot whose value is the repr() of an expression's value."""
    return SlotSource(position, Expressions([text]), lambda values: repr(values[0]).encode())


def values_of(
    host: Host, *sources: SlotSource, local: Container[int] = (), received: Any = None
) -> SlotValues:
    """Return the slot values of a recording of the instance 0."""
    found = SlotValues(host, sources, local, received or {})  # type: ignore[arg-type]
    found.learn(0, 1.0)
    return found


def test_expressions_see_what_those_before_have_set() -> None:
    host = Host()
    values = values_of(host, source(0, "{$v->{n} += 10}"), source(0, "{$v->{n} . 'x'}"))
    assert values.of(5, 1.0) == [b"15", b"'15x'"]
    assert values.of(6, 1.0) == [b"16", b"'16x'"]


def test_variables_that_are_sequences_are_made_alone() -> None:
    host = Host(a=lambda idx: f"{idx:04d}")
    values = values_of(host, source(0, "{$v->{a}}"), source(2, "{ $v->{a} }"))
    host.made = 0
    assert values.of(12, 1.0) == [b"'0012'", b"'0012'"]
    assert host.made == 0
    values_of(host, source(0, "{$v->{a} . ''}")).of(12, 1.0)
    assert host.made > 0


def test_what_is_done_between_is_done_for_each() -> None:
    host = Host("$v->{n} *= 2", None, "$v->{n} += 1", None)
    values = values_of(host, source(1, "{$v->{n}}"), source(3, "{$v->{n}}"), local={0, 2})
    assert values.of(5, 1.0) == [b"10", b"11"]


def test_an_instance_that_comes_to_other_operations() -> None:
    host = Host(None, "$v->{n} == 3 ? 'stop' : 1", None)
    values = values_of(host, source(0, "{$v->{n}}"), local={1})
    assert values.of(2, 1.0) == [b"2"]
    with pytest.raises(ValueError, match="other operations"):
        values.of(3, 1.0)


def test_an_operation_that_is_not_reached_has_no_value() -> None:
    host = Host(None, "'stop'", None)
    with pytest.raises(ValueError, match="other operations"):
        values_of(host, source(2, "{$v->{n}}"), local={1})


def test_what_came_in_the_recording_is_what_expressions_read() -> None:
    host = Host(None, None, "$v->{n} = $i->{A}{b} + $v->{n}", None)
    received = {1: {"A": {"b": 100}}}
    values = values_of(
        host,
        source(0, "{$i->{A}{b} // 'nothing yet'}"),
        source(3, "{$v->{n} . $i->{A}{b}}"),
        local={2},
        received=received,
    )
    assert values.of(7, 1.0) == [b"'nothing yet'", b"'107100'"]


def test_no_slots() -> None:
    host = Host(None)
    assert values_of(host).of(5, 1.0) == ()
    assert host.made == 0


def test_an_undefined_value_that_is_sent_keeps_an_instance_off_the_fast_path() -> None:
    host = Host()
    with pytest.raises(ValueError, match="undefined"):
        values_of(host, source(0, "{$v->{missing}}"))
    values = values_of(host, source(0, "{$v->{n} > 5 ? $v->{missing} : $v->{n}}"))
    assert values.of(5, 1.0) == [b"5"]
    with pytest.raises(ValueError, match="undefined"):
        values.of(6, 1.0)
