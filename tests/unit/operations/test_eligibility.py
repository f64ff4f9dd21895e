"""Which operations may be on the fast path, and why other operations may not."""

from collections.abc import Mapping
from typing import Any

import pytest

from tsvc.expr.expression import Uses, compile_expression
from tsvc.operations.eligibility import Argument, Eligibility, Reason

KIND = "some"
CLOCK = "an expression reads the clock"
GLOBAL = "an expression reads or sets $g"
RECEIVED = "an expression reads $i otherwise than by a constant path"
ALL = "an expression reads all of $v, where what came is too"
DIFFERS = "a part of it that is not an argument differs"
TIME = "a test looks at the clock"
OTHERS = "a test looks at $g, or at what came"


def nothing(given: Any, added: Any) -> bytes:
    return b""


def uses_of(text: str) -> Uses:
    """Return the Uses of an expression."""
    return compile_expression(text).uses


def decided(
    *expressions: str,
    entry: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    sent: Mapping[str, Any] | None = None,
    expected: Mapping[str, Any] | None = None,
) -> Eligibility:
    """Return the decision for one operation that meets a peer and has these expressions."""
    found = Eligibility(given or {})
    found.allow(
        KIND,
        "operations[0]",
        entry or {},
        sent=[] if sent is None else [Argument(sent, nothing)],
        expected=[] if expected is None else [Argument(expected, nothing, is_expected=True)],
    )
    found.finish(["a"], [("operations[0].x", uses_of(one)) for one in expressions])
    return found


def why(found: Eligibility) -> list[tuple[int, str]]:
    """Return the operations that are not eligible, with the reasons."""
    return [(one.operation, one.why) for one in found.why_not()]


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        # The clock.
        ("time", CLOCK),
        ("time()", CLOCK),
        ("'at ' . time + 5", CLOCK),
        ("localtime", CLOCK),
        ("$v->{a} = gmtime(5)", CLOCK),
        ("$r->{time}", CLOCK),
        ("$r->{'ti' . 'me'}", CLOCK),
        ("keys(%$r)", CLOCK),
        ("$v->{a} = $r", CLOCK),
        ('$v->{a} ? 1 : "$r->{time}"', CLOCK),
        # State that all instances share.
        ("$g->{a}", GLOBAL),
        ("$g->{a} += 1", GLOBAL),
        ("$v->{a} // $g->{b}", GLOBAL),
        ("exists $g->{a}", GLOBAL),
        ("keys(%$g)", GLOBAL),
        ("my $x = $g; 1", GLOBAL),
        # Received contents.
        ("$i", RECEIVED),
        ("$v->{a} = $i", RECEIVED),
        ("keys(%$i)", RECEIVED),
        ("$i->{$v->{name}}", RECEIVED),
        ("$i->{A}{b} = 1", RECEIVED),
        ("$i->{A}{b}++", RECEIVED),
        ("$i->{A}{b} =~ s/1/2/", RECEIVED),
        ("push @{$i->{A}{b}}, 1", RECEIVED),
        ("delete $i->{A}{b}", RECEIVED),
        ("$v->{__INBOUND}{A}{b}", RECEIVED),
        # All variables: $i is one of them.
        ("$v", ALL),
        ("keys(%$v)", ALL),
        ("$v->{$v->{name}}", ALL),
        ("my $x = $v; 1", ALL),
    ],
)
def test_what_no_expression_may_read(expression: str, reason: str) -> None:
    assert why(decided(expression)) == [(0, reason)]


@pytest.mark.parametrize(
    "expression",
    [
        "1",
        "$v->{a} + $v->{b}{c}[2]",
        "$v->{a} = 1",
        "$v->{a} =~ s/1/2/",
        "$r->{idx} . $r->{run_id} . $r->{seed}",
        "rand(5) + exponential(3)",
        "$i->{Connect}{cutAndPaste}",
        "$v->{a} = $i->{A}{b} . $i->{C}",
        "exists $v->{a}",
        "my $time = 5; $time + 1",
        # Words in texts, comments and names don't count.
        "'time, localtime, $g->{a}, $i and $v'",
        "1 # time $g $i %$v",
        "$v->{time} + $v->{gmtime} + $v->{g}{i}",
        "$v->{a}{time}",
        '"it is time: \\$g"',
        "$v->{a} =~ /time|gmtime/",
    ],
)
def test_what_any_expression_may_read(expression: str) -> None:
    assert why(decided(expression)) == []


