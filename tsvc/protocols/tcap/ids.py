"""Our transaction ids: all of them, or the part that one of several processes has.

Processes of a cluster have parts by the top 11 bits, so that no two of them ever begin a
transaction by the same id, whatever addresses they have, and who sees an id knows whose it is.
"""

from tsvc.values import dataclass

_SPACE = 1 << 32
PROCESSES = 1 << 11
"""As many processes may have a part."""


@dataclass(frozen=True, slots=True)
class IdRange:
    """Ids from the first on, so many."""

    first: int = 0
    count: int = _SPACE

    @classmethod
    def of_process(cls, number: int) -> "IdRange":
        """Return the part of a process. Errors: ValueError for a number that has none."""
        if not 0 <= number < PROCESSES:
            raise ValueError(f"{PROCESSES} processes have transaction ids, so not number {number}")
        count = _SPACE // PROCESSES
        return cls(number * count, count)

    @property
    def references(self) -> "IdRange":
        """The part of SCCP's references of segments, which have 24 bits, that goes with it."""
        return IdRange(self.first >> 8, self.count >> 8)

    @property
    def label(self) -> tuple[int, int, int] | None:
        """The lowest and the highest bit that all of them have in common, and what these are; None
        if they have none.
        """
        lowest = self.count.bit_length() - 1
        return None if 1 << lowest == _SPACE else (lowest, 31, self.first >> lowest)

    def nth(self, number: int) -> int:
        """Return an id by its place in the range, which begins anew at its end."""
        return self.first + number % self.count

    def after(self, tid: int) -> int:
        """Return the id that follows one of them."""
        return self.nth(tid - self.first + 1)


ALL_IDS = IdRange()


def process_of(tid: bytes) -> int:
    """Return the number of the process that has an id; some peers drop the zeros in front."""
    return int.from_bytes(tid) * PROCESSES // _SPACE
