"""Any source gives a value, a failure, or a syntax error with a column inside the source."""

import contextlib
import random

from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import ExpressionFailed, ExpressionSyntaxError
from tsvc.expr import Environment, Value, compile_expression

WORDS = """
    $v ->{a} ->[0] {b} [1] $_ $a $x my @x %x @{ %{ } ( ) [ ] { , ; ; ? : = == += .= ||= //=
    ++ -- + - * / % ** . x .. < > <=> eq cmp lt && || // ! and or not xor =~ !~ => \\ # $1 $& $#{
    /a(b)/ /[/ s/a/b/g s/(.)/$1$1/e tr/a-z/b-c/ m{x} split join map grep sort reverse keys values
    push pop shift unshift scalar delete exists defined length substr index uc sprintf int abs hex
    oct chr ord rand time gmtime strftime min max sum ref pack_bcd unpack_bcd luhn uuid
    exponential normal
    q(a) qw(a b)
    'text' "in $v->{a} $x" "\\x{41}" 0 1 -1 2.5 1e400 9223372036854775807 '%s%d' '12' undef true
    $v->{l} @{$v->{l}} %{$v->{h}} $i $g $r lcfirst sqrt localtime"""
PIECES = st.sampled_from(WORDS.split())
SOURCES = st.lists(PIECES, min_size=1, max_size=14).map(" ".join)


def evaluate(source: str) -> None:
    v: dict[str, Value] = {
        "a": "abc", "l": [3, "x", None, 1.5], "h": {"b": {"c": 1}}, "b": True, "big": 10**400,
    }  # fmt: skip
    env = Environment(v, {}, {}, {}, random=random.Random(1).random, now=lambda: 1.7e9)
    error: Exception | None = None
    try:
        expression = compile_expression(source)
    except ExpressionSyntaxError as caught:
        error = caught
    if isinstance(error, ExpressionSyntaxError):
        assert 0 <= error.column <= len(source)
        assert error.source == source
        return
    for run in (expression.evaluate, expression.test):
        with contextlib.suppress(ExpressionFailed):
            run(env)


@given(SOURCES)
def test_pieces_of_the_language(source: str) -> None:
    evaluate(source)


@given(st.text(alphabet="$@%v{}[]()->'\"/\\abx01. =~;,!?:#\n\u00e9\u0662\u20ac", max_size=30))
def test_any_signs(source: str) -> None:
    evaluate(source)


@given(
    st.sampled_from(
        ["+", "-", "*", "/", "%", "**", ".", "x", "==", "<", "<=>", "eq", "cmp", "&&", ".."]
    ),
    st.sampled_from(["a", "l", "h", "b", "big", "none", "inf", "nan"]),
    st.sampled_from(["a", "l", "h", "b", "big", "none", "inf", "nan"]),
)
def test_every_operator_on_every_kind(operator: str, left: str, right: str) -> None:
    setup = "$v->{inf} = 9**9**9; $v->{nan} = $v->{inf} - $v->{inf}; "
    evaluate(f"{setup} [$v->{{{left}}} {operator} $v->{{{right}}}]")


@given(st.sampled_from(["int", "abs", "sqrt", "hex", "oct", "chr", "ord", "rand", "gmtime", "uc",
                        "length", "lcfirst", "ref", "luhn", "pack_bcd", "sprintf", "reverse",
                        "min", "sum", "localtime", "scalar", "defined"]),
       st.sampled_from(["a", "l", "h", "b", "big", "none", "inf", "nan"]))  # fmt: skip
def test_every_function_on_every_kind(function: str, name: str) -> None:
    setup = "$v->{inf} = 9**9**9; $v->{nan} = $v->{inf} - $v->{inf}; "
    evaluate(f"{setup} {function}($v->{{{name}}})")
