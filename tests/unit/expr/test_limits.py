"""Limits of an evaluation, its failures, and that the same seed gives the same values."""

import random
import tracemalloc
from collections.abc import Callable
from math import exp, sqrt
from statistics import NormalDist

import pytest

from tsvc.errors import ExpressionError, ExpressionFailed
from tsvc.expr import Environment, Value, compile_expression


def environment(tick: Callable[[], None] | None = None, **v: Value) -> Environment:
    return Environment(
        dict(v), {}, {}, {}, random=random.Random(7).random, now=lambda: 1.7e9, tick=tick
    )


BIG = [
    "'a' x 100000000",
    "('a' x 1000000) x 1000000",
    "(1) x 100000000",
    "[1 .. 100000000]",
    "[1 .. 18446744073709551615]",
    "['a' .. 'zzzzzzzzz']",
    "[map { 'x' x 1000000 } 1 .. 1000]",
    "join('x' x 100000, 1 .. 1000)",
    "$v->{s} = 'ab' x 4000000; $v->{s} . $v->{s} . $v->{s}",
    "$v->{s} = 'ab' x 4000000; $v->{s} .= $v->{s}; $v->{s} .= $v->{s}",
    "$v->{l}[900000000] = 1",
    "$v->{l}[1000000] = 1; $v->{m}[1000000] = 1",
    "sprintf('%1000000000d', 1)",
    "sprintf('%.1000000000f', 1)",
    "sprintf('%*d', 1000000000, 1)",
    "sprintf('%-99999s' x 1000, map { 1 } 1 .. 1000)",
    "my $s = 'a' x 4000000; $s =~ s/a/bbbbbbbbbb/g; 1",
    "[map { [map { [map { 1 } 1 .. 100] } 1 .. 100] } 1 .. 100]",
    "strftime('%1000000000Y', gmtime(0))",
    "strftime('%Y' x 10000, gmtime(0))",
    "[split //, 'a' x 1000000]",
    "my @l = (1 .. 1000); [sort { $a <=> $b } map { @l } 1 .. 99]",
    "my @l = (1) x 1000; @l = (@l, @l); " * 9 + "[map { @l } 1 .. 20]",
    "push @{$v->{q}}, @{$v->{q}}, 1; " * 40 + "1",
    "'a' =~ /(?:(?:(?:a{1000}){1000}){1000})/",
]


@pytest.mark.parametrize("source", BIG)
def test_limit_stops_it_without_using_the_memory(source: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ExpressionError):
            compile_expression(source).evaluate(environment())
        assert tracemalloc.get_traced_memory()[1] < 100 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_powers_do_not_grow_integers() -> None:
    assert compile_expression("10 ** 1000000").evaluate(environment()) == float("inf")
    assert compile_expression("9 ** 9 ** 9").evaluate(environment()) == float("inf")


def test_nested_repetition_is_linear() -> None:
    source = "$v->{s} =~ /^(?:(?:a*)*)*b$/ ? 1 : 0"
    assert compile_expression(source).evaluate(environment(s="a" * 50_000)) == 0


def test_tick_is_called_each_thousand_steps() -> None:
    calls: list[int] = []
    env = environment(tick=lambda: calls.append(1))
    compile_expression("1 + 1").evaluate(env)
    assert calls == []
    compile_expression("[map { $_ + 1 } 1 .. 5000]").evaluate(env)
    assert 5 <= len(calls) <= 100


def test_tick_may_stop_the_evaluation() -> None:
    class Killed(Exception):
        pass

    def tick() -> None:
        raise Killed

    with pytest.raises(Killed):
        compile_expression("[map { $_ + 1 } 1 .. 5000]").evaluate(environment(tick=tick))


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("1 / $v->{zero}", "division by zero"),
        ("sqrt(-1)", "negative"),
        ("exponential(-1)", "exponential of a negative mean"),
        ("exponential(undef)", "exponential of an undefined mean"),
        ("exponential($v->{missing})", "exponential of an undefined mean"),
        ("exponential('inf')", "exponential of a mean that is not finite"),
        ("exponential($v->{l})", "an array can't be used as text or number"),
        ("normal(0, -1)", "normal of a negative standard deviation"),
        ("normal(undef, 1)", "normal of an undefined mean"),
        ("normal(1, undef)", "normal of an undefined standard deviation"),
        ("normal('nan', 1)", "normal of a mean that is not finite"),
        ("normal(1, 10 ** 400)", "normal of a standard deviation that is not finite"),
        ("$v->{l} . 'x'", "an array can't be used as text"),
        ("$v->{h} + 1", "a hash can't be used"),
        ('"$v->{l}"', "an array can't be used"),
        ("$v->{s}{x}", "a text has no element {x}"),
        ("$v->{s}[0]", "a text has no element [0]"),
        ("$v->{l}{x}", "an array has no element {x}"),
        ("$v->{h}[0]", "a hash has no element [0]"),
        ("$v->{s}{x} = 1", "a text is not a hash"),
        ("$v->{l}[-9] = 1", "no element [-9]"),
        ("@{$v->{h}} + 0", "a hash is not an array"),
        ("keys %{$v->{s}}", "no keys"),
        ("push @{$v->{s}}, 1", "is not an array"),
        ("'a' =~ /$v->{bad}/", "missing )"),
        ("sprintf('%y', 1)", "%y is not supported"),
        ("hex('1' x 20)", "64 bits"),
        ("gmtime(1e18)", "years"),
        ("strftime('%Y')", "takes a format"),
        ("pack_bcd('12x')", "other signs"),
        ("unpack_bcd('123')", "whole octets"),
        ("luhn('')", "is not digits"),
        ("1 .. 5", "gives a list"),
        ("substr($v->{s}, 50, 1, 'x')", "outside"),
    ],
)
def test_failure_says_what(source: str, part: str) -> None:
    env = environment(zero=0, l=[1], h={"a": 1}, s="text", bad="(")
    with pytest.raises(ExpressionFailed) as caught:
        compile_expression(source).evaluate(env)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        *("rand", "rand(10)", "int(rand 100)", "uuid", "[uuid, rand]"),
        *("exponential(2)", "exponential 2", "normal(3, 0.5)", "[normal(1, 1), rand]"),
    ],
)
def test_same_seed_same_values(source: str) -> None:
    expression = compile_expression(source)
    first = [expression.evaluate(env) for env in [environment()] for _ in range(5)]
    again = [expression.evaluate(env) for env in [environment()] for _ in range(5)]
    assert first == again
    assert first[0] != first[1]


