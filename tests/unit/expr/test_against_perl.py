"""The language against Perl itself: each line of perl_cases.txt must give what perl gives.

One perl process evaluates all lines. Compared are the value in scalar context and what `$v`
holds afterwards, both as text, arrays and hashes by their elements. Where the language differs
on purpose the line is in DIFFERENCES with our value and the reason.
"""

import json
import os
import shutil
import subprocess

import pytest
from support.each import each
from unit.expr.perl_cases import CASES, G, I, R, V

from tsvc.errors import ExpressionError
from tsvc.expr import Environment, compile_expression
from tsvc.expr.values import to_text

FAILS = object()
DIFFERENCES: dict[str, tuple[object, str]] = {
    "1 == 1 == 1": (FAILS, "comparisons are not chained: use && or parentheses"),
    "$v->{h}{missing}{deep}": (None, "reading makes no containers on the way"),
    "exists $v->{h}{x}{y} ? 1 : 0": ("0", "reading makes no containers on the way"),
    '"Ünï" =~ /^\\w+$/ ? 1 : 0': ("0", "\\w is ASCII in RE2"),
    '"\\x{662}" =~ /\\d/ ? 1 : 0': ("0", "\\d is ASCII in RE2"),
    '"user@example.com"': ("user@example.com", "@ stands for itself in a text"),
    '"@{[ 1 + 1 ]}"': ("@{[ 1 + 1 ]}", "@ stands for itself in a text"),
    'my @a=(1,2); "$#a"': ("$#a", "no last index in a text"),
    "my $p = '^'; [split $p, \"a\\nb\"]": (["a\nb"], "a pattern of a variable is taken as it is"),
    'sprintf("%d", 1e20)': ("9223372036854775807", "too large for %d: the limit, not -1"),
}

PERL = r"""
use strict; no warnings; use utf8;
use JSON::PP; use POSIX qw(strftime); use List::Util qw(min max sum);
my $json = JSON::PP->new->utf8->canonical;
local $/; my $in = $json->decode(scalar <STDIN>);
sub dump_value {
    my ($x) = @_;
    return undef unless defined $x;
    return [map { dump_value($_) } @$x] if ref $x eq 'ARRAY';
    return { map { $_ => dump_value($x->{$_}) } keys %$x } if ref $x eq 'HASH';
    return "$x";
}
my @out;
for my $expression (@{$in->{cases}}) {
    my ($v, $i, $g, $r) = @{$json->decode($json->encode($in->{roots}))};
    my $source = $expression =~ /^\s*\{/ ? "+$expression" : $expression;
    my $value = eval "no warnings; scalar(do { $source\n})";
    my $error = $@;
    push @out, $error ? { error => "$error" }
                      : { value => dump_value($value), v => dump_value($v) };
}
print $json->encode(\@out);
"""


def perl_answers(cases: list[str]) -> dict[str, dict]:
    """Return what perl says to each case; without perl the test is skipped, or fails."""
    perl = shutil.which("perl")
    if perl is None:
        if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
            pytest.fail("perl is required and not here")
        pytest.skip("perl is not here")
    request = json.dumps({"cases": cases, "roots": [V, I, G, R]})
    done = subprocess.run(
        [perl, "-e", PERL], input=request.encode(), capture_output=True, check=True, timeout=120
    )
    return dict(zip(cases, json.loads(done.stdout), strict=True))


@pytest.fixture(scope="module")
def answers() -> dict[str, dict]:
    """What perl says to each line."""
    return perl_answers(CASES)


def dumped(value: object) -> object:
    """Return a value as the perl side shows it."""
    if value is None:
        return None
    if isinstance(value, list):
        return [dumped(item) for item in value]
    if isinstance(value, dict):
        return {key: dumped(item) for key, item in value.items()}
    return to_text(value)


def ours(source: str) -> tuple[object, object]:
    """Return the value that we give, and $v afterwards."""
    v, i, g, r = json.loads(json.dumps([V, I, G, R]))
    env = Environment(v, i, g, r, random=lambda: 0.25, now=lambda: 1.7e9)
    return dumped(compile_expression(source).evaluate(env)), dumped(v)


@each("source", CASES)
def test_value_is_perls(source: str, answers: dict[str, dict]) -> None:
    answer = answers[source]
    if source in DIFFERENCES:
        expected = DIFFERENCES[source][0]
        if expected is FAILS:
            with pytest.raises(ExpressionError):
                ours(source)
            return
        assert ours(source)[0] == expected
        assert ours(source) != (answer.get("value"), answer.get("v")), "no difference any more"
        return
    assert "error" not in answer, answer["error"]
    assert ours(source) == (answer["value"], answer["v"])


def test_every_difference_is_a_case() -> None:
    assert set(DIFFERENCES) <= set(CASES)
    assert len(CASES) == len(set(CASES)) > 400
