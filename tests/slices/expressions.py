"""Every function and operator of the language on the largest values that its limits allow.

Nothing is listed here: functions come from their registry, operators from the parser's table.
"""

from collections.abc import Callable, Iterator
from typing import Any

import gevent

from slices.meter import Slice, longest
from tsvc.engine.give_way import slices
from tsvc.errors import ExpressionError
from tsvc.expr import Environment, compile_expression
from tsvc.expr.functions import FUNCTIONS
from tsvc.expr.parse.calls import SPECIAL_NAMES
from tsvc.expr.parse.infix import INFIX

# Values that the variables of an instance may have. The step limit allows to read 6.4 MB of them.
VALUES: dict[str, Any] = {
    "digits": "9" * 6_000_000,
    "more digits": "9" * 10_000_000,
    "zeros": "0" * 6_000_000,
    "letters": "z" * 4_000_000,
    "wide": "\U00010000" * 1_500_000,
    "accents": "é" * 5_000_000,
    "hex": "21" * 2_000_000,
    "bars": "_" * 6_000_000,
    "blanks": " " * 6_000_000,
    "percents": "%%" * 2_000_000,
    "lines": "a\n" * 300_000,
    "list": list(range(90_000)),
    "long list": [1] * 900_000,
    "floats": [number / 7 for number in range(90_000)],
    "texts": [str(number) * 3 for number in range(90_000)],
    "large texts": ["x" * 1_000_000] * 1_000,
    "hash": {str(number): number for number in range(45_000)},
    "large": 10**4_000,
    "number": 1e308,
    "small": 3,
}


def sources() -> Iterator[tuple[str, str]]:
    """Yield (name, source); $v has the values as `a` and `b`."""
    for name in (*FUNCTIONS.names(), *SPECIAL_NAMES):
        for arguments in ("$a", "$a, $b", "$a, $b, $a", "@{$a}", "@{$a}, $b", "$b, @{$a}", "%{$a}",
                          "{ $_ } @{$a}", "{ $a cmp $b } @{$v->{a}}", "$a, 1, 2, $b"):  # fmt: skip
            text = arguments.replace("$a", "$v->{a}").replace("$b", "$v->{b}")
            text = text.replace("$v->{a} cmp $v->{b}", "$a cmp $b")
            yield f"{name} {arguments}", f"[{name}({text})]"
    for sign in INFIX:
        right = "/(z|9)+x?/" if sign in ("=~", "!~") else "$v->{b}"
        if sign == "?":
            right += " : 1"
        if sign in ("++", "--"):
            right = ""
        yield f"a {sign} b", f"my $x = $v->{{a}}; $x {sign} {right}"
        yield f"a {sign} small", f"my $x = $v->{{a}}; [$x {sign} {right and '3'}]"
    for pattern in ("s/z/y/g", "s/(.)(.)/$2$1/g", "tr/a-z/A-Z/", "tr/a-z//cd", "s/9$/x/"):
        yield pattern, f"my $x = $v->{{a}}; $x =~ {pattern}; $x"
    for text in ("-$v->{a}", "!$v->{a}", '"$v->{a}$v->{a}$v->{b}"', "[@{$v->{a}}]", "{%{$v->{a}}}",
                 "$v->{a}[0]", "@{$v->{a}}[1, 2]", "my @l = @{$v->{a}}; $#l", "$v->{a} x 2",
                 "(@{$v->{a}}) x 2", "my ($x, @r) = @{$v->{a}}; 1", "$v->{a} .. $v->{b}",
                 "$v->{h}{$v->{a}} = 1", "++$v->{a}", "$v->{a}--", "sort @{$v->{a}}",
                 "[reverse sort @{$v->{a}}]", "[map { $_ . 'x' } @{$v->{a}}]",
                 "join '', @{$v->{a}}"):  # fmt: skip
        yield text, text


def played(source: str, first: Any, second: Any) -> Slice | None:
    """Return the longest slice of an evaluation in an instance; None: it does not compile."""
    try:
        expression = compile_expression(source)
    except ExpressionError:
        return None
    copies = [
        value.copy() if isinstance(value, list | dict) else value for value in (first, second)
    ]
    variables = dict(zip("ab", copies, strict=True))
    env = Environment(variables, {}, {}, {}, random=lambda: 0.5, now=lambda: 1e9, tick=slices())

    def work() -> None:
        try:
            expression.evaluate(env)
        except ExpressionError:
            return

    return longest(work)


def every() -> Iterator[tuple[str, Callable[[], Slice | None]]]:
    """Yield (description, function that evaluates) for all expressions, with different values."""
    for name, source in sources():
        for first, value in VALUES.items():
            for second in ("small",) if "$v->{b}" not in source else ("small", first):
                yield (
                    f"{name} of {first} and {second}",
                    lambda s=source, a=value, b=VALUES[second]: played(s, a, b),  # type: ignore[misc]
                )
    gevent.sleep(0)
