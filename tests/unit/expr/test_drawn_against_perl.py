"""The language against Perl with random expressions, from a fixed seed.

The differences described in docs/reference/expressions.md are left out: numbers beyond 2**53 or
infinite, `%d` and `hex` of more than 64 bits, invalid code points, a negative zero.
"""

import random

from unit.expr.perl import ours, perl_answers

_DRAWN = 1_500
_DEEPEST = 2
_ATOMS = r"""(0)|(1)|(-1)|(2)|(3)|(10)|(-7)|(0.5)|(-0.5)|(1.5)|(2.5)|(3.7)|(1e3)|(1e10)|(0.1)|
(1e-5)|''|'0'|'0.0'|'00'|'abc'|'-5'|'+5'|'1e3'|'1e'|'.5'|'5.'|'az'|'Zz'|'a9'|'zz9'|'007'|'1_000'|'0e0'|
'12abc'|'00123'|'1.50'|'0x'|'0x1A'|'--5'|'+-5'|'-abc'|'a-b'|' 12 '|"12\n"|"\t5"|4294967296|
$v->{n}|$v->{s}|$v->{nope}""".replace("\n", "").split("|")
_BINARY = (
    *("+", "-", "*", "/", "%", ".", "==", "!=", "<", ">", "<=", ">=", "<=>", "&&", "||", "//"),
    *("eq", "ne", "lt", "gt", "le", "ge", "cmp"),
)
_UNARY = ("int", "abs", "length", "uc", "lc", "ucfirst", "lcfirst", "oct", "ord", "defined", "!")
_FORMS = (
    *("%d", "%5d", "%-5d;", "%05d", "%+d", "%.3d", "%5.3d", "%i", "%u", "%%", "%5%", "%2$s"),
    *("%x", "%#x", "%X", "%#X", "%#.3x", "%#010x", "%o", "%#o", "%b", "%#b", "%08b"),
    *("%.0f", "%.1f", "%10.2f", "%+.2f", "%s", "%5s", "%-5s;", "%.2s", "%05s"),
)
_PLACES = ("0", "1", "2", "-1", "-2", "5", "100", "-100", "1.9", "-1.5", "undef", "'x'")
_STEPS = ("$x++; $x", "++$x", "$x--; $x", "my $y = $x++; $y.'/'.$x")


class _Draw:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def one(self, of: object) -> str:
        return self._random.choice(of)

    def expression(self, depth: int = 0) -> str:
        kind = self._random.randrange(9) if depth <= _DEEPEST else 0
        if kind == 0:
            return self.one(_ATOMS)
        first, second = self.expression(depth + 1), self.expression(depth + 1)
        place, length = self.one(_PLACES), self.one(_PLACES)
        return (
            f"({first} {self.one(_BINARY)} {second})",
            f"({first} {self.one(_BINARY)} {second})",
            f"{self.one(_UNARY)}({first})",
            f"sprintf('{self.one(_FORMS)}', {first}, {second})",
            f"substr({first}, {place}, {length})",
            f"{self.one(('index', 'rindex'))}({first}, {second}, {place})",
            f"{self.one(('min', 'max'))}({first}, {second})",
            f"({first} x {self.one(('0', '1', '3', '-1', '2.9'))})",
        )[kind - 1]

    def case(self) -> str:
        if self._random.random() < 0.2:
            return f"my $x = {self.one(_ATOMS)}; {self.one(_STEPS)}"
        return self.expression()


def test_drawn_expressions_give_what_perl_gives() -> None:
    draw = _Draw(20)
    cases = list(dict.fromkeys(draw.case() for _ in range(_DRAWN)))
    # Cases that fail in Perl (division by zero, a subscript of a text) have no value to compare.
    answers = {case: one for case, one in perl_answers(cases).items() if "error" not in one}
    assert len(answers) > _DRAWN // 2
    differing = {
        case: (answer["value"], ours(case)[0])
        for case, answer in answers.items()
        if ours(case)[0] != answer["value"]
    }
    assert differing == {}
