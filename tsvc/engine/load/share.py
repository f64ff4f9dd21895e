"""Divides the planned starts of a run between processes. Pure.

The starts are dealt into stripes, as cards are: start idx lies in stripe idx mod modulus. A
process holds some stripes, or all of them if it executes the run alone. If several processes hold
disjoint stripes and together all of them, each start is made exactly once, whatever the rate does.
From some start on a process may hold other stripes, because another process was lost.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from tsvc.values import dataclass

STRIPES = 256
MANY_STRIPES = 4096
_MANY_PLAYERS = 64


@dataclass(frozen=True, slots=True)
class _Piece:
    """The stripes held from `start` on. Before it lie `nth` own starts, `rank` in its stripes."""

    start: int
    nth: int
    stripes: tuple[int, ...]
    rank: int


class Share:
    """The starts below `total` in some stripes of `modulus`. Never changes."""

    def __init__(self, total: int, modulus: int = 1, stripes: Sequence[int] = (0,)) -> None:
        """`stripes`: distinct numbers below modulus; empty for a share without starts."""
        self.total = total
        self.modulus = modulus
        self._pieces = [_Piece(0, 0, tuple(sorted(stripes)), 0)]
        self._is_whole = modulus == 1 and len(stripes) == 1
        self.count = self.before(total)  # of own starts; may be above any len()

    @property
    def stripes(self) -> tuple[int, ...]:
        """The stripes that are held in the end."""
        return self._pieces[-1].stripes

    @property
    def part(self) -> float:
        """The part of the whole that is held in the end, 0 to 1."""
        return len(self.stripes) / self.modulus

    def changed(self, start: int, stripes: Sequence[int]) -> "Share":
        """Return a share that is this one below `start`, and other stripes from there on."""
        found = Share(self.total, self.modulus)
        found._is_whole = False
        held = tuple(sorted(stripes))
        kept = [piece for piece in self._pieces if piece.start < start]
        piece = _Piece(start, self.before(start), held, self._rank(held, start))
        found._pieces = [*kept, piece]
        found.count = found.before(self.total)
        return found

    def start(self, nth: int) -> int | None:
        """Return own start `nth`, counted from 0, also beyond total; None if there is none."""
        if self._is_whole:
            return nth
        pieces = self._pieces
        piece = pieces[0] if len(pieces) == 1 else self._piece_of(nth)
        held = piece.stripes
        if not held:
            return None
        rounds, at = divmod(piece.rank + nth - piece.nth, len(held))
        return rounds * self.modulus + held[at]

    def before(self, start: int) -> int:
        """Return how many own starts are below `start`, which may be beyond total."""
        pieces = self._pieces
        at = bisect_right(pieces, start, key=lambda piece: piece.start) - 1
        piece = pieces[max(at, 0)]
        return piece.nth + self._rank(piece.stripes, start) - piece.rank

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, nth: int) -> int:
        """Return own start `nth` of those below total."""
        start = self.start(nth) if nth >= 0 else None
        if start is None or start >= self.total:
            raise IndexError(nth)
        return start

    def _piece_of(self, nth: int) -> _Piece:
        at = bisect_right(self._pieces, nth, key=lambda piece: piece.nth) - 1
        return self._pieces[at]

    def _rank(self, held: tuple[int, ...], start: int) -> int:
        """Return how many starts of these stripes are below `start`."""
        rounds, rest = divmod(start, self.modulus)
        return rounds * len(held) + bisect_left(held, rest)


def dealt(weights: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the stripes of each process, in proportion to weights from 1 on, at least one each.

    With equal weights they are i, i + players, …; with others they are as far apart as possible.
    """
    players, whole = len(weights), sum(weights)
    count = STRIPES if whole <= _MANY_PLAYERS else MANY_STRIPES
    if len(set(weights)) == 1:
        return [tuple(range(index, count, players)) for index in range(players)]
    sizes = [1 + more for more in divided(count - players, weights)]
    turns = sorted(
        ((nth + 0.5) / size, at) for at, size in enumerate(sizes) for nth in range(size)
    )
    hands: list[list[int]] = [[] for _ in weights]
    for stripe, (_, at) in enumerate(turns):
        hands[at].append(stripe)
    return [tuple(hand) for hand in hands]


def divided(whole: int, weights: Sequence[int]) -> list[int]:
    """Return integers that add up to `whole`, in proportion to weights: largest remainder.

    With equal remainders the first ones get more.
    """
    sum_ = sum(weights)
    floors = [whole * weight // sum_ for weight in weights]
    rests = sorted(range(len(weights)), key=lambda at: -(whole * weights[at] % sum_))
    for at in rests[: whole - sum(floors)]:
        floors[at] += 1
    return floors
