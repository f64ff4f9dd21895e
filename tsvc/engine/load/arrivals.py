"""The positions of a run's starts on the count of its grid: even, or a Poisson process. Pure.

A grid knows how many starts it has planned by each moment, as a real number. Arrivals say at
which count start k (from 0) is planned. Even arrivals plan start k when the count reaches k.
Poisson arrivals plan it when the count reaches the sum of k + 1 exponential variates of mean 1:
the starts are then a Poisson process whose rate is that of the grid, on ramps and stages too.

The same seed gives the same variates, so that all workers of a run plan the same starts.
"""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import ceil, inf, log1p, nextafter
from random import Random

from tsvc.memo import Memo
from tsvc.values import dataclass

EVEN, POISSON = "even", "poisson"
KINDS = (EVEN, POISSON)

_BLOCK = 512  # variates made together: less than a millisecond
_BLOCKS_KEPT = 16
_SPLITS_KEPT = 4096
_DOUBLINGS_KEPT = 128
# Python's gamma variates lose their precision beyond this shape. A normal variate is as good: the
# skewness of the gamma distribution is 2e-6 here.
_LARGE = float(1 << 40)
_ROUNDING = 1e-9  # starts


class ExponentialSums:
    """Sums of independent exponential variates of mean 1; any sum is found quickly.

    The sum of the first n variates of 10**15 must not need all the variates before it. So sums
    at the ends of blocks are made first, the largest blocks before the smaller ones. The sum of n
    variates has a gamma distribution. The share of the first half of the variates in this sum is
    a beta variate that does not depend on the sum. Variates of the smallest blocks are made one by
    one and scaled to the sum of their block, which for the same reason changes nothing.

    Each of these numbers comes from a generator of its own, which is seeded by its position.
    Only caches are kept, whose size has a bound.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._doublings = Memo("doublings", _DOUBLINGS_KEPT, self._doubled)
        self._splits = Memo("splits", _SPLITS_KEPT, self._split)
        self._blocks = Memo("blocks of variates", _BLOCKS_KEPT, self._block)

    def of(self, count: int) -> float:
        """Return the sum of the first `count` variates."""
        if count <= 0:
            return 0.0
        number, at = divmod(count - 1, _BLOCK)
        return self._blocks[number][at]

    def below(self, value: float) -> int:
        """Return how many of the sums of 1, 2, … variates are below a value."""
        if value <= 0:
            return 0
        power = 0
        while self._doublings[power] < value:
            power += 1
        first, size, low, high = self._octave(power - 1)
        while size > 1:
            size //= 2
            middle = low + (high - low) * self._splits[first + size]
            if value <= middle:
                high = middle
            else:
                first, low = first + size, middle
        return first * _BLOCK + bisect_left(self._blocks[first], value)

    def _octave(self, power: int) -> tuple[int, int, float, float]:
        """Return the first block, the number of blocks, and the sums before and behind them.

        Octave -1 is block 0 alone, octave n the blocks from 2**n to below 2**(n + 1).
        """
        if power < 0:
            return 0, 1, 0.0, self._doublings[0]
        return 1 << power, 1 << power, self._doublings[power], self._doublings[power + 1]

    def _doubled(self, power: int) -> float:
        """Return the sum of the variates of the first 2**power blocks."""
        random = self._random("doubling", power)
        if power == 0:
            return _gamma(random, _BLOCK)
        return self._doublings[power - 1] + _gamma(random, _BLOCK << (power - 1))

    def _split(self, middle: int) -> float:
        """Return the part of the sum that lies before block `middle`, of the blocks around it."""
        blocks = middle & -middle  # on each side of it
        return _beta(self._random("split", middle), _BLOCK * blocks)

    def _block(self, number: int) -> list[float]:
        """Return the sums up to each variate of a block."""
        first, size, low, high = self._octave(number.bit_length() - 1)
        while size > 1:
            size //= 2
            middle = low + (high - low) * self._splits[first + size]
            if number < first + size:
                high = middle
            else:
                first, low = first + size, middle
        random = self._random("block", number).random
        sums = list(accumulate(-log1p(-random()) for _ in range(_BLOCK)))
        scale = (high - low) / sums[-1]
        found = [min(low + value * scale, high) for value in sums]
        found[-1] = high  # exactly: the next block begins there
        return found

    def _random(self, what: str, number: int) -> Random:
        return Random(f"{self._seed}:arrivals:{what}:{number}")


def _gamma(random: Random, shape: int) -> float:
    if shape > _LARGE:
        return random.normalvariate(shape, shape**0.5)
    return random.gammavariate(shape, 1.0)


def _beta(random: Random, shape: int) -> float:
    """Return a beta variate both of whose parameters are `shape`."""
    if shape > _LARGE:
        return random.normalvariate(0.5, 0.5 / (2 * shape + 1) ** 0.5)
    return random.betavariate(shape, shape)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Start `start` and later ones are counted from `origin` on in one way."""

    start: int
    origin: float
    kind: str