def test_the_paths_that_are_read_of_what_came() -> None:
    found = decided("$v->{a} = $i->{A}{b} . $i->{C}", "$i->{D}{'e-f'}{g}")
    assert found.lookups == {("A", "b"), ("C",), ("D", "e-f", "g")}


def test_variables_may_look_at_the_clock_but_not_at_what_is_shared() -> None:
    for text, reasons in (("time", []), ("$g->{a}", [(-1, f"vars.a: {GLOBAL}")])):
        found = Eligibility({})
        found.allow(KIND, "operations[0]", {})
        found.finish(["a"], [("vars.a", uses_of(text))])
        assert why(found) == reasons


# -- values that are the same in all instances ----------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("{$v->{far}}", True),
        ("{$v->{far} + 100 * 2}", True),
        ("{$v->{far} . $v->{name}}", True),
        ("no expression", True),
        ("\\{$r->{idx}}", True),
        ("{$v->{other}}", False),  # not a constant
        ("{$v->{list}[0]}", False),
        ("{$v->{made}}", False),
        ("{$r->{idx}}", False),
        ("{$v->{far} + 0 * $r->{idx}}", False),
        ("{rand(5)}", False),
        ("{$v->{far} = 5}", False),
        ("{$v->{far}++}", False),
        ("{$i->{A}{b}}", False),
    ],
)
def test_all_but_arguments_must_be_the_same(text: str, is_same: bool) -> None:
    given = {
        "far": 4329000,
        "name": "x",
        "list": [1],
        "made": "{1 + 1}",
        "sequence": {"$sequence": {"start": 1}},
    }
    for value in (text, [text], {"a": [{"b": text}]}):
        found = decided(entry={"seconds": value}, given=given)
        assert why(found) == ([] if is_same else [(0, DIFFERS)])


@pytest.mark.parametrize(
    "expression",
    [
        "$v->{far} = 1",
        "$v->{far} .= ''",
        "$v->{far}++",
        "$v->{far} =~ s/1/2/",
        "$v->{far} =~ tr/1/2/",
        "push @{$v->{far}}, 1",
        "$v->{far}{a} = 1",
        "$v->{$v->{name}} = 1",
    ],
)
def test_what_an_expression_sets_is_no_constant(expression: str) -> None:
    found = decided(expression, entry={"seconds": "{$v->{far}}"}, given={"far": 1, "name": "x"})
    assert (0, DIFFERS) in why(found) or (0, ALL) in why(found)
    assert why(decided(expression.replace("far", "near"), given={"far": 1})) in ([], [(0, ALL)])


def test_arguments_may_differ_and_are_kept_by_operation() -> None:
    text = "{$v->{a} . rand(5) . $r->{idx}}"
    found = decided(sent={"a": [text], "b": 1}, expected={"c": text})
    assert why(found) == []
    assert [one.given for one in found.sent_by(KIND)[0]] == [{"a": [text], "b": 1}]
    assert [one.given for one in found.expected_by(KIND)[0]] == [{"c": text}]
    assert found.sent_by("another") == found.expected_by("another") == {}
    assert (found.kinds, found.kind_of(0), found.kind_of(1)) == ({KIND}, KIND, None)


def test_arguments_without_expressions_are_no_slots() -> None:
    found = decided(sent={"a": 1}, expected={"b": ["\\{x}"]})
    assert found.sent_by(KIND) == found.expected_by(KIND) == {}


