"""Syntax errors: each names its position."""

import pytest

from tsvc.errors import ExpressionSyntaxError
from tsvc.expr import compile_expression


def error_of(source: str) -> ExpressionSyntaxError:
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_expression(source)
    return caught.value


@pytest.mark.parametrize(
    ("source", "column", "part"),
    [
        ("", 0, "empty"),
        ("   ", 3, "empty"),
        ("1 +", 3, "ends where a value"),
        ("1 + # plus", 10, "ends where a value"),
        ("1 2", 2, "expected an operator"),
        ("(1", 0, "'(' is not closed"),
        ("(1]", 2, "can't stand here"),
        ("[1, 2", 5, "before a bracket is closed"),
        ("{a => 1", 7, "before a bracket is closed"),
        ("'abc", 0, "not closed"),
        ('"abc', 0, "not closed"),
        ("$v->{x", 6, "expected '}'"),
        ("$v->[1", 6, "expected ']'"),
        ("$v->x", 2, "methods are not supported"),
        ("$v{x}", 0, "write $v->{"),
        ("$x", 0, "$x is not declared"),
        ("1 + $nope", 4, "$nope is not declared"),
        ("my $x = 1; $y", 11, "$y is not declared"),
        ("my $x = $x + 1", 8, "$x is not declared"),
        ("[map { my $t = $_; $t } 1]; $t", 28, "$t is not declared"),
        ("$v = 5", 3, "$v itself"),
        ("5 = 6", 2, "can't be assigned"),
        ("length($v->{x}) = 1", 16, "can't be assigned"),
        ("1--1", 1, "needs a variable"),
        ("lenght('a')", 0, 'did you mean "length"'),
        ("foo", 0, "needs quotes"),
        ("1 + system('ls')", 4, "the function 'system' is unknown"),
        ("1 if 2", 2, "use ?: or branch"),
        ("if (1) { 2 }", 0, "use ?: or branch"),
        ("return 1", 0, "use ?: or branch"),
        ("1 < 2 < 3", 6, "use parentheses"),
        ("1 == 2 == 3", 7, "use parentheses"),
        ("1 ? 2", 5, "expected ':'"),
        ("push $v->{l}, 1", 0, "push takes @{...}"),
        ("keys $v->{h}", 0, "keys takes %{...}"),
        ("exists $v", 0, "exists takes an element"),
        ("delete 5", 0, "delete takes an element"),
        ("substr('a')", 0, "at least 2"),
        ("index('a')", 0, "at least 2"),
        ("abs(1, 2)", 0, "at most 1"),
        ("time(1)", 5, "expected ')'"),
        ("'a' =~ 'b'", 4, "needs a pattern"),
        ("'a' =~ /(/", 8, "missing )"),
        ("'a' =~ /[a/", 8, "missing ]"),
        ("'a' =~ /b", 7, "not closed"),
        (r"'a' =~ /x(a)\1/", 12, "backreferences"),
        ("'a' =~ /ab(?=c)/", 10, "look-around"),
        ("'a' =~ /(?<!c)a/", 8, "look-around"),
        ("'a' =~ /(?>a)/", 8, "atomic"),
        ("'a' =~ /ba++/", 10, "possessive"),
        ("'a' =~ /a{1001}/", 9, "1000"),
        ("'a' =~ /a/q", 10, "flag 'q'"),
        ("'a' =~ s/a/b/", 4, "s/// needs a variable"),
        ("qr/a/", 0, "qr// is not supported"),
        ("$v->{x} =~ tr/z-a/b/", 14, "backwards"),
        (r'"\Uabc"', 1, "use uc()"),
        (r'"\x{110000}"', 1, "no character"),
        ("089", 0, "octal"),
        ("~5", 0, "bit operators"),
        ("1 & 2", 2, "can't stand here"),
        ("\\$v->{x}", 0, "backslash"),
        ("@", 0, "expected @{...}"),
        ("my 5", 3, "'my' declares"),
        ("`ls`", 0, "can't begin with '`'"),
        ("$", 0, "expected a name"),
        ("$0", 0, "captures"),
        ('"$nope"', 1, "$nope is not declared"),
        ("map { $_ }", 10, ""),
        ("import os", 0, "needs quotes"),
        ("__import__('os')", 0, "unknown"),
        ("$v->{x}->__class__", 7, "methods are not supported"),
    ],
)
def test_error_has_its_column(source: str, column: int, part: str) -> None:
    if part == "":
        compile_expression(source)  # an empty list is a list
        return
    error = error_of(source)
    assert part in error.text
    assert error.column == column
    assert error.source == source


def test_message_shows_the_line_with_a_caret() -> None:
    error = error_of("my $a1 = 1;\n$a1 + $b2;\n5")
    assert str(error).split("\n")[1:] == ["  $a1 + $b2;", "        ^"]


@pytest.mark.parametrize(
    "source",
    ["(" * 5000, "[" * 5000, "!" * 5000, "-" * 5001 + "1", "$v->{a}" + "+$v->{b}" * 3000,
     "$v->{" * 3000, "1 ? " * 3000, "map {" * 3000, '"' + "$v->{" * 3000, "1" + "**1" * 3000,
     "x" * 70_000,
     "not " * 3000 + "1", "1" + " && 1" * 3000, "$v->{a}" + "{b}" * 3000, "((" * 90 + "1"],
)  # fmt: skip
def test_deep_or_long_source_is_a_syntax_error(source: str) -> None:
    error_of(source)


def test_long_chains_that_stay_flat_are_fine() -> None:
    compile_expression("'a'" + " . $v->{x}" * 3000)
    compile_expression("[" + "$v->{x}, " * 3000 + "]")
    compile_expression("$v->{x} = 1;" * 3000)