@pytest.mark.parametrize("source", ["exponential(0)", "normal(0, 0)", "exponential('x')"])
def test_distributions_without_width_are_constant(source: str) -> None:
    assert compile_expression(source).evaluate(environment()) == 0


@pytest.mark.parametrize(
    ("source", "cumulative"),
    [
        ("exponential(2.5)", lambda x: 1 - exp(-x / 2.5)),
        ("exponential('0.1 s')", lambda x: 1 - exp(-x / 0.1)),
        ("normal(10, 3)", lambda x: NormalDist(10, 3).cdf(x)),
        ("normal(-1, 0.5)", lambda x: NormalDist(-1, 0.5).cdf(x)),
    ],
)
def test_distributions_are_those_of_their_names(
    source: str, cumulative: Callable[[float], float]
) -> None:
    """By the test of Kolmogorov and Smirnov: 1.63 / sqrt(n) is exceeded once in a hundred."""
    expression, env, count = compile_expression(source), environment(), 5000
    values: list[float] = sorted(expression.evaluate(env) for _ in range(count))  # type: ignore[type-var, misc]
    away = [
        max(cumulative(value) - at / count, (at + 1) / count - cumulative(value))
        for at, value in enumerate(values)
    ]
    assert max(away) < 1.63 / sqrt(count)


def test_the_largest_random_number_gives_a_finite_value() -> None:
    for drawn in (0.0, 1 - 2**-53):
        env = Environment({}, {}, {}, {}, random=lambda drawn=drawn: drawn, now=float)
        for source in ("exponential(1)", "normal(0, 1)"):
            value = compile_expression(source).evaluate(env)
            assert isinstance(value, int | float)
            assert abs(value) < 40


def test_json_booleans_are_perls() -> None:
    env = environment(t=True, f=False)
    for source, value in {
        "$v->{t} + 1": 2, "$v->{f} + 1": 1, "$v->{t} . 'x'": "1x", "$v->{f} . 'x'": "x",
        "$v->{t} == 1 ? 'y' : 'n'": "y", "$v->{f} ? 'y' : 'n'": "n", "true + true": 2,
        "!$v->{f}": 1, "$v->{f} // 'd'": False, "defined $v->{f}": 1,
    }.items():  # fmt: skip
        assert compile_expression(source).evaluate(env) == value, source


def test_integral_results_are_integers() -> None:
    for source in ("10 / 2", "2.5 * 2", "int(7.5)", "2 ** 3", "0.5 + 0.5", "sqrt 16"):
        assert type(compile_expression(source).evaluate(environment())) is int, source


def test_condition_and_value_agree() -> None:
    env = environment(n=5, s="", z="0", l=[], t="0.0")
    for source in ("$v->{n}", "$v->{s}", "$v->{z}", "$v->{l}", "$v->{t}", "$v->{x}", "!$v->{n}",
                   "$v->{n} && $v->{s}", "$v->{s} || $v->{n}", "$v->{n} < 30", "$v->{x} // 0",
                   "defined $v->{x}", "exists $v->{n}", "$v->{t} =~ /0/", "1 xor 1"):  # fmt: skip
        expression = compile_expression(source)
        value = expression.evaluate(env)
        assert expression.test(env) is (value not in (None, "", 0, "0")), source


def test_my_variables_start_anew_each_time() -> None:
    expression = compile_expression("my $x; my @l; push @l, 1; $x .= 'a'; $x . scalar(@l)")
    env = environment()
    assert [expression.evaluate(env) for _ in range(3)] == ["a1", "a1", "a1"]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("pack_bcd('12345')", "2143f5"),
        ("pack_bcd('1234')", "2143"),
        ("pack_bcd('*#1')", "baf1"),
        ("pack_bcd('')", ""),
        ("unpack_bcd('2143f5')", "12345"),
        ("unpack_bcd('2143')", "1234"),
        ("unpack_bcd(pack_bcd('642100a'))", "642100a"),
        ("luhn('7992739871')", "3"),
        ("luhn('49015420323751')", "8"),
        ("luhn('0')", "0"),
        ("uuid() =~ /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/", 1),
        ("time", 1_700_000_000),
        ("gmtime . ''", "Tue Nov 14 22:13:20 2023"),
        ("strftime('%Y%m%d%H%M%S', gmtime)", "20231114221320"),
    ],
)
def test_functions_of_ours(source: str, value: Value) -> None:
    assert compile_expression(source).evaluate(environment()) == value