def test_an_argument_makes_octets_of_what_its_expressions_give() -> None:
    argument = Argument({"a": "{$v->{x}}", "b": 1}, lambda given, added: added + given["a"])
    source = argument.source(7, b"-")
    assert (source.position, source.encode([b"5"])) == (7, b"-5")
    with pytest.raises(ValueError, match="no expressions"):
        Argument({"b": 1}, nothing).source(7, None)


# -- declarations of operations -------------------------------------------------------------------


def local(*tests: Mapping[str, Any], takes_time: bool = False) -> Eligibility:
    """Return the decision for one operation that meets no peer."""
    found = Eligibility({})
    found.allow_local("operations[0]", {"tests": [*tests]}, takes_time=takes_time)
    return found


@pytest.mark.parametrize(
    ("kpath", "reason"),
    [
        ("result", ""),
        ("v.a.b[1]", ""),
        ("r.idx", ""),
        ("r.seed", ""),
        ("r.time", TIME),
        ("r", TIME),
        ("g.a", OTHERS),
        ("i.A.b", OTHERS),
        ("v.__INBOUND.A", OTHERS),
        ("v.[", "a test whose kpath is wrong"),
        ("{$v->{path}}", "a test whose kpath is computed"),
        (None, "a test whose kpath is computed"),
    ],
)
def test_what_tests_of_variables_may_look_at(kpath: Any, reason: str) -> None:
    found = local({"kpath": kpath, "value": 1})
    found.finish(["a"], [])
    assert why(found) == ([(0, reason)] if reason else [])
    assert found.is_local == (not reason)


def test_a_timestamp_is_a_look_at_the_clock() -> None:
    test = {"kpath": "v.a", "type": "timestamp"}
    found = local(test)
    found.finish(["a"], [])
    assert why(found) == [(0, TIME)]
    assert why(decided(entry={"tests": [test]})) == [(0, TIME)]


def test_what_is_optional() -> None:
    assert why(decided(entry={"optional": 1})) == [(0, "it is optional")]
    assert why(decided(entry={"optional": 0})) == []


def test_what_declares_nothing_and_what_refuses() -> None:
    found = Eligibility({})
    found.allow(KIND, "operations[0]", {})
    found.refuse("operations[2].tests", "so")
    found.refuse("operations[2]", "the first reason stays")
    found.finish(["a", "b.C", "d"], [])
    assert found.reasons == [Reason(1, "b.C can't be replayed"), Reason(2, "so")]
    assert not found.is_local


@pytest.mark.parametrize(
    ("takes_time", "tests"), [(True, []), (False, [{"kpath": "v.a", "value": 1}])]
)
def test_what_takes_time_or_tests_between_messages(
    takes_time: bool, tests: list[Mapping[str, Any]]
) -> None:
    alone = local(*tests, takes_time=takes_time)
    alone.finish(["a"], [])
    assert (why(alone), alone.is_local) == ([], True)
    beside = local(*tests, takes_time=takes_time)
    beside.allow(KIND, "operations[1]", {})
    beside.finish(["a", "b"], [])
    assert why(beside) == [(0, "it takes time, or tests, between messages")]
    assert not beside.is_local


def test_what_stands_between_messages() -> None:
    found = local()
    found.allow(KIND, "operations[1]", {})
    found.finish(["a", "b"], [])
    assert why(found) == []
    assert (found.local, found.between, found.is_local) == ({0}, {0}, False)


@pytest.mark.parametrize(
    ("other", "are"),
    [
        ("text", True),
        (1, True),
        ({"$sequence": {"start": 1, "width": 2}}, True),
        ("{1 + 1}", False),
        ({"$random": {"max": 5}}, False),
        ({"$sequence": {"start": 7}}, False),
        ({"$sequence": 7}, False),  # refused elsewhere
        ({"$sequence": None}, False),
        ([1], False),
        (1.5, False),
    ],
)
def test_variables_that_are_sequences_or_constants(other: Any, are: bool) -> None:
    sequence = {"$sequence": {"start": 7, "step": 2, "width": 3}}
    assert decided(given={"a": sequence, "b": other}).are_sequences is are