class Arrivals:
    """The counts of a grid at which its starts are planned. Never changes.

    The kind may differ from some count on. Forgotten starts (since()) lie before all others.
    """

    def __init__(self, kind: str = EVEN, seed: int = 0) -> None:
        self._sums = ExponentialSums(seed)
        self._place((_Piece(0, 0.0, kind),))

    def _place(self, pieces: tuple[_Piece, ...]) -> None:
        self._pieces = pieces
        # Nearly always there is one piece of even arrivals, whose count is the start's number.
        self._is_plain = pieces == (_Piece(0, 0.0, EVEN),)

    @property
    def kind(self) -> str:
        """The kind of the starts to come."""
        return self._pieces[-1].kind

    def position(self, start: int) -> float:
        """Return the count at which a start is planned; -inf for a forgotten start."""
        if self._is_plain:
            return start
        pieces = self._pieces
        if len(pieces) == 1:
            at = 0 if start >= pieces[0].start else -1
        else:
            at = bisect_right(pieces, start, key=lambda piece: piece.start) - 1
        return -inf if at < 0 else self._in_piece(pieces[at], start)

    def before(self, count: float) -> int:
        """Return how many starts are planned at counts below this one, forgotten ones included."""
        if self._is_plain:
            return max(ceil(count), 0)
        pieces = self._pieces
        at = max(bisect_left(pieces, count, key=lambda piece: piece.origin) - 1, 0)
        piece = pieces[at]
        most = pieces[at + 1].start if at + 1 < len(pieces) else inf
        if piece.kind == EVEN:
            guess = piece.start + ceil(count - piece.origin)
        else:
            guess = self._sums.below(count - piece.origin + self._sums.of(piece.start))
        guess = max(guess, piece.start)
        # The differences above are rounded.
        while self._in_piece(piece, guess) < count:
            guess += 1
        while guess > piece.start and self._in_piece(piece, guess - 1) >= count:
            guess -= 1
        return int(min(guess, most))

    def snapped(self, count: float) -> float:
        """Return a count without rounding errors: a start planned at it stays planned at it."""
        following = self.before(count)
        for start in (following, following - 1):
            position = self.position(start) if start >= 0 else -inf
            if abs(position - count) < _ROUNDING:
                return float(position)
        return count

    def changed(self, kind: str | None, count: float) -> "Arrivals":
        """Return arrivals of another kind for the starts that are planned beyond a count.

        The first even start comes one whole count after the last start before it, or at once if
        that has passed.
        """
        if kind is None or kind == self.kind:
            return self
        start = self.before(nextafter(count, inf))
        origin = count
        if kind == EVEN and start > 0:
            origin = max(self.position(start - 1) + 1, count)
        kept = [piece for piece in self._pieces if piece.start < start]
        return self._made((*kept, _Piece(start, origin, kind)))

    def since(self, start: int) -> "Arrivals":
        """Return arrivals without the pieces that only starts before `start - 1` need."""
        at = bisect_right(self._pieces, start - 1, key=lambda piece: piece.start) - 1
        return self._made(self._pieces[at:]) if at > 0 else self

    def _in_piece(self, piece: _Piece, start: int) -> float:
        if piece.kind == EVEN:
            return piece.origin + (start - piece.start)
        if piece.start == 0:
            return piece.origin + self._sums.of(start + 1)
        return piece.origin + (self._sums.of(start + 1) - self._sums.of(piece.start))

    def _made(self, pieces: tuple[_Piece, ...]) -> "Arrivals":
        found = Arrivals.__new__(Arrivals)
        found._sums = self._sums
        found._place(pieces)
        return found
