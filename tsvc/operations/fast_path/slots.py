"""The values of an instance for the slots of a recording.

A slot belongs to one operation: an argument that it sends, or a value that it expects. The value
depends only on the expressions of the operation. They are evaluated in the order of operations,
and the results are encoded.

Encoding is the most expensive step. If the values are digits, a test finds out whether each digit
is encoded in a nibble of its own, whatever the other digits are. If so, the octets of another
number are made by writing its nibbles. The test tries each digit at each position.
Other values are encoded and cached.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from tsvc.errors import Problem
from tsvc.expr.braces import unescaped
from tsvc.expr.environment import Environment
from tsvc.expr.template import Template, compile_template, is_expression
from tsvc.operations.fast_path.contract import NOT_RECORDABLE, Host

Encode = Callable[[Any], bytes | None]
"""Returns the octets of an argument for the values of its expressions. Errors: NOT_RECORDABLE."""

_MOST_KNOWN = 4096  # values of one slot whose octets are remembered
_MOST_DIGITS = 64  # of one slot
_MOST_SHAPES = 64  # lengths of digits that are tried for one slot
_SEEN_BEFORE = 2  # occurrences of a shape before trying is worth it


class Expressions:
    """The expressions in a JSON value, evaluated together or replaced by other values."""

    __slots__ = ("_given", "_template", "texts")

    def __init__(self, given: Any, *, is_expected: bool = False) -> None:
        """Errors: ValueError if there are no expressions, or invalid expressions."""
        self._given = given
        self.texts: list[str] = []
        _collect(given, self.texts)
        problems: list[Problem] = []
        self._template: Template = compile_template(
            [*self.texts], "", problems, is_expected=is_expected
        )
        if problems or not self.texts:
            raise ValueError("no expressions")

    def evaluate(self, env: Environment) -> list[Any]:
        """Return the values, in their order. Errors: ExpressionFailed, ValueError."""
        found: Any = self._template.render(env)
        if None in found:  # of an expected value it is an Undefined
            raise ValueError("an undefined value is sent")
        return list(found)

    def given_with(self, values: Sequence[Any]) -> Any:
        """Return the JSON value with other values in the place of expressions."""
        return _put(self._given, iter(values))


def _collect(value: Any, found: list[str]) -> None:
    if isinstance(value, Mapping):
        for item in value.values():
            _collect(item, found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found)
    elif is_expression(value):
        found.append(value)


def _put(value: Any, values: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _put(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [_put(item, values) for item in value]
    if is_expression(value):
        return next(values)
    return unescaped(value)[0] if isinstance(value, str) else value


class SlotSource(NamedTuple):
    """The source of the value of one slot.

    position:    index of the operation.
    expressions: determine the value of this slot.
    encode:      makes octets of their values.
    is_expected: True if the operation expects the value in the message that it receives.
    is_plain:    False if digits may have another meaning in their context, such as after a %.
    """

    position: int
    expressions: Expressions
    encode: Encode
    is_expected: bool = False
    is_plain: bool = True


class SlotValues:
    """The slots of one recording, in the order in which their expressions are evaluated."""

    def __init__(
        self,
        host: Host,
        sources: Sequence[SlotSource],
        local: Collection[int],
        received: Mapping[int, Mapping[str, Any]],
    ) -> None:
        """`local`: operations that meet no peer. `received`: the contents that operations have
        received in the recording, if an expression reads them."""
        self._host = host
        self._sources = sources
        self._local = local
        self._received = received
        self._encoders = [SlotEncoder(one.encode, one.is_plain) for one in sources]
        self._path: list[int] = []  # operations that meet a peer, in the order of the recording
        self._by_position: dict[int, list[int]] = {}
        for which, source in enumerate(sources):
            self._by_position.setdefault(source.position, []).append(which)
        # Used instead of the sources when every expression is a `$sequence` variable.
        self._sequences: list[list[Callable[[int], str]]] | None = None

    def learn(self, idx: int, started_at: float) -> list[bytes]:
        """Return the values of the instance that is recorded. Errors: NOT_RECORDABLE."""
        values, self._path = self._made(idx, started_at)
        if self._path != sorted(set(self._path)):
            raise ValueError("it does something again, or goes back")
        found = [
            [self._host.sequence(_variable(text) or "") for text in one.expressions.texts]
            for one in self._sources
        ]
        # Local operations may set variables, which then no longer hold their sequence's digits.
        if self._sources and not self._local and all(None not in each for each in found):
            self._sequences = [[one for one in each if one is not None] for each in found]
        return values

    def of(self, idx: int, started_at: float) -> Sequence[bytes]:
        """Return the values of an instance.

        Errors: NOT_RECORDABLE, also if the instance performs other operations.
        """
        if self._sequences is not None:
            return [
                encoder.octets([sequence(idx) for sequence in sequences])
                for encoder, sequences in zip(self._encoders, self._sequences, strict=True)
            ]
        if not self._sources and not self._local:
            return ()
        values, path = self._made(idx, started_at)
        if path != self._path:
            raise ValueError("other operations")
        return values

    def _made(self, idx: int, started_at: float) -> tuple[list[bytes], list[int]]:
        """Return the values, and the operations that meet a peer if some operations do not."""
        values: list[bytes] = [b""] * len(self._sources)
        path: list[int] = []
        sources, encoders, by_position = self._sources, self._encoders, self._by_position

        def meet(position: int, env: Environment) -> None:
            path.append(position)
            for which in by_position.get(position, ()):
                values[which] = encoders[which].octets(sources[which].expressions.evaluate(env))
            received = self._received.get(position)
            if received is not None:
                env.i.update(received)

        if self._local or self._received:
            self._host.precompute(idx, started_at, self._local, meet)
            if not set(by_position) <= set(path):
                raise ValueError("other operations")
        elif sources:
            env = self._host.variables(idx, started_at)
            for which, source in enumerate(sources):
                values[which] = encoders[which].octets(source.expressions.evaluate(env))
        return values, path


def _variable(text: str) -> str | None:
    """Return the name of the variable if an expression is only a variable; None otherwise."""
    name = text[1:-1].strip()
    bare = name.removeprefix("$v->{").removesuffix("}")
    return bare if name == f"$v->{{{bare}}}" and bare.isidentifier() and bare.isascii() else None


class SlotEncoder:
    """Encodes the values of the expressions of a slot."""

    __slots__ = ("_encode", "_is_plain", "_known", "_patterns", "_seen")

    def __init__(self, encode: Encode, is_plain: bool = True) -> None:
        self._encode = encode
        self._is_plain = is_plain
        self._patterns: dict[tuple[int, ...], DigitPattern | None] = {}
        self._seen: dict[tuple[int, ...], int] = {}
        self._known: dict[tuple[Any, ...], bytes] = {}

    def octets(self, values: list[Any]) -> bytes:
        """Return the octets. Errors: NOT_RECORDABLE, also if there are no octets."""
        shape = tuple([_shape(value) for value in values])
        pattern = self._patterns.get(shape)
        if pattern is None and 0 not in shape and shape not in self._patterns:
            pattern = self._tried(shape)
        if pattern is not None:
            return pattern.fill("".join([str(value) for value in values]))
        try:
            # As texts: 0.0 and -0.0 are equal.
            key = tuple([(type(one), repr(one) if type(one) is float else one) for one in values])
            found = self._known.get(key)
        except TypeError:  # a list or an object
            return self._encoded(values)
        if found is None:
            found = self._encoded(values)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = found
        return found

    def _encoded(self, values: list[Any]) -> bytes:
        octets = self._encode(values)
        if not octets:
            raise ValueError("an argument that is not there")
        return octets

    def _tried(self, shape: tuple[int, ...]) -> "DigitPattern | None":
        """Return the pattern for a shape, once the shape is frequent enough to try; else None."""
        seen = self._seen[shape] = self._seen.get(shape, 0) + 1
        if seen <= _SEEN_BEFORE or len(self._patterns) >= _MOST_SHAPES or not self._is_plain:
            return None
        self._seen.pop(shape)
        try:
            found = DigitPattern.find(self._encoded, shape)
        except NOT_RECORDABLE:
            found = None
        self._patterns[shape] = found
        return found


def _shape(value: Any) -> int:
    """Return the number of digits of a text, the negative number for an integer, 0 otherwise."""
    if type(value) is str:
        return len(value) if value.isdecimal() and value.isascii() else 0
    if type(value) is int and value > 0:  # 0 is often outside of a range, and is tried nowhere
        return -len(str(value))
    return 0


class DigitPattern:
    """Octets in which each digit of some numbers is a nibble, at one position or at several.

    Octets that contain a digit are made from hex; the octets between them are constant.
    """

    __slots__ = ("_pieces", "_runs")

    def __init__(self, octets: bytes, places: Mapping[int, int]) -> None:
        """`places`: index of the digit in a nibble, by the index of the nibble."""
        shown = octets.hex()
        self._pieces: list[bytes] = []
        # (index of the piece, function that picks its nibbles from the digits and the constant
        # nibbles after them, constant nibbles)
        self._runs: list[tuple[int, Callable[[str], Any], str]] = []
        touched = sorted({nibble // 2 for nibble in places})
        width = max(places.values()) + 1
        at = 0
        while touched:
            first = last = touched.pop(0)
            while touched and touched[0] <= last + 2:  # a short gap is cheaper than a piece
                last = touched.pop(0)
            order: list[int] = []
            others = ""
            for nibble in range(2 * first, 2 * last + 2):
                if nibble in places:
                    order.append(places[nibble])
                else:
                    order.append(width + len(others))
                    others += shown[nibble]
            self._pieces += [octets[at:first], b""]
            self._runs.append((len(self._pieces) - 1, itemgetter(*order), others))
            at = last + 1
        self._pieces.append(octets[at:])

    def fill(self, digits: str) -> bytes:
        """Return the octets for the digits of all numbers, one after the other."""
        pieces = self._pieces.copy()
        for at, pick, others in self._runs:
            pieces[at] = bytes.fromhex("".join(pick(digits + others)))
        return b"".join(pieces)

    @classmethod
    def find(
        cls, encode: Callable[[list[Any]], bytes], shape: Sequence[int]
    ) -> "DigitPattern | None":
        """Return the pattern for numbers of such shapes, None if there is none.

        Errors: those of encode.
        """
        width = sum(map(abs, shape))
        if width > _MOST_DIGITS:
            return None
        ones = "1" * width
        octets = encode(_split(ones, shape))
        shown = octets.hex()
        places: dict[int, int] = {}
        for at in range(width):
            other = encode(_split(ones[:at] + "2" + ones[at + 1 :], shape)).hex()
            if len(other) != len(shown):
                return None
            changed = [n for n, pair in enumerate(zip(shown, other, strict=True)) if _differ(pair)]
            if not changed or any(shown[n] != "1" or other[n] != "2" for n in changed):
                return None
            if any(n in places for n in changed):
                return None
            places.update(dict.fromkeys(changed, at))
        found = cls(octets, places)
        for first in range(10):
            digits = [str((at + first) % 10) for at in range(width)]
            for at, length in _starts(shape):
                if length < 0 and digits[at] == "0":  # an integer does not begin with 0
                    digits[at] = "7"
            text = "".join(digits)
            if encode(_split(text, shape)) != found.fill(text):
                return None
        return found


def _differ(pair: tuple[str, str]) -> bool:
    return pair[0] != pair[1]


def _starts(shape: Sequence[int]) -> list[tuple[int, int]]:
    """Return the start index of each number, with its shape."""
    found, at = [], 0
    for length in shape:
        found.append((at, length))
        at += abs(length)
    return found


def _split(digits: str, shape: Sequence[int]) -> list[Any]:
    """Return the numbers of the given shapes that a string of digits contains."""
    texts = [digits[at : at + abs(length)] for at, length in _starts(shape)]
    return [int(text) if length < 0 else text for text, length in zip(texts, shape, strict=True)]
