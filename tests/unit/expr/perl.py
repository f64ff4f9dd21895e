"""Evaluates the same expression by Perl and by tsvc."""

import json
import os
import shutil
import subprocess

import pytest
from unit.expr.perl_cases import G, I, R, V

from tsvc.expr import Environment, compile_expression
from tsvc.expr.values import to_text

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
    """Return Perl's answer to each case; without Perl, skip the test or let it fail."""
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


def dumped(value: object) -> object:
    """Return a value in the form that the Perl side shows."""
    if value is None:
        return None
    if isinstance(value, list):
        return [dumped(item) for item in value]
    if isinstance(value, dict):
        return {key: dumped(item) for key, item in value.items()}
    return to_text(value)


def ours(source: str) -> tuple[object, object]:
    """Return the value that tsvc gives, and $v after the evaluation."""
    v, i, g, r = json.loads(json.dumps([V, I, G, R]))
    env = Environment(v, i, g, r, random=lambda: 0.25, now=lambda: 1.7e9)
    return dumped(compile_expression(source).evaluate(env)), dumped(v)
