"""Each kind of token, very long: a value, or an error of the language."""

import math

import pytest

from tsvc.errors import ExpressionFailed, ExpressionSyntaxError
from tsvc.expr.environment import Environment
from tsvc.expr.expression import compile_expression

BEGINNINGS = (
    *("", "0", "0x", "0b", "0o", "1e", "1e-", "1.", ".", "1_", "-", "!", "$v->", "$v->{", "$v->["),
    *("'", '"', '"\\x{', '"\\', "qw(", "m/", "s/", "tr/", "my $", "@", "%", "a", "a =>", "#", "("),
    *("'1' x ", "1 << ", "2 ** ", "substr 'a', ", "chr ", "hex '", "oct '0x", "oct '0b", "1 .. "),
)
UNITS = ("0", "1", "7", "9", "f", "_", "a", "\\", " ", "é", "😀", "\0")
ENDS = ("", "'", '"', "}", "]", ")", "/", "/b/")


def env():
    return Environment({}, {}, {}, {}, random=lambda: 0.25, now=lambda: 1.7e9)


def refusal(source):
    try:
        compile_expression(source).evaluate(env())
    except (ExpressionSyntaxError, ExpressionFailed) as error:
        return str(error)
    return ""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_value_or_an_error_of_the_language(beginning):
    for unit in UNITS:
        for length in (20, 400, 50_000):
            for end in ENDS:
                assert len(refusal(beginning + unit * length + end)) < 1000


@pytest.mark.parametrize("literal", ["0x" + "f" * 400, "0b" + "1" * 2000, "0" + "7" * 1000])
def test_a_number_beyond_doubles_is_infinite_as_in_perl(literal):
    assert compile_expression(literal).evaluate(env()) == math.inf
