"""The language against Perl itself: each line of perl_cases.txt must give the value of Perl.

One Perl process evaluates all lines. The test compares the value in scalar context, and `$v`
afterwards: both as text, arrays and hashes by their elements. If the language differs on purpose,
the line is in DIFFERENCES with our value and the reason.
"""

import pytest
from support.each import each
from unit.expr.perl import ours, perl_answers
from unit.expr.perl_cases import CASES

from tsvc.errors import ExpressionError

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


@pytest.fixture(scope="module")
def answers() -> dict[str, dict]:
    """Perl's answer to each line."""
    return perl_answers(CASES)


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
